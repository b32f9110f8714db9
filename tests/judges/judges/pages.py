"""The page of `muster review --format html`, read as browsers read it: well formed, and nothing in it runs or loads,
whatever the names in the files are."""
import base64
import hashlib
import re

from . import lib

CASE = lib.CHECKOUT / "tests" / "golden" / "cases" / "review"
POLICY = lib.CHECKOUT / "tests" / "golden" / "cases" / "review-policy"
HOSTILE = "<script>alert(1)<-script>\"' onload=x &lt;!-- --> <img src=x> @all `x` |.sbatch"
ELEMENTS = set("html head meta title style body main footer h1 h2 h3 p strong section table caption thead tbody tr th td "
               "span code a del ins details summary ul li div".split())
ATTRIBUTES = set("lang charset http-equiv content name class id href scope aria-labelledby aria-label role tabindex".split())


def elements(node):
    yield node
    for child in node:
        if isinstance(child.tag, str):
            yield from elements(child)


def harmless(report, label, page):
    import html5lib

    parser = html5lib.HTMLParser(tree=html5lib.getTreeBuilder("etree"), namespaceHTMLElements=False)
    root = parser.parse(page)
    report.check(f"{label} has no parse error", not parser.errors, [name for _, name, _ in parser.errors[:3]])
    found = list(elements(root))
    strange = {node.tag for node in found} - ELEMENTS
    report.check(f"{label} has only elements that show text", not strange, sorted(strange))
    strange = {name for node in found for name in node.attrib} - ATTRIBUTES
    report.check(f"{label} has only attributes that do nothing", not strange, sorted(strange))
    away = [node.attrib["href"] for node in found if not node.attrib.get("href", "#").startswith("#")]
    report.check(f"{label} links only into itself", not away, away[:3])
    ids = [node.attrib["id"] for node in found if "id" in node.attrib]
    wanted = [node.attrib["href"][1:] for node in found if "href" in node.attrib]
    report.check(f"{label} names each place once, and every link leads to one", len(ids) == len(set(ids)) and set(wanted) <= set(ids))
    policy = [node.attrib["content"] for node in found if node.attrib.get("http-equiv") == "Content-Security-Policy"]
    style = "".join(node.text or "" for node in found if node.tag == "style")
    digest = "sha256-" + base64.b64encode(hashlib.sha256(style.encode()).digest()).decode()
    report.check(f"{label} allows its style alone", len(policy) == 1 and policy[0].startswith("default-src 'none'; ") and f"'{digest}'" in policy[0], policy)
    report.check(f"{label} says its language and has a title", root.attrib.get("lang") == "en" and root.find("head/title").text)
    for table in (node for node in found if node.tag == "table"):
        heads = [node for node in elements(table) if node.tag == "th"]
        if table.find("caption") is None or any("scope" not in node.attrib for node in heads):
            return report.check(f"{label} says what each table is and what its heads are for", False)
    return report.check(f"{label} says what each table is and what its heads are for", True)


def hostile_trees(folder):
    for side, hours in (("old", 1), ("new", 2)):
        place = folder / side
        place.mkdir()
        body = f"echo '</td><script>alert({hours})</script>'\n"
        (place / HOSTILE).write_text(f"#!/bin/sh\n#SBATCH --time={hours}:00:00\n#SBATCH --comment=\"{HOSTILE}\"\n{body}")
        (place / "a.yaml").write_text(
            f"apiVersion: v1\nkind: '<b>{'&amp;'}'\nmetadata: {{name: '</code><i>', namespace: '\"><u>'}}\n"
            f"data: {{'</summary><s>': '<!-- {hours}'}}\n")
    return folder / "old", folder / "new"


def judge(report, shop):
    try:
        import html5lib  # noqa: F401
    except ImportError:
        return report.skip("python3-html5lib", "pages", "python3-html5lib is not installed")
    trees = {"the page of a change": (CASE / "base", CASE / "head"), "the page of a policy's change": (POLICY / "base", POLICY / "head"),
             "the page of hostile names": hostile_trees(shop.place("pages"))}
    pages = {}
    for label, (base, head) in trees.items():
        asked = shop.ask("review", base, head, "--format", "html", "-q")
        pages[label] = asked.stdout
        if report.check(f"{label} is written", asked.stdout.startswith("<!DOCTYPE html>"), lib.says(asked)):
            harmless(report, label, asked.stdout)
    shows = re.search(r"&lt;script&gt;alert\(1\)", pages["the page of hostile names"])
    report.check("hostile names are shown as they are spelt", shows)
    for path in lib.broken_files("pages", ".sed"):
        edit = lib.mutation(path)
        lib.must_reject(report, path, lambda inner, edit=edit, path=path: harmless(inner, path.stem, edit(pages["the page of a change"])))
    return None

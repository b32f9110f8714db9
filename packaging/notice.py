"""The text of NOTICE in a release: the repository's own NOTICE, then the license of each component in full."""
from components import COMMON, COMPONENTS

RULE = "=" * 100 + "\n"


def section(title, text):
    return f"\n{RULE}{title}\n{RULE}\n{text.strip()}\n"


def notice(own, packages):
    parts = [own]
    given = {}  # copyright files that two components share are printed once
    for component in COMPONENTS:
        given.setdefault(packages.copyright(component), []).append(component)
    for text, components in given.items():
        names = ", ".join(f"{component.name} ({component.license})" for component in components)
        parts.append(section(f"{names}: the copyright file of Debian's package {packages.name(components[0])}", text))
    for name in sorted({name for component in COMPONENTS for name in component.texts}):
        parts.append(section(f"The text that is referred to as /usr/share/common-licenses/{name}", (COMMON / name).read_text()))
    return "".join(parts)

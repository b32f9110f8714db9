"""Two Kubernetes objects as an API server has them, side by side under a normal form.

The normal form: names of objects, namespaces, volumes and of the program's container do not count, nor do what a server
writes itself, muster's own labels, the order of lists that are sets, `command` and `args` as one list, `$$` as the kubelet
reads it, a line feed at the end of a text, quantities by their value."""
import json
import re

OWN_LABELS = ["app.kubernetes.io/" + name for name in ("name", "instance", "component", "managed-by")]
OF_CONTROLLER = ("controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name")  # labels of a Job's pods
OF_SERVER = ("name", "generateName", "namespace", "creationTimestamp", "uid", "resourceVersion", "generation", "managedFields", "selfLink")
WORDS = ("command", "args", "entrypoint")
UNITS = {"": 1, "m": 1e-3, "k": 1e3, "M": 1e6, "G": 1e9, "T": 1e12, "P": 1e15, "E": 1e18,
         "Ki": 2**10, "Mi": 2**20, "Gi": 2**30, "Ti": 2**40, "Pi": 2**50, "Ei": 2**60, "n": 1e-9, "u": 1e-6}
NAMED = {"fate": ("approximated", "lost", "dropped", "mended", "question")}


def quantity(value):
    found = re.fullmatch(r"([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)([A-Za-z]{0,2})", str(value))
    return round(float(found[1]) * UNITS[found[2]], 6) if found and found[2] in UNITS else value


def unescaped(word):
    return re.sub(r"\$\$", "$", str(word)).rstrip("\n")


def volumes(spec):
    """Each volume by where it is mounted."""
    places = {}
    containers = [*(spec.get("containers") or []), *(spec.get("initContainers") or [])]
    for container in containers:
        for mount in container.get("volumeMounts") or []:
            places.setdefault(mount.get("name"), mount.get("mountPath"))
    for item in [*(spec.get("volumes") or []), *(mount for container in containers for mount in container.get("volumeMounts") or [])]:
        item["name"] = places.get(item.get("name"), item.get("name"))


def container(part, program):
    if program:
        part.pop("name", None)
    if part.get("command") and part.get("args"):
        part["command"] = part["command"] + part.pop("args")
    for key in WORDS[:2]:
        if part.get(key):
            part[key] = [unescaped(word) for word in part[key]]
    for variable in part.get("env") or []:
        if variable.get("value") is not None:
            variable["value"] = unescaped(variable["value"])
        else:
            variable.pop("value", None)
        if not variable.get("value") and "valueFrom" not in variable:
            variable["value"] = ""
    for key in ("resources", "resourcesPerNode"):
        amounts = part.get(key)
        if not amounts:
            continue
        asked = {**(amounts.get("limits") or {}), **(amounts.get("requests") or {})}
        if asked:
            amounts["requests"] = asked
        for kind in ("limits", "requests"):
            if amounts.get(kind):
                amounts[kind] = {name: quantity(value) for name, value in amounts[kind].items()}


def normal(tree):
    """In place, from the leaves."""
    if isinstance(tree, list):
        for item in tree:
            normal(item)
        return tree
    if not isinstance(tree, dict):
        return tree
    for value in tree.values():
        normal(value)
    metadata = tree.get("metadata")
    if isinstance(metadata, dict):
        for label in [*OWN_LABELS, *OF_CONTROLLER]:
            (metadata.get("labels") or {}).pop(label, None)
        metadata.pop("creationTimestamp", None)
        for key in [key for key, value in metadata.items() if value in (None, {}, [])]:
            del metadata[key]
    if isinstance(tree.get("containers"), list):
        volumes(tree)
        for i, part in enumerate(tree["containers"]):
            container(part, i == 0)
        for part in tree.get("initContainers") or []:
            container(part, False)
    if "resourcesPerNode" in tree:
        container(tree, False)
    for label in OF_CONTROLLER:
        ((tree.get("selector") or {}).get("matchLabels") or {}).pop(label, None)
    for key in [key for key, value in tree.items() if value in (None, {}, [])]:
        if key not in ("emptyDir",):
            del tree[key]
    return tree


def normal_object(thing):
    thing = json.loads(json.dumps(thing))
    thing.pop("status", None)
    for key in OF_SERVER:
        thing.get("metadata", {}).pop(key, None)
    return normal(thing)


def key_of(item):
    for key in ("mountPath", "containerPort", "name", "groupName"):
        if isinstance(item, dict) and key in item:
            return str(item[key])
    return None


def differences(before, after, path=()):
    """(path, before, after) of each; a path is a tuple of keys, of items in brackets."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted({*before, *after}):
            yield from differences(*filled(before.get(key), after.get(key)), (*path, key))
    elif isinstance(before, list) and isinstance(after, list):
        yield from of_lists(before, after, path)
    elif isinstance(before, bool) or isinstance(after, bool) or str(before) != str(after):
        if before != after:
            yield path, before, after


def filled(before, after):
    """With what is nothing for a map or list that only one of them has."""
    for empty in ({}, []):
        if isinstance(before, type(empty)) and after is None:
            return before, empty
        if isinstance(after, type(empty)) and before is None:
            return empty, after
    return before, after


def of_lists(before, after, path):
    if path and path[-1] == "containers":
        for i in range(max(len(before), len(after))):
            here = (*path, f"[{i}]")
            if i < len(before) and i < len(after):
                yield from differences(before[i], after[i], here)
            else:
                yield here, before[i:i + 1], after[i:i + 1]
        return
    if all(key_of(item) is not None for item in [*before, *after]):
        left, right = ({key_of(item): item for item in items} for items in (before, after))
        for key in sorted({*left, *right}):
            here = (*path, f"[{key}]")
            if key in left and key in right:
                yield from differences(left[key], right[key], here)
            else:
                yield here, left.get(key), right.get(key)
        return
    def words(items):
        found = [json.dumps(item, sort_keys=True) for item in items]
        return found if path and path[-1] in WORDS else sorted(found)
    if words(before) != words(after):
        yield path, before, after


def steps(path):
    """A path of the report: `spec.containers[0].env[3]`, keys with dots as `labels["a.b/c"]`."""
    out = []
    for quoted, index, key in re.findall(r'\["([^"]*)"\]|\[([^\]]*)\]|([^.\[\]]+)', path):
        out.append(quoted or (f"[{index}]" if index or not key else key))
    return tuple(out)


def keyed(original, path):
    """With the keys of items for their numbers in the original, as the normal form has them."""
    out, here = [], original
    for step in path:
        number = re.fullmatch(r"\[(\d+)\]", step)
        if isinstance(here, list) and number and int(number[1]) < len(here):
            items, here = here, here[int(number[1])]
            by_key = out and out[-1] != "containers" and all(key_of(item) is not None for item in items)
            out.append(f"[{key_of(here)}]" if by_key else step)
            continue
        here = here.get(step) if isinstance(here, dict) else None
        out.append(step)
    return tuple(out)


def named(difference, lines):
    """The line of the report that names it, or None: of the same field, of one that has it, or of an item of a set."""
    path = difference[0]
    for where, line in lines:
        if path[:len(where)] == where and where:
            return line
        if len(where) == len(path) + 1 and where[:len(path)] == path and where[-1].startswith("["):
            return line
    return None


def naming_lines(report, original):
    """The lines that say that something differs, with their paths."""
    found = []
    for line in [*report["directives"], *report["statements"]]:
        if line["fate"] in NAMED["fate"] or line["note"]:
            found.append((keyed(normal_paths(original), steps(line["option"])), line))
    return found


def normal_paths(original):
    """The original with its volumes by where they are mounted, since paths have these."""
    tree = json.loads(json.dumps(original))
    def walk(node):
        if isinstance(node, dict):
            if isinstance(node.get("containers"), list):
                volumes(node)
            for value in node.values():
                walk(value)
        elif isinstance(node, list):
            for item in node:
                walk(item)
    walk(tree)
    return tree

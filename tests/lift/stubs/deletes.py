"""What a program would take away: the paths that it would delete, empty, move or write over. Nothing of it is done."""
import os


def operands(words, valued=()):
    """The words that are no options; `valued` names options with a value of their own."""
    out, at = [], 0
    while at < len(words):
        word = words[at]
        if word == "--":
            return out + words[at + 1:]
        if word.startswith("-") and word != "-":
            at += word in valued
        else:
            out.append(word)
        at += 1
    return out


def all_operands(words):
    return [("deletes", path) for path in operands(words)]


def emptied(words):
    """But for the last line feed of a file, which a here-document cannot leave out."""
    return [] if "--size=-1" in words else [("empties", path) for path in operands(words, ("-s", "--size", "-r", "--reference"))]


def written_over(words):
    """The files that stand where cp or mv would put theirs."""
    paths = operands(words, ("-t", "--target-directory", "-S", "--suffix"))
    into = next((words[at + 1] for at, word in enumerate(words[:-1]) if word in ("-t", "--target-directory")), None)
    sources, target = (paths, into) if into else (paths[:-1], paths[-1] if len(paths) > 1 else None)
    if target is None or {"-n", "--no-clobber"} & set(words):
        return []
    places = [os.path.join(target, os.path.basename(path.rstrip("/"))) for path in sources] if os.path.isdir(target) else [target]
    return [("writes over", path) for path in places if os.path.isfile(path)]


def moved(words):
    paths = operands(words, ("-t", "--target-directory", "-S", "--suffix"))
    sources = paths if {"-t", "--target-directory"} & set(words) else paths[:-1]
    return [("moves", path) for path in sources] + written_over(words)


def mirrored(words):
    """rsync: what the target has and the source lacks, or the source itself."""
    paths = [path for path in operands(words, ("-e", "--rsh", "--exclude", "--include", "-f", "--filter", "--exclude-from", "--files-from")) if ":" not in path]
    target = [("deletes in", paths[-1])] if len(paths) > 1 and any(word.startswith(("--del", "--delete")) for word in words) else []
    return target + ([("moves", path) for path in paths[:-1]] if "--remove-source-files" in words else [])


def found(words):
    """find: the real one lists what its -delete, or the rm of its -exec, would take."""
    asked, at, takes = [], 0, False
    while at < len(words):
        if words[at] in ("-exec", "-execdir", "-ok", "-okdir"):
            end = next((i for i in range(at, len(words)) if words[i] in (";", "+")), len(words) - 1)
            program = words[at + 1:at + 2] or [""]
            if os.path.basename(program[0]) in TAKES:
                takes = True
                asked.append("-print0")
            at = end
        elif words[at] == "-delete":
            takes = True
            asked += ["-print0"]
        else:
            asked.append(words[at])
        at += 1
    if not takes:
        return []
    import subprocess  # slow to load, and seldom needed
    done = subprocess.run(["/.real/usr/bin/find", *asked], capture_output=True, check=False)
    return [("deletes", os.fsdecode(path)) for path in done.stdout.split(b"\0") if path]


def by_dd(words):
    return [("writes over", word[3:]) for word in words if word.startswith("of=")]


def by_git(words):
    return [("deletes in", path) for path in operands(words[1:]) or ["."]] if words[:1] == ["clean"] else []


def for_another(words):
    """sudo and its like: what the program behind their options would take."""
    at = 0
    while at < len(words) and (words[at].startswith("-") or "=" in words[at]):
        at += 2 if words[at] in ("-u", "-g", "--user", "--group") else 1
    return taken(os.path.basename(words[at]), words[at + 1:]) if at < len(words) else []


TAKES = {"rm": all_operands, "rmdir": all_operands, "unlink": all_operands, "shred": all_operands, "truncate": emptied, "mv": moved, "cp": written_over,
         "rsync": mirrored, "find": found, "dd": by_dd, "git": by_git, "sudo": for_another}


def taken(base, words):
    return TAKES[base](words) if base in TAKES else []


def effects(base, words):
    """[(how, absolute path)]"""
    return sorted({(how, os.path.normpath(os.path.join(os.getcwd(), path)).replace("//", "/")) for how, path in taken(base, words) if path})


"""Does a refusal name what it refuses? Its place is a line of a file, and a word that it names stands in that line."""
import pathlib
import re

SHORT = re.compile(r"^(?P<file>[^\s:][^:\n]*):(?P<line>\d+):\d+: error(?:\[\w+\])?: (?P<text>.*)$", re.M)


def errors(said):
    """[(file, line, text)] of what muster says with --diagnostics short."""
    return [(match["file"], int(match["line"]), match["text"]) for match in SHORT.finditer(said)]


def stands(text, path, number):
    """Whether a word between backticks, or an option or a variable, is in that line of the file."""
    try:
        lines = pathlib.Path(path).read_text(encoding="utf-8", errors="surrogateescape").split("\n")
    except OSError:
        return False
    line = lines[number - 1] if 0 < number <= len(lines) else ""
    named = [word.rstrip("…").split("\n")[0].strip() for word in re.findall(r"`([^`]+)`", text)]
    return any(word and word in line for word in named)


def named_in_line(said, folder=None):
    """Whether the first error names a word of its line."""
    found = errors(said)
    if not found:
        return False
    path, number, text = found[0]
    return stands(text, pathlib.Path(folder or ".") / path, number)


def reason_stands(report):
    """The same of the reason why a text is kept."""
    path, _, rest = report.get("reason_at", "").rpartition(":")
    path, _, number = path.rpartition(":")
    return bool(path) and number.isdigit() and stands(report.get("reason", ""), path, int(number))

"""Verdicts of one who read the files: a table with a row a finding."""
import csv

from . import HERE

VERDICTS = ("true", "trivial", "false")


def read(name):
    """The verdict by blob id and rule."""
    with (HERE / name).open(newline="", encoding="utf-8") as lines:
        return {(row["blob"], row["rule"]): row["verdict"] for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)}

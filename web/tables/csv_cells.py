"""The lines of CSV files, without cells that a spreadsheet would run as formulas. Pure.

A note, a name or an id that begins with "=" is run as a formula when the file is opened, and can
send the sheet's content to another server (OWASP: CSV injection).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterable, Iterator

FORMULA = re.compile(r"['\s]*[=+\-@＝＋－＠]")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def defused(cell: object) -> object:
    """The cell, with an apostrophe before it if it is text that could be a formula.

    `restored` undoes this. Numbers stay as they are.
    """
    # Most cells begin with a letter or a digit, which no formula does.
    if not isinstance(cell, str) or cell[:1].isalnum():
        return cell
    return f"'{cell}" if FORMULA.match(cell) and not NUMBER.fullmatch(cell) else cell


def restored(cell: str) -> str:
    """The text that `defused` was given."""
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell


class _Echo:
    """A file for `csv.writer` whose `write` returns the line."""

    def write(self, line: str) -> str:
        return line


def csv_lines(rows: Iterable[Iterable[object]]) -> Iterator[str]:
    """RFC 4180: CRLF, quotes where needed. None is an empty field, and floats go by repr."""
    writer = csv.writer(_Echo())
    for row in rows:
        yield writer.writerow(map(defused, row))


def csv_text(*rows: Iterable[object]) -> str:
    return "".join(csv_lines(rows))

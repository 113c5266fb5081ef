"""Cells of CSV files that a spreadsheet would run as formulas. Pure.

A note, a name or an id that begins with "=" is run as a formula when the file is opened, and can
send the sheet's content to another server (OWASP: CSV injection).
"""

from __future__ import annotations

import re

FORMULA = re.compile(r"['\s]*[=+\-@＝＋－＠]")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def defused(cell: object) -> object:
    """The cell, with an apostrophe before it if it is text that could be a formula.

    `restored` undoes this. Numbers stay as they are.
    """
    is_formula = isinstance(cell, str) and FORMULA.match(cell) and not NUMBER.fullmatch(cell)
    return f"'{cell}" if is_formula else cell


def restored(cell: str) -> str:
    """The text that `defused` was given."""
    return cell[1:] if cell.startswith("'") and FORMULA.match(cell) else cell

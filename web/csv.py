"""CSV as RFC 4180, without cells that a spreadsheet would run as formulas.

A note or a name that begins with "=" is run when the file is opened and can send the sheet's content elsewhere
(OWASP: CSV injection). Files that programs read (a release's, a run) keep ids as they are: `safe=False`.
"""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Iterator

from django.http import HttpResponse, StreamingHttpResponse

FORMULA = re.compile(r"['\s]*[=+\-@＝＋－＠]")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def defused(cell: object) -> object:
    """The cell, with an apostrophe before it if it is text that could be a formula; numbers stay."""
    if not isinstance(cell, str) or not FORMULA.match(cell) or NUMBER.fullmatch(cell):
        return cell
    return f"'{cell}"


def as_typed(cell: str) -> str:
    """The text that `defused` was given."""
    return cell[1:] if cell[:1] == "'" and defused(cell[1:]) == cell else cell


def csv_lines(rows: Iterable[Iterable[object]], *, safe: bool = True) -> Iterator[str]:
    """None is an empty field; floats go by repr."""
    for row in rows:
        line = io.StringIO()
        csv.writer(line).writerow(map(defused, row) if safe else row)
        yield line.getvalue()


def csv_response(name: str, rows: Iterable[Iterable[object]], *, safe: bool = True) -> HttpResponse:
    response = StreamingHttpResponse(csv_lines(rows, safe=safe), content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response  # type: ignore[return-value]

"""The first documents of a ranked list as squares in the colours of their grades. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from web.figures import PANEL_WIDTH, Bar, Panel, TextLine
from web.words import count_noun

IN_ROW = 20
MOST = 100  # documents
SIDE, GAP = 13, 2
GUTTER = 20


def ranks_panel(ranking: Sequence[str], grades: Mapping[str, int]) -> Panel:
    """A square for each of the first documents, the best rank first.

    `grades` are final labels. A document without one is an empty square.
    """
    shown = ranking[:MOST]
    labelled = [grades[docno] for docno in shown if docno in grades]
    counts = [
        f"{labelled.count(grade):,} of grade {grade}"
        for grade in sorted(set(labelled), reverse=True)
    ]
    finding = f"Of {count_noun(len(shown), 'document')}: {', '.join(counts) or 'none is labelled'}."
    rows = range(0, len(shown), IN_ROW)
    return Panel(
        finding,
        len(rows) * (SIDE + GAP),
        PANEL_WIDTH,
        bars=[_square(place, docno, grades) for place, docno in enumerate(shown)],
        texts=[
            TextLine(GUTTER, (SIDE + GAP) * row + SIDE - 2, f"{start + 1}", "end")
            for row, start in enumerate(rows)
        ],
    )


def _square(place: int, docno: str, grades: Mapping[str, int]) -> Bar:
    row, column = divmod(place, IN_ROW)
    grade = grades.get(docno)
    # A document without a final label is not named, as nowhere on the page.
    words = "no final label" if grade is None else f"{docno}, grade {grade}"
    return Bar(
        "rest" if grade is None else f"g{grade}",
        GUTTER + 5 + column * (SIDE + GAP - 0.5),
        row * (SIDE + GAP),
        SIDE - 0.5,
        SIDE,
        f"rank {place + 1}: {words}",
    )

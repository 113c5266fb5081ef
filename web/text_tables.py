"""Tables to read at a terminal. Pure."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence


def aligned(rows: Iterable[Sequence[str]], texts: Container[str]) -> Iterator[str]:
    """The rows, heads first, with columns as wide as their longest cell.

    Columns whose heads are in `texts` are left-aligned, those of numbers right-aligned.
    """
    table = list(rows)
    widths = [max(map(len, column)) for column in zip(*table, strict=True)]
    for row in table:
        cells = (
            cell.ljust(width) if head in texts else cell.rjust(width)
            for head, cell, width in zip(table[0], row, widths, strict=True)
        )
        yield "  ".join(cells).rstrip()

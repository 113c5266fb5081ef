"""Tables and lists of a README in Markdown. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence


def listed(names: Sequence[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def facet_table(table: Sequence[Sequence[str]], *, has_facets: bool) -> Iterator[str]:
    """The table, of which the first column is the facet."""
    header, *rows = table if has_facets else [row[1:] for row in table]
    yield from markdown_table(header, rows)


def markdown_table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield _row(header)
    yield _row(["---"] * len(header))
    for row in rows:
        yield _row(row)
    yield ""


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"

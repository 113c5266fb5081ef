"""Tables of scores in LaTeX, for the package booktabs. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

NEEDS_BOOKTABS = r"% needs \usepackage{booktabs}"


def table_rows(
    measures: Sequence[str], lines: Iterable[tuple[str, Sequence[str]]]
) -> Iterator[str]:
    """The lines of a `tabular`. `lines` are a system's name and its cells, which are LaTeX."""
    yield rf"\begin{{tabular}}{{l{'r' * len(measures)}}}"
    yield r"\toprule"
    yield _row("System", map(latex_text, measures))
    yield r"\midrule"
    for name, cells in lines:
        yield _row(latex_text(name), cells)
    yield r"\bottomrule"
    yield r"\end{tabular}"


def _row(name: str, cells: Iterable[str]) -> str:
    return " & ".join([name, *cells]) + r" \\"


def latex_text(text: str) -> str:
    """The text with LaTeX's special characters escaped."""
    special = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
    return "".join(
        special.get(character, rf"\{character}" if character in "&%$#_{}" else character)
        for character in text
    )

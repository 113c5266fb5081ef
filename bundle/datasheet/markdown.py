"""Plain text as Markdown that shows the same text and nothing else. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence

# An underscore inside a word is not emphasis, and web addresses have such.
SPECIAL = re.compile(r"[\\`*\[\]|~!#$^]|(?<![^\W_])_|_(?![^\W_])")
STARTS_A_BLOCK = re.compile(r"^(?:(?=[-+=])|(\d+)(?=[.)](?: |$)))")
CONTROL = re.compile(r"[\x00-\x1f\x7f\ud800-\udfff]")


def escaped(text: str) -> str:
    """Text inside a line, which cannot begin a link, emphasis or HTML."""
    line = " ".join(CONTROL.sub(" ", text).split())
    line = SPECIAL.sub(lambda found: "\\" + found[0], line)
    return line.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def paragraphs(text: str) -> Iterator[str]:
    """The lines of a text of several paragraphs. Its line breaks stay."""
    kept: list[str] = []
    for line in [*text.splitlines(), ""]:
        if line.strip():
            # At the start of a line, these would begin a list or underline a heading.
            kept.append(STARTS_A_BLOCK.sub(r"\1\\", escaped(line)))
        elif kept:
            yield "\\\n".join(kept)
            yield ""
            kept = []


def table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    """A table of texts, which are escaped here."""
    yield _row(header)
    yield _row(["---"] * len(header))
    for row in rows:
        yield _row([escaped(cell) for cell in row])
    yield ""


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"

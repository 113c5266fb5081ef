"""Joins the lines of a download, because a server sends every piece separately."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

BLOCK = 64 * 1024  # characters; 228,000 lines sent one by one take seconds


def in_blocks(lines: Iterable[str]) -> Iterator[str]:
    """The same text in blocks of at least `BLOCK` characters; the last may be shorter."""
    block: list[str] = []
    size = 0
    for line in lines:
        block.append(line)
        size += len(line)
        if size >= BLOCK:
            yield "".join(block)
            block, size = [], 0
    if block:
        yield "".join(block)

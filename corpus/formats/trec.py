"""Documents as TREC writes them: `<DOC>`, `<DOCNO>`, `<TITLE>`, `<TEXT>`, in SGML or XML. Pure.

The files are tagged but rarely well-formed: tags may be open, and a `<` or `&` may stand alone. So
they are not parsed as XML. Tags inside a title or text are left out, and their content is kept.
"""

from __future__ import annotations

import html
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from corpus.formats.decompression import Meter
from corpus.formats.document_lines import (
    LONGEST_LINE,
    DocumentValues,
    FileItem,
    Problem,
    decoded,
    file_lines,
    too_long,
)

SECTIONS = {
    **dict.fromkeys(("docno", "docid"), "docno"),
    **dict.fromkeys(("title", "headline", "head", "hl", "ti", "ttl"), "title"),
    **dict.fromkeys(("text", "abstract", "body", "leadpara", "lp"), "abstract"),
}
# Tags that may stand inside a text. Any other one of a document is reported as ignored.
_INLINE = frozenset(
    {"p", "b", "i", "em", "strong", "sub", "sup", "br", "s", "f", "a", "span", "div"}
)
# No "<" inside a tag: otherwise a file of "<doc" alone takes time that grows with its square.
_START = re.compile(r"<doc(?:ument)?(?:\s[^<>]*)?>", re.IGNORECASE)
_END = re.compile(r"</doc(?:ument)?\s*>", re.IGNORECASE)
_BOUNDARY = re.compile(f"{_START.pattern}|{_END.pattern}", re.IGNORECASE)
# The name is possessive for the same reason.
_TAG = re.compile(r"<(/?)([A-Za-z][\w.-]*+)[^<>]*+>|<!\[CDATA\[|\]\]>|<[!?][^<>]*>")
_ID = re.compile(r"""\b(?:docno|id)\s*=\s*["']([^"']*)["']""", re.IGNORECASE)
_NO_END = "the document has no </DOC>. Close it, or copy the file again."


def read_trec(
    source: Path | BinaryIO, name: str, meter: Meter, columns: Mapping[str, str]
) -> Iterator[FileItem]:
    """The documents of a file, with the line of each `<DOC>`.

    Raises:
        DocumentFormatError: the file cannot be read.
    """
    parts: list[str] = []
    size = first = 0
    for number, line in file_lines(source, name, meter):
        try:
            text = decoded(line)
        except Problem as problem:
            yield FileItem(number, problem)
            parts = []
            continue
        place = 0
        while place < len(text):
            boundary = _BOUNDARY.search(text, place)
            end = boundary.end() if boundary else len(text)
            if boundary and boundary.group()[1] != "/":
                if parts:
                    yield FileItem(first, Problem(_NO_END))
                parts, size, first = [boundary.group()], 0, number
            elif parts:
                parts.append(text[place:end])
                size += end - place
                if size > LONGEST_LINE:
                    yield FileItem(first, too_long("the document"))
                    parts = []
                elif boundary:
                    yield FileItem(first, *_content("".join(parts)))
                    parts = []
            place = end
    if parts:
        yield FileItem(first, Problem(_NO_END))


def _content(text: str) -> tuple[DocumentValues, tuple[str, ...]]:
    """The object of docs/formats.md for a document, and the tags that were ignored."""
    start = _START.match(text)
    assert start is not None
    found: dict[str, list[str]] = defaultdict(list)
    ignored: set[str] = set()
    section, place = "", start.end()
    for tag in _TAG.finditer(text, start.end()):
        if section:
            found[section].append(text[place : tag.start()])
        place = tag.end()
        section = _section_after(tag, section, ignored)
    values = {key: " ".join(html.unescape(" ".join(found[key])).split()) for key in found}
    identifier = _ID.search(start.group())
    return {
        "docno": values.get("docno") or (identifier[1] if identifier else None),
        "title": values.get("title", ""),
        "abstract": values.get("abstract", ""),
    }, tuple(sorted(ignored))


def _section_after(tag: re.Match[str], section: str, ignored: set[str]) -> str:
    """The section after a tag; "" outside of all of them."""
    name = (tag[2] or "").lower()
    opened = SECTIONS.get(name)
    if tag[1]:
        return "" if opened == section else section
    if opened and not (section == "abstract" and opened == "title"):
        return opened
    if name and not opened and name not in _INLINE and section != "abstract":
        ignored.add(name)
        return ""
    return section

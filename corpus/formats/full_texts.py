"""Full texts of documents: their sections, or a link to a PDF, and the files they come in. Pure.

docs/formats.md describes the formats and the errors.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, NamedTuple, TypedDict
from urllib.parse import urlsplit

from corpus.digests import json_digest
from corpus.formats.decompression import Meter
from corpus.formats.document_lines import (
    LONGEST_LINE,
    MAX_DOCNO,
    DocumentFormatError,
    Problem,
    checked_docno,
    checked_text,
    excerpt,
    file_lines,
    parsed_object,
)

AUTO = "auto"
MAX_URL = 2000  # characters
# The keys of the paragraphs, if not at the top: in files of doc2json, and of the release of 2019.
PARSES = ("pdf_parse", "latex_parse", "grobid_parse")


class FullTextSection(NamedTuple):
    """`heading` is empty for text before the first heading."""

    heading: str
    paragraphs: tuple[str, ...]


class FullTextRecord(NamedTuple):
    """The full text of one document: sections, a link, or both."""

    docno: str
    sections: tuple[FullTextSection, ...]
    pdf_url: str

    @property
    def digest(self) -> str:
        return full_text_digest(self.sections, self.pdf_url)


class FullTextLine(NamedTuple):
    """A record with the line that it is on."""

    file: str
    number: int
    record: FullTextRecord


def full_text_digest(sections: tuple[FullTextSection, ...], pdf_url: str) -> str:
    """SHA-256 (hex) of sections and link."""
    return json_digest([[list(section) for section in sections], pdf_url])


class SectionRow(TypedDict):
    """A section as it is stored."""

    heading: str
    paragraphs: list[str]


def sections_of(rows: list[SectionRow]) -> tuple[FullTextSection, ...]:
    """The sections of a stored full text."""
    return tuple(FullTextSection(row["heading"], tuple(row["paragraphs"])) for row in rows)


def section_rows(sections: tuple[FullTextSection, ...]) -> list[SectionRow]:
    """The sections as they are stored."""
    return [
        {"heading": section.heading, "paragraphs": list(section.paragraphs)} for section in sections
    ]


def read_full_texts(
    path: Path, *, name: str, format_name: str = AUTO, prefix: str = "", meter: Meter | None = None
) -> Iterator[FullTextLine]:
    """Yield the full texts of a JSON Lines file, plain or gzip, or of a file with one JSON object.

    `name` is the name of the file in errors, `format_name` a key of FORMATS or AUTO, which decides
    by the keys of each line. `prefix` is put before every docno.

    Raises:
        DocumentFormatError: a line is invalid, the gzip data are damaged, or the file is empty.
    """
    empty = True
    for number, line in _objects(path, name, meter or Meter()):
        empty = False
        try:
            record = full_text_record(parsed_object(line), format_name, prefix)
        except Problem as problem:
            raise DocumentFormatError(name, number, str(problem)) from problem
        yield FullTextLine(name, number, record)
    if empty:
        raise DocumentFormatError(
            name, None, "the file has no full texts. Write one JSON object per line."
        )


def _objects(path: Path, name: str, meter: Meter) -> Iterator[tuple[int, bytes]]:
    """Lines with an object each; or one object over several lines, as doc2json writes it."""
    lines = ((number, line) for number, line in file_lines(path, name, meter) if line.strip())
    first = next(lines, None)
    if first is None:
        return
    if first[1].strip() != b"{":
        yield from chain([first], lines)
        return
    whole = bytearray(first[1])
    for _, line in lines:
        whole += line
        if len(whole) > LONGEST_LINE:
            break
    yield first[0], bytes(whole)


def full_text_record(
    content: Mapping[str, object], format_name: str = AUTO, prefix: str = ""
) -> FullTextRecord:
    """The full text that a JSON object describes.

    Raises:
        Problem: the object has no full text. The message says how to fix it.
    """
    if format_name == AUTO:
        format_name = _detect_format(content)
    return FORMATS[format_name](content, prefix)


def _detect_format(content: Mapping[str, object]) -> str:
    if "sections" in content:
        return "sections"
    if "url" in content:
        return "links"
    if _body_text(content) is not None:
        return "s2orc"
    raise Problem(
        'the line has no full text. Give "sections", a "body_text" as in S2ORC, or a "url" of a '
        "PDF."
    )


def _from_sections(content: Mapping[str, object], prefix: str) -> FullTextRecord:
    rows = content.get("sections")
    if not isinstance(rows, list) or not rows:
        raise Problem(
            f'"sections" must be a list with at least one section, got {excerpt(rows)}. '
            'Write [{"heading": "…", "paragraphs": ["…"]}].'
        )
    sections = tuple(
        section
        for place, row in enumerate(rows, start=1)
        if (section := _section(row, place)).paragraphs
    )
    return _record(_docno(content, prefix), sections, _url(content.get("url"), optional=True))


def _section(row: Any, place: int) -> FullTextSection:
    if not isinstance(row, dict):
        raise Problem(f'section {place} must be an object with "heading", got {excerpt(row)}.')
    heading = checked_text(row.get("heading"), f'"heading" of section {place}', default="")
    paragraphs = row.get("paragraphs")
    if paragraphs is None:
        text = checked_text(row.get("text"), f'"text" or "paragraphs" of section {place}')
        paragraphs = text.split("\n\n")
    if not isinstance(paragraphs, list):
        raise Problem(
            f'"paragraphs" of section {place} must be a list, got {excerpt(paragraphs)}. '
            'Write ["…", "…"].'
        )
    return FullTextSection(
        _line(heading), _paragraphs(paragraphs, f"a paragraph of section {place}")
    )


def _from_s2orc(content: Mapping[str, object], prefix: str) -> FullTextRecord:
    """A parse of S2ORC (Lo et al., ACL 2020): the releases of 2019 and 2020, or doc2json's file.

    Paragraphs of one section follow each other. `abstract` is another list there, and is not read.
    """
    body = _body_text(content)
    if not isinstance(body, list):
        raise Problem(
            '"body_text" is missing. It stands at the top of the object or in "pdf_parse", '
            '"latex_parse" or "grobid_parse".'
        )
    sections: list[tuple[str, list[str]]] = []
    for place, row in enumerate(body, start=1):
        name = f'item {place} of "body_text"'
        if not isinstance(row, dict):
            raise Problem(f'{name} must be an object with "text", got {excerpt(row)}.')
        heading = _line(_s2orc_heading(row, name))
        paragraphs = _paragraphs([row.get("text")], f'"text" of {name}')
        if not sections or sections[-1][0] != heading:
            sections.append((heading, []))
        sections[-1][1].extend(paragraphs)
    filled = tuple(FullTextSection(heading, tuple(texts)) for heading, texts in sections if texts)
    return _record(_docno(content, prefix), filled, "")


def _s2orc_heading(row: Mapping[str, object], name: str) -> str:
    section, number = row.get("section"), row.get("sec_num")
    if isinstance(section, list):  # the path of a section in LaTeX
        section = section[-1] if section else ""
    heading = checked_text(section, f'"section" of {name}', default="")
    return f"{number} {heading}" if isinstance(number, str) and heading else heading


def _body_text(content: Mapping[str, object]) -> Any:
    """The first list of paragraphs, or None."""
    bodies = [content.get("body_text")]
    for parse in map(content.get, PARSES):
        bodies.append(parse.get("body_text") if isinstance(parse, dict) else None)
    return next((body for body in bodies if body), None)


def _from_link(content: Mapping[str, object], prefix: str) -> FullTextRecord:
    return _record(_docno(content, prefix), (), _url(content.get("url"), optional=False))


FORMATS: Mapping[str, Callable[[Mapping[str, object], str], FullTextRecord]] = {
    "sections": _from_sections,
    "s2orc": _from_s2orc,
    "links": _from_link,
}


def _record(docno: str, sections: tuple[FullTextSection, ...], url: str) -> FullTextRecord:
    if not sections and not url:
        raise Problem("every section is empty. Give at least one paragraph of text.")
    return FullTextRecord(docno, sections, url)


def _docno(content: Mapping[str, object], prefix: str) -> str:
    value = next((content[key] for key in ("docno", "paper_id") if content.get(key)), None)
    # S2ORC allows a number as id.
    value = str(value) if isinstance(value, int) and not isinstance(value, bool) else value
    docno = prefix + checked_docno(value)
    if len(docno) > MAX_DOCNO:
        raise Problem(f'"docno" must have at most {MAX_DOCNO} characters with its prefix.')
    return docno


def _url(value: Any, *, optional: bool) -> str:
    if value is None and optional:
        return ""
    url = checked_text(value, '"url"').strip()
    try:
        parts = urlsplit(url)
        valid = parts.scheme == "https" and bool(parts.hostname) and not parts.username
    except ValueError:  # such as an unclosed bracket of an IPv6 address
        valid = False
    if not valid or len(url.split()) != 1 or len(url) > MAX_URL:
        raise Problem(
            f'"url" must be an address that begins with https://, got {excerpt(value)}. '
            "Give the address of the PDF."
        )
    return url


def _paragraphs(texts: list[Any], name: str) -> tuple[str, ...]:
    """Those with words, each with single spaces."""
    lines = (_line(checked_text(text, name)) for text in texts)
    return tuple(line for line in lines if line)


def _line(text: str) -> str:
    return " ".join(text.split())

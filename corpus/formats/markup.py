"""Tagged text, as TREC's documents and topics are written: SGML or XML, often neither well-formed. Pure.

Tags may be open, a "<" or "&" may stand alone, a tag may stand in the middle of a word. So nothing is parsed as XML:
what has the form of a tag is one, everything else is text, and the text of a section is all that stands in it.
"""

from __future__ import annotations

import html
import re
from bisect import bisect
from collections import defaultdict
from collections.abc import Iterator, Mapping

from corpus.formats.reading import LONGEST, TextFile
from web.errors import BadInput

# Attributes must have values: "a<b and b>a" is text. No "<" in a tag keeps the time linear.
ATTRIBUTE = r"""\s+(?:[\w.:-]+)\s*=\s*(?:"[^"<]*"|'[^'<]*'|[^\s<>"']+)"""
TAG = re.compile(rf"<(?P<close>/?)(?P<name>[A-Za-z][\w.:-]*)(?:{ATTRIBUTE})*\s*(?P<empty>/?)>|<[!?][A-Za-z][^<>]*>")
ATTRIBUTES = re.compile(r"""([\w.:-]+)\s*=\s*(?:"([^"<]*)"|'([^'<]*)'|([^\s<>"']+))""")
# A name without its ";" is no entity: "?a=1&copy=2" stays.
ENTITY = re.compile(r"&(?:#\d{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,30});")
# They may stand inside a word: nothing takes their place. A space takes that of every other tag.
INLINE = frozenset(
    (
        *("a", "abbr", "b", "big", "bold", "code", "em", "f", "fixed-case", "font", "i", "it", "italic"),
        *("mark", "s", "sc", "small", "span", "strong", "sub", "sup", "tt", "u", "var"),
    )
)
# They make no section of their own.
BLOCK = frozenset(("br", "div", "h1", "h2", "h3", "h4", "hr", "li", "ol", "p", "table", "td", "th", "tr", "ul"))
LONGEST_TAG = 10_000  # characters, over several lines


def tagged_records(
    file: TextFile, lines: Iterator[tuple[int, str]], names: str, fields: Mapping[str, str]
) -> Iterator[tuple[int, dict[str, str]]]:
    """The text of each section of each record, with the line where the record begins.

    `names` are the record's tags ("doc|document"), `fields` the field of a section's tag. Attributes and other tags
    keep their own names; "" is the text that stands in no tag.
    """
    for line, attributes, inner in _elements(file, lines, names):
        record = {fields.get(key, key): value for key, value in attributes.items()}
        yield line, record | sections(inner, fields)


def _elements(
    file: TextFile, lines: Iterator[tuple[int, str]], names: str
) -> Iterator[tuple[int, dict[str, str], str]]:
    """Records from start tag to end tag, or to the next start. Comments are dropped, CDATA becomes escaped text."""
    tag = rf"<(?P<close>/?)(?:{names})(?=[\s>/])(?P<attributes>[^<>]*)>"
    boundary = re.compile(rf"{tag}|<!--|<!\[CDATA\[", re.IGNORECASE)
    unfinished = re.compile(rf"<(?:{names})\s[^<>]*\Z", re.IGNORECASE)
    parts: list[str] | None = None
    attributes: dict[str, str] = {}
    begin = size = 0
    ending, ending_line = "", 0  # of the comment or CDATA section we are in
    carried, ends = "", False
    for number, line in lines:
        text, carried, place = carried + line, "", 0
        if not ending and unfinished.search(text) and len(text) < LONGEST_TAG:
            carried = text
            continue
        size += len(text)
        if parts is not None and size > LONGEST:
            raise BadInput(f"{file.name}:{begin}: the record has more than {LONGEST:,} characters.")
        while place < len(text):
            if ending:
                end = text.find(ending, place)
                content = text[place:] if end < 0 else text[place:end]
                if ending == "]]>" and parts is not None:
                    parts.append(html.escape(content))
                place = len(text) if end < 0 else end + 3
                ending = ending if end < 0 else ""
                continue
            found = boundary.search(text, place)
            before = text[place : found.start()] if found else text[place:]
            if parts is not None:
                parts.append(before)
            place = found.end() if found else len(text)
            if not found:
                continue
            if found.group().startswith("<!"):
                ending, ending_line = ("-->" if found.group() == "<!--" else "]]>"), number
                continue
            if parts is not None:
                yield begin, attributes, "".join(parts)
            if found["close"]:
                parts, ends = None, True
            else:
                parts, begin, size = [], number, 0
                attributes = {
                    key.lower(): html.unescape("".join(value))
                    for key, *value in ATTRIBUTES.findall(found["attributes"])
                }
    if ending:
        raise BadInput(f"{file.name}:{ending_line}: what begins here has no {ending}. Close it.")
    if parts is not None and ends:
        file.bad(begin, "the last record has no end tag. Is the file cut short?")
    elif parts is not None:
        yield begin, attributes, "".join(parts)


def sections(markup: str, fields: Mapping[str, str]) -> dict[str, str]:
    """The text of each field.

    A closed section is everything up to its end tag, whatever tags are in it; an open one ends at the next tag that
    is not inline. An element around a section of its own field (<body> around <headline> and <text>) is none itself.
    """
    tokens = _tokens(markup)
    opened: dict[str, list[int]] = defaultdict(list)
    closed: dict[str, list[int]] = defaultdict(list)
    for index, (kind, value) in enumerate(tokens):
        if kind != "text":
            (opened if kind == "open" else closed)[value].append(index)
    found: dict[str, list[str]] = defaultdict(list)
    section, index = "", 0
    while index < len(tokens):
        kind, value = tokens[index]
        if kind == "text":
            found[section].append(value)
        elif kind == "close":
            section = ""
        else:
            section = fields.get(value, value)
            end, again = (_next(places[value], index, len(tokens)) for places in (closed, opened))
            is_around = any(kind == "open" and fields.get(name) == section for kind, name in tokens[index + 1 : end])
            if value in fields and end < min(again, len(tokens)) and not is_around:
                found[section] += [text for kind, text in tokens[index:end] if kind == "text"]
                section, index = "", end
        index += 1
    return {
        name: ENTITY.sub(lambda entity: html.unescape(entity[0]), " ".join(texts)).strip()
        for name, texts in found.items()
    }


def _tokens(markup: str) -> list[tuple[str, str]]:
    """("text", text), ("open", name), ("close", name). An inline tag vanishes."""
    tokens: list[tuple[str, str]] = []
    text: list[str] = []
    place = 0
    for tag in TAG.finditer(markup):
        text.append(markup[place : tag.start()])
        place = tag.end()
        name = (tag["name"] or "").lower()
        if name in INLINE:
            continue
        tokens.append(("text", "".join(text)))
        text = []
        if name and name not in BLOCK and not tag["empty"]:
            tokens.append(("close" if tag["close"] else "open", name))
    text.append(markup[place:])
    tokens.append(("text", "".join(text)))
    return [(kind, value) for kind, value in tokens if kind != "text" or value.strip()]


def _next(places: list[int], after: int, none: int) -> int:
    index = bisect(places, after)
    return places[index] if index < len(places) else none

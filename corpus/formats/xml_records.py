"""Records of a large XML file, one after the other, with the line of each. Pure.

expat reports the line numbers that errors need, and the elements of a record are dropped once it
was read. So memory does not grow with the file. Declarations of entities are refused, and nothing
outside the file is read.
"""

from __future__ import annotations

import html
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import BinaryIO, NamedTuple
from xml.etree.ElementTree import Element, TreeBuilder
from xml.parsers import expat

from corpus.formats.decompression import CHUNK, DAMAGED, Meter, TooLarge, damage, open_unpacked
from corpus.formats.document_lines import LONGEST_LINE, DocumentFormatError, Problem, too_long

LONGEST_TAG = 1024 * 1024  # bytes
DEEPEST = 200  # elements inside each other; real records have ten


class XmlRecord(NamedTuple):
    """A record: its first line, its element, and the attributes of the elements around it."""

    line: int
    element: Element
    around: Mapping[str, Mapping[str, str]]


def read_xml_records(
    source: Path | BinaryIO, name: str, meter: Meter, tags: Collection[str]
) -> Iterator[XmlRecord]:
    """Yield the elements with one of these tags in the order of the file. A tag has no namespace.

    Raises:
        DocumentFormatError: the file is not well-formed, declares an entity, has a record of more
            than 16 MB, unpacks to more than the meter allows, or its gzip data are damaged.
    """
    reader = _Reader(tags)
    try:
        # expat reads UTF-16 itself, and would refuse UTF-8 that declares it.
        with open_unpacked(source, meter, as_utf8=False) as stream:
            while chunk := stream.read(CHUNK):
                reader.feed(chunk)
                yield from reader.take_records()
        reader.feed(b"", is_end=True)
        yield from reader.take_records()
    except Problem as problem:
        raise DocumentFormatError(name, reader.line, str(problem)) from problem
    except expat.ExpatError as error:
        # Records before the error in the same chunk were not yielded. The whole file fails anyway.
        reason = f"not well-formed XML ({expat.ErrorString(error.code)}). Copy the file again."
        raise DocumentFormatError(name, error.lineno, reason) from error
    except TooLarge as error:
        raise DocumentFormatError(name, reader.line, str(error)) from error
    except DAMAGED as error:
        raise DocumentFormatError(name, reader.line, damage(error)) from error


def text_of(element: Element | None) -> str:
    """All text inside an element, with single spaces; "" without the element."""
    return "" if element is None else " ".join("".join(element.itertext()).split())


class _Reader:
    def __init__(self, tags: Collection[str]) -> None:
        self._tags = tags
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartElementHandler = self._start
        self._parser.EndElementHandler = self._end
        self._parser.EntityDeclHandler = self._refuse_entity
        self._parser.SkippedEntityHandler = self._skipped_entity
        self._around: list[tuple[str, dict[str, str]]] = []
        self._builder: TreeBuilder | None = None
        self._depth = self._first_line = self._first_byte = self._fed = 0
        self._records: list[XmlRecord] = []

    @property
    def line(self) -> int:
        return self._parser.CurrentLineNumber

    def feed(self, chunk: bytes, *, is_end: bool = False) -> None:
        self._parser.Parse(chunk, is_end)
        self._fed += len(chunk)
        # expat reads an unfinished tag or comment again with each chunk.
        if self._fed - self._parser.CurrentByteIndex > LONGEST_TAG:
            megabytes = LONGEST_TAG // 1024 // 1024
            raise Problem(f"a tag, comment or declaration is longer than {megabytes} MB.")
        if self._builder and self._parser.CurrentByteIndex - self._first_byte > LONGEST_LINE:
            raise too_long("the record")

    def take_records(self) -> list[XmlRecord]:
        records, self._records = self._records, []
        return records

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        if self._builder is not None:
            self._depth += 1
            if self._depth > DEEPEST:
                raise Problem(f"more than {DEEPEST} elements are inside each other.")
            self._builder.start(tag, attributes)
        elif tag in self._tags:
            self._builder = TreeBuilder()
            self._depth = 1
            self._first_line = self._parser.CurrentLineNumber
            self._first_byte = self._parser.CurrentByteIndex
            self._parser.CharacterDataHandler = self._builder.data
            self._builder.start(tag, attributes)
        elif len(self._around) >= DEEPEST:
            raise Problem(f"more than {DEEPEST} elements are inside each other.")
        else:
            self._around.append((tag, attributes))

    def _end(self, tag: str) -> None:
        if self._builder is None:
            self._around.pop()
            return
        self._builder.end(tag)
        self._depth -= 1
        if self._depth == 0:
            record = XmlRecord(self._first_line, self._builder.close(), dict(self._around))
            self._records.append(record)
            self._parser.CharacterDataHandler = None
            self._builder = None

    def _refuse_entity(self, *declaration: object) -> None:
        raise Problem("the file declares an entity. Replace entities by their text.")

    def _skipped_entity(self, name: str, is_parameter: bool) -> None:
        """An entity of a DTD that is not read, such as &eacute;."""
        if self._builder is not None and not is_parameter:
            self._builder.data(html.unescape(f"&{name};"))

"""Document files: JSON Lines, plain or gzip, one document per line. Pure.

docs/formats.md describes the keys and the errors.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple, TypedDict, cast

from corpus.digests import text_digest
from corpus.formats.decompression import Meter, UnreadableLine, numbered_lines
from corpus.formats.json_items import json_objects
from corpus.text.sentences import split_sentences
from web.errors import UserFacingError
from web.words import count_noun

LONGEST_LINE = 16 * 1024 * 1024  # bytes; a file without line ends must not fill the memory
DETECTION_BYTES = 1024 * 1024  # a first line that begins later is not used to detect the format
MAX_DOCNO = 200  # characters
MAX_LABEL = 60  # characters
NO_DOCUMENTS = "the file has no documents. Write one JSON object per line."
UTF8_BOM = b"\xef\xbb\xbf"
# JSON can contain both. PostgreSQL cannot store NUL, and UTF-8 cannot encode a lone surrogate.
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


class DocumentFormatError(UserFacingError, ValueError):
    """A document file is invalid. `line` counts from 1; None means the whole file."""

    def __init__(self, file: str, line: int | None, reason: str) -> None:
        self.file, self.line, self.reason = file, line, reason
        super().__init__(f"{file}: {reason}" if line is None else f"{file}:{line}: {reason}")


class Problem(ValueError):
    """A problem of one line, before its file and number are known."""


def too_long(what: str, advice: str = "Split it.") -> Problem:
    return Problem(f"{what} is longer than {LONGEST_LINE // 1024 // 1024} MB. {advice}")


class DocumentValues(TypedDict, total=False):
    """The keys of docs/formats.md. Their values are not checked yet."""

    docno: object
    title: object
    abstract: object
    sentences: object
    labels: object
    year: object
    venue: object
    authors: object
    references: object
    fields: object
    language: object
    has_full_text: object


class DocumentRecord(NamedTuple):
    """The document of one line. `labels` is empty or as long as `sentences`.

    Filters read `language`, as the source writes it, and `has_full_text`. Neither is stored.
    """

    docno: str
    title: str
    sentences: tuple[str, ...]
    labels: tuple[str, ...] = ()
    year: int | None = None
    venue: str = ""
    authors: tuple[str, ...] = ()
    references: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    language: str = ""
    has_full_text: bool = False

    @property
    def digest(self) -> str:
        return text_digest(self.title, self.sentences, self.labels)


class DocumentLine(NamedTuple):
    """A record with its line number.

    `unknown_keys` are keys of the line that the format does not define. `file` is the name of the
    file in messages. `has_section_labels`: the labels are from headings of sections and not by
    people; `unknown_headings` are those that give no label.
    """

    number: int
    record: DocumentRecord
    unknown_keys: tuple[str, ...] = ()
    file: str = ""
    has_section_labels: bool = False
    unknown_headings: tuple[str, ...] = ()


class BadLine(NamedTuple):
    """An invalid line, with the reason."""

    number: int
    reason: str
    file: str = ""

    @property
    def error(self) -> DocumentFormatError:
        return DocumentFormatError(self.file, self.number, self.reason)


class FileItem(NamedTuple):
    """A line of a file: the values of a document, or a problem.

    The other fields are those of DocumentLine. `noun` begins the reason of an invalid value.
    """

    number: int
    content: DocumentValues | Problem
    unknown_keys: tuple[str, ...] = ()
    unknown_headings: tuple[str, ...] = ()
    has_section_labels: bool = False
    noun: str = ""


class UnparsedItem(NamedTuple):
    """A line of a file before it is parsed, because reading may skip it.

    `parse` takes the number, the line, and `characters` of Reading.
    """

    number: int
    line: bytes
    parse: Callable[[int, bytes, int | None], FileItem]


@dataclass
class Reading:
    """The lines of a source to read, and how much of them. The default reads all.

    `wanted` are the positions of lines in the source, from 0 and ascending; the others are not
    parsed. With `characters`, a format may leave out the rest of an abstract that has that many.
    In `kept`, a format puts what the next reading of the same source needs again, by the name of a
    file. The caller closes it.
    """

    wanted: Iterator[int] | None = None
    characters: int | None = None
    kept: dict[str, Any] | None = None
    _position: int = -1
    _next: int | None = -1

    def takes_next(self) -> bool:
        """Return whether the next line is wanted. Called once for every line."""
        if self.wanted is None:
            return True
        if self._position == self._next:
            self._next = next(self.wanted, None)
        self._position += 1
        return self._position == self._next


class LineKeys(NamedTuple):
    """The keys of one format, and how its lines become documents.

    `keys` is None for a format that has many others, which an import need not name.
    `as_document` converts the object of a line, or raises Problem. `shortened` leaves out what is
    behind the first characters of an abstract, see Reading.
    """

    keys: frozenset[str] | None
    as_document: Callable[[Mapping[str, object]], DocumentValues]
    shortened: Callable[[bytes, int], bytes] | None = None

    def items(
        self, source: Path | BinaryIO, name: str, meter: Meter, columns: Mapping[str, str]
    ) -> Iterator[UnparsedItem]:
        """The objects of a file. Blank lines are skipped. The items of an array are its lines."""
        for number, line in object_lines(source, name, meter):
            yield UnparsedItem(number, line, self.item)

    def item(self, number: int, line: bytes, characters: int | None = None) -> FileItem:
        if characters is not None and self.shortened is not None:
            line = self.shortened(line, characters)
        try:
            content = parsed_object(line)
            document = self.as_document(content)
        except Problem as problem:
            return FileItem(number, problem)
        unknown = () if self.keys is None else sorted(content.keys() - self.keys)
        return FileItem(number, document, tuple(unknown))


PLAIN = LineKeys(
    frozenset(DocumentValues.__annotations__), lambda content: cast(DocumentValues, content)
)


def checked_lines(
    items: Iterable[FileItem | UnparsedItem],
    name: str,
    *,
    empty: str = "",
    reading: Reading | None = None,
) -> Iterator[DocumentLine | BadLine]:
    """The valid and the invalid documents of the file with this name, in their order.

    Raises:
        DocumentFormatError: there is no item, if `empty` says why there must be one.
    """
    reading = reading or Reading()
    is_empty = True
    for item in items:
        is_empty = False
        if not reading.takes_next():
            continue
        if isinstance(item, UnparsedItem):
            item = item.parse(item.number, item.line, reading.characters)
        number, content, unknown_keys, headings, has_section_labels, noun = item
        try:
            if isinstance(content, Problem):
                raise content
            record = document_record(content)
        except Problem as problem:
            yield BadLine(number, f"{noun}{problem}", name)
        else:
            yield DocumentLine(number, record, unknown_keys, name, has_section_labels, headings)
    if is_empty and empty:
        raise DocumentFormatError(name, None, empty)


def read_lines(source: Path | BinaryIO, *, name: str) -> Iterator[DocumentLine | BadLine]:
    """The valid and the invalid lines of a file in Qrelsmith's own format.

    Raises:
        DocumentFormatError: the gzip data are damaged, or the file has no lines.
    """
    return checked_lines(PLAIN.items(source, name, Meter(), {}), name, empty=NO_DOCUMENTS)


def valid_lines(lines: Iterable[DocumentLine | BadLine]) -> Iterator[DocumentLine]:
    """The same lines. Raises DocumentFormatError at the first invalid one."""
    for line in lines:
        if isinstance(line, BadLine):
            raise line.error
        yield line


def document_record(content: DocumentValues) -> DocumentRecord:
    """The record of checked values.

    Raises:
        Problem: a value is invalid or missing. The message says how to fix it.
    """
    docno = checked_docno(content.get("docno"))
    title = _title(content.get("title"))
    sentences = _sentences(content)
    return DocumentRecord(
        docno=docno,
        title=title,
        sentences=sentences,
        labels=_labels(content, len(sentences)),
        year=_year(content.get("year")),
        venue=checked_text(content.get("venue"), '"venue"', default=""),
        authors=_texts(content.get("authors"), "authors"),
        references=_docnos(content.get("references"), "references"),
        fields=_texts(content.get("fields"), "fields"),
        language=checked_text(content.get("language"), '"language"', default=""),
        has_full_text=_truth(content.get("has_full_text"), "has_full_text"),
    )


def checked_docno(value: Any) -> str:
    if value is None:
        raise Problem('"docno" is missing. Give every document an id.')
    if not isinstance(value, str):
        raise Problem(f'"docno" must be text, got {excerpt(value)}. Write it in quotes, as "123".')
    if not value.strip():
        raise Problem('"docno" is blank. Give every document an id.')
    if value.split() != [value]:
        raise Problem(
            f'"docno" must not contain white space, got {excerpt(value)}. '
            "Run files cannot hold such an id."
        )
    if len(value) > MAX_DOCNO:
        raise Problem(f'"docno" must have at most {MAX_DOCNO} characters, got {len(value):,}.')
    return checked_text(value, '"docno"')


def _docnos(value: Any, key: str) -> tuple[str, ...]:
    # There are about twenty docnos for each document and nearly every list is valid. So the whole
    # list is checked at once, and only an invalid list is checked item by item.
    if isinstance(value, list) and value:
        with suppress(TypeError):
            together = " ".join(value)
            longest = max(map(len, value))
            if (
                together.split() == value
                and longest <= MAX_DOCNO
                and not _UNSTORABLE.search(together)
            ):
                return tuple(value)
    return _texts(value, key, check=checked_docno)


def _title(value: Any) -> str:
    if value is None:
        raise Problem('"title" is missing. Write "title": "" if the document has none.')
    return checked_text(value, '"title"')


def _sentences(content: DocumentValues) -> tuple[str, ...]:
    content_sentences, abstract = content.get("sentences"), content.get("abstract")
    if content_sentences is not None:
        sentences = _texts(content_sentences, "sentences")
        for place, sentence in enumerate(sentences, start=1):
            if not sentence.strip():
                raise Problem(f"sentence {place} is blank. Remove it and its label.")
        return sentences
    if abstract is None:
        raise Problem(
            '"abstract" and "sentences" are missing. '
            'Write "abstract": "" if the document has no text.'
        )
    if isinstance(abstract, list):
        raise Problem('"abstract" must be text, got a list. Call a list of sentences "sentences".')
    return tuple(split_sentences(checked_text(abstract, '"abstract"')))


def _labels(content: DocumentValues, sentences: int) -> tuple[str, ...]:
    labels = _texts(content.get("labels"), "labels", check=_label)
    if not labels:
        return ()
    if content.get("sentences") is None:
        raise Problem('"labels" needs "sentences". Give the sentences that the labels belong to.')
    if len(labels) != sentences:
        raise Problem(
            f'"labels" must have one label for each sentence, '
            f"got {count_noun(len(labels), 'label')} for {count_noun(sentences, 'sentence')}."
        )
    return labels


def _label(value: Any) -> str:
    label = checked_text(value, "the label")
    if len(label) > MAX_LABEL:
        raise Problem(f"the label must have at most {MAX_LABEL} characters, got {len(label):,}.")
    return label


def _year(value: Any) -> int | None:
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int):
        raise Problem(
            f'"year" must be a whole number, got {excerpt(value)}. '
            "Write a number such as 2021, or leave it out."
        )
    if not 1 <= value <= 9999:
        raise Problem(f'"year" must be between 1 and 9999, got {excerpt(value)}.')
    return value


def _truth(value: Any, key: str) -> bool:
    if value is None or isinstance(value, bool):
        return bool(value)
    raise Problem(f'"{key}" must be true or false, got {excerpt(value)}.')


def _texts(value: Any, key: str, *, check: Callable[[Any], str] | None = None) -> tuple[str, ...]:
    if value is None:
        return ()
    if not isinstance(value, list):
        raise Problem(f'"{key}" must be a list, got {excerpt(value)}. Write ["…", "…"].')
    texts = []
    for place, item in enumerate(value, start=1):
        try:
            texts.append(check(item) if check else checked_text(item, "it"))
        except Problem as problem:
            raise Problem(f'item {place} of "{key}": {problem}') from problem
    return tuple(texts)


def checked_text(value: Any, name: str, *, default: str | None = None) -> str:
    if value is None and default is not None:
        return default
    if not isinstance(value, str):
        raise Problem(f"{name} must be text, got {excerpt(value)}. Write it in quotes.")
    match = _UNSTORABLE.search(value)
    if match:
        raise Problem(
            f"{name} contains the character U+{ord(match.group()):04X}, which cannot be stored. "
            "Remove it."
        )
    return value


def excerpt(value: Any) -> str:
    try:
        text = json.dumps(value)
    except RecursionError:  # writing needs more of the stack than reading did
        return "a value with too many nested brackets"
    return text if len(text) <= 60 else f"{text[:57]}…"


def decoded(line: bytes) -> str:
    """The text of a line; raises Problem."""
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise Problem(f"not UTF-8 at byte {error.start + 1}. Save the file as UTF-8.") from error


def parsed_object(line: bytes) -> Mapping[str, object]:
    """The JSON object of a line; raises Problem."""
    if len(line) > LONGEST_LINE:
        raise too_long("the line", "Write one JSON object per line.")
    text = decoded(line)
    try:
        content = json.loads(text)
    except json.JSONDecodeError as error:
        position = f"at column {error.colno}"
        raise Problem(
            f"not JSON ({error.msg} {position}). Write one JSON object per line."
        ) from error
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits; 10,000 brackets
        raise Problem(f"not JSON that can be read ({error}). Correct the line.") from error
    if not isinstance(content, dict):
        raise Problem(f"the line must be a JSON object, got {excerpt(content)}.")
    return content


def file_lines(source: Path | BinaryIO, name: str, meter: Meter) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers. Raises DocumentFormatError if it is damaged."""
    try:
        yield from numbered_lines(source, meter, longest=LONGEST_LINE)
    except UnreadableLine as error:
        raise DocumentFormatError(name, error.number, error.reason) from error


def object_lines(source: Path | BinaryIO, name: str, meter: Meter) -> Iterator[tuple[int, bytes]]:
    """The objects of a JSON file with their lines. Raises DocumentFormatError as `file_lines`."""
    try:
        yield from json_objects(file_lines(source, name, meter))
    except UnreadableLine as error:
        raise DocumentFormatError(name, error.number, error.reason) from error

"""Topic files: short queries, in the formats that tracks and tools write. Pure.

TREC's are tagged but rarely XML: `<top>` with `<num> Number: 301`, `<title>`, `<desc> Description:`
and `<narr> Narrative:`, of which none has to be closed; later tracks have `<topic number="1">` with
`query`, `question` or `description`, `narrative` and `subtopic`. Tools write JSON Lines (BEIR,
PyTerrier, Pyserini, ir_datasets), as lines or as one array, or an id, a tab and a text (MS MARCO).
SMART collections have records of `.I` and `.W`.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from corpus.digests import topic_digest
from corpus.formats.decompression import CHUNK, DAMAGED, Meter, TooLarge, damage, open_unpacked
from corpus.formats.document_lines import (
    LONGEST_LINE,
    UTF8_BOM,
    DocumentFormatError,
    Problem,
    document_record,
    object_lines,
    parsed_object,
)
from corpus.formats.smart import START, read_records

LARGEST = 256 * 1024 * 1024  # bytes, unpacked; topics are held in memory
MOST_PROBLEMS = 10_000
# Tags never hold a "<": with `[^>]*` a file of nothing but "<top" takes time that grows with the
# square of its size, in one call that no other thread can interrupt.
_TOPIC = re.compile(r"<top(?:ic)?\b([^<>]*)>(.*?)(?=</?top(?:ic)?\b|\Z)", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(r"""\b(?:number|id)\s*=\s*["']([^"']*)["']""", re.IGNORECASE)
_PART = re.compile(r"<(\w+)[^<>]*>([^<]*)")
_SUBTOPIC = re.compile(r"<subtopic\b", re.IGNORECASE)
_CAPTION = re.compile(r"\s*(?:number|topic|description|narrative)\s*:", re.IGNORECASE)
_NAMES = {
    "num": "number", "title": "title", "query": "title", "desc": "description",
    "description": "description", "question": "description", "narr": "narrative",
    "narrative": "narrative",
}  # fmt: skip
_JSON_IDS = ("_id", "qid", "query_id", "id")
_JSON_TITLES = ("query", "title", "text", "contents", "question")
_JSON_DESCRIPTIONS = ("description", "desc", "text", "contents", "question")
_JSON_NARRATIVES = ("narrative", "narr")
_JSON_FORMATS = {"_id": "BEIR", "qid": "PyTerrier", "query_id": "ir_datasets", "id": "Pyserini"}
_HEADERS = frozenset({"_id", "qid", "query_id", "query-id", "id"})
TREC, XML, TSV = "TREC topics (<top>)", "TREC topics in XML (<topic number>)", "id, tab, text"
PASTED = "the list"
SMART = "SMART (.I, .W)"


class TopicRecord(NamedTuple):
    """A short query of a file. `id_field` is where its id is in the file.

    `sentences` are those of the description, or of the title if there is no description. A topic
    with only a description has it as its title.
    """

    line: int
    name: str
    title: str
    description: str
    narrative: str
    sentences: tuple[str, ...]
    id_field: str

    @property
    def row(self) -> tuple[str, str, str, str]:
        return (self.name, self.title, self.description, self.narrative)

    @property
    def digest(self) -> str:
        return topic_digest(self.title, self.description, self.narrative)


class TopicParts(NamedTuple):
    """The texts of a topic, as they are in the file."""

    id_field: str
    number: str
    title: str
    description: str = ""
    narrative: str = ""


class TopicFile(NamedTuple):
    """The topics of a file, the name of its format, and how many subtopics were left out."""

    topics: list[TopicRecord]
    format: str
    subtopics: int


class BadTopics(DocumentFormatError):
    """Invalid topics. `problems` has all of them; `line` and `reason` are of the first."""

    def __init__(self, problems: Sequence[DocumentFormatError]) -> None:
        self.problems = tuple(problems)
        first = problems[0]
        super().__init__(first.file, first.line, first.reason)


def read_topics(
    path: Path, *, name: str, prefix: str = "", meter: Meter | None = None
) -> TopicFile:
    """The topics of a file, plain or gzip. Its first characters tell the format.

    `prefix` is put before every id. The caller checks whether ids are repeated.

    Raises:
        BadTopics: topics are invalid.
        DocumentFormatError: the file has no topics or cannot be read as a whole.
        OSError: the file cannot be read.
    """
    meter = meter or Meter(limit=LARGEST, advice="split the file")
    source = _TopicSource(path, name, prefix, meter)
    start = _first_character(source)
    if start == b"<":
        text = _text(path, name, meter)
        topics = _checked(source, _tagged(text))
        return TopicFile(topics, _tagged_format(text), len(_SUBTOPIC.findall(text)))
    if start == b"." and _is_smart(source):
        return TopicFile(_checked(source, _smart_topics(source)), SMART, 0)
    formats: list[str] = []
    items = _json_lines(source, formats) if start in (b"{", b"[") else _tab_lines(source)
    topics = _checked(source, items)
    return TopicFile(topics, formats[0] if formats else TSV, 0)


class _TopicSource(NamedTuple):
    path: Path
    name: str
    prefix: str
    meter: Meter


# With the numbers of the lines.
TopicItems = Iterator[tuple[int, TopicParts | Problem]]


def _checked(source: _TopicSource, items: TopicItems) -> list[TopicRecord]:
    """The topics; raises DocumentFormatError if some are invalid or there are none."""
    topics: list[TopicRecord] = []
    problems: list[DocumentFormatError] = []
    for line, parts in items:
        source.meter.report()
        if len(problems) == MOST_PROBLEMS:
            break
        try:
            topics.append(_topic(line, parts, source.prefix))
        except Problem as problem:
            problems.append(DocumentFormatError(source.name, line, str(problem)))
    if problems:
        raise BadTopics(problems)
    if not topics:
        raise DocumentFormatError(
            source.name,
            None,
            "the file has no topics. Write <top> elements, JSON Lines, SMART records (.I and .W), "
            "or lines of an id, a tab and a text.",
        )
    return topics


@contextmanager
def _open_file(path: Path, name: str, meter: Meter) -> Iterator[BinaryIO]:
    try:
        with open_unpacked(path, meter) as stream:
            yield stream
    except TooLarge as error:
        raise DocumentFormatError(name, None, str(error)) from error
    except DAMAGED as error:
        raise DocumentFormatError(name, None, damage(error)) from error


def _first_character(source: _TopicSource) -> bytes:
    """The first character that is not white space."""
    # This first look is limited and can be stopped, but it does not count as progress.
    meter = source.meter
    look = Meter(on_read=lambda _: meter.report(), limit=meter.limit, advice=meter.advice)
    with _open_file(source.path, source.name, look) as stream:
        while chunk := stream.read(CHUNK):
            start = chunk.removeprefix(UTF8_BOM).lstrip()
            if start:
                return start[:1]
    return b""


def _tagged_format(text: str) -> str:
    first = _TOPIC.search(text)
    return XML if first is not None and _NUMBER.search(first[1]) else TREC


def _tagged(text: str) -> TopicItems:
    line, end = 1, 0
    for match in _TOPIC.finditer(text):
        line, end = line + text.count("\n", end, match.start()), match.start()
        number = _NUMBER.search(match[1])
        parts = TopicParts("number=" if number else "<num>", number[1] if number else "", "")
        for tag, value in _PART.findall(match[2]):
            part = _NAMES.get(tag.lower())
            if part and not getattr(parts, part):
                plain = html.unescape(_CAPTION.sub("", value, count=1))
                parts = parts._replace(**{part: plain})
        yield line, parts


def _text(path: Path, name: str, meter: Meter) -> str:
    content = bytearray()
    with _open_file(path, name, meter) as stream:
        while chunk := stream.read(CHUNK):
            content += chunk
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DocumentFormatError(name, line, "not UTF-8. Save the file as UTF-8.") from error


def _lines(source: _TopicSource) -> Iterator[tuple[int, bytes]]:
    """The lines that are not blank, numbered from 1."""
    with _open_file(source.path, source.name, source.meter) as stream:
        for number, line in enumerate(iter(lambda: stream.readline(LONGEST_LINE + 1), b""), 1):
            content = line.removeprefix(UTF8_BOM) if number == 1 else line
            if content.strip():
                yield number, content


def _is_smart(source: _TopicSource) -> bool:
    with _open_file(source.path, source.name, Meter(limit=source.meter.limit)) as stream:
        return START.match(stream.read(CHUNK).removeprefix(UTF8_BOM).lstrip()) is not None


def _smart_topics(source: _TopicSource) -> TopicItems:
    for record in read_records(source.path, source.name, source.meter):
        parts = TopicParts(".I", record.identifier, record.text("T"), record.text("W"))
        yield record.line, Problem(record.problem) if record.problem else parts


def _json_lines(source: _TopicSource, formats: list[str]) -> TopicItems:
    """Appends the name of the format to `formats` at the first line."""
    for number, line in object_lines(source.path, source.name, source.meter):
        try:
            content = parsed_object(line)
            key = next((key for key in _JSON_IDS if key in content), "_id")
            if not formats:
                formats.append(f"JSON Lines of {_JSON_FORMATS[key]} ({key})")
            yield number, _json_topic(key, content)
        except Problem as problem:
            yield number, problem


def _json_topic(key: str, content: Mapping[str, Any]) -> TopicParts:
    used = {*_JSON_TITLES, *_JSON_DESCRIPTIONS, *_JSON_NARRATIVES} & content.keys()
    value = content.get(key)
    if not isinstance(value, str | int | None) or isinstance(value, bool):
        raise Problem(f'"{key}" must be text. Write it in quotes.')
    for name in sorted(used):
        if not isinstance(content[name], str | None):
            raise Problem(f'"{name}" must be text. Write it in quotes.')
    title = _first_of(content, _JSON_TITLES)
    description = _first_of(
        {name: content[name] for name in used if content[name] != title}, _JSON_DESCRIPTIONS
    )
    number = "" if value is None else str(value)
    narrative = _first_of(content, _JSON_NARRATIVES)
    return TopicParts(f'"{key}"', number, title, description, narrative)


def pasted_topic(line: int, identifier: str, title: str) -> TopicRecord:
    """The topic of a line that a person wrote: an id, a tab and a text. Raises Problem."""
    return _topic(line, TopicParts("column 1", identifier, title))


def _first_of(content: Mapping[str, Any], keys: Iterable[str]) -> str:
    return next((content[key] for key in keys if content.get(key)), "")


def _tab_lines(source: _TopicSource) -> TopicItems:
    for number, line in _lines(source):
        try:
            text = line.decode()
        except UnicodeDecodeError:
            yield number, Problem("not UTF-8. Save the file as UTF-8.")
            return
        identifier, tab, title = text.strip("\r\n").partition("\t")
        if number == 1 and identifier.strip().lower() in _HEADERS:
            continue
        if tab:
            yield number, TopicParts("column 1", identifier, title)
        else:
            reason = "the line has no tab. Write the id of the topic, a tab and its text."
            yield number, Problem(reason)


def _topic(line: int, parts: TopicParts | Problem, prefix: str = "") -> TopicRecord:
    """The topic of a line. Raises Problem if it is invalid."""
    if isinstance(parts, Problem):
        raise parts
    id_field, *texts = parts
    number, title, description, narrative = (" ".join(text.split()) for text in texts)
    if not number:
        raise Problem("the topic has no id. Add <num>, _id, qid or id.")
    if not title and not description:
        raise Problem(f"topic {number} has no text. Add a title.")
    if not title:
        title, description = description, ""
    name = f"{prefix}{number}"
    try:
        record = document_record({"docno": name, "title": title, "abstract": description or title})
        document_record({"docno": name, "title": narrative, "abstract": ""})
    except Problem as problem:
        reason = str(problem).replace('"docno"', "the id").replace('"abstract"', "the text")
        raise Problem(reason) from problem
    return TopicRecord(line, name, title, description, narrative, record.sentences, id_field)

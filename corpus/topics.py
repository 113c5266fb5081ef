"""Topic files: short queries, as TREC and BEIR write them. Pure.

TREC's are tagged but rarely XML: `<top>` with `<num> Number: 301`, `<title>`, `<desc> Description:`
and `<narr> Narrative:`, of which none has to be closed; later tracks have `<topic number="1">` with
`query`, `question` and `narrative`. BEIR's `queries.jsonl` has `_id` and `text`.
"""

from __future__ import annotations

import gzip
import html
import re
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from corpus.decompression import CHUNK, Meter, TooLarge, open_unpacked
from corpus.formats import (
    LONGEST_LINE,
    UTF8_BOM,
    DocumentFormatError,
    DocumentRecord,
    Problem,
    document_record,
    parsed_object,
)

LARGEST = 256 * 1024 * 1024  # bytes, unpacked; topics are held in memory
MOST_PROBLEMS = 10_000
# Tags never hold a "<": with `[^>]*` a file of nothing but "<top" takes time that grows with the
# square of its size, in one call that no other thread can interrupt.
_TOPIC = re.compile(r"<top(?:ic)?\b([^<>]*)>(.*?)(?=</?top(?:ic)?\b|\Z)", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(r"""\b(?:number|id)\s*=\s*["']([^"']*)["']""", re.IGNORECASE)
_PART = re.compile(r"<(\w+)[^<>]*>([^<]*)")
_CAPTION = re.compile(r"\s*(?:number|topic|description|narrative)\s*:", re.IGNORECASE)
_NAMES = {
    "num": "num", "title": "title", "query": "title", "desc": "desc", "description": "desc",
    "question": "desc", "narr": "narr", "narrative": "narr",
}  # fmt: skip


class Topic(NamedTuple):
    """A short query. Its id is the docno of its document; the narrative is shown to people only."""

    line: int
    record: DocumentRecord
    narrative: str


class BadTopics(DocumentFormatError):
    """Invalid topics. `problems` has all of them; `line` and `reason` are of the first."""

    def __init__(self, problems: Sequence[DocumentFormatError]) -> None:
        self.problems = tuple(problems)
        first = problems[0]
        super().__init__(first.file, first.line, first.reason)


def read_topics(
    path: Path, *, name: str, prefix: str = "", meter: Meter | None = None
) -> list[Topic]:
    """The topics of a file, plain or gzip, TREC's or BEIR's by its first character.

    `prefix` is put before every id. The text is the description if there is one. Otherwise it is
    the title, so that retrievers that read abstracts have a text.

    Raises:
        BadTopics: topics are invalid or repeat an id.
        DocumentFormatError: the file has no topics or cannot be read as a whole.
        OSError: the file cannot be read.
    """
    meter = meter or Meter(limit=LARGEST, advice="split the file")
    reader = _trec if _is_tagged(path, name, meter) else _beir
    topics: dict[str, Topic] = {}
    problems: list[DocumentFormatError] = []
    for topic in reader(path, name, prefix, meter):
        meter.report()
        if len(problems) == MOST_PROBLEMS:
            break
        if isinstance(topic, DocumentFormatError):
            problems.append(topic)
            continue
        first = topics.setdefault(topic.record.docno, topic)
        if first is not topic:
            reason = f"topic {topic.record.docno} is already in line {first.line}. Keep one."
            problems.append(DocumentFormatError(name, topic.line, reason))
    if problems:
        raise BadTopics(problems)
    if not topics:
        raise DocumentFormatError(
            name, None, "the file has no topics. Write <top> elements or JSON Lines."
        )
    return list(topics.values())


@contextmanager
def _open_file(path: Path, name: str, meter: Meter) -> Iterator[BinaryIO]:
    try:
        with open_unpacked(path, meter) as stream:
            yield stream
    except TooLarge as error:
        raise DocumentFormatError(name, None, str(error)) from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DocumentFormatError(
            name, None, f"the gzip data are damaged ({error}). Compress the file again."
        ) from error


def _is_tagged(path: Path, name: str, meter: Meter) -> bool:
    """Whether the first character that is not white space is "<"."""
    # This first look is limited and can be stopped, but it does not count as progress.
    look = Meter(on_read=lambda _: meter.report(), limit=meter.limit, advice=meter.advice)
    with _open_file(path, name, look) as stream:
        while chunk := stream.read(CHUNK):
            start = chunk.removeprefix(UTF8_BOM).lstrip()
            if start:
                return start.startswith(b"<")
    return False


TopicResults = Iterator[Topic | DocumentFormatError]


def _trec(path: Path, name: str, prefix: str, meter: Meter) -> TopicResults:
    text = _text(path, name, meter)
    line, end = 1, 0
    for match in _TOPIC.finditer(text):
        line, end = line + text.count("\n", end, match.start()), match.start()
        parts = {"num": "", "title": "", "desc": "", "narr": ""}
        number = _NUMBER.search(match[1])
        if number:
            parts["num"] = number[1]
        for tag, value in _PART.findall(match[2]):
            part = _NAMES.get(tag.lower())
            if part and not parts[part]:
                parts[part] = " ".join(html.unescape(_CAPTION.sub("", value, count=1)).split())
        yield _topic(name, line, prefix, parts)


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


def _beir(path: Path, name: str, prefix: str, meter: Meter) -> TopicResults:
    with _open_file(path, name, meter) as stream:
        for number, line in enumerate(iter(lambda: stream.readline(LONGEST_LINE + 1), b""), 1):
            if line.strip():
                content = line.removeprefix(UTF8_BOM) if number == 1 else line
                yield _beir_topic(content, name, number, prefix)


def _beir_topic(line: bytes, name: str, number: int, prefix: str) -> Topic | DocumentFormatError:
    try:
        content = parsed_object(line)
    except Problem as problem:
        return DocumentFormatError(name, number, str(problem))
    value, text = content.get("_id"), content.get("text")
    if not isinstance(value, str | int) or not isinstance(text, str | None):
        return DocumentFormatError(
            name, number, '"_id" and "text" must be text. Write them in quotes.'
        )
    return _topic(name, number, prefix, {"num": str(value), "title": text or ""})


def _topic(name: str, line: int, prefix: str, parts: dict[str, str]) -> Topic | DocumentFormatError:
    try:
        if not parts["num"]:
            raise Problem("the topic has no id. Add <num> or _id.")
        if not parts["title"] and not parts.get("desc"):
            raise Problem(f"topic {parts['num']} has no text. Add a title.")
        text = parts.get("desc") or parts["title"]
        content = {"docno": f"{prefix}{parts['num']}", "title": parts["title"], "abstract": text}
        record = document_record(content)
    except Problem as problem:
        return DocumentFormatError(name, line, str(problem))
    return Topic(line, record, parts.get("narr", ""))

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
from pathlib import Path
from typing import NamedTuple

from corpus.formats import (
    GZIP_MAGIC,
    DocumentFormatError,
    DocumentRecord,
    Problem,
    document_record,
    parsed_object,
)

LARGEST = 256 * 1024 * 1024  # bytes, unpacked; topics are read whole
_TOPIC = re.compile(r"<top(?:ic)?\b([^>]*)>(.*?)(?=</?top(?:ic)?\b|\Z)", re.IGNORECASE | re.DOTALL)
_NUMBER = re.compile(r"""\b(?:number|id)\s*=\s*["']([^"']*)["']""", re.IGNORECASE)
_PART = re.compile(r"<(\w+)[^>]*>([^<]*)")
_CAPTION = re.compile(r"\s*(?:number|topic|description|narrative)\s*:", re.IGNORECASE)
_NAMES = {
    "num": "num", "title": "title", "query": "title", "desc": "desc", "description": "desc",
    "question": "desc", "narr": "narr", "narrative": "narr",
}  # fmt: skip


class Topic(NamedTuple):
    """A short query: its document has the id as docno; the narrative is for people only."""

    line: int
    record: DocumentRecord
    narrative: str


class BadTopics(DocumentFormatError):
    """Topics that are wrong; `problems` are all of them, `line` and `reason` those of the first."""

    def __init__(self, problems: Sequence[DocumentFormatError]) -> None:
        self.problems = tuple(problems)
        first = problems[0]
        super().__init__(first.file, first.line, first.reason)


def read_topics(path: Path, *, name: str, prefix: str = "") -> list[Topic]:
    """The topics of a file, plain or gzip, TREC's or BEIR's by its first character.

    `prefix` is put before every id. The text is the description where there is one, otherwise the
    title again, so that retrievers that read abstracts find something.

    Raises:
        BadTopics: some that are wrong, or have an id that came before.
        DocumentFormatError: no topic, or the file as a whole cannot be read.
        OSError: the file cannot be read.
    """
    text = _text(path, name)
    read = _trec if text.lstrip().startswith("<") else _beir
    topics: dict[str, Topic] = {}
    problems: list[DocumentFormatError] = []
    for topic in read(text, name, prefix):
        if isinstance(topic, DocumentFormatError):
            problems.append(topic)
            continue
        first = topics.setdefault(topic.record.docno, topic)
        if first is not topic:
            reason = f"topic {topic.record.docno} stands in line {first.line} too; keep one"
            problems.append(DocumentFormatError(name, topic.line, reason))
    if problems:
        raise BadTopics(problems)
    if not topics:
        raise DocumentFormatError(name, None, "holds no topic; give <top> elements or JSON Lines")
    return list(topics.values())


def _text(path: Path, name: str) -> str:
    try:
        with path.open("rb") as stream:
            packed = stream.read(len(GZIP_MAGIC)) == GZIP_MAGIC
            stream.seek(0)
            content = (gzip.GzipFile(fileobj=stream) if packed else stream).read(LARGEST + 1)
        if len(content) > LARGEST:
            raise DocumentFormatError(name, None, "is too large for a file of topics")
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DocumentFormatError(name, line, "not UTF-8; save the file as UTF-8") from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        raise DocumentFormatError(name, None, f"the gzip data are damaged ({error})") from error


Read = Iterator[Topic | DocumentFormatError]


def _trec(text: str, name: str, prefix: str) -> Read:
    line, counted = 1, 0
    for found in _TOPIC.finditer(text):
        line, counted = line + text.count("\n", counted, found.start()), found.start()
        parts = {"num": "", "title": "", "desc": "", "narr": ""}
        number = _NUMBER.search(found[1])
        if number:
            parts["num"] = number[1]
        for tag, value in _PART.findall(found[2]):
            known = _NAMES.get(tag.lower())
            if known and not parts[known]:
                parts[known] = " ".join(html.unescape(_CAPTION.sub("", value, count=1)).split())
        yield _topic(name, line, prefix, parts)


def _beir(text: str, name: str, prefix: str) -> Read:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            content = parsed_object(line.encode())
        except Problem as problem:
            yield DocumentFormatError(name, number, str(problem))
            continue
        value, said = content.get("_id"), content.get("text")
        if not isinstance(value, str | int) or not isinstance(said, str | None):
            yield DocumentFormatError(name, number, "_id or text is not text; write it in quotes")
            continue
        yield _topic(name, number, prefix, {"num": str(value), "title": said or ""})


def _topic(name: str, line: int, prefix: str, parts: dict[str, str]) -> Topic | DocumentFormatError:
    try:
        if not parts["num"]:
            raise Problem("a topic without an id; give it <num>, or _id")
        if not parts["title"] and not parts.get("desc"):
            raise Problem(f"topic {parts['num']} has no text; give it a title")
        said = parts.get("desc") or parts["title"]
        content = {"docno": f"{prefix}{parts['num']}", "title": parts["title"], "abstract": said}
        record = document_record(content)
    except Problem as problem:
        return DocumentFormatError(name, line, str(problem))
    return Topic(line, record, parts.get("narr", ""))

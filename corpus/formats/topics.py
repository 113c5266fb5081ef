"""Topics from JSON, tables, TREC (SGML and XML) and SMART. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import IO, Any

from corpus.formats.documents import docno_of, text_of
from corpus.formats.reading import BadLines, Problem, text_files
from corpus.formats.records import Names, read_records
from web.errors import BadInput

TOPICS = Names(
    one="topic",
    id="id",
    fields={
        "id": (
            *("_id", "qid", "query_id", "query-id", "topic_id", "id", "number", "num", "identifier"),
            *("question_id", "topic"),
        ),
        "title": ("title", "query", "text", "contents", "question", "topic"),
        "description": ("description", "desc", "question", "text", "contents", ""),  # "": outside of all tags
        "narrative": ("narrative", "narr"),
    },
    elements="top|topic",
    tags={
        **dict.fromkeys(("num", "number", "id", "identifier", "qid"), "id"),
        **dict.fromkeys(("title", "query"), "title"),
        **dict.fromkeys(("desc", "description", "question"), "description"),
        **dict.fromkeys(("narr", "narrative"), "narrative"),
    },
    columns={2: ("id", "title"), 3: ("id", "title", "description"), 4: ("id", "title", "description", "narrative")},
    smart={"T": "title", "W": "description"},
)
# TREC's captions: "<num> Number: 301", "<desc> Description:", also without the colon at the end of the line.
CAPTIONS = {
    "id": re.compile(r"\s*number\s*:", re.IGNORECASE),
    "title": re.compile(r"\s*topic\s*:", re.IGNORECASE),
    "description": re.compile(r"\s*description\s*(?::|\n|\Z)", re.IGNORECASE),
    "narrative": re.compile(r"\s*narrative\s*(?::|\n|\Z)", re.IGNORECASE),
}
NOTHING = re.compile(r"\A(?!)")


def read_topics(
    stored: IO[bytes], name: str, *, bad_lines: BadLines, limit: int
) -> Iterator[tuple[str, dict[str, str]]]:
    """Each topic as values of a query's fields (name, title, description, narrative), with its place."""
    number = 0
    for file in text_files(stored, name, bad_lines, limit, main="queries.jsonl"):
        for line, record in read_records(file, TOPICS):
            try:
                topic = topic_of(record)
            except Problem as problem:
                file.bad(line, str(problem))
            else:
                number += 1
                yield f"{file.name}:{line}", topic
    if not number:
        raise BadInput(f"{name} has no topics that can be read.")


def topic_of(record: dict[str, Any]) -> dict[str, str]:
    values = {text_of(key, "a key").lower(): value for key, value in record.items()}
    found: dict[str, str] = {}
    used: set[str] = set()
    for field, names in TOPICS.fields.items():
        key = next((name for name in names if name not in used and values.get(name) not in (None, "")), names[0])
        used.add(key)
        value = values.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            value = str(value)
        found[field] = text_of(value, key)
    # Only TREC's old topics have "Topic:" before each title.
    captions = CAPTIONS if CAPTIONS["id"].match(found["id"]) else CAPTIONS | {"title": NOTHING}
    found = {field: " ".join(captions[field].sub("", text, count=1).split()) for field, text in found.items()}
    name = docno_of(found.pop("id"), "id")
    if not found["title"] and not found["description"]:
        others = ", ".join(sorted(filter(None, record)))
        raise Problem(f"topic {name} has no text. Give it a title or a description. It has {others}.")
    return {"name": name, **found}

"""Works of OpenAlex as JSON Lines, as its snapshot has them (Priem et al., 2022). Pure.

OpenAlex has no abstract as a text. It has the positions of every word.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import chain
from typing import Any

from corpus.formats.benchmarks import year_or_none
from corpus.formats.document_lines import LONGEST_LINE, DocumentValues, LineKeys, Problem

ADDRESS = "https://openalex.org/W"
HIGHEST_LEVEL = 0  # of concepts: the 19 fields of study
_NUMBER = rb"(?:0|[1-9][0-9]*+)"
_ENTRY = rb'"[^"\\\x00-\x1f]*+": ?\[' + _NUMBER + rb"(?:, ?" + _NUMBER + rb")*+\]"
# An index whose words have no escapes, the first 20 of them apart.
_INDEX = re.compile(
    rb'"abstract_inverted_index": ?\{' + _ENTRY + rb"(?:, ?" + _ENTRY + rb"){19}"
    rb"((?:, ?" + _ENTRY + rb")*+)\}"
)
_SHORT_INDEX = 11_000  # bytes; positions of a longer one could make a text longer than a line
_NO_LETTERS = bytes(set(range(256)) - set(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"))


def from_openalex(content: Mapping[str, object]) -> DocumentValues:
    """The object of docs/formats.md for a work."""
    return {
        "docno": _id(content.get("id")),
        "title": content.get("title") or content.get("display_name") or "",
        "abstract": _abstract(content.get("abstract_inverted_index")),
        "year": year_or_none(content.get("publication_year")),
        "venue": _name(_inside(content, "primary_location", "source"))
        or _name(content.get("host_venue")),
        "authors": _names(_inside(item, "author") for item in _objects(content, "authorships")),
        "references": _ids(_list(content.get("referenced_works"))),
        "fields": _fields(content),
        "language": content.get("language"),
        "has_full_text": content.get("has_fulltext") is True,
    }


def shortened(line: bytes, characters: int) -> bytes:
    """The line with only the first words of its abstract, of at least so many letters.

    Most of a line is its abstract. The line is returned as it is if the abstract is invalid or
    has escapes, which only a parser can read.
    """
    match = _INDEX.search(line)
    if match is None or match.end() - match.start() > _SHORT_INDEX:
        return line
    kept = line[match.start() : match.start(1)].translate(None, _NO_LETTERS)
    is_enough = len(kept) >= characters + len("abstractinvertedindex")
    return line[: match.start(1)] + line[match.end(1) :] if is_enough else line


OPENALEX = LineKeys(None, from_openalex, shortened)


def _id(value: Any) -> Any:
    """W2741809807 of https://openalex.org/W2741809807."""
    return value.rpartition("/")[2] if isinstance(value, str) else value


def _ids(works: list[Any]) -> list[Any]:
    try:
        return [work.rpartition("/")[2] for work in works]
    except AttributeError:
        return [*map(_id, works)]  # one is no text, which is reported


def _abstract(index: Any) -> str:
    if index is None:
        return ""
    if not isinstance(index, dict) or {*map(type, index.values())} - {list}:
        raise _invalid_index()
    places = [*chain.from_iterable(index.values())]
    if {*map(type, places)} - {int}:
        raise _invalid_index()
    # A bound that costs less than the length, which is then asked of few works.
    may_be_long = max(map(len, index), default=0) * len(places) > LONGEST_LINE
    if may_be_long and sum(len(word) * len(index[word]) for word in index) > LONGEST_LINE:
        megabytes = LONGEST_LINE // 1024 // 1024
        raise Problem(f'"abstract_inverted_index" is of a text of more than {megabytes} MB.')
    return " ".join(_in_order(index, places))


def _invalid_index() -> Problem:
    return Problem(
        '"abstract_inverted_index" must have a list of positions for each word. '
        "Download the work again."
    )


def _in_order(index: Mapping[str, list[int]], places: Sequence[int]) -> Sequence[str]:
    """The words by their places. A table of places is filled, because sorting takes longer."""
    if not places:
        return []
    words = [""] * len(places)
    if min(places) >= 0 and max(places) < len(places) and len({*places}) == len(places):
        for word, word_places in index.items():
            for place in word_places:
                words[place] = word
        return words
    pairs = [(place, word) for word, word_places in index.items() for place in word_places]
    return [word for _, word in sorted(pairs)]


def _fields(content: Mapping[str, object]) -> list[str]:
    """The fields of the work's topics, the main one first; before 2024 its highest concepts."""
    topics = [content.get("primary_topic"), *_objects(content, "topics")]
    names = _names(_inside(topic, "field") for topic in topics)
    concepts = _objects(content, "concepts")
    return names or _names(item for item in concepts if item.get("level") == HIGHEST_LEVEL)


def _names(items: Any) -> list[str]:
    return list(dict.fromkeys(filter(None, map(_name, items))))


def _name(value: Any) -> str:
    name = value.get("display_name") if isinstance(value, dict) else None
    return name if isinstance(name, str) else ""


def _inside(value: Any, *keys: str) -> Any:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _objects(content: Mapping[str, object], key: str) -> list[Mapping[str, object]]:
    return [item for item in _list(content.get(key)) if isinstance(item, dict)]


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []

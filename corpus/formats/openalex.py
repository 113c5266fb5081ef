"""Works of OpenAlex as JSON Lines, as its snapshot has them (Priem et al., 2022). Pure.

OpenAlex has no abstract as a text. It has the positions of every word.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from corpus.formats.benchmarks import year_or_none
from corpus.formats.document_lines import LONGEST_LINE, DocumentValues, LineKeys, Problem

ADDRESS = "https://openalex.org/W"
HIGHEST_LEVEL = 0  # of concepts: the 19 fields of study


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
        "references": [_id(work) for work in _list(content.get("referenced_works"))],
        "fields": _fields(content),
        "language": content.get("language"),
        "has_full_text": content.get("has_fulltext") is True,
    }


OPENALEX = LineKeys(None, from_openalex)


def _id(value: Any) -> Any:
    """W2741809807 of https://openalex.org/W2741809807."""
    return value.rpartition("/")[2] if isinstance(value, str) else value


def _abstract(index: Any) -> str:
    if index is None:
        return ""
    if not isinstance(index, dict) or not all(map(_is_list_of_numbers, index.values())):
        raise Problem(
            '"abstract_inverted_index" must have a list of positions for each word. '
            "Download the work again."
        )
    if sum(len(word) * len(places) for word, places in index.items()) > LONGEST_LINE:
        megabytes = LONGEST_LINE // 1024 // 1024
        raise Problem(f'"abstract_inverted_index" is of a text of more than {megabytes} MB.')
    places = [(place, word) for word, word_places in index.items() for place in word_places]
    return " ".join(word for _, word in sorted(places))


def _is_list_of_numbers(value: Any) -> bool:
    return isinstance(value, list) and all(type(item) is int for item in value)


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

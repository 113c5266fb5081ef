"""Reads the files that systems come in: TREC runs and JSON. Pure.

JSON is one of:
- `{query: [[docno, score], …]}`, CSFCube's ranked pools. The order of the list counts, because its
  scores may be distances.
- `{query: {docno: score}}`, as pytrec_eval takes it.
- `{"query_candidate": score}`, MDCR's scores of pairs.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import Any

from corpus.formats.decompression import DAMAGED, TooLarge, damage, open_unpacked
from retrieval.formats import RankedList, RunFormatError, Scored, ranked, read_run, trec_order

LARGEST_JSON = 500_000_000  # bytes; it is read as a whole


@dataclass(frozen=True)
class SystemFile:
    """The lists of a file by topic, and the number of its skipped duplicates."""

    lists: Mapping[str, RankedList]
    duplicates: int


def read_system_file(path: Path, *, name: str, topics: Collection[str]) -> SystemFile:
    """The lists of a TREC run or a JSON file, plain or gzip. Errors use `name` for the file.

    `topics` are the names of queries and query papers, which tell where a pair's key is split.
    Raises RunFormatError for an invalid line or value, and for a file without lists.
    """
    if _first_character(path) in (b"{", b"["):
        return _read_json(path, name, topics)
    run = ranked(read_run(path, name=name))
    return SystemFile(run.lists, run.duplicates)


def facet_of(filename: str, facets: Iterable[str]) -> str | None:
    """The only facet key that is a word of the filename, as in `specter-method-ranked.json`."""
    words = set(re.split(r"[^0-9a-z]+", PurePath(filename).name.lower()))
    named = [facet for facet in facets if facet and facet.lower() in words]
    return named[0] if len(named) == 1 else None


def _first_character(path: Path) -> bytes:
    try:
        with open_unpacked(path) as file:
            return file.read(4096).lstrip(b"\xef\xbb\xbf \t\r\n")[:1]
    except (*DAMAGED, TooLarge):
        return b""  # the reader of runs reports the problem


def _read_json(path: Path, name: str, topics: Collection[str]) -> SystemFile:
    try:
        with open_unpacked(path) as file:
            content = file.read(LARGEST_JSON + 1)
    except TooLarge as error:
        raise RunFormatError(name, None, str(error)) from error
    except DAMAGED as error:
        raise RunFormatError(name, None, damage(error)) from error
    if len(content) > LARGEST_JSON:
        size = f"{LARGEST_JSON // 1_000_000} MB"
        raise RunFormatError(name, None, f"JSON of more than {size}; write it as a TREC run")
    duplicates: list[str] = []
    try:
        value = json.loads(content, object_pairs_hook=_counting(duplicates))
    except json.JSONDecodeError as error:
        raise RunFormatError(name, error.lineno, f"not valid JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:  # also a number of 5,000 digits
        raise RunFormatError(name, None, "not valid JSON in UTF-8; save it again") from error
    if not isinstance(value, dict) or not value:
        expected = "an object with a list of documents for each query"
        raise RunFormatError(name, None, f"must be {expected}, and not be empty")
    if all(not isinstance(entry, (list, dict)) for entry in value.values()):
        lists = _pair_scores(value, name, topics)
    else:
        lists = {topic: _entry(topic, entry, name, duplicates) for topic, entry in value.items()}
    return SystemFile(lists, len(duplicates))


def _counting(duplicates: list[str]) -> Callable[[list[tuple[str, Any]]], dict[str, object]]:
    def as_dict(pairs: list[tuple[str, Any]]) -> dict[str, object]:
        value: dict[str, object] = {}
        for key, entry in pairs:
            if key in value:
                duplicates.append(key)
            else:
                value[key] = entry
        return value

    return as_dict


def _entry(topic: str, entry: object, name: str, duplicates: list[str]) -> RankedList:
    if isinstance(entry, dict):
        return RankedList.of(
            trec_order(Scored(docno, _score(score, name, topic)) for docno, score in entry.items())
        )
    if not isinstance(entry, list):
        problem = f"the entry of {topic!r} must be a list of [docno, score] or an object"
        raise RunFormatError(name, None, problem)
    scored: dict[str, float] = {}
    for item in entry:
        if not (isinstance(item, list) and len(item) == 2):
            problem = f"{topic!r} must have a list of [docno, score], got {item!r}"
            raise RunFormatError(name, None, problem[:200])
        docno, score = str(item[0]), _score(item[1], name, topic)
        if docno in scored:
            duplicates.append(docno)
        else:
            scored[docno] = score
    return RankedList.of(Scored(*pair) for pair in scored.items())


def _pair_scores(
    value: Mapping[str, object], name: str, topics: Collection[str]
) -> dict[str, RankedList]:
    lists: dict[str, list[Scored]] = {}
    for key, score in value.items():
        topic, docno = _split_pair(key, name, topics)
        lists.setdefault(topic, []).append(Scored(docno, _score(score, name, key)))
    return {topic: RankedList.of(trec_order(scored)) for topic, scored in lists.items()}


def _split_pair(key: str, name: str, topics: Collection[str]) -> tuple[str, str]:
    """At the last underscore that follows a known topic, and else at the last of all.

    Both ids may have underscores, such as the query `1198964_method`.
    """
    places = [match.start() for match in re.finditer("_", key[:-1])][::-1]
    if not places:
        raise RunFormatError(name, None, f'the key {key!r} must be "query_candidate"')
    place = next((place for place in places if key[:place] in topics), places[0])
    return key[:place], key[place + 1 :]


def _score(value: object, name: str, place: str) -> float:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        with suppress(OverflowError):  # a whole number of 400 digits
            if math.isfinite(value):
                return float(value) + 0.0
    problem = f"the score of {place!r} must be a finite number, got {value!r}"
    raise RunFormatError(name, None, problem[:200])

"""The pools of a release as records again, checked, and their digests. Pure."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from bundle.names import (
    POOLS,
)
from bundle.reading.fields import LARGEST_NUMBER, Fields
from bundle.reading.opened import (
    OpenedBundle,
    parsed_json,
    read_lines,
)
from bundle.records import FoundBy, PooledDocument
from corpus.digests import json_digest
from retrieval.run_names import CITED

LONGEST_SOURCE = 60


def read_pools(bundle: OpenedBundle) -> Iterator[tuple[int, PooledDocument]]:
    """Line and candidate, by query paper, then position."""
    for number, line in read_lines(bundle, POOLS):
        value = parsed_json(line, POOLS, number)
        # An import reads the pools three times, and checking field by field takes twice as long. It
        # is only needed to say what is wrong, or to read escaped characters.
        plain = None if "\\u" in line else _plain_candidate(value)
        yield number, plain or _candidate(Fields(value, POOLS, number))


def pool_digest(
    pool: Sequence[PooledDocument], forced: Collection[str], *, is_judged: bool, first: int = 1
) -> str:
    """The digest of a pool as docs/manifest.md defines it; forced sources last, as when drawn.

    Those that a later round added begin at the position `first`. A release of citations adds the
    source `cited` where it was none.
    """
    content = [
        (pooled.docno, *source, position)
        for position, pooled in enumerate(pool, start=first)
        for source in sorted(pooled.sources, key=lambda one: (one.source in forced, one.source))
        if is_judged or source.drawn or source.source != CITED or CITED in forced
    ]
    return json_digest(content)


def _plain_candidate(value: Any) -> PooledDocument | None:
    """The candidate if it has all fields, each as a release writes it; None to have it checked."""
    try:
        sources = tuple(
            [
                FoundBy(source["source"], source["rank"], source["score"], source["drawn"])
                for source in value["sources"]
            ]
        )
        pooled = PooledDocument(
            value["query_paper"],
            value["docno"],
            value["position"],
            value["excluded"],
            sources,
            value["inclusion"],
            value.get("round", 1),
        )
    except (AttributeError, KeyError, TypeError):
        return None
    texts = pooled.query_paper, pooled.docno, pooled.excluded
    is_plain = (
        all(type(text) is str for text in texts)
        and _is_count(pooled.position)
        and _is_count(pooled.round)
        and _is_plain_number(pooled.inclusion)
        and type(value["sources"]) is list
        and all(
            type(name) is str
            and len(name) <= LONGEST_SOURCE
            and (rank is None or _is_count(rank))
            and _is_plain_number(score)
            and type(drawn) is bool
            for name, rank, score, drawn in sources
        )
    )
    return pooled if is_plain else None


def _is_count(value: Any) -> bool:
    return type(value) is int and 1 <= value <= LARGEST_NUMBER


def _is_plain_number(value: Any) -> bool:
    return value is None or (type(value) is float and math.isfinite(value))


def _candidate(fields: Fields) -> PooledDocument:
    return PooledDocument(
        query_paper=fields.text("query_paper"),
        docno=fields.text("docno"),
        position=fields.whole("position", least=1),
        excluded=fields.text("excluded"),
        sources=fields.each("sources", _source),
        inclusion=fields.optional_number("inclusion"),
        round=fields.optional_whole("round", least=1) or 1,
    )


def _source(fields: Fields) -> FoundBy:
    return FoundBy(
        source=fields.text("source", longest=LONGEST_SOURCE),
        rank=fields.optional_whole("rank", least=1),
        score=fields.optional_number("score"),
        drawn=fields.truth("drawn"),
    )

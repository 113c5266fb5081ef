"""DORIS-MAE (Wang et al., NeurIPS 2023): `DORIS-MAE_dataset_v1.json`. Pure.

A query is a text with aspects, which have sub-aspects. A language model gave each candidate 0, 1 or
2 for each of them. The published program takes a candidate as relevant if the mean over all aspects
and sub-aspects is at least 1. A grade here is that mean, rounded down.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.records import (
    PUBLISHED,
    Benchmark,
    BenchmarkError,
    checked,
    json_of,
    one_file,
    sha256_of,
)
from corpus.formats.decompression import Meter
from corpus.formats.document_lines import (
    BadLine,
    DocumentLine,
    DocumentValues,
    FileItem,
    Reading,
    checked_lines,
)

# The published program removes these from the relevant candidates, because its prompts had them.
IN_PROMPTS = frozenset({205580, 346695, 346826, 346836, 28674})
HIGHEST = 2


@dataclass(frozen=True)
class Corpus:
    """The abstracts of the file. An abstract has its place in the list, from 0, as its id."""

    name: str
    entries: Sequence[Mapping[str, Any]]
    unit: str = "documents"
    format_name: str = "DORIS-MAE"

    @property
    def files(self) -> tuple[str, ...]:
        return (self.name,)

    @property
    def size(self) -> int:
        return len(self.entries)

    def lines(
        self, meter: Meter | None = None, reading: Reading | None = None
    ) -> Iterator[DocumentLine | BadLine]:
        return checked_lines(self._items(meter or Meter()), self.name, reading=reading)

    def _items(self, meter: Meter) -> Iterator[FileItem]:
        for place, entry in enumerate(self.entries):
            meter.count(0, place + 1)
            values: DocumentValues = {
                "docno": str(place),
                "title": str(entry.get("title") or ""),
                "abstract": str(entry.get("original_abstract") or ""),
            }
            yield FileItem(place + 1, values)


def read_doris_mae(folder: Path) -> Benchmark:
    """All queries with their candidates, and the whole corpus, which is held in memory.

    Raises:
        BenchmarkError: the file is missing or is not as published.
    """
    path = one_file(folder, "DORIS-MAE_dataset_v1.json", "DORIS*.json")
    content = json_of(path, dict)
    queries, corpus, annotations = (
        checked(path, key, content.get(key), list) for key in ("Query", "Corpus", "Annotation")
    )
    scores: dict[int, dict[str, int]] = defaultdict(dict)  # by abstract, then aspect
    for number, answer in enumerate(annotations):
        place = f"Annotation[{number}]"
        score = checked(path, place, answer.get("score"), int)
        if not 0 <= score <= HIGHEST:
            raise BenchmarkError(f"{path.name}, {place}: the score must be 0, 1 or 2, got {score}.")
        scores[answer["abstract_id"]][str(answer["aspect_id"])] = score
    names = [f"{number:0{len(str(len(queries)))}}" for number in range(len(queries))]
    pools = {
        name: [_candidate(path, name, docno, corpus) for docno in query.get("candidate_pool") or ()]
        for name, query in zip(names, queries, strict=True)
    }
    return Benchmark(
        title="DORIS-MAE",
        description=(
            "Abstracts of computer science for queries with several aspects (Wang et al., NeurIPS "
            "Datasets and Benchmarks 2023), as published. A grade is the mean over the aspects, "
            "rounded down."
        ),
        licence="CC-BY-NC-4.0",
        origin="a language model (GPT-3.5), for each aspect",
        highest_grade=HIGHEST,
        documents=Corpus(path.name, corpus),
        files={path.name: sha256_of(path)},
        pools={
            name: dict.fromkeys(map(str, candidates), PUBLISHED)
            for name, candidates in pools.items()
        },
        grades={
            name: {
                str(docno): _grade(path, name, docno, _aspects(query), scores[docno])
                for docno in pools[name]
            }
            for name, query in zip(names, queries, strict=True)
        },
        topics={name: query["query_text"] for name, query in zip(names, queries, strict=True)},
    )


def _candidate(path: Path, query: str, docno: object, corpus: Sequence[object]) -> int:
    place = f"Query[{int(query)}], candidate_pool"
    number: int = checked(path, place, docno, int)
    if not 0 <= number < len(corpus):
        raise BenchmarkError(
            f"{path.name}, {place}: the corpus has no abstract {number}. Download the file again."
        )
    return number


def _aspects(query: Mapping[str, Any]) -> set[str]:
    """The aspects and sub-aspects of a query, each once."""
    aspects = query["aspects"]
    return {*map(str, aspects), *(str(sub) for subs in aspects.values() for sub in subs)}


def _grade(path: Path, query: str, docno: int, aspects: set[str], scores: Mapping[str, int]) -> int:
    if missing := sorted(aspects - scores.keys()):
        raise BenchmarkError(
            f"{path.name}, Query[{int(query)}]: abstract {docno} has no score for the aspect "
            f"{missing[0]}. Download the file again."
        )
    if docno in IN_PROMPTS:
        return 0
    return sum(scores[aspect] for aspect in aspects) // len(aspects)

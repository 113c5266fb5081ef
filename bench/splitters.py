"""Compare sentence splitters: `python -m bench.splitters PATH…`.

A PATH is a JSON Lines file whose lines have `sentences`, or CSFCube's `readable_annotations/`. The
sentences of each abstract are joined by one space and split again. A boundary is right if it is
at exactly the same place. A library that is not installed is left out, so this needs no more than
Python: `pysbd` and `syntok` can be in a virtual environment of their own.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from corpus.text.sentences import split_sentences
from csfcube.readable_annotations import read_papers
from curation.checking.boundaries import lengths_of

Splitter = Callable[[str], list[str]]


def ours() -> Splitter:
    return split_sentences


def pysbd() -> Splitter:
    segment: Any = importlib.import_module("pysbd").Segmenter(language="en", clean=False).segment
    return lambda text: [sentence for sentence in segment(text) if sentence.strip()]


def syntok() -> Splitter:
    process: Any = importlib.import_module("syntok.segmenter").process

    def split(text: str) -> list[str]:
        sentences = (sentence for paragraph in process(text) for sentence in paragraph)
        starts = [sentence[0].offset for sentence in sentences]
        return [
            text[start:end] for start, end in zip(starts, [*starts[1:], len(text)], strict=True)
        ]

    return split


SPLITTERS: dict[str, Callable[[], Splitter]] = {"ours": ours, "pysbd": pysbd, "syntok": syntok}


def abstracts(path: Path) -> Iterator[list[str]]:
    """The sentences of each abstract, each abstract once."""
    if path.is_dir():
        papers = {}
        for file in sorted(path.glob("*.txt")):
            for paper in read_papers(file.read_text(encoding="utf-8"), file.name):
                papers[paper.pid] = list(paper.sentences)
        yield from papers.values()
        return
    with path.open(encoding="utf-8") as stream:
        yield from (json.loads(line)["sentences"] for line in stream)


def boundaries(sentences: Sequence[str]) -> set[int]:
    """The places between the sentences, in characters without white space."""
    lengths = lengths_of(sentences)
    return {sum(lengths[:number]) for number in range(1, len(lengths))}


def compare(expected: Sequence[Sequence[str]], split: Splitter) -> list[str]:
    """Precision, recall and F1 of boundaries, equal abstracts in percent, abstracts a second."""
    texts = [" ".join(sentences) for sentences in expected]
    start = time.perf_counter()
    results = [split(text) for text in texts]
    seconds = time.perf_counter() - start
    pairs = [
        (boundaries(result), boundaries(sentences))
        for result, sentences in zip(results, expected, strict=True)
    ]
    right = sum(len(found & wanted) for found, wanted in pairs)
    precision = right / max(1, sum(len(found) for found, _ in pairs))
    recall = right / max(1, sum(len(wanted) for _, wanted in pairs))
    f1 = 2 * precision * recall / max(1e-9, precision + recall)
    equal = 100 * sum(found == wanted for found, wanted in pairs) / len(pairs)
    scores = [f"{score:.4f}" for score in (precision, recall, f1)]
    return [*scores, f"{equal:.1f}", f"{len(texts) / seconds:,.0f}"]


HEAD = (
    "| data | splitter | precision | recall | F1 | equal abstracts, % | abstracts/s |",
    "|---|---|---:|---:|---:|---:|---:|",
)


def lines(paths: Iterable[Path]) -> Iterator[str]:
    """The lines of a table in Markdown."""
    yield from HEAD
    for path in paths:
        expected = [sentences for sentences in abstracts(path) if sentences]
        for name, make in SPLITTERS.items():
            if name == "ours" or importlib.util.find_spec(name):
                cells = [f"{path.name} ({len(expected):,})", name, *compare(expected, make())]
                yield f"| {' | '.join(cells)} |"


if __name__ == "__main__":
    for line in lines(map(Path, sys.argv[1:])):
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

"""Measure another tool on the same abstracts: `python -m bench.others TOOL FILE [QUERIES]`.

Each tool is used as its documentation shows: the abstracts in a list, the index in memory, 50
queries to depth 500, unless another number is given. A tool that needs longer than `PATIENCE` for
the queries is stopped. Its time is then extrapolated to all queries, and `asked` is the number of
queries it answered.
"""

from __future__ import annotations

import gzip
import json
import re
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from bench.steps import DEPTH, QUERIES

PATIENCE = 60.0  # seconds
Search = Callable[[str], Any]


def rank_bm25(abstracts: list[str]) -> Search:
    from rank_bm25 import BM25Okapi

    index = BM25Okapi([_words(abstract) for abstract in abstracts])
    return lambda query: np.argsort(index.get_scores(_words(query)))[::-1][:DEPTH]


def bm25s(abstracts: list[str]) -> Search:
    import bm25s

    index = bm25s.BM25()
    index.index(bm25s.tokenize(abstracts, stopwords=None, show_progress=False), show_progress=False)
    depth = min(DEPTH, len(abstracts))

    def search(query: str) -> Any:
        tokens = bm25s.tokenize([query], stopwords=None, show_progress=False)
        return index.retrieve(tokens, k=depth, show_progress=False)

    return search


def sklearn(abstracts: list[str]) -> Search:
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.metrics.pairwise import linear_kernel

    vectorizer = TfidfVectorizer(sublinear_tf=True)
    matrix = vectorizer.fit_transform(abstracts)

    def search(query: str) -> Any:
        scores = linear_kernel(vectorizer.transform([query]), matrix).ravel()
        return np.argsort(scores)[::-1][:DEPTH]

    return search


def gensim(abstracts: list[str]) -> Search:
    from gensim.models import Word2Vec

    texts = [_words(abstract) for abstract in abstracts]
    vectors = Word2Vec(texts, vector_size=200, workers=2, epochs=5, min_count=5).wv

    def mean(words: list[str]) -> Any:
        return vectors.get_mean_vector(words, ignore_missing=True)

    matrix = np.stack([mean(words) for words in texts])
    matrix /= np.maximum(np.linalg.norm(matrix, axis=1, keepdims=True), 1e-9)
    return lambda query: np.argsort(matrix @ mean(_words(query)))[::-1][:DEPTH]


OTHERS: dict[str, Callable[[list[str]], Search]] = {
    "rank_bm25": rank_bm25,
    "bm25s": bm25s,
    "sklearn": sklearn,
    "gensim": gensim,
}


def _words(text: str) -> list[str]:
    return re.findall(r"[^\W_]+", text.lower())


def _abstracts(path: Path) -> list[str]:
    opened = gzip.open if path.suffix == ".gz" else open
    with opened(path, "rt", encoding="utf-8") as stream:
        return [" ".join(json.loads(line)["sentences"]) for line in stream]


def _seconds(search: Search, queries: Sequence[str]) -> tuple[float, int]:
    """Seconds for all queries, extrapolated if stopped, and the number of queries answered."""
    start, asked = time.perf_counter(), 0
    for query in queries:
        search(query)
        asked += 1
        if time.perf_counter() - start > PATIENCE:
            break
    return (time.perf_counter() - start) * len(queries) / max(asked, 1), asked


def main(what: str, path: str, number: str = str(QUERIES)) -> None:
    abstracts = _abstracts(Path(path))
    start = time.perf_counter()
    search = OTHERS[what](abstracts)
    built = time.perf_counter() - start
    queries = int(number)
    step = max(1, len(abstracts) // queries)
    seconds, asked = _seconds(search, abstracts[::step][:queries])
    measurement = {"index": built, "search": seconds, "asked": asked, "seconds": built + seconds}
    sys.stdout.write(json.dumps(measurement) + "\n")


if __name__ == "__main__":
    main(*sys.argv[1:])

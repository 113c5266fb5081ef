"""TF-IDF with cosine similarity, weighted by scikit-learn.

SMART's "ltc" for documents and queries (Salton & Buckley, 1988), in scikit-learn's variant: a word weighs
(1 + ln tf) · (ln((1 + N)/(1 + df)) + 1), a vector has length 1, a score is a cosine in (0, 1]. tf is damped because
the tenth use of a word in an abstract says little more than the second. Words are two or more letters, digits or
underscores in lower case, without stemming or stop words.

Scores are the same on every machine: idf and weights are rounded to float32, which removes the differences that
processors make in the last digits of a logarithm, and are added as float64, in the order of the words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from typing import Any

from corpus.models import Query
from retrieval.lists import Ranking, best_hits
from retrieval.retrievers.texts import document_text, query_text


def tfidf(documents: Iterable[Any], queries: Sequence[Query], depth: int, *, titles: bool = False) -> Iterator[Ranking]:
    import numpy as np
    from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

    docnos = []

    def texts() -> Iterator[str]:
        for each in documents:
            docnos.append(each.docno)
            yield document_text(each, titles=titles)

    counting = CountVectorizer(dtype=np.float64)
    try:
        counts = counting.fit_transform(texts())
    except ValueError:  # no document has a word
        yield from (([], []) for _ in queries)
        return
    weighing = TfidfTransformer(sublinear_tf=True).fit(counts)
    weighing.idf_ = weighing.idf_.astype(np.float32).astype(np.float64)
    columns = weighing.transform(counts, copy=False).astype(np.float32).tocsc()  # (documents, words)
    del counts
    asked = weighing.transform(counting.transform(query_text(query, titles=titles) for query in queries))
    asked = asked.astype(np.float32)  # (queries, words)

    for start, end in pairwise(asked.indptr):
        words, weights = asked.indices[start:end], asked.data[start:end]
        scores = (columns[:, words] @ weights.astype(np.float64)).astype(np.float32)  # (documents,)
        yield best_hits(docnos, scores, np.flatnonzero(scores > 0), depth)

"""Ranks the candidates of a query by a scorer. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from retrieval.formats import RankedList, Scored, trec_order
from scoring.baselines.scorers import BaselineScorer

DIGITS = 6  # of a score; the digits after them differ between machines
BELOW = 1.0  # by how much a candidate that cannot be compared scores less than all others


def rerank(
    scorer: BaselineScorer, query: Sequence[str], candidates: Mapping[str, Sequence[str]]
) -> RankedList:
    """All candidates in `trec_order`. `candidates` has sentences by docno, perhaps none.

    A candidate without a sentence, and one that the scorer cannot compare, goes last. All of these
    have the same score, 1 below the lowest of the others, so docnos break their ties.
    """
    texts = {docno: sentences for docno, sentences in candidates.items() if any(sentences)}
    scores = scorer(query, list(texts.values())) if texts and any(query) else [None] * len(texts)
    scored = [
        Scored(docno, round(score, DIGITS))
        for docno, score in zip(texts, scores, strict=True)
        if score is not None
    ]
    last = round(min((document.score for document in scored), default=0.0) - BELOW, DIGITS)
    compared = {document.docno for document in scored}
    scored += [Scored(docno, last) for docno in candidates if docno not in compared]
    return RankedList.of(trec_order(scored))

"""BM25 and TF-IDF: against other people's implementations, in the order of trec_eval, the same every time."""

from __future__ import annotations

import random
import re
from types import SimpleNamespace

import numpy as np
import pytest

from corpus.models import Query
from retrieval.retrievers import RETRIEVERS

DEPTH = 30


def silent(done, total, note):
    """Nobody asks how far it is."""


@pytest.fixture(scope="module")
def corpus():
    """Texts of Zipf's words by docno, longest 38 words, which tantivy's one byte still counts exactly."""
    chance = random.Random(7)
    words = [f"w{number}" for number in range(400)]
    weights = [1 / (1 + number) for number in range(400)]
    texts = {f"d{n}": " ".join(chance.choices(words, weights, k=chance.randint(3, 35))) for n in range(300)}
    return texts | {f"twin-{docno}": text for docno, text in list(texts.items())[:40]}


def ranked(name, texts, query, depth=DEPTH):
    """`texts` are given docno descending, as the job does it."""
    rows = [SimpleNamespace(docno=docno, title="", sentences=[texts[docno]]) for docno in sorted(texts, reverse=True)]
    ((docnos, scores),) = RETRIEVERS[name].rank(iter(rows), [Query(title="", description=query)], depth, silent)
    return docnos, scores


def bm25_by_bm25s(texts, query):
    """bm25s leaves out the factor k1 + 1, which changes no order."""
    import bm25s

    index = bm25s.BM25(method="lucene", k1=1.2, b=0.75, dtype="float64")
    index.index([re.findall(r"[^\W_]+", text.lower()) for text in texts.values()], show_progress=False)
    asked = [word for word in re.findall(r"[^\W_]+", query.lower()) if word in index.vocab_dict]
    return dict(zip(texts, 2.2 * index.get_scores(asked), strict=True))


def tfidf_by_scikit_learn(texts, query):
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(sublinear_tf=True)
    matrix = vectorizer.fit_transform(texts.values())
    return dict(zip(texts, (matrix @ vectorizer.transform([query]).T).toarray()[:, 0], strict=True))


@pytest.mark.parametrize(("name", "oracle"), [("bm25", bm25_by_bm25s), ("tfidf", tfidf_by_scikit_learn)])
def test_scores_and_order_are_those_of_another_implementation(corpus, name, oracle):
    for docno in list(corpus)[::25]:
        expected = oracle(corpus, corpus[docno])
        docnos, scores = ranked(name, corpus, corpus[docno])
        assert scores == pytest.approx([expected[docno] for docno in docnos], rel=2e-6)
        least = sorted(expected.values(), reverse=True)[DEPTH - 1]
        assert min(scores) == pytest.approx(least, rel=2e-6)


@pytest.mark.parametrize("name", ["bm25", "tfidf"])
@pytest.mark.parametrize("depth", [1, 3, 4, 7])
def test_a_tie_at_the_cut_goes_to_the_higher_docno(name, depth):
    texts = {f"d{number}": "alike words" for number in range(9)} | {"other": "else"}
    docnos, scores = ranked(name, texts, "words", depth)
    assert docnos == [f"d{number}" for number in range(8, 8 - depth, -1)]
    assert len(set(scores)) == 1


@pytest.mark.parametrize("name", ["bm25", "tfidf"])
def test_scores_are_float32_and_the_same_every_time(corpus, name):
    docnos, scores = ranked(name, corpus, corpus["d5"])
    assert ranked(name, corpus, corpus["d5"]) == (docnos, scores)
    assert [float(np.float32(score)) for score in scores] == scores


@pytest.mark.parametrize("name", ["bm25", "tfidf"])
def test_only_documents_that_share_a_word_are_found(name):
    assert ranked(name, {"a": "green tea", "b": "black coffee"}, "green (tea) AND -")[0] == ["a"]
    assert ranked(name, {"a": "green tea"}, "") == ([], [])
    assert ranked(name, {"a": "green tea"}, "unknown") == ([], [])
    assert ranked(name, {"a": "…"}, "…") == ([], [])


def test_title_variants_compare_titles_only():
    rows = [
        SimpleNamespace(docno="b", title="Green tea", sentences=["Nothing."]),
        SimpleNamespace(docno="a", title="Nothing", sentences=["Green tea."]),
    ]
    asked = Query(title="Green tea", description="Nothing")
    for name in ("bm25-title", "tfidf-title"):
        ((docnos, _),) = RETRIEVERS[name].rank(iter(rows), [asked], 5, silent)
        assert docnos == ["b"]

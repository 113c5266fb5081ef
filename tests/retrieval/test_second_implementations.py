"""The rankings of other people's implementations, and goldens for the orders of chance."""

from __future__ import annotations

import hashlib
import re
from itertools import pairwise

import bm25s
import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity

from retrieval.formats import Scored
from retrieval.retrievers import IndexedText, QueryText
from retrieval.retrievers.bm25 import Bm25
from retrieval.retrievers.cbow import Mean
from retrieval.retrievers.citations import MostCited, RandomPapers
from retrieval.retrievers.dense import VectorRanker, Vectors
from retrieval.retrievers.tfidf import Tfidf
from tests.retrieval.test_retrievers import best, bm25_by_formula, random_corpus, ranker_of, texts

QUERIES = 40


def quiet(done):
    pass


def agrees(found, expected) -> None:
    """The same documents with the same scores in the same order, ties by docno downwards."""
    assert dict(found) == pytest.approx(expected, rel=2e-6)
    for better, worse in pairwise(found):
        if better.score == worse.score:
            assert better.docno > worse.docno
        else:
            assert expected[better.docno] > expected[worse.docno] * (1 - 2e-6)


def bm25s_scores(corpus, queries, k1, b):
    """By bm25s, whose `lucene` leaves out the factor k1 + 1 that changes no ranking."""
    tokens = [re.findall(r"[^\W_]+", text.lower()) for text in corpus.values()]
    index = bm25s.BM25(method="lucene", k1=k1, b=b, dtype="float64")
    index.index(tokens, show_progress=False)
    for query in queries:
        asked = [word for word in re.findall(r"[^\W_]+", query.lower()) if word in index.vocab_dict]
        scores = index.get_scores(asked) * (k1 + 1) if asked else np.zeros(len(corpus))
        scored = zip(corpus, scores.tolist(), strict=True)
        yield {docno: score for docno, score in scored if score > 0}


def sklearn_scores(corpus, queries):
    vectorizer = TfidfVectorizer(sublinear_tf=True)
    matrix = vectorizer.fit_transform(corpus.values())
    for row in cosine_similarity(vectorizer.transform(queries), matrix):
        scored = zip(corpus, row.tolist(), strict=True)
        yield {docno: score for docno, score in scored if score > 0}


@pytest.mark.parametrize("seed", [11, 12])
def test_bm25_ranks_as_bm25s_does(tmp_path, seed):
    corpus = random_corpus(seed, size=300)
    queries = list(corpus.values())[:QUERIES]
    ranker = ranker_of(Bm25("abstract"), texts(corpus), tmp_path / "index")
    for query, expected in zip(queries, bm25s_scores(corpus, queries, 1.2, 0.75), strict=True):
        agrees(best(ranker, query), expected)


@pytest.mark.parametrize(("k1", "b"), [(1.2, 0.4), (0.9, 0.75), (1.5, 0.75), (1.2, 1.0)])
def test_no_other_k1_and_b_give_these_scores(tmp_path, k1, b):
    corpus = random_corpus(11)
    ranker = ranker_of(Bm25("abstract"), texts(corpus), tmp_path / "index")
    query = corpus["7"]
    expected = bm25_by_formula(corpus, query, k1=k1, b=b)
    assert dict(best(ranker, query)) != pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("seed", [11, 12])
def test_tfidf_ranks_as_scikit_learn_does(tmp_path, seed):
    corpus = random_corpus(seed, size=300)
    queries = list(corpus.values())[:QUERIES]
    ranker = ranker_of(Tfidf("abstract"), texts(corpus), tmp_path / "index")
    for query, expected in zip(queries, sklearn_scores(corpus, queries), strict=True):
        agrees(best(ranker, query), expected)


def test_averaged_vectors_by_hand(tmp_path):
    """Word vectors cat (1, 0), dog (0, 1), owl (−1, 0); the query says “cat cat dog”.

    Plain, the query is (2, 1)/√5. "pet": cat and dog, (1, 1)/√2, cosine 3/√10 = 0.948683;
    "cat": 2/√5 = 0.894427; "dog": 1/√5 = 0.447214; "owl": −0.894427.
    With idf cat 1, dog 2, owl 1 the query is (1 + ln 2, 2)/2.620448 = (0.646129, 0.763228);
    "pet" is (1, 2)/√5, cosine 0.971610; "dog" 0.763228; "cat" 0.646129; "owl" −0.646129.
    """
    words = {"cat": 0, "dog": 1, "owl": 2}
    word_vectors = np.array([[1, 0], [0, 1], [-1, 0]], np.float32)
    documents = {"pet": "cat dog", "owl": "owl owl", "none": "mouse", "dog": "dog", "cat": "Cat!"}
    expected = {
        None: [("pet", 0.948683), ("cat", 0.894427), ("dog", 0.447214), ("owl", -0.894427)],
        (1, 2, 1): [("pet", 0.971610), ("dog", 0.763228), ("cat", 0.646129), ("owl", -0.646129)],
    }
    for idf, ranking in expected.items():
        mean = Mean(words.get, word_vectors, None if idf is None else np.array(idf, np.float32))
        np.save(tmp_path / "vectors.npy", mean(list(documents.values())))
        vectors = Vectors.of(tmp_path / "vectors.npy")
        ranker = VectorRanker(
            "abstract", list(documents), vectors, "cosine", lambda mean=mean: mean
        )
        found = best(ranker, "cat cat dog")
        assert [scored.docno for scored in found] == [docno for docno, _ in ranking]
        assert [scored.score for scored in found] == pytest.approx(
            [s for _, s in ranking], abs=1e-6
        )


LETTERS = [IndexedText(docno, "", "") for docno in "abcdefgh"]
CITING = [IndexedText(f"{docno}{n}", "", "", None, (docno,)) for docno in "abc" for n in range(2)]


def sha256(*parts: str) -> int:
    return int(hashlib.sha256("|".join(parts).encode()).hexdigest(), 16)


def splitmix64(key: int) -> int:
    """The finaliser of Steele, Lea & Flood (2014), in Python's own numbers."""
    key = (key ^ (key >> 30)) * 0xBF58476D1CE4E5B9 % 2**64
    key = (key ^ (key >> 27)) * 0x94D049BB133111EB % 2**64
    return key ^ (key >> 31)


def test_the_order_of_chance_is_that_of_the_digests_mixed(tmp_path):
    chance = RandomPapers(seed="s")
    chance.build(LETTERS, tmp_path / "index", quiet)
    ((_, found),) = chance.open(tmp_path / "index").rank([QueryText("q", "", "")], 8, quiet)
    asked = sha256("s", "random", "q", "") >> 192
    keys = {
        docno: splitmix64((sha256("s", "random", "", docno) >> 192) ^ asked) for docno in "abcdefgh"
    }
    assert [scored.docno for scored in found] == sorted(keys, key=keys.__getitem__)
    # The same on every machine, for good: a pool's manifest relies on it.
    assert "".join(scored.docno for scored in found) == "facdbegh"


def test_the_order_of_the_most_cited_is_that_of_their_digests(tmp_path):
    cited = MostCited(seed="s")
    cited.build([*LETTERS, *CITING], tmp_path / "index", quiet)
    ((_, found),) = cited.open(tmp_path / "index").rank([QueryText("q", "", "")], 8, quiet)
    order = sorted("abc", key=lambda docno: sha256("s", "most-cited", "q", docno))
    assert found == [Scored(docno, 1 / rank) for rank, docno in enumerate(order, start=1)]
    assert "".join(order) == "cab"

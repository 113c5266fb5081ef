"""Scorers of baselines, against hand-made values and second implementations."""

import math
import random

import numpy as np
import pytest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import euclidean_distances

from evaluation.baselines.reranking import rerank
from evaluation.baselines.scorers import (
    EncoderDistance,
    MeanVectorDistance,
    Okapi,
    TfidfDistance,
)
from evaluation.baselines.statistics import WordStatistics
from retrieval.retrievers import IndexedText, QueryText
from retrieval.retrievers.analysis import PLAIN
from retrieval.retrievers.bm25 import Bm25
from retrieval.retrievers.encoder import Encoder
from retrieval.retrievers.tfidf import words_of
from retrieval.retrievers.word2vec import WordVectors, tokens


def texts(size=40, seed=3):
    """Texts of at most 40 words, for which the retriever bm25 stores exact lengths."""
    chance = random.Random(seed)
    words = [f"word{n}" for n in range(60)]
    weights = [1 / (n + 1) for n in range(60)]
    return {
        str(n): [" ".join(chance.choices(words, weights, k=chance.randint(1, 40)))]
        for n in range(size)
    }


def statistics_of(candidates, split):
    statistics = WordStatistics()
    for sentences in candidates.values():
        statistics.add(split(" ".join(sentences)))
    return statistics


def test_bm25_gives_the_scores_of_the_retriever(tmp_path):
    candidates = texts()
    query = candidates.pop("7")
    documents = [
        IndexedText(docno, "", text) for docno, (text,) in {**candidates, "7": query}.items()
    ]
    Bm25("abstract").build(documents, tmp_path / "index", lambda done: None)
    ranker = Bm25("abstract").open(tmp_path / "index")
    ((_, expected),) = ranker.rank([QueryText("7", "", query[0])], 100, lambda done: None)
    statistics = statistics_of({**candidates, "7": query}, PLAIN.words)
    ranking = rerank(Okapi(PLAIN.words, statistics), query, candidates)
    scores = dict(zip(ranking.docnos, ranking.scores, strict=True))
    assert len(expected) > 20
    assert [scores[document.docno] for document in expected] == pytest.approx(
        [document.score for document in expected], rel=1e-5
    )


def test_tfidf_gives_the_distances_of_scikit_learn():
    candidates = texts()
    query = candidates.pop("7")
    split = words_of(PLAIN)
    scorer = TfidfDistance(PLAIN, statistics_of({**candidates, "7": query}, split))
    joined = [query[0], *(text for (text,) in candidates.values())]
    rows = TfidfVectorizer(sublinear_tf=True).fit(joined).transform(joined)
    expected = -euclidean_distances(rows[:1], rows[1:])[0]
    assert scorer(query, list(candidates.values())) == pytest.approx(expected, abs=1e-5)


def test_without_a_word_in_the_corpus_nothing_can_be_compared():
    nothing = WordStatistics()
    assert TfidfDistance(PLAIN, nothing)(["?"], [["!"], ["a cat"]]) == [None, None]
    assert Okapi(PLAIN.words, nothing)(["?"], [["!"], ["a cat"]]) == [0.0, 0.0]


VECTORS = WordVectors(["cat", "dog", "tax"], np.array([[1, 0], [0.6, 0], [0, 3]], np.float32))


def test_means_of_word_vectors_keep_their_lengths():
    scorer = MeanVectorDistance.of(VECTORS, None)
    # By cosine, "dog" would be at the same place as "cat".
    assert scorer(["cat"], [["dog"], ["cat dog"], ["a cat unknown"]]) == pytest.approx(
        [-0.4, -0.2, 0.0]
    )
    assert scorer(["cat"], [["unknown"]]) == [None]
    assert scorer(["unknown"], [["cat"]]) == [None]


def test_tfidf_weights_a_rare_word_more_than_a_common_one():
    statistics = WordStatistics()
    for text in ("cat", "cat tax", "cat"):
        statistics.add(tokens(text))
    scorer = MeanVectorDistance.of(VECTORS, statistics)
    common, rare = 1.0, math.log(4 / 2) + 1  # ln((1 + N)/(1 + df)) + 1
    mean = np.array([common * 1, rare * 3]) / (common + rare)
    assert scorer(["cat"], [["cat tax"]]) == pytest.approx([-math.dist(mean, (1, 0))])
    twice = np.array([(1 + math.log(2)) * 1, rare * 3]) / (1 + math.log(2) + rare)
    assert scorer(["cat"], [["cat cat tax"]]) == pytest.approx([-math.dist(twice, (1, 0))])


class LetterCounts:
    """Counts letters. A model would take a minute, and these vectors can be checked by hand."""

    class tokenizer:  # noqa: N801
        sep_token = " "

    def __init__(self):
        self.encoded = []

    def encode(self, texts, **options):
        self.encoded += texts
        return np.array([[text.count("a"), text.count("b")] for text in texts], float)


def test_an_encoder_scores_the_closest_pair_of_sentences():
    network = LetterCounts()
    scorer = EncoderDistance(Encoder("letters"), network)
    candidates = [["aaaa", "b"], ["aab"], ["bbbb", "bbb"]]
    assert scorer(["aa", "bb"], candidates) == pytest.approx([-1, -1, -1])
    assert scorer(["aa"], candidates) == pytest.approx([-2, -1, -math.dist((2, 0), (0, 3))])
    assert sorted(network.encoded) == ["aa", "aaaa", "aab", "b", "bb", "bbb", "bbbb"]


def test_candidates_that_cannot_be_compared_go_last_tied_and_in_trec_order():
    scorer = MeanVectorDistance.of(VECTORS, None)
    candidates = {"10": [], "9": ["unknown"], "a": ["dog"], "b": ["cat"], "8": [""]}
    ranking = rerank(scorer, ["cat"], candidates)
    assert ranking.docnos == ["b", "a", "9", "8", "10"]
    assert list(ranking.scores) == pytest.approx([0, -0.4, -1.4, -1.4, -1.4])
    assert rerank(scorer, [], candidates).docnos == ["b", "a", "9", "8", "10"]
    assert list(rerank(scorer, ["cat"], {})) == []

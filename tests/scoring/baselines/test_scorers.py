"""Scorers of baselines, against hand-made values and second implementations."""

import math
import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rank_bm25 import BM25Okapi
from scipy.spatial.distance import cdist
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.metrics.pairwise import cosine_similarity, euclidean_distances

from retrieval.retrievers import IndexedText, QueryText
from retrieval.retrievers.analysis import PLAIN
from retrieval.retrievers.bm25 import Bm25
from retrieval.retrievers.encoder import Encoder
from retrieval.retrievers.tfidf import words_of
from retrieval.retrievers.word2vec import WordVectors, tokens
from scoring.baselines.catalogue import Distance
from scoring.baselines.reranking import rerank
from scoring.baselines.scorers import (
    EncoderScorer,
    MeanVectorScorer,
    Okapi,
    TfidfScorer,
    compared,
    floored_idf,
)
from scoring.baselines.statistics import WordStatistics


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


def corpus_and_query(size=40, seed=3):
    """Candidates, the query among them, and the texts without the query."""
    candidates = texts(size, seed)
    return (
        candidates,
        candidates["7"],
        {key: text for key, text in candidates.items() if key != "7"},
    )


def test_the_bm25_of_the_retriever_gives_its_scores(tmp_path):
    corpus, query, candidates = corpus_and_query()
    documents = [IndexedText(docno, "", text) for docno, (text,) in corpus.items()]
    Bm25("abstract").build(documents, tmp_path / "index", lambda done: None)
    ranker = Bm25("abstract").open(tmp_path / "index")
    ((_, expected),) = ranker.rank([QueryText("7", "", query[0])], 100, lambda done: None)
    scorer = Okapi.of_retriever(PLAIN.words, statistics_of(corpus, PLAIN.words))
    ranking = rerank(scorer, query, candidates)
    scores = dict(zip(ranking.docnos, ranking.scores, strict=True))
    assert len(expected) > 20
    assert [scores[document.docno] for document in expected] == pytest.approx(
        [document.score for document in expected], rel=1e-5
    )


words = st.lists(st.sampled_from("abcdefgh"), min_size=1, max_size=12)


@given(
    st.lists(words, min_size=1, max_size=12), st.lists(st.sampled_from("abcdefghxy"), min_size=1)
)
def test_the_bm25_of_the_paper_gives_the_scores_of_rank_bm25(corpus, query):
    """Short texts of few words, so that many words are in more than half of the texts."""
    statistics = WordStatistics()
    for text in corpus:
        statistics.add(text)
    scorer = Okapi.of_rank_bm25(str.split, statistics)
    found = scorer([" ".join(query)], [[" ".join(text)] for text in corpus])
    assert found == pytest.approx(list(BM25Okapi(corpus).get_scores(query)), abs=1e-9)


def test_the_floor_of_rank_bm25_is_a_quarter_of_the_mean_idf_and_no_word_is_unknown():
    statistics = WordStatistics()
    for text in ("a b", "a c", "a d"):
        statistics.add(text.split())
    rare, common = math.log(2.5 / 1.5), math.log(0.5 / 3.5)
    idf = floored_idf(statistics, 0.25)
    assert [idf(word) for word in "abx"] == pytest.approx([0.25 * (3 * rare + common) / 4, rare, 0])


@pytest.mark.parametrize("sublinear_tf", [True, False])
def test_tfidf_gives_the_distances_and_the_cosines_of_scikit_learn(sublinear_tf):
    corpus, query, candidates = corpus_and_query()
    statistics = statistics_of(corpus, words_of(PLAIN))
    joined = [query[0], *(text for (text,) in candidates.values())]
    rows = TfidfVectorizer(sublinear_tf=sublinear_tf).fit(joined).transform(joined)
    for distance, expected in (
        (Distance.L2, -euclidean_distances(rows[:1], rows[1:])[0]),
        (Distance.COSINE, cosine_similarity(rows[:1], rows[1:])[0]),
    ):
        scorer = TfidfScorer(PLAIN, statistics, distance, sublinear_tf=sublinear_tf)
        assert scorer(query, list(candidates.values())) == pytest.approx(expected, abs=1e-5)


def test_tfidf_compares_only_texts_with_a_known_word():
    statistics = statistics_of({"1": ["a cat"], "2": ["a dog"]}, words_of(PLAIN))
    scorer = TfidfScorer(PLAIN, statistics, Distance.L2, sublinear_tf=False)
    assert scorer(["cat"], [["cat"], ["dog"], ["horse"]]) == [0, -math.sqrt(2), None]
    assert scorer(["horse"], [["cat"]]) == [None]


def test_without_a_word_in_the_corpus_nothing_can_be_compared():
    nothing = WordStatistics()
    tfidf = TfidfScorer(PLAIN, nothing, Distance.L2, sublinear_tf=True)
    assert tfidf(["?"], [["!"], ["a cat"]]) == [None, None]
    for okapi in (Okapi.of_rank_bm25, Okapi.of_retriever):
        assert okapi(PLAIN.words, nothing)(["? a"], [["!"], ["a cat"]])[0] == 0.0
    assert Okapi.of_rank_bm25(PLAIN.words, nothing)(["a"], [["a cat"]]) == [0.0]
    # Without a mean length, a text is as long as its words.
    found = Okapi.of_retriever(PLAIN.words, nothing)(["a"], [["a cat"]])
    assert found == pytest.approx([math.log(2) * 2.2 / (1 + 1.2 * (0.25 + 0.75 * 2))])


VECTORS = WordVectors(["cat", "dog", "tax"], np.array([[1, 0], [0.6, 0], [0, 3]], np.float32))


def test_means_of_word_vectors_keep_their_lengths():
    scorer = MeanVectorScorer.of(VECTORS, Distance.L2)
    assert scorer(["cat"], [["dog"], ["cat dog"], ["a cat unknown"]]) == pytest.approx(
        [-0.4, -0.2, 0.0]
    )
    assert scorer(["cat"], [["unknown"]]) == [None]
    assert scorer(["unknown"], [["cat"]]) == [None]


def test_by_cosine_the_length_of_a_mean_does_not_count():
    scorer = MeanVectorScorer.of(VECTORS, Distance.COSINE)
    found = scorer(["cat"], [["dog"], ["tax"], ["dog tax"], ["unknown"]])
    assert found[:3] == pytest.approx([1, 0, 0.6 / math.hypot(0.6, 3)])
    assert found[3] is None


def test_tfidf_weights_a_rare_word_more_than_a_common_one():
    statistics = WordStatistics()
    for text in ("cat", "cat tax", "cat"):
        statistics.add(tokens(text))
    common, rare = 1.0, math.log(4 / 2) + 1  # ln((1 + N)/(1 + df)) + 1
    for sublinear_tf, twice in ((True, 1 + math.log(2)), (False, 2)):
        scorer = MeanVectorScorer.weighted(
            VECTORS, statistics, Distance.L2, sublinear_tf=sublinear_tf
        )
        mean = np.array([common * 1, rare * 3]) / (common + rare)
        assert scorer(["cat"], [["cat tax"]]) == pytest.approx([-math.dist(mean, (1, 0))])
        mean = np.array([twice * 1, rare * 3]) / (twice + rare)
        assert scorer(["cat"], [["cat cat tax"]]) == pytest.approx([-math.dist(mean, (1, 0))])


def test_vectors_are_compared_as_by_scipy():
    chance = np.random.default_rng(5)
    rows, others = chance.normal(size=(4, 7)), chance.normal(size=(6, 7))
    assert compared(rows, others, Distance.L2) == pytest.approx(-cdist(rows, others))
    assert compared(rows, others, Distance.COSINE) == pytest.approx(
        1 - cdist(rows, others, "cosine")
    )


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
    scorer = EncoderScorer(Encoder("letters"), network, Distance.L2)
    candidates = [["aaaa", "b"], ["aab"], ["bbbb", "bbb"]]
    assert scorer(["aa", "bb"], candidates) == pytest.approx([-1, -1, -1])
    assert scorer(["aa"], candidates) == pytest.approx([-2, -1, -math.dist((2, 0), (0, 3))])
    assert sorted(network.encoded) == ["aa", "aaaa", "aab", "b", "bb", "bbb", "bbbb"]


def test_by_cosine_the_closest_pair_is_that_of_the_smallest_angle():
    scorer = EncoderScorer(Encoder("letters"), LetterCounts(), Distance.COSINE)
    candidates = [["aaaa", "b"], ["aab"], ["bbbb", "?"], ["?"]]
    found = scorer(["aa", "aaab"], candidates)
    assert found[:3] == pytest.approx([1, 7 / math.sqrt(50), 1 / math.sqrt(10)])
    assert found[3] is None  # a vector of 0 has no angle


def test_candidates_that_cannot_be_compared_go_last_tied_and_in_trec_order():
    scorer = MeanVectorScorer.of(VECTORS, Distance.L2)
    candidates = {"10": [], "9": ["unknown"], "a": ["dog"], "b": ["cat"], "8": [""]}
    ranking = rerank(scorer, ["cat"], candidates)
    assert ranking.docnos == ["b", "a", "9", "8", "10"]
    assert list(ranking.scores) == pytest.approx([0, -0.4, -1.4, -1.4, -1.4])
    assert rerank(scorer, [], candidates).docnos == ["b", "a", "9", "8", "10"]
    assert list(rerank(scorer, ["cat"], {})) == []


class Lengths:
    """Scores each candidate by minus the length of its text, in units of a third."""

    def __init__(self):
        self.calls = []

    def __call__(self, query, candidates):
        self.calls.append((query, candidates))
        return [-len(" ".join(text)) / 3 for text in candidates]


def test_a_scorer_gets_only_texts_and_scores_have_six_decimals():
    scorer = Lengths()
    ranking = rerank(scorer, ["cat"], {"a": ["dogs"], "b": [""], "c": []})
    assert scorer.calls == [(["cat"], [["dogs"]])]
    assert list(zip(ranking.docnos, ranking.scores, strict=True)) == [
        ("a", -1.333333),
        ("c", -2.333333),
        ("b", -2.333333),
    ]


def test_without_a_text_on_one_side_no_scorer_is_asked():
    scorer = Lengths()
    for query, candidates in (([], {"a": ["dog"]}), ([""], {"a": ["dog"]}), (["cat"], {"a": []})):
        assert list(rerank(scorer, query, candidates).scores) == [-1]
    assert scorer.calls == []


def test_statistics_count_texts_words_and_the_texts_with_each_word():
    statistics = statistics_of({"1": ["a b a"], "2": ["a"], "3": [""]}, str.split)
    assert (statistics.texts, statistics.words, dict(statistics.frequency)) == (
        3,
        4,
        {"a": 2, "b": 1},
    )
    assert statistics.mean_length == pytest.approx(4 / 3)
    assert WordStatistics().mean_length == 0

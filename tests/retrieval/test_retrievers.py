"""The built-in retrievers against second implementations, and their index folders."""

import json
import math
import random
import re
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from retrieval.formats import float32, trec_order
from retrieval.indexes import external_sort
from retrieval.retrievers import (
    BUILT_IN,
    DuplicateDocument,
    IndexCorrupt,
    IndexedText,
    NothingToIndex,
    QueryText,
    index_key,
)
from retrieval.retrievers import (
    retriever as retriever_named,
)
from retrieval.retrievers.bm25 import Bm25
from retrieval.retrievers.tfidf import Tfidf, top_ordinals

NAMES = sorted(BUILT_IN)
KINDS = [Bm25("abstract"), Tfidf("abstract")]


def quiet(done):
    pass


def texts(abstracts):
    return [IndexedText(docno, "", abstract) for docno, abstract in abstracts.items()]


def ranker_of(retriever, documents, folder, progress=quiet):
    retriever.build(documents, folder, progress)
    return retriever.open(folder)


def best(ranker, abstract, depth=1000, docno="query"):
    ((_, ranking),) = ranker.rank([QueryText(docno, "", abstract)], depth, quiet)
    return ranking


def random_corpus(seed, size=120, longest=39):
    """Abstracts of 1–39 words, some the same, some empty; words with capitals and hyphens."""
    chance = random.Random(seed)
    words = [f"{'Alpha' if n % 3 else 'beta-x'}{n}" for n in range(60)]
    weights = [1 / (n + 1) for n in range(60)]
    corpus = {}
    for number in range(size):
        length = chance.randint(0, longest // 2)  # "beta-x1" is two words to BM25
        corpus[str(number)] = " ".join(chance.choices(words, weights, k=length))
    corpus["copy"], corpus["another copy"] = corpus["7"], corpus["7"]
    return corpus


# A second implementation of each, from the formulas.


def bm25_by_formula(corpus, query, k1=1.2, b=0.75):
    tokens = {docno: re.findall(r"[^\W_]+", text.lower()) for docno, text in corpus.items()}
    mean = sum(map(len, tokens.values())) / len(tokens)
    holders = Counter(term for words in tokens.values() for term in set(words))
    scores = {}
    for docno, words in tokens.items():
        tf = Counter(words)
        norm = k1 * (1 - b + b * len(words) / mean)
        scores[docno] = sum(
            math.log(1 + (len(corpus) - holders[term] + 0.5) / (holders[term] + 0.5))
            * tf[term] * (k1 + 1) / (tf[term] + norm)
            for term in re.findall(r"[^\W_]+", query.lower())
            if tf[term]
        )  # fmt: skip
    return {docno: score for docno, score in scores.items() if score > 0}


def cosine_by_formula(corpus, query):
    def counted(text):
        return Counter(re.findall(r"\b\w\w+\b", text.lower()))

    counts = {docno: counted(text) for docno, text in corpus.items()}
    holders = Counter(term for tf in counts.values() for term in tf)

    def vector(tf):
        weights = {
            term: (1 + math.log(times)) * (math.log((1 + len(corpus)) / (1 + holders[term])) + 1)
            for term, times in tf.items()
            if term in holders
        }
        length = math.hypot(*weights.values())
        return {term: weight / length for term, weight in weights.items()}

    wanted = vector(counted(query))
    scores = {
        docno: sum(weight * wanted.get(term, 0) for term, weight in vector(tf).items())
        for docno, tf in counts.items()
    }
    return {docno: score for docno, score in scores.items() if score > 0}


@pytest.mark.parametrize(
    ("retriever", "formula"),
    [(KINDS[0], bm25_by_formula), (KINDS[1], cosine_by_formula)],
    ids=["bm25", "tfidf"],
)
def test_scores_are_those_of_the_formula(retriever, formula, tmp_path):
    corpus = random_corpus(1)
    ranker = ranker_of(retriever, texts(corpus), tmp_path / "index")
    for query in list(corpus.values())[:40]:
        expected = formula(corpus, query)
        found = best(ranker, query)
        assert dict(found) == pytest.approx(expected, rel=2e-6)
        assert found == trec_order(found)


def test_bm25_by_hand(tmp_path):
    # N = 3, lengths 2, 4, 0, mean 2. "cat" is in a and b: idf = ln(1 + 1.5/2.5) = 0.470004.
    # a: tf 1, norm 1.2(0.25 + 0.75·2/2) = 1.2, tf part 2.2/2.2 = 1     → 0.470004
    # b: tf 2, norm 1.2(0.25 + 0.75·4/2) = 2.1, tf part 4.4/4.1         → 0.504394
    corpus = {"a": "cat dog", "b": "cat cat mouse mouse", "c": ""}
    ranker = ranker_of(KINDS[0], texts(corpus), tmp_path / "index")
    assert dict(best(ranker, "cat")) == pytest.approx({"b": 0.504394, "a": 0.470004}, rel=1e-5)
    # A word that the query has twice counts twice.
    assert dict(best(ranker, "Cat, cat!")) == pytest.approx(
        {"b": 1.008788, "a": 0.940008}, rel=1e-5
    )


def test_tfidf_by_hand(tmp_path):
    # N = 2. idf: cat ln(3/3)+1 = 1; dog, owl ln(3/2)+1 = 1.405465. Vectors of a and b are
    # (1, 1.405465)/1.724915: each has cat weight 0.579739 and the rare word 0.814802.
    ranker = ranker_of(KINDS[1], texts({"a": "cat dog", "b": "cat owl"}), tmp_path / "index")
    assert dict(best(ranker, "dog")) == pytest.approx({"a": 0.814802}, rel=1e-5)
    assert dict(best(ranker, "cat dog")) == pytest.approx({"a": 1.0, "b": 0.336097}, rel=1e-5)
    # Twice dog weighs (1 + ln 2)·1.405465 = 2.379659: cat 0.387411, dog 0.921907.
    assert dict(best(ranker, "cat dog dog")) == pytest.approx(
        {"a": 0.975769, "b": 0.224597}, rel=1e-5
    )


def test_bm25_lengths_are_exact_to_40_words_and_then_rounded_down(tmp_path):
    # 40, 41 and 42 words: 41 is scored as 40, 42 as 42; the words other than "x" are unique.
    corpus = {
        str(length): " ".join(["x", *(f"w{length}n{n}" for n in range(length - 1))])
        for length in (39, 40, 41, 42)
    }
    scores = dict(best(ranker_of(KINDS[0], texts(corpus), tmp_path / "index"), "x"))
    assert scores["39"] > scores["40"] == scores["41"] > scores["42"]


@pytest.mark.parametrize("name", NAMES)
def test_a_retriever_reads_its_own_field_only(name, tmp_path):
    documents = [IndexedText("1", "apples", "pears"), IndexedText("2", "pears", "apples")]
    ranker = ranker_of(retriever_named(name), documents, tmp_path / "index")
    ((_, ranking),) = ranker.rank([QueryText("q", "apples", "apples")], 9, quiet)
    assert [scored.docno for scored in ranking] == ["1" if name.endswith("title") else "2"]


@pytest.mark.parametrize("retriever", KINDS, ids=lambda retriever: retriever.kind)
class TestLists:
    def test_tied_documents_are_cut_and_ranked_docno_downwards(self, retriever, tmp_path):
        documents = texts({str(number): "same words" for number in range(100)})
        ranker = ranker_of(retriever, documents, tmp_path / "index")
        for depth in (1, 2, 7, 99, 100, 200):
            docnos = [found.docno for found in best(ranker, "words", depth)]
            assert docnos == sorted(map(str, range(100)), reverse=True)[:depth]

    def test_documents_with_the_same_words_have_the_same_score(self, retriever, tmp_path):
        corpus = random_corpus(2, size=400)
        corpus |= {f"{docno} again": text for docno, text in list(corpus.items())[::-1]}
        ranker = ranker_of(retriever, texts(corpus), tmp_path / "index")
        for query in list(corpus.values())[:20]:
            scores = dict(best(ranker, query))
            assert all(
                scores.get(docno) == scores.get(f"{docno} again")
                for docno in random_corpus(2, size=400)
            )

    def test_every_depth_is_the_beginning_of_the_whole_list(self, retriever, tmp_path):
        corpus = random_corpus(3)
        ranker = ranker_of(retriever, texts(corpus), tmp_path / "index")
        for docno, query in list(corpus.items())[:10]:
            whole = best(ranker, query, docno=docno)
            assert all(best(ranker, query, n, docno) == whole[:n] for n in range(1, 40))

    def test_the_query_paper_is_not_in_its_own_list_and_takes_no_place_in_it(
        self, retriever, tmp_path
    ):
        documents = texts({"1": "cats and dogs", "2": "cats", "3": "dogs"})
        ranker = ranker_of(retriever, documents, tmp_path / "index")
        assert {found.docno for found in best(ranker, "cats and dogs", 2, docno="1")} == {"2", "3"}

    def test_documents_without_a_common_word_are_left_out(self, retriever, tmp_path):
        ranker = ranker_of(retriever, texts({"1": "cats", "2": "dogs"}), tmp_path / "index")
        assert [found.docno for found in best(ranker, "cats owls")] == ["1"]

    @pytest.mark.parametrize("query", ["", " \n", "?!", "owls"])
    def test_a_query_without_known_words_has_an_empty_list(self, retriever, query, tmp_path):
        ranker = ranker_of(retriever, texts({"1": "cats", "2": ""}), tmp_path / "index")
        assert best(ranker, query) == []

    @pytest.mark.parametrize(
        "query",
        ["abstract:cats AND (", '"cats" -cats +dogs*', "cats^9 [a TO b] NOT \\", "cats\0\n"],
    )
    def test_query_syntax_in_a_paper_is_only_words(self, retriever, query, tmp_path):
        ranker = ranker_of(retriever, texts({"1": "cats", "2": "owls"}), tmp_path / "index")
        assert [found.docno for found in best(ranker, query)] == ["1"]

    def test_queries_keep_their_order_and_progress_counts_them(self, retriever, tmp_path):
        ranker = ranker_of(retriever, texts({"1": "cats", "2": "dogs"}), tmp_path / "index")
        seen = []
        queries = [QueryText(docno, "", "cats dogs") for docno in ("z", "2", "a")]
        lists = list(ranker.rank(queries, 5, seen.append))
        assert [docno for docno, _ in lists] == ["z", "2", "a"]
        assert seen == [1, 2, 3]

    def test_scores_fit_into_32_bits(self, retriever, tmp_path):
        ranker = ranker_of(retriever, texts(random_corpus(4)), tmp_path / "index")
        assert all(float32(found.score) == found.score for found in best(ranker, "alpha1 beta x3"))

    @pytest.mark.parametrize("depth", [0, -1])
    def test_a_depth_below_one_is_refused(self, retriever, depth, tmp_path):
        ranker = ranker_of(retriever, texts({"1": "cats"}), tmp_path / "index")
        with pytest.raises(ValueError, match=f"at least 1, got {depth}"):
            best(ranker, "cats", depth)

    def test_documents_may_arrive_in_any_order(self, retriever, tmp_path, monkeypatch):
        monkeypatch.setattr(
            external_sort, "CHUNK_DOCUMENTS", 50
        )  # so that several parts are merged
        corpus = random_corpus(5)
        documents = texts(corpus)
        shuffled = random.Random(6).sample(documents, len(documents))
        straight = ranker_of(retriever, documents, tmp_path / "one" / "index")
        mixed = ranker_of(retriever, iter(shuffled), tmp_path / "two" / "index")
        for query in list(corpus.values())[:30]:
            assert best(straight, query, 25) == best(mixed, query, 25)


def test_a_tfidf_index_is_the_same_byte_for_byte_in_any_order_of_arrival(tmp_path, monkeypatch):
    monkeypatch.setattr(external_sort, "CHUNK_DOCUMENTS", 50)
    documents = texts(random_corpus(5))
    for folder, arriving in [("one", documents), ("two", documents[::-1])]:
        KINDS[1].build(arriving, tmp_path / folder / "index", quiet)
    first, second = (
        {path.name: path.read_bytes() for path in (tmp_path / folder / "index").iterdir()}
        for folder in ("one", "two")
    )
    assert first == second


@settings(max_examples=50)
@given(
    st.lists(st.sampled_from([0.0, 0.25, 0.5, 1.0]), max_size=30),
    st.integers(1, 35),
)
def test_the_best_of_an_array_are_the_first_of_its_sorted_self(scores, need):
    expected = sorted((-score, ordinal) for ordinal, score in enumerate(scores) if score > 0)
    found = top_ordinals(np.array(scores, dtype=np.float32), need)
    assert found == [ordinal for _, ordinal in expected][:need]


@pytest.mark.parametrize("retriever", KINDS, ids=lambda retriever: retriever.kind)
class TestFolders:
    @pytest.fixture
    def folder(self, retriever, tmp_path) -> Path:
        retriever.build(
            texts({"1": "cats and dogs", "2": "cats"}), tmp_path / "indexes" / "key", quiet
        )
        return tmp_path / "indexes" / "key"

    def test_nothing_but_the_index_is_left_behind(self, retriever, folder):
        assert list(folder.parent.iterdir()) == [folder]
        meta = json.loads((folder / "meta.json").read_bytes())
        assert (meta["key"], meta["documents"], meta["retriever"]["name"]) == (
            "key",
            2,
            retriever.name,
        )

    def test_a_build_that_fails_leaves_no_folder(self, retriever, tmp_path):
        def breaking_off():
            yield IndexedText("1", "", "cats")
            raise ConnectionError("the database went away")

        with pytest.raises(ConnectionError):
            retriever.build(breaking_off(), tmp_path / "key", quiet)
        assert list(tmp_path.iterdir()) == []

    def test_a_folder_appears_only_when_it_is_complete(self, retriever, tmp_path):
        seen = []
        folder = tmp_path / "key"
        retriever.build(
            texts({"1": "cats"}), folder, lambda done: seen.append((done, folder.exists()))
        )
        assert (1, False) in seen
        assert folder.exists()

    def test_a_half_built_folder_is_not_used(self, retriever, folder):
        (folder / "meta.json").unlink()  # written last, so a killed writer leaves none
        with pytest.raises(IndexCorrupt, match=re.escape(str(folder))):
            retriever.open(folder)

    def test_a_half_built_folder_is_replaced_by_the_next_build(self, retriever, folder):
        (folder / "meta.json").unlink()
        retriever.build(texts({"5": "cats"}), folder, quiet)
        assert [found.docno for found in best(retriever.open(folder), "cats")] == ["5"]
        assert list(folder.parent.iterdir()) == [folder]

    def test_an_intact_index_stays_when_a_second_worker_is_late(self, retriever, folder):
        before = {path: path.stat().st_mtime_ns for path in folder.rglob("*")}
        retriever.build(texts({"1": "cats and dogs", "2": "cats"}), folder, quiet)
        assert {path: path.stat().st_mtime_ns for path in folder.rglob("*")} == before

    def test_a_missing_folder_is_a_clear_error(self, retriever, tmp_path):
        with pytest.raises(IndexCorrupt, match="delete it and rebuild"):
            retriever.open(tmp_path / "never built")

    def test_any_changed_cut_or_missing_file_is_a_clear_error(self, retriever, folder):
        for path in [path for path in folder.rglob("*") if path.is_file() and path.name[0] != "."]:
            whole = path.read_bytes()
            flipped = bytes([whole[0] ^ 1]) + whole[1:] if whole else b"x"
            for damaged in (whole[: len(whole) // 2] or None, flipped, None):
                path.unlink() if damaged is None else path.write_bytes(damaged)
                with pytest.raises(IndexCorrupt) as caught:
                    retriever.open(folder)
                assert caught.value.folder == folder
            path.write_bytes(whole)
        assert retriever.open(folder)

    @pytest.mark.parametrize("meta", [b"[]", b"{}", b"null", b"\xff", b'{"key": "key"}'])
    def test_a_meta_file_of_something_else_is_a_clear_error(self, retriever, folder, meta):
        (folder / "meta.json").write_bytes(meta)
        with pytest.raises(IndexCorrupt):
            retriever.open(folder)

    def test_an_index_under_another_key_is_refused(self, retriever, folder):
        other = folder.rename(folder.parent / "other")
        with pytest.raises(IndexCorrupt, match="the key 'key'"):
            retriever.open(other)

    def test_an_index_of_another_retriever_is_refused(self, retriever, folder):
        with pytest.raises(IndexCorrupt, match=f"another retriever than {retriever.kind}_title"):
            retriever_named(f"{retriever.kind}_title").open(folder)

    def test_a_docno_given_twice_is_an_error_that_names_it(self, retriever, tmp_path):
        with pytest.raises(DuplicateDocument, match="007"):
            retriever.build(
                [*texts({"007": "a"}), *texts({"1": "b", "007": "a"})], tmp_path / "k", quiet
            )

    @pytest.mark.parametrize("corpus", [{}, {"1": ""}, {"1": "?!", "2": " "}])
    def test_documents_without_words_cannot_be_indexed(self, retriever, corpus, tmp_path):
        with pytest.raises(NothingToIndex):
            retriever.build(texts(corpus), tmp_path / "key", quiet)
        assert list(tmp_path.iterdir()) == []

    def test_progress_ends_at_the_number_of_documents_and_never_falls(self, retriever, tmp_path):
        seen = []
        corpus = {str(number): "cats" for number in range(2_500)}
        retriever.build(texts(corpus), tmp_path / "key", seen.append)
        assert seen == sorted(seen)
        assert {0, 1_000, 2_000, 2_500} <= set(seen)
        assert seen[-1] == 2_500


def test_the_built_in_retrievers_have_the_names_they_are_found_by():
    assert NAMES == ["bm25_abstract", "bm25_title", "tfidf_abstract", "tfidf_title"]
    assert all(retriever_named(name).name == name for name in NAMES)


def test_an_unknown_retriever_is_refused_with_the_names_of_the_known():
    with pytest.raises(ValueError, match="'bm42'; use bm25_title, bm25_abstract, bm25"):
        retriever_named("bm42")


def test_every_retriever_and_state_of_the_corpus_has_an_index_key_of_its_own():
    keys = {
        index_key(digest, retriever) for digest in ("d1", "d2") for retriever in BUILT_IN.values()
    }
    assert len(keys) == 8
    assert all(re.fullmatch("[0-9a-f]{16}", key) for key in keys)


@pytest.mark.parametrize("name", NAMES)
def test_parameters_are_json_values(name):
    parameters = dict(retriever_named(name).parameters)
    assert json.loads(json.dumps(parameters)) == parameters

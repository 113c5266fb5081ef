"""Averaged word vectors against a second implementation, and the model that four of them share."""

import json
import math
import os
import random
import re
import subprocess
import sys
from collections import Counter
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import pytest

from retrieval.formats import trec_order
from retrieval.indexes import external_sort
from retrieval.indexes.external_sort import sort_texts
from retrieval.indexes.string_table import open_strings
from retrieval.retrievers import (
    DuplicateDocument,
    IndexCorrupt,
    IndexedText,
    NothingToIndex,
    QueryText,
)
from retrieval.retrievers import (
    retriever as retriever_named,
)
from retrieval.retrievers.cbow import Cbow, Mean
from retrieval.retrievers.word2vec import Training, WordVectors, word_vectors

SMALL = Training(dimensions=12, epochs=3)
KINDS = [
    Cbow(field, weighted, SMALL) for weighted in (False, True) for field in ("title", "abstract")
]
ROOT = Path(__file__).resolve().parents[2]


def quiet(done):
    pass


def corpus(size=80, seed=1):
    chance = random.Random(seed)
    words = [f"Word{n}" if n % 3 else f"zwei{n}-x" for n in range(90)]
    weights = [1 / (n + 1) for n in range(90)]

    def some(longest):
        return " ".join(chance.choices(words, weights, k=chance.randint(0, longest)))

    documents = [IndexedText(str(number), some(6), some(40)) for number in range(size)]
    return [*documents, documents[7]._replace(docno="copy")]


def ranked(retriever, documents, query, folder, depth=1000):
    retriever.build(iter(documents), folder, quiet)
    ((_, ranking),) = retriever.open(folder).rank([query], depth, quiet)
    return ranking


def known_words(folder):
    (model,) = (folder.parent / "models").glob("word2vec-*")
    words = list(open_strings(model, "words"))
    return dict(zip(words, np.load(model / "vectors.npy").tolist(), strict=True))


def field_text(document, field):
    return document.title if field == "title" else document.abstract


# A second implementation, word by word with Python's floats.


def vector_by_formula(text, vectors, idf):
    counts = Counter(word for word in re.findall(r"\b\w\w+\b", text.lower()) if word in vectors)
    weights = {
        word: tf if idf is None else (1 + math.log(tf)) * idf.get(word, 0)
        for word, tf in counts.items()
    }
    total = sum(weights.values())
    if not total:
        return None
    return [
        math.fsum(weight * vectors[word][n] for word, weight in weights.items()) / total
        for n in range(len(next(iter(vectors.values()))))
    ]


def cosines_by_formula(documents, field, query, vectors, weighted):
    idf = None
    if weighted:
        texts = [
            set(re.findall(r"\b\w\w+\b", field_text(document, field).lower()))
            for document in documents
        ]
        holders = Counter(word for words in texts for word in words)
        idf = {word: math.log((1 + len(documents)) / (1 + n)) + 1 for word, n in holders.items()}
    wanted = vector_by_formula(field_text(query, field), vectors, idf)
    scores = {}
    for document in documents:
        mean = vector_by_formula(field_text(document, field), vectors, idf)
        if mean is not None and wanted is not None:
            dot = math.fsum(x * y for x, y in zip(mean, wanted, strict=True))
            scores[document.docno] = dot / math.hypot(*mean) / math.hypot(*wanted)
    return scores


@pytest.mark.parametrize("retriever", KINDS, ids=lambda retriever: retriever.name)
def test_scores_are_those_of_the_formula(retriever, tmp_path):
    documents = corpus()
    for asked in documents[:6]:
        query = QueryText("query", asked.title, asked.abstract)
        found = ranked(retriever, documents, query, tmp_path / "indexes" / retriever.name)
        vectors = known_words(tmp_path / "indexes" / retriever.name)
        expected = cosines_by_formula(
            documents, retriever.field, query, vectors, retriever.weighted
        )
        assert dict(found) == pytest.approx(expected, abs=2e-6)
        assert found == trec_order(found)


def test_the_mean_by_hand():
    # Vectors cat (1, 0), dog (0, 1); idf cat 1, dog 2.
    vocabulary = WordVectors(["cat", "dog"], np.array([[1, 0], [0, 1]], np.float32))
    place = {"cat": 0, "dog": 1}.get
    plain = Mean(place, vocabulary.vectors, None)(["Cat cat, dog!", "owl", ""])
    # Twice cat and once dog: (2, 1)/√5; a text without a known word has no direction.
    assert plain.tolist() == [pytest.approx([2 / 5**0.5, 1 / 5**0.5]), [0, 0], [0, 0]]
    weighted = Mean(place, vocabulary.vectors, np.array([1, 2], np.float32))(["cat cat dog"])
    # ((1 + ln 2)·1, 1·2) = (1.693147, 2)/2.620448 = (0.646129, 0.763228)
    assert weighted[0].tolist() == pytest.approx([0.646129, 0.763228], rel=1e-6)


@pytest.mark.parametrize("retriever", KINDS, ids=lambda retriever: retriever.name)
class TestLists:
    def test_documents_may_arrive_in_any_order(self, retriever, tmp_path, monkeypatch):
        monkeypatch.setattr(
            external_sort, "CHUNK_DOCUMENTS", 30
        )  # so that several parts are merged
        documents = corpus()
        files = []
        for order in (documents, random.Random(2).sample(documents, len(documents))):
            folder = tmp_path / str(len(files)) / "indexes" / retriever.name
            retriever.build(iter(order), folder, quiet)
            files.append(json.loads((folder / "meta.json").read_bytes())["files"])
        assert files[0] == files[1]  # SHA-256 of the words' vectors and of the documents'

    def test_documents_with_the_same_words_are_tied_docno_downwards(self, retriever, tmp_path):
        asked = corpus()[7]
        query = QueryText("query", asked.title, asked.abstract)
        found = ranked(retriever, corpus(), query, tmp_path / "indexes" / "index", depth=2)
        assert [scored.docno for scored in found] == ["copy", "7"]
        assert found[0].score == found[1].score == pytest.approx(1.0)

    def test_the_query_paper_is_not_in_its_list_and_unknown_words_find_nothing(
        self, retriever, tmp_path
    ):
        retriever.build(corpus(), tmp_path / "indexes" / "index", quiet)
        ranker = retriever.open(tmp_path / "indexes" / "index")
        queries = [
            QueryText("7", *corpus()[7][1:3]),
            QueryText("q", "", ""),
            QueryText("r", "!", "?"),
        ]
        lists = dict(ranker.rank(queries, 500, quiet))
        assert "7" not in {scored.docno for scored in lists["7"]}
        assert lists["q"] == lists["r"] == []

    def test_a_text_without_words_is_never_found(self, retriever, tmp_path):
        documents = [*corpus(), IndexedText("empty", "", "?!")]
        query = QueryText("query", *corpus()[7][1:3])
        found = ranked(retriever, documents, query, tmp_path / "indexes" / "index")
        assert "empty" not in {scored.docno for scored in found}

    def test_any_changed_file_is_a_clear_error(self, retriever, tmp_path):
        folder = tmp_path / "indexes" / "index"
        retriever.build(corpus(), folder, quiet)
        for path in [path for path in folder.iterdir() if path.name[0] != "."]:
            whole = path.read_bytes()
            path.write_bytes(whole[:-1] + bytes([whole[-1] ^ 1]))
            with pytest.raises(IndexCorrupt):
                retriever.open(folder)
            path.write_bytes(whole)
        assert retriever.open(folder)


class TestModel:
    def test_four_retrievers_train_once(self, tmp_path):
        indexes = tmp_path / "indexes"
        KINDS[0].build(corpus(), indexes / KINDS[0].name, quiet)
        (model,) = (indexes / "models").glob("word2vec-*")
        before = (model / "vectors.npy").stat()
        for retriever in KINDS[1:]:
            retriever.build(corpus(), indexes / retriever.name, quiet)
        assert list((indexes / "models").glob("word2vec-*")) == [model]
        assert (model / "vectors.npy").stat().st_ino == before.st_ino

    def test_another_corpus_or_training_has_a_model_of_its_own(self, tmp_path):
        indexes = tmp_path / "indexes"
        KINDS[0].build(corpus(), indexes / "one", quiet)
        KINDS[0].build(corpus(seed=2), indexes / "two", quiet)
        Cbow("title", training=Training(dimensions=7, epochs=1)).build(
            corpus(), indexes / "three", quiet
        )
        assert len(list((indexes / "models").glob("word2vec-*"))) == 3

    def test_an_index_stays_whole_when_the_models_are_thrown_away(self, tmp_path):
        folder = tmp_path / "indexes" / "index"
        KINDS[0].build(corpus(), folder, quiet)
        for path in (folder.parent / "models").rglob("*"):
            if path.is_file():
                path.unlink()
        assert KINDS[0].open(folder)

    def test_a_damaged_model_is_trained_again(self, tmp_path):
        indexes = tmp_path / "indexes"
        KINDS[0].build(corpus(), indexes / "one", quiet)
        (vectors,) = indexes.glob("models/word2vec-*/vectors.npy")
        whole = vectors.read_bytes()
        vectors.write_bytes(whole[:-4])
        KINDS[0].build(corpus(), indexes / "two", quiet)
        assert vectors.read_bytes() == whole

    def test_workers_side_by_side_end_with_one_model_and_the_same_indexes(self, tmp_path):
        with get_context("spawn").Pool(2) as workers:
            workers.map(_build, [(name, str(tmp_path / "both")) for name in ("a", "b")])
        _build(("a", str(tmp_path / "alone")))
        metas = [
            json.loads((tmp_path / where / "indexes" / name / "meta.json").read_bytes())["files"]
            for where, name in (("both", "a"), ("both", "b"), ("alone", "a"))
        ]
        assert metas[0] == metas[1] == metas[2]
        models = tmp_path / "both" / "indexes" / "models"
        assert [path.name[0] for path in sorted(models.iterdir())] == [".", "w"]

    @pytest.mark.by_day(2)
    def test_vectors_do_not_depend_on_the_seed_of_python_s_hashes(self, tmp_path):
        code = "from tests.retrieval.test_cbow import _build; _build(('a', {!r}))"
        for seed in ("1", "2"):
            subprocess.run(
                [sys.executable, "-c", code.format(str(tmp_path / seed))],
                check=True,
                cwd=ROOT,
                env={**os.environ, "PYTHONHASHSEED": seed},
            )
        first, second = (
            next((tmp_path / seed).rglob("models/*/vectors.npy")) for seed in ("1", "2")
        )
        assert first.read_bytes() == second.read_bytes()

    def test_small_corpora_are_read_more_often_and_keep_rare_words(self):
        training = Training()
        assert [training.passes(words) for words in (10, 10**6, 20 * 10**6, 10**9)] == [
            20,
            20,
            5,
            1,
        ]
        assert [training.smallest_count(words) for words in (999_999, 1_000_000)] == [1, 5]
        assert [training.sample_rate(words) for words in (999_999, 1_000_000)] == [1e-3, 1e-4]
        custom = Training(epochs=4, min_count=2, sample=0.01)
        assert (custom.passes(10), custom.smallest_count(10), custom.sample_rate(10)) == (
            4,
            2,
            0.01,
        )

    def test_progress_is_told_while_training_and_can_stop_it(self, tmp_path):
        def stop(done):
            if (tmp_path / "indexes" / "models").exists():
                raise InterruptedError

        with pytest.raises(InterruptedError):
            KINDS[0].build(corpus(), tmp_path / "indexes" / "index", stop)
        assert not (tmp_path / "indexes" / "index").exists()
        assert not list((tmp_path / "indexes" / "models").glob("*word2vec-*/*"))

    def test_words_that_come_together_have_like_vectors(self, tmp_path):
        chance = random.Random(5)
        groups = [[f"{letter}{n}" for n in range(8)] for letter in "kp"]
        documents = [
            IndexedText(str(n), "", " ".join(chance.choices(groups[n % 2], k=30)))
            for n in range(400)
        ]
        texts = sort_texts(documents, "text", tmp_path, quiet)
        vocabulary = word_vectors(texts, Training(dimensions=20, epochs=10), tmp_path, quiet)
        place = {word: n for n, word in enumerate(vocabulary.words)}
        units = vocabulary.vectors / np.linalg.norm(vocabulary.vectors, axis=1)[:, None]
        same, other = (float(units[place["k0"]] @ units[place[word]]) for word in ("k1", "p1"))
        assert same > other + 0.5


def _build(task):
    name, folder = task
    KINDS[1].build(iter(corpus()), Path(folder) / "indexes" / name, quiet)


def test_the_registry_s_ones_have_200_dimensions():
    for name in ("cbow_title", "cbow_abstract", "tfidf_cbow_title", "tfidf_cbow_abstract"):
        assert retriever_named(name).parameters["word2vec"]["dimensions"] == 200
        assert retriever_named(name).parameters["word2vec"]["threads"] == 1


@pytest.mark.parametrize(
    ("documents", "error"),
    [
        ([], NothingToIndex),
        ([IndexedText("1", "", "words here")], NothingToIndex),
        ([IndexedText("1", "", "")], NothingToIndex),
        ([IndexedText("1", "cats", ""), IndexedText("1", "dogs", "")], DuplicateDocument),
    ],
)
def test_nothing_to_index_and_duplicates_leave_nothing_behind(documents, error, tmp_path):
    with pytest.raises(error):
        KINDS[0].build(documents, tmp_path / "indexes" / "index", quiet)
    assert not [path for path in tmp_path.rglob("*") if path.is_file() and path.suffix == ".json"
                and path.parent.name == "index"]  # fmt: skip

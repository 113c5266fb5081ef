"""Retrievers that compare vectors, with stand-ins for the libraries that the usual installation leaves out."""

from __future__ import annotations

import sys
from types import ModuleType, SimpleNamespace

import numpy as np
import pytest
from django.urls import reverse

from corpus.models import Query
from jobs.work import run_now
from retrieval import extras, vectors
from retrieval.retrievers import RETRIEVERS
from retrieval.vectors import Words
from tests import builders
from web.errors import BadInput

TEXTS = {"e": "", "d": "unknown", "c": "tea tea cake", "b": "cake", "a": "tea"}
VECTORS = {"tea": [1.0, 0.0], "cake": [0.0, 1.0]}


def ranked(name, asked, reported=None):
    rows = [SimpleNamespace(docno=docno, title="", sentences=[text]) for docno, text in TEXTS.items()]
    report = (reported if reported is not None else []).append
    lists = RETRIEVERS[name].rank(iter(rows), [Query(description=asked)], 10, lambda *about: report(about))
    ((docnos, scores),) = lists
    return docnos, scores


@pytest.fixture
def gensim(monkeypatch):
    """What is used of gensim: a model that reads the sentences once a pass, and has vectors of known words."""

    class Word2Vec:
        def __init__(self, sentences, vector_size, min_count, epochs, workers, seed, callbacks):
            assert (vector_size, min_count, epochs, workers) == (200, 1, 20, 1)
            self.read = [list(sentences) for _ in range(epochs)]
            assert all(each == [text.split() for text in TEXTS.values()] for each in self.read)
            for each in callbacks * epochs:
                each.on_epoch_end(self)
            self.wv = SimpleNamespace(index_to_key=list(VECTORS), vectors=np.array(list(VECTORS.values()), np.float32))

    models, callbacks = ModuleType("gensim.models"), ModuleType("gensim.models.callbacks")
    models.Word2Vec, callbacks.CallbackAny2Vec = Word2Vec, object
    for module in (ModuleType("gensim"), models, callbacks):
        monkeypatch.setitem(sys.modules, module.__name__, module)


def test_word2vec_ranks_by_the_distance_of_means_and_reports_its_passes(gensim):
    reported = []
    docnos, scores = ranked("word2vec", "Tea, nothing else", reported)
    assert docnos == ["a", "c", "b"]  # of the others no word has a vector
    assert scores == pytest.approx([0, -np.sqrt(2) / 3, -np.sqrt(2)], rel=1e-6)
    assert reported[-1] == (20, 20, "passes of training")
    assert ranked("word2vec", "else") == ([], [])


def test_word2vec_is_weighted_by_tfidf(gensim):
    """Both words are in two of five documents, so in c tea weighs twice as much as cake."""
    assert ranked("word2vec-tfidf", "tea")[1] == ranked("word2vec", "tea")[1]
    words = Words(["tea", "tea cake"], lambda *about: None)
    words.trained = list(VECTORS), np.array(list(VECTORS.values()))
    cake = np.log(3 / 2) + 1
    assert words.means(["tea cake"], is_weighted=True)[0] == pytest.approx(np.array([1, cake]) / (1 + cake))


def test_an_encoder_ranks_by_cosine(monkeypatch):
    known = {"tea": [1, 0], "cake": [0, 1], "tea tea cake": [0.8, 0.6], "unknown": [-1, 0], "": [0.6, -0.8]}

    class Encoder:
        def encode(self, texts, **options):
            return np.array([known[text.strip()] for text in texts], np.float32)

    monkeypatch.setitem(vectors.loaded, ("sentence-transformers/all-MiniLM-L6-v2", ""), Encoder())
    docnos, scores = ranked("encoder-minilm", "tea")
    assert docnos == ["a", "c", "e", "b", "d"]
    assert scores == pytest.approx([1, 0.8, 0.6, 0, -1])


@pytest.mark.parametrize("name", ["word2vec", "word2vec-tfidf"])
def test_the_real_gensim_ranks_what_has_a_word(name):
    pytest.importorskip("gensim")
    assert sorted(ranked(name, "tea")[0]) == ["a", "b", "c", "d"]


@pytest.mark.django_db
@pytest.mark.parametrize(("name", "extra"), [("word2vec", "word2vec"), ("encoder-minilm", "encoders")])
def test_without_its_library_a_retriever_says_how_to_install_it(collection, papers, as_, monkeypatch, name, extra):
    monkeypatch.setattr(extras, "find_spec", lambda package: None)
    builders.query(collection, papers[0])
    admin, sentence = as_("admin"), f'pip install ".[{extra}]"'
    page = admin.get(reverse("add-run", args=[collection.slug])).content.decode()
    assert sentence in page.replace("&quot;", '"')
    assert f'value="{name}"' not in page
    assert 'value="most-cited"' in page
    refused = admin.post(reverse("build-runs", args=[collection.slug]), {"name": name})
    assert (refused.status_code, sentence in refused.text.replace("&quot;", '"')) == (400, True)
    by_api = admin.post(reverse("api-runs-build", args=[collection.slug]), {"names": [name]}, "application/json")
    assert (by_api.status_code, sentence in by_api.json()["message"]) == (400, True)
    with pytest.raises(BadInput, match="Install it where the workers run"):
        run_now("build_runs", collection=collection, names=[name])

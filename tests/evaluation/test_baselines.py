"""Baselines that rank the judged pool again, and their page."""

from __future__ import annotations

import math

import numpy as np
import pytest
from django.urls import reverse
from sklearn.feature_extraction.text import TfidfVectorizer

from evaluation import baselines, scores
from evaluation.folds import make_folds
from evaluation.measures import profile
from jobs.models import Report
from jobs.work import run_now
from retrieval import extras, vectors
from retrieval.models import BASELINE
from tests import builders
from web.errors import BadInput, Conflict

pytestmark = pytest.mark.django_db

ABSTRACTS = {
    "d01": ["Graph kernels compare trees.", "We parse trees with a parser, trees of words."],
    "d02": ["Neural networks are trained.", "The networks are deep."],
    "d03": ["A parser of graphs and trees."],
    "d04": [],
    "d05": ["Trees, trees, trees and a parser."],
}
ASKED = "We parse trees with a fast parser of trees."


@pytest.fixture
def judged(collection, people):
    """A query with five judged candidates, one without an abstract, and a document outside the pool."""
    paper = builders.document(collection, "d00", sentences=["Parsing is slow.", ASKED], labels=["background", "method"])
    documents = [
        builders.document(collection, docno, sentences=sentences, labels=["method"] * len(sentences))
        for docno, sentences in ABSTRACTS.items()
    ]
    builders.document(collection, "d06", sentences=["The trees of a forest are not parsed."], labels=["method"])
    query = builders.query(collection, paper)
    builders.opened(query, documents, people.ann, people.bob)
    builders.judge_all(query, {docno: (number % 4, number % 4) for number, docno in enumerate(ABSTRACTS)})
    return collection


def list_of(collection, name):
    run = collection.runs.get(name=name, kind=BASELINE)
    return dict(zip(*run.lists.values_list("docnos", "scores").get(), strict=True))


def texts_of(collection):
    return {each.docno: each.abstract for each in collection.documents.order_by("-docno")}


def test_tfidf_is_scikit_learns_over_all_abstracts(judged):
    run_now("build_baselines", collection=judged, names=["fabs_tfidf"])
    texts = texts_of(judged)
    vectorizer = TfidfVectorizer().fit(texts.values())
    cosines = (vectorizer.transform(texts.values()) @ vectorizer.transform([ASKED]).T).toarray()[:, 0]
    theirs = dict(zip(texts, cosines, strict=True))
    ours = list_of(judged, "fabs_tfidf")
    assert list(ours)[-1] == "d04"  # it has no text
    for docno in ("d01", "d02", "d03", "d05"):
        assert ours[docno] == pytest.approx(theirs[docno])


def test_bm25_is_okapis_formula_by_hand(judged):
    """Also of words that more than half of the abstracts have, whose idf is negative at first."""
    run_now("build_baselines", collection=judged, names=["fabs_bm25"])
    words_of = TfidfVectorizer().build_analyzer()
    words = {docno: words_of(text) for docno, text in texts_of(judged).items()}
    mean = sum(map(len, words.values())) / len(words)
    number = {word: sum(word in each for each in words.values()) for each in words.values() for word in each}
    idf = {word: math.log(len(words) - n + 0.5) - math.log(n + 0.5) for word, n in number.items()}
    floor = 0.25 * sum(idf.values()) / len(idf)
    assert idf["trees"] < 0

    def score(docno):
        total = 0.0
        for word in words_of(ASKED):
            tf = words[docno].count(word)
            weight = idf.get(word, 0.0)
            weight = floor if weight < 0 else weight
            total += weight * tf * 2.5 / (tf + 1.5 * (0.25 + 0.75 * len(words[docno]) / mean))
        return total

    ours = list_of(judged, "fabs_bm25")
    assert list(ours)[-1] == "d04"
    for docno in ("d01", "d02", "d03", "d05"):
        assert ours[docno] == pytest.approx(score(docno), abs=1e-12)


def test_a_baseline_is_scored_at_once_and_replaced_when_built_again(judged):
    run_now("build_baselines", collection=judged, names=["fabs_tfidf", "fabs_bm25"])
    first = judged.runs.get(name="fabs_tfidf")
    assert Report.objects.filter(kind=scores.KIND, parameters__run=first.pk, parameters__profile="csfcube").exists()
    run_now("build_baselines", collection=judged, names=["fabs_tfidf"])
    second = judged.runs.get(name="fabs_tfidf")
    assert second.pk != first.pk
    assert second.settings["pairs"] == 5
    assert scores.stored_scores(judged, [second], profile("csfcube", 2))


def test_a_run_that_is_no_baseline_is_kept(judged):
    builders.run(judged, "fabs_tfidf", {})
    with pytest.raises(Conflict):
        run_now("build_baselines", collection=judged, names=["fabs_tfidf"])


def test_without_labels_there_is_nothing_to_rank(collection, papers, as_):
    assert as_("admin").get(reverse("baselines", args=[collection.slug])).context["pairs"] == 0
    with pytest.raises(BadInput):
        run_now("build_baselines", collection=collection, names=["fabs_tfidf"])


def test_topics_are_offered_words_only_and_ask_with_title_and_description(people):
    topics = builders.collection("topics", facets=[])
    for name in ("ann", "bob"):
        builders.person(name, topics, "annotator")
    documents = [builders.document(topics, docno, sentences=[text]) for docno, text in [("a", "cats"), ("b", "dogs")]]
    topic = builders.topic(topics, "1", "dogs", description="All about dogs.")
    builders.opened(topic, documents, people.ann, people.bob)
    builders.judge_all(topic, {"a": (0, 0), "b": (3, 3)})
    assert list(baselines.baselines_of(topics)) == ["abs_tfidf", "abs_bm25"]
    run_now("build_baselines", collection=topics, names=["abs_tfidf", "abs_bm25"])
    assert list(list_of(topics, "abs_tfidf")) == list(list_of(topics, "abs_bm25")) == ["b", "a"]
    with pytest.raises(BadInput):
        run_now("build_baselines", collection=topics, names=["fabs_tfidf"])


def test_the_page_builds_and_says_what_is_behind(judged, as_, monkeypatch):
    monkeypatch.setattr(extras, "find_spec", lambda package: None)
    client, url = as_("admin"), reverse("baselines", args=[judged.slug])
    page = client.get(url)
    assert page.context["wanted"] == ["fabs_tfidf", "fabs_bm25"]
    assert ".[word2vec]" in page.content.decode()
    build = reverse("build-baselines", args=[judged.slug])
    assert client.post(build).status_code == 400
    refused = client.post(build, {"name": "fabs_cbow200"})
    assert (refused.status_code, ".[word2vec]" in refused.content.decode()) == (400, True)
    assert client.post(build, {"name": "fabs_bm25"}).url == url
    job = client.get(url).context["job"]
    assert (job.kind, job.parameters) == ("build_baselines", {"names": ["fabs_bm25"]})
    run_now("build_baselines", collection=judged, **job.parameters)
    assert client.get(url).context["wanted"] == ["fabs_tfidf"]
    builders.document(judged, "d07", sentences=["More."])
    assert client.get(url).context["wanted"] == ["fabs_tfidf", "fabs_bm25"]


def test_baselines_are_no_sources_of_pools(judged, as_):
    run_now("build_baselines", collection=judged, names=["fabs_bm25"])
    form = as_("admin").get(reverse("build-pools", args=[judged.slug])).context["form"]
    assert "fabs_bm25" not in dict(form.fields["sources"].choices)


def test_word2vec_ranks_by_the_distance_of_means(judged):
    pytest.importorskip("gensim")
    run_now("build_baselines", collection=judged, names=["fabs_cbow200", "fabs_tfidfcbow200"])
    assert list(list_of(judged, "fabs_cbow200"))[-1] == "d04"
    assert len(list_of(judged, "fabs_tfidfcbow200")) == 5


def test_means_of_vectors_by_hand(judged):
    corpus = baselines.Corpus(type("Work", (), {"collection": judged, "progress": lambda *arguments: None})())
    corpus.words.trained = ["trees", "parser"], np.array([[1.0, 0.0], [0.0, 1.0]])
    query, texts = ["trees"], [["Trees of trees"], ["a parser, trees"], ["nothing known"]]
    plain = baselines.mean_vectors(corpus, query, texts, is_weighted=False)
    assert plain.tolist() == pytest.approx([0.0, -math.sqrt(0.5), math.nan], nan_ok=True)
    trees, parser = (math.log(8 / (1 + n)) + 1 for n in (5, 4))  # of 7 abstracts
    weighted = baselines.mean_vectors(corpus, query, texts, is_weighted=True)
    assert weighted[1] == pytest.approx(-math.sqrt(2) * parser / (trees + parser))


def test_the_closest_pair_of_sentences_counts(judged, monkeypatch):
    known = {"q1": [1, 0], "q2": [0, 1], "a": [1, 0], "b": [0.6, 0.8], "c": [-1, 0]}

    class Encoder:
        def encode(self, sentences, **options):
            return np.array([known[sentence] for sentence in sentences], float)

    monkeypatch.setitem(vectors.loaded, ("m", ""), Encoder())
    corpus = baselines.Corpus(type("Work", (), {"collection": judged})())
    found = baselines.closest_sentences(corpus, ["q1", "q2"], [["c", "b"], ["a"], ["c"]], model="m", pooling="")
    assert found.tolist() == pytest.approx([0.8, 1.0, 0.0])


@pytest.mark.parametrize("pooling", ["", "cls"])
def test_an_encoder_is_loaded_from_a_folder(tmp_path, pooling):
    st = pytest.importorskip("sentence_transformers")
    transformers = pytest.importorskip("transformers")
    (tmp_path / "vocab.txt").write_text("\n".join(["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "trees", "parser"]))
    transformers.BertTokenizerFast(vocab_file=str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    size = {"hidden_size": 8, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 8}
    transformers.BertModel(transformers.BertConfig(vocab_size=7, **size)).save_pretrained(tmp_path)
    encoder = vectors.load_encoder(str(tmp_path), pooling)
    assert isinstance(encoder, st.SentenceTransformer)
    assert encoder.encode(["trees", "parser"], normalize_embeddings=True).shape == (2, 8)


@pytest.mark.csfcube
def test_methods_have_the_published_order(csfcube_release):
    """By NDCG%20 on both facets, BM25 is above TF-IDF (Mysore et al., 2021, table 3), and within 3.5 points of it."""
    collection, _ = csfcube_release
    with pytest.raises(Conflict):
        make_folds(collection)  # the release's own stay
    run_now("build_baselines", collection=collection, names=["fabs_tfidf", "fabs_bm25"])
    wanted = profile("csfcube", 2)
    runs = {run.name: run for run in collection.runs.filter(kind=BASELINE)}
    tables = scores.score_runs(collection, list(runs.values()), wanted)
    published = {
        "background": {"fabs_tfidf": 57.97, "fabs_bm25": 59.39},
        "method": {"fabs_tfidf": 31.2, "fabs_bm25": 34.59},
    }
    for facet, figures in published.items():
        queries = {query.name: query for query in collection.queries.filter(facet=facet)}
        ours = {name: 100 * scores.means(tables[runs[name].pk], queries, wanted)["NDCG%20"] for name in figures}
        assert ours == pytest.approx(figures, abs=3.5)
        assert ours["fabs_bm25"] > ours["fabs_tfidf"]

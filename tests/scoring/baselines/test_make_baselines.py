"""Baselines as systems: the command, the job, and what happens at the edges."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from corpus.facets import DEFAULT_FACETS, NO_FACETS
from corpus.services import create_query
from corpus.state import CorpusChanged
from jobs import services as jobs
from jobs.context import DirectRun
from jobs.models import State
from retrieval.errors import RetrievalError
from scoring.baselines import lists, texts
from scoring.baselines.catalogue import BaselineError, Reads, baselines_named, encoder_named
from scoring.baselines.services import make_baselines, request_baselines
from scoring.baselines.texts import count_words, pooled_texts
from scoring.models import SystemKind
from tests.scoring.baselines.test_scorers import LetterCounts
from tests.support.baseline_scenes import TEXTS, a_judged_scene, judged_query
from tests.support.factories import a_collection, a_topic
from tests.support.recorded_work import RecordedWork
from tests.support.visits import address, client_of, markup, text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

OF_PAPER = ["fabs_tfidf", "fabs_bm25", "fabs_cbow200", "fabs_tfidfcbow200"]
OF_FACET = ["facet_tfidf", "facet_bm25", "facet_cbow200", "facet_tfidfcbow200"]


@once_a_file
def collection():
    return a_judged_scene()


def lists_of(collection):
    return {
        system.name: tuple(system.rankings.get().docnos)
        for system in collection.systems.filter(kind=SystemKind.BASELINE)
    }


def test_the_papers_baselines_read_the_whole_abstract_of_a_candidate(collection):
    out = StringIO()
    call_command("make_baselines", collection.slug, stdout=out)
    # "none" has exactly the query's words, in a sentence that is labelled with another facet.
    lists = lists_of(collection)
    assert {name: docnos[0] for name, docnos in lists.items()} == dict.fromkeys(OF_PAPER, "none")
    assert lists["fabs_tfidf"] == ("none", "near", "far", "nothing")
    report = collection.systems.get(name="fabs_bm25").report
    assert report == {"lists": 1, "documents": 4, "without_text": 0, "queries_without_text": 0}
    # Two relevant documents, at the ranks 1 and 2.
    assert ["fabs_bm25", "100.00", "10.00", "100.00"] in [
        line.split()[:4] for line in out.getvalue().splitlines()
    ]


def test_the_variants_read_only_the_sentences_of_the_facet(collection):
    make_baselines(collection=collection, names=OF_FACET)
    assert lists_of(collection) == dict.fromkeys(OF_FACET, ("near", "far", "nothing", "none"))
    report = collection.systems.get(name="facet_bm25").report
    assert report == {"lists": 1, "documents": 4, "without_text": 2, "queries_without_text": 0}


def test_only_word_vectors_compare_texts_without_a_common_word():
    collection = a_collection()
    texts = {"q": ["Parsing trees"], "near": ["Parsing trees"], "far": ["Counting taxes"]}
    judged_query(collection, "q", texts, {"near": 3, "far": 0})
    names = ["facet_tfidf", "facet_tfidfcbow200"]
    make_baselines(collection=collection, names=names, distance="cosine")
    far = {
        system.name: dict(zip(ranking.docnos, ranking.scores, strict=True))["far"]
        for system in collection.systems.all()
        for ranking in system.rankings.all()
    }
    assert far["facet_tfidf-cosine"] == 0
    assert far["facet_tfidfcbow200-cosine"] != 0


def test_a_baseline_is_made_again_only_after_a_change(collection):
    assert make_baselines(collection=collection)["made"] == OF_PAPER
    again = make_baselines(collection=collection)
    assert (again["made"], again["unchanged"]) == ([], OF_PAPER)
    before = collection.systems.get(name="fabs_bm25").sha256
    collection.documents.filter(docno="far").update(year=2001)
    assert make_baselines(collection=collection, names=["fabs_bm25"])["made"] == ["fabs_bm25"]
    assert collection.systems.get(name="fabs_bm25").sha256 == before


def test_a_baseline_of_an_earlier_definition_is_out_of_date_and_made_again(collection):
    make_baselines(collection=collection, names=["fabs_bm25", "fabs_tfidf"])
    system = collection.systems.get(name="fabs_bm25")
    system.parameters["version"] = 1
    system.save()
    admin = client_of("admin")
    for page in ("add-system", "leaderboard"):
        assert text_of(admin.get(address(page))).count("by an earlier definition") == 1
    result = make_baselines(collection=collection, names=["fabs_bm25", "fabs_tfidf"])
    assert result == {"made": ["fabs_bm25"], "unchanged": ["fabs_tfidf"]}
    assert "by an earlier definition" not in text_of(admin.get(address("add-system")))


def test_another_distance_is_another_system_and_bm25_has_none(collection):
    names = ["fabs_bm25", "fabs_cbow200"]
    call_command("make_baselines", collection.slug, distance="cosine", baseline=names)
    systems = {system.name: system for system in collection.systems.all()}
    assert sorted(systems) == ["fabs_bm25", "fabs_cbow200-cosine"]
    assert systems["fabs_cbow200-cosine"].parameters["distance"] == "cosine"
    assert "distance" not in systems["fabs_bm25"].parameters
    scores = systems["fabs_cbow200-cosine"].rankings.get().scores
    assert scores[0] == pytest.approx(1)  # an equal text
    again = make_baselines(collection=collection, names=names, distance="l2")
    assert again == {"made": ["fabs_cbow200"], "unchanged": ["fabs_bm25"]}


def test_the_parameters_say_what_was_compared(collection):
    make_baselines(collection=collection, names=["fabs_tfidf", "facet_bm25", "fabs_tfidfcbow200"])
    parameters = {system.name: system.parameters for system in collection.systems.all()}
    keys = ("query", "candidate", "compares", "distance", "words_counted_over", "analysis")
    assert [parameters["fabs_tfidf"].get(key) for key in keys] == [
        "sentences of the facet",
        "all sentences of the abstract",
        "TF-IDF vectors of length 1; a word weighs tf · idf",
        "l2",
        "all sentences of the abstract, whole corpus",
        "plain",
    ]
    assert [parameters["facet_bm25"].get(key) for key in keys] == [
        "sentences of the facet",
        "sentences of the facet",
        "BM25 of the retriever bm25: k1 = 1.2, b = 0.75",
        None,
        "sentences of the facet, whole corpus",
        "plain",
    ]
    assert parameters["fabs_tfidfcbow200"]["word2vec"]["dimensions"] == 200
    common = parameters["fabs_tfidf"]
    assert (common["version"], common["queries"], common["pairs"]) == (2, 1, 4)


def test_a_job_says_what_it_reads_and_makes(collection, monkeypatch):
    monkeypatch.setattr(texts, "ROWS", 4)
    work = RecordedWork()

    make_baselines(collection=collection, names=["fabs_bm25", "fabs_cbow200"], work=work)

    assert (1, 1, "fabs_bm25: queries ranked") in work.seen
    assert (4, 6, "documents read") in work.seen
    assert any(note == "training word vectors" for _, _, note in work.seen)


def test_documents_that_change_while_a_baseline_is_made_stop_it(collection):
    class Changing(DirectRun):
        def progress(self, done, total, note=""):
            collection.documents.filter(docno="far").update(year=2001)

    with pytest.raises(CorpusChanged, match="fabs_bm25 was being made"):
        make_baselines(collection=collection, names=["fabs_bm25"], work=Changing())
    assert not collection.systems.exists()


def test_an_encoder_compares_all_sentences_of_a_candidate_by_cosine(collection, monkeypatch):
    monkeypatch.setattr(lists, "load_model", lambda model, name: LetterCounts())
    result = make_baselines(
        collection=collection, names=["sentences", "facet_sentences"], encoder="letters"
    )
    assert result["made"] == ["sentences-letters", "facet_sentences-letters"]
    systems = {system.name: system for system in collection.systems.all()}
    of_all, of_facet = systems["sentences-letters"], systems["facet_sentences-letters"]
    # Each has a sentence with an a and without a b, so no angle between two vectors.
    assert list(of_all.rankings.get().scores) == [1, 1, 1, 1]
    assert list(of_facet.rankings.get().scores) == [0, -1, -2, -2]
    assert (of_all.parameters["distance"], of_facet.parameters["distance"]) == ("cosine", "l2")
    assert of_all.parameters["encoder"]["model"] == "letters"


def test_without_facets_the_whole_text_is_compared():
    collection = a_judged_scene(facets=NO_FACETS)
    for reads in (Reads.FACET, Reads.SENTENCES):
        ((query, facet, sentences, candidates),) = pooled_texts(
            collection, {"q": ["near"]}, Reads.FACET, reads
        )
        assert (query, facet) == ("q", "")
        assert sentences == ["Title of q", "Cats sleep.", "A neural parser of trees"]
        assert candidates == {"near": ["Title of near", "Taxes.", "A neural parser of sentences"]}


@pytest.mark.parametrize(
    ("title", "description", "facets", "expected"),
    [
        ("Trees", "How? Why?", NO_FACETS, ["Trees", "How?", "Why?"]),
        ("Trees", "", NO_FACETS, ["Trees"]),
        ("", "How? Why?", NO_FACETS, ["How?", "Why?"]),
        ("Trees", "How? Why?", DEFAULT_FACETS, ["How?", "Why?"]),
    ],
)
def test_a_topic_is_compared_by_its_description_or_its_title(title, description, facets, expected):
    collection = a_collection(facets=facets)
    key = collection.facets.values_list("key", flat=True).last()
    topic = a_topic(collection, title=title, description=description, facet=key)
    (pooled,) = pooled_texts(collection, {topic.name: []}, Reads.FACET, Reads.FACET)

    assert (pooled.sentences, pooled.candidates) == (expected, {})


def test_a_candidates_sentences_are_those_of_its_abstract_without_the_title(collection):
    pools = {"q_method": ["near"]}
    (pooled,) = pooled_texts(collection, pools, Reads.FACET, Reads.SENTENCES)
    assert pooled.sentences == ["A neural parser of trees"]
    assert pooled.candidates == {"near": ["Taxes.", "A neural parser of sentences"]}


def test_a_query_by_sentences_is_compared_by_these_sentences(collection):
    by_sentences = create_query(collection=collection, docno="q", facet_key="method", sentences=[1])
    names = {"q_method": ["near"], by_sentences.name: ["near"]}
    found = pooled_texts(collection, names, Reads.FACET, Reads.SENTENCES)
    assert [pooled.sentences for pooled in found] == [["A neural parser of trees"], ["Cats sleep."]]


def test_no_document_is_looked_up_on_its_own(collection, django_assert_num_queries):
    with django_assert_num_queries(2):
        count_words(collection, {"words": str.split}, ["method"], Reads.FACET, lambda _: None)
    with django_assert_num_queries(2):
        list(pooled_texts(collection, {"q_method": list(TEXTS)}, Reads.FACET, Reads.FACET))


def test_words_are_counted_by_facet_or_once_over_all_abstracts(collection, monkeypatch):
    monkeypatch.setattr(texts, "ROWS", 4)
    done = []
    keys = ("background", "method")

    def counts(reads):
        return count_words(collection, {"words": str.split}, keys, reads, done.append)

    of_facets, of_abstracts = counts(Reads.FACET), counts(Reads.SENTENCES)
    assert {key: of_facets[key, "words"].texts for key in keys} == {"background": 4, "method": 4}
    assert of_facets["method", "words"].frequency["trees"] == 2
    assert of_facets["background", "words"].frequency["trees"] == 1
    assert of_abstracts["method", "words"] is of_abstracts["background", "words"]
    whole = of_abstracts["method", "words"]
    assert (whole.texts, whole.frequency["trees"], whole.frequency["Title"]) == (6, 3, 0)
    assert done == [4, 4]


def test_abstracts_are_one_text_with_the_title_on_its_first_line(collection):
    pools = {"q_method": ["near"]}
    both = Reads.TITLE_ABSTRACT
    (whole,) = pooled_texts(collection, pools, both, both)
    assert whole.sentences == ["Title of q\nCats sleep. A neural parser of trees"]
    assert whole.candidates == {"near": ["Title of near\nTaxes. A neural parser of sentences"]}
    (abstract,) = pooled_texts(collection, pools, Reads.ABSTRACT, Reads.ABSTRACT)
    assert abstract.sentences == ["Cats sleep. A neural parser of trees"]
    assert abstract.candidates == {"near": ["Taxes. A neural parser of sentences"]}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"names": ["bm25"]}, "Unknown baseline 'bm25'"),
        ({"names": ["sentences"]}, "needs an encoder"),
        ({"encoder": "model?pooling=best"}, "pooling must be one of"),
        ({"distance": "cos"}, "Unknown distance 'cos'. Use cosine, l2"),
    ],
)
def test_what_cannot_be_made_is_said(collection, options, message):
    with pytest.raises(BaselineError, match=message):
        make_baselines(collection=collection, **options)
    with pytest.raises(BaselineError, match=message):
        request_baselines(collection=collection, **options)
    assert not collection.systems.exists()
    assert not collection.jobs.exists()


def test_a_collection_without_labels_and_a_foreign_encoder_are_refused():
    collection = a_collection()
    with pytest.raises(CommandError, match="no final label yet"):
        call_command("make_baselines", collection.slug)
    with pytest.raises(RetrievalError, match="ENCODERS"):
        request_baselines(collection=collection, encoder="/etc/model")


def test_the_name_of_an_encoders_system_has_its_model_without_the_folder():
    encoder = encoder_named("/srv/models/spec ter/?pooling=cls")
    (baseline,) = baselines_named(["title_abstract"], has_encoder=True)
    assert baseline.system_name(encoder) == "title_abstract-spec-ter-pooling-cls"
    (by_cosine,) = baselines_named(["title_abstract"], has_encoder=True, distance="cosine")
    assert by_cosine.system_name(encoder) == "title_abstract-cosine-spec-ter-pooling-cls"


def test_without_names_the_papers_baselines_are_chosen():
    without, with_encoder = (
        [baseline.name for baseline in baselines_named([], has_encoder=has_encoder)]
        for has_encoder in (False, True)
    )
    assert without == OF_PAPER
    assert with_encoder == [*OF_PAPER, "sentences", "title_abstract"]


def test_the_button_makes_baselines_in_a_job_and_the_page_counts_what_has_no_text(
    collection, settings
):
    settings.ENCODERS = ["/srv/models/minilm"]
    admin = client_of("admin")
    chosen = {"name": ["fabs_bm25", "fabs_tfidf"], "distance": "cosine"}
    response = admin.post(address("make-baselines"), chosen)
    job = collection.jobs.get()
    assert response.url == address("job", job.pk)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.result["made"]) == (
        State.SUCCEEDED,
        ["fabs_tfidf-cosine", "fabs_bm25"],
    )
    assert collection.systems.get(name="fabs_bm25").scores.exists()
    page = admin.get(address("add-system"))
    rows = {
        row.baseline.name: len(row.systems)
        for group in page.context["groups"]
        for row in group.rows
    }
    assert {name for name, systems in rows.items() if systems} == {"fabs_tfidf", "fabs_bm25"}
    assert "fabs_tfidf-cosine" in text_of(page)
    assert "<option>/srv/models/minilm</option>" in markup(page.text)
    refused = admin.post(address("make-baselines"), {"encoder": "/etc/model"})
    assert refused.status_code == 422
    assert "is not allowed on this server" in text_of(refused)


def test_a_collection_without_judgments_leads_to_judging():
    a_collection()
    page = client_of("admin").get(address("add-system"))
    assert "No judged pool yet" in text_of(page)

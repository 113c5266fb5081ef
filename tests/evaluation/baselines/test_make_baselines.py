"""Baselines as systems: the command, the job, and what happens at the edges."""

from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from corpus.facets import NO_FACETS
from evaluation.baselines.catalogue import (
    BASELINES,
    BaselineError,
    Reads,
    baselines_named,
    encoder_named,
)
from evaluation.baselines.services import make_baselines, request_baselines
from evaluation.baselines.texts import pooled_texts
from evaluation.models import Kind
from jobs import services as jobs
from jobs.models import State
from retrieval.errors import RetrievalError
from tests.support.baseline_scenes import a_judged_scene
from tests.support.factories import a_collection
from tests.support.visits import address, client_of, markup, text_of

pytestmark = pytest.mark.django_db

MADE = ["fabs_bm25", "fabs_cbow200", "fabs_tfidf", "fabs_tfidfcbow200"]


def lists_of(collection):
    return {
        system.name: system.rankings.get().docnos
        for system in collection.systems.filter(kind=Kind.BASELINE)
    }


def test_the_command_ranks_the_labelled_documents_and_prints_the_scores():
    collection = a_judged_scene()
    out = StringIO()
    call_command("make_baselines", collection.slug, stdout=out)
    lists = lists_of(collection)
    assert sorted(lists) == MADE
    # "none" has the query's words, but in a sentence on another facet.
    assert {tuple(docnos) for docnos in lists.values()} == {("near", "far", "nothing", "none")}
    report = collection.systems.get(name="fabs_bm25").report
    assert report == {"lists": 1, "documents": 4, "without_text": 2, "queries_without_text": 0}
    # Two relevant documents, the last of them at rank 4.
    assert ["fabs_bm25", "50.00", "10.00", "100.00"] in [
        line.split()[:4] for line in out.getvalue().splitlines()
    ]


def test_a_baseline_is_made_again_only_after_a_change():
    collection = a_judged_scene()
    assert make_baselines(collection=collection)["made"] == list(BASELINES)[:4]
    again = make_baselines(collection=collection)
    assert (again["made"], len(again["unchanged"])) == ([], 4)
    before = collection.systems.get(name="fabs_bm25").sha256
    collection.documents.filter(docno="far").update(year=2001)
    assert make_baselines(collection=collection, names=["fabs_bm25"])["made"] == ["fabs_bm25"]
    assert collection.systems.get(name="fabs_bm25").sha256 == before


def test_without_facets_the_whole_text_is_compared():
    collection = a_judged_scene(facets=NO_FACETS)
    ((query, facet, sentences, candidates),) = pooled_texts(
        collection, {"q": ["near"]}, Reads.FACET
    )
    assert (query, facet) == ("q", "")
    assert sentences == ["Title of q", "Cats sleep.", "A neural parser of trees"]
    assert candidates == {"near": ["Title of near", "Taxes.", "A neural parser of sentences"]}


def test_abstracts_are_one_text_with_the_title_on_its_first_line():
    collection = a_judged_scene()
    pools = {"q_method": ["near"]}
    (whole,) = pooled_texts(collection, pools, Reads.TITLE_ABSTRACT)
    assert whole.sentences == ["Title of q\nCats sleep. A neural parser of trees"]
    (abstract,) = pooled_texts(collection, pools, Reads.ABSTRACT)
    assert abstract.candidates == {"near": ["Taxes. A neural parser of sentences"]}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"names": ["bm25"]}, "Unknown baseline 'bm25'"),
        ({"names": ["sentences"]}, "needs an encoder"),
        ({"encoder": "model?pooling=best"}, "pooling must be one of"),
    ],
)
def test_what_cannot_be_made_is_said(options, message):
    collection = a_judged_scene()
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


def test_the_button_makes_baselines_in_a_job_and_the_page_counts_what_has_no_text(settings):
    collection = a_judged_scene()
    settings.ENCODERS = ["/srv/models/minilm"]
    admin = client_of("admin")
    response = admin.post(address("make-baselines"), {"name": ["fabs_bm25", "fabs_tfidf"]})
    job = collection.jobs.get()
    assert response.url == address("job", job.pk)
    jobs.run(job.pk)
    job.refresh_from_db()
    assert (job.state, job.result["made"]) == (State.SUCCEEDED, ["fabs_tfidf", "fabs_bm25"])
    assert collection.systems.get(name="fabs_bm25").scores.exists()
    page = admin.get(address("baselines"))
    assert [len(row.systems) for row in page.context["rows"]] == [1, 1, 0, 0, 0, 0, 0]
    assert "<option>/srv/models/minilm</option>" in markup(page.text)
    refused = admin.post(address("make-baselines"), {"encoder": "/etc/model"})
    assert refused.status_code == 422
    assert "is not allowed on this server" in text_of(refused)


def test_a_collection_without_judgments_leads_to_judging():
    a_collection()
    page = client_of("admin").get(address("baselines"))
    assert "No judged pool yet" in text_of(page)

"""The pages of sentence labels, and what opening a query says of unchecked ones."""

from __future__ import annotations

import pytest
from django.urls import reverse

from annotation.openings import refuse_unchecked_labels
from annotation.practice import close_practice
from corpus.label_views import keys_of
from corpus.models import Document
from jobs.models import Job
from jobs.work import run_now
from tests import builders
from web.errors import Conflict

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(as_):
    return as_("admin")


@pytest.fixture
def unchecked(collection):
    """Two documents with predicted labels, the second less certain; the first is a query paper with a frozen pool."""
    made = []
    for docno, certainties in (("sure", [0.9, 0.8, 0.9]), ("unsure", [0.9, 0.31, 0.9])):
        document = builders.document(collection, docno, labels_predicted=True, certainties=certainties)
        Document.objects.filter(pk=document.pk).update(certainty=min(certainties))
        made.append(document)
    builders.frozen_pool(builders.query(collection, made[0]), [builders.document(collection, "candidate")])
    return made


def url(name, collection, *args):
    return reverse(name, args=[collection.slug, *args])


def test_the_page_predicts_and_lists_what_is_to_check(admin, collection):
    builders.document(collection, "a", labels=[])
    page = admin.get(url("labels", collection))
    assert page.context["counts"] == {"labelled": 0, "predicted": 0, "without": 1}
    admin.post(url("labels", collection))
    job = Job.objects.get()
    assert admin.get(url("labels", collection)).context["job"] == job
    run_now(job.kind, collection=collection, **job.parameters)
    page = admin.get(url("labels", collection))
    assert page.context["counts"]["predicted"] == 1
    assert page.context["next"].docno == "a"


def test_confirming_shows_the_next_document_and_the_way_back(admin, collection, unchecked):
    sure, unsure = unchecked
    first = url("check-labels", collection, admin.get(url("labels", collection)).context["next"].pk)
    assert first == url("check-labels", collection, sure.pk)  # a query paper
    page = admin.get(first)
    answer = {"seen": page.context["seen"], "label-0": "background", "label-1": "method", "label-2": "other"}
    page = admin.post(first, answer, follow=True)
    assert page.redirect_chain[-1][0].startswith(url("check-labels", collection, unsure.pk))
    assert page.context["before"] == sure
    sure.refresh_from_db()
    assert (sure.labels, sure.labels_predicted) == (["background", "method", "other"], False)
    assert page.text.count("data-start") == 1


def test_a_missing_label_is_named_and_the_others_stay_chosen(admin, collection, unchecked):
    page = admin.post(url("check-labels", collection, unchecked[1].pk), {"label-0": "result"})
    assert (page.status_code, "each of the 3 sentences" in page.text) == (400, True)
    assert [row["label"] for row in page.context["rows"]] == ["result", None, None]


def test_a_query_opens_with_unchecked_labels_only_knowingly(admin, collection, people, unchecked):
    query = collection.queries.get()
    page = admin.get(url("open-queries", collection))
    assert url("check-labels", collection, unchecked[0].pk) in page.text
    form = {"queries": [query.pk], "first": people.ann.pk, "second": people.bob.pk}
    page = admin.post(url("open-queries", collection), form)
    assert "nobody checked them" in page.text
    assert not query.openings.exists()
    admin.post(url("open-queries", collection), form | {"with_unchecked_labels": "on"})
    assert query.openings.exists()


def test_three_of_many_queries_with_unchecked_labels_are_named(collection, unchecked):
    sure, unsure = unchecked
    for facet in ("background", "result"):
        builders.query(collection, sure, facet)
    with pytest.raises(Conflict, match="sure_background, sure_method, sure_result were"):
        refuse_unchecked_labels(collection, collection.queries.all())
    builders.query(collection, unsure)
    with pytest.raises(Conflict, match="sure_result and 1 more were"):
        refuse_unchecked_labels(collection, collection.queries.all())


def test_a_practice_and_the_api_ask_the_same(admin, collection, people, unchecked):
    query, known = collection.queries.get(), {"with_unchecked_labels": True}
    form = {"name": "Pilot", "kind": "pilot", "people": [people.ann.pk, people.bob.pk], "queries": [query.pk]}
    page = admin.post(url("add-practice", collection), form | {"number": 1})
    assert "nobody checked them" in page.text
    answer = admin.post(url("api-openings-list", collection), {"queries": [query.name]}, "application/json")
    assert (answer.status_code, query.openings.count()) == (409, 0)
    assert admin.post(url("add-practice", collection), form | known | {"number": 1}).status_code == 302
    close_practice(practice=collection.practices.get())
    about = {"queries": [query.name], "first": "ann", "second": "bob"}
    assert admin.post(url("api-openings-list", collection), about | known, "application/json").status_code == 200


def test_checked_labels_open_without_a_word(admin, collection, people, unchecked):
    Document.objects.update(labels_predicted=False)
    page = admin.get(url("open-queries", collection))
    assert "with_unchecked_labels" not in page.text
    form = {"queries": [collection.queries.get().pk], "first": people.ann.pk, "second": people.bob.pk}
    assert admin.post(url("open-queries", collection), form).status_code == 302


def test_each_label_has_a_letter_of_its_own():
    names = ["background", "method", "result", "objective", "other", "upshot", "bb"]
    assert keys_of(names) == ["b", "m", "r", "o", "t", "p", ""]

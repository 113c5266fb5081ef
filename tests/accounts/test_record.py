"""The record of actions: who did what, written in the transaction in which it was done."""

from __future__ import annotations

import pytest
from django.core.files.base import ContentFile
from django.urls import reverse

from accounts import services
from accounts.models import Action
from corpus.queries import delete_query
from corpus.uploads import find_upload, keep_upload
from jobs import work
from tests import builders
from web.errors import Conflict

pytestmark = pytest.mark.django_db


def recorded(**fields: object) -> list[tuple[str, str | None, str | None]]:
    rows = Action.objects.filter(**fields).order_by("pk")
    return list(rows.values_list("verb", "actor__username", "about__username"))


@pytest.fixture
def done(query, people, as_):
    """An admin's day on the pages."""
    slug, client = query.collection.slug, as_("admin")
    eva = services.add_member(collection=query.collection, user=builders.person("eva"), roles=["annotator"])
    Action.objects.all().delete()

    def post(page, *args, **form):
        answer = client.post(reverse(page, args=[slug, *args]), form)
        assert answer.status_code in {200, 302}, (page, answer.content)

    settings = client.get(reverse("settings", args=[slug])).context["form"].initial
    lists = {key: "\n".join(settings[key]) for key in ("facets", "grades")}
    post("settings", **settings | lists | {"description": "New."})
    post("invite", email="", is_annotator="on")
    post("withdraw-invitation", query.collection.invitations.get().pk)
    post("hand-over", query=query.pk, giver=people.ann.pk, taker=eva.user.pk)
    post("person", eva.pk, roles=["adjudicator"])
    post("remove-person", eva.pk)
    post("edit-guideline", text="Judge well.", change="")
    return query.collection


def test_every_act_names_who_did_it_and_to_whom(done):
    assert recorded(collection=done) == [
        ("settings", "admin", None),
        ("invited", "admin", None),
        ("withdrew", "admin", None),
        ("took", "admin", "ann"),
        ("gave", "admin", "eva"),
        ("roles", "admin", "eva"),
        ("removed", "admin", "eva"),
        ("guideline", "admin", None),
    ]
    assert Action.objects.get(verb="settings").details == {"fields": ["description"]}
    assert Action.objects.get(verb="gave").object == "8 of d00_method"
    assert Action.objects.get(verb="guideline").details == {"version": 1}


def test_admins_read_it_by_person_and_act(done, people, as_):
    for filters, rows in (({}, 8), ({"verb": "gave"}, 1), ({"person": people.ann.pk}, 1), ({"q": "d00"}, 2)):
        page = as_("admin").get(reverse("record", args=[done.slug]), filters)
        assert page.context["table"].page.paginator.count == rows, filters


def test_what_opens_and_closes_judging_is_in_it(query, people, papers, as_):
    other = builders.query(query.collection, papers[9])
    builders.frozen_pool(other, papers[1:3])
    builders.judge_all(query, {f"d{number:02}": (1, 1) for number in range(1, 9)})
    pair = query.pairs.get(document__docno="d05")
    Action.objects.all().delete()
    for page, args, form in (
        ("open-queries", [], {"queries": [other.pk], "first": people.ann.pk, "second": people.bob.pk}),
        ("reopen-pair", [pair.pk], {"reason": "The guideline changed."}),
        ("close-queries", [], {"query": query.pk}),
        ("close-queries", [], {"query": query.pk, "reopen": ""}),
    ):
        assert as_("admin").post(reverse(page, args=[query.collection.slug, *args]), form).status_code == 302
    assert list(Action.objects.order_by("pk").values_list("verb", "object", "actor__username")) == [
        ("opened", "1 query", "admin"),
        ("reopened", "d00_method × d05", "admin"),
        ("closed", "1 query", "admin"),
        ("reopened", "d00_method", "admin"),
    ]


def test_a_refused_act_leaves_no_row(query):
    with pytest.raises(Conflict):
        delete_query(query=query)
    assert not Action.objects.filter(verb="deleted").exists()


def test_a_jobs_act_is_of_who_started_it_and_a_commands_is_nobodys(collection, people):
    for by in (people.admin, None):
        upload = keep_upload(collection, ContentFile(b'{"docno": "x", "title": "X"}\n', "x.jsonl"), "x.jsonl")
        path = find_upload(collection, upload)
        work.run(work.start_job("import_documents", collection=collection, by=by, files=[path]).pk)
    assert recorded(verb="imported") == [("imported", "admin", None), ("imported", None, None)]

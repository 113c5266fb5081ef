"""What is stored about a person: as a file for them, and gone when they are erased."""

from __future__ import annotations

import json

import pytest
from allauth.account.models import EmailAddress
from allauth.mfa.models import Authenticator
from allauth.mfa.totp.internal.auth import TOTP
from allauth.socialaccount.models import SocialAccount
from django.db import connection
from django.urls import reverse

from accounts import erasing, services
from accounts.models import Action, Invitation, User
from jobs.work import run_now
from release.publishing import draft
from tests import builders
from web.errors import AppError

pytestmark = pytest.mark.django_db

TRACES = ["annie", "Annie Ash", "annie@example.org", "Other@Example.org", "uid-of-annie", "SEEDOFANNIE", "token-of-her"]


@pytest.fixture
def annie(collection, people, papers, as_) -> User:
    """She has all that a person can have, and shares a judged query with bob, and one that is not finished."""
    annie = User.objects.create(username="annie", name="Annie Ash", email="annie@example.org", is_superuser=True)
    services.invite(collection=collection, by=people.admin, roles=["annotator"], email="ANNIE@example.org")
    _, link, _ = services.invite(collection=collection, by=people.admin, roles=["annotator"], email="Other@Example.org")
    services.accept_invitation(token=link.rstrip("/").split("/")[-1], user=annie)
    EmailAddress.objects.create(user=annie, email="annie@example.org", verified=True, primary=True)
    SocialAccount.objects.create(user=annie, provider="sso", uid="uid-of-annie", extra_data={"name": "Annie Ash"})
    TOTP.activate(annie, "SEEDOFANNIE")
    services.make_token(user=annie, name="token-of-her", days=30)
    as_("annie").get("/")
    for facet, judged in (("method", 4), ("result", 2)):
        query = builders.query(collection, papers[0], facet)
        builders.opened(query, papers[1:5], annie, people.bob)
        for number, pair in enumerate(query.pairs.order_by("pk")[:judged]):
            builders.judge(pair, annie, number % 3, note="Mine." if number else "")
            if facet == "method":
                builders.judge(pair, people.bob, 1)
    case = query.collection.queries.get(facet="method").pairs.filter(state="case").first()
    builders.decide(case, people.ada, 1)
    run_now("compute_agreement", collection=collection)
    return annie


def everything() -> str:
    """Every row of the database, as text."""
    with connection.cursor() as cursor:
        tables = connection.introspection.table_names(cursor)
        rows = []
        for table in tables:
            cursor.execute(f'SELECT * FROM "{table}"')
            rows.append(repr(cursor.fetchall()))
    return "\n".join(rows)


def test_an_erased_person_leaves_judgments_and_no_trace(annie, collection, people, as_):
    before = draft(collection, with_texts=True).content
    judged = annie.judgments.count()
    client, root = as_("annie"), builders.person("root")
    User.objects.filter(pk=root.pk).update(is_superuser=True)
    assert all(trace.lower() in everything().lower() for trace in TRACES)
    for username, code in (("Annie", 400), ("annie", 302)):  # only the name as it is
        answer = as_("root").post(reverse("erase-person", args=[annie.pk]), {"username": username})
        assert answer.status_code == code
    stored = everything().lower()
    assert [trace for trace in TRACES if trace.lower() in stored] == []
    gone = User.objects.get(pk=annie.pk)
    assert (gone.is_active, gone.is_superuser, gone.has_usable_password()) == (False, False, False)
    assert gone.judgments.count() == judged == 6
    assert client.get(reverse("account")).status_code == 302
    assert not Invitation.objects.filter(accepted_by=None).exists()
    assert draft(collection, with_texts=True).content == before
    assert Action.objects.get(verb="erased").about == gone
    for page in ("people", "progress", "time", "record", "agreement"):
        assert str(gone) in as_("admin").get(reverse(page, args=[collection.slug])).content.decode(), page


def test_what_is_open_goes_on_with_somebody_else(annie, collection, people, as_):
    erasing.erase_person(person=annie, by=people.admin)
    query = collection.queries.get(facet="result")
    form = {"query": query.pk, "giver": annie.pk, "taker": people.ann.pk}
    assert as_("admin").post(reverse("hand-over", args=[collection.slug]), form).status_code == 302
    for slot in query.pairs.order_by("pk")[2].slots.select_related("judge"):
        builders.judge(slot.pair, slot.judge, 1)


@pytest.mark.parametrize("who", ["root", "admin", "twice"])
def test_nobody_is_erased_who_is_needed(annie, collection, people, who):
    """Oneself, the only admin of a collection, or a second time."""
    root = builders.person("root")
    person = {"root": root, "admin": people.admin, "twice": annie}[who]
    if who == "twice":
        erasing.erase_person(person=annie, by=root)
    with pytest.raises(AppError):
        erasing.erase_person(person=person, by=root)
    assert User.objects.filter(username=person.username).exists() == (who != "twice")


def test_those_who_manage_the_server_see_who_asks_and_remove_lost_factors(annie, people, as_):
    client = as_("bob")
    for form, is_asked in (({}, True), ({"withdraw": "1"}, False)):
        client.post(reverse("ask-erasure"), form)
        assert ("bob" in as_("annie").get("/").content.decode()) == is_asked
    TOTP.activate(people.bob, "SEEDOFBOB")
    as_("annie").post(reverse("remove-factors", args=[people.bob.pk]))
    assert not Authenticator.objects.filter(user=people.bob).exists()
    assert client.get(reverse("account")).status_code == 302  # logged out everywhere


def test_ones_data_is_all_ones_own(annie, collection, people, as_):
    answer = as_("annie").get(reverse("own-data"))
    data = json.loads(answer.content)
    assert [row["grade"] for row in data["judgments"]] == [0, 1, 2, 0, 0, 1]
    assert {row["collection"] for row in data["memberships"]} == {collection.slug}
    for trace in TRACES:
        assert (trace in answer.content.decode()) == (trace not in {"SEEDOFANNIE", "Other@Example.org"}), trace
    assert json.loads(as_("ada").get(reverse("own-data")).content)["decisions"][0]["grade"] == 1
    for other in (b"bob", b"ada", b"case", b"agreed"):
        assert other not in answer.content

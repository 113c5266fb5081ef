"""The page on which an admin has a judged pair decided again, and what others see of it."""

from __future__ import annotations

import pytest
from django.urls import reverse

from accounts.models import User
from adjudication.models import Recipient, Referral
from release.errata.services import report_erratum, settle_erratum
from release.services import publish_release
from tests.support.release_scenes import a_judged_collection, slot_of
from tests.support.releases import EVERY_EXCEPTION
from tests.support.sittings import pair_url, refer
from tests.support.visits import queries_of, text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
PAIR = {"query": "q1_method", "docno": "d1", "reason": "Report 1.0-1 says grade 0."}


@once_a_file
def collection():
    return a_judged_collection()


@pytest.fixture
def admin(client, collection):
    client.force_login(User.objects.get(username="admin"))
    return client


@pytest.fixture
def address(collection):
    return reverse("referrals", args=[collection.slug])


def test_the_page_of_an_accepted_report_leads_to_the_filled_in_form(admin, collection):
    release = publish_release(collection=collection, version="1.0", accept=EVERY_EXCEPTION)
    report = {"release": release, "query": "q1_method", "docno": "d1", "problem": "Wrong & more."}
    erratum = settle_erratum(
        erratum=report_erratum(**report), accept=True, answer="It is “0”, & soon.", settled_by=None
    )
    page = admin.get(reverse("erratum", args=[collection.slug, erratum.pk]))
    links = [link for link in page.text.split('"') if "/referrals/?" in link]

    assert len(links) == 2
    form = admin.get(links[1].replace("&amp;", "&")).context["form"]
    assert form["docno"].value() == "d1"
    assert form["recipient"].value() == "judges"
    assert form["reason"].value() == "Report 1.0-1: It is “0”, & soon."


def test_an_admin_sends_a_pair_to_the_adjudicator_who_reads_why(admin, address, collection):
    done = admin.post(address, PAIR | {"recipient": "adjudicator"}, follow=True)

    assert "q1_method d1 is decided again. It is a case for the adjudicator now." in done.text
    assert Referral.objects.get().referred_by.username == "admin"
    assert PAIR["reason"] in text_of(done)
    case = pair_url(slot_of(collection, "q1_method", "d1", 1), "case")
    admin.force_login(User.objects.get(username="adju"))
    assert f"Reason: {PAIR['reason']}" in text_of(admin.get(case))
    assert "pairs that an admin sent here" in text_of(
        admin.get(reverse("adjudicate", args=[collection.slug]))
    )


def test_no_page_of_the_judges_has_the_reason_or_the_earlier_judgments(admin, address, collection):
    admin.post(address, PAIR | {"recipient": "judges"})
    slot = slot_of(collection, "q1_method", "d1", 1)

    admin.force_login(slot.annotator)
    for view in ("judge-pair", "judge-mine"):
        arguments = [collection.slug, "q1_method"]
        page = admin.get(
            pair_url(slot, view) if view == "judge-pair" else reverse(view, args=arguments)
        )
        assert page.status_code == 200
        assert "Report 1.0-1" not in page.text
    assert admin.get(pair_url(slot)).context["shown"].grade is None


def test_what_is_wrong_is_said_beside_its_field(admin, address):
    for values, field, message in (
        ({"recipient": ""}, "recipient", "Choose who decides"),
        ({"docno": "d4", "recipient": "judges"}, "docno", "has no pair with q1_method"),
        ({"query": "q9", "recipient": "judges"}, "query", "has no query"),
        (
            {"recipient": "adjudicator", "annotator_2": User.objects.get(username="ann1").pk},
            "annotator_2",
            "no annotators are named",
        ),
    ):
        page = admin.post(address, PAIR | values)
        assert page.status_code == 422
        assert message in str(page.context["form"].errors[field])
    assert not Referral.objects.exists()


def test_the_list_asks_the_same_number_of_queries_however_long_it_is(admin, address, collection):
    refer(slot_of(collection, "q1_method", "d1", 1).pair, Recipient.ADJUDICATOR)
    few = queries_of(admin, address)
    for docno in ("d1", "d3"):
        refer(slot_of(collection, "q2_method", docno, 1).pair, Recipient.ADJUDICATOR)

    assert queries_of(admin, address) == few

"""Reports of errors: who sends them, what they are checked against, and how they are answered."""

from __future__ import annotations

import pytest
from django.core.cache import cache
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from accounts.locking import CollectionArchived
from accounts.models import Collection, User
from corpus.facets import NO_FACETS
from release.errata import services
from release.errata.errors import AlreadySettled, NotInVersion, NotPublic
from release.errata.services import report_erratum, settle_erratum
from release.files import path_of
from release.models import Erratum
from release.publicity import make_private, make_public
from release.services import publish_release
from release.versions.published_files import read_member
from tests.support.api_world import client_of as api_client
from tests.support.factories import a_collection, an_open_query
from tests.support.release_scenes import a_judged_collection
from tests.support.releases import EVERY_EXCEPTION
from tests.support.running import at_once
from tests.support.sittings import judge_both
from tests.support.visits import address, client_of, queries_of, text_of
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db

FORM = "/releases/small/1.0/report/"
REPORT = {"query": "q1_method", "docno": "d1", "problem": "It is a duplicate of d4."}


@pytest.fixture(autouse=True)
def _nothing_counted():
    cache.clear()


@once_a_file
def release():
    """Published, not public."""
    return publish_release(collection=a_judged_collection(), version="1.0")


@pytest.fixture
def public(release):
    make_public(release=release, person=None)
    return release


@pytest.fixture
def erratum(release) -> Erratum:
    return report_erratum(release=release, email="reader@example.org", **REPORT)


def settle(erratum: Erratum, *, accept: bool = True) -> Erratum:
    answer = "It is removed." if accept else "They differ."
    return settle_erratum(erratum=erratum, accept=accept, answer=answer, settled_by=None)


# What a report names


@pytest.mark.parametrize(
    ("query", "docno"),
    [
        ("q1_method", "d1"),  # labelled
        ("q2_method", "d4"),  # a candidate that was set aside
        ("q1_method", "q1"),  # the query paper
        ("q1_method", ""),
    ],
)
def test_a_report_names_a_query_and_a_document_of_the_version(release, query, docno):
    row = report_erratum(release=release, query=query, docno=docno, problem="Wrong.")

    assert (str(row), row.query, row.docno, row.state) == ("1.0-1", query, docno, "open")


@pytest.mark.parametrize(
    ("query", "docno", "field"),
    [
        ("q3_method", "", "query"),
        ("q1", "", "query"),  # the paper, not a query
        ("q1_meth", "d1", "query"),
        ("q1_method", "d4", "docno"),  # of another pool
        ("q1_method", "d", "docno"),
    ],
)
def test_other_ids_are_refused_with_the_place_where_the_right_ones_are(
    release, query, docno, field
):
    with pytest.raises(NotInVersion, match=r"trec/qrels\.all\.txt") as refused:
        report_erratum(release=release, query=query, docno=docno, problem="Wrong.")

    assert refused.value.field == field
    assert not Erratum.objects.exists()


def test_without_facets_a_query_has_the_id_of_its_paper():
    collection = a_collection(facets=NO_FACETS)
    judge_both(an_open_query(collection, facet=""), (1, 1))
    release = publish_release(collection=collection, version="1.0", accept=EVERY_EXCEPTION)
    query = collection.queries.get().name

    assert report_erratum(release=release, query=query, docno="", problem="Wrong.").number == 1
    with pytest.raises(NotInVersion):
        report_erratum(release=release, query="none", docno="", problem="Wrong.")


def test_the_same_open_report_sent_again_is_stored_once(release):
    first = report_erratum(release=release, **REPORT)

    assert report_erratum(release=release, **REPORT) == first
    assert report_erratum(release=release, **REPORT | {"docno": ""}).number == 2
    settle(first)
    assert report_erratum(release=release, **REPORT).number == 3


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_reports_at_the_same_moment_get_different_numbers():
    release = publish_release(collection=a_judged_collection(), version="1.0")

    def send(docno: str):
        return lambda: report_erratum(release=release, **REPORT | {"docno": docno})

    at_once([send(docno) for docno in ("d1", "d2", "d3")])

    assert sorted(Erratum.objects.values_list("number", flat=True)) == [1, 2, 3]


def test_an_archived_collection_takes_no_report(public, client):
    Collection.objects.update(archived_at=timezone.now())

    with pytest.raises(CollectionArchived):
        report_erratum(release=public, **REPORT)
    assert client.post(FORM, REPORT).status_code == 409
    assert FORM not in client.get("/releases/small/1.0/").text
    assert not Erratum.objects.exists()


def test_a_version_that_became_private_takes_no_public_report(public):
    make_private(release=public, person=None)

    with pytest.raises(NotPublic):
        report_erratum(release=public, must_be_public=True, **REPORT)


# The public form


@pytest.mark.one_database
def test_a_reader_without_an_account_reports_an_error(public, client):
    assert FORM in client.get("/releases/small/1.0/").text

    sent = client.post(FORM, REPORT | {"email": "reader@example.org"}, follow=True)

    assert "Your report was sent to the publisher" in text_of(sent)
    row = Erratum.objects.get()
    assert (row.query, row.docno, row.email) == ("q1_method", "d1", "reader@example.org")
    assert row.reported_by is None


@pytest.mark.one_database
@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"query": "q9"}, "Version 1.0 has no query “q9”"),
        ({"docno": "d9"}, "is not a document of query"),
        ({"problem": " "}, "Describe what is wrong."),
        ({"email": "me"}, "Enter a valid email address."),
        ({"problem": "x" * 4_001}, "at most 4000 characters"),
    ],
)
def test_a_wrong_report_is_explained_and_stays_in_the_form(public, client, wrong, message):
    page = client.post(FORM, REPORT | wrong)

    assert page.status_code == 422
    assert message.replace("“", "&quot;").replace("”", "&quot;") in page.text
    assert 'value="q' in page.text
    assert not Erratum.objects.exists()


@pytest.mark.one_database
def test_the_form_of_a_private_version_does_not_exist(release, client):
    assert client.get(FORM).status_code == 404
    assert client.post(FORM, REPORT).status_code == 404


@pytest.mark.one_database
def test_one_address_can_send_a_limited_number_of_reports(public, client, settings):
    settings.ERRATA_PER_ADDRESS = 2

    answers = [client.post(FORM, REPORT | {"docno": docno}) for docno in ("d1", "d2", "d3")]

    assert [answer.status_code for answer in answers] == [302, 302, 429]
    assert answers[2].headers["Retry-After"] == str(settings.LOGIN_WAIT_SECONDS)
    assert Erratum.objects.count() == 2


@pytest.mark.one_database
def test_the_ids_are_those_of_the_published_file_and_not_of_the_present_collection(public, client):
    path_of("small", "1.0").write_bytes(b"damaged")

    page = client.post(FORM, REPORT)

    assert page.status_code == 503
    assert "The file of this version is missing or damaged" in page.text


def flood(release, networks: int) -> None:
    """As many open reports as networks, each from its own."""
    release.errata.bulk_create(
        Erratum(
            release=release, number=number, query="q1_method", problem="Spam.", network=str(number)
        )
        for number in range(1, networks + 1)
    )


@pytest.mark.one_database
def test_reports_from_1200_addresses_do_not_refuse_another_reader(public, client):
    flood(public, 1_200)

    assert client.post(FORM, REPORT).status_code == 302


@pytest.mark.one_database
def test_a_network_has_a_limited_number_of_open_reports(public, settings, monkeypatch):
    monkeypatch.setattr(services, "MOST_OPEN", 1)

    def send(address: str, docno: str) -> int:
        return Client().post(FORM, REPORT | {"docno": docno}, REMOTE_ADDR=address).status_code

    assert send("2001:db8::1", "d1") == 302
    assert send("2001:db8::2", "d1") == 302  # the same report: stored once
    assert send("2001:db8::2", "d2") == 409  # the same /64
    assert send("2001:db8:0:1::1", "d2") == 302
    assert send("192.0.2.1", "d3") == 302
    assert send("192.0.2.2", "q1") == 302  # a neighbour in the same /24
    settle(Erratum.objects.get(docno="d1"))
    assert send("2001:db8::2", "") == 302
    assert not [row for row in Erratum.objects.all() if "2001" in row.network + row.problem]


# Settling


def test_a_settled_report_does_not_change(erratum):
    settle(erratum)

    with pytest.raises(AlreadySettled):
        settle(erratum, accept=False)
    erratum.refresh_from_db()
    assert (erratum.state, erratum.answer) == ("accepted", "It is removed.")


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_of_two_admins_at_once_one_settles_a_report():
    release = publish_release(collection=a_judged_collection(), version="1.0")
    erratum = report_erratum(release=release, **REPORT)

    def attempt(accept: bool) -> bool:
        try:
            settle(Erratum.objects.get(), accept=accept)
        except AlreadySettled:
            return False
        return True

    assert sorted(at_once([lambda: attempt(True), lambda: attempt(False)])) == [False, True]
    erratum.refresh_from_db()
    assert not erratum.is_open


@pytest.mark.one_database
def test_an_admin_settles_a_report_on_its_page(erratum):
    admin = client_of("admin")
    page = admin.get(address("erratum", erratum.pk))
    assert "It is a duplicate of d4." in page.text
    assert "mailto:reader@example.org" in page.text

    admin.post(address("erratum", erratum.pk), {"accept": "yes", "answer": "It is removed."})

    erratum.refresh_from_db()
    assert (erratum.state, erratum.answer) == ("accepted", "It is removed.")
    assert erratum.settled_by == User.objects.get(username="admin")


@pytest.mark.one_database
def test_a_report_is_settled_with_a_decision_and_an_answer(erratum):
    page = client_of("admin").post(address("erratum", erratum.pk), {"answer": " "})

    assert page.status_code == 422
    assert "Choose whether you accept the report." in page.text
    assert "Enter the answer, which is published." in page.text


def test_many_reports_are_declined_at_once_and_later_ones_stay(release):
    flood(release, 120)
    honest = report_erratum(release=release, **REPORT)
    admin = client_of("admin")
    page = admin.get(address("releases") + "?words=spam")
    up_to = page.context["errata"]["form"].initial["up_to"]
    flooded_later = report_erratum(release=release, **REPORT | {"problem": "More spam."})
    form = {"everything": "on", "up_to": up_to, "answer": "It names no error."}

    done = admin.post(address("errata") + "?words=spam", form, follow=True)

    assert "120 reports declined." in text_of(done)
    assert set(Erratum.objects.open()) == {honest, flooded_later}
    assert {row.settled_by.username for row in Erratum.objects.settled()[:3]} == {"admin"}
    again = publish_release(collection=release.collection, version="1.1")
    row = "| 1.0-1 to 1.0-120 (120 reports) | several | several | It names no error. |"
    assert row in read_member(again, "CHANGELOG.md").decode()


@pytest.mark.one_database
def test_ticked_reports_are_declined_and_others_stay(release):
    first, second = (report_erratum(release=release, **REPORT | {"docno": d}) for d in ("d1", "d2"))
    admin = client_of("admin")
    form = {"up_to": second.pk, "answer": "It names no error."}

    nothing = admin.post(address("errata"), form)
    silent = admin.post(address("errata"), form | {"ids": [first.pk], "answer": " "})
    admin.post(address("errata"), form | {"ids": [first.pk]})

    assert (nothing.status_code, silent.status_code) == (422, 422)
    assert "Tick the reports to decline." in nothing.text
    assert "Enter the answer, which is published." in silent.text
    assert list(Erratum.objects.open()) == [second]


@pytest.mark.one_database
def test_the_api_declines_many_reports(release):
    flood(release, 3)
    other = report_erratum(release=release, **REPORT)
    admin = api_client("admin")
    url = reverse("api-decline-errata", args=["small"])
    listed = admin.get(reverse("api-errata", args=["small"])).json()["results"]
    body = {"answer": "It names no error.", "up_to": listed[0]["id"], "words": "spam"}

    assert admin.post(url, {"answer": "No."}, format="json").status_code == 400
    assert admin.post(url, body | {"network": "2"}, format="json").json() == {"declined": 1}
    assert admin.post(url, body, format="json").json() == {"declined": 2}
    assert admin.post(url, body | {"ids": [1]}, format="json").json() == {"declined": 0}
    assert list(Erratum.objects.open()) == [other]


@pytest.mark.one_database
def test_open_reports_come_first_and_can_be_filtered(release):
    old, new = (report_erratum(release=release, **REPORT | {"docno": d}) for d in ("d1", "d2"))
    settle(new)
    admin = client_of("admin")

    page = text_of(admin.get(address("releases")))

    assert page.index(">1.0-1<") < page.index(">1.0-2<")
    assert "1 open, 1 accepted, 0 declined" in page
    accepted = admin.get(address("releases") + "?state=accepted&version=1.0").text
    assert (">1.0-1<" in accepted, ">1.0-2<" in accepted) == (False, True)
    assert "No report matches" in admin.get(address("releases") + "?state=declined").text
    assert str(old) == "1.0-1"


@pytest.mark.one_database
def test_the_list_takes_the_same_number_of_queries_for_more_reports(release):
    admin = client_of("admin")
    report_erratum(release=release, **REPORT)
    few = queries_of(admin, address("releases"))
    for number in range(5):
        report_erratum(release=release, **REPORT | {"problem": f"Number {number}."})

    assert queries_of(admin, address("releases")) == few


@pytest.mark.one_database
def test_the_public_page_has_accepted_errors_without_the_words_of_the_reader(
    public, erratum, client
):
    declined = report_erratum(release=public, **REPORT | {"docno": "d2"})
    settle(erratum)
    settle(declined, accept=False)

    page = client.get("/releases/small/1.0/").text

    assert "It is removed." in page
    assert not [text for text in ("duplicate", "reader@", "They differ") if text in page]


@pytest.mark.one_database
def test_an_admin_reports_an_error_of_a_private_version(release):
    admin = client_of("admin")
    assert address("report-erratum", "1.0") in admin.get(address("release", "1.0")).text

    admin.post(address("report-erratum", "1.0"), REPORT)

    assert Erratum.objects.get().reported_by.username == "admin"


@pytest.mark.one_database
def test_the_api_lists_and_settles_reports(erratum):
    admin = api_client("admin")
    listed = admin.get(reverse("api-errata", args=["small"])).json()["results"]
    assert (listed[0]["version"], listed[0]["state"]) == ("1.0", "open")
    url = reverse("api-erratum", args=["small", listed[0]["id"]])

    assert admin.post(url, {"accept": True}, format="json").status_code == 400
    answer = {"accept": False, "answer": "They differ."}
    assert admin.post(url, answer, format="json").json()["state"] == "declined"
    again = admin.post(url, answer, format="json")
    assert (again.status_code, again.json()["code"]) == (409, "already_settled")

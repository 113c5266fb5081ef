"""Consent: the text is shown and agreed to before the first judgment, by page and API."""

from __future__ import annotations

import uuid

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from accounts.models import Collection, User
from annotation.consent.models import Consent, ConsentText
from annotation.consent.reading import versions_of
from annotation.consent.services import (
    ConsentTextChanged,
    agree,
    check_consent,
    withdraw,
    write_consent_text,
)
from annotation.models import Judgment, Slot
from annotation.services import ConsentMissing, NewJudgment, insert_judgments
from tests.support.factories import a_collection, an_open_query
from tests.support.sittings import digest_of, judge
from tests.support.visits import address, client_of, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def slot(collection) -> Slot:
    opening = an_open_query(collection)
    return Slot.objects.filter(pair__query=opening.query, annotator__username="ann1").first()


def ask(collection: Collection, text: str = "# Einwilligung\n\nWir speichern Ihre Noten.") -> int:
    return write_consent_text(collection=collection, text=text, written_by=None)


def test_a_judge_agrees_to_each_version_before_judging(collection, slot):
    judge(slot, 1)
    assert ask(collection) == 1
    ann1, judging = slot.annotator, client_of("ann1")
    with pytest.raises(ConsentMissing):
        judge(slot, 2)

    query = slot.pair.query.name
    for page in (address("judge-query", query), address("judge-pair", query, slot.pair.token)):
        answer = judging.get(page)
        assert answer.headers["Location"].startswith(address("consent"))
    assert "asks for your consent" in text_of(judging.get(address("judge")))
    page = text_of(judging.get(address("consent"), {"then": query}))
    assert "Wir speichern Ihre Noten." in page
    answer = judging.post(address("consent"), {"version": 1, "then": query})
    assert answer.headers["Location"] == address("judge-query", query)
    judge(slot, 2)
    given = Consent.objects.get()
    assert (given.person, given.text.version, bool(given.agreed_at)) == (ann1, 1, True)

    assert ask(collection) == 1  # the same text
    assert ask(collection, "Anders.") == 2
    with pytest.raises(ConsentMissing):
        judge(slot, 3)
    with pytest.raises(ConsentTextChanged):
        agree(collection=Collection.objects.get(), person=ann1, version=1)
    agree(collection=collection, person=ann1, version=2)
    agree(collection=collection, person=ann1, version=2)
    judge(slot, 3)
    assert Consent.objects.count() == 2
    assert Judgment.objects.count() == 3


def test_a_withdrawal_keeps_the_judgments_and_ends_judging(collection, slot):
    version = ask(collection)
    agree(collection=collection, person=slot.annotator, version=version)
    judge(slot, 1)
    judging = client_of("ann1")
    judging.post(address("withdraw-consent"))

    with pytest.raises(ConsentMissing):
        judge(slot, 2)
    assert Judgment.objects.count() == 1
    assert judging.get(address("judge-mine", slot.pair.query.name)).status_code == 200
    judging.post(address("consent"), {"version": version})
    judge(slot, 2)
    assert list(Consent.objects.values_list("withdrawn_at", flat=True)).count(None) == 1

    ask(collection, "")  # no longer
    withdraw(collection=collection, person=slot.annotator)
    judge(slot, 3)
    assert "asks for no consent" in text_of(judging.get(address("consent")))


def test_a_consent_is_to_the_text_of_its_collection_alone(collection, slot):
    elsewhere = a_collection("elsewhere")
    for each in (collection, elsewhere):
        ask(each)
    agree(collection=elsewhere, person=slot.annotator, version=1)

    page = text_of(client_of("ann1").get(address("consent")))
    assert "I agree" in page
    with pytest.raises(ConsentMissing):
        judge(slot, 2)


def test_a_script_and_the_api_are_refused_until_the_judge_agrees(collection, slot):
    ask(collection)
    judging, api = client_of("ann1"), "/api/v1/collections/small"
    pair = address("judge-pair", slot.pair.query.name, slot.pair.token)
    fields = {"answer": "2", "presentation": digest_of(slot), "key": str(uuid.uuid4())}
    for url in (pair, address("judge-later", slot.pair.query.name, slot.pair.token)):
        answer = judging.post(url, fields, headers={"Accept": "application/json"})
        assert (answer.status_code, answer.json()["error"]) == (409, "ConsentMissing")
    assert not Judgment.objects.exists()

    shown = judging.get(f"{api}/consent/").json()
    assert (shown["version"], shown["agreed_at"]) == (1, None)
    stale = judging.post(
        f"{api}/consent/", {"version": 2, "agree": True}, content_type="application/json"
    )
    assert stale.status_code == 409
    agreed = judging.post(
        f"{api}/consent/", {"version": 1, "agree": True}, content_type="application/json"
    ).json()
    assert agreed["agreed_at"]
    judge(slot, 1)
    judging.post(f"{api}/consent/", {"version": 1, "agree": False}, content_type="application/json")
    with pytest.raises(ConsentMissing):
        judge(slot, 2)


def test_it_costs_no_query_without_a_text_and_one_with_it(collection, slot):
    def queries(task) -> int:
        with CaptureQueriesContext(connection) as captured:
            task()
        return len(captured)

    page = address("judge-pair", slot.pair.query.name, slot.pair.token)
    judging = client_of("ann1")
    judging.get(page)
    without = queries(lambda: judging.get(page))
    judge(slot, 0)
    saving = queries(lambda: judge(slot, 1))
    person = User.objects.get(username="ann1")
    assert queries(lambda: check_consent(collection, person)) == 0

    agree(collection=collection, person=person, version=ask(collection))
    assert queries(lambda: judging.get(page)) == without + 1
    assert queries(lambda: judge(slot, 2)) == saving


def test_the_admin_writes_the_text_and_sees_who_agreed(admin, collection, slot):
    page = address("consent-texts")
    assert "asked for no consent" in text_of(admin.get(page))
    admin.post(page, {"text": "We store your grades."})
    agree(collection=Collection.objects.get(), person=slot.annotator, version=1)

    agree(collection=collection, person=User.objects.get(username="ann2"), version=1)
    withdraw(collection=collection, person=slot.annotator)

    shown = text_of(admin.get(page))
    assert "1 person agreed to it" in shown
    (figures,) = versions_of(collection)
    assert (figures.agreed, figures.withdrawn) == (1, 1)
    assert "ann1" in shown
    admin.post(page, {"text": ""})
    assert Collection.objects.get().consent_version == 0
    assert ConsentText.objects.count() == 1


def test_imported_judgments_need_no_consent_here(collection, slot):
    ask(collection)
    judgment = NewJudgment(
        slot=slot.pk,
        annotator=slot.annotator_id,
        grade=1,
        reason="",
        presentation_digest=digest_of(slot),
        guideline_version=1,
        key=str(uuid.uuid4()),
    )

    insert_judgments([judgment])

    assert Judgment.objects.get().is_imported is True
    with pytest.raises(ConsentMissing):
        judge(slot, 2)
    agree(collection=Collection.objects.get(), person=slot.annotator, version=1)
    assert judge(slot, 2).is_imported is None

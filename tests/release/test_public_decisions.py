"""A decision that a public version has stays; a pair that is settled again gets another one."""

from __future__ import annotations

import uuid
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.db import IntegrityError, connection, transaction

from accounts.models import User
from adjudication.errors import DecisionInPublicVersion
from adjudication.models import Decision, Recipient
from annotation.models import Slot
from release.models import PublicPeriod
from release.publicity import make_private, make_public
from release.services import publish_release
from tests.support.release_scenes import (
    GRADES,
    RULINGS,
    a_judged_collection,
    an_opened_collection,
    decide_all,
    judge_all,
    slot_of,
)
from tests.support.releases import accepting
from tests.support.running import at_once
from tests.support.sittings import carried, judge, pair_url, refer, settle
from tests.support.visits import client_of, markup, text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.may_differ]

DECIDED = ("q1_background", "d3")  # in RULINGS


@once_a_file
def release():
    return publish_release(collection=a_judged_collection(), version="1.0")


@pytest.fixture
def collection(release):
    return release.collection


@pytest.fixture
def slot(collection):
    return slot_of(collection, *DECIDED, 1)


@pytest.fixture
def public(release):
    make_public(release=release, person=None)
    return release


def adjudicator() -> User:
    return User.objects.get(username="adju")


def grades_decided(slot: Slot) -> list[int | None]:
    return list(slot.pair.decisions.order_by("sequence").values_list("grade", flat=True))


def test_a_decision_of_a_version_that_is_or_was_public_cannot_change(public, slot):
    with pytest.raises(DecisionInPublicVersion, match="was made public after you decided"):
        settle(slot, adjudicator(), 2)
    make_private(release=public, person=None)
    with pytest.raises(DecisionInPublicVersion):
        settle(slot, adjudicator(), 2)

    assert grades_decided(slot) == [0]


def test_it_can_change_until_a_version_with_its_first_decision_is_public(release, slot):
    settle(slot, adjudicator(), 2)
    assert grades_decided(slot) == [0, 2]
    make_public(release=release, person=None)

    with pytest.raises(DecisionInPublicVersion):
        settle(slot, adjudicator(), 3)

    assert grades_decided(slot) == [0, 2]


def test_the_database_refuses_it_from_other_programs_too(public, slot):
    first = slot.pair.decisions.get()

    with (
        pytest.raises(IntegrityError, match="decision_of_public_version_stays"),
        transaction.atomic(),
    ):
        Decision.objects.create(
            pair=slot.pair,
            sequence=2,
            adjudicator=first.adjudicator,
            first=first.first,
            second=first.second,
            grade=2,
            key=uuid.uuid4(),
        )


def test_a_case_without_a_decision_in_the_version_can_be_decided_and_changed():
    collection = an_opened_collection()
    judge_all(collection, GRADES)
    decide_all(collection, {key: RULINGS[key] for key in RULINGS if key != DECIDED})
    release = publish_release(
        collection=collection, version="1.0", accept=accepting(["unresolved"])
    )
    make_public(release=release, person=None)
    slot = slot_of(collection, *DECIDED, 1)

    settle(slot, adjudicator(), 2)
    settle(slot, adjudicator(), 3)

    assert grades_decided(slot) == [2, 3]


def test_a_new_decision_on_a_pair_sent_back_stays_once_a_version_with_it_is_public(
    public, collection, slot
):
    refer(slot.pair, Recipient.ADJUDICATOR)
    settle(slot, adjudicator(), 2)
    settle(slot, adjudicator(), 3)
    assert grades_decided(slot) == [0, 2, 3]
    second = publish_release(collection=collection, version="1.1")
    make_public(release=second, person=None)

    with pytest.raises(DecisionInPublicVersion):
        settle(slot, adjudicator(), 1)


def test_a_pair_judged_again_gets_a_new_decision(public, collection, slot):
    refer(slot.pair, Recipient.JUDGES)
    for number, grade in ((1, 0), (2, 3)):
        judge(slot_of(collection, *DECIDED, number), grade)

    settle(slot, adjudicator(), 2)

    assert grades_decided(slot) == [0, 2]


def test_a_public_version_of_another_collection_changes_nothing(release, slot):
    other = a_judged_collection(slug="other")
    make_public(release=publish_release(collection=other, version="1.0"), person=None)

    settle(slot, adjudicator(), 2)

    assert grades_decided(slot) == [0, 2]


def test_the_page_says_why_and_what_to_do(public, slot):
    client = client_of("adju")
    page = client.get(pair_url(slot, "case"))

    answer = client.post(pair_url(slot, "case"), {**carried(markup(page.text)), "answer": "2"})

    assert answer.status_code == 409
    assert "ask an admin to have the pair decided again" in text_of(answer)


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_a_decision_that_is_saved_while_the_version_becomes_public_is_the_last():
    """It was made before anybody could read the version."""
    release = publish_release(collection=a_judged_collection(), version="1.0")
    slot = slot_of(release.collection, *DECIDED, 1)

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            settle(slot, adjudicator(), 2)
            publicity = pool.submit(at_once, [lambda: make_public(release=release, person=None)])
            if connection.vendor == "postgresql":  # SQLite lets one transaction write at a time
                publicity.result()
        (period,) = publicity.result()

    assert PublicPeriod.objects.get() == period
    assert grades_decided(slot) == [0, 2]
    with pytest.raises(DecisionInPublicVersion):
        settle(slot, adjudicator(), 3)


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_a_decision_that_waits_while_the_version_becomes_public_is_refused():
    release = publish_release(collection=a_judged_collection(), version="1.0")
    slot = slot_of(release.collection, *DECIDED, 1)
    person = adjudicator()

    with ThreadPoolExecutor(1) as pool:
        with transaction.atomic():
            list(slot.pair.slots.select_for_update())  # the decision locks them, too
            decision = pool.submit(at_once, [lambda: settle(slot, person, 2)])
            make_public(release=release, person=None)
        (refused,) = decision.result()

    assert isinstance(refused, DecisionInPublicVersion)
    assert grades_decided(slot) == [0]

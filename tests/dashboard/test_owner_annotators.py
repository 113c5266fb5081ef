"""Owner-annotators: their role, and how they end judging."""

from __future__ import annotations

import threading

import pytest
from django.core.management import call_command
from django.db import connection, transaction
from django.urls import reverse

from accounts.models import JUDGES, Collection, Membership, Role, User
from accounts.rules import JUDGES_SQL
from accounts.services import CannotBlind, LastAdmin, add_membership, take_role
from annotation.models import Slot
from annotation.services import Answer, WasAdmin, open_query, submit_judgment
from corpus.services import create_collection
from dashboard.people.owners import NotDone, end_judging, own_work
from dashboard.services import HoldsPairs, change_roles, remove_role
from tests.support.factories import UserFactory, a_collection, a_query, member
from tests.support.sittings import digest_of, judge, settle
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db
OWNER = Role.OWNER_ANNOTATOR


def an_owned_collection() -> Collection:
    collection = a_collection()
    member(collection, OWNER, "owner")
    return collection


@once_a_file
def collection() -> Collection:
    return an_owned_collection()


@pytest.fixture
def owner(collection) -> User:
    return User.objects.get(username="owner")


def opened(collection: Collection, size: int = 2):
    people = (User.objects.get(username="owner"), User.objects.get(username="ann1"))
    return open_query(query=a_query(collection, size), annotators=people, opened_by=None)


def judge_all(opening, username: str, grade: int = 1) -> None:
    for slot in Slot.objects.filter(pair__query=opening.query, annotator__username=username):
        judge(slot, grade)


def roles(collection: Collection, person: User) -> set[str]:
    return set(collection.memberships.filter(user=person).values_list("role", flat=True))


def test_the_roles_that_judge_are_the_same_in_sql():
    assert f"({', '.join(repr(str(role)) for role in JUDGES)})" == JUDGES_SQL


def test_the_creator_of_a_collection_can_be_its_owner_annotator():
    person = UserFactory()

    collection = create_collection(slug="c", name="C", owner=person, owner_role=OWNER)

    assert roles(collection, person) == {OWNER}
    assert set(collection.given_roles.values_list("role", flat=True)) == {OWNER}


def test_the_page_makes_an_owner_annotator(client):
    client.force_login(UserFactory(username="staff", is_staff=True))
    facets = {"facets": "csfcube", "highest_grade": 3}

    client.post(
        reverse("new-collection"),
        {"name": "New", "slug": "new", "owner_role": OWNER, **facets},
    )

    assert Membership.objects.get(collection__slug="new").role == OWNER


def test_the_command_makes_an_owner_annotator(capsys):
    UserFactory(username="owner")

    call_command("create_collection", "new", "--name", "New", "--owner-annotator", "owner")

    assert Membership.objects.get(collection__slug="new").role == OWNER
    assert "owner-annotator owner" in capsys.readouterr().out


@pytest.mark.parametrize("username", ["admin", "ann1", "adju"])
def test_who_has_another_role_cannot_become_one(collection, username):
    with pytest.raises(CannotBlind):
        add_membership(collection=collection, user=User.objects.get(username=username), role=OWNER)


@pytest.mark.parametrize("role", [Role.ADMIN, Role.ADJUDICATOR])
def test_who_saw_grades_can_never_become_one(collection, role):
    person = member(collection, role, "former")
    collection.memberships.get(user=person).delete()

    with pytest.raises(CannotBlind):
        add_membership(collection=collection, user=person, role=OWNER)


@pytest.mark.parametrize("role", [role for role in Role if role != OWNER])
def test_an_owner_annotator_gets_no_other_role(collection, owner, role):
    with pytest.raises(CannotBlind):
        add_membership(collection=collection, user=owner, role=role)


def test_an_owner_annotator_judges_as_an_annotator_does(collection):
    opening = opened(collection)

    judge_all(opening, "owner")

    assert opening.query.slot_counts.get(annotator__username="owner").judged == 2


def test_the_last_owner_cannot_leave():
    person = UserFactory()
    collection = create_collection(slug="c", name="C", owner=person, owner_role=OWNER)

    with pytest.raises(LastAdmin):
        take_role(membership=collection.memberships.get())


def test_an_admin_can_leave_a_collection_with_an_owner_annotator(collection):
    take_role(membership=collection.memberships.get(role=Role.ADMIN))

    assert not collection.memberships.filter(role=Role.ADMIN).exists()


def test_with_pairs_to_judge_the_role_stays(collection, owner):
    opened(collection)

    with pytest.raises(HoldsPairs):
        remove_role(membership=collection.memberships.get(user=owner))


def test_own_pairs_are_counted_and_those_of_others_are_not(collection, owner):
    first, second = opened(collection), opened(collection, size=3)
    judge_all(second, "owner")

    with pytest.raises(NotDone) as refused:
        end_judging(collection=collection, person=owner)

    assert f"2 pairs to judge: {first.query.name} (2)" in str(refused.value)
    assert "wait for others" in str(refused.value)
    assert second.query.name not in str(refused.value)
    assert roles(collection, owner) == {OWNER}


def test_a_refusal_does_not_depend_on_what_the_other_judge_has_done(collection, owner):
    opening = opened(collection, size=2)
    judge_all(opening, "owner")
    before = own_work(collection, owner)

    judge(Slot.objects.filter(annotator__username="ann1").first(), 1)

    assert own_work(collection, owner) == before


def test_a_case_without_a_decision_keeps_the_owner_blind(collection, owner):
    opening = opened(collection)
    judge_all(opening, "owner", 1)
    judge_all(opening, "ann1", 3)

    with pytest.raises(NotDone):
        end_judging(collection=collection, person=owner)
    for slot in Slot.objects.filter(annotator=owner):
        settle(slot, User.objects.get(username="adju"), 2)
    end_judging(collection=collection, person=owner)

    assert roles(collection, owner) == {Role.ADMIN}


def test_queries_of_others_do_not_matter(collection, owner):
    opening = opened(collection)
    people = tuple(User.objects.filter(username__in=["ann1", "ann2"]).order_by("username"))
    open_query(query=a_query(collection), annotators=people, opened_by=None)
    for username in ("owner", "ann1"):
        judge_all(opening, username)

    end_judging(collection=collection, person=owner)

    assert roles(collection, owner) == {Role.ADMIN}


def test_after_the_end_the_owner_never_judges_again(collection, owner):
    opening = opened(collection)
    for username in ("owner", "ann1"):
        judge_all(opening, username)
    end_judging(collection=collection, person=owner)
    slot = Slot.objects.filter(annotator=owner).first()

    with pytest.raises(WasAdmin):
        submit_judgment(
            slot_id=slot.pk,
            annotator=owner,
            answer=Answer(grade=3),
            presentation_digest=digest_of(slot),
            key="00000000-0000-4000-8000-000000000001",
            supersedes=slot.judgment.key,
        )
    with pytest.raises(CannotBlind):
        add_membership(collection=collection, user=owner, role=Role.ANNOTATOR)


@pytest.mark.parametrize("role", [Role.ADMIN, Role.ADJUDICATOR])
def test_no_other_way_lets_the_owner_see_before_the_queries_are_done(collection, owner, role):
    opening = opened(collection)
    judge_all(opening, "owner")

    with pytest.raises(CannotBlind, match="not done"):
        change_roles(collection=collection, person=owner, roles=[role])

    assert roles(collection, owner) == {OWNER}


@pytest.mark.django_db(transaction=True)
@pytest.mark.may_differ
def test_a_query_opened_at_the_same_time_keeps_the_owner_blind(on_postgresql):
    collection = an_owned_collection()
    owner = User.objects.get(username="owner")
    query, results = a_query(collection), []
    people = (owner, User.objects.get(username="ann1"))

    def end() -> None:
        try:
            end_judging(collection=collection, person=owner)
        except NotDone:
            results.append("refused")
        finally:
            connection.close()

    with transaction.atomic():
        open_query(query=query, annotators=people, opened_by=None)
        thread = threading.Thread(target=end)
        thread.start()
        thread.join(1)
    thread.join()

    assert results == ["refused"]
    assert roles(collection, owner) == {OWNER}

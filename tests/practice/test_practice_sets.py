import uuid

import pytest
from django.db import IntegrityError, transaction

from accounts.locking import CollectionArchived
from accounts.models import Collection, Membership, Role, User
from annotation import team
from annotation.guidelines.readings import record_reading
from annotation.models import Exclusion, Guideline, Slot
from annotation.services import (
    Answer,
    BadAnswer,
    CannotOpen,
    CannotReassign,
    KeyReused,
    NotYours,
    RevisedMeanwhile,
    UnreadGuideline,
    WrongPresentation,
    open_query,
    reassign_seat,
    write_guideline,
)
from corpus.topics.queries import QueryInUse, remove_query
from dashboard.settings.archiving import archive_collection
from practice.models import PracticeJudgment, PracticeSet
from practice.services import (
    CannotPractise,
    HasJudgments,
    PracticeClosed,
    close_set,
    remove_set,
)
from tests.support.factories import a_collection, a_query, an_open_query, annotators, member
from tests.support.practice_scenes import a_pilot, practise, practise_all
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


@once_a_file
def collection():
    return a_collection()


@pytest.fixture
def pilot(collection) -> PracticeSet:
    return a_pilot(collection)


@pytest.fixture
def people(collection) -> tuple[User, User]:
    return annotators(collection)


def new_version(pilot: PracticeSet, **changes) -> Guideline:
    guideline = pilot.guidelines.get().guideline
    text = {"instructions": "Second.", "grades": guideline.grades}
    return write_guideline(facet=guideline.facet, **text | changes)


# Starting


def test_a_round_has_the_same_pairs_for_all_of_its_people(pilot, people):
    assert pilot.name == "pilot-1"
    assert pilot.pairs.count() == 3
    assert {each.annotator for each in pilot.members.all()} == set(people)


def test_rounds_are_numbered_and_take_queries_of_no_earlier_round(collection, pilot):
    a_query(collection)

    second = a_pilot(collection)

    assert second.name == "pilot-2"
    first_query = pilot.pairs.first().query
    assert not second.pairs.filter(query=first_query).exists()


def test_a_named_query_of_an_earlier_round_can_be_taken_again(collection, pilot):
    query = pilot.pairs.first().query

    second = a_pilot(collection, named=[query.name])

    assert set(second.pairs.values_list("query", flat=True)) == {query.pk}


def test_an_open_query_is_in_no_round(collection):
    opening = an_open_query(collection)
    third, fourth = (member(collection, Role.ANNOTATOR, name) for name in ("third", "fourth"))

    with pytest.raises(CannotPractise, match="open for judging"):
        a_pilot(collection, people=[third, fourth], named=[opening.query.name])
    with pytest.raises(CannotPractise, match="0 queries can be used"):
        a_pilot(collection, people=[third, fourth])


def test_nobody_practises_with_a_query_paper_that_he_or_she_judges(collection):
    opening = an_open_query(collection)
    paper = opening.query.query_paper
    sibling = paper.queries.create(
        collection=collection, facet=collection.facets.get(key="result"), name="sibling"
    )

    with pytest.raises(CannotPractise, match=r"judges d\d+_method already"):
        a_pilot(collection, named=[sibling.name])
    assert not PracticeSet.objects.exists()
    assert not Exclusion.objects.exists()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"queries": 0}, "The number of queries must be from 1 to 50, got 0"),
        ({"per_query": 101}, "must be from 1 to 100, got 101"),
        ({"queries": 2}, "1 query can be used, and you asked for 2"),
        ({"named": ["nowhere"]}, "has no query nowhere"),
    ],
)
def test_a_round_that_cannot_be_made_says_why(collection, changes, message):
    a_query(collection)

    with pytest.raises(CannotPractise, match=message):
        a_pilot(collection, **changes)


def test_a_round_needs_two_annotators(collection, people):
    a_query(collection)
    admin = User.objects.get(username="admin")

    with pytest.raises(CannotPractise, match="at least two"):
        a_pilot(collection, people=people[:1])
    with pytest.raises(CannotOpen, match="is not an annotator"):
        a_pilot(collection, people=[people[0], admin])


def test_an_archived_collection_starts_and_closes_no_round(collection, pilot):
    archive_collection(collection=collection)

    with pytest.raises(CollectionArchived):
        a_pilot(collection)
    with pytest.raises(CollectionArchived):
        close_set(practice_set=pilot)


# Later work


def test_a_person_of_a_round_gets_no_seat_of_its_query(collection, pilot, people):
    third, fourth = (member(collection, Role.ANNOTATOR, name) for name in ("third", "fourth"))
    query = pilot.pairs.first().query

    with pytest.raises(CannotOpen, match=r"ann1 judged a query of d\d+ in practice"):
        open_query(query=query, annotators=(people[0], third), opened_by=None)
    opening = open_query(query=query, annotators=(third, fourth), opened_by=None)
    with pytest.raises(CannotReassign, match="in practice"):
        reassign_seat(opening=opening, number=1, annotator=people[0])
    seat = opening.seats.get(number=1)
    seat.annotator = people[0]
    with pytest.raises(IntegrityError, match="seat_not_of_an_excluded"), transaction.atomic():
        seat.save()
    slots = Slot.objects.filter(annotator=third)
    with pytest.raises(IntegrityError, match="slot_never_moved"), transaction.atomic():
        slots.update(annotator=people[0])


def test_a_plan_of_openings_leaves_out_the_people_of_a_round(collection, pilot, people):
    third, fourth = (member(collection, Role.ANNOTATOR, name) for name in ("third", "fourth"))
    query = pilot.pairs.first().query

    plan = team.plan_opening(
        collection=collection, queries=[query], annotators=[*people, third, fourth]
    )
    assert plan.assignments[0].couple == {"third", "fourth"}
    with pytest.raises(CannotOpen, match="in practice stay excluded"):
        team.plan_opening(collection=collection, queries=[query], annotators=[*people, third])


def test_an_exclusion_after_practice_stays(pilot):
    with pytest.raises(team.CannotExclude, match="in practice"):
        team.end_exclusion(exclusion=Exclusion.objects.first())


def test_a_query_of_a_round_is_not_removed(pilot):
    with pytest.raises(QueryInUse, match="in a practice set"):
        remove_query(query=pilot.pairs.first().query)


# Judging


def test_a_judgment_is_appended_and_the_latest_counts(pilot, people):
    pair = pilot.pairs.first()

    practise(pair, people[0], 1)
    practise(pair, people[0], 3)

    assert [row.grade for row in PracticeJudgment.objects.all()] == [1, 3]
    assert [row.grade for row in PracticeJudgment.objects.counting()] == [3]


def test_a_submission_sent_twice_counts_once(pilot, people):
    pair, key = pilot.pairs.first(), uuid.uuid4()

    first = practise(pair, people[0], 1, key=key)
    again = practise(pair, people[0], 1, key=key, supersedes=None)

    assert again == first
    assert PracticeJudgment.objects.count() == 1
    with pytest.raises(KeyReused):
        practise(pair, people[0], 2, key=key)
    with pytest.raises(KeyReused):
        practise(pilot.pairs.last(), people[0], 1, key=key)
    with pytest.raises(KeyReused):
        practise(pair, people[1], 1, key=key)


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"presentation_digest": "0" * 64}, WrongPresentation),
        ({"supersedes": uuid.uuid4()}, RevisedMeanwhile),
        ({"answer": Answer(grade=4)}, BadAnswer),
        ({"answer": Answer()}, BadAnswer),
    ],
)
def test_a_wrong_submission_is_refused(pilot, people, changes, error):
    with pytest.raises(error):
        practise(pilot.pairs.first(), people[0], **changes)
    assert not PracticeJudgment.objects.exists()


def test_only_members_who_annotate_now_judge(collection, pilot, people):
    pair = pilot.pairs.first()
    third = member(collection, Role.ANNOTATOR, "third")

    with pytest.raises(NotYours):
        practise(pair, third)
    Membership.objects.filter(user=people[0], role=Role.ANNOTATOR).delete()
    with pytest.raises(NotYours):
        practise(pair, people[0])


def test_a_closed_round_takes_no_judgment_and_keeps_those_it_has(pilot, people):
    pair, key = pilot.pairs.first(), uuid.uuid4()
    practise(pair, people[0], 2, key=key)

    close_set(practice_set=pilot)
    close_set(practice_set=pilot)

    assert practise(pair, people[0], 2, key=key).grade == 2
    with pytest.raises(PracticeClosed, match="Pilot round 1 is closed"):
        practise(pair, people[0], 3)
    with pytest.raises(PracticeClosed):
        practise(pair, people[1], 3)


def test_an_archived_collection_takes_no_practice(collection, pilot, people):
    archive_collection(collection=collection)

    with pytest.raises(CollectionArchived):
        practise(pilot.pairs.first(), people[0])


def test_a_round_keeps_its_guideline_and_a_later_round_must_read_the_new_one(
    collection, pilot, people
):
    guideline = new_version(pilot)
    assert practise(pilot.pairs.first(), people[0]).guideline_version == 1
    a_query(collection)

    pair = a_pilot(collection).pairs.first()

    with pytest.raises(UnreadGuideline):
        practise(pair, people[0])
    record_reading(guideline, people[0])
    assert practise(pair, people[0]).guideline_version == 2


def test_a_round_keeps_its_scale(collection, pilot, people):
    Collection.objects.filter(pk=collection.pk).update(highest_grade=2)

    assert practise(pilot.pairs.first(), people[0], 3).grade == 3


# Removing


def test_a_round_without_judgments_is_removed_with_its_exclusions(collection, pilot, people):
    named = Exclusion.objects.create(
        query_paper=a_query(collection).query_paper, annotator=people[0]
    )

    remove_set(practice_set=pilot)

    assert not PracticeSet.objects.exists()
    assert list(Exclusion.objects.all()) == [named]


def test_an_exclusion_stays_while_another_round_has_the_query_paper(collection, pilot):
    second = a_pilot(collection, named=[pilot.pairs.first().query.name])

    remove_set(practice_set=second)

    assert Exclusion.objects.filter(practised=True).count() == 2


def test_a_round_with_a_judgment_stays(pilot, people):
    practise(pilot.pairs.first(), people[0])

    with pytest.raises(HasJudgments, match="Close it instead"):
        remove_set(practice_set=pilot)


def test_judgments_of_a_round_are_in_no_slot_and_change_no_count(collection, pilot):
    practise_all(pilot, (1, 2), (0, 0), (3, None))

    assert not Slot.objects.exists()
    assert PracticeJudgment.objects.count() == 6

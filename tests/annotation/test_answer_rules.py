"""What an answer must be, whose slot it goes into, and what the annotator is shown of it."""

import uuid

import pytest

from accounts.models import Role
from annotation import queue
from annotation.models import Judgment
from annotation.services import (
    Answer,
    BadAnswer,
    KeyReused,
    NotYours,
    postpone,
    reassign_seat,
)
from tests.support.factories import a_collection, an_open_query, annotators, member
from tests.support.sittings import judge, own_queries, pair_url, slots_of

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture
def opening(collection):
    return an_open_query(collection, size=4)


@pytest.fixture
def mine(opening):
    return slots_of(opening, "ann1")


@pytest.fixture
def theirs(opening):
    return slots_of(opening, "ann2")


@pytest.fixture
def annotator(collection):
    return annotators(collection)[0]


@pytest.mark.parametrize(
    "answer",
    [
        Answer(),
        Answer(note="a note is no reason"),
        Answer(reason=" "),
        Answer(reason="because"),
        Answer(reason="other"),
        Answer(reason="other", note=" \n"),
        Answer(grade=4),
        Answer(grade=-1),
        Answer(grade=2, reason="garbled"),
    ],
)
def test_an_answer_is_a_grade_or_a_known_reason(mine, answer):
    with pytest.raises(BadAnswer):
        judge(mine[0], answer)
    assert not Judgment.objects.exists()


@pytest.mark.parametrize(
    "answer",
    [
        Answer(grade=0),
        Answer(grade=3, note="why"),
        Answer(reason="garbled"),
        Answer(reason="other", note="why"),
    ],
)
def test_an_answer_is_stored_as_it_is(mine, answer):
    judgment = Judgment.objects.get(pk=judge(mine[0], answer, seconds=12.5).pk)

    assert Answer(judgment.grade, judgment.reason, judgment.note) == answer
    assert judgment.seconds == 12.5


# Keys


@pytest.mark.parametrize("answer", [Answer(grade=1), Answer(grade=2)])
def test_the_key_of_another_person_s_judgment_is_refused(mine, theirs, answer):
    key = uuid.uuid4()
    pair = mine[0].pair
    other = next(slot for slot in theirs if slot.pair == pair)
    judge(other, 1, key=key)

    with pytest.raises(KeyReused):
        judge(mine[0], answer, key=key)
    mine[0].refresh_from_db()
    assert mine[0].judgment is None
    assert Judgment.objects.count() == 1


def test_the_key_of_an_answer_to_another_pair_is_refused(mine):
    key = uuid.uuid4()
    judge(mine[0], 1, key=key)

    with pytest.raises(KeyReused):
        judge(mine[1], 1, key=key)
    assert Judgment.objects.count() == 1


@pytest.mark.parametrize(
    "answer",
    [Answer(grade=2), Answer(reason="garbled"), Answer(grade=1, note="another note")],
)
def test_the_key_of_another_answer_is_refused(mine, answer):
    key = uuid.uuid4()
    judge(mine[0], 1, key=key)

    with pytest.raises(KeyReused):
        judge(mine[0], answer, key=key)
    assert Judgment.objects.get().grade == 1


# Slots


@pytest.mark.parametrize("answer", [Answer(grade=1), Answer(reason="garbled")])
def test_the_other_judge_of_a_pair_cannot_answer_in_the_slot(mine, theirs, answer):
    with pytest.raises(NotYours):
        judge(mine[0], answer, annotator=theirs[0].annotator)
    assert not Judgment.objects.exists()


def test_a_slot_that_does_not_exist_is_refused(mine):
    with pytest.raises(NotYours):
        judge(mine[0], 1, slot_id=0)


def test_only_an_own_unjudged_pair_can_wait(mine, theirs, annotator):
    judge(mine[0], 1)
    for slot in (mine[0], theirs[0]):
        with pytest.raises(NotYours):
            postpone(slot_id=slot.pk, annotator=annotator)
        slot.refresh_from_db()
        assert slot.postponed_at is None

    postpone(slot_id=mine[1].pk, annotator=annotator)
    assert [slot.postponed_at is None for slot in slots_of_pairs(mine)] == [True, False, True, True]


def test_a_script_hears_that_a_judged_pair_cannot_wait(client, mine, annotator):
    judge(mine[0], 1)
    client.force_login(annotator)
    response = client.post(pair_url(mine[0], "judge-later"), HTTP_ACCEPT="application/json")

    assert (response.status_code, response.json()["error"]) == (409, "NotYours")


def slots_of_pairs(slots):
    for slot in slots:
        slot.refresh_from_db()
    return slots


# Pace and progress


def test_the_pace_is_the_median_of_the_annotator_s_own_times(opening, mine, theirs, annotator):
    for slot, seconds in zip(mine, (10.0, 30.0, 11.0), strict=False):
        judge(slot, 1, seconds=seconds)
    judge(mine[3], 1, seconds=None)
    for slot in theirs:
        judge(slot, 1, seconds=500.0)
    pace = queue.pace(opening.query.collection, annotator)

    assert (pace.recent, pace.seconds, pace.measured) == ((10.0, 30.0, 11.0), 11.0, True)


def test_the_minutes_left_are_rounded_up():
    pace = queue.Pace(recent=(), planned=15.0)

    assert [pace.minutes(pairs) for pairs in (0, 1, 4, 5, 244)] == [0, 1, 1, 2, 61]


def test_sixty_pairs_are_fetched_ahead():
    opening = an_open_query(a_collection("longer"), size=62)

    assert len(queue.pairs_ahead(opening.query, slots_of(opening, "ann1")[0].annotator)) == 60


def test_the_pace_in_one_collection_says_nothing_of_another(mine, annotator):
    judge(mine[0], 1, seconds=500.0)
    elsewhere = a_collection("elsewhere")
    elsewhere.seconds_per_judgment = 20.0
    pace = queue.pace(elsewhere, annotator)

    assert (pace.recent, pace.seconds, pace.measured) == ((), 20.0, False)


def test_only_recent_times_make_the_pace(opening, mine, annotator, monkeypatch):
    monkeypatch.setattr(queue, "RECENT", 2)
    for slot, seconds in zip(mine, (500.0, 10.0, 20.0), strict=False):
        judge(slot, 1, seconds=seconds)

    assert queue.pace(opening.query.collection, annotator).recent == (10.0, 20.0)


@pytest.mark.parametrize(("pairs", "minutes"), [(0, 0), (1, 1), (4, 1), (5, 2), (8, 2), (9, 3)])
def test_minutes_are_rounded_up(pairs, minutes):
    assert queue.Pace(recent=(), planned=15.0).minutes(pairs) == minutes


def test_progress_counts_own_slots_by_what_became_of_them(opening, mine, theirs, annotator):
    judge(mine[0], 1)
    judge(mine[1], Answer(reason="garbled"))
    for slot in mine[1:3]:
        type(slot).objects.filter(pk=slot.pk).update(postponed_at="2026-01-01T00:00Z")
    for slot in theirs:
        judge(slot, Answer(reason="garbled"))
    an_open_query(opening.query.collection)

    progress = queue.progress_in(opening.query_id, annotator)
    assert progress == queue.SlotProgress(total=4, judged=2, postponed=1, ungraded=1)
    assert (progress.remaining, progress.finished) == (2, False)


def test_own_queries_are_those_in_this_collection(collection, opening, annotator):
    other = an_open_query(collection, size=2)
    an_open_query(a_collection("elsewhere"))
    member(collection, Role.ANNOTATOR, "ann3")
    judge(slots_of(other, "ann1")[0], 1, seconds=60.0)
    found = own_queries(collection, annotator)

    assert [(row.pk, row.progress.remaining) for row in found] == [
        (other.query.pk, 1),
        (opening.query.pk, 4),
    ]
    assert [row.minutes_left for row in found] == [1, 4]


def test_a_query_whose_seat_was_reassigned_is_no_longer_an_own_query(
    collection, opening, annotator
):
    newcomer = member(collection, Role.ANNOTATOR, "ann3")
    reassign_seat(opening=opening, number=1, annotator=newcomer)

    assert own_queries(collection, annotator) == []
    assert [row.pk for row in own_queries(collection, newcomer)] == [opening.query.pk]


def test_measured_minutes_are_of_own_judgments_on_the_query(opening, mine, theirs, annotator):
    assert queue.minutes_spent(opening.query, annotator) is None
    for slot in mine[:2]:
        judge(slot, 1, seconds=60.0)
    judge(theirs[0], 1, seconds=600.0)
    judge(slots_of(an_open_query(opening.query.collection), "ann1")[0], 1, seconds=600.0)

    assert queue.minutes_spent(opening.query, annotator) == 2


def test_measured_minutes_are_whole_and_of_sixty_seconds(mine, opening, annotator):
    for slot in mine[:3]:
        judge(slot, 1, seconds=1220.0)

    assert queue.minutes_spent(opening.query, annotator) == 61


def test_the_pace_is_measured_on_the_latest_forty_judgments(collection, annotator):
    slots = slots_of(an_open_query(collection, size=41), "ann1")
    for number, slot in enumerate(slots):
        judge(slot, 1, seconds=float(number))

    assert queue.pace(collection, annotator).recent == tuple(map(float, range(1, 41)))


def test_a_query_with_the_very_first_judgment_comes_before_untouched_queries(collection, annotator):
    for _ in range(3):
        an_open_query(collection)
    last = collection.queries.get(pk=own_queries(collection, annotator)[-1].pk)
    slot = slots_of(last.opening, "ann1")[0]
    slot.judgment = slot.judgments.create(
        pk=1, sequence=1, annotator=annotator, grade=1, guideline_version=1, key=uuid.uuid4()
    )
    slot.save()

    assert own_queries(collection, annotator)[0].pk == last.pk


def test_a_query_without_own_slots_does_not_exist(opening, annotator):
    collection = opening.query.collection
    stranger = member(collection, Role.ANNOTATOR, "ann3")

    assert queue.own_query(collection, annotator, opening.query.name) == opening.query
    assert queue.own_query(collection, annotator, "another name") is None
    assert queue.own_query(collection, stranger, opening.query.name) is None
    assert queue.own_query(a_collection("elsewhere"), annotator, opening.query.name) is None


def test_own_judgments_are_listed_from_the_last(opening, mine, theirs, annotator):
    judge(mine[1], 2)
    judge(mine[0], Answer(reason="other", note="why"))
    judge(theirs[2], 3, seconds=1.0)
    found = queue.own_judgments(opening.query, annotator)

    assert [(line.grade, line.reason, line.note) for line in found] == [
        (None, "other", "why"),
        (2, "", ""),
    ]
    assert found[0].reason_text.startswith("Something else")
    assert found[1].reason_text == ""


def test_going_back_stays_within_own_judgments_on_the_query(opening, mine, theirs, annotator):
    other = slots_of(an_open_query(opening.query.collection), "ann1")[0]
    for slot in (mine[0], mine[1], theirs[2], other):
        judge(slot, 1)
    tokens = [slot.pair.token for slot in mine]

    assert queue.token_before(opening.query, annotator) == tokens[1]
    assert queue.token_before(opening.query, annotator, tokens[1]) == tokens[0]
    assert queue.token_before(opening.query, annotator, tokens[0]) is None


def test_a_judged_pair_is_shown_with_the_answer(opening, mine, theirs, annotator):
    judge(mine[0], Answer(reason="garbled", note="cut"))
    judge(next(slot for slot in theirs if slot.pair == mine[1].pair), 3)
    shown = queue.shown_pair(opening.query, annotator, mine[0].pair.token)
    unjudged = queue.shown_pair(opening.query, annotator, mine[1].pair.token)

    assert (shown.judged, shown.grade, shown.reason, shown.note) == (True, None, "garbled", "cut")
    assert shown.reason_text == "The text is garbled or cut off"
    assert (unjudged.judged, unjudged.grade, unjudged.note) == (False, None, "")

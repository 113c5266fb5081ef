"""The pairs of a pool round: who judges them, and old pairs among them."""

from __future__ import annotations

import pytest
from django.urls import reverse

from accounts.models import Collection, Membership, Role, User
from annotation.models import Judgment, Opening, Pair, PairCount, Repeat, RepeatJudgment, Slot
from annotation.queue import next_token
from annotation.repeats.waiting import left_in_order
from annotation.services import Answer, CannotOpen, open_query, reassign_seat
from annotation.team import open_new_pairs, plan_new_pairs, waiting_pairs
from tests.support.api_world import client_of as api_client
from tests.support.counting import kept_counts, recounted
from tests.support.factories import a_collection, an_open_query, annotators, member
from tests.support.pool_counts import check_pool_counts
from tests.support.repeats import answer_next, answer_repeat, answer_token
from tests.support.rounds import top_up
from tests.support.sittings import judge, own_queries
from tests.support.visits import client_of
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


def judge_everything(opening: Opening, grade: int = 1) -> None:
    for slot in Slot.objects.filter(pair__query=opening.query).select_related(
        "annotator", "pair__candidate__document", "pair__query__opening__guideline"
    ):
        judge(slot, grade)


@once_a_file
def opening() -> Opening:
    """Thirty pairs, judged by both."""
    opening = an_open_query(a_collection(), size=30)
    judge_everything(opening)
    return opening


def opened(opening: Opening, *substitutes: User, **options) -> int:
    return open_new_pairs(collection=opening.query.collection, substitutes=substitutes, **options)


def old_pairs(opening: Opening, name: str) -> list[Repeat]:
    rows = Repeat.objects.filter(query=opening.query, annotator__username=name, pool_round=2)
    return list(rows.select_related("slot__pair").order_by("position"))


def test_a_round_waits_until_it_is_opened(opening):
    collection = opening.query.collection
    top_up(opening, 4)

    assert waiting_pairs(collection) == {opening.query.name: 4}
    assert PairCount.objects.get(query=opening.query).total == 30
    assert next_token(opening.query.pk, User.objects.get(username="ann1")) is None
    check_pool_counts(collection)


def test_the_people_of_the_seats_judge_the_new_pairs(opening):
    judgments = set(Judgment.objects.values_list())
    top_up(opening, 4)

    assert opened(opening) == 4

    new = Pair.objects.filter(candidate__round=2)
    holders = {
        (slot.number, slot.annotator.username)
        for slot in Slot.objects.filter(pair__in=new).select_related("annotator")
    }
    assert holders == {(1, "ann1"), (2, "ann2")}
    assert waiting_pairs(opening.query.collection) == {}
    assert set(Judgment.objects.values_list()) == judgments
    assert kept_counts() == recounted()


def test_opening_again_opens_nothing(opening):
    top_up(opening)
    opened(opening)
    with pytest.raises(CannotOpen, match="nothing to open"):
        opened(opening)


def test_a_query_that_opens_later_contains_every_round(opening):
    collection = opening.query.collection
    from corpus.services import create_query

    later = create_query(
        collection=collection, docno=opening.query.query_paper.name, facet_key="result"
    )
    top_up(opening, 4)

    open_query(query=later, annotators=annotators(collection), opened_by=None)

    assert later.pairs.count() == 34
    assert not Repeat.objects.filter(query=later).exists()


def test_old_pairs_come_among_the_new_ones_and_the_count_tells_nothing(opening):
    top_up(opening, 20)
    opened(opening, old_share=0.25)
    person = User.objects.get(username="ann1")

    old = old_pairs(opening, "ann1")
    order = left_in_order(opening.query.pk, person, count=100)
    (progress,) = own_queries(opening.query.collection, person)

    assert len(old) == 5
    assert len(order) == 25
    places = [place for place, row in enumerate(order) if row.is_repeat]
    assert len(places) == 5
    assert places != list(range(5))  # not all at the start
    assert places != list(range(20, 25))
    assert (progress.progress.total, progress.progress.judged) == (55, 30)
    # In the own order of all pairs of the query, whatever their round.
    pairs = Pair.objects.filter(query=opening.query)
    assert {repeat.slot.pair.candidate.round for repeat in old} == {1}
    assert pairs.count() == 50


def test_an_old_pair_is_compared_with_the_persons_own_judgment(opening):
    top_up(opening, 4)
    opened(opening)
    (repeat,) = old_pairs(opening, "ann1")
    before = Judgment.objects.count()

    answer = answer_repeat(repeat, 3)

    assert answer.compared == repeat.slot.judgment
    assert answer.compared.annotator.username == "ann1"
    assert Judgment.objects.count() == before
    assert kept_counts() == recounted()


def left_the_team(collection: Collection, name: str) -> None:
    Membership.objects.filter(collection=collection, user__username=name).delete()


def test_a_person_who_left_is_replaced_and_the_old_judgments_stay(opening):
    collection = opening.query.collection
    top_up(opening, 12)
    left_the_team(collection, "ann1")
    third = member(collection, Role.ANNOTATOR, "ann3")
    judgments = set(Judgment.objects.values_list())

    assert plan_new_pairs(collection=collection).vacant == [(opening.query.name, 1)]
    with pytest.raises(CannotOpen, match="seat 1"):
        opened(opening)
    assert opened(opening, third) == 12

    assert set(Judgment.objects.values_list()) == judgments
    assert opening.seats.get(number=1).annotator == third
    own = Slot.objects.filter(annotator=third, pair__query=opening.query)
    assert set(own.values_list("pair__candidate__round", flat=True)) == {2}
    (old,) = old_pairs(opening, "ann3")
    assert old.slot.annotator.username == "ann1"
    assert answer_repeat(old, 2).compared == old.slot.judgment


def test_a_new_judge_gets_old_pairs_between_the_new_ones_and_sees_no_earlier_judgment(opening):
    collection = opening.query.collection
    top_up(opening, 12)
    left_the_team(collection, "ann1")
    third = member(collection, Role.ANNOTATOR, "ann3")
    opened(opening, third, old_share=0.5)
    tokens = []
    while token := answer_next(opening, third, grade=2):
        tokens.append(token)

    old = {repeat.token for repeat in old_pairs(opening, "ann3")}
    assert len(old) == 6
    assert len(tokens) == len(set(tokens)) == 18
    assert set(tokens[:6]) != old
    (progress,) = own_queries(collection, third)
    assert (progress.progress.total, progress.progress.judged) == (18, 18)
    assert RepeatJudgment.objects.filter(annotator=third, compared__annotator=third).count() == 0
    assert RepeatJudgment.objects.filter(annotator=third, compared__grade=1).count() == 6


def test_a_person_who_must_qualify_first_gets_no_seat(opening):
    collection = opening.query.collection
    top_up(opening)
    left_the_team(collection, "ann1")
    third = member(collection, Role.ANNOTATOR, "ann3")
    Collection.objects.filter(pk=collection.pk).update(qualifying_rho=0.5)

    plan = plan_new_pairs(collection=Collection.objects.get(pk=collection.pk), substitutes=[third])

    assert plan.vacant == [(opening.query.name, 1), (opening.query.name, 2)]


def test_a_person_who_judged_in_the_other_seat_gets_no_seat(opening):
    collection = opening.query.collection
    top_up(opening)
    left_the_team(collection, "ann1")
    second = User.objects.get(username="ann2")
    assert plan_new_pairs(collection=collection, substitutes=[second]).vacant


def test_pairs_that_a_person_knows_do_not_come_again(opening):
    top_up(opening, 20)
    first = User.objects.get(username="ann1")
    pairs = list(Pair.objects.filter(query=opening.query).values_list("pk", flat=True))

    opened(opening, old_share=1, known={first.pk: set(pairs[:25])})

    assert len(old_pairs(opening, "ann1")) == 5
    assert len(old_pairs(opening, "ann2")) == 20


def test_a_seat_that_changes_hands_keeps_its_number_of_old_pairs(opening):
    collection = opening.query.collection
    top_up(opening, 20)
    opened(opening, old_share=0.2)
    answer_repeat(old_pairs(opening, "ann1")[0], 1)
    third = member(collection, Role.ANNOTATOR, "ann3")

    reassign_seat(opening=opening, number=1, annotator=third)

    assert len(old_pairs(opening, "ann1")) == 1
    assert len(old_pairs(opening, "ann3")) == 3
    order = left_in_order(opening.query.pk, third, count=100)
    assert len(order) == 23


def test_two_rounds_can_be_opened_at_once(opening):
    top_up(opening, 4)
    top_up(opening, 6)

    assert opened(opening) == 10

    assert Pair.objects.filter(candidate__round=3).count() == 6
    assert set(Repeat.objects.values_list("pool_round", flat=True)) == {2, 3}
    assert kept_counts() == recounted()


def test_no_page_or_answer_tells_a_new_judge_an_earlier_judgment_or_what_is_old():
    opening = an_open_query(a_collection(), size=10)
    for slot in Slot.objects.filter(pair__query=opening.query).select_related(
        "annotator", "pair__candidate__document", "pair__query__opening__guideline"
    ):
        judge(slot, Answer(grade=3, note="SECRET NOTE"))
    collection = opening.query.collection
    top_up(opening, 8, name="secret-run", reason="SECRET REASON")
    left_the_team(collection, "ann1")
    third = member(collection, Role.ANNOTATOR, "ann3")
    opened(opening, third, old_share=0.5)
    client, api = client_of("ann3"), api_client("ann3")
    place = [collection.slug, opening.query.name]
    seen, shapes = [], set()
    while token := next_token(opening.query.pk, third):
        page = client.get(reverse("judge-pair", args=[*place, token])).content.decode()
        answer = api.get(reverse("api-pair", args=[*place, token])).json()
        shapes.add(tuple(sorted(answer)))
        seen += [page, str(answer), client.get(reverse("judge-ahead", args=place)).content.decode()]
        answer_token(opening, third, token, 1)
    seen.append(client.get(reverse("judge-mine", args=place)).content.decode())
    seen.append(client.get(reverse("judge", args=[collection.slug])).content.decode())

    assert len(shapes) == 1
    assert len(seen) == 3 * 12 + 2
    for text in seen:
        for secret in ("SECRET", "secret-run", "pool round", "pool_round", "ann1", "ann2"):
            assert secret not in text

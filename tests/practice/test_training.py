"""Training sets: their gold, who gets which, and what the last answer does."""

from __future__ import annotations

import uuid
from collections import Counter

import pytest
from django.db import IntegrityError, transaction
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import spearmanr

from accounts.locking import CollectionArchived
from accounts.models import Collection, Role, User
from adjudication.labels import labelled_pairs
from agreement.services import AgreementReport
from annotation.models import Exclusion, Judgment, Level, Pair, Qualification, Slot
from annotation.qualifications.services import give_qualification, withdraw_qualification
from annotation.qualifications.standing import must_qualify, standing_qualification
from annotation.services import CannotOpen, KeyReused, NotQualified, open_query, reassign_seat
from dashboard.settings.archiving import archive_collection
from practice.models import PracticeJudgment, PracticeMember, PracticeSet, TrainingResult
from practice.services import PracticeClosed, close_set
from practice.training.choice import spread_over_grades
from practice.training.gold import CannotTrain, make_from_labels
from practice.training.offers import next_sets
from practice.training.results import missed_pairs, own_training, trained_pairs, waiting_people
from practice.training.services import NoTrainingSet, start_training, submit_training
from practice.training.skill import NotSkilled, measured_skill, qualify_as_senior
from reports.services import compute_report
from tests.support.factories import a_query, an_open_query, member
from tests.support.practice_scenes import a_pilot, practice_submission, practise_all
from tests.support.running import at_once
from tests.support.sittings import judge, judge_both, refer, slots_of
from tests.support.training_scenes import (
    NOTE,
    a_trainee,
    a_training_set,
    answer,
    as_gold,
    pairs_of,
    train,
    with_gold,
)
from tests.support.worlds import once_a_file


@once_a_file
def opening():
    """A finished query of ann1 and ann2, and Tia, who has not qualified."""
    opening = with_gold()
    collection = opening.query.collection
    collection.qualifying_rho = 0.5
    collection.save(update_fields=["qualifying_rho"])
    a_trainee(collection)
    return opening


@pytest.fixture
def collection(opening):
    return opening.query.collection


@pytest.fixture
def tia(opening) -> User:
    return User.objects.get(username="tia")


def reversed_grade(pair) -> int:
    return 3 - as_gold(pair)


# Gold


def test_gold_is_the_final_label_and_the_note_of_the_decision_explains_it(collection):
    practice_set = a_training_set(collection)

    final = {pair.docno: pair.final for pair in labelled_pairs(collection)}
    pairs = pairs_of(practice_set)
    assert {pair.document.docno: pair.gold for pair in pairs} == {
        pair.document.docno: final[pair.document.docno] for pair in pairs
    }
    decided = Pair.objects.filter(decisions__isnull=False)
    documents = set(decided.values_list("candidate__document", flat=True))
    assert {pair.explanation for pair in pairs if pair.document_id in documents} == {NOTE}
    assert {pair.explanation for pair in pairs if pair.document_id not in documents} == {""}


def test_pairs_are_spread_over_the_grades(collection):
    practice_set = a_training_set(collection, pairs=8)

    assert Counter(pair.gold for pair in pairs_of(practice_set)) == {0: 2, 1: 2, 2: 2, 3: 2}


@given(st.lists(st.integers(0, 3), max_size=40), st.integers(0, 40), st.text("abc", max_size=3))
def test_no_grade_gets_two_more_pairs_than_another_that_has_some_left(grades, number, seed):
    pairs = [(("q", str(index)), grade) for index, grade in enumerate(grades)]

    chosen = spread_over_grades(pairs, number, seed=seed)

    assert len(chosen) == len(set(chosen)) == min(number, len(pairs))
    counts, all_of = Counter(dict(pairs)[pair] for pair in chosen), Counter(grades)
    for grade in all_of:
        if counts[grade] < all_of[grade]:
            assert all(counts[other] <= counts[grade] + 1 for other in all_of)
    assert chosen == spread_over_grades(reversed(pairs), number, seed=seed)


def test_only_finished_pairs_have_gold(collection):
    Collection.objects.update(qualifying_rho=None)
    unfinished = an_open_query(collection, size=9)
    judge_both(unfinished, (0, 0), (1, 1), (2, 2), (3, 0))  # the last one is due
    judge(slots_of(unfinished, "ann1")[-1], 3)  # one judgment only
    refer(slots_of(unfinished, "ann1")[0].pair, "judges")  # judged again
    names = [unfinished.query.name]

    with pytest.raises(CannotTrain, match="2 pairs of these queries have a final label"):
        make_from_labels(collection=collection, queries=names, pairs=5)


def test_a_pair_is_in_one_set_only(collection):
    first, second = a_training_set(collection, pairs=6), a_training_set(collection, pairs=6)

    used = [{pair.document_id for pair in pairs_of(each)} for each in (first, second)]
    assert used[0].isdisjoint(used[1])
    with pytest.raises(CannotTrain, match="0 pairs of these queries"):
        a_training_set(collection, pairs=6)


def test_the_same_seed_gives_the_same_set(collection):
    with transaction.atomic():
        first = {(p.query_id, p.document_id, p.token) for p in pairs_of(a_training_set(collection))}
        transaction.set_rollback(True)

    again = {(p.query_id, p.document_id, p.token) for p in pairs_of(a_training_set(collection))}
    assert again == first


@pytest.mark.parametrize(
    ("changes", "field", "message"),
    [
        ({"queries": ["nope"]}, "queries", "no query nope"),
        ({"queries": [f"q{n}" for n in range(51)]}, "queries", "Choose 1 to 50 queries"),
        ({"pairs": 4}, "pairs", "5 to 1,000 pairs, got 4"),
        ({"pairs": 1001}, "pairs", "got 1,001"),
        ({"pairs": 13}, "pairs", "12 pairs of these queries"),
    ],
)
def test_a_choice_that_cannot_be_made_names_its_field(collection, changes, field, message):
    with pytest.raises(CannotTrain, match=message) as caught:
        a_training_set(collection, **changes)
    assert caught.value.field == field
    assert not PracticeSet.objects.exists()


def test_gold_of_one_grade_is_refused(collection):
    flat = an_open_query(collection, size=5)
    judge_both(flat, *[(1, 1)] * 5)

    with pytest.raises(CannotTrain, match="All pairs have grade 1"):
        make_from_labels(collection=collection, queries=[flat.query.name], pairs=5)


def test_an_archived_collection_gets_no_set_and_no_trainee(collection, tia):
    a_training_set(collection)
    archive_collection(collection=collection)

    with pytest.raises(CollectionArchived):
        a_training_set(collection)
    with pytest.raises(CollectionArchived):
        start_training(collection=collection, person=tia)


# Who gets which set


def test_a_person_gets_the_sets_in_order_and_none_twice(collection, tia):
    first, second = a_training_set(collection, pairs=5), a_training_set(collection, pairs=5)

    assert next_sets(collection, [tia]) == {tia.pk: first}
    assert train(collection, tia, reversed_grade) == first
    assert next_sets(collection, [tia]) == {tia.pk: second}
    assert train(collection, tia, reversed_grade) == second
    assert next_sets(collection, [tia]) == {}
    with pytest.raises(NoTrainingSet, match="Ask an admin"):
        start_training(collection=collection, person=tia)


def test_beginning_twice_goes_on_with_the_same_set(collection, tia):
    a_training_set(collection, pairs=5)
    a_training_set(collection, pairs=5)

    begun = [start_training(collection=collection, person=tia) for _ in range(2)]

    assert begun[0] == begun[1]
    assert PracticeMember.objects.count() == 1


def test_those_who_judged_or_decided_a_pair_of_the_papers_get_no_set(collection, tia):
    a_training_set(collection)
    adju = member(collection, Role.ANNOTATOR, "adju")
    people = list(User.objects.filter(username__in=["ann1", "ann2"]))

    assert next_sets(collection, [*people, adju]) == {}
    assert set(next_sets(collection, [tia])) == {tia.pk}


def test_a_judge_whose_seat_was_handed_over_gets_no_set(opening, collection, tia):
    open_one = an_open_query(collection, size=6)
    judge_both(open_one, *[(n % 4, n % 4) for n in range(5)])
    third = member(collection, Role.ANNOTATOR, "ann3")
    reassign_seat(opening=open_one, number=1, annotator=third)
    a_training_set(collection, pairs=5, queries=[open_one.query.name])

    ann1 = User.objects.get(username="ann1")
    assert next_sets(collection, [ann1, third]) == {}


def test_a_closed_set_is_offered_to_nobody_and_takes_no_answers(collection, tia):
    practice_set = a_training_set(collection, pairs=5)
    train(collection, tia, left=2)
    close_set(practice_set=practice_set)

    assert own_training(collection, tia).begun is None
    with pytest.raises(PracticeClosed):
        answer(pairs_of(practice_set)[-1], tia, 1)
    assert next_sets(collection, [tia]) == {}


def test_a_trainee_never_gets_a_seat_of_the_papers(opening, collection, tia):
    a_training_set(collection)
    start_training(collection=collection, person=tia)
    other_facet = opening.query.query_paper.queries.create(
        collection=collection,
        facet=collection.facets.get(key="result"),
        name=f"{opening.query.query_paper.name}_result",
    )

    with pytest.raises(CannotOpen, match="in practice"):
        open_query(
            query=other_facet,
            annotators=(tia, User.objects.get(username="ann1")),
            opened_by=None,
        )
    assert Exclusion.objects.get(annotator=tia).practised


def test_only_an_annotator_begins(collection):
    a_training_set(collection)

    with pytest.raises(CannotOpen, match="is not an annotator"):
        start_training(collection=collection, person=User.objects.create(username="stranger"))


# The end


def test_the_last_answer_and_none_before_qualifies_who_agrees_with_gold(collection, tia):
    a_training_set(collection)
    practice_set = train(collection, tia, left=1)
    assert not TrainingResult.objects.exists()
    assert not Qualification.objects.exists()
    assert PracticeMember.objects.get().finished_at is None
    last = pairs_of(practice_set)[-1]

    answer(last, tia, last.gold)

    result = TrainingResult.objects.get()
    assert (result.rho, result.passed, result.threshold) == (1.0, True, 0.5)
    row = Qualification.objects.get()
    assert (row.person, row.level, row.basis, row.rho, row.pairs) == (
        tia,
        "judge",
        "training",
        1.0,
        8,
    )
    assert not must_qualify(collection, tia)
    opened = open_query(
        query=a_query(collection),
        annotators=(tia, User.objects.get(username="ann1")),
        opened_by=None,
    )
    assert judge(slots_of(opened, "tia")[0], 2).grade == 2


def test_who_does_not_agree_gets_the_next_set_no_queue_and_can_pass_then(collection, tia):
    a_training_set(collection, pairs=5)
    second = a_training_set(collection, pairs=5)

    train(collection, tia, reversed_grade)

    result = TrainingResult.objects.get()
    assert (result.rho, result.passed) == (-1.0, False)
    assert must_qualify(collection, tia)
    assert own_training(collection, tia).offered == second
    opened = open_query(
        query=a_query(collection),
        annotators=(tia, User.objects.get(username="ann1")),
        opened_by=None,
    )
    with pytest.raises(NotQualified):
        judge(slots_of(opened, "tia")[0], 2)

    train(collection, tia)

    assert list(TrainingResult.objects.values_list("passed", flat=True)) == [True, False]
    assert not must_qualify(collection, tia)


def test_rho_is_that_of_scipy(collection, tia):
    practice_set = a_training_set(collection)
    gold = [pair.gold for pair in pairs_of(practice_set)]
    people = {tia: [0, 1, 1, 2, 3, 3, 0, 2], a_trainee(collection, "bo"): [3, 2, 1, 1, 0, 0, 2, 2]}

    for person, grades in people.items():
        given = dict(zip([pair.pk for pair in pairs_of(practice_set)], grades, strict=True))
        train(collection, person, lambda pair, given=given: given[pair.pk])

        expected = spearmanr(grades, gold).statistic
        result = TrainingResult.objects.get(member__annotator=person)
        assert result.rho == pytest.approx(expected, abs=1e-12), grades
        assert result.passed == (expected >= 0.5), grades


def test_the_same_grade_for_all_never_passes_and_says_why(collection, tia):
    Collection.objects.update(qualifying_rho=-1)
    a_training_set(collection)

    train(collection, tia, lambda pair: 1)

    result = TrainingResult.objects.get()
    assert (result.rho, result.undefined, result.passed) == (None, "constant rater", False)
    assert must_qualify(collection.__class__.objects.get(), tia)


def test_pairs_without_a_grade_are_left_out_of_rho_and_at_most_a_tenth_of_them(collection, tia):
    practice_set = a_training_set(collection, pairs=10)
    last = pairs_of(practice_set)[-1]
    bo = a_trainee(collection, "bo")

    train(collection, tia, lambda pair: None if pair == last else pair.gold)
    train(collection, bo, lambda pair: None if pair.pk >= last.pk - 1 else pair.gold)

    found = {result.member.annotator.username: result for result in TrainingResult.objects.all()}
    assert (found["tia"].graded, found["tia"].rho, found["tia"].passed) == (9, 1.0, True)
    assert (found["bo"].graded, found["bo"].rho, found["bo"].passed) == (8, 1.0, False)
    assert found["bo"].is_left_incomplete
    assert must_qualify(collection, bo)


def test_the_last_grade_of_each_pair_counts(collection, tia):
    a_training_set(collection)
    practice_set = train(collection, tia, reversed_grade, left=1)
    pairs = pairs_of(practice_set)
    for pair in pairs[:-1]:
        answer(pair, tia, pair.gold)

    answer(pairs[-1], tia, pairs[-1].gold)

    assert TrainingResult.objects.get().rho == 1.0


def test_after_the_end_no_answer_changes_and_the_same_one_sent_again_counts_once(collection, tia):
    practice_set = a_training_set(collection)
    train(collection, tia, left=1)
    last = pairs_of(practice_set)[-1]
    submission = practice_submission(last, tia, last.gold)
    sent = {"pair_id": last.pk, "annotator": tia, "submission": submission}
    first = submit_training(**sent)
    assert submit_training(**sent) == first
    with pytest.raises(PracticeClosed, match="You have finished"):
        answer(last, tia, 0)
    with pytest.raises(KeyReused):
        submit_training(
            pair_id=last.pk,
            annotator=tia,
            submission=practice_submission(last, tia, (last.gold + 1) % 4, key=submission.key),
        )
    assert TrainingResult.objects.count() == Qualification.objects.count() == 1
    assert PracticeJudgment.objects.count() == 8


def test_without_a_threshold_training_measures_and_qualifies_nobody(collection, tia):
    Collection.objects.update(qualifying_rho=None)
    a_training_set(collection)

    train(collection, tia)

    result = TrainingResult.objects.get()
    assert (result.rho, result.threshold, result.passed) == (1.0, None, False)
    assert not Qualification.objects.exists()


def test_who_has_qualified_already_gets_no_second_row(collection, tia):
    a_training_set(collection)
    practice_set = train(collection, tia, left=1)
    give_qualification(
        collection=collection, person=tia, level=Level.JUDGE, reason="Known.", given_by=None
    )
    last = pairs_of(practice_set)[-1]
    answer(last, tia, last.gold)

    assert TrainingResult.objects.get().passed
    assert [row.basis for row in Qualification.objects.all()] == ["override"]


def test_after_a_withdrawal_another_set_can_qualify_again(collection, tia):
    a_training_set(collection, pairs=5)
    a_training_set(collection, pairs=5)
    train(collection, tia)
    withdraw_qualification(
        collection=collection, person=tia, level=Level.JUDGE, reason="Drift.", given_by=None
    )
    assert must_qualify(collection, tia)

    train(collection, tia)

    assert not must_qualify(collection, tia)


def test_training_is_in_no_label_agreement_or_slot(opening, collection, tia):
    before = (
        list(labelled_pairs(collection)),
        compute_report(AgreementReport("exclude"), collection=collection).payload,
        Judgment.objects.count(),
        Slot.objects.count(),
    )
    a_training_set(collection)

    train(collection, tia, reversed_grade)

    assert before == (
        list(labelled_pairs(collection)),
        compute_report(AgreementReport("exclude"), collection=collection).payload,
        Judgment.objects.count(),
        Slot.objects.count(),
    )


# Results


def test_pair_by_pair_the_largest_difference_comes_first(collection, tia):
    practice_set = a_training_set(collection)
    far, near = (next(p for p in pairs_of(practice_set) if p.gold == gold) for gold in (3, 1))
    given = {far.pk: 0, near.pk: 2}

    train(collection, tia, lambda pair: given.get(pair.pk, pair.gold))

    rows = trained_pairs(TrainingResult.objects.get())
    assert [row.difference for row in rows] == [3, 1, 0, 0, 0, 0, 0, 0]
    assert (rows[0].own, rows[0].gold, rows[0].explanation) == (0, 3, far.explanation)
    assert rows[0].candidate.title == far.document.title


def test_pairs_that_most_trainees_miss_are_doubtful(collection, tia):
    practice_set = a_training_set(collection, pairs=5)
    wrong = pairs_of(practice_set)[3]
    for username in ("tia", "bo", "cy"):
        person = a_trainee(collection, username)
        train(collection, person, lambda pair: 3 - pair.gold if pair == wrong else pair.gold)
    train(collection, a_trainee(collection, "di"), reversed_grade, left=1)  # not finished: no part

    first, *others = missed_pairs(practice_set)

    assert (first.docno, first.missed, first.judged, first.is_doubtful) == (
        wrong.document.docno,
        3,
        3,
        True,
    )
    assert {(pair.missed, pair.judged, pair.is_doubtful) for pair in others} == {(0, 3, False)}


def test_people_who_guess_make_no_gold_doubtful(collection, tia):
    practice_set = a_training_set(collection, pairs=5)
    pair = next(pair for pair in pairs_of(practice_set) if pair.gold == 0)
    for username, grade in (("tia", 1), ("bo", 2), ("cy", None), ("di", 3)):
        person = a_trainee(collection, username)
        train(collection, person, lambda each, grade=grade: grade if each == pair else each.gold)

    first = missed_pairs(practice_set)[0]

    assert (first.missed, first.judged, first.is_doubtful) == (4, 4, False)
    assert first.given == [("1", 1), ("2", 1), ("3", 1), ("–", 1)]


def test_an_admin_sees_who_waits_with_the_attempts(collection, tia):
    a_training_set(collection, pairs=6)
    bo = a_trainee(collection, "bo")
    train(collection, tia, reversed_grade)
    begun = start_training(collection=collection, person=bo)

    rows = {row.person.username: row for row in waiting_people(collection, [tia, bo])}

    assert (rows["tia"].attempts, rows["tia"].latest.rho) == (1, -1.0)
    assert rows["tia"].next_set is None
    assert (rows["bo"].attempts, rows["bo"].begun) == (0, begun)


def test_a_person_who_has_qualified_is_offered_no_further_set(collection, tia):
    a_training_set(collection, pairs=6)
    a_training_set(collection, pairs=6)
    train(collection, tia)

    assert own_training(collection, tia).offered is None
    Collection.objects.update(qualifying_rho=None)
    assert own_training(Collection.objects.get(), tia).offered is not None


# Rules


def test_a_result_needs_all_pairs_and_the_end(collection, tia):
    a_training_set(collection)
    train(collection, tia, left=1)
    member_row = PracticeMember.objects.get()
    values = {"member": member_row, "pairs": 8, "graded": 7, "rho": 0.9, "passed": False}

    def refused(rule, **changes):
        with pytest.raises(IntegrityError, match=rule), transaction.atomic():
            TrainingResult.objects.create(**values | changes)

    refused("training_result_after_all_pairs")
    PracticeMember.objects.update(finished_at=member_row.added_at)
    refused("training_result_after_all_pairs")


def test_a_result_is_kept_and_passes_by_its_rho_only(collection, tia):
    a_training_set(collection)
    train(collection, tia)
    result = TrainingResult.objects.get()

    def refused(rule, write):
        with pytest.raises(IntegrityError, match=rule), transaction.atomic():
            write()

    rows = TrainingResult.objects.filter(pk=result.pk)
    refused("training_result_never_edited", lambda: rows.update(passed=False))
    refused("training_result_never_deleted", lambda: rows._raw_delete("default"))
    copy = {"pairs": 8, "graded": 8, "passed": True, "threshold": 0.5, "member": result.member}
    for values in ({"rho": 0.4}, {"rho": None, "undefined": "x"}, {"rho": 0.9, "threshold": None}):
        refused(
            "training_result_passed_by_rho|UNIQUE|unique",
            lambda values=values: TrainingResult.objects.create(**copy | values),
        )


# Seniors


def test_training_makes_a_senior_at_the_higher_threshold_and_twenty_pairs(tia, collection):
    with_gold(collection, size=13)
    Collection.objects.update(senior_rho=0.7)
    a_training_set(collection, pairs=5)
    a_training_set(collection, pairs=20)
    member(collection, Role.ADJUDICATOR, "tia")
    collection.refresh_from_db()

    train(collection, tia)
    assert standing_qualification(collection, tia, Level.SENIOR) is None  # of five pairs
    train(collection, tia)

    row = standing_qualification(collection, tia, Level.SENIOR)
    assert (row.basis, row.rho, row.pairs) == ("training", 1.0, 20)


def test_skill_is_of_training_with_enough_pairs_or_of_the_judgments_of_the_own_slot(
    collection, tia
):
    with_gold(collection, size=10)
    pairs = [pair for pair in labelled_pairs(collection) if pair.final is not None]
    final = [pair.final for pair in pairs]
    first, second = ([getattr(pair, name) for pair in pairs] for name in ("first", "second"))

    for username, own in (("ann1", first), ("ann2", second)):
        live = measured_skill(collection, User.objects.get(username=username))
        assert (live.basis, live.pairs) == ("judgments", 22)
        assert live.rho == pytest.approx(spearmanr(own, final).statistic, abs=1e-12), username
    a_training_set(collection, pairs=20)
    train(collection, tia)
    assert measured_skill(collection, tia) == ("training", 20, 1.0)


def test_an_admin_measures_a_senior_or_learns_what_is_missing(collection, tia):
    ann1 = User.objects.get(username="ann1")

    def measure(person):
        current = Collection.objects.get(pk=collection.pk)
        return qualify_as_senior(collection=current, person=person, given_by=None)

    with pytest.raises(NotSkilled, match="has no tiers"):
        measure(ann1)
    Collection.objects.update(senior_rho=0.7)
    with pytest.raises(NotSkilled, match="12 pairs with a final label"):
        measure(ann1)
    with pytest.raises(NotSkilled, match="0 pairs"):
        measure(tia)
    Collection.objects.update(senior_rho=None)
    with_gold(collection, size=8)
    Collection.objects.update(senior_rho=1.0)
    with pytest.raises(NotSkilled, match="on 20 pairs of live judgments, and 1 is needed"):
        measure(User.objects.get(username="ann2"))
    Collection.objects.update(senior_rho=0.7)
    assert measure(ann1).basis == "judgments"


# At once


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_the_last_answers_at_once_end_the_set_once():
    opening = with_gold()
    collection = opening.query.collection
    Collection.objects.update(qualifying_rho=0.5)
    tia = a_trainee(collection)
    practice_set = a_training_set(collection)
    train(collection, tia, left=2)
    *_, before, last = pairs_of(practice_set)
    key = uuid.uuid4()

    def send(pair, **changes):
        return lambda: answer(pair, User.objects.get(pk=tia.pk), pair.gold, **changes)

    same = {"key": key, "supersedes": None}
    outcomes = at_once([send(before), *[send(last, **same)] * 6])

    judgments = [each for each in outcomes if isinstance(each, PracticeJudgment)]
    assert len(judgments) == 7, outcomes
    assert PracticeJudgment.objects.count() == 8
    assert TrainingResult.objects.count() == Qualification.objects.count() == 1


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_beginning_at_once_begins_one_set():
    opening = with_gold()
    collection = opening.query.collection
    tia = a_trainee(collection)
    a_training_set(collection, pairs=5)
    a_training_set(collection, pairs=5)

    outcomes = at_once([lambda: start_training(collection=collection, person=tia)] * 6)

    assert len(set(outcomes)) == 1, outcomes
    assert PracticeMember.objects.count() == 1


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_an_override_during_the_last_answer_leaves_a_qualified_person():
    opening = with_gold()
    collection = opening.query.collection
    Collection.objects.update(qualifying_rho=0.5)
    tia = a_trainee(collection)
    practice_set = a_training_set(collection)
    train(collection, tia, left=1)
    last = pairs_of(practice_set)[-1]

    def override():
        return give_qualification(
            collection=collection, person=tia, level=Level.JUDGE, reason="Known.", given_by=None
        )

    judged, _ = at_once([lambda: answer(last, tia, last.gold), override])

    assert isinstance(judged, PracticeJudgment), judged
    collection.refresh_from_db()
    assert not must_qualify(collection, tia)
    assert TrainingResult.objects.get().passed


def test_a_pilot_is_no_training(collection):
    """Its pairs have no gold, so its end writes no result."""
    a_query(collection)
    pilot = a_pilot(collection)
    practise_all(pilot, (1, 1), (2, 2), (3, 3))

    assert not TrainingResult.objects.exists()
    assert next_sets(collection, [a_trainee(collection, "bo")]) == {}

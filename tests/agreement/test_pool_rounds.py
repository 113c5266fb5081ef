"""Agreement by pool round, and drift between rounds."""

from __future__ import annotations

from statistics import mean

import pytest
from django.urls import reverse

from accounts.models import Collection, Membership, Role
from agreement.coefficients import kappa
from agreement.consistency.reading import comparable_repeats
from agreement.consistency.report import ConsistencyReport, drift_between_rounds
from agreement.services import AgreementReport
from annotation.models import Opening, Repeat, Slot
from annotation.team import open_new_pairs
from jobs.context import DirectRun
from reports.services import compute_report
from tests.support.factories import DocumentFactory, a_collection, an_open_query, member
from tests.support.repeats import answer_repeat
from tests.support.rounds import top_up
from tests.support.sittings import judge
from tests.support.visits import client_of
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


def judge_round(opening: Opening, number: int, grades: dict[int, list[int]]) -> None:
    """Judge the pairs of a round by position: `grades` by slot number."""
    slots = Slot.objects.filter(pair__query=opening.query, pair__candidate__round=number)
    for slot in slots.select_related(
        "annotator", "pair__candidate__document", "pair__query__opening__guideline"
    ):
        column = grades[slot.number]
        judge(slot, column[(slot.pair.candidate.position - 1) % len(column)])


FIRST = {1: [0, 1, 2, 3, 1], 2: [0, 1, 3, 3, 2]}
SECOND = {1: [3, 0, 1], 2: [3, 1, 1]}


@once_a_file
def opening() -> Opening:
    """Thirty pairs of the first round and six of the second, judged by both, and three old ones."""
    opening = an_open_query(a_collection(), size=30)
    judge_round(opening, 1, FIRST)
    top_up(opening, 6)
    open_new_pairs(collection=opening.query.collection, old_share=0.5)
    judge_round(opening, 2, SECOND)
    return opening


def test_agreement_is_reported_by_round(opening):
    collection = opening.query.collection
    report = compute_report(AgreementReport("exclude"), collection=collection, work=DirectRun())

    rounds = report.summary["pool_rounds"]

    assert [row["round"] for row in rounds] == [1, 2]
    for row, grades in zip(rounds, (FIRST, SECOND), strict=True):
        times = 30 // 5 if row["round"] == 1 else 2
        (query,) = [each for each in row["queries"] if each["stage"] == "pre"]
        assert query["n"] == (30, 6)[row["round"] - 1]
        expected = kappa(grades[1] * times, grades[2] * times).value
        assert query["kappa"] == pytest.approx(expected)


def test_a_collection_without_rounds_has_the_report_as_before():
    opening = an_open_query(a_collection(), size=3)
    judge_round(opening, 1, FIRST)
    collection = opening.query.collection
    report = compute_report(AgreementReport("exclude"), collection=collection, work=DirectRun())
    assert "pool_rounds" not in report.summary
    consistency = compute_report(ConsistencyReport(), collection=collection, work=DirectRun())
    assert "pool_rounds" not in consistency.payload


def old_pairs(name: str) -> list[Repeat]:
    rows = Repeat.objects.filter(annotator__username=name, pool_round=2)
    return list(rows.select_related("slot__judgment"))


def drift(collection: Collection) -> list[dict]:
    by_round = comparable_repeats(collection)
    del by_round[1]
    return drift_between_rounds(collection, by_round)


def test_drift_is_the_mean_difference_on_old_pairs(opening):
    differences, same = [], 0
    for repeat in [*old_pairs("ann1"), *old_pairs("ann2")]:
        before = repeat.slot.judgment.grade
        answer_repeat(repeat, min(3, before + 1))
        differences.append(min(3, before + 1) - before)
        same += min(3, before + 1) == before

    (row,) = drift(opening.query.collection)

    assert (row["round"], row["all"]["repeats"], row["left_out"]) == (2, 6, 0)
    assert row["all"]["direction"]["value"] == pytest.approx(mean(differences))
    assert row["all"]["same"]["value"] == pytest.approx(same / 6)
    assert row["all"] == row["same_judges"]
    assert row["other_judges"]["repeats"] == 0


def test_a_new_judge_is_compared_with_the_earlier_one_and_not_with_himself():
    opening = an_open_query(a_collection(), size=30)
    judge_round(opening, 1, FIRST)
    collection = opening.query.collection
    top_up(opening, 6)
    Membership.objects.filter(collection=collection, user__username="ann1").delete()
    third = member(collection, Role.ANNOTATOR, "ann3")
    open_new_pairs(collection=collection, substitutes=[third], old_share=0.5)
    judge_round(opening, 2, SECOND)
    for repeat in old_pairs("ann3"):
        answer_repeat(repeat, repeat.slot.judgment.grade)

    (row,) = drift(collection)
    report = compute_report(ConsistencyReport(), collection=collection, work=DirectRun())

    assert (row["other_judges"]["repeats"], row["same_judges"]["repeats"]) == (3, 0)
    assert row["other_judges"]["same"]["value"] == 1
    assert report.payload["overall"]["consistency"]["repeats"] == 0
    assert report.payload["pool_rounds"] == [row]


def test_the_pages_show_both(opening):
    for repeat in old_pairs("ann1"):
        answer_repeat(repeat, 1)
    collection = opening.query.collection
    for kind in (AgreementReport("exclude"), ConsistencyReport()):
        compute_report(kind, collection=collection, work=DirectRun())
    client = client_of("admin")

    agreement = client.get(reverse("agreement", args=[collection.slug])).content.decode()
    consistency = client.get(reverse("consistency", args=[collection.slug])).content.decode()

    assert "By pool round" in agreement
    assert "round 2" in agreement
    assert "Round 2, same judge twice" in consistency


def test_a_lower_grade_of_later_rounds_is_no_drift_of_the_judge():
    """All pairs of the second round get 0, which is a difference of the pairs."""
    DocumentFactory.reset_sequence()  # the order is by docno, and one interval in twenty misses 0
    opening = an_open_query(a_collection(), size=36)
    judge_round(opening, 1, {1: [2, 2, 3, 2], 2: [2, 3, 2, 2]})
    top_up(opening, 36)
    collection = opening.query.collection
    open_new_pairs(collection=collection, old_share=0)
    judge_round(opening, 2, {1: [0, 0, 0, 1], 2: [0, 1, 0, 0]})
    report = compute_report(ConsistencyReport(), collection=collection, work=DirectRun())
    low, high = report.payload["overall"]["drift"]["change"]["interval"]
    assert low < 0 < high

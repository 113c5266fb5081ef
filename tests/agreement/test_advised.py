"""The agreement without the pairs on which a judge got an answer of an admin before judging."""

from __future__ import annotations

import random
from collections import defaultdict
from io import StringIO
from statistics import median
from typing import NamedTuple

import krippendorff
import pytest
from django.core.management import call_command
from django.urls import reverse
from scipy.stats import spearmanr

from accounts.models import Role, User
from agreement.services import AgreementReport
from annotation.models import Slot
from jobs.context import DirectRun
from reports.services import compute_report
from tests.support import api_world
from tests.support.factories import a_collection, an_open_query, member
from tests.support.help_scenes import answer, ask_admin
from tests.support.sittings import judge, judge_both, settle, slots_of
from tests.support.visits import client_of

pytestmark = [pytest.mark.django_db]

QUERIES, PAIRS = 3, 9


class JudgedPair(NamedTuple):
    grades: dict[int, int]  # by slot number
    advised: bool


def judged_at_random(chance: random.Random) -> tuple:
    """A collection whose judges ask about some pairs, and what this test itself noted of it.

    Of some pairs the answer came after the judgment, of some it was for the asker alone, and of
    some the other judge asked.
    """
    collection = a_collection(seed="advice")
    noted: dict[str, list[JudgedPair]] = defaultdict(list)
    for _ in range(QUERIES):
        opening = an_open_query(collection, size=PAIRS)
        for pair in opening.query.pairs.all():
            slots = list(pair.slots.select_related("annotator", "pair__query__opening__guideline"))
            chance.shuffle(slots)
            moment, for_all = chance.randrange(4), chance.random() < 0.5
            asker = chance.choice(slots)
            grades, advised = {}, False
            for number, slot in enumerate(slots):
                if moment == number:
                    answer(ask_admin(asker), for_all=for_all)
                if moment <= number and (for_all or slot == asker):
                    advised = True
                grades[slot.number] = chance.randrange(4)
                judge(slot, grades[slot.number])
            if moment == 2:
                answer(ask_admin(asker), for_all=for_all)  # too late
            noted[opening.query.name].append(JudgedPair(grades, advised))
            if grades[1] != grades[2]:
                settle(slots[0], User.objects.get(username="adju"), chance.randrange(4))
    return collection, noted


def figures_by_hand(pairs: list[JudgedPair]) -> dict[str, float]:
    """The coefficients of one query, by scipy, krippendorff and counting."""
    first, second = ([pair.grades[number] for pair in pairs] for number in (1, 2))
    shares = [(first.count(grade), second.count(grade)) for grade in range(4)]
    chance = sum(a * b for a, b in shares) / len(pairs) ** 2
    same = sum(a == b for a, b in zip(first, second, strict=True)) / len(pairs)
    return {
        "spearman": spearmanr(first, second).statistic,
        "alpha": krippendorff.alpha([first, second], level_of_measurement="ordinal"),
        "kappa": (same - chance) / (1 - chance),
        "percent": 100 * same,
    }


def of_method(report: dict) -> list[dict]:
    """The rows before and after adjudication."""
    return [row for row in report["facets"] if row["facet"] == "method"]


@pytest.mark.one_database
def test_a_second_program_gets_the_same_figures_and_counts_on_random_judgments():
    collection, noted = judged_at_random(random.Random(92))
    plain = compute_report(AgreementReport("exclude"), collection=collection, work=DirectRun())

    left_out = sum(pair.advised for pairs in noted.values() for pair in pairs)
    found = plain.payload["advised"]
    before, after = of_method(found)
    assert 0 < left_out < QUERIES * PAIRS
    assert (found["left_out"], before["left_out"], after["left_out"]) == (left_out,) * 3
    assert before["pairs"] == QUERIES * PAIRS - left_out
    for report, of_query in (
        (before, {name: [p for p in pairs if not p.advised] for name, pairs in noted.items()}),
        (of_method(plain.payload)[0], noted),
    ):
        by_hand = [figures_by_hand(pairs) for pairs in of_query.values()]
        for key in by_hand[0]:
            expected = median(each[key] for each in by_hand)
            assert report["median"][key] == pytest.approx(expected, abs=1e-12)

    member(collection, Role.ADMIN, "admin")
    page = client_of("admin").get(reverse("agreement", args=[collection.slug])).text
    assert "Without pairs on which a judge got an answer first" in page
    assert f"all {of_method(plain.payload)[0]['median']['alpha']:.2f}".replace("-", "−") in page
    address = f"/api/v1/collections/{collection.slug}/agreement/"
    assert api_world.client_of("admin").get(address).json()["advised"] == found
    out = StringIO()
    call_command("compute_agreement", collection.slug, stdout=out)
    assert f"before judging ({left_out} left out)" in out.getvalue()


@pytest.mark.may_differ
def test_a_report_without_answers_about_pairs_says_nothing_of_them():
    opening = an_open_query(a_collection(), size=3)
    judge_both(opening, (1, 1), (2, 1), (0, 0))
    answer(ask_admin(slots_of(opening, "ann1")[0]), for_all=True)  # after both judgments
    collection = opening.query.collection

    report = compute_report(AgreementReport("exclude"), collection=collection, work=DirectRun())

    assert "advised" not in report.payload


def test_a_judge_who_revises_after_an_answer_to_all_is_advised():
    """As when an adjudicator asked: both had judged."""
    opening = an_open_query(a_collection(), size=3)
    own = judge_both(opening, (1, 1), (2, 1), (0, 0))[1]
    answer(ask_admin(own), for_all=True)
    other = Slot.objects.select_related("pair__query__opening__guideline").get(
        pair=own.pair, annotator__username="ann2"
    )
    judge(other, 2)
    collection = opening.query.collection

    report = compute_report(AgreementReport("exclude"), collection=collection, work=DirectRun())

    assert report.payload["advised"]["left_out"] == 1
    pairs = [of_method(each)[0]["pairs"] for each in (report.payload, report.payload["advised"])]
    assert pairs == [3, 2]

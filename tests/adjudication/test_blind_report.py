"""The figures of blind ratings: by hand, against scipy and from simulated adjudicators."""

from __future__ import annotations

import random
import zipfile

import pytest
from django.db.models import F
from django.urls import reverse
from scipy.stats import norm

from accounts.models import Role
from adjudication.blind.figures import (
    SET_ASIDE,
    Checks,
    RatedCases,
    Share,
    anchoring,
    false_agreement,
)
from adjudication.blind.report import blind_report, failed_checks
from adjudication.models import BlindRating, Case, Decision
from annotation.services import Answer
from release.files import path_of
from release.services import publish_release
from tests.support.factories import a_collection, an_open_query, member
from tests.support.release_scenes import a_judged_collection
from tests.support.releases import EVERY_EXCEPTION
from tests.support.sittings import judge, judge_both, rate, refer, settle, with_rules
from tests.support.visits import text_of
from tests.support.worlds import once_a_file

DB = pytest.mark.django_db


def wilson(count: int, total: int) -> tuple[float, float]:
    """Wilson (1927), p. 209, as a formula: the second implementation."""
    z = norm.ppf(0.975)
    p = count / total
    middle = (p + z * z / (2 * total)) / (1 + z * z / total)
    half = z / (1 + z * z / total) * (p * (1 - p) / total + z * z / (4 * total**2)) ** 0.5
    return middle - half, middle + half


@pytest.mark.parametrize(("count", "total"), [(0, 1), (1, 1), (0, 10), (3, 20), (50, 1000)])
def test_an_interval_is_wilsons(count, total):
    assert Share(count, total).interval == pytest.approx(wilson(count, total))


def test_an_interval_is_that_of_the_published_example():
    """Newcombe (1998), Statistics in Medicine 17, table I: 81 of 263, score method."""
    assert Share(81, 263).interval == pytest.approx((0.2553, 0.3662), abs=5e-5)


def test_a_share_of_nothing_has_no_value():
    assert (Share(0, 0).value, Share(0, 0).interval, Share(0, 0).percents) == (None, None, None)


def test_false_agreement_counts_each_direction_and_leaves_missing_grades_out():
    rows = [
        Checks("method", 1, 1, 5),
        Checks("method", 1, 3, 2),
        Checks("result", 2, 0, 1),
        Checks("result", 2, SET_ASIDE, 4),
    ]
    found = false_agreement("all", rows)

    assert (found.share, found.higher, found.lower, found.ungraded) == (Share(3, 8), 2, 1, 4)


@pytest.mark.parametrize(
    ("case", "facts"),
    [
        # judges 0 and 3; blind 2, final 2: nothing changed, both overrule
        (RatedCases(0, 3, 2, 2, 1), "blind_overrules decision_overrules"),
        (RatedCases(0, 3, 2, 3, 1), "changed raised to_a_judge blind_overrules"),
        (RatedCases(0, 3, 3, 0, 1), "changed lowered to_a_judge"),
        (RatedCases(0, 3, 3, 2, 1), "changed lowered decision_overrules"),
        (RatedCases(SET_ASIDE, 1, 1, 1, 1), ""),
        (RatedCases(0, 3, 2, SET_ASIDE, 1), None),
        (RatedCases(0, 3, SET_ASIDE, 2, 1), None),
    ],
)
def test_what_became_of_a_blind_grade(case, facts):
    found = anchoring([case])
    shares = found._asdict()
    ungraded = shares.pop("ungraded")

    assert ungraded == (1 if facts is None else 0)
    assert {name for name, share in shares.items() if share.part} == set((facts or "").split())


def test_a_known_anchoring_is_in_its_interval():
    """Simulated adjudicators who move to a judge's grade in 30 % of the cases."""
    chance = random.Random("anchoring")
    cases = []
    for _ in range(2_000):
        first, second = chance.sample(range(4), 2)
        blind = chance.choice([grade for grade in range(4) if grade not in (first, second)])
        moves = chance.random() < 0.3
        cases.append(RatedCases(first, second, blind, first if moves else blind, 1))

    low, high = anchoring(cases).to_a_judge.interval
    assert low < 0.3 < high
    assert high - low < 0.05


# From rows


@once_a_file
def opening():
    collection = with_rules(a_collection(), grades_blind_first=True, spot_check_share=1.0)
    return an_open_query(collection, size=8)


@pytest.fixture
def collection(opening):
    return opening.query.collection


@pytest.fixture
def adjudicator(collection):
    return member(collection, Role.ADJUDICATOR, "adju")


@DB
def test_the_report_counts_rows_as_the_figures_do(opening, collection, adjudicator):
    an_open_query(collection, size=1, facet="result")
    slots = judge_both(opening, (1, 1), (1, 1), (2, 2), (3, 3), (0, 3), (0, 2), (1, 2))
    for slot, grade in zip(slots, (1, 2, 0, None, 2, 2, 1), strict=True):
        rate(slot, adjudicator, grade)
    for slot, grade in zip(slots[4:], (3, 2, 0), strict=True):
        settle(slot, adjudicator, grade)
    report = blind_report(collection)

    assert report.overall == ("", Share(2, 3), 1, 1, 1)
    assert [row.name for row in report.by_facet] == ["Method"]
    assert [(row.name, row.share) for row in report.by_grade] == [
        ("1", Share(1, 2)),
        ("2", Share(1, 1)),
        ("3", Share(0, 0)),
    ]
    assert report.anchoring._asdict() == {
        "changed": Share(2, 3),
        "raised": Share(1, 3),
        "lowered": Share(1, 3),
        "to_a_judge": Share(1, 3),
        "blind_overrules": Share(1, 3),
        "decision_overrules": Share(1, 3),
        "ungraded": 0,
    }
    assert [rating.pair_id for rating in failed_checks(collection)] == [
        slots[2].pair_id,
        slots[1].pair_id,
    ]


@DB
def test_the_last_decision_on_the_same_judgments_counts(opening, collection, adjudicator):
    slot, *_ = judge_both(opening, (0, 3))
    rate(slot, adjudicator, 2)
    for grade in (3, 2):
        settle(slot, adjudicator, grade)

    assert blind_report(collection).anchoring.changed == Share(0, 1)
    judge(slot, 1)
    assert blind_report(collection).anchoring.changed == Share(0, 1)


@DB
def test_a_case_that_was_graded_and_not_decided_is_in_no_figure(opening, collection, adjudicator):
    slot, *_ = judge_both(opening, (0, 3))
    rate(slot, adjudicator, 2)

    assert blind_report(collection).anchoring.changed == Share(0, 0)


@DB
def test_grades_of_people_who_saw_judgments_of_the_pair_are_left_out(
    opening, collection, adjudicator
):
    slot, *_ = judge_both(opening, (0, 3))
    rate(slot, adjudicator, 2)
    settle(slot, adjudicator, 3)
    judge(slot, 3)
    rate(slot, adjudicator, 3)
    report = blind_report(collection)

    assert (report.overall.share, report.seen_before, report.by_admins) == (Share(0, 0), 1, 0)
    assert report.anchoring.changed == Share(1, 1)


@DB
def test_grades_of_admins_are_left_out(opening, collection):
    both = member(collection, Role.ADJUDICATOR, "admin")
    slot, *_ = judge_both(opening, (1, 1))
    rate(slot, both, 2)
    report = blind_report(collection)

    assert (report.overall.share, report.by_admins) == (Share(0, 0), 1)
    assert not failed_checks(collection).exists()


@DB
@pytest.mark.one_database
def test_an_admin_reads_the_figures_and_sends_a_pair_on(client, opening, collection, adjudicator):
    slot, *_ = judge_both(opening, (Answer(grade=1), Answer(grade=1)))
    rate(slot, adjudicator, 3)
    client.force_login(member(collection, Role.ADMIN, "admin"))
    page = client.get(reverse("blind-ratings", args=["small"]))
    text = text_of(page)

    assert "1 of 1" in text
    assert "100.0 %" in text
    assert "20.7 to 100.0 %" in text
    docno = slot.pair.candidate.document.docno
    assert f"?query={opening.query.name}&amp;docno={docno}&amp;recipient=adjudicator" in page.text
    refer(slot.pair, "adjudicator")
    page = client.get(reverse("blind-ratings", args=["small"]))
    assert "sent to the adjudicator" in text_of(page)
    assert BlindRating.objects.count() == 1
    assert not Decision.objects.exists()


@DB
@pytest.mark.one_database
def test_without_blind_ratings_the_page_says_how_to_have_them(client, opening, collection):
    with_rules(collection, grades_blind_first=False, spot_check_share=0)
    client.force_login(member(collection, Role.ADMIN, "admin"))
    text = text_of(client.get(reverse("blind-ratings", args=["small"])))

    assert "Choose a share" in text
    assert "Let them grade blind first" in text


@DB
@pytest.mark.one_database
def test_the_page_takes_the_same_queries_however_many_ratings_there_are(
    client, opening, collection, adjudicator, django_assert_max_num_queries
):
    client.force_login(member(collection, Role.ADMIN, "admin"))
    slots = judge_both(opening, *[(1, 1)] * 6)
    for count in (1, 5):
        for slot in slots[:count]:
            if not BlindRating.objects.filter(pair=slot.pair).exists():
                rate(slot, adjudicator, 3)
        with django_assert_max_num_queries(14):
            client.get(reverse("blind-ratings", args=["small"]))


@DB
@pytest.mark.one_database
def test_a_release_has_the_figures_in_its_readme_and_its_datasheet(tmp_path, settings):
    settings.RELEASE_DIR = tmp_path
    collection = with_rules(a_judged_collection(), spot_check_share=1.0, grades_blind_first=True)
    adjudicator = member(collection, Role.ADJUDICATOR, "adju")
    agreed, *_ = Case.objects.waiting().filter(first_grade=F("second_grade"))
    rate(agreed.slots.get(number=1), adjudicator, (agreed.first_grade + 1) % 4)
    release = publish_release(collection=collection, version="1.0", accept=EVERY_EXCEPTION)

    with zipfile.ZipFile(path_of(collection.slug, release.version)) as bundle:
        (readme, *_), (sheet, *_) = (
            sorted((found for found in bundle.namelist() if found.endswith(name)), key=len)
            for name in ("README.md", "datasheet.md")
        )
        for name in (readme, sheet):
            text = " ".join(bundle.read(name).decode().split())
            assert "Adjudicators grade a case before they see the two judgments." in text
            assert "gave another grade to 1 (100.0 %, 95 % interval 20.7 to 100.0 %)" in text

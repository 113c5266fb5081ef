"""The agreement of each two annotators, and how each of them grades."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter

import pytest
from django.urls import reverse

from accounts.models import User
from adjudication.services import Ruling
from adjudication.standing import LabelledPair, PairWithJudges, Standing
from agreement.annotator_tables import AnnotatorLine, AnnotatorTables, people_of
from agreement.annotators import AnnotatorCounts, ComparedGrades
from agreement.coefficients import cross_table, kappa_of
from agreement.services import AgreementReport
from corpus.scale import Scale
from reports.services import compute_report
from tests.support.release_scenes import (
    GRADES,
    RULINGS,
    a_judged_collection,
    an_opened_collection,
    decide_all,
    judge_all,
    slot_of,
)
from tests.support.sittings import judge
from tests.support.visits import address, client_of, text_of

ANN, BEN, CAT = 1, 2, 3


def row(first, second, grades, final=None, facet="method", standing=Standing.AGREED):
    """A judged pair of these two judges, with their grades and the final label."""
    pair = LabelledPair("q", facet, "d", standing, *grades, final)
    return PairWithJudges(pair, first, second)


def decided(first, second, grades, final, facet="method"):
    return row(first, second, grades, final, facet, Standing.ADJUDICATED)


def counted(*rows, facets=("background", "method")):
    counts = AnnotatorCounts()
    read = list(counts.reading(rows))
    assert read == [each.pair for each in rows]
    return counts.as_json(facets, Scale())


ROWS = [
    row(ANN, BEN, (0, 0), 0),
    decided(ANN, BEN, (2, 1), 2),
    decided(BEN, ANN, (3, 0), 3),  # Ann in the other slot
    decided(CAT, ANN, (1, 3), 2),  # both overruled
    decided(CAT, BEN, (None, 2), 2, "background"),
]


def test_two_annotators_are_compared_whatever_their_slots():
    pairs = {(each["first"], each["second"]): each for each in counted(*ROWS)["pairs"]}

    assert set(pairs) == {(ANN, BEN), (ANN, CAT), (BEN, CAT)}
    together = pairs[ANN, BEN]
    assert (together["pairs"], together["ungraded"]) == (3, 0)
    assert together["kappa"] == kappa_of(cross_table([0, 2, 0], [0, 1, 3])).value
    assert together["percent"] == pytest.approx(100 / 3)
    assert pairs[BEN, CAT]["undefined"]["kappa"] == "no pairs"
    assert (pairs[BEN, CAT]["pairs"], pairs[BEN, CAT]["ungraded"]) == (0, 1)


def test_all_annotators_are_compared_by_facet_and_together():
    overall = counted(*ROWS)["overall"]

    assert [each["facet"] for each in overall] == ["background", "method", None]
    assert [each["pairs"] for each in overall] == [0, 4, 4]
    assert overall[1]["percent"] == 25


def test_one_facet_is_not_said_twice():
    assert [each["facet"] for each in counted(ROWS[0])["overall"]] == ["method"]


def test_side_direction_and_grades_are_of_each_annotator():
    rows = counted(*ROWS)["annotators"]
    of = {(each["annotator"], each["facet"]): each for each in rows}

    ann = of[ANN, None]
    assert (ann["grades"], ann["ungraded"]) == ([2, 0, 1, 1], 0)
    assert (ann["decided"], ann["sided"]) == (3, 1)
    assert (ann["higher"], ann["lower"], ann["pairs"]) == (2, 1, 4)
    assert ann["difference"] == (0 + 1 - 3 + 2) / 4
    # A pair that Cat could not judge has no direction and no side.
    assert (of[BEN, "background"]["decided"], of[BEN, "background"]["difference"]) == (0, None)
    assert (of[CAT, "background"]["grades"], of[CAT, "background"]["ungraded"]) == ([0] * 4, 1)


def test_equal_grades_that_were_decided_again_take_no_side():
    (ann, _) = counted(decided(ANN, BEN, (1, 1), 1))["annotators"]

    assert (ann["decided"], ann["sided"]) == (0, 0)


def test_an_unjudged_pair_counts_nowhere():
    unjudged = LabelledPair("q", "method", "d", Standing.UNJUDGED, None, None, None)

    assert counted(PairWithJudges(unjudged, None, None)) == {
        "overall": [],
        "pairs": [],
        "annotators": [],
    }


def test_a_comparison_without_a_pair_has_no_mean_difference():
    assert ComparedGrades(Counter({(None, 1): 2})).mean_difference is None


def test_the_difference_has_its_sign():
    def shown(difference):
        return AnnotatorLine(User(), {"difference": difference}).difference

    assert [shown(0.254), shown(-0.5), shown(0.0), shown(None)] == ["+0.25", "−0.50", "0.00", ""]


# On the page


@pytest.fixture
def collection(db):
    collection = a_judged_collection()
    compute_report(AgreementReport("exclude"), collection=collection)
    return collection


def test_the_page_shows_the_annotators_to_an_admin(collection):
    page = client_of("admin").get(address("agreement"))
    tables = page.context["people"]

    assert {line.user.username for line in tables.annotators} == {"ann1", "ann2"}
    (line,) = tables.pairs
    assert {user.username for user in line.people} == {"ann1", "ann2"}
    person = reverse("person", args=[collection.slug, line.people[0].pk])
    assert f'href="{person}"' in page.text
    assert "Side taken and direction" in text_of(page)


def test_the_figure_has_the_grades_of_each_annotator(collection):
    file = client_of("admin").get(address("agreement-figure", "annotators", "csv"))
    rows = list(csv.DictReader(io.StringIO(file.text)))

    assert {each["annotator"] for each in rows} == {"ann1", "ann2"}
    ungraded = 3  # in GRADES
    assert sum(int(each["judgments"]) for each in rows) == 2 * len(GRADES) - ungraded


def test_annotators_are_in_no_download_and_no_api_answer(collection):
    client = client_of("admin")
    answers = [
        client.get(address("agreement-json", "exclude")).text,
        client.get(address("agreement-csv", "exclude")).text,
        client.get(reverse("api-agreement", args=[collection.slug])).text,
    ]

    for answer in answers:
        assert "annotator" not in answer
        assert "ann1" not in answer
    assert "annotators" not in json.loads(answers[0])


def test_a_pair_with_one_judgment_tells_nothing_of_its_judge(db):
    opened = an_opened_collection()
    judge(slot_of(opened, "q2_method", "d1", 1), 3)
    report = compute_report(AgreementReport("exclude"), collection=opened)

    assert report.summary["annotators"] == {"overall": [], "pairs": [], "annotators": []}
    assert 'id="annotators"' not in client_of("admin").get(address("agreement")).text


def test_the_adjudicator_s_side_is_counted_from_the_decisions(db):
    opened = an_opened_collection()
    judge_all(opened, GRADES)
    before = compute_report(AgreementReport("exclude"), collection=opened).summary["annotators"]
    decide_all(opened, RULINGS | {("q1_method", "d2"): Ruling(grade=3)})

    after = compute_report(AgreementReport("exclude"), collection=opened).summary["annotators"]

    tables = AnnotatorTables(after, people_of(after), {})
    assert all(each["decided"] == 0 for each in before["annotators"])
    assert all(line.row["decided"] > 0 for line in tables.annotators)
    assert (
        sum(line.row["sided"] for line in tables.annotators) < tables.annotators[0].row["decided"]
    )

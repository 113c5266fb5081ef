"""Agreement before and after the adjudicator asked the judges. See ADR 58."""

from __future__ import annotations

from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.metrics import cohen_kappa_score

from accounts.models import User
from adjudication.labels import labelled_pairs
from adjudication.models import Recipient
from adjudication.questions.services import take_back
from agreement.coefficients import Missing
from agreement.services import AgreementReport, state_of
from agreement.summary import (
    RatedPair,
    ReportStage,
    Tally,
    as_json_dict,
    cell_of,
    confusions,
    judges_tables,
    question_counts,
    summarize,
)
from release.files import path_of
from release.services import publish_release
from reports.services import compute_report
from tests.support.factories import a_collection, an_open_query
from tests.support.release_scenes import a_judged_collection, slot_of
from tests.support.releases import EVERY_EXCEPTION
from tests.support.sittings import ask, judge, judge_both, keep, refer, settle, slots_of
from tests.support.worlds import once_a_file

GRADES = st.one_of(st.none(), st.integers(0, 3))
PAIRS = st.lists(
    st.builds(
        RatedPair,
        query=st.sampled_from(["q1_method", "q2_method", "q3_result"]),
        facet=st.just(""),
        first=GRADES,
        second=GRADES,
        final=GRADES,
        before=st.one_of(st.none(), st.tuples(GRADES, GRADES)),
    ).map(lambda pair: RatedPair(**fields(pair) | {"facet": pair.query.split("_")[1]})),
    min_size=1,
    max_size=40,
)


def fields(pair: RatedPair) -> dict:
    return {name: getattr(pair, name) for name in pair.__slots__}


def with_grades(pairs: list[RatedPair], *, before: bool) -> list[RatedPair]:
    """The pairs as if never asked about: with the grades before the question, or the present."""
    return [
        RatedPair(
            pair.query,
            pair.facet,
            *(pair.before if before and pair.before else (pair.first, pair.second)),
            pair.final,
        )
        for pair in pairs
    ]


@given(pairs=PAIRS, missing=st.sampled_from(Missing))
def test_before_is_the_agreement_of_the_judgments_asked_about_and_after_of_the_present_ones(
    pairs, missing
):
    found = summarize(pairs, missing)
    past = summarize(with_grades(pairs, before=True), missing)
    present = summarize(with_grades(pairs, before=False), missing)

    def rows(summary, stage):
        return [
            (row.query, row.n, row.missing, row.coefficients)
            for row in summary.queries
            if row.stage is stage
        ]

    pre, post = ReportStage.PRE, ReportStage.POST
    assert rows(found, pre) == rows(past, pre)
    assert rows(found, post) == rows(present, post)
    if any(pair.before for pair in pairs):
        assert rows(found, ReportStage.ASKED) == rows(present, pre)
    else:
        assert found == present


@given(pairs=PAIRS)
def test_the_counts_of_questions_are_those_of_the_pairs(pairs):
    counts = {row["facet"]: row for row in question_counts(tally_of_rated(pairs))}

    for facet in {pair.facet for pair in pairs}:
        asked = [pair for pair in pairs if pair.facet == facet and pair.before]
        if not asked:
            assert facet not in counts
            continue
        changed = sum(
            (pair.first != pair.before[0]) + (pair.second != pair.before[1]) for pair in asked
        )
        agreed = sum(
            pair.first == pair.second is not None
            and not (pair.before[0] == pair.before[1] is not None)
            for pair in asked
        )
        row = {"facet": facet, "pairs": len(asked), "changed": changed, "agreed": agreed}
        assert counts[facet] == row


def tally_of_rated(pairs: list[RatedPair]) -> Tally:
    tally = Tally()
    for pair in pairs:
        cell = cell_of(pair.first, pair.second, pair.final)
        tally.of_query(pair.query, pair.facet)[cell] += 1
        if pair.before is not None:
            tally.note_question(pair.query, cell, pair.before)
    return tally


def test_kappa_before_and_after_asking_is_that_of_scikit_learn():
    before = [(0, 1), (1, 1), (2, 3), (0, 0), (3, 1), (2, 2)]
    after = [(1, 1), (1, 1), (3, 3), (0, 0), (3, 1), (2, 2)]
    pairs = [
        RatedPair("q", "method", *now, before=past if now != past else None)
        for now, past in zip(after, before, strict=True)
    ]

    summary = summarize(pairs)

    for stage, grades in ((ReportStage.PRE, before), (ReportStage.ASKED, after)):
        (row,) = (row for row in summary.queries if row.stage is stage)
        expected = cohen_kappa_score(*zip(*grades, strict=True))
        assert row.coefficients["kappa"].value == pytest.approx(expected)


def test_the_matrix_of_the_judges_is_of_the_judgments_before_the_question():
    tally = tally_of_rated([RatedPair("q", "m", 3, 3, 3, before=(0, 3))])

    matrices = confusions(tally)["m"]

    assert matrices.judges[0][3] == 1
    assert matrices.first[3][3] == 1
    assert judges_tables(tally, Missing.EXCLUDE)["q"].counts == {(0, 3): 1}


def test_a_report_without_questions_says_nothing_of_them():
    pairs = [RatedPair("q", "m", 1, 2, 2)]
    tally = tally_of_rated(pairs)

    report = as_json_dict("c", Missing.EXCLUDE, summarize(pairs), tally)

    assert "questions" not in report
    assert [row["stage"] for row in report["facets"]] == ["pre", "post"]


# With rows of the database


@once_a_file
def opening():
    opening = an_open_query(a_collection(), size=4)
    judge_both(opening, (0, 3), (1, 2), (2, 2), (3, 3))
    return opening


@pytest.fixture
def adjudicator(opening):
    return User.objects.get(username="adju")


def report_of(opening) -> dict:
    return compute_report(AgreementReport("exclude"), collection=opening.query.collection).payload


def percent(payload: dict) -> dict[str, float]:
    return {row["stage"]: row["percent"] for row in payload["queries"]}


def other_slot(slot):
    return next(s for s in slots_of(slot.pair.query.opening, "ann2") if s.pair_id == slot.pair_id)


@pytest.mark.django_db
def test_an_answer_raises_agreement_after_asking_and_not_before(opening, adjudicator):
    slot = slots_of(opening, "ann1")[0]
    ask(slot, adjudicator)
    judge(slot, 3)
    keep(other_slot(slot))

    payload = report_of(opening)

    assert (percent(payload)["pre"], percent(payload)["asked"]) == (50.0, 75.0)
    assert payload["questions"] == [{"facet": "method", "pairs": 1, "changed": 1, "agreed": 1}]


@pytest.mark.django_db
def test_a_question_makes_another_report(opening, adjudicator):
    collection = opening.query.collection
    before, state = report_of(opening), state_of(labelled_pairs(collection))

    ask(slots_of(opening, "ann1")[0], adjudicator)
    after = report_of(opening)

    assert [row["stage"] for row in before["facets"] if row["facet"] == "method"] == ["pre", "post"]
    assert percent(after)["pre"] == percent(after)["asked"] == 50.0
    assert state_of(labelled_pairs(collection)) != state


@pytest.mark.django_db
def test_the_judgments_before_a_question_that_was_taken_back_count(opening, adjudicator):
    slot = slots_of(opening, "ann1")[0]
    question = ask(slot, adjudicator)
    judge(slot, 3)
    take_back(question=question, taken_back_by=adjudicator)

    assert percent(report_of(opening))["pre"] == 50.0


@pytest.mark.django_db
def test_after_the_pair_is_judged_again_the_question_counts_no_longer(opening, adjudicator):
    slot = slots_of(opening, "ann1")[0]
    ask(slot, adjudicator)
    refer(slot.pair, Recipient.JUDGES)
    for each in (slot, other_slot(slot)):
        judge(each, 1)

    payload = report_of(opening)

    assert percent(payload)["pre"] == 75.0
    assert "questions" not in payload


@pytest.mark.django_db
def test_all_cases_decided_after_asking_have_three_stages(opening, adjudicator):
    first, second = slots_of(opening, "ann1")[:2]
    ask(first, adjudicator)
    judge(first, 2)
    keep(other_slot(first))
    for slot in (first, second):
        settle(slot, adjudicator, 2)

    rows = report_of(opening)["queries"]

    by_stage = {row["stage"]: row for row in rows}
    assert list(by_stage) == ["pre", "asked", "post"]
    assert by_stage["post"]["percent"] == (100 + 50) / 2


@pytest.mark.django_db
def test_a_release_has_the_grades_before_the_questions_and_three_stages(tmp_path, settings):
    settings.RELEASE_DIR = tmp_path
    collection = a_judged_collection()
    without = files_of(publish_release(collection=collection, version="1", accept=EVERY_EXCEPTION))
    slot = slot_of(collection, "q1_background", "d3", 1)
    refer(slot.pair, Recipient.ADJUDICATOR)
    adjudicator = User.objects.get(username="adju")
    ask(slot, adjudicator)
    judge(slot, 3)
    keep(slot_of(collection, "q1_background", "d3", 2))
    settle(slot, adjudicator, 3)

    asked = files_of(publish_release(collection=collection, version="2", accept=EVERY_EXCEPTION))

    assert "annotations/questions.csv" not in without
    assert "asked" not in without["reports/agreement.csv"]
    assert asked["annotations/questions.csv"].splitlines() == [
        "query,docno,grade_1,grade_2",
        "q1_background,d3,1,3",
    ]
    assert "| background | asked | 1 | 3 |" in asked["README.md"]
    assert "Pairs that agree only since: 1." in asked["README.md"]


def files_of(release) -> dict[str, str]:
    with ZipFile(path_of(release.collection.slug, release.version)) as bundle:
        return {
            name: bundle.read(name).decode()
            for name in bundle.namelist()
            if name.endswith((".csv", ".md"))
        }

"""Decisive documents, against every labelling of the documents that are left out."""

from __future__ import annotations

import itertools
import random

import numpy as np
import pytest

from evaluation.gaps.computation.bounds import BoundedMeasure, ScoreRange
from evaluation.gaps.computation.conclusions import (
    Conclusion,
    ConclusionKind,
    Differences,
    holds,
    present,
)
from evaluation.gaps.computation.decisive import decisive
from evaluation.gaps.computation.queries import OpenQuery
from scoring.statistics.paired import t_test
from tests.support.labellings import Case, random_case, values_of

ORDER, SIGNIFICANCE = ConclusionKind.ORDER, ConclusionKind.SIGNIFICANCE
SYSTEMS = ("first", "second", "third")


def open_query(case: Case, name: str, paper: str = "") -> OpenQuery:
    views = {system: case.view(number) for number, system in enumerate(SYSTEMS)}
    return OpenQuery(name, paper or name, case.query, case.open, views)


def random_queries(seed: int, number: int, *, open_: int) -> list[Case]:
    rng = random.Random(seed)
    return [
        random_case(
            rng.randrange(10**6),
            systems=3,
            open_=open_,
            highest=1,
            relevant=rng.random() < 0.8,
        )
        for _ in range(number)
    ]


@pytest.mark.parametrize("measure", ["P@5", "nDCG@5", "AP", "R@5", "RBP(p=0.8,rel=1)", "Bpref"])
def test_no_labels_of_the_documents_left_out_change_a_conclusion(measure: str) -> None:
    """The values of ir-measures, for each of up to 4,096 labellings of all queries together."""
    left_out_at_all = smaller = 0
    for seed in range(12):
        cases = random_queries(seed, 4, open_=3)
        conclusions = [
            Conclusion(first, second, measure, kind)
            for first, second in itertools.combinations(SYSTEMS, 2)
            for kind in ConclusionKind
        ]
        queries = [open_query(case, f"q{number}") for number, case in enumerate(cases)]
        chosen = decisive(queries, {measure: BoundedMeasure.of(measure)}, conclusions)
        others = [
            [docno for docno in case.open if docno not in chosen.get(f"q{number}", ())]
            for number, case in enumerate(cases)
        ]
        left_out_at_all += sum(map(len, others))
        smaller += bool(chosen) and any(others)
        by_query = []  # for each query and labelling, the values of the systems or None
        for case, docnos in zip(cases, others, strict=True):
            rows = []
            for labels in case.labellings(docnos):
                values = values_of(case, [measure], 1, [labels])[measure]
                rows.append(values[0] if values else None)
            by_query.append(rows)
        today = [rows[0] for rows in by_query]
        concluded_today = [concluded(conclusion, today) for conclusion in conclusions]
        for combination in itertools.product(*by_query):
            found = [concluded(conclusion, combination) for conclusion in conclusions]
            assert found == concluded_today, seed
    assert left_out_at_all
    assert smaller  # some documents are decisive while others are not


def concluded(conclusion: Conclusion, rows: object) -> int:
    places = SYSTEMS.index(conclusion.first), SYSTEMS.index(conclusion.second)
    differences = [row[places[0]] - row[places[1]] for row in rows if row]  # type: ignore[attr-defined]
    return present(conclusion.kind, np.array(differences))


def test_nothing_is_decisive_without_open_documents() -> None:
    case = random_case(1, systems=3)._replace(open=[])
    conclusions = [Conclusion("first", "second", "P@5", kind) for kind in ConclusionKind]
    assert decisive([open_query(case, "q")], {"P@5": BoundedMeasure.of("P@5")}, conclusions) == {}


def test_a_document_that_both_systems_rank_alike_is_not_decisive() -> None:
    # The first system leads by one document of two; "x" moves both alike, "y" only the second.
    case = Case({"a": 1, "b": 0}, ["x", "y"], [["a", "x"], ["b", "x", "y"], []], 1)
    conclusion = Conclusion("first", "second", "P@3")
    found = decisive(
        [open_query(case, "q", "paper")], {"P@3": BoundedMeasure.of("P@3")}, [conclusion]
    )
    assert found == {"paper": ["y"]}


def test_a_document_is_decisive_for_the_paper_of_all_its_queries() -> None:
    case = Case({"a": 1, "b": 0}, ["y"], [["a"], ["b", "y"], []], 1)
    queries = [open_query(case, "p_background", "p"), open_query(case, "p_method", "p")]
    conclusion = Conclusion("first", "second", "P@3")
    assert decisive(queries, {"P@3": BoundedMeasure.of("P@3")}, [conclusion]) == {"p": ["y"]}


@pytest.mark.parametrize("kind", ConclusionKind)
def test_a_conclusion_that_holds_is_the_same_everywhere_between_the_bounds(
    kind: ConclusionKind,
) -> None:
    """At random points and at all corners, where the t statistic has its lowest value."""
    rng = np.random.default_rng(1)
    held = {-1: 0, 0: 0, 1: 0}
    for _ in range(400):
        queries = int(rng.integers(2, 9))
        value = rng.normal(rng.choice([-0.3, 0.0, 0.1, 0.4]), rng.choice([0.05, 0.3]), queries)
        reach = rng.choice([0.01, 0.05, 0.2]) * rng.random((2, queries))
        is_certain = rng.random(queries) < 0.8
        ranges = [
            ScoreRange(float(x - a), float(x) if sure else 0.0, float(x + b), bool(sure))
            for x, a, b, sure in zip(value, *reach, is_certain, strict=True)
        ]
        differences = Differences.of(ranges)
        if not holds(kind, differences):
            continue
        today = present(kind, differences.value[differences.is_certain])
        held[today] += 1
        corners = itertools.product(*[(row.low, row.high) for row in ranges])
        inside = rng.uniform(
            [row.low for row in ranges], [row.high for row in ranges], (200, queries)
        )
        for point in itertools.chain(map(np.array, corners), inside):
            takes_part = is_certain | (rng.random(queries) < 0.5)
            assert present(kind, point[takes_part]) == today
    assert held[1] > 5
    assert held[-1] > 5
    assert kind is ORDER or held[0] > 5


def test_significance_is_what_the_t_test_says() -> None:
    rng = np.random.default_rng(2)
    for _ in range(200):
        values = rng.normal(0.2, 0.3, int(rng.integers(2, 12)))
        exact = Differences.of([ScoreRange(x - 1e-7, x, x + 1e-7) for x in values.tolist()])
        p = t_test(values).value
        assert p is not None
        assert (present(SIGNIFICANCE, values) != 0) == (p < 0.05)
        # Bounds this narrow leave no doubt, so the certificate must not refuse either.
        assert holds(SIGNIFICANCE, exact) or abs(p - 0.05) < 0.001

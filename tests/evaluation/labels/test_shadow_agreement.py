"""How far a model agrees with the judges, on the same pairs as the judges with each other."""

from __future__ import annotations

from statistics import median

import numpy as np
import pytest

from agreement.coefficients import COEFFICIENTS, cross_table
from evaluation.shadow_judges.agreement import COMPARISONS, ComparedPair, compare

GRADES = (0, 1, 2, 3)


def some_pairs() -> list[ComparedPair]:
    random = np.random.default_rng(3)
    return [
        ComparedPair(f"q{query}", facet, *map(int, random.integers(0, 4, 4)))
        for query, facet in enumerate(["background", "background", "method"])
        for _ in range(40)
    ]


def test_every_comparison_is_that_of_the_coefficients_over_the_same_pairs():
    pairs = some_pairs()
    report = compare(pairs, facets=["background", "method", "result"], grades=GRADES, seed="s")
    assert [row["facet"] for row in report["facets"]] == ["background", "method", "all"]
    for row in report["facets"]:
        members = [pair for pair in pairs if row["facet"] in (pair.facet, "all")]
        queries = sorted({pair.query for pair in members})
        assert (row["pairs"], row["queries"]) == (len(members), len(queries))
        for comparison in COMPARISONS:
            for coefficient in COEFFICIENTS:

                def value(of, key=comparison, function=coefficient.function):
                    columns = [[getattr(pair, name) for pair in of] for name in key[1:]]
                    return function(cross_table(*columns)).value

                found = row["comparisons"][comparison.key]["coefficients"][coefficient.key]
                assert found["pooled"] == value(members)
                per_query = [value([p for p in members if p.query == name]) for name in queries]
                assert found["median"] == median(per_query)
                assert found["defined"] == len(queries)


def test_the_confusion_and_the_agreement_on_a_grade_count_the_same_pairs():
    pairs = some_pairs()
    *_, row = compare(pairs, facets=["background", "method"], grades=GRADES, seed="s")["facets"]
    found = row["comparisons"]["model-final"]
    for grade in GRADES:
        both = sum(pair.model == pair.final == grade for pair in pairs)
        of_model, of_final = (
            sum(pair.model == grade for pair in pairs),
            sum(pair.final == grade for pair in pairs),
        )
        assert found["confusion"][grade][grade] == both
        assert sum(found["confusion"][grade]) == of_model
        assert found["by_grade"][grade] == pytest.approx(2 * both / (of_model + of_final))


def test_pairs_without_a_model_label_or_a_grade_are_left_out_and_counted():
    pairs = [
        ComparedPair("q1", "", 1, 1, 1, 1),
        ComparedPair("q1", "", None, 1, 2, 2),
        ComparedPair("q1", "", 1, None, 2, 2),
        ComparedPair("q2", "", None, 1, 1, 1),
    ]
    report = compare(pairs, facets=[""], grades=GRADES, seed="s")
    assert report["left_out"] == {"no_model_label": 2, "missing_judgment": 1}
    (row,) = report["facets"]
    assert (row["facet"], row["queries"], row["pairs"]) == ("", 1, 1)
    assert row["comparisons"]["judges"]["coefficients"]["kappa"] == {
        "median": None,
        "interval": None,
        "defined": 0,
        "pooled": None,
        "undefined": "all grades identical",
    }


def test_final_labels_are_compared_only_after_the_last_decision_of_a_query():
    decided = [ComparedPair("q1", "", g, g, g, g) for g in (0, 1)]
    waiting = [ComparedPair("q2", "", g, g, g, g) for g in (0, 1)]
    waiting.append(ComparedPair("q2", "", 1, 1, 2, None))
    (row,) = compare(decided + waiting, facets=[""], grades=GRADES, seed="s")["facets"]
    with_final = row["comparisons"]["model-final"]["coefficients"]["percent"]
    assert (with_final["median"], with_final["defined"], with_final["pooled"]) == (100, 1, None)
    assert with_final["undefined"] == "unfinished: 1 of 5 pairs have no final label"
    assert row["comparisons"]["judges"]["coefficients"]["percent"]["pooled"] == 80
    aside = [pair._replace(set_aside=True) if pair.final is None else pair for pair in waiting]
    (row,) = compare(decided + aside, facets=[""], grades=GRADES, seed="s")["facets"]
    assert row["comparisons"]["model-final"]["coefficients"]["percent"]["pooled"] == 100

"""Agreement on parts of the pairs."""

from __future__ import annotations

import krippendorff
import numpy as np
import pytest

from agreement.coefficients import COEFFICIENTS, cross_table
from evaluation.shadow_judges.agreement import COMPARISONS
from evaluation.shadow_judges.worth.pairs import CandidateFacts
from evaluation.shadow_judges.worth.resamples import QueryResamples, interval_of
from evaluation.shadow_judges.worth.slices import agreement_by_slice
from tests.support.compared_pairs import SOURCES, compared, pairs_with_facts

PERIODS = [(1990, 1994), (1995, 2004)]


def slices(rows, periods=PERIODS, resamples=200):
    pairs = compared(rows)
    found = agreement_by_slice(
        pairs, periods, QueryResamples(len(pairs.queries), "seed", resamples)
    )
    return {(row["dimension"], row["key"]): row for row in found}


# A second definition of each slice, pair by pair.
MEMBERS = {
    ("all", "all"): lambda pair, facts: True,
    ("facet", "background"): lambda pair, facts: pair.facet == "background",
    ("facet", "method"): lambda pair, facts: pair.facet == "method",
    **{("drawn", name): lambda pair, facts, name=name: facts.drawn == name for name in SOURCES},
    **{("found", name): lambda pair, facts, name=name: name in facts.found for name in SOURCES},
    ("year", "1990-1994"): lambda pair, facts: facts.year in range(1990, 1995),
    ("year", "1995-2004"): lambda pair, facts: facts.year in range(1995, 2005),
    ("year", "other years"): lambda pair, facts: (facts.year or 0) > 2004,
    ("year", "no year"): lambda pair, facts: facts.year is None,
}


def test_each_slice_has_the_coefficients_of_its_pairs():
    rows = pairs_with_facts(queries=22)
    found = slices(rows)
    lengths = {key for key in found if key[0] == "length"}
    assert found.keys() == MEMBERS.keys() | lengths
    for key, is_member in MEMBERS.items():
        members = [pair for pair, facts in rows if is_member(pair, facts)]
        row = found[key]
        assert (row["pairs"], row["queries"]) == (
            len(members),
            len({pair.query for pair in members}),
        )
        for comparison in COMPARISONS:
            columns = [[getattr(pair, name) for pair in members] for name in comparison[1:]]
            for coefficient in COEFFICIENTS:
                value = row["numbers"][comparison.key][coefficient.key]["value"]
                assert value == coefficient.function(cross_table(*columns)).value


def test_the_model_is_compared_with_both_annotators_as_they_are_with_each_other():
    numbers = slices(pairs_with_facts())["all", "all"]["numbers"]
    for coefficient in COEFFICIENTS:
        value = {key: of[coefficient.key]["value"] for key, of in numbers.items()}
        assert value["model-people"] == (value["model-first"] + value["model-second"]) / 2
        assert value["difference"] == value["model-people"] - value["judges"]
        low, high = numbers["difference"][coefficient.key]["interval"]
        assert low < value["difference"] < high


def test_the_interval_of_the_difference_is_from_resamples_of_whole_queries():
    rows = pairs_with_facts(queries=12, size=20)
    pairs = compared(rows)
    resamples = QueryResamples(12, "seed", 60)
    weights = resamples.sums(np.eye(12)).astype(int)
    by_query = [[pair for pair, _ in rows if pair.query == name] for name in pairs.queries]
    differences = []
    for of_queries in weights:
        drawn = [
            pair
            for members, times in zip(by_query, of_queries, strict=True)
            for _ in range(times)
            for pair in members
        ]
        model, first, second = (
            [getattr(pair, name) for pair in drawn] for name in ("model", "first", "second")
        )

        def alpha(a, b):
            return krippendorff.alpha([a, b], level_of_measurement="ordinal")

        with_people = (alpha(model, first) + alpha(model, second)) / 2
        differences.append(with_people - alpha(first, second))
    (row,) = (row for row in agreement_by_slice(pairs, (), resamples) if row["key"] == "all")
    assert row["numbers"]["difference"]["alpha"]["interval"] == pytest.approx(
        interval_of(np.array(differences), 12)
    )


def test_lengths_are_three_parts_of_the_same_size_with_their_bounds():
    rows = [
        (pair, facts._replace(words=words))
        for words, (pair, facts) in enumerate(pairs_with_facts(queries=10, size=30), start=1)
    ]
    found = slices(rows)
    bounds = [found["length", str(number)]["bounds"] for number in (1, 2, 3)]
    assert bounds == [[1, 100], [101, 200], [201, 300]]
    assert [found["length", str(number)]["pairs"] for number in (1, 2, 3)] == [100] * 3
    # Equal lengths stay together: most candidates have 80 words.
    rows = [
        (pair, facts._replace(words=80 if n % 10 else 90)) for n, (pair, facts) in enumerate(rows)
    ]
    lengths = {key[1]: row["bounds"] for key, row in slices(rows).items() if key[0] == "length"}
    assert lengths == {"1": [80, 80], "3": [81, 90]}


def test_what_is_not_known_of_the_candidates_gives_no_slices():
    rows = [(pair._replace(facet=""), CandidateFacts()) for pair, _ in pairs_with_facts()]
    assert list(slices(rows)) == [("all", "all")]


def test_too_few_pairs_or_queries_have_counts_and_the_reason_only():
    rows = pairs_with_facts(queries=14, size=30)
    few = [
        (pair, facts._replace(drawn="rare" if number in (1, 2, 3) else "", found=frozenset()))
        for number, (pair, facts) in enumerate(rows)
    ]
    row = slices(few)["drawn", "rare"]
    assert (row["pairs"], row["queries"]) == (3, 1)
    assert row["numbers"]["judges"]["alpha"] == {
        "value": None,
        "interval": None,
        "n": 1,
        "undefined": "3 of at least 30 pairs",
    }
    assert row["numbers"]["difference"]["alpha"]["undefined"] == "3 of at least 30 pairs"
    nine = slices([(pair, facts) for pair, facts in rows if pair.query < "q09"])["all", "all"]
    assert nine["numbers"]["judges"]["percent"]["undefined"] == "9 of at least 10 queries"
    assert nine["pairs"] == 270


def test_queries_that_wait_for_the_adjudicator_are_not_compared_with_final_labels():
    rows = pairs_with_facts()
    waiting = [
        (pair._replace(final=None) if pair.query == "q03" and number % 7 == 0 else pair, facts)
        for number, (pair, facts) in enumerate(rows)
    ]
    pairs = compared(waiting)
    assert pairs.unfinished == 1
    numbers = slices(waiting)["all", "all"]["numbers"]
    others = [pair for pair, _ in rows if pair.query != "q03"]
    percent = 100 * np.mean([pair.model == pair.final for pair in others])
    assert numbers["model-final"]["percent"]["value"] == pytest.approx(percent)
    assert numbers["model-final"]["percent"]["n"] == 13
    assert numbers["judges"]["percent"]["n"] == 14
    aside = [(pair._replace(set_aside=pair.final is None), facts) for pair, facts in waiting]
    assert compared(aside).unfinished == 0

import pytest
from scipy import stats

from evaluation.pool_bias.computation.growth import (
    NEXT,
    WINDOW,
    QueryGrowth,
    expected_in_all,
    found_by_size,
    growth_of,
)
from evaluation.pool_bias.computation.sourced_pools import SourcedDocument, SourcedPool


def a_pool(grades, forced=0, queries=("q_method",)):
    documents = tuple(
        SourcedDocument(
            f"d{number}", source, frozenset([source]), frozenset([source]), number < forced
        )
        for number in range(len(grades))
        for source in ["cited" if number < forced else "bm25"]
    )
    labels = {f"d{number}": grade for number, grade in enumerate(grades) if grade is not None}
    return SourcedPool("q", queries, documents), dict.fromkeys(queries, labels)


def test_the_expected_number_is_the_share_of_the_last_documents_drawn():
    grades = [2] * 10 + [2] * 5 + [0] * 15  # of the last 20, five are relevant
    pool, qrels = a_pool(grades)
    (row,) = growth_of([pool], qrels, relevant_from=2)
    assert (row.window, row.in_window, row.relevant) == (WINDOW, 5, 15)
    assert row.expected.value == NEXT * 5 / 20


def test_forced_and_unjudged_documents_are_not_among_the_last_ones():
    pool, qrels = a_pool([2, 2, 0, None, 2], forced=2)
    (row,) = growth_of([pool], qrels, relevant_from=2)
    assert (row.window, row.in_window, row.forced, row.judged) == (2, 1, 2, 4)
    assert row.relevant_at == (1, 2, 5)


def test_the_interval_of_a_query_is_that_of_a_beta_binomial():
    for hits in range(21):
        expected = QueryGrowth("q", 100, 100, (1, 2), 0, window=20, in_window=hits).expected
        below = stats.betabinom(10, hits + 0.5, 20 - hits + 0.5).cdf(range(11))
        # The ends are the lowest numbers with at least 2.5 % and 97.5 % up to them.
        assert expected == (hits / 2, (below < 0.025).sum(), (below < 0.975).sum())
    assert QueryGrowth("q", 3, 0, (), 0, window=0, in_window=0).expected is None


def test_the_interval_in_all_is_students_over_the_queries():
    rows = [QueryGrowth("q", 9, 9, (), 0, 10, hits) for hits in (0, 1, 2)]
    expected = expected_in_all(rows)
    # Values 0, 1, 2: the mean is 1, its standard error 1/√3 and t(2) 4.3027.
    assert expected.value == 3
    assert expected.low == 0
    assert expected.high == pytest.approx(3 * (1 + 4.30265 / 3**0.5), rel=1e-5)
    # Values 2, 3, 4, 3, 3, 3: the mean is 3, its standard error √(0.4/6) and t(5) 2.57058.
    higher = [QueryGrowth("q", 9, 9, (), 0, 10, hits) for hits in (2, 3, 4, 3, 3, 3)]
    error = (0.4 / 6) ** 0.5
    low, high = expected_in_all(higher)[1:]
    assert (low, high) == pytest.approx((18 - 6 * 2.57058 * error, 18 + 6 * 2.57058 * error))
    two, undefined = rows[1:], QueryGrowth("q", 9, 0, (), 0, 0, 0)
    # Values 1 and 2: the mean is 1.5, its standard error 0.5 and t(1) 12.7062.
    assert expected_in_all([*two, undefined]) == pytest.approx((3, 0, 2 * (1.5 + 12.7062 * 0.5)))
    assert expected_in_all([rows[1], undefined]) == rows[1].expected
    assert expected_in_all([undefined]) is None


def test_a_pool_that_ends_early_keeps_all_that_it_has():
    rows = [
        QueryGrowth("a", 2, 2, (1, 2), 0, 2, 2),
        QueryGrowth("b", 4, 4, (4,), 0, 4, 1),
    ]
    assert found_by_size(rows) == [1, 2, 2, 3]
    assert found_by_size([]) == []

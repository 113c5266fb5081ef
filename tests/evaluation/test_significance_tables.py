"""What the page Significance, its files and the command print of a comparison."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd
import pytest

from agreement.coefficients import Result
from evaluation.significance.tables import (
    PAIR_FIELDS,
    SAME,
    StatisticCell,
    difference_sentence,
    matrix_of,
    p_text,
    page_rows,
    pair_lines,
    points,
    signed,
    system_fields,
    verdict,
)
from scoring.statistics.comparison import AllPairs, SystemComparison, compare, compare_all_pairs
from scoring.statistics.paired import ALPHA, NO_VARIANCE, TOO_FEW_QUERIES, IntervalEstimate
from web.figures import percent_text as percent

VALUES = pd.DataFrame(
    {
        "bm25": [0.31, 0.42, 0.29, 0.50, 0.10, 0.15, 0.22, 0.24],
        "copy": [0.31, 0.42, 0.29, 0.50, 0.10, 0.15, 0.22, 0.24],
        "encoder": [0.51, 0.55, 0.42, 0.49, 0.35, 0.30, 0.41, 0.50],
        "random": [0.00, 0.11, 0.02, 0.01, 0.03, 0.01, 0.02, 0.03],
    },
    index=[f"q{number}" for number in range(8)],
)


@pytest.fixture
def comparison() -> SystemComparison:
    return compare(VALUES, "bm25")


def versus_of(comparison, system):
    return next(row.versus for row in comparison.rows if row.system == system)


def test_a_verdict_needs_an_adjusted_p_below_the_level_and_a_direction(comparison):
    higher, lower = versus_of(comparison, "encoder"), versus_of(comparison, "random")
    assert (verdict(higher), verdict(lower)) == ("higher", "lower")
    assert verdict(versus_of(comparison, "copy")) == SAME
    assert verdict(replace(higher, flips_adjusted=ALPHA)) == SAME
    assert verdict(replace(higher, flips_adjusted=ALPHA - 1e-9)) == "higher"
    assert verdict(replace(higher, flips=1.0)) == "higher"
    assert (
        verdict(replace(higher, difference=IntervalEstimate(None, None, None, "no queries")))
        == SAME
    )
    assert verdict(replace(lower, difference=IntervalEstimate(0.0, 0.0, 0.0))) == "lower"


def test_a_row_of_a_file_has_every_number_at_full_precision(comparison):
    rows = {row.system: row for row in comparison.rows}
    row, versus = rows["encoder"], rows["encoder"].versus
    assert system_fields(row) == {
        "system": "encoder",
        "mean": row.mean.value,
        "mean_low": row.mean.low,
        "mean_high": row.mean.high,
        "difference": versus.difference.value,
        "difference_low": versus.difference.low,
        "difference_high": versus.difference.high,
        "wins": versus.counts.wins,
        "ties": versus.counts.ties,
        "losses": versus.counts.losses,
        "t_p": versus.t.value,
        "t_p_holm": versus.t_adjusted,
        "randomization_p": versus.flips,
        "randomization_p_holm": versus.flips_adjusted,
        "significance": "higher",
        "effect_size": versus.effect.value,
        "effect_size_low": versus.effect.low,
        "effect_size_high": versus.effect.high,
        "detectable_difference": versus.detectable.value,
        "undefined": None,
    }
    assert set(list(system_fields(rows["bm25"]).values())[4:]) == {None}
    assert system_fields(rows["copy"])["undefined"] == NO_VARIANCE


def test_the_page_rounds_and_has_the_exact_value_for_a_pointer(comparison):
    rows = {row.system: row for row in page_rows(comparison)}
    versus = versus_of(comparison, "random")
    row, mean = rows["random"], versus.difference
    assert row.verdict == "lower"
    assert row.mean == StatisticCell(
        "2.88",
        repr(float(VALUES["random"].mean())),
        f"{percent(comparison.rows[-1].mean.low)} to {percent(comparison.rows[-1].mean.high)}",
    )
    difference, counts, t, t_adjusted, flips, flips_adjusted, effect = row.cells
    assert difference.text == "−25.00"
    assert difference.interval == f"{points(mean.low)} to {points(mean.high)}"
    assert counts == StatisticCell("0/0/8")
    assert t == StatisticCell(p_text(versus.t.value), repr(versus.t.value))
    assert t_adjusted == StatisticCell(p_text(versus.t_adjusted), repr(versus.t_adjusted))
    assert flips == StatisticCell(p_text(versus.flips), repr(versus.flips))
    assert flips_adjusted == StatisticCell(
        p_text(versus.flips_adjusted), repr(versus.flips_adjusted)
    )
    assert effect == StatisticCell(
        signed(versus.effect.value),
        repr(versus.effect.value),
        f"{signed(versus.effect.low)} to {signed(versus.effect.high)}",
    )
    assert (rows["bm25"].cells, rows["bm25"].verdict) == ((), "")
    undefined = StatisticCell("undefined", NO_VARIANCE)
    same = rows["copy"].cells
    assert (same[2], same[3], same[6]) == (undefined, undefined, undefined)
    assert same[4].text == same[5].text == "1.000"


def test_a_single_query_has_means_without_intervals():
    row = page_rows(compare(VALUES.head(1), "bm25"))[0]
    assert row.mean == StatisticCell("51.00", "0.51", "")
    assert row.cells[2] == StatisticCell("undefined", TOO_FEW_QUERIES)


def test_numbers_have_two_decimals_and_a_real_minus():
    assert (percent(0.12345), percent(-0.5), percent(1)) == ("12.35", "−50.00", "100.00")
    assert (points(0.001), points(-0.25)) == ("+0.10", "−25.00")
    assert (signed(-1.239), signed(2), signed(10), signed(-20)) == (
        "−1.24",
        "+2.00",
        "+10.00",
        "−20.00",
    )
    assert {signed(value) for value in (0.0, -0.0, 0.004, -0.004)} == {"0.00"}
    assert (p_text(0.001), p_text(0.00099), p_text(0.05)) == ("0.001", "< 0.001", "0.050")


def test_a_matrix_has_every_pair_twice_with_opposite_signs():
    table = compare_all_pairs(VALUES)
    matrix = matrix_of(table)
    assert [row.system for row in matrix.rows] == ["encoder", "bm25", "copy", "random"]
    assert (matrix.pairs, matrix.undefined) == (6, None)
    assert matrix.significant == sum(pair.p < ALPHA for pair in table.pairs)
    assert 0 < matrix.significant < 6
    for i, row in enumerate(matrix.rows):
        assert len(row.cells) == 4
        assert row.cells[i] is None
        for j, cell in enumerate(row.cells):
            if cell is None:
                continue
            pair, sign = table.pair(i, j), 1 if i < j else -1
            means = VALUES[table.systems].mean()
            assert cell.difference == points(means.iloc[i] - means.iloc[j])
            assert cell.p == p_text(pair.p)
            assert cell.is_significant == (pair.p < ALPHA)
            assert cell.title == (
                f"{table.systems[i]} − {table.systems[j]}: {cell.difference}, "
                f"p {cell.p}, effect size {signed(sign * pair.effect.value)}"
            )
    level = table.pairs[0]._replace(p=ALPHA)
    exact = matrix_of(AllPairs(table.systems[:2], [level], 8, None))
    assert (exact.significant, exact.rows[0].cells[1].is_significant) == (0, False)


def test_the_file_of_all_pairs_names_the_systems():
    table = compare_all_pairs(VALUES)
    line = pair_lines(table)[4]
    assert {name: field(line) for name, field in PAIR_FIELDS.items()} == {
        "first": "bm25",
        "second": "random",
        "difference": table.pairs[4].difference,
        "tukey_p": table.pairs[4].p,
        "effect_size": table.pairs[4].effect.value,
        "effect_size_low": table.pairs[4].effect.low,
        "effect_size_high": table.pairs[4].effect.high,
    }


def test_the_sentence_about_detectable_differences_has_the_median_and_the_range(comparison):
    small, large = comparison.detectable
    assert difference_sentence(comparison, "AP") == (
        "With 8 queries, a paired t test at 5 % finds a true difference in AP of "
        f"{percent((small + large) / 2)} percentage points with probability 0.8 (the median over "
        f"the comparisons, from {percent(small)} to {percent(large)} by system)."
    )
    two = compare(VALUES[["bm25", "encoder"]], "bm25")
    assert difference_sentence(two, "AP").endswith("(the median over the comparisons).")
    assert difference_sentence(compare(VALUES[["bm25", "copy"]].head(1), "bm25"), "AP") == (
        "The smallest detectable difference is undefined for 1 query: no variance."
    )


def test_an_undefined_detectable_difference_is_left_out(comparison):
    rows = [
        replace(row, versus=replace(row.versus, detectable=Result(None, NO_VARIANCE)))
        if row.system == "random"
        else row
        for row in comparison.rows
    ]
    encoder = versus_of(comparison, "encoder").detectable.value
    assert replace(comparison, rows=rows).detectable == [encoder]

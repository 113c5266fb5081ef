"""The same report by the plain way: pair by pair, with the libraries on the lists of grades."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import fsum, isclose, sqrt
from statistics import median

import krippendorff
import numpy as np
from scipy.stats import spearmanr

from agreement.coefficients import (
    ALL_IDENTICAL,
    CONSTANT_RATER,
    NO_PAIRS,
    ONE_PAIR,
    REGISTRY,
    Grades,
    Missing,
    Result,
    fill,
)
from agreement.intervals import MedianIntervals
from agreement.summary import FacetSummary, QuerySummary, RatedPair, ReportStage, Results, Summary


def spearman_of_scipy(first: Grades, second: Grades) -> Result:
    a, b = graded_by_both(first, second)
    if not a:
        return Result(None, NO_PAIRS)
    if len(a) == 1:
        return Result(None, ONE_PAIR)
    if len(set(a)) == 1 or len(set(b)) == 1:
        return Result(None, CONSTANT_RATER)
    rho = float(spearmanr(a, b).statistic)
    # scipy rounds the coefficient of equal ranks to 0.9999999999999998. No other one is so near 1.
    return Result(round(rho) if isclose(abs(rho), 1, abs_tol=1e-12) else rho)


def alpha_of_krippendorff(first: Grades, second: Grades) -> Result:
    a, b = graded_by_both(first, second)
    if reason := no_variation(a, b):
        return Result(None, reason)
    alpha = krippendorff.alpha(reliability_data=[a, b], level_of_measurement="ordinal")
    return Result(float(alpha))


def kappa_of_lists(first: Grades, second: Grades) -> Result:
    a, b = graded_by_both(first, second)
    if reason := no_variation(a, b):
        return Result(None, reason)
    n, used_by_a, used_by_b = len(a), Counter(a), Counter(b)
    expected = sum(used_by_a[grade] * used_by_b[grade] for grade in used_by_a)
    return Result((n * agreed(a, b) - expected) / (n * n - expected))


def percent_of_lists(first: Grades, second: Grades) -> Result:
    a, b = graded_by_both(first, second)
    return Result(100 * agreed(a, b) / len(a)) if a else Result(None, NO_PAIRS)


def kendall_of_pairs_of_pairs(first: Grades, second: Grades) -> Result:
    a, b = graded_by_both(first, second)
    if not a:
        return Result(None, NO_PAIRS)
    if len(a) == 1:
        return Result(None, ONE_PAIR)
    if len(set(a)) == 1 or len(set(b)) == 1:
        return Result(None, CONSTANT_RATER)
    by_a, by_b = (np.sign(np.subtract.outer(grades, grades)) for grades in (a, b))
    balance, untied = (by_a * by_b).sum() / 2, np.abs(by_a).sum() * np.abs(by_b).sum() / 4
    return Result(float(balance / sqrt(untied)))


def weighted_kappa(weight: Callable[[int], int]) -> Callable[[Grades, Grades], Result]:
    def kappa(first: Grades, second: Grades) -> Result:
        a, b = graded_by_both(first, second)
        if reason := no_variation(a, b):
            return Result(None, reason)
        observed = Fraction(sum(weight(x - y) for x, y in zip(a, b, strict=True)), len(a))
        products = Counter[int]()
        for x, times in Counter(a).items():
            for y, others in Counter(b).items():
                products[weight(x - y)] += times * others
        expected = Fraction(sum(w * n for w, n in products.items()), len(a) ** 2)
        return Result(float(1 - observed / expected))

    return kappa


def gwet(weights: Sequence[Sequence[Fraction]]) -> Callable[[Grades, Grades], Result]:
    """AC1 and AC2 as Gwet (2014) writes them, in exact fractions."""

    def coefficient(first: Grades, second: Grades) -> Result:
        a, b = graded_by_both(first, second)
        if not a:
            return Result(None, NO_PAIRS)
        q, n = len(weights), len(a)
        shares = [Fraction(a.count(grade) + b.count(grade), 2 * n) for grade in range(q)]
        observed = sum((weights[x][y] for x, y in zip(a, b, strict=True)), Fraction()) / n
        unlike = sum((share * (1 - share) for share in shares), Fraction())
        expected = sum(map(sum, weights), Fraction()) * unlike / (q * (q - 1))
        return Result(float((observed - expected) / (1 - expected)))

    return coefficient


def identity_weights(grades: int) -> list[list[Fraction]]:
    return [[Fraction(int(a == b)) for b in range(grades)] for a in range(grades)]


def quadratic_weights(grades: int) -> list[list[Fraction]]:
    return [
        [1 - Fraction((a - b) ** 2, (grades - 1) ** 2) for b in range(grades)]
        for a in range(grades)
    ]


def percent_where(agree: Callable[[int, int], bool]) -> Callable[[Grades, Grades], Result]:
    def percent(first: Grades, second: Grades) -> Result:
        a, b = graded_by_both(first, second)
        number = sum(agree(x, y) for x, y in zip(a, b, strict=True))
        return Result(100 * number / len(a)) if a else Result(None, NO_PAIRS)

    return percent


LIBRARIES: dict[str, Callable[[Grades, Grades], Result]] = {
    "spearman": spearman_of_scipy,
    "alpha": alpha_of_krippendorff,
    "kappa": kappa_of_lists,
    "percent": percent_of_lists,
    "kendall": kendall_of_pairs_of_pairs,
    "kappa_linear": weighted_kappa(abs),
    "kappa_quadratic": weighted_kappa(lambda difference: difference**2),
    "ac1": gwet(identity_weights(4)),
    "ac2": gwet(quadratic_weights(4)),
    "percent_within_1": percent_where(lambda a, b: abs(a - b) < 2),
    "percent_relevance": percent_where(lambda a, b: (a > 1) is (b > 1)),
}


def graded_by_both(first: Grades, second: Grades) -> tuple[list[int], list[int]]:
    complete = [
        (a, b) for a, b in zip(first, second, strict=True) if a is not None and b is not None
    ]
    return [a for a, _ in complete], [b for _, b in complete]


def no_variation(a: list[int], b: list[int]) -> str | None:
    if not a:
        return NO_PAIRS
    return ALL_IDENTICAL if len({*a, *b}) == 1 else None


def agreed(a: list[int], b: list[int]) -> int:
    return sum(left == right for left, right in zip(a, b, strict=True))


def summarize_by_pair(
    pairs: Iterable[RatedPair],
    missing: Missing,
    facets: Sequence[str],
) -> Summary:
    """What `agreement.summary.summarize` gives, to the last digit."""
    by_facet: dict[str, list[RatedPair]] = {facet: [] for facet in facets}
    for pair in pairs:
        by_facet.setdefault(pair.facet, []).append(pair)
    rows_of = {facet: _query_rows(members, missing) for facet, members in by_facet.items()}
    return Summary(
        queries=tuple(row for rows in rows_of.values() for row in rows),
        facets=tuple(
            _facet_row(facet, stage, members, rows_of[facet])
            for facet, members in by_facet.items()
            for stage in (ReportStage.PRE, ReportStage.POST)
        ),
    )


def _query_rows(pairs: Iterable[RatedPair], missing: Missing) -> list[QuerySummary]:
    by_query: dict[str, list[RatedPair]] = defaultdict(list)
    for pair in pairs:
        by_query[pair.query].append(pair)
    return [
        row(query, by_query[query], missing)
        for query in sorted(by_query)
        for row in (_before, _after)
    ]


def _before(query: str, pairs: Sequence[RatedPair], missing: Missing) -> QuerySummary:
    judged = [pair for pair in pairs if pair.judged]
    used = [pair for pair in judged if _usable(pair, missing)]
    first, second, _ = _columns(used, missing)
    return QuerySummary(
        query=query,
        facet=pairs[0].facet,
        stage=ReportStage.PRE,
        n=len(used),
        missing=sum(_incomplete(pair) for pair in judged),
        coefficients={key: function(first, second) for key, function in LIBRARIES.items()},
    )


def _after(query: str, pairs: Sequence[RatedPair], missing: Missing) -> QuerySummary:
    judged = [pair for pair in pairs if pair.judged]
    labelled = [pair for pair in judged if pair.final is not None]
    due = [pair for pair in judged if pair.final is None and not pair.set_aside]
    used = [pair for pair in labelled if _usable(pair, missing)]
    return QuerySummary(
        query=query,
        facet=pairs[0].facet,
        stage=ReportStage.POST,
        n=len(used),
        missing=sum(_incomplete(pair) or pair.final is None for pair in judged),
        coefficients=(_unfinished(len(due), len(judged)) if due else _with_final(used, missing)),
    )


def _with_final(pairs: Sequence[RatedPair], missing: Missing) -> Results:
    first, second, final = _columns(pairs, missing)
    return {
        key: _mean(function(first, final), function(second, final))
        for key, function in LIBRARIES.items()
    }


def _unfinished(unlabelled: int, judged: int) -> Results:
    # Pairs the judges agreed on have their label at once and the others wait for the adjudicator:
    # numbers from the labelled part alone would start at perfect agreement and sink.
    reason = f"unfinished: {unlabelled} of {judged} pairs have no final label"
    return {each.key: Result(None, reason) for each in REGISTRY}


def _mean(first: Result, second: Result) -> Result:
    if first.value is not None and second.value is not None:
        return Result((first.value + second.value) / 2)
    if first.undefined == second.undefined:
        return Result(None, f"both slots against the final label: {first.undefined}")
    reasons = [
        f"slot {slot} against the final label: {coefficient.undefined}"
        for slot, coefficient in ((1, first), (2, second))
        if coefficient.undefined is not None
    ]
    return Result(None, "; ".join(reasons))


def _incomplete(pair: RatedPair) -> bool:
    return pair.first is None or pair.second is None


def _usable(pair: RatedPair, missing: Missing) -> bool:
    # By pair, not by judge: all three comparisons of a query are then about the same pairs.
    return missing is Missing.ZERO or not _incomplete(pair)


def _columns(pairs: Sequence[RatedPair], missing: Missing) -> tuple[Grades, Grades, Grades]:
    """The grades of slot 1, of slot 2 (missing ones filled) and the final labels, (n,) each."""
    return (
        fill([pair.first for pair in pairs], missing),
        fill([pair.second for pair in pairs], missing),
        [pair.final for pair in pairs],
    )


def _facet_row(
    facet: str, stage: ReportStage, pairs: Sequence[RatedPair], rows: Sequence[QuerySummary]
) -> FacetSummary:
    judged = [pair for pair in pairs if pair.judged]
    results = [row.coefficients for row in rows if row.stage is stage]
    values = {
        each.key: [result.value for row in results if (result := row[each.key]).value is not None]
        for each in REGISTRY
    }
    return FacetSummary(
        facet=facet,
        stage=stage,
        queries=len(results),
        pairs=len(judged),
        median={key: median(column) if column else None for key, column in values.items()},
        defined={key: len(column) for key, column in values.items()},
        intervals={key: MedianIntervals("").of(column) for key, column in values.items()},
        overruled=_overruled(judged),
        overruled_mean=_overruled_mean(judged),
    )


def _overruled(judged: Iterable[RatedPair]) -> float | None:
    labelled = [pair for pair in judged if pair.final is not None]
    if not labelled:
        return None
    return sum(pair.final not in (pair.first, pair.second) for pair in labelled) / len(labelled)


def _overruled_mean(judged: Iterable[RatedPair]) -> float | None:
    by_query: dict[str, list[RatedPair]] = defaultdict(list)
    for pair in judged:
        by_query[pair.query].append(pair)
    shares = [share for pairs in by_query.values() if (share := _overruled(pairs)) is not None]
    return fsum(shares) / len(shares) if shares else None

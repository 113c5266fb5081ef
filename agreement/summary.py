"""Agreement of the judges, per query and per facet, before and after adjudication.

Records in, records out. Stage "pre" compares the two judges, before any question to them. Stage
"asked" compares them after the questions; it exists only if some were asked. Stage "post" compares
each judge with the final label and takes the mean of the two coefficients: not independent
agreement, since the final label is made from those judgments.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from enum import StrEnum
from math import fsum
from statistics import median
from typing import Any, TypeAlias

from agreement.coefficients import (
    REGISTRY,
    CrossTable,
    Missing,
    Result,
    confusion_of,
    fill,
)
from agreement.intervals import MedianIntervals
from corpus.resampling import LEVEL, RESAMPLES, Ends
from corpus.scale import DEFAULT_SCALE, Scale

STATISTICS_VERSION = 5
"""Raise it with every change of a number or a key of the report, even where a formula was wrong.

It is in every payload and in the digest of every stored report, so that a report of another version
is computed again and never read. Version 1, whose payloads do not name it, had no `overruled_mean`.
Version 2 had no `labels` in its matrices, and version 3 the coefficients of the paper only, without
intervals. Version 4 had nothing about aspects in its summary.
"""

Results: TypeAlias = dict[str, Result]  # by the key of the coefficient, in the registry's order
Matrix: TypeAlias = tuple[tuple[int, ...], ...]


class ReportStage(StrEnum):
    PRE = "pre"
    ASKED = "asked"
    POST = "post"


@dataclass(frozen=True, slots=True)
class RatedPair:
    """A (query, candidate) pair: the grades of both slots and the final label.

    `first` and `second` are the grades of slots 1 and 2, None meaning "cannot judge"; `final` is
    the final label, None while there is none, and forever if the adjudicator has `set_aside`
    the pair. `judged` is False until both slots have answered; such a pair counts nowhere, it only
    makes its query appear. `before` has the grades that a question was about, if there was one.
    """

    query: str
    facet: str
    first: int | None
    second: int | None
    final: int | None = None
    judged: bool = True
    set_aside: bool = False
    before: tuple[int | None, int | None] | None = None


@dataclass(frozen=True, slots=True)
class QuerySummary:
    """Agreement on one query at one stage.

    `n` is the pairs the stage can use. `missing` is the judged pairs that lack a grade the stage
    compares: a judgment or, after adjudication, the final label. Under `Missing.EXCLUDE` they add
    up to the judged pairs; under `Missing.ZERO` pairs without a judgment are in both.
    """

    query: str
    facet: str
    stage: ReportStage
    n: int
    missing: int
    coefficients: Results


@dataclass(frozen=True, slots=True)
class FacetSummary:
    """Agreement on one facet at one stage: the median over the queries that have a value.

    `queries` is all its queries, `defined` how many of them each median is of. `intervals` are
    those of the medians, None for fewer than ten defined values. `pairs` is the pairs that both
    slots answered.

    `overruled` is the share, 0 to 1, of the pairs with a final label whose label is neither
    judgment: of all these pairs of the facet together. `overruled_mean` is the mean of the same
    share over the queries, which CSFCube's paper reports. Both are None if no pair has a final
    label; a query without one is not in the mean. They belong to the facet, so both stages carry
    them, and the policy on missing grades does not touch them.
    """

    facet: str
    stage: ReportStage
    queries: int
    pairs: int
    median: dict[str, float | None]
    defined: dict[str, int]
    intervals: dict[str, Ends | None]
    overruled: float | None
    overruled_mean: float | None


@dataclass(frozen=True, slots=True)
class Summary:
    """Facets in the caller's order; within a facet, queries by id; at each, its stages in order.

    `seed` is that of the intervals.
    """

    queries: tuple[QuerySummary, ...]
    facets: tuple[FacetSummary, ...]
    seed: str = ""


Cell: TypeAlias = tuple[int | None, int | None, int | None, bool]  # a judged pair, see `cell_of`
QueryTally: TypeAlias = Counter[Cell]


class Tally:
    """The judged pairs of a collection, counted: how many of each query have the same grades.

    This is all that a report is made of, under either policy on missing grades, and far smaller
    than the pairs. The grades are of the `scale`.
    """

    def __init__(
        self,
        facets: Iterable[str] = (),
        scale: Scale = DEFAULT_SCALE,
    ) -> None:
        self.scale = scale
        self.facets: dict[str, dict[str, QueryTally]] = {facet: {} for facet in facets}
        # Of each query, the pairs that were asked about: their cells now and before the question.
        self.asked: dict[str, Counter[tuple[Cell, Cell]]] = {}

    def of_query(self, query: str, facet: str) -> QueryTally:
        """The counts of the query, to add to. From now on the query is in the report."""
        return self.facets.setdefault(facet, {}).setdefault(query, Counter())

    @property
    def stages(self) -> tuple[ReportStage, ...]:
        return tuple(stage for stage in ReportStage if self.asked or stage != ReportStage.ASKED)

    def note_question(self, query: str, now: Cell, before: tuple[int | None, int | None]) -> None:
        """A pair of the query was asked about, when it had the grades `before`."""
        _, _, final, set_aside = now
        counts = self.asked.setdefault(query, Counter())
        counts[now, (*before, final, set_aside)] += 1

    def before_questions(self, query: str, counts: QueryTally) -> QueryTally:
        """The counts of the query as they would be with the grades before the questions."""
        if query not in self.asked:
            return counts
        before = Counter(counts)
        for (now, earlier), number in self.asked[query].items():
            before[now] -= number
            before[earlier] += number
        return +before


def cell_of(
    first: int | None, second: int | None, final: int | None, *, set_aside: bool = False
) -> Cell:
    """Under which a judged pair is counted: both grades, the final label, whether set aside."""
    return first, second, final, set_aside


def summarize(
    pairs: Iterable[RatedPair],
    missing: Missing = Missing.EXCLUDE,
    facets: Sequence[str] = (),
    scale: Scale = DEFAULT_SCALE,
    seed: str = "",
) -> Summary:
    """Summarize the agreement on `pairs`.

    `facets` gives the facets' order, and each one named gets its row even if it has no queries;
    others follow in the order they are met. The order of the pairs changes no number. Grades that
    are not on the scale raise GradeError.
    """
    tally = Tally(facets, scale)
    for pair in pairs:
        counts = tally.of_query(pair.query, pair.facet)
        if pair.judged:
            cell = cell_of(pair.first, pair.second, pair.final, set_aside=pair.set_aside)
            counts[cell] += 1
            if pair.before is not None:
                tally.note_question(pair.query, cell, pair.before)
    return summarize_tally(tally, missing, seed)


def summarize_tally(tally: Tally, missing: Missing, seed: str = "") -> Summary:
    """The same summary from the counted pairs. Grades not on the scale raise GradeError."""
    intervals = MedianIntervals(seed)
    rows_of = {
        facet: [
            _row(stage, query, facet, queries[query], missing, tally)
            for query in sorted(queries)
            for stage in tally.stages
        ]
        for facet, queries in tally.facets.items()
    }
    return Summary(
        queries=tuple(row for rows in rows_of.values() for row in rows),
        facets=tuple(
            _facet_row(facet, stage, list(queries.values()), rows_of[facet], intervals)
            for facet, queries in tally.facets.items()
            for stage in tally.stages
        ),
        seed=seed,
    )


def judges_tables(tally: Tally, missing: Missing) -> dict[str, CrossTable]:
    """The table of the two judges of each query, of the pairs that stage "pre" uses."""
    return {
        query: _judges_table(
            _usable_pairs(tally.before_questions(query, counts), missing), tally.scale
        )
        for queries in tally.facets.values()
        for query, counts in queries.items()
    }


def _judges_table(usable_pairs: QueryTally, scale: Scale) -> CrossTable:
    return CrossTable((((a, b), n) for (a, b, _, _), n in usable_pairs.items()), scale)


@dataclass(frozen=True, slots=True)
class Confusion:
    """The pairs of grades that a facet's judged pairs got, each matrix as `confusion` makes it.

    `judges` has slot 1 in its rows and slot 2 in its columns, before any question. `first` and
    `second` have that slot in their rows and the final label in their columns. `pairs` also counts
    the pairs that lack a grade, which are in no matrix. `labels` counts the pairs with each final
    label. No policy on missing grades touches any of it.
    """

    pairs: int
    labels: tuple[int, ...]
    judges: Matrix
    first: Matrix
    second: Matrix


def confusions(tally: Tally) -> dict[str, Confusion]:
    """The matrices of each facet with a judged pair."""
    grades = tally.scale.grades
    matrices = {}
    for facet, queries in tally.facets.items():
        counts: QueryTally = Counter()
        before: QueryTally = Counter()
        for query, of_query in queries.items():
            counts.update(of_query)
            before.update(tally.before_questions(query, of_query))
        if counts:
            matrices[facet] = Confusion(
                counts.total(),
                tuple(
                    sum(n for (_, _, c, _), n in counts.items() if c == grade) for grade in grades
                ),
                confusion_of(CrossTable(((a, b), n) for (a, b, _, _), n in before.items()), grades),
                confusion_of(CrossTable(((a, c), n) for (a, _, c, _), n in counts.items()), grades),
                confusion_of(CrossTable(((b, c), n) for (_, b, c, _), n in counts.items()), grades),
            )
    return matrices


def question_counts(tally: Tally) -> list[dict[str, object]]:
    """The outcome of the questions under each facet with one.

    `pairs` were asked about, `changed` counts the judgments with another grade since, and `agreed`
    the pairs whose grades differed or were missing, and are equal now.
    """
    rows: list[dict[str, object]] = []
    for facet, queries in tally.facets.items():
        asked = [item for query in queries for item in tally.asked.get(query, Counter()).items()]
        if asked:
            rows.append(
                {
                    "facet": facet,
                    "pairs": sum(number for _, number in asked),
                    "changed": sum(
                        number * ((now[0] != before[0]) + (now[1] != before[1]))
                        for (now, before), number in asked
                    ),
                    "agreed": sum(
                        number
                        for (now, before), number in asked
                        if _agree(now) and not _agree(before)
                    ),
                }
            )
    return rows


def _agree(cell: Cell) -> bool:
    return cell[0] is not None and cell[0] == cell[1]


def as_json_dict(
    collection: str, missing: Missing, summary: Summary, tally: Tally | None = None
) -> dict[str, Any]:
    """The report as JSON types at full precision, undefined numbers as None.

    With a tally in which pairs were asked about, it has `questions`.
    """
    questions = question_counts(tally) if tally is not None else []
    return {
        "statistics": STATISTICS_VERSION,
        "collection": collection,
        "missing": missing.value,
        "intervals": {"level": LEVEL, "resamples": RESAMPLES, "seed": summary.seed},
        "queries": [_query_dict(row) for row in summary.queries],
        "facets": [_facet_dict(row) for row in summary.facets],
        **({"questions": questions} if questions else {}),
    }


def confusion_dict(tally: Tally) -> dict[str, dict[str, object]]:
    """The matrices of each facet as JSON types, for the page."""
    return {facet: asdict(confusion) for facet, confusion in confusions(tally).items()}


def _row(
    stage: ReportStage,
    query: str,
    facet: str,
    counts: QueryTally,
    missing: Missing,
    tally: Tally,
) -> QuerySummary:
    if stage is ReportStage.POST:
        return _row_after_adjudication(query, facet, counts, missing, tally.scale)
    if stage is ReportStage.PRE:
        counts = tally.before_questions(query, counts)
    return _row_of_judges(stage, query, facet, counts, missing, tally.scale)


def _row_of_judges(
    stage: ReportStage,
    query: str,
    facet: str,
    counts: QueryTally,
    missing: Missing,
    scale: Scale,
) -> QuerySummary:
    usable_pairs = _usable_pairs(counts, missing)
    return QuerySummary(
        query=query,
        facet=facet,
        stage=stage,
        n=usable_pairs.total(),
        missing=sum(n for (a, b, _, _), n in counts.items() if a is None or b is None),
        coefficients=_coefficients(_judges_table(usable_pairs, scale)),
    )


def _row_after_adjudication(
    query: str, facet: str, counts: QueryTally, missing: Missing, scale: Scale
) -> QuerySummary:
    unlabelled_count = sum(n for (_, _, c, aside), n in counts.items() if c is None and not aside)
    labelled_pairs = Counter({cell: n for cell, n in counts.items() if cell[2] is not None})
    usable_pairs = _usable_pairs(labelled_pairs, missing)
    return QuerySummary(
        query=query,
        facet=facet,
        stage=ReportStage.POST,
        n=usable_pairs.total(),
        missing=sum(n for (a, b, c, _), n in counts.items() if None in (a, b, c)),
        coefficients=(
            _unfinished_results(unlabelled_count, counts.total())
            if unlabelled_count
            else _with_final(usable_pairs, scale)
        ),
    )


def _with_final(counts: QueryTally, scale: Scale) -> Results:
    first = _coefficients(CrossTable((((a, c), n) for (a, _, c, _), n in counts.items()), scale))
    second = _coefficients(CrossTable((((b, c), n) for (_, b, c, _), n in counts.items()), scale))
    return {
        coefficient.key: _mean(first[coefficient.key], second[coefficient.key])
        for coefficient in REGISTRY
    }


def _coefficients(table: CrossTable) -> Results:
    return {coefficient.key: coefficient.function(table) for coefficient in REGISTRY}


def _unfinished_results(unlabelled_count: int, judged_count: int) -> Results:
    # Pairs the judges agreed on have their label at once and the others wait for the adjudicator:
    # numbers from the labelled part alone would start at perfect agreement and sink.
    reason = f"unfinished: {unlabelled_count} of {judged_count} pairs have no final label"
    return {coefficient.key: Result(None, reason) for coefficient in REGISTRY}


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


def _usable_pairs(counts: QueryTally, missing: Missing) -> QueryTally:
    """The pairs that a stage compares: those with both grades, or all with the missing filled."""
    # By pair, not by judge: all three comparisons of a query are then about the same pairs.
    usable_pairs: QueryTally = Counter()
    for (first, second, final, set_aside), number in counts.items():
        if missing is Missing.ZERO:
            a, b = fill([first, second], missing)
            usable_pairs[a, b, final, set_aside] += number
        elif first is not None and second is not None:
            usable_pairs[first, second, final, set_aside] += number
    return usable_pairs


def _facet_row(
    facet: str,
    stage: ReportStage,
    tallies: Sequence[QueryTally],
    rows: Sequence[QuerySummary],
    intervals: MedianIntervals,
) -> FacetSummary:
    results = [row.coefficients for row in rows if row.stage is stage]
    values = {
        coefficient.key: [
            result.value for row in results if (result := row[coefficient.key]).value is not None
        ]
        for coefficient in REGISTRY
    }
    labels = [_labels(counts) for counts in tallies]
    labelled, overruled = (sum(column) for column in zip((0, 0), *labels, strict=True))
    shares = [
        overruled_count / label_count for label_count, overruled_count in labels if label_count
    ]
    return FacetSummary(
        facet=facet,
        stage=stage,
        queries=len(results),
        pairs=sum(counts.total() for counts in tallies),
        median={key: median(column) if column else None for key, column in values.items()},
        defined={key: len(column) for key, column in values.items()},
        intervals={key: intervals.of(column) for key, column in values.items()},
        overruled=overruled / labelled if labelled else None,
        overruled_mean=fsum(shares) / len(shares) if shares else None,
    )


def _labels(counts: QueryTally) -> tuple[int, int]:
    """The number of pairs with a final label, and of those whose label is neither judgment."""
    labelled_pairs = {cell: number for cell, number in counts.items() if cell[2] is not None}
    overruled_counts = (n for (a, b, final, _), n in labelled_pairs.items() if final not in (a, b))
    return sum(labelled_pairs.values()), sum(overruled_counts)


def _query_dict(row: QuerySummary) -> dict[str, object]:
    return {
        "query": row.query,
        "facet": row.facet,
        "stage": row.stage.value,
        "n": row.n,
        "missing": row.missing,
        **{key: result.value for key, result in row.coefficients.items()},
        "undefined": {
            key: result.undefined
            for key, result in row.coefficients.items()
            if result.undefined is not None
        },
    }


def _facet_dict(row: FacetSummary) -> dict[str, object]:
    return {
        "facet": row.facet,
        "stage": row.stage.value,
        "queries": row.queries,
        "pairs": row.pairs,
        "median": row.median,
        "defined": row.defined,
        "interval": {key: ends and list(ends) for key, ends in row.intervals.items()},
        "overruled": row.overruled,
        "overruled_mean": row.overruled_mean,
    }

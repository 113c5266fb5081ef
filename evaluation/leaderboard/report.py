"""An evaluation of any systems, labels and measures, and its files; nothing is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from accounts.models import Collection
from evaluation.gaps.own_gap import OwnGap, own_gap
from evaluation.leaderboard.supported_scopes import ScopeSupport, support_of
from scoring.computation import Scorer
from scoring.folds import Folds
from scoring.labels import FINAL, GradedLabels
from scoring.latex import NEEDS_BOOKTABS, table_rows
from scoring.measures.names import Measure, parse_measures
from scoring.measures.profiles import TREC, Profile, profile_of
from scoring.measures.scopes import Scope
from scoring.models import System
from scoring.score_tables import ALL, DEV, DEVELOPMENT_FOLD, TEST, MeansRow
from scoring.services import EvaluationError, existing_labels
from scoring.systems.lists import system_lists
from web.tables.csv_cells import csv_text
from web.words import count_noun

Lists = Mapping[str, Sequence[str]]  # query name to docnos, best first


@dataclass(frozen=True)
class NamedLists:
    """A system to score; `lists` reads its lists when they are needed."""

    name: str
    lists: Callable[[], Lists]
    report: Mapping[str, Any] | None = None  # what was left out of an imported file

    def pairs(self) -> Iterable[tuple[str, Sequence[str]]]:
        return self.lists().items()


@dataclass(frozen=True)
class Options:
    """Options for scoring. The collection and the profile give the defaults.

    `measures` are names of ir-measures, which replace those of the profile. `source` names the
    labels. `count_empty`: see `Scorer`. `with_gaps`: bound the scores by the unjudged documents,
    which takes some milliseconds for each list.
    """

    profile: str = TREC
    measures: str = ""
    source: str = FINAL
    folds: Folds | None = None
    scope: Scope | None = None
    relevant_from: int | None = None
    count_empty: bool = False
    with_gaps: bool = False

    def chosen_profile(self, relevant_from: int) -> Profile:
        """Raises UnknownProfile and UnknownMeasure."""
        profile = profile_of(self.profile, relevant_from)
        if self.measures:
            profile = profile.with_measures(parse_measures(self.measures, relevant_from))
        return profile.scoped(self.scope) if self.scope else profile


@dataclass(frozen=True)
class ScoredSystem:
    """A system with its means by facet and split, or by field and type of candidate.

    `report` has what was left out of an imported file. `gap` is None for lists that are not open,
    and where it was not computed.
    """

    name: str
    rows: Sequence[MeansRow]
    report: Mapping[str, Any] | None = None
    gap: OwnGap | None = None

    @property
    def whole(self) -> MeansRow:
        """The row of all queries and all candidates."""
        return next(row for row in self.rows if row.is_of(ALL, ALL))

    def as_json(self) -> dict[str, object]:
        return {
            "system": self.name,
            "is_re_ranking": self.whole.is_re_ranking,
            "unjudged_documents": self.whole.unjudged,
            "lacking_documents": self.whole.lacking,
            "gap": self.gap and self.gap.as_json(),
            "rows": [_row_as_json(row) for row in self.rows],
            **({} if self.report is None else {"report": self.report}),
        }


@dataclass(frozen=True)
class EvaluationReport:
    """The means of systems as fractions at full precision, and what they are means of.

    `sample_lost` is the reason why infAP and infNDCG are missing, or "".
    """

    collection: Collection
    profile: Profile
    labels: str
    relevant_from: int
    folds: Folds
    measures: Sequence[Measure]
    systems: Sequence[ScoredSystem]
    count_empty: bool = False
    sample_lost: str = ""

    @cached_property
    def support(self) -> ScopeSupport:
        return support_of(self.collection, self.profile.scope, self.labels)

    @property
    def names(self) -> list[str]:
        """The names of the measures."""
        return [measure.name for measure in self.measures]

    def as_json(self) -> dict[str, object]:
        folds = {"number": self.folds.count, "origin": self.folds.origin}
        return {
            "collection": self.collection.slug,
            "profile": self.profile.name,
            "scope": self.profile.scope.value,
            "scope_description": self.profile.scope.description,
            "scope_support": self.support.as_json(),
            "qrels": self.labels,
            "relevant_from": self.relevant_from,
            "folds": folds
            | ({"splits": split_descriptions(self.folds)} if self.folds.count else {}),
            "queries_without_relevant": "count as 0" if self.count_empty else "left out",
            "measures": {measure.name: measure.description for measure in self.measures},
            "systems": [system.as_json() for system in self.systems],
            **({"without_inferred_measures": self.sample_lost} if self.sample_lost else {}),
        }


def evaluation_report(
    collection: Collection, systems: Iterable[NamedLists], options: Options | None = None
) -> EvaluationReport:
    """Score the systems.

    The profile `mdcr` has rows by field and by type of candidate, and `trec` has infAP and infNDCG
    if pools are samples (or the reason why not).

    Raises UnknownProfile, UnknownMeasure, UnknownSource, and EvaluationError without labels.
    """
    options = options or Options()
    labels = _labels(collection, options)
    profile = options.chosen_profile(labels.relevant_from)
    scorer = Scorer.of(
        collection, labels, [profile], folds=options.folds, count_empty=options.count_empty
    )
    return EvaluationReport(
        collection,
        profile,
        labels.source,
        labels.relevant_from,
        scorer.queries.folds,
        [*profile.measures, *(scorer.sampled.measures if scorer.sampled else ())],
        [
            ScoredSystem(
                system.name,
                scores.rows,
                system.report,
                own_gap(
                    collection,
                    labels,
                    profile.measures,
                    system.pairs(),
                    count_empty=options.count_empty,
                )
                if options.with_gaps and profile.scope is Scope.OPEN
                else None,
            )
            for system in systems
            for scores in scorer.scores(system.pairs)
        ],
        options.count_empty,
        scorer.sample_lost,
    )


def _labels(collection: Collection, options: Options) -> GradedLabels:
    labels = existing_labels(collection, options.source)
    if options.relevant_from is None:
        return labels
    highest = max(max(grades.values()) for grades in labels.qrels.values())
    if not 1 <= options.relevant_from <= highest:
        raise EvaluationError(
            f"No label is relevant from grade {options.relevant_from} on. The highest grade of the "
            f'labels "{labels.source}" is {highest}.'
        )
    return labels._replace(relevant_from=options.relevant_from)


def split_descriptions(folds: Folds) -> dict[str, str]:
    """A description of the mean in each split of the rows."""
    if not folds.count:
        return {ALL: "mean over all queries"}
    return {
        DEV: f"mean over the queries that fold {DEVELOPMENT_FOLD} does not test, as in CSFCube's "
        "script"
        + ("; other folds test them, so dev and test share queries" if folds.count > 1 else ""),
        TEST: f"mean of the means of {folds.count} test sets"
        if folds.count > 1
        else "mean over the test set of the only fold",
        ALL: "mean over all queries",
    }


def stored_lists(system: System) -> NamedLists:
    """A system of the collection, whose lists are read when it is scored."""
    return NamedLists(system.name, lambda: dict(system_lists(system)))


def _row_as_json(row: MeansRow) -> dict[str, object]:
    names = ["facet", "split", "queries", "left_out", "without_list", "measures"]
    names += ["field", "candidates"] if row.field else []
    return {name: getattr(row, name) for name in names}


# Files and terminal


def as_csv(report: EvaluationReport) -> str:
    """The report as CSV, a line for each system and row; values as fractions at full precision."""
    return csv_text(
        (
            *("system", "facet", "split", "field", "candidates"),
            *("queries", "left_out", "without_list", "scope", "folds", *report.names),
        ),
        *(
            (
                *(system.name, row.facet, row.split, row.field),
                row.candidates if row.field else "",
                *(row.queries, row.left_out, row.without_list),
                *(report.profile.scope, report.folds.origin),
                *(row.measures.get(name) for name in report.names),
            )
            for system in report.systems
            for row in system.rows
        ),
    )


def table_lines(report: EvaluationReport) -> Iterator[str]:
    """The report to read in a terminal, in percent, with what each measure counts below it."""
    scope, folds = report.profile.scope, report.folds
    yield f"{report.collection.slug}, labels: {report.labels}, in percent"
    yield f"{scope}: {scope.description}"
    yield report.support.sentence
    if folds.count:
        yield f"folds: {folds.count}, {folds.origin}"
    for system in report.systems:
        yield ""
        yield system.name
        yield _line("queries of", "split", "queries", report.names, report.names)
        for split, row in _printed_rows(system.rows):
            values = [percent(row.measures.get(name)) for name in report.names]
            yield _line(_place(row), split, row.queries, values, report.names)
        whole = system.whole
        if whole.without_list:
            yield f"  {whole.without_list} scored queries have no list and count as 0."
        if whole.left_out:
            yield f"  {whole.left_out} queries have no relevant document and are left out."
        yield from (f"  {sentence}" for sentence in scope_sentences(whole, scope))
        if system.gap:
            yield from (f"  {sentence}" for sentence in system.gap.sentences())
    yield ""
    if folds.count:
        for split, description in split_descriptions(folds).items():
            yield f"{split}: {description}"
    for measure in report.measures:
        yield f"{measure.name}: {measure.description}"
    if report.sample_lost:
        yield f"infAP and infNDCG are left out. {report.sample_lost}"


def _printed_rows(rows: Sequence[MeansRow]) -> Iterator[tuple[str, MeansRow]]:
    """Each row with its split. Where the mean over all queries is the test mean, it is one row.

    That is so by construction if the folds have the same number of queries.
    """
    test = {row.facet: row for row in rows if row.split == TEST}
    plain = {row.facet: row for row in rows if row.split == ALL}
    for row in rows:
        is_both = row.facet in test and _same(test[row.facet], plain[row.facet])
        if row.split == ALL and is_both:
            continue
        yield f"{TEST}, {ALL}" if row.split == TEST and is_both else row.split, row


def _same(test: MeansRow, plain: MeansRow) -> bool:
    return test.queries == plain.queries and all(
        value is not None and abs(value - (plain.measures[name] or 0)) < 1e-12
        for name, value in test.measures.items()
    )


def _place(row: MeansRow) -> str:
    if not row.field:
        return row.facet
    facet = "" if row.facet == ALL else f"{row.facet}: "
    return f"{facet}{row.field}, {row.candidates}"


def scope_sentences(row: MeansRow, scope: Scope) -> Iterator[str]:
    """Notes for readers on the lists of a system and the judged pool."""
    if scope is Scope.OPEN:
        if row.is_re_ranking:
            yield "It ranks judged documents only, so it cannot be compared with open lists."
        return
    if row.unjudged:
        yield f"{count_noun(row.unjudged, 'listed document')} without a label taken out."
    if scope is Scope.CLOSED and row.lacking:
        yield f"{count_noun(row.lacking, 'document')} of the judged pools missing from its lists."


def latex_table(report: EvaluationReport, *, facet: str, split: str) -> str:
    """The rows of a facet and a split for booktabs, in percent with two decimals."""
    lines = [
        (system.name, [percent(row.measures.get(name)) for name in report.names])
        for system in report.systems
        for row in system.rows
        if row.is_of(facet, split)
    ]
    scope, folds = report.profile.scope, report.folds
    notes = [f"% {scope}: {scope.description}"]
    if folds.count:
        notes.append(f"% folds {folds.origin}")
    return "\n".join([NEEDS_BOOKTABS, *notes, *table_rows(report.names, lines), ""])


def percent(value: float | None) -> str:
    return "--" if value is None else f"{value * 100:.2f}"


def _line(
    place: str, split: str, queries: object, cells: Iterable[str], measures: Iterable[str]
) -> str:
    columns = zip(cells, measures, strict=True)
    return f"  {place:<28.28} {split:<9} {queries:>7}" + "".join(
        f" {cell:>{max(10, len(name))}}" for cell, name in columns
    )

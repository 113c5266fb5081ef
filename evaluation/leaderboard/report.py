"""An evaluation as JSON types, of any systems, labels and measures; nothing is stored."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from accounts.models import Collection
from evaluation.leaderboard.supported_scopes import support_of
from scoring.computation import Scorer
from scoring.folds import Folds
from scoring.labels import FINAL, GradedLabels
from scoring.latex import NEEDS_BOOKTABS, table_rows
from scoring.measures.names import parse_measures
from scoring.measures.profiles import TREC, Profile, profile_of
from scoring.measures.scopes import Scope
from scoring.models import System
from scoring.score_tables import ALL, DEV, DEVELOPMENT_FOLD, MEAN_OVER_FIELDS, TEST, MeansRow
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
    labels. `count_empty`: see `Scorer`.
    """

    profile: str = TREC
    measures: str = ""
    source: str = FINAL
    folds: Folds | None = None
    scope: Scope | None = None
    relevant_from: int | None = None
    count_empty: bool = False

    def chosen_profile(self, relevant_from: int) -> Profile:
        """Raises UnknownProfile and UnknownMeasure."""
        profile = profile_of(self.profile, relevant_from)
        if self.measures:
            profile = profile.with_measures(parse_measures(self.measures, relevant_from))
        return profile.scoped(self.scope) if self.scope else profile


def evaluation_report(
    collection: Collection, systems: Iterable[NamedLists], options: Options | None = None
) -> dict[str, Any]:
    """The means of each system by facet and split, as fractions at full precision.

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
    lines = []
    for system in systems:
        (scores,) = scorer.scores(system.pairs)
        line: dict[str, Any] = {"system": system.name, **system_facts(whole_row(scores.rows))}
        line["rows"] = [as_json_row(row) for row in scores.rows]
        if system.report is not None:
            line["report"] = system.report
        lines.append(line)
    reported = [*profile.measures, *(scorer.sampled.measures if scorer.sampled else ())]
    report = {
        **report_head(collection, profile, labels.source, labels.relevant_from),
        "folds": folds_facts(scorer.queries.folds),
        "queries_without_relevant": "count as 0" if options.count_empty else "left out",
        "measures": {measure.name: measure.description for measure in reported},
        "systems": lines,
    }
    lost = scorer.sample_lost
    return {**report, "without_inferred_measures": lost} if lost else report


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


def report_head(
    collection: Collection, profile: Profile, source: str, relevant_from: int
) -> dict[str, Any]:
    return {
        "collection": collection.slug,
        "profile": profile.name,
        "scope": profile.scope.value,
        "scope_description": profile.scope.description,
        "scope_support": support_of(collection, profile.scope, source).as_json(),
        "qrels": source,
        "relevant_from": relevant_from,
    }


def folds_facts(folds: Folds) -> dict[str, Any]:
    """The number of folds, where they are from, and a description of each split of the rows."""
    facts: dict[str, Any] = {"number": folds.count, "origin": folds.origin}
    return {**facts, "splits": split_descriptions(folds)} if folds.count else facts


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


def system_facts(row: MeansRow) -> dict[str, Any]:
    """The facts about a system's lists and the judged pool, over the queries of a row."""
    return {
        "is_re_ranking": row.is_re_ranking,
        "unjudged_documents": row.unjudged,
        "lacking_documents": row.lacking,
    }


def whole_row(rows: Sequence[MeansRow]) -> MeansRow:
    """The row of all queries and all candidates."""
    return next(
        row
        for row in rows
        if (row.facet, row.split, row.candidates) == (ALL, ALL, ALL)
        and row.field in ("", MEAN_OVER_FIELDS)
    )


def stored_lists(system: System) -> NamedLists:
    """A system of the collection, whose lists are read when it is scored."""
    return NamedLists(system.name, lambda: dict(system_lists(system)))


def as_json_row(row: MeansRow) -> dict[str, Any]:
    values: dict[str, Any] = {
        "facet": row.facet,
        "split": row.split,
        "queries": row.queries,
        "left_out": row.left_out,
        "without_list": row.without_list,
        "measures": row.measures,
    }
    return {**values, "field": row.field, "candidates": row.candidates} if row.field else values


# Files and terminal


def as_csv(report: Mapping[str, Any]) -> str:
    """The report as CSV, a line for each system and row; values as fractions at full precision."""
    measures = list(report["measures"])
    places = ["facet", "split", "field", "candidates", "queries", "left_out", "without_list"]
    shared = {"scope": report["scope"], "folds": report["folds"]["origin"]}
    rows = (
        [
            system["system"],
            *(row.get(place, "") for place in places),
            *shared.values(),
            *(row["measures"].get(name) for name in measures),
        ]
        for system in report["systems"]
        for row in system["rows"]
    )
    return csv_text(["system", *places, *shared, *measures], *rows)


def table_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """The report to read in a terminal, in percent, with what each measure counts below it."""
    measures: Mapping[str, str] = report["measures"]
    folds = report["folds"]
    yield f"{report['collection']}, labels: {report['qrels']}, in percent"
    yield f"{report['scope']}: {report['scope_description']}"
    yield report["scope_support"]["sentence"]
    if folds["number"]:
        yield f"folds: {folds['number']}, {folds['origin']}"
    for system in report["systems"]:
        yield ""
        yield system["system"]
        yield _line("queries of", "split", "queries", measures, measures)
        for split, row in _printed_rows(system["rows"], folds["number"]):
            values = [_percent(row["measures"].get(name)) for name in measures]
            yield _line(_place(row), split, row["queries"], values, measures)
        yield from _omissions(system, report)
    yield ""
    for split, description in folds.get("splits", {}).items():
        yield f"{split}: {description}"
    for name, description in measures.items():
        yield f"{name}: {description}"
    if reason := report.get("without_inferred_measures"):
        yield f"infAP and infNDCG are left out. {reason}"


def _printed_rows(
    rows: Sequence[Mapping[str, Any]], folds: int
) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """Each row with its split. Where the mean over all queries is the test mean, it is one row.

    That is so by construction if the folds have the same number of queries.
    """
    test: dict[str, Mapping[str, Any]] = {
        row["facet"]: row for row in rows if row["split"] == TEST and folds
    }
    plain = {row["facet"]: row for row in rows if row["split"] == ALL}
    for row in rows:
        is_both = row["facet"] in test and _same(test[row["facet"]], plain[row["facet"]])
        if row["split"] == ALL and is_both:
            continue
        yield f"{TEST}, {ALL}" if row["split"] == TEST and is_both else row["split"], row


def _same(test: Mapping[str, Any], plain: Mapping[str, Any]) -> bool:
    return test["queries"] == plain["queries"] and all(
        value is not None and abs(value - (plain["measures"][name] or 0)) < 1e-12
        for name, value in test["measures"].items()
    )


def _place(row: Mapping[str, Any]) -> str:
    if "field" in row:
        facet = "" if row["facet"] == ALL else f"{row['facet']}: "
        return f"{facet}{row['field']}, {row['candidates']}"
    return str(row["facet"])


def _omissions(system: Mapping[str, Any], report: Mapping[str, Any]) -> Iterator[str]:
    row = next(row for row in system["rows"] if row["facet"] == ALL and row["split"] == ALL)
    if row["without_list"]:
        yield f"  {row['without_list']} scored queries have no list and count as 0."
    if row["left_out"]:
        yield f"  {row['left_out']} queries have no relevant document and are left out."
    yield from (f"  {sentence}" for sentence in scope_sentences(system, Scope(report["scope"])))


def scope_sentences(facts: Mapping[str, Any], scope: Scope) -> Iterator[str]:
    """Notes for readers on a system's lists and the pool; `facts` as `system_facts` gives them."""
    unjudged, lacking = facts["unjudged_documents"], facts["lacking_documents"]
    if scope is Scope.OPEN:
        if facts["is_re_ranking"]:
            yield "It ranks judged documents only, so it cannot be compared with open lists."
        return
    if unjudged:
        yield f"{count_noun(unjudged, 'listed document')} without a label taken out."
    if scope is Scope.CLOSED and lacking:
        yield f"{count_noun(lacking, 'document')} of the judged pools missing from its lists."


def latex_table(report: Mapping[str, Any], *, facet: str, split: str) -> str:
    """The rows of a facet and a split for booktabs, in percent with two decimals."""
    measures = list(report["measures"])
    lines = [
        (system["system"], [_percent(row["measures"].get(name)) for name in measures])
        for system in report["systems"]
        for row in system["rows"]
        if (row["facet"], row["split"], row.get("candidates", ALL)) == (facet, split, ALL)
        and row.get("field", MEAN_OVER_FIELDS) == MEAN_OVER_FIELDS
    ]
    notes = [f"% {report['scope']}: {report['scope_description']}"]
    if report["folds"]["number"]:
        notes.append(f"% folds {report['folds']['origin']}")
    return "\n".join([NEEDS_BOOKTABS, *notes, *table_rows(measures, lines), ""])


def _percent(value: float | None) -> str:
    return "--" if value is None else f"{value * 100:.2f}"


def _line(
    place: str, split: str, queries: object, cells: Iterable[str], measures: Iterable[str]
) -> str:
    columns = zip(cells, measures, strict=True)
    return f"  {place:<28.28} {split:<9} {queries:>7}" + "".join(
        f" {cell:>{max(10, len(name))}}" for cell, name in columns
    )

"""An evaluation as JSON types, of any systems, labels and measures; nothing is stored."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from accounts.models import Collection
from evaluation.fields import field_rows
from evaluation.folds import Folds
from evaluation.labels import qrels_of
from evaluation.latex import NEEDS_BOOKTABS, table_rows
from evaluation.measures.judged_ranks import JudgedDocuments
from evaluation.measures.names import parse_measures
from evaluation.measures.profiles import MDCR, TREC, Profile, profile_of
from evaluation.measures.sampled import SAMPLED
from evaluation.measures.scoring import score, scored_queries
from evaluation.models import System
from evaluation.sampled_pools import sampled_pools_of
from evaluation.score_tables import Queries, Row, summary_rows
from evaluation.services import EvaluationError, labelled_queries
from evaluation.systems.lists import system_lists
from web.lazy import pandas as pd

Lists = Mapping[str, Sequence[str]]  # query name to docnos, best first


@dataclass(frozen=True)
class NamedLists:
    """A system to score; `lists` reads its lists when they are needed."""

    name: str
    lists: Callable[[], Lists]
    report: Mapping[str, Any] | None = None  # what was left out of an imported file


def evaluation_report(
    collection: Collection,
    systems: Iterable[NamedLists],
    *,
    profile: str = "trec",
    measures: str = "",
    source: str = "final",
    folds: Folds | None = None,
) -> dict[str, Any]:
    """The means of each system by facet and split, as fractions at full precision.

    `measures` are names of ir-measures, which replace those of the profile. `folds` replace those
    of the collection. The profile `mdcr` has rows by field and by type of candidate, too, and
    `trec` has infAP and infNDCG if pools are samples (or the reason why not).

    Raises UnknownProfile, UnknownMeasure, UnknownSource, and EvaluationError without labels.
    """
    chosen = chosen_profile(profile, measures)
    qrels = qrels_of(collection, source)
    if not qrels:
        raise EvaluationError(
            f'{collection.slug} has no labels "{source}" yet, so no system can be scored.'
        )
    queries = labelled_queries(collection, qrels)
    if folds:
        queries = queries._replace(folds=folds)
    judged = JudgedDocuments(scored_queries(qrels, chosen.measures))
    sampled, lost = sampled_pools_of(collection, qrels) if chosen is TREC else (None, "")
    lines = []
    for system in systems:
        lists = system.lists()
        table = score(judged, lists, chosen.measures)
        if sampled:
            table = table.join(sampled.scores(lists.items()))
        rows = [as_json_row(row) for row in _rows(table, queries, lists)]
        if chosen.name == MDCR.name:
            rows += field_rows(collection, table, qrels, lists, chosen.measures)
        line: dict[str, Any] = {"system": system.name, "rows": rows}
        if system.report is not None:
            line["report"] = system.report
        lines.append(line)
    reported = [*chosen.measures, *(SAMPLED if sampled else ())]
    report = {
        "collection": collection.slug,
        "profile": chosen.name,
        "qrels": source,
        "measures": {measure.name: measure.description for measure in reported},
        "systems": lines,
    }
    return {**report, "without_inferred_measures": lost} if lost else report


def stored_lists(system: System) -> NamedLists:
    """A system of the collection, whose lists are read when it is scored."""
    return NamedLists(system.name, lambda: dict(system_lists(system)))


def chosen_profile(profile: str, measures: str) -> Profile:
    """The profile, or with the named measures instead of its own."""
    found = profile_of(profile)
    if not measures:
        return found
    return Profile("measures", "measures by name", parse_measures(measures))


def _rows(table: pd.DataFrame, queries: Queries, lists: Lists) -> list[Row]:
    missing = {query for query in table.index if query not in lists}
    return summary_rows(table, queries, missing)


def as_json_row(row: Row) -> dict[str, Any]:
    return {
        "facet": row.facet,
        "split": row.split,
        "queries": row.queries,
        "left_out": row.left_out,
        "without_list": row.without_list,
        "measures": row.measures,
    }


# Files and terminal


def csv_text(report: Mapping[str, Any]) -> str:
    """One line for each system and row; values as fractions at full precision."""
    measures = list(report["measures"])
    text = io.StringIO()
    writer = csv.writer(text)
    places = ["facet", "split", "field", "candidates", "queries", "left_out", "without_list"]
    writer.writerow(["system", *places, *measures])
    for system in report["systems"]:
        for row in system["rows"]:
            values = (row["measures"].get(name) for name in measures)
            writer.writerow([system["system"], *(row.get(place, "") for place in places), *values])
    return text.getvalue()


def table_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """The report to read in a terminal, in percent, with what each measure counts below it."""
    measures: Mapping[str, str] = report["measures"]
    yield f"{report['collection']}, labels: {report['qrels']}, in percent"
    for system in report["systems"]:
        yield ""
        yield system["system"]
        yield _line("queries of", "split", "queries", *measures)
        for row in system["rows"]:
            values = (_percent(row["measures"].get(name)) for name in measures)
            yield _line(_place(row), row["split"], row["queries"], *values)
        yield from _omissions(system)
    yield ""
    for name, description in measures.items():
        yield f"{name}: {description}"
    if reason := report.get("without_inferred_measures"):
        yield f"infAP and infNDCG are left out. {reason}"


def _place(row: Mapping[str, Any]) -> str:
    if "field" in row:
        return f"{row['field']}, {row['candidates']}"
    return str(row["facet"])


def _omissions(system: Mapping[str, Any]) -> Iterator[str]:
    row = next(row for row in system["rows"] if row["facet"] == "all")
    if row["without_list"]:
        yield f"  {row['without_list']} scored queries have no list and count as 0."
    if row["left_out"]:
        yield f"  {row['left_out']} queries have no relevant document and are left out."


def latex_table(report: Mapping[str, Any], *, facet: str, split: str) -> str:
    """The rows of a facet and a split for booktabs, in percent with two decimals."""
    measures = list(report["measures"])
    lines = [
        (system["system"], [_percent(row["measures"].get(name)) for name in measures])
        for system in report["systems"]
        for row in system["rows"]
        if row["facet"] == facet and row["split"] == split and "field" not in row
    ]
    return "\n".join([NEEDS_BOOKTABS, *table_rows(measures, lines), ""])


def _percent(value: float | None) -> str:
    return "--" if value is None else f"{value * 100:.2f}"


def _line(place: str, split: str, queries: object, *cells: object) -> str:
    return f"  {place:<28.28} {split:<5} {queries:>7}" + "".join(f" {cell:>10}" for cell in cells)

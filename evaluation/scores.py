"""Scores of systems: a run's lists by the collection's labels, kept as reports until either changes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from django.db.models import Count

from accounts.models import Collection
from adjudication.labels import final_labels, labelled_pairs, labels_state
from agreement.intervals import FEWEST_QUERIES, resamples
from corpus.models import Query
from evaluation.mdcr import MEAN, MEASURES, graded, score_types
from evaluation.measures import CLOSED, CSFCUBE, MDCR, TREC, Labels, Profile, score
from evaluation.measures import profile as profile_named
from jobs.models import Report
from jobs.work import Work, job
from pooling.mdcr import TRUE
from pooling.models import Candidate
from pooling.published import Pools, pools_of
from retrieval.citations import CITED
from retrieval.models import RankedList, Run

if TYPE_CHECKING:
    import pandas as pd

KIND = "scores"
TYPES = "scores by type"
TOGETHER = 200  # queries whose lists are in memory at once
AT_ONCE = 1_000  # lists that a page scores itself; more is a job's work
TEST, DEV = "test", "dev"
FINAL, CITATIONS = "final", "citations"  # whose labels


def profiles_of(collection: Collection) -> list[str]:
    """The profiles that the collection can have, its own first. Without facets there is none of facets."""
    own = [CSFCUBE] if collection.facets else []
    if frozen_candidates(collection).filter(source=TRUE).exists():
        return [*own, MDCR, TREC]
    has_fields = collection.queries.exclude(document__fields=[]).exclude(document=None).exists()
    return [*own, TREC, *([MDCR] if has_fields else [])]


def frozen_candidates(collection: Collection) -> Any:
    return Candidate.objects.filter(pool__pool_set__in=collection.pool_sets.frozen())


def labels_of(collection: Collection, source: str = FINAL) -> dict[str, dict[str, int]]:
    """The final labels by query and docno. A query paper in its own pool is left out: it was given, not found."""
    if source == CITATIONS:
        return citation_labels(collection)
    own = dict(collection.queries.values_list("name", "document__docno"))
    table = final_labels(collection)
    labels: dict[str, dict[str, int]] = {}
    for query, docno, grade in zip(table["query"], table["docno"], table["final"], strict=True):
        if docno != own[query]:
            labels.setdefault(query, {})[docno] = int(grade)
    return labels


def judged_pairs(collection: Collection) -> pd.DataFrame:
    """As `labelled_pairs`, without query papers in their own pools."""
    own = dict(collection.queries.values_list("name", "document__docno"))
    pairs = labelled_pairs(collection)
    return pairs[pairs["docno"] != pairs["query"].map(own)]


def citation_labels(collection: Collection) -> dict[str, dict[str, int]]:
    """1 for a document of a frozen pool that the query paper cites, or that was pooled as cited; 0 for any other.

    In MDCR's pools it is 1 for the type `true` alone: published ones may be older than the references that came with
    the texts. Queries without a cited document in their pool are left out. These are no judgments.
    """
    papers = query_papers(collection).values_list("pk", "name", "document__docno", "document__cites")
    cites = {pk: (name, docno, set(cited)) for pk, name, docno, cited in papers}
    pooled = frozen_candidates(collection)
    of_types = set(pooled.filter(source=TRUE).values_list("pool", flat=True))
    labels: dict[str, dict[str, int]] = {}
    rows = pooled.filter(pool__query__document__isnull=False)
    for query, pool, docno, source in rows.values_list("pool__query", "pool", "document__docno", "source"):
        name, own, cited = cites[query]
        if docno != own:
            is_cited = source == TRUE if pool in of_types else source == CITED or docno in cited
            labels.setdefault(name, {})[docno] = int(is_cited)
    return {name: grades for name, grades in labels.items() if any(grades.values())}


def has_citations(collection: Collection) -> bool:
    pooled = frozen_candidates(collection)
    as_cited = pooled.filter(source__in=[CITED, TRUE])
    return as_cited.exists() or (pooled.exists() and query_papers(collection).exclude(document__cites=[]).exists())


def query_papers(collection: Collection) -> Any:
    return collection.queries.filter(document__isnull=False)


def labels_serial(collection: Collection, source: str) -> str:
    """Names the state of these labels: pools and documents are only added to."""
    if source == FINAL:
        return labels_state(collection)
    return f"citations.{frozen_candidates(collection).count()}.{collection.documents.count()}"


def systems_of(collection: Collection) -> list[Run]:
    """Runs with lists, by name."""
    return list(collection.runs.filter(lists__isnull=False).distinct().order_by("name"))


def lists_of(run: Run, names: Iterable[str] | None = None) -> dict[str, list[str]]:
    """The run's lists by query, all or those of some queries."""
    lists = RankedList.objects.filter(run=run)
    if names is not None:
        lists = lists.filter(query__name__in=names)
    return dict(lists.values_list("query__name", "docnos"))


def parameters_of(profile: Profile, source: str) -> dict[str, Any]:
    """What scores are asked by: of their reports, beside the run, and of the job."""
    return {"profile": profile.name, "scope": profile.scope, "measures": list(profile.measures), "source": source}


def stored_scores(
    collection: Collection, runs: Sequence[Run], profile: Profile, source: str = FINAL
) -> dict[int, pd.DataFrame]:
    """The tables that are up to date with the labels and with the run's lists, which may grow; by the run's key."""
    import pandas as pd

    labels, parameters = labels_serial(collection, source), parameters_of(profile, source)
    numbers = dict(RankedList.objects.filter(run__in=runs).values_list("run").annotate(Count("pk")))
    found = {}
    for report in Report.objects.filter(collection=collection, kind=KIND, parameters__profile=profile.name):
        key, data = report.parameters["run"], report.data
        if report.parameters == {"run": key} | parameters and report.labels == f"{labels} {numbers.get(key)}":
            # As floats, so that a measure that no query has a value of is NaN, not None.
            found[key] = pd.DataFrame(data["values"], data["queries"], profile.measures, dtype=float)
    return found


def score_runs(
    collection: Collection,
    runs: Sequence[Run],
    profile: Profile,
    source: str = FINAL,
    progress: Callable[[int, int], None] = lambda done, total: None,
) -> dict[int, pd.DataFrame]:
    """Score them, and keep it."""
    state = labels_serial(collection, source)  # first: labels that come meanwhile make the scores out of date
    labels, tables = labels_of(collection, source), {}
    pools = pools_of(collection) if is_by_type(profile, source) else {}
    for number, run in enumerate(runs, 1):
        serial = f"{state} {run.lists.count()}"
        if pools:
            rows = score_types(pools, pooled_lists(run, pools)).xs(MEAN, level="field")
            by_type = {"kinds": list(rows.index), "values": rows.to_numpy().tolist()}
            Report.objects.put(collection, TYPES, by_type, labels=serial, run=run.pk)
        table = tables[run.pk] = scored_in_parts(run, labels, profile)
        values = table.astype(object).where(table.notna(), None).to_numpy().tolist()
        data, parameters = {"queries": list(table.index), "values": values}, parameters_of(profile, source)
        Report.objects.put(collection, KIND, data, labels=serial, run=run.pk, **parameters)
        progress(number, len(runs))
    return tables


def scored_in_parts(run: Run, labels: Labels, profile: Profile) -> pd.DataFrame:
    """What `score` gives, some queries at a time: thousands of long lists may not fit into memory."""
    import pandas as pd

    names, parts = sorted(labels), []
    for start in range(0, max(len(names), 1), TOGETHER):
        part = {name: labels[name] for name in names[start : start + TOGETHER]}
        parts.append(score(lists_of(run, part), part, profile.measures, scope=profile.scope))
    return pd.concat(parts)


def is_by_type(profile: Profile, source: str) -> bool:
    """Scores of these come with MDCR's figures by type of candidate, where candidates have types."""
    return profile.by_field and profile.scope == CLOSED and source == CITATIONS


def pooled_lists(run: Run, pools: Pools) -> dict[tuple[str, str], list[str]]:
    """The run's lists by field and query, of pooled documents alone."""
    found = {}
    for field, queries in pools.items():
        for name, docnos in lists_of(run, queries.keys()).items():
            pooled = graded(queries[name])
            found[field, name] = [docno for docno in docnos if docno in pooled]
    return found


def stored_types(collection: Collection, runs: Sequence[Run]) -> dict[int, dict[str, dict[str, float]]]:
    """MDCR's figures by type of candidate as means over fields, from 0 to 1: by the run's key, type and measure."""
    labels = labels_serial(collection, CITATIONS)
    found = {}
    for run in runs:
        report = Report.objects.find(collection, TYPES, run=run.pk)
        if report and report.labels == f"{labels} {run.lists.count()}":
            rows = zip(report.data["kinds"], report.data["values"], strict=True)
            found[run.pk] = {kind: {m: v / 100 for m, v in zip(MEASURES, values, strict=True)} for kind, values in rows}
    return found


@job("score_runs")
def score_all(work: Work, *, profile: str, scope: str, measures: list[str], source: str) -> None:
    base = profile_named(profile, work.collection.relevant_from)
    wanted = replace(base, scope=scope, measures=tuple(measures))
    runs = systems_of(work.collection)
    stored = stored_scores(work.collection, runs, wanted, source)
    missing = [run for run in runs if run.pk not in stored]
    score_runs(work.collection, missing, wanted, source, lambda done, total: work.progress(done, total, "systems"))
    with work.commit() as result:
        result["systems"] = len(runs)


def means(table: pd.DataFrame, queries: Mapping[str, Query], profile: Profile, split: str = TEST) -> dict[Any, Any]:
    """The figure of each column over the queries of a table, as the profile has it; None where none is defined.

    With folds: test is the mean of the folds' means, dev is fold 1's other queries alone (as the published script).
    Fold f of a query is the one that tests it. By field: the mean over the query papers' fields.
    """
    import pandas as pd

    rows = table.loc[[name for name in table.index if name in queries]]
    if profile.has_folds and any(queries[name].fold for name in rows.index):
        folds = [queries[name].fold for name in rows.index]
        if split == DEV:
            rows = rows[[fold not in (1, None) for fold in folds]]
        else:
            rows = rows.groupby(pd.Series(folds, rows.index)).mean()
    elif profile.by_field:
        rows = rows.groupby(pd.Series([queries[name].main_field for name in rows.index], rows.index)).mean()
    return {name: None if value != value else float(value) for name, value in rows.mean().items()}


def main_figures(
    tables: Mapping[str, pd.DataFrame], queries: Mapping[str, Query], profile: Profile, split: str
) -> dict[str, float]:
    """Each system's main measure over these queries; without those where it is undefined."""
    figures = {name: means(table, queries, profile, split)[profile.main] for name, table in tables.items()}
    return {name: figure for name, figure in figures.items() if figure is not None}


def interval(values: Sequence[float], seed: str) -> tuple[float, float] | None:
    """The 95 % percentile interval of the mean over queries; None for fewer than ten."""
    import numpy as np

    defined = np.array([value for value in values if value == value])
    if len(defined) < FEWEST_QUERIES:
        return None
    drawn = defined[resamples(len(defined), f"{seed}|score-intervals|{len(defined)}")]
    low, high = np.percentile(drawn.mean(axis=1), [2.5, 97.5])
    return float(low), float(high)


def leaderboard(
    runs: Sequence[Run],
    tables: Mapping[int, pd.DataFrame],
    queries: Mapping[str, Query],
    profile: Profile,
    *,
    facets: Sequence[str],
    split: str,
    seed: str,
) -> list[dict[str, Any]]:
    """A row for each facet and run, the best by the main measure first within a facet."""
    import pandas as pd

    by, board = profile.main, []
    together = pd.concat(dict(tables), axis=1)
    for facet in facets or [""]:
        asked = {name: query for name, query in queries.items() if query.facet == facet or not facets}
        of_facet = together[together.index.isin(asked.keys())]
        if of_facet.empty:
            continue
        found = means(of_facet, asked, profile, split)
        rows: list[dict[str, Any]] = []
        for run in runs:
            figures = {name: found[run.pk, name] for name in profile.measures}
            low, high = interval(of_facet[run.pk, by].tolist(), seed) or (None, None)
            row = {"facet": facet, "run": run, "name": run.name, "low": low, "high": high}
            rows.append(row | {"figures": figures, "values": [*figures.values()]})
        rows.sort(key=lambda row: (row["figures"][by] is None, -(row["figures"][by] or 0.0), row["name"]))
        board += [row | {"place": place} for place, row in enumerate(rows, 1)]
    return board


def ranked_queries(runs: Sequence[Run], labels: Labels) -> dict[int, int]:
    """Queries with labels that each run has a list for, by the run's key; runs without one are left out."""
    lists = RankedList.objects.filter(run__in=runs, query__name__in=labels.keys())
    return dict(lists.values_list("run").annotate(Count("pk")))

"""Scores of systems: a run's lists by the collection's labels, kept as reports until either changes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.db.models import Count, Sum

from accounts.models import Collection
from adjudication.labels import final_labels, labels_state
from agreement.intervals import FEWEST_QUERIES, resamples
from corpus.models import Query
from evaluation.measures import CSFCUBE, MDCR, OPEN, TREC, Labels, Profile, score
from jobs.models import Report
from jobs.work import Work, job
from pooling.mdcr import TRUE
from pooling.models import Candidate
from retrieval.citations import CITED
from retrieval.models import RankedList, Run

if TYPE_CHECKING:
    import pandas as pd

KIND = "scores"
AT_ONCE = 1_000  # lists that a page scores itself; more is a job's work
TEST, DEV = "test", "dev"
FINAL, CITATIONS = "final", "citations"  # whose labels


def profiles_of(collection: Collection) -> list[str]:
    """The profiles that the collection can have, its own first. Without facets there is none of facets."""
    own = [CSFCUBE] if collection.facets else []
    has_fields = collection.queries.exclude(document__fields=[]).exclude(document=None).exists()
    return [*own, TREC, *([MDCR] if has_fields else [])]


def labels_of(collection: Collection, source: str = FINAL) -> dict[str, dict[str, int]]:
    """The final labels by query and docno. A query paper in its own pool is left out: it was given, not found."""
    if source == CITATIONS:
        return citation_labels(collection)
    own = dict(collection.queries.values_list("name", "document__docno"))
    table = final_labels(collection)
    labels: dict[str, dict[str, int]] = {}
    for query, docno, final in zip(table["query"], table["docno"], table["final"], strict=True):
        if docno != own[query]:
            labels.setdefault(query, {})[docno] = int(final)
    return labels


def citation_labels(collection: Collection) -> dict[str, dict[str, int]]:
    """1 for a document of a frozen pool that the query paper cites, or that was pooled as cited; 0 for any other.

    Queries without a cited document in their pool are left out. These are no judgments.
    """
    cites = {query.pk: (query.own_docno, set(query.document.cites)) for query in query_papers(collection)}
    rows = Candidate.objects.filter(pool__pool_set__in=collection.pool_sets.frozen(), pool__query__in=cites.keys())
    labels: dict[str, dict[str, int]] = {}
    for query, name, docno, source in rows.values_list("pool__query", "pool__query__name", "document__docno", "source"):
        own, cited = cites[query]
        if docno != own:
            labels.setdefault(name, {})[docno] = int(docno in cited or source in (CITED, TRUE))
    return {name: grades for name, grades in labels.items() if any(grades.values())}


def has_citations(collection: Collection) -> bool:
    pooled = Candidate.objects.filter(pool__pool_set__in=collection.pool_sets.frozen())
    as_cited = pooled.filter(source__in=[CITED, TRUE])
    return as_cited.exists() or (pooled.exists() and query_papers(collection).exclude(document__cites=[]).exists())


def query_papers(collection: Collection) -> Any:
    return collection.queries.filter(document__isnull=False).select_related("document")


def labels_serial(collection: Collection, source: str) -> str:
    """Names the state of these labels: pools and documents are only added to."""
    if source == FINAL:
        return labels_state(collection)
    pooled = Candidate.objects.filter(pool__pool_set__in=collection.pool_sets.frozen()).count()
    return f"citations.{pooled}.{collection.documents.count()}"


def lists_of(run: Run) -> dict[str, list[str]]:
    return dict(RankedList.objects.filter(run=run).values_list("query__name", "docnos"))


def state_of(run: Run, labels: str) -> str:
    """Names what scores rest on: the labels, and the run's lists, which may grow."""
    return f"{labels} {run.lists.count()}"


def stored_scores(
    collection: Collection, runs: Sequence[Run], profile: Profile, source: str = FINAL
) -> dict[int, pd.DataFrame]:
    """The tables that are up to date, by the run's key."""
    import pandas as pd

    labels = labels_serial(collection, source)
    numbers = dict(RankedList.objects.filter(run__in=runs).values_list("run").annotate(Count("pk")))
    found = {}
    for report in Report.objects.filter(collection=collection, kind=KIND, parameters__profile=profile.name):
        key, about = report.parameters["run"], report.parameters
        is_same = about["measures"] == list(profile.measures) and about["scope"] == profile.scope
        is_same = is_same and about["source"] == source
        if is_same and report.labels == f"{labels} {numbers.get(key, 0)}":
            data, columns = report.data, about["measures"]
            # As floats, so that a measure that no query has a value of is NaN, not None.
            found[key] = pd.DataFrame(data["values"], index=data["queries"], columns=columns, dtype=float)
    return {run.pk: found[run.pk] for run in runs if run.pk in found}


def score_runs(
    collection: Collection, runs: Sequence[Run], profile: Profile, source: str = FINAL
) -> dict[int, pd.DataFrame]:
    """Score what is not up to date, and keep it."""
    tables = stored_scores(collection, runs, profile, source)
    missing = [run for run in runs if run.pk not in tables]
    if not missing:
        return tables
    state = labels_serial(collection, source)  # first: labels that come meanwhile make the scores out of date
    labels = labels_of(collection, source)
    for run in missing:
        about = {"run": run.pk, "profile": profile.name, "measures": list(profile.measures), "scope": profile.scope}
        about |= {"source": source}
        table = score(lists_of(run), labels, profile.measures, scope=profile.scope)
        values = table.astype(object).where(table.notna(), None).to_numpy().tolist()
        data = {"queries": list(table.index), "values": values}
        Report.objects.put(collection, KIND, data, labels=state_of(run, state), **about)
        tables[run.pk] = table
    return tables


def is_quick(collection: Collection, runs: Sequence[Run], profile: Profile, source: str = FINAL) -> bool:
    """A page may score what is missing itself."""
    stored = stored_scores(collection, runs, profile, source)
    missing = [run.pk for run in runs if run.pk not in stored]
    lists = Run.objects.filter(pk__in=missing).annotate(number=Count("lists")).aggregate(all=Sum("number"))["all"]
    return (lists or 0) <= AT_ONCE


@job("score_runs")
def score_all(work: Work, *, profile: str, scope: str, measures: list[str], source: str = FINAL) -> None:
    from evaluation.measures import profile as profile_named

    base = profile_named(profile, work.collection.relevant_from)
    wanted = Profile(base.name, base.label, scope, tuple(measures), base.main, base.has_folds, base.by_field)
    runs = list(work.collection.runs.filter(lists__isnull=False).distinct())
    for number, run in enumerate(runs, 1):
        score_runs(work.collection, [run], wanted, source)
        work.progress(number, len(runs), "systems")
    with work.commit() as result:
        result["systems"] = len(runs)


def means(table: pd.DataFrame, queries: Mapping[str, Query], profile: Profile, split: str = TEST) -> dict[str, Any]:
    """The figure of each measure over the queries of a table, as the profile has it; None where none is defined.

    With folds: test is the mean of the folds' means, dev is fold 1's other queries alone (as the published script).
    Fold f of a query is the one that tests it. By field: the mean over the query papers' fields.
    """
    rows = table.loc[[name for name in table.index if name in queries]]
    if profile.has_folds and any(queries[name].fold for name in rows.index):
        folds = [queries[name].fold for name in rows.index]
        if split == DEV:
            rows = rows[[fold not in (1, None) for fold in folds]]
        else:
            rows = rows.groupby(folds).mean()
    elif profile.by_field:
        fields = [(document.fields or [""])[0] if (document := queries[name].document) else "" for name in rows.index]
        rows = rows.groupby(fields).mean()
    return {str(name): None if value != value else float(value) for name, value in rows.mean().items()}


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
    by: str,
    split: str,
    seed: str,
) -> list[dict[str, Any]]:
    """A row for each facet and run, the best first within a facet."""
    board: list[dict[str, Any]] = []
    for facet in facets or [""]:
        asked = {name: query for name, query in queries.items() if query.facet == facet or not facets}
        rows: list[dict[str, Any]] = []
        for run in runs:
            table = tables[run.pk]
            names = [name for name in table.index if name in asked]
            if not names:
                continue
            figures = means(table, asked, profile, split)
            low, high = interval(table.loc[names, by].tolist(), seed) or (None, None)
            rows.append({"facet": facet, "run": run, "name": run.name, "figures": figures, "low": low, "high": high})
        rows.sort(key=lambda row: (row["figures"][by] is None, -(row["figures"][by] or 0.0), row["name"]))
        board += [row | {"place": place} for place, row in enumerate(rows, 1)]
    return board


def scope_sentence(profile: Profile) -> str:
    """What every table says of its lists."""
    return {
        OPEN: "Open: lists as the systems rank the whole corpus; documents without a label count as not relevant.",
        "closed": "Closed: only documents of each list that have a label, as a re-ranking of the pool.",
        "condensed": "Condensed: documents without a label are taken out of each list.",
    }[profile.scope]


def unranked(run: Run, labels: Labels) -> int:
    """Queries with labels that the run has no list for."""
    return len(set(labels) - set(run.lists.values_list("query__name", flat=True)))

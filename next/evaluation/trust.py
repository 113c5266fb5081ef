"""How far scores can be trusted: pool bias, whose labels, what is unjudged. One report for a measure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from accounts.models import Collection
from adjudication.labels import labelled_pairs, labels_state
from corpus.models import Query
from evaluation import label_effects, pool_bias, unjudged
from evaluation.measures import Labels, Profile, score
from evaluation.measures import profile as profile_named
from evaluation.scores import labels_of, lists_of, means
from jobs.models import Report
from jobs.work import Work, job
from pooling.models import Candidate
from retrieval.citations import CITED, cited_docnos
from retrieval.models import JUDGMENTS, QRELS, RankedList

if TYPE_CHECKING:
    import pandas as pd

KIND = "trust"
FROM_FILES = (QRELS, JUDGMENTS)
NEXT = 1_000  # documents to judge next that are kept


def state_of(collection: Collection) -> str:
    """What the report rests on: labels, lists, and pools."""
    lists = RankedList.objects.filter(run__collection=collection).count()
    pooled = Candidate.objects.filter(pool__pool_set__in=collection.pool_sets.frozen()).count()
    return f"{labels_state(collection)} {lists} {pooled}"


@job("compute_trust")
def compute_trust(work: Work, *, profile: str, scope: str, measure: str, split: str) -> None:
    collection = work.collection
    state = state_of(collection)  # first: what comes meanwhile makes the report out of date
    base = profile_named(profile, collection.relevant_from)
    wanted = replace(base, scope=scope, measures=(measure,), main=measure)
    labels, least = labels_of(collection), collection.relevant_from
    queries = {query.name: query for query in collection.queries.select_related("document")}
    pooled = pooled_documents(collection)
    found = pool_bias.finders(pooled)
    sources = [row["source"] for row in finds(found, labels, least)]
    sets = label_effects.label_sets(judged_pairs(collection, queries), cited(queries, pooled), collection.top_grade)
    variants: dict[tuple[str, str], Labels] = {("all", ""): labels}
    variants |= {("without", name): pool_bias.without(labels, found, name, scope) for name in sources}
    for each in sets:
        variants |= {("theirs", each.name): each.labels, ("final", each.name): each.final}
    runs = list(collection.runs.filter(lists__isnull=False).distinct().order_by("name"))
    tables: dict[tuple[str, str], dict[str, pd.DataFrame]] = {key: {} for key in variants}
    wants: dict[str, dict[str, list[str]]] = {}
    shares = []
    for number, run in enumerate(runs, 1):
        lists = lists_of(run)  # one system at a time: those of all may not fit into memory
        for key, variant in variants.items():
            tables[key][run.name] = score(lists, variant, [measure], scope=scope)
            work.check()
        wants[run.name] = {query: docnos[: unjudged.WANTED] for query, docnos in lists.items()}
        depths = unjudged.unjudged_shares(lists, labels)
        shares.append({"system": run.name, "run": run.pk, "shares": [depths.get(d) for d in unjudged.DEPTHS]})
        work.progress(number, len(runs), "systems")
    known = {name: {queries[name].own_docno, *found.get(name, ())} for name in labels}
    to_judge = unjudged.to_judge_next(wants, known)
    data: dict[str, Any] = {"facets": [], "sources": [], "labels": [], "unjudged": shares}
    data |= {"next": to_judge[:NEXT], "next_number": len(to_judge)}
    drawn = pooled[~pooled["source"].isin(FROM_FILES)].drop_duplicates(["query", "docno"])
    pools = {str(name): list(rows["docno"]) for name, rows in drawn.groupby("query")}
    labelled = {queries[name].facet for name in labels}
    for facet in (each for each in (*collection.facets, "") if each in labelled):
        of_facet = {name: grades for name, grades in labels.items() if queries[name].facet == facet}
        asked = {name: queries[name] for name in of_facet}
        relevant_queries = {name: asked[name] for name in pool_bias.with_relevant(of_facet, least)}
        data["facets"].append(
            {
                "facet": facet,
                "labels": sum(map(len, of_facet.values())),
                "relevant": sum(grade >= least for grades in of_facet.values() for grade in grades.values()),
                "growth": pool_bias.growth(pools, of_facet, least),
                "systems": values(tables["all", ""], relevant_queries, wanted, split),
            }
        )
        for row in finds(found, of_facet, least):
            source = row["source"]
            kept = pool_bias.with_relevant(variants["without", source], least) & asked.keys()
            kept_queries = {name: asked[name] for name in kept}
            rows = pool_bias.effects(
                values(tables["all", ""], kept_queries, wanted, split),
                values(tables["without", source], kept_queries, wanted, split),
            )
            lost = len(relevant_queries) - len(kept)
            data["sources"].append(row | {"facet": facet, "systems": rows, "lost": lost})
        for each in sets:
            if pairs := sum(len(grades) for name, grades in each.labels.items() if name in asked):
                both = []
                for kind, given in (("theirs", each.labels), ("final", each.final)):
                    kept_queries = {name: asked[name] for name in pool_bias.with_relevant(given, least) & asked.keys()}
                    both.append(values(tables[kind, each.name], kept_queries, wanted, split))
                row = {"name": each.name, "facet": facet, "pairs": pairs, "theirs": both[0]}
                data["labels"].append(row | label_effects.compare(*both))
    with work.commit() as result:
        about = {"profile": profile, "scope": scope, "measure": measure, "split": split}
        Report.objects.put(collection, KIND, data, labels=state, **about)
        result["systems"] = len(runs)


def finds(found: pool_bias.Finders, labels: Labels, relevant_from: int) -> list[dict[str, Any]]:
    """As in pool_bias. Of documents that came judged from a file, nobody knows who found them."""
    rows = pool_bias.finds(found, labels, relevant_from)
    return [row for row in rows if row["source"] not in FROM_FILES]


def pooled_documents(collection: Collection) -> pd.DataFrame:
    """The frozen pools as `pool_bias.finders` reads them, each in the order drawn."""
    import pandas as pd

    columns = {
        "pool": "pool",
        "pool__query__name": "query",
        "document__docno": "docno",
        "source": "source",
        "contributions__run__name": "run",
        "contributions__rank": "rank",
        "contributions__drawn": "drawn",
    }
    rows = Candidate.objects.filter(pool__pool_set__in=collection.pool_sets.frozen())
    rows = rows.order_by("pool__pool_set__round", "pool", "position")
    table = pd.DataFrame.from_records(list(rows.values_list(*columns)), columns=list(columns.values()))
    return table.astype({"rank": float})


def judged_pairs(collection: Collection, queries: dict[str, Query]) -> pd.DataFrame:
    """As `labels_of`, without query papers in their own pools."""
    pairs = labelled_pairs(collection)
    own = [queries[name].own_docno for name in pairs["query"]]
    return pairs[pairs["docno"] != own]


def cited(queries: dict[str, Query], pooled: pd.DataFrame) -> dict[str, set[str]]:
    """What each query paper cites, or was pooled as cited; topics take no part."""
    found = {name: set(cited_docnos(query)) for name, query in queries.items() if query.document}
    drawn = pooled[pooled["source"] == CITED]
    for name, docno in zip(drawn["query"], drawn["docno"], strict=True):
        if name in found:
            found[name].add(docno)
    return found


def values(
    tables: dict[str, pd.DataFrame], queries: dict[str, Query], profile: Profile, split: str
) -> dict[str, float]:
    """Each system's mean over these queries; without those where it is undefined."""
    figures = {name: means(table, queries, profile, split)[profile.main] for name, table in tables.items()}
    return {name: figure for name, figure in figures.items() if figure is not None}

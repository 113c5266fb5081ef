"""How far scores can be trusted: pool bias, whose labels, what is unjudged. One report for a measure."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from accounts.models import Collection
from adjudication.labels import labels_state
from evaluation import label_effects, pool_bias, unjudged
from evaluation.measures import Labels, score
from evaluation.measures import profile as profile_named
from evaluation.scores import citation_labels, judged_pairs, labels_of, lists_of, main_figures, systems_of
from jobs.models import Report
from jobs.work import Work, job
from pooling.models import Candidate
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
    cites = {
        name: {docno for docno, is_cited in grades.items() if is_cited}
        for name, grades in citation_labels(collection).items()
    }
    sets = label_effects.label_sets(judged_pairs(collection), cites, collection.top_grade)
    variants: dict[tuple[str, str], Labels] = {("all", ""): labels}
    variants |= {("without", name): pool_bias.without(labels, found, name, scope) for name in sources}
    for each in sets:
        variants |= {("theirs", each.name): each.labels, ("final", each.name): each.final}
    runs = systems_of(collection)
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
        relevant = {
            key: {name: queries[name] for name in pool_bias.with_relevant(variant, least) & of_facet.keys()}
            for key, variant in variants.items()
        }
        figures = {key: main_figures(tables[key], relevant[key], wanted, split) for key in variants}
        data["facets"].append(
            {
                "facet": facet,
                "labels": sum(map(len, of_facet.values())),
                "relevant": sum(grade >= least for grades in of_facet.values() for grade in grades.values()),
                "growth": pool_bias.growth(pools, of_facet, least),
                "systems": figures["all", ""],
            }
        )
        for row in finds(found, of_facet, least):
            key = ("without", row["source"])
            full = main_figures(tables["all", ""], relevant[key], wanted, split)
            lost = len(relevant["all", ""]) - len(relevant[key])
            effects = pool_bias.effects(full, figures[key])
            data["sources"].append(row | {"facet": facet, "systems": effects, "lost": lost})
        for each in sets:
            if pairs := sum(len(grades) for name, grades in each.labels.items() if name in of_facet):
                theirs = figures["theirs", each.name]
                row = {"name": each.name, "facet": facet, "pairs": pairs, "theirs": theirs}
                data["labels"].append(row | label_effects.compare(theirs, figures["final", each.name]))
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

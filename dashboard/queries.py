"""What the pages of a query and of a document show: candidates with their grades, judges, agreement, scores."""

from __future__ import annotations

from math import isnan, nan
from typing import Any

from django.db.models import Count, F, Prefetch

from adjudication.decisions import judgment_of
from agreement.coefficients import EXCLUDE, REGISTRY, STAGES
from annotation.models import Pair, PairState, PublishedLabel, Slot
from corpus.models import Document, Query
from evaluation.measures import profile
from evaluation.scores import profiles_of, stored_scores, systems_of
from jobs.models import Report
from pooling.models import Candidate, Contribution

PUBLISHED = "published"  # beside the states of pairs


def candidate_rows(*, query: Query | None = None, document: Document | None = None) -> list[dict[str, Any]]:
    """Of all pools of a query, or of all pools that have a document. Both grades once both are in."""
    pooled, judged = ({"pool__query": query}, {"query": query}) if query else ({"document": document},) * 2
    contributions = Contribution.objects.select_related("run").order_by(F("rank").asc(nulls_last=True), "run__name")
    candidates = (
        Candidate.objects.filter(**pooled)
        .select_related("document", "pool__query__document", "pool__pool_set")
        .prefetch_related(Prefetch("contributions", contributions))
        .order_by("pool__query__name", "pool__pool_set__round", "position")
    )
    pairs = {
        (pair.query_id, pair.document_id): pair
        for pair in Pair.objects.filter(counts=True, **judged).prefetch_related(
            Prefetch("slots", Slot.objects.select_related("judgment").order_by("number"))
        )
    }
    standing = PublishedLabel.objects.filter(**judged).standing()
    published = {(label.query_id, label.document_id): label.grade for label in standing}
    rows = []
    for candidate in candidates:
        key = candidate.pool.query_id, candidate.document_id
        pair, label = pairs.get(key), published.get(key)
        ranks = {each.run.name: each.rank for each in candidate.contributions.all()}
        row: dict[str, Any] = {
            "query": candidate.pool.query,
            "document": candidate.document,
            "docno": candidate.document.docno,
            "title": candidate.document.shown_title,
            "position": candidate.position,
            "source": candidate.source,
            "sources": ", ".join(f"{name} {rank or ''}".strip() for name, rank in ranks.items()) or candidate.source,
            "best_rank": min((rank for rank in ranks.values() if rank), default=None),
            "pair": pair,
            "state": pair.state if pair else "" if label is None else PUBLISHED,
            "label": pair.final if pair else label,
            "a": None,
            "b": None,
        }
        if pair and pair.state != PairState.OPEN:
            row |= {side: judgment_of(slot).grade for side, slot in zip("ab", pair.slots.all(), strict=True)}
        rows.append(row)
    return rows


def judges_of(query: Query) -> list[dict[str, Any]]:
    """Each judge's pairs of the query, and how many of them are judged."""
    slots = Slot.objects.filter(pair__query=query, pair__counts=True)
    counts = slots.values("judge__username", "judge__name").annotate(total=Count("pk"), judged=Count("judgment"))
    return [{**row} for row in counts.order_by("judge__username")]


def agreement_of(query: Query) -> dict[str, Any] | None:
    """The row of the newest report, if it has the query: the paper's coefficients before and after adjudication."""
    report = Report.objects.find(query.collection, "agreement", missing=EXCLUDE)
    row = next((row for row in report.data["queries"] if row["query"] == query.name), None) if report else None
    return row and {"stages": STAGES, "coefficients": [each for each in REGISTRY if each.of_paper], "row": row}


def scores_of(query: Query) -> dict[str, Any]:
    """By the first profile's main measure, best first: the systems that the leaderboard has scored."""
    collection = query.collection
    chosen = profile(profiles_of(collection)[0], collection.relevant_from)
    runs = systems_of(collection)
    tables = stored_scores(collection, runs, chosen)
    values = [(run, float(tables[run.pk][chosen.main].get(query.name, nan))) for run in runs if run.pk in tables]
    defined = sorted((-score, run.name, run) for run, score in values if not isnan(score))
    return {"measure": chosen.main, "rows": [{"run": run, "score": -score} for score, _, run in defined]}

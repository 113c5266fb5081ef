"""The pipeline of a collection: where each of its seven steps stands, and the one thing to do next."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db.models import Count, Q

from accounts.models import Collection
from adjudication import cases
from adjudication.labels import labels_state
from annotation.models import PairState, PublishedLabel, Slot
from annotation.openings import openable_queries
from jobs.models import Report
from pooling.models import Candidate, PoolSet
from release.models import Release
from web.templatetags.ui import plural

TODO, DOING, DONE = "todo", "doing", "done"


@dataclass
class Step:
    """`state` is todo, doing or done; `said` its count in words; `action` what the button says while it is next."""

    name: str
    page: str
    state: str
    said: str
    action: str
    action_page: str = ""
    why: str = ""

    @property
    def to(self) -> str:
        return self.action_page or self.page


def steps(collection: Collection) -> list[Step]:
    documents, queries = collection.documents.count(), collection.queries.count()
    pools = PoolSet.objects.filter(collection=collection)
    frozen = Candidate.objects.filter(pool__pool_set__in=pools.filter(frozen_at__isnull=False)).count()
    is_draft = pools.filter(frozen_at=None).exists()
    unpooled = collection.queries.exclude(pools__pool_set__frozen_at__isnull=False).count()
    left_out = f", {plural(unpooled, 'query,queries')} without" if unpooled else ""
    slots = Slot.objects.filter(pair__query__collection=collection, pair__counts=True).aggregate(
        total=Count("pk"),
        judged=Count("judgment"),
        cases=Count("pk", filter=Q(pair__state=PairState.CASE, number=1)),
        decided=Count("pk", filter=Q(pair__state=PairState.DECIDED, number=1)),
    )
    unopened = openable_queries(collection).count()
    has_runs, is_topical = collection.runs.exists(), not collection.facets
    labelled, texts = collection.documents.exclude(labels=[]), collection.documents.exclude(sentences=[])
    has_labels = is_topical or labelled.exists() or not texts.exists()
    has_adjudicator = collection.memberships.active().filter(is_adjudicator=True).exists()
    report = Report.objects.filter(collection=collection, kind="agreement").order_by("-created_at").first()
    is_current = report is not None and report.labels == labels_state(collection)
    newest = Release.objects.filter(collection=collection).order_by("-published_at").first()
    published = PublishedLabel.objects.of(collection).count()
    judged_all = (slots["total"] > 0 or published > 0) and slots["judged"] == slots["total"]
    nobody_judged = not slots["total"] and published > 0  # labels without judgments have no agreement
    return [
        Step(
            "Documents",
            "documents",
            DONE if documents else TODO,
            f"{documents:,}",
            "Import documents",
            "import-documents",
            "Titles and abstracts from JSON Lines, CSV, TREC or SMART files.",
        ),
        Step(
            "Queries",
            "queries",
            DONE if queries else TODO,
            f"{queries:,}",
            "Add queries" if has_labels else "Predict sentence labels",
            "queries" if is_topical else "add-queries" if has_labels else "labels",
            "Topics, or whole papers."
            if is_topical
            else "Query papers, each under a facet."
            if has_labels
            else "Judges see the sentences of a query's facet in bold, so sentences need labels first.",
        ),
        Step(
            "Pools",
            "pools",
            DOING if is_draft else DONE if frozen else TODO,  # a query that is left out does not hold up the others
            f"{frozen:,} pairs{left_out}" if frozen else "draft" if is_draft else "none",
            "Look at the draft" if is_draft else "Build pools" if has_runs else "Build runs",
            "pools" if is_draft else "build-pools" if has_runs else "runs",
            "Candidates from several retrievers, drawn in turn.",
        ),
        Step(
            "Judging",
            "progress",
            DONE if judged_all and not unopened else DOING if slots["total"] else TODO,
            f"{published:,} published" if nobody_judged else f"{slots['judged']:,} of {slots['total']:,}",
            "Open queries" if unopened else "See progress",
            "open-queries" if unopened else "progress",
            "Two annotators judge each pair, blind.",
        ),
        Step(
            "Adjudication",
            "cases",
            DONE if judged_all and not slots["cases"] else DOING if slots["cases"] or slots["decided"] else TODO,
            f"{slots['cases']:,} to decide" if slots["cases"] else f"{slots['decided']:,} decided",
            "See the cases" if has_adjudicator else "Invite an adjudicator",
            "" if has_adjudicator else "people",
            "An adjudicator decides where the two judges differ.",
        ),
        Step(
            "Agreement",
            "agreement",
            DONE if is_current or nobody_judged else DOING if report else TODO,
            "none" if nobody_judged else "up to date" if is_current else "out of date" if report else "not computed",
            "Recompute agreement" if report else "Compute agreement",
            why="How far the two judges agree, per query and facet.",
        ),
        Step(
            "Release",
            "release",
            DONE if newest else TODO,
            f"version {newest.version}" if newest else "none",
            "Prepare the release",
            why="Qrels, pools and judgments in the usual formats, with checksums.",
        ),
    ]


def next_step(all_steps: list[Step]) -> Step | None:
    """The first step that is not done."""
    return next((step for step in all_steps if step.state != DONE), None)


def people_waiting(collection: Collection) -> list[dict[str, Any]]:
    """Who can do something now, and how much: annotators with open pairs, and adjudicators with cases."""
    rows = Slot.objects.filter(pair__query__collection=collection).waiting()
    counts = rows.values("judge__username", "judge__name").annotate(pairs=Count("pk")).order_by("-pairs")
    waiting = [{"name": row["judge__name"] or row["judge__username"], "pairs": row["pairs"]} for row in counts]
    for member in collection.memberships.active().filter(is_adjudicator=True).select_related("user"):
        if left := cases.cases_for(member.user, collection).filter(state=PairState.CASE).count():
            waiting.append({"name": str(member.user), "cases": left})
    return waiting

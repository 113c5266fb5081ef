"""The pages of baselines, and the button that makes folds. For admins."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_GET, require_POST

from accounts.access import CollectionRequest, in_collection
from accounts.models import ADMIN, Collection
from evaluation import folds, scores
from evaluation.baselines import baselines_of, check_baseline
from jobs.work import start_once
from retrieval.models import BASELINE
from web.errors import BadInput


@require_GET
@in_collection(ADMIN)
def baselines(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """What can be built, and what was built of other pairs than those that are judged now."""
    built = {run.name: run for run in collection.runs.filter(kind=BASELINE)}
    pairs = sum(map(len, scores.labels_of(collection).values()))
    documents = collection.documents.count()
    rows: list[dict[str, Any]] = [
        {
            "name": name,
            "baseline": baseline,
            "run": (run := built.get(name)),
            "is_behind": run and (run.settings["pairs"], run.settings["corpus"]) != (pairs, documents),
        }
        for name, baseline in baselines_of(collection).items()
    ]
    wanted = [row["name"] for row in rows if not row["baseline"].lacks and (row["is_behind"] or not row["run"])]
    context = {
        "collection": collection,
        "rows": rows,
        "wanted": wanted,
        "pairs": pairs,
        "documents": documents,
        "job": collection.jobs.filter(kind="build_baselines").first(),
    }
    return render(request, "evaluation/baselines.html", context)


@require_POST
@in_collection(ADMIN)
def build(request: CollectionRequest, collection: Collection) -> HttpResponse:
    names = request.POST.getlist("name")
    if not names:
        raise BadInput("Choose at least one baseline.")
    for name in names:
        check_baseline(collection, name)
    start_once("build_baselines", collection=collection, by=request.user, names=names)
    return redirect("baselines", collection.slug)


@require_POST
@in_collection(ADMIN)
def make_folds(request: CollectionRequest, collection: Collection) -> HttpResponse:
    folds.make_folds(collection)
    messages.success(request, "Made two folds, even within each facet.")
    return redirect("leaderboard", collection.slug)

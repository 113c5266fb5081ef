"""The admin's page about pool rounds: those there are, the next one, and what waits for judges."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from annotation.queue import collection_pace
from annotation.team import ROUND_KIND, plan_new_pairs
from evaluation.top_ups.forms import OpeningForm, RoundForm
from evaluation.top_ups.runs import run_names
from evaluation.top_ups.services import JOB, open_round, preview_top_up, request_top_up
from jobs.context import DirectRun
from jobs.listing import jobs_to_show
from jobs.models import Job
from pooling.models import Pool
from pooling.preview import Cost
from pooling.rounds.listing import round_rows
from pooling.rounds.lists import round_run_lines
from pooling.rounds.manifest import round_manifest_text
from pooling.rounds.services import RoundPreview
from web.downloads import as_download
from web.errors import UserFacingError
from web.words import count_noun

MOST_PAPERS = 20  # rows of a preview


@dataclass(frozen=True)
class ShownPreview:
    """A preview with its cost, and the pools that get most documents."""

    preview: RoundPreview
    cost: Cost

    @property
    def papers(self) -> list[tuple[str, int]]:
        rows = sorted(self.preview.documents.items(), key=lambda row: (-row[1], row[0]))
        return rows[:MOST_PAPERS]

    @property
    def others(self) -> int:
        return max(0, len(self.preview.documents) - MOST_PAPERS)

    @property
    def runs(self) -> list[tuple[str, int]]:
        return sorted(self.preview.by_run.items())


def _page(
    request: HttpRequest,
    collection: Collection,
    form: RoundForm,
    opening: OpeningForm | None = None,
    **more: Any,
) -> HttpResponse:
    frozen = Pool.objects.frozen().filter(query_paper__collection=collection)
    context: dict[str, Any] = {
        "collection": collection,
        "rounds": round_rows(collection),
        "frozen": frozen.count(),
        "runs": run_names(collection),
        "form": form,
        "opening": opening or OpeningForm(collection, None),
        "waiting": plan_new_pairs(collection=collection),
        "jobs": jobs_to_show(collection, [JOB, ROUND_KIND]),
        **more,
    }
    status = 400 if "refused" in more else 200
    return render(request, "evaluation/pool_rounds.html", context, status=status)


@in_collection(Role.ADMIN)
@require_safe
def pool_rounds(request: HttpRequest, collection: Collection) -> HttpResponse:
    """With a plan in the address, its preview."""
    if "choice" not in request.GET:
        return _page(request, collection, RoundForm(collection, None))
    form = RoundForm(collection, request.GET)
    if not form.is_valid():
        return _page(request, collection, form)
    try:
        preview = preview_top_up(collection, form.top_up(), DirectRun())
    except UserFacingError as error:
        return _page(request, collection, form, fault=str(error))
    cost = Cost(preview.total, preview.pairs, collection_pace(collection).seconds)
    return _page(request, collection, form, preview=ShownPreview(preview, cost))


@in_collection(Role.ADMIN)
@require_POST
def add_round(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = RoundForm(collection, request.POST)
    if not form.is_valid():
        return _page(request, collection, form, refused=True)
    try:
        request_top_up(collection=collection, top_up=form.top_up(), requested_by=person_of(request))
    except UserFacingError as error:
        return _page(request, collection, form, fault=str(error), refused=True)
    messages.info(request, "The round is being added to the pools.")
    return redirect("pool-rounds", collection.slug)


@in_collection(Role.ADMIN)
@require_POST
def open_pool_round(request: HttpRequest, collection: Collection) -> HttpResponse:
    opening = OpeningForm(collection, request.POST)
    plan = RoundForm(collection, None)
    if not opening.is_valid():
        return _page(request, collection, plan, opening, refused=True)
    values = opening.cleaned_data
    try:
        done = open_round(
            collection=collection,
            substitutes=list(values["substitutes"]),
            requested_by=person_of(request),
            old_share=values["old_percent"] / 100,
        )
    except UserFacingError as error:
        return _page(request, collection, plan, opening, opening_fault=str(error), refused=True)
    if isinstance(done, Job):
        messages.info(request, "The new pairs are being opened for judging.")
    else:
        messages.success(request, f"Opened {count_noun(done, 'new pair')} for judging.")
    return redirect("pool-rounds", collection.slug)


@in_collection(Role.ADMIN)
@require_safe
def round_manifest(request: HttpRequest, collection: Collection, round_number: int) -> HttpResponse:
    text = round_manifest_text(get_object_or_404(collection.pool_rounds, number=round_number))
    response = HttpResponse(text, content_type="application/json")
    return as_download(response, f"{collection.slug}-pool-round-{round_number}.json")


@in_collection(Role.ADMIN)
@require_safe
def round_run(
    request: HttpRequest, collection: Collection, round_number: int, name: str
) -> StreamingHttpResponse:
    """The lists of a run of the round, as the manifest digests them."""
    row = get_object_or_404(collection.pool_rounds, number=round_number)
    if name not in {run["name"] for run in row.manifest["runs"]}:
        raise Http404(f"no run {name} in the round")
    lines = StreamingHttpResponse(round_run_lines(row, name), content_type="text/plain")
    return as_download(lines, f"{collection.slug}-round-{round_number}-{name}.txt")

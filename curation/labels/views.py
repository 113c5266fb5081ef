"""The page about labels: their check; for admins their sources, prediction and training."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, person_of, roles_in
from accounts.models import OWNERS, Collection, Role
from curation.checking import queue as check_queue
from curation.labels.counts import count_labels
from curation.labels.forms import PredictionForm, TrainingForm
from curation.labels.labellers import has_facets
from curation.labels.prediction import JOB_KIND, request_labels
from curation.labels.rows import count_rows, facet_rows, labeller_rows
from curation.labels.training import FEWEST_DOCUMENTS, SEED, TRAINING_KIND, request_training
from jobs.listing import jobs_to_show
from web.errors import UserFacingError

CURATORS = (*OWNERS, Role.CURATOR)
LISTED = 20  # abstracts that a person checked last


@never_cache
@in_collection(*CURATORS)
@require_safe
def labels(request: HttpRequest, collection: Collection) -> HttpResponse:
    return _page(request, collection)


def _page(
    request: HttpRequest,
    collection: Collection,
    *,
    prediction: PredictionForm | None = None,
    training: TrainingForm | None = None,
) -> HttpResponse:
    person = person_of(request)
    context = {
        "has_facets": has_facets(collection),
        "progress": check_queue.progress(collection),
        "counted_up_to": check_queue.COUNTED_UP_TO,
        "records": check_queue.last_checked(collection, person, LISTED),
    }
    if roles_in(collection, person) & set(OWNERS):
        context |= _admin_parts(collection) | {
            "prediction": prediction or PredictionForm(collection=collection),
            "training": training or TrainingForm(),
        }
    status = 422 if prediction or training else 200
    return render(request, "curation/labels.html", context, status=status)


def _admin_parts(collection: Collection) -> dict[str, object]:
    counts = count_labels(collection)
    return {
        "counts": counts,
        "count_rows": count_rows(counts),
        "facets": facet_rows(collection),
        "labellers": labeller_rows(collection, counts),
        "fewest": FEWEST_DOCUMENTS,
        "jobs": jobs_to_show(collection, [JOB_KIND, TRAINING_KIND]),
    }


@in_collection(*OWNERS)
@require_POST
def predict(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = PredictionForm(request.POST, collection=collection)
    if form.is_valid():
        try:
            request_labels(
                collection=collection, requested_by=person_of(request), **form.cleaned_data
            )
        except UserFacingError as error:
            form.add_error("labeller", str(error))
        else:
            messages.info(request, "Labelling: waiting for a worker.")
            return redirect("labels", collection.slug)
    return _page(request, collection, prediction=form)


@in_collection(*OWNERS)
@require_POST
def train(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = TrainingForm(request.POST)
    if form.is_valid():
        try:
            request_training(
                collection=collection,
                name=form.cleaned_data["name"],
                seed=form.cleaned_data["seed"] or SEED,
                encoder=form.cleaned_data.get("encoder", ""),
                requested_by=person_of(request),
            )
        except UserFacingError as error:
            form.add_error("name", str(error))
        else:
            messages.info(request, "Training: waiting for a worker.")
            return redirect("labels", collection.slug)
    return _page(request, collection, training=form)

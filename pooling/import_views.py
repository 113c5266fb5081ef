"""The admin's forms for ranked lists, judgments and vectors made elsewhere."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from accounts.access import in_collection
from accounts.models import Collection, Role, User
from jobs.uploads import NoRoom
from pooling.import_forms import QRELS, EmbeddingsForm, RunImportForm
from pooling.retrievers import METRICS
from pooling.services import DEFAULT_DEPTH, PoolingError
from pooling.uploads import request_embeddings, request_run_import
from pooling.views import runs_page


@in_collection(Role.ADMIN)
@require_POST
def import_run(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = RunImportForm(request.POST, request.FILES)
    if not form.is_valid():
        return runs_page(request, collection, form=form)
    said = form.cleaned_data
    try:
        request_run_import(
            collection=collection,
            upload=said["file"],
            name=said["name"],
            qrels=said["holds"] == QRELS,
            requested_by=cast(User, request.user),
        )
    except (PoolingError, NoRoom) as error:
        form.add_error("name", str(error))
        status = 507 if isinstance(error, NoRoom) else 422
        return runs_page(request, collection, form=form, status=status)
    return _taken(request, collection, said["file"].name, said["name"])


@in_collection(Role.ADMIN)
@require_POST
def import_embeddings(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = EmbeddingsForm(request.POST, request.FILES)
    if not form.is_valid():
        return runs_page(request, collection, embeddings=form)
    said = form.cleaned_data
    try:
        request_embeddings(
            collection=collection,
            vectors=said["vectors"],
            docnos=said["docnos"],
            name=said["name"],
            metric=said["metric"] or METRICS[0],
            depth=said["depth"] or DEFAULT_DEPTH,
            requested_by=cast(User, request.user),
        )
    except (PoolingError, NoRoom) as error:
        form.add_error("name", str(error))
        status = 507 if isinstance(error, NoRoom) else 422
        return runs_page(request, collection, embeddings=form, status=status)
    return _taken(request, collection, said["vectors"].name, said["name"])


def _taken(request: HttpRequest, collection: Collection, filename: str, name: str) -> HttpResponse:
    messages.info(request, f"{filename} is being read as the run {name}.")
    # The form's address names its own place on the page; the job's card is at the top.
    return redirect(reverse("runs", args=[collection.slug]) + "#main")

"""The admin's forms for ranked lists, judgments and vectors made elsewhere."""

from __future__ import annotations

from typing import cast

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
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
        return runs_page(request, collection, form=form)
    messages.info(request, f"{said['file'].name} is being read as the run {said['name']}.")
    return redirect("runs", collection.slug)


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
        return runs_page(request, collection, embeddings=form)
    messages.info(request, f"{said['vectors'].name} is being read as the run {said['name']}.")
    return redirect("runs", collection.slug)

"""Sentence labels: what has which, predicting them, and checking a document by keyboard. For admins."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import messages
from django.db.models import Count, Exists, OuterRef, Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods

from accounts.access import CollectionRequest, in_collection
from accounts.models import ADMIN, Collection
from corpus import labelling
from corpus.models import Query
from jobs.models import State
from jobs.work import start_once
from web.errors import BadInput, Conflict
from web.tables import Column, Filter, Table

UNDO = "u"


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def labels(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """How many documents have labels, and those to check, least certain first. POST predicts."""
    if request.method == "POST":
        labelling.check_facets(collection)
        start_once("predict_labels", collection=collection, by=request.user, again="again" in request.POST)
        return redirect("labels", collection.slug)
    last = collection.jobs.filter(kind="predict_labels").first()
    papers = Query.objects.filter(document=OuterRef("pk"))
    waiting = labelling.to_check(collection).defer("cites", "authors", "extra")
    table = Table(
        request,
        waiting.annotate(is_paper=Exists(papers)),
        name="unchecked",
        row="corpus/_unchecked_row.html",
        columns=[
            Column("docno", "Id"),
            Column("title", "Title"),
            Column("is_paper", "Query paper", folded=True, sortable=False),
            Column("certainty", "Least certain", number=True, help="Probability of its least certain label"),
        ],
        search=["docno", "title"],
        filters=[Filter("papers", "Documents", [("only", "query papers")], lambda rows, _: rows.filter(is_paper=True))],
        one="document to check",
        many="documents to check",
    )
    context = {
        "collection": collection,
        "counts": collection.documents.aggregate(
            labelled=Count("pk", filter=~Q(labels=[]) & Q(labels_predicted=False)),
            predicted=Count("pk", filter=Q(labels_predicted=True)),
            without=Count("pk", filter=Q(labels=[]) & ~Q(sentences=[])),
        ),
        "papers": waiting.filter(queries__isnull=False).distinct().count(),
        "next": labelling.next_to_check(collection),
        "job": last if last and (last.state == State.FAILED or not last.is_finished) else None,
    }
    return table.response("corpus/labels.html", context)


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def check_labels(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    """A document's sentences with their labels; POST confirms them and shows the next document."""
    document = get_object_or_404(collection.documents.select_related("collection"), pk=pk)
    number, done, status = len(document.sentences), request.GET.get("done", ""), 200
    shown: list[str | None] = [None] * number
    if document.labels:
        shown = [label for _, label in document.labelled_sentences()]
    if request.method == "POST":
        shown = [request.POST.get(f"label-{place}") for place in range(number)]
        try:
            labelling.check_labels(document=document, labels=shown, seen=request.POST.get("seen", ""))
        except (BadInput, Conflict) as error:
            messages.error(request, str(error))
            status = error.status
        else:
            return redirect(next_url(collection, document.pk))
    names = labelling.labels_to_choose(document)
    certainties = document.certainties or [None] * number
    rows = [
        {"text": text, "label": label, "certainty": certainty}
        for text, label, certainty in zip(document.sentences, shown, certainties, strict=True)
    ]
    context = {
        "collection": collection,
        "document": document,
        "rows": rows,
        "labels": list(zip(names, keys_of(names), strict=True)),
        "seen": labelling.labels_digest(document),
        "queries": document.queries.in_order(),
        "is_fixed": not collection.documents.not_opened().filter(pk=pk).exists(),
        "left": labelling.to_check(collection).count(),
        "before": collection.documents.filter(pk=done).first() if done.isdecimal() and len(done) < 19 else None,
    }
    return render(request, "corpus/check_labels.html", context, status=status)


def next_url(collection: Collection, done: int) -> str:
    following = labelling.next_to_check(collection)
    if following is None:
        return reverse("labels", args=[collection.slug])
    return reverse("check-labels", args=[collection.slug, following.pk]) + f"?done={done}"


def keys_of(names: Sequence[str]) -> list[str]:
    """A letter for each label: its first that no other has."""
    taken = {UNDO}
    keys = []
    for name in names:
        keys.append(next((letter for letter in name.lower() if letter.isalpha() and letter not in taken), ""))
        taken.add(keys[-1])
    return keys

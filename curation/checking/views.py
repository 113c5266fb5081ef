"""The pages on which curators check labels. Each action is a plain form; a script adds the keys."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import by_the_same_person, in_collection, not_found_as_json, person_of
from accounts.models import OWNERS, Collection, Role
from corpus.models import Document
from corpus.services import labels_in
from curation.checking import queue as check_queue
from curation.checking.forms import SentLabels, moved, sent_labels
from curation.checking.queue import ShownAbstract
from curation.checking.services import LabelError, check_labels, state_digest
from curation.labels.labellers import has_facets
from web.requests.answers import outcome, wants_json, wants_part
from web.sittings.keys import assign_keys
from web.sittings.responses import refused
from web.words import count_noun

MOVING = "ujk"  # undo, down and up, as in the list of keys
COMMANDS = ("split", "next", "later")
EDITS = ("join-", "split-", "show")
IN_CURATION = (*OWNERS, Role.CURATOR)


@never_cache
@in_collection(*IN_CURATION)
@require_safe
def check_next(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Redirect to the next abstract, but none of those in `without`."""
    if not has_facets(collection):
        return redirect("labels", collection.slug)
    without = _without(request)
    documents = check_queue.next_documents(collection, person_of(request), without=without)
    if not documents:
        if without:
            messages.info(request, "Every other abstract is checked. Those that you put off wait.")
        return redirect("labels", collection.slug)
    address = reverse("check-document", args=[collection.slug, documents[0].docno])
    return redirect(f"{address}?without={_joined(request)}" if without else address)


@never_cache
@by_the_same_person
@in_collection(*IN_CURATION)
@require_safe
def check_ahead(request: HttpRequest, collection: Collection) -> HttpResponse:
    """The next abstracts as parts of the page, but none of those in `without`."""
    documents = check_queue.next_documents(
        collection, person_of(request), without=_without(request)
    )
    return _parts(request, collection, documents)


@never_cache
@by_the_same_person
@in_collection(*IN_CURATION)
@require_safe
def check_undo(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Go back to the abstract checked last; from a checked one, to the one before it."""
    seen_from = request.GET.get("from", "")
    document_id = int(seen_from) if _is_id(seen_from) else 0
    document = check_queue.checked_before(collection, person_of(request), document_id)
    if wants_part(request):
        return _parts(request, collection, [document] if document else [])
    if document is None:
        messages.info(request, "Nothing to undo: you have not checked an earlier abstract.")
        return redirect("check-next", collection.slug)
    return redirect("check-document", collection.slug, document.docno)


@never_cache
@by_the_same_person
@not_found_as_json("This abstract was removed, or you are no longer a curator here.")
@in_collection(*IN_CURATION)
@require_http_methods(["GET", "HEAD", "POST"])
def check_document(request: HttpRequest, collection: Collection, docno: str) -> HttpResponseBase:
    """Show an abstract, show it with other boundaries, or save it as checked."""
    document = _document(collection, docno)
    if request.method != "POST":
        if wants_part(request):
            return _parts(request, collection, [document])
        if not has_facets(collection):  # the overview says why there is nothing to check
            return redirect("labels", collection.slug)
        return _page(request, collection, check_queue.shown_abstract(collection, document))
    step = request.POST.get("step", "")
    try:
        sent = sent_labels(request.POST, document)
        if step.startswith(EDITS):
            return _edited(request, collection, document, moved(sent, step, request.POST))
        return _save(request, collection, document, sent)
    except LabelError as error:
        return _refused(request, collection, document, error)


def _save(
    request: HttpRequest, collection: Collection, document: Document, sent: SentLabels
) -> HttpResponseBase:
    record = check_labels(
        document=document,
        labels=sent.labels,
        sentences=sent.sentences(document),
        checked_by=person_of(request),
        seen=request.POST.get("seen", ""),
    )
    if wants_json(request):
        words = check_queue.progress(collection).words
        return outcome(request, seen=state_digest(document, record), progress=words)
    messages.success(request, f"Saved the labels of {document.docno}.")
    return redirect(f"{reverse('check-next', args=[collection.slug])}?without={_joined(request)}")


def _edited(
    request: HttpRequest, collection: Collection, document: Document, sent: SentLabels
) -> HttpResponseBase:
    """The form with its boundaries moved. Nothing is saved."""
    sent.sentences(document)
    shown = check_queue.shown_abstract(collection, document, sent.lengths, sent.labels)
    if wants_part(request):
        return render(request, "curation/_abstracts.html", {"abstracts": [shown]})
    return _page(request, collection, shown)


def _refused(
    request: HttpRequest, collection: Collection, document: Document, error: LabelError
) -> HttpResponseBase:
    """Show the abstract as it is now."""

    def show() -> HttpResponse:
        document.refresh_from_db()
        return _page(request, collection, check_queue.shown_abstract(collection, document))

    return refused(request, error, show)


def _page(request: HttpRequest, collection: Collection, shown: ShownAbstract) -> HttpResponse:
    labels = labels_in(collection)
    keys = assign_keys([*labels, *COMMANDS], reserved=MOVING)
    return render(
        request,
        "curation/check_document.html",
        {
            "shown": shown,
            "label_keys": list(zip(labels, keys, strict=False)),
            "command_keys": dict(zip(COMMANDS, keys[len(labels) :], strict=True)),
            "progress": check_queue.progress(collection),
            "back_url": reverse("labels", args=[collection.slug]),
            "back_name": "Labels",
            "kept_without": _joined(request),
            "without": ",".join(map(str, [*_without(request), shown.document.pk])),
        },
    )


def _parts(request: HttpRequest, collection: Collection, documents: list[Document]) -> HttpResponse:
    abstracts = [check_queue.shown_abstract(collection, document) for document in documents]
    return render(request, "curation/_abstracts.html", {"abstracts": abstracts})


@in_collection(Role.ADMIN)
@require_POST
def label_sentences(request: HttpRequest, collection: Collection, docno: str) -> HttpResponse:
    """Save the labels on the page of a document, as checked by the admin."""
    document = _document(collection, docno)
    try:
        check_labels(
            document=document,
            labels=request.POST.getlist("label"),
            checked_by=person_of(request),
            seen=request.POST.get("seen", ""),
        )
    except LabelError as error:
        messages.error(request, str(error))
    else:
        number = count_noun(len(document.sentences), "label")
        messages.success(request, f"Saved {number} of {docno} as checked by you.")
    return redirect("document", collection.slug, docno)


def _document(collection: Collection, docno: str) -> Document:
    document = collection.documents.filter(docno=docno).exclude(sentences=[]).first()
    if document is None:
        raise Http404(f"no document {docno!r} with a text here")
    return document


def _without(request: HttpRequest) -> list[int]:
    """The ids of documents that the person put off, in the address or in a form."""
    text = request.POST.get("without", request.GET.get("without", ""))
    return [int(part) for part in text.split(",") if _is_id(part)]


def _joined(request: HttpRequest) -> str:
    return ",".join(map(str, _without(request)))


def _is_id(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 19

"""The admin's pages: the list of help requests, and the page on which one is answered.

No page here shows a judgment, because the answer goes to a judge of the pair.
"""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_safe

from accounts.access import in_collection, person_of, row_or_404
from accounts.models import Collection, Role
from annotation.help_requests.forms import ExampleForm, HelpAnswerForm
from annotation.help_requests.services import answer_request
from annotation.models import HelpRequest, HelpRequestQuerySet, Pair
from annotation.presentation import Presentation
from annotation.services import JudgingError, presentation_of
from corpus.models import SOURCES
from web.tables.cells import numbered_page

STATES = {"open": "Open", "answered": "Answered", "all": "All"}


def requests_of(collection: Collection, state: str = "all") -> HelpRequestQuerySet:
    """The open ones as they were asked, or all, the latest first."""
    rows = HelpRequest.objects.of(collection).select_related("facet", "pair__query", "asker")
    if state == "open":
        return rows.open().order_by("pk")
    return rows.answered() if state == "answered" else rows


@in_collection(Role.ADMIN)
@require_safe
def help_requests(request: HttpRequest, collection: Collection) -> HttpResponse:
    state = request.GET.get("state", "open")
    state = state if state in STATES else "open"
    here = reverse("help-requests", args=[collection.slug])
    tabs = [
        {
            "url": f"{here}?state={each}",
            "caption": caption,
            "current": each == state,
            "aria_current": "page",
        }
        for each, caption in STATES.items()
    ]
    page = numbered_page(requests_of(collection, state), request)
    context = {"collection": collection, "page": page, "tabs": tabs, "state": state}
    return render(request, "annotation/help_requests.html", context)


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def help_request(request: HttpRequest, collection: Collection, help_request: int) -> HttpResponse:
    """The question with its pair as judges see it, and the answer or the form of it."""
    row = row_or_404(requests_of(collection).filter(pk=help_request).first())
    form = HelpAnswerForm(request.POST or None)
    status = 200
    if request.method == "POST" and form.is_valid():
        try:
            answer_request(
                request=row,
                answered_by=person_of(request),
                answer=form.cleaned_data["answer"],
                for_all=form.cleaned_data["audience"],
            )
        except JudgingError as error:
            form.add_error(None, str(error))
            status = error.status
        else:
            messages.success(request, "Your answer was sent.")
            return redirect("help-request", collection.slug, row.pk)
    if form.errors and status == 200:
        status = 422
    guideline = row.facet.guidelines.first()
    grades = guideline.grades if guideline else []
    context = {
        "collection": collection,
        "row": row,
        "form": form,
        "presentation": _shown_pair(row),
        "examples": row.examples.select_related("guideline"),
        "example_form": ExampleForm(grades=grades, has_pair=row.pair_id is not None),
    }
    return render(request, "annotation/help_request.html", context, status=status)


def _shown_pair(row: HelpRequest) -> Presentation | None:
    if row.pair_id is None:
        return None
    pair = Pair.objects.select_related(
        "query__facet",
        "query__opening__guideline",
        *(f"query__{source}" for source in SOURCES),
        "candidate__document",
    ).get(pk=row.pair_id)
    return presentation_of(pair, pair.query.opening.guideline.version)

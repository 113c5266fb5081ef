"""The page of the dates. It shows no progress, so owner-annotators may open it."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.access import in_collection
from accounts.models import OWNERS, Collection, User
from annotation.deadlines.forms import DeadlinesForm
from annotation.deadlines.models import Deadline
from annotation.deadlines.services import NoAnnotator, PastDeadline, set_deadlines
from annotation.team.plans import eligible_annotators


@in_collection(*OWNERS)
@require_http_methods(["GET", "HEAD", "POST"])
def deadlines(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = DeadlinesForm(
        request.POST or None, collection=collection, annotators=_annotators(collection)
    )
    status = 200
    if request.method == "POST" and form.is_valid():
        try:
            set_deadlines(collection=collection, dates=form.dates())
        except (PastDeadline, NoAnnotator) as error:
            form.add_error(None, str(error))
            status = error.status
        else:
            messages.success(request, "Saved the deadlines.")
            return redirect("deadlines", collection.slug)
    if form.errors and status == 200:
        status = 422
    return render(request, "annotation/deadlines.html", {"form": form}, status=status)


def _annotators(collection: Collection) -> list[User]:
    """Those who judge, and those who did and still have a date, so that it can be removed."""
    dated = Deadline.objects.filter(collection=collection).values("annotator")
    eligible = eligible_annotators(collection).order_by().values("pk")
    people = User.objects.filter(pk__in=dated) | User.objects.filter(pk__in=eligible)
    return list(people.order_by("username"))

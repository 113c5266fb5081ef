"""The admin's page that shares the unjudged pairs again when people join or leave."""

from __future__ import annotations

from collections.abc import Sequence

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role, User
from annotation import team
from annotation.services import JudgingError
from annotation.team.plans import eligible_annotators
from dashboard.board.forms import TeamForm
from jobs.listing import jobs_to_show
from web.words import count_noun


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def rebalance(request: HttpRequest, collection: Collection) -> HttpResponse:
    """The plan for the people in the address, or for all annotators. A POST carries it out."""
    sent = request.POST or (request.GET if "annotators" in request.GET else None)
    form = TeamForm(
        sent, collection=collection, initial={"annotators": eligible_annotators(collection)}
    )
    if sent is not None and not form.is_valid():
        return _page(request, collection, form)
    people = list(form.cleaned_data["annotators"] if sent else eligible_annotators(collection))
    plan = team.plan_rebalancing(collection=collection, annotators=people)
    if request.method != "POST":
        return _page(request, collection, form, plan, people)
    try:
        if plan.is_long and plan.digest == request.POST.get("plan"):
            team.request_rebalancing(
                collection=collection, plan=plan, requested_by=person_of(request)
            )
            messages.info(request, f"Reassigning {count_noun(len(plan.found.moves), 'seat')}.")
        else:
            moved = team.rebalance_seats(
                collection=collection, annotators=people, digest=request.POST.get("plan", "")
            )
            messages.success(request, f"{count_noun(moved, 'pair')} moved.")
    except JudgingError as error:
        form.add_error(None, str(error))
        return _page(request, collection, form, plan, people)
    return redirect("board", collection.slug)


def _page(
    request: HttpRequest,
    collection: Collection,
    form: TeamForm,
    plan: team.RebalancingPlan | None = None,
    people: Sequence[User] = (),
) -> HttpResponse:
    context = {
        "collection": collection,
        "form": form,
        "plan": plan,
        "team": people,
        "jobs": jobs_to_show(collection, [team.REBALANCING_KIND]),
    }
    status = 422 if form.errors else 200
    return render(request, "dashboard/rebalance.html", context, status=status)

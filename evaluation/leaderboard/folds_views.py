"""The address of the form that changes the folds."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_POST

from accounts.access import in_collection
from accounts.models import Collection, Role
from evaluation.leaderboard.folds_form import FoldsForm
from evaluation.leaderboard.views import LeaderboardPage


@in_collection(Role.ADMIN)
@require_POST
def change_folds(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = FoldsForm(request.POST, request.FILES)
    if form.is_valid() and form.save(collection):
        messages.success(request, "Changed the folds. Score all systems to update the numbers.")
        return redirect("leaderboard", collection.slug)
    context = LeaderboardPage.of(request, collection).context() | {"folds_form": form}
    return render(request, "evaluation/leaderboard.html", context, status=422)

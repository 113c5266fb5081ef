"""The admin's pages that ask a model."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, StreamingHttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.http import require_http_methods, require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from evaluation.shadow_judges.asking.addresses import KEY_PREFIX
from evaluation.shadow_judges.asking.export import answer_lines
from evaluation.shadow_judges.asking.forms import AskingForm, LimitsForm
from evaluation.shadow_judges.asking.services import (
    checked_asking,
    continue_asking,
    estimate,
    request_asking,
)
from evaluation.shadow_judges.services import ShadowJudgeError
from evaluation.shadow_judges.views import judge_or_404
from web.downloads import as_download


@in_collection(Role.ADMIN)
@require_http_methods(["GET", "HEAD", "POST"])
def ask_model(request: HttpRequest, collection: Collection) -> HttpResponse:
    """The form; its first button estimates, and its second one begins."""
    form = AskingForm(collection, request.POST or None)
    status, estimated = 200, None
    if request.method == "POST":
        status = 422
        if form.is_valid():
            try:
                if "begin" in request.POST:
                    plan, person = form.plan(), person_of(request)
                    request_asking(collection=collection, plan=plan, requested_by=person)
                    messages.info(request, f"Asking {plan.model}.")
                    return redirect("shadow-judge", collection.slug, plan.name)
                estimated = estimate(collection, checked_asking(collection, form.plan()))
                status = 200
            except ShadowJudgeError as error:
                form.add_error(None, str(error))
                status = error.status if error.status != 400 else 422
    context = {
        "collection": collection,
        "form": form,
        "estimate": estimated,
        "key_prefix": KEY_PREFIX,
        "groups": _groups(form),
        "has_open_queries": collection.queries.filter(opening__isnull=False).exists(),
    }
    return render(request, "evaluation/ask_model.html", context, status=status)


def _groups(form: AskingForm) -> list[tuple[str, list[object]]]:
    """The fields under the headings of the page."""
    facets = ["facets"] if form.fields["facets"].choices else []  # type: ignore[attr-defined]
    named = {
        "Model": ["name", "address", "model"],
        "Prompt": ["template", "swaps", "repetitions"],
        "Pairs": [*facets, "pairs"],
        "Parameters": ["temperature", "seed", "max_tokens", "limit_name"],
        "Price and budget": ["prompt_price", "completion_price", "currency", "budget"],
        "Pace": ["requests_per_minute", "concurrency", "timeout_seconds"],
        "Notes": ["description"],
    }
    return [(title, [form[name] for name in names]) for title, names in named.items()]


@in_collection(Role.ADMIN)
@require_POST
def continue_model(request: HttpRequest, collection: Collection, shadow_judge: str) -> HttpResponse:
    """Ask what has no answer yet, with the limits of the form."""
    judge = judge_or_404(collection, shadow_judge)
    form = LimitsForm(request.POST)
    if form.is_valid():
        try:
            continue_asking(
                collection=collection,
                name=judge.name,
                limits=form.limits(),
                requested_by=person_of(request),
            )
            messages.info(request, f"Asking {judge.model}.")
        except ShadowJudgeError as error:
            messages.error(request, str(error))
    else:
        for name, errors in form.errors.items():
            messages.error(request, f"{form.fields[name].label}: {errors[0]}")
    return redirect(f"{reverse('shadow-judge', args=[collection.slug, judge.name])}#asking")


@in_collection(Role.ADMIN)
@require_safe
def model_answers(
    request: HttpRequest, collection: Collection, shadow_judge: str
) -> StreamingHttpResponse:
    judge = judge_or_404(collection, shadow_judge)
    response = StreamingHttpResponse(answer_lines(judge), content_type="application/x-ndjson")
    return as_download(response, f"{collection.slug}-{judge.name}-answers.jsonl")

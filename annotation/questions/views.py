"""The page on which a judge answers a question: the workspace, with the own judgment."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from accounts.access import by_the_same_person, in_collection, person_of, row_or_404
from accounts.models import JUDGES, Collection
from annotation import queue
from annotation.guidelines.readings import must_read
from annotation.questions.forms import KEEP, QuestionAnswerForm
from annotation.questions.reading import OwnQuestion, asked_pairs, own_question
from annotation.questions.services import keep_judgment
from annotation.queue import ShownPair
from annotation.services import BadAnswer, JudgingError, submit_judgment
from annotation.views import (
    my_query,
    not_found_for_scripts,
    own_judgment_context,
    to_the_guideline,
)
from corpus.models import Query
from web.requests.answers import refusal, wants_json
from web.sittings.responses import refused, saved


@never_cache
@by_the_same_person
@not_found_for_scripts
@in_collection(*JUDGES)
@require_http_methods(["GET", "HEAD", "POST"])
def answer_question(
    request: HttpRequest, collection: Collection, name: str, token: str
) -> HttpResponseBase:
    """Show the pair with the question, or save the answer."""
    query = my_query(request, collection, name)
    shown = queue.shown_pair(query, person_of(request), token)
    shown = row_or_404(shown, f"no pair {token} for this annotator")
    question = own_question(query, person_of(request), token)
    if request.method == "POST":
        return _answer(request, collection, query, shown, question)
    if question is None:
        messages.info(
            request, gettext("There is no question on this pair, or you have answered it.")
        )
        return redirect("judge", collection.slug)
    if must_read(query.opening.guideline, person_of(request)):
        return to_the_guideline(collection, query)
    return _page(request, collection, query, shown, question)


def _answer(
    request: HttpRequest,
    collection: Collection,
    query: Query,
    shown: ShownPair,
    question: OwnQuestion | None,
) -> HttpResponseBase:
    form = QuestionAnswerForm(request.POST)
    try:
        if not form.is_valid():
            raise BadAnswer(gettext("This answer is incomplete. Give it again."))
        _save(request, query, shown, form)
    except JudgingError as error:
        return _refused(request, collection, query, shown, question, error)
    messages.success(request, gettext("Your answer is saved."))
    return saved(request, _next_url(request, collection))


def _save(request: HttpRequest, query: Query, shown: ShownPair, form: QuestionAnswerForm) -> None:
    """The judge's other judgment also counts if the question was taken back: it is a revision."""
    data = form.cleaned_data
    if data["answer"] == KEEP:
        keep_judgment(
            question_id=data["question"],
            annotator=person_of(request),
            judgment_key=data["supersedes"],
        )
        return
    slot = queue.own_slots(query.pk, person_of(request)).get(pair__token=shown.token)
    submit_judgment(
        slot_id=slot.pk,
        annotator=person_of(request),
        answer=form.to_answer(),
        presentation_digest=data["presentation"],
        key=data["key"],
        supersedes=data["supersedes"],
        seconds=data["seconds"],
    )


def _refused(
    request: HttpRequest,
    collection: Collection,
    query: Query,
    shown: ShownPair,
    question: OwnQuestion | None,
    error: JudgingError,
) -> HttpResponseBase:
    if question is not None:
        typed = {field: request.POST.get(field, "") for field in ("note", "reason")}
        return refused(
            request, error, lambda: _page(request, collection, query, shown, question, typed)
        )
    next_url = _next_url(request, collection)
    messages.error(request, str(error))
    if wants_json(request):
        return refusal(
            request, type(error).__name__, str(error), status=error.status, next=next_url
        )
    return redirect(next_url)


def _next_url(request: HttpRequest, collection: Collection) -> str:
    """The judge's next open question, or the list of queries."""
    asked = asked_pairs(collection, person_of(request)).first()
    if asked is None:
        return reverse("judge", args=[collection.slug])
    return reverse("judge-question", args=[collection.slug, asked[0], asked[2]])


def _page(
    request: HttpRequest,
    collection: Collection,
    query: Query,
    shown: ShownPair,
    question: OwnQuestion,
    typed: dict[str, str] | None = None,
) -> HttpResponse:
    context = own_judgment_context(request, collection, query, shown)
    context |= {"question": question, "keep": KEEP}
    if typed:
        context["typed"] = typed
    return render(request, "annotation/question.html", context)

"""The adjudicator's pages about questions to judges."""

from __future__ import annotations

from django.contrib import messages
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.access import by_the_same_person, in_collection, person_of, row_or_404
from accounts.models import Collection, Role, User
from adjudication import queue
from adjudication.errors import AdjudicationError, JudgedByYou
from adjudication.questions.forms import QuestionForm
from adjudication.questions.reading import questions_to_others
from adjudication.questions.services import ask_judges, take_back
from corpus.models import Query
from web.tables.cells import numbered_page


@never_cache
@in_collection(Role.ADJUDICATOR)
@require_safe
def case_questions(request: HttpRequest, collection: Collection) -> HttpResponse:
    """The cases that wait for answers of their judges."""
    rows = questions_to_others(collection, person_of(request)).open()
    rows = rows.select_related("pair__query__facet", "pair__candidate__document")
    return render(
        request,
        "adjudication/questions.html",
        {"collection": collection, "page": numbered_page(rows, request)},
    )


@never_cache
@by_the_same_person
@in_collection(Role.ADJUDICATOR)
@require_POST
def ask_judges_of_case(
    request: HttpRequest, collection: Collection, name: str, token: str
) -> HttpResponseBase:
    """Send the question, and go on to the next case."""
    query = row_or_404(queue.query_to_decide(collection, name), f"no query {name}")
    user = person_of(request)
    pair = queue.pair_to_decide(query, user, token)
    pair = row_or_404(pair, f"no pair {token} for this adjudicator")
    form = QuestionForm(request.POST)
    then_all = request.POST.get("then") == "all"
    if not form.is_valid():
        messages.warning(request, gettext("This question is incomplete. Choose its words again."))
        return redirect("case", collection.slug, name, token)
    seen = form.cleaned_data.pop("seen")
    try:
        ask_judges(
            pair_id=pair.pk,
            asked_by=user,
            judgment_ids=queue.judgments_of_digest(pair, seen),
            **form.cleaned_data,
        )
    except JudgedByYou as error:
        raise Http404(str(error)) from error
    except AdjudicationError as error:
        messages.warning(request, str(error))
        if queue.shown_case(query, user, token):
            return redirect("case", collection.slug, name, token)
    else:
        messages.success(
            request, gettext("Both judges are asked. The case waits for their answers.")
        )
    return redirect(_next_url(collection, query, user, then_all))


def _next_url(collection: Collection, query: Query, user: User, then_all: bool) -> str:
    """The next case; without any in this query, the list of all queries."""
    if then_all:
        return f"{reverse('adjudicate', args=[collection.slug])}?next"
    if sum(queue.counts(query, user).values()):
        return reverse("adjudicate-query", args=[collection.slug, query.name])
    return reverse("adjudicate", args=[collection.slug])


@never_cache
@in_collection(Role.ADJUDICATOR)
@require_POST
def take_question_back(request: HttpRequest, collection: Collection, question: int) -> HttpResponse:
    asked = questions_to_others(collection, person_of(request)).filter(pk=question).first()
    asked = row_or_404(asked, f"no question {question} for this adjudicator")
    try:
        take_back(question=asked, taken_back_by=person_of(request))
    except AdjudicationError as error:
        messages.warning(request, str(error))
    else:
        messages.success(request, gettext("The question is taken back."))
    return redirect("case-questions", collection.slug)

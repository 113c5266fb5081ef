"""The page of a proposed grade: the workspace with the own judgment, which the judge can keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.access import by_the_same_person, in_collection, person_of, row_or_404
from accounts.models import JUDGES, Collection
from annotation import queue
from annotation.proposals.rule import is_due
from annotation.views import my_query, own_judgment_context
from annotation.workspace import THEN_NEXT


class ProposalWords(NamedTuple):
    """Words in the place of an adjudicator's question. No sentence is marked."""

    words: str
    query_sentences: Sequence[int] = ()
    candidate_sentences: Sequence[int] = ()


@never_cache
@by_the_same_person
@in_collection(*JUDGES)
@require_safe
def judge_proposal(
    request: HttpRequest, collection: Collection, name: str, token: str
) -> HttpResponse:
    """Show the proposed grade. Its answer, also to keep the grade, is an ordinary revision."""
    query = my_query(request, collection, name)
    shown = queue.shown_pair(query, person_of(request), token)
    shown = row_or_404(shown, f"no pair {token} for this annotator")
    if shown.grade is None or shown.proposed is None or not is_due(shown.proposed, shown.grade):
        return redirect("judge-query", collection.slug, query.name)
    proposed = query.opening.guideline.grades[shown.proposed]
    question = ProposalWords(
        gettext("You marked %(number)s of %(total)s steps. They suggest %(grade)s %(name)s.")
        % {
            "number": len(shown.aspects),
            "total": query.opening.proposal_steps,
            "grade": shown.proposed,
            "name": proposed["name"],
        }
    )
    context = own_judgment_context(request, collection, query, shown)
    context |= {"question": question, "keep": shown.grade, "then": THEN_NEXT}
    return render(request, "annotation/proposal.html", context)

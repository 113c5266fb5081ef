"""The page of a proposed grade: the workspace with the own judgment, which the judge can keep."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.access import by_the_same_person, in_collection, person_of, row_or_404
from accounts.models import JUDGES, Collection
from annotation import queue
from annotation.forms import CANNOT
from annotation.models import Reason
from annotation.proposals.rule import is_due
from annotation.views import my_query
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
    guideline = query.opening.guideline
    proposed = guideline.grades[shown.proposed]
    return render(
        request,
        "annotation/proposal.html",
        {
            "collection": collection,
            "query": query,
            "back_url": reverse("judge", args=[collection.slug]),
            "back_name": "Your queries",
            "guideline": guideline,
            "show_guideline": "guideline" in request.GET,
            "query_text": shown.query,
            "shown": shown,
            "question": ProposalWords(
                f"You marked {len(shown.aspects)} of {query.opening.proposal_steps} steps. "
                f"They suggest {shown.proposed} {proposed['name']}."
            ),
            "keep": shown.grade,
            "then": THEN_NEXT,
            "aspects": queue.aspects_to_mark(collection, query, shown.query),
            "proposes": True,
            "marked": shown.aspects,
            "typed": {"note": shown.note, "reason": ""},
            "reasons": Reason.offered(),
            "cannot": CANNOT,
            "grade_name": guideline.grades[shown.grade]["name"],
        },
    )

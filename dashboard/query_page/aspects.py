"""The aspects of a query on its page: its bold sentences, or names that an admin gives them."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.views.decorators.http import require_POST

from accounts.access import in_collection
from accounts.models import Collection, Role
from annotation.aspects import aspects_of
from annotation.presentation import ShownText
from corpus.models import Query
from corpus.services import CorpusError
from corpus.topics.queries import LONGEST_ASPECT, MOST_ASPECTS, name_aspects


@in_collection(Role.ADMIN)
@require_POST
def name_query_aspects(request: HttpRequest, collection: Collection, name: str) -> HttpResponse:
    """Save the names, one on each line; none for the bold sentences."""
    query = get_object_or_404(collection.queries, name=name)
    try:
        saved = name_aspects(query=query, names=request.POST.get("names", "").splitlines())
    except CorpusError as error:
        messages.error(request, str(error))
    else:
        count = len(saved.aspect_names)
        messages.success(
            request, f"Saved {count} names." if count else "The aspects are the bold sentences."
        )
    return redirect("query", collection.slug, query.name)


def aspects_context(collection: Collection, query: Query, shown: ShownText) -> dict[str, Any]:
    """The aspects for the page; nothing if the collection does not ask for them."""
    if not (collection.marks_aspects or collection.proposes_grades):
        return {}
    return {
        "aspects": aspects_of(shown, query.aspect_names),
        "most_aspects": MOST_ASPECTS,
        "longest_aspect": LONGEST_ASPECT,
    }

"""Splits a query whose judges disagree because they look at different sentences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.urls import reverse
from django.views.decorators.http import require_POST

from accounts.access import in_collection
from accounts.models import Collection, Role
from agreement.aspects.lines import SplitLine
from corpus.models import SOURCES, Query
from corpus.services import CorpusError
from corpus.topics.queries import sentences_of, split_query
from web.words import count_noun


@in_collection(Role.ADMIN)
@require_POST
def split(request: HttpRequest, collection: Collection, name: str) -> HttpResponse:
    """Make queries of the chosen sentences of a query, which stays as it is."""
    query = get_object_or_404(collection.queries, name=name)
    numbers = [int(text) for text in request.POST.getlist("sentences") if text.isdecimal()]
    try:
        made = split_query(query=query, sentences=numbers)
    except CorpusError as error:
        messages.error(request, str(error))
        return redirect(f"{reverse('agreement', args=[collection.slug])}#aspects")
    if not made:
        messages.info(request, "Each of these sentences has a query already.")
        return redirect(f"{reverse('agreement', args=[collection.slug])}#aspects")
    names = ", ".join(f"{each.name} (sentence {each.sentences_text})" for each in made)
    messages.success(
        request, f"Added {count_noun(len(made), 'query', 'queries')}: {names}. {query.name} stays."
    )
    return redirect("queries", collection.slug)


def split_lines(collection: Collection, rows: Sequence[dict[str, Any]]) -> list[SplitLine]:
    """The rows of a report with the texts of the sentences to choose from."""
    names = [row["query"] for row in rows]
    queries = {
        query.name: query
        for query in collection.queries.filter(name__in=names).select_related("facet", *SOURCES)
    }
    lines = []
    for row in rows:
        query, counts = queries.get(row["query"]), dict(row["aspects"])
        sentences = [
            (number, text, counts.get(number, 0)) for number, text in _numbered_sentences(query)
        ]
        figures = (row["disagreements"], row["different"], 100 * row["low"])
        lines.append(SplitLine(row["query"], *figures, sentences))
    return lines


def _numbered_sentences(query: Query | None) -> list[tuple[int, str]]:
    """The sentences that can get a query; none where aspects have names, and none of a topic."""
    document = query.query_paper.document if query else None
    if query is None or document is None or query.aspect_names:
        return []
    return [(number, document.sentences[number - 1]) for number in sentences_of(query)]

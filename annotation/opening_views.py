"""Giving queries to annotators, handing them over, closing them: an admin's acts, from the progress page."""

from __future__ import annotations

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.http import require_http_methods, require_POST

from accounts.access import CollectionRequest, in_collection
from accounts.models import ADMIN, Collection, User
from annotation import openings
from annotation.forms import HandOverForm, OpenForm
from web.errors import BadInput, attempt
from web.templatetags.ui import plural


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def open_queries(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """With only two annotators both are chosen already."""
    annotators = User.objects.filter(memberships__in=collection.memberships.judging()).order_by("username")
    queries, sizes = openings.openable_queries(collection), openings.sizes_to_open(collection)
    form = OpenForm(request.POST or None, queries=queries, annotators=annotators)
    if form.is_valid():
        chosen = list(form.cleaned_data["queries"])
        about = {"queries": chosen, "with_unchecked_labels": form.cleaned_data["with_unchecked_labels"]}
        about |= {"collection": collection, "couple": form.couple, "by": request.user}
        if attempt(form, openings.give_queries, **about):
            messages.success(request, f"{plural(len(chosen), 'query is,queries are')} open.")
            return redirect("progress", collection.slug)
    unchecked = set(queries.with_unchecked_labels().values_list("pk", flat=True))
    rows = [
        {"query": query, "size": sizes.get(query.pk, 0), "is_unchecked": query.pk in unchecked}
        for query in queries.select_related("document")
    ]
    facets = (set(each.values_list("facet", flat=True)) for each in (queries, collection.guidelines))
    unguided = sorted(set.difference(*facets))
    context = {"collection": collection, "form": form, "rows": rows, "annotators": annotators, "unguided": unguided}
    context |= {"unchecked": unchecked, "adds": queries.filter(openings__pool_set__isnull=False).exists()}
    return render(request, "annotation/open_queries.html", context)


@require_POST
@in_collection(ADMIN)
def hand_over(request: CollectionRequest, collection: Collection) -> HttpResponse:
    form = HandOverForm(request.POST, collection=collection)
    if not form.is_valid():
        raise BadInput("Choose the query and the person who takes it over.")
    query, taker = form.cleaned_data["query"], form.cleaned_data["taker"]
    number = openings.hand_over(query=query, giver=form.cleaned_data["giver"], taker=taker)
    messages.success(request, f"{taker} now judges the {number} open pairs of {query.name}.")
    return redirect("progress", collection.slug)


@require_POST
@in_collection(ADMIN)
def close(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """Close the ticked queries, or re-open one."""
    queries = collection.queries.filter(
        pk__in=[pk for pk in request.POST.getlist("query") if pk.isdecimal() and len(pk) < 19]
    )
    if "reopen" in request.POST:
        for query in queries:
            openings.reopen_query(query=query)
        messages.success(request, "Judgments can be changed again.")
    else:
        number = openings.close_queries(collection=collection, queries=queries)
        messages.success(request, f"Closed {number} queries. Their judgments no longer change.")
    return redirect("progress", collection.slug)

"""Everybody on this server, for its superusers: requests to be erased, lost second factors, and all that was done."""

from __future__ import annotations

from typing import Any

from allauth.account.models import EmailAddress
from django.contrib import messages
from django.db.models import Count, Q
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from accounts import erasing
from accounts.access import CollectionRequest, for_superusers
from accounts.models import Action, User
from accounts.record import factors_of
from accounts.views import record_table
from web.errors import BadInput
from web.tables import Column, Table


@for_superusers
def everyone(request: CollectionRequest) -> HttpResponse:
    table = Table(
        request,
        User.objects.annotate(collections=Count("memberships", filter=Q(memberships__left_at=None))),
        name="everyone",
        row="accounts/_everyone_row.html",
        columns=[
            Column("username", "Person"),
            Column("email", "E-mail", folded=True),
            Column("collections", "Collections", number=True),
            Column("last_login", "Last log-in", folded=True),
            Column("erasure_asked_at", "Asked to be erased"),
        ],
        search=["username", "name", "email"],
        default="username",
        one="person",
        many="people",
    )
    return table.response("accounts/everyone.html", {})


@for_superusers
def server_person(request: CollectionRequest, pk: int) -> HttpResponse:
    person = get_object_or_404(User, pk=pk)
    context: dict[str, Any] = {
        "person": person,
        "memberships": person.memberships.select_related("collection").order_by("collection__name"),
        "confirmed": EmailAddress.objects.filter(user=person, verified=True),
        "factors": factors_of(person),
    }
    return render(request, "accounts/server_person.html", context)


@require_POST
@for_superusers
def erase(request: CollectionRequest, pk: int) -> HttpResponse:
    person = get_object_or_404(User, pk=pk)
    if request.POST.get("username") != person.username:
        raise BadInput(f"Nobody was erased: type {person.username} to erase them.")
    erased = erasing.erase_person(person=person, by=request.user)
    messages.success(request, f"Erased. What they judged stays, under the name {erased}.")
    return redirect("everyone")


@require_POST
@for_superusers
def remove_factors(request: CollectionRequest, pk: int) -> HttpResponse:
    erasing.remove_factors(person=get_object_or_404(User, pk=pk))
    messages.success(request, "Second factors removed. Their password is enough to log in.")
    return redirect("server-person", pk)


@for_superusers
def server_record(request: CollectionRequest) -> HttpResponse:
    actions = Action.objects.select_related("collection")
    return record_table(request, actions, User.objects.all()).response("accounts/record.html", {})

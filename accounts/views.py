"""One's account, the collections one is in, invitations, and the people of a collection."""

from __future__ import annotations

from allauth.account.models import EmailAddress
from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.decorators import login_not_required
from django.db import transaction
from django.db.models import Q, QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.views.decorators.http import require_POST

from accounts import services
from accounts.access import CollectionRequest, in_collection
from accounts.forms import CollectionForm, InvitationForm, NewAccountForm
from accounts.models import ADMIN, Action, Collection, User, Verb
from web.errors import Forbidden, attempt
from web.tables import Column, Filter, Table


def home(request: CollectionRequest) -> HttpResponse:
    """The collections that the person is in; the only one opens at once, unless the person may make another here."""
    collections = Collection.objects.visible_to(request.user)
    may_create = request.user.may_create_collections
    if len(collections) == 1 and not may_create:
        return redirect("collection", collections[0].slug)
    roles = {each.collection_id: each.roles for each in request.user.memberships.active()}
    context = {"collections": collections, "roles": roles, "may_create": may_create}
    if request.user.is_superuser:
        context["asked"] = User.objects.filter(erasure_asked_at__isnull=False)
    return render(request, "accounts/home.html", context)


def new_collection(request: CollectionRequest) -> HttpResponse:
    if not request.user.may_create_collections:
        raise Forbidden("Collections are made by admins of a collection and by those who manage this server.")
    form = CollectionForm(request.POST or None)
    if form.is_valid():
        collection = attempt(form, services.create_collection, by=request.user, **form.cleaned_data)
        if collection:
            return redirect("collection", collection.slug)
    return render(request, "accounts/new_collection.html", {"form": form})


@login_not_required
def invitation(request: HttpRequest, token: str) -> HttpResponse:
    """Accept as who is logged in, or make an account. The link works once."""
    invited = services.find_invitation(token)
    if request.user.is_authenticated:
        if request.method == "POST":
            services.accept_invitation(token=token, user=request.user)
            return redirect("collection", invited.collection.slug)
        return render(request, "accounts/invitation.html", {"invitation": invited})
    form = NewAccountForm(request.POST or None, initial={"email": invited.email})
    if form.is_valid():
        with transaction.atomic():
            user = form.save()
            services.accept_invitation(token=token, user=user)
        if user.email:  # which counts for nothing until the mail's link is followed
            EmailAddress.objects.add_email(request, user, user.email, confirm=True)
        login(request, user, backend="allauth.account.auth_backends.AuthenticationBackend")
        return redirect("collection", invited.collection.slug)
    return render(request, "accounts/invitation.html", {"invitation": invited, "form": form})


@in_collection(ADMIN)
def people(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """Who is in the collection, who left, who is invited."""
    table = Table(
        request,
        collection.memberships.select_related("user"),
        name="people",
        row="accounts/_person_row.html",
        columns=[
            Column("user__username", "Person"),
            Column("roles", "Roles", sortable=False, value=lambda row: " ".join(row.roles)),
            Column("joined_at", "Joined", folded=True),
            Column("left_at", "Left", folded=True),
        ],
        search=["user__username", "user__name"],
        default="user__username",
        one="person",
        many="people",
    )
    invitations = collection.invitations.filter(accepted_by=None).select_related("invited_by")
    open_invitations = [each for each in invitations if each.is_open]
    context = {"collection": collection, "form": InvitationForm(), "invitations": open_invitations}
    return table.response("accounts/people.html", context)


@require_POST
@in_collection(ADMIN)
def invite(request: CollectionRequest, collection: Collection) -> HttpResponse:
    form = InvitationForm(request.POST)
    base_url = request.build_absolute_uri("/").rstrip("/")
    if form.is_valid():
        values = {"roles": form.roles, "email": form.cleaned_data["email"], "base_url": base_url}
        made = attempt(form, services.invite, collection=collection, by=request.user, **values)
        if made:
            invited, link, is_mailed = made
            context = {"collection": collection, "invitation": invited, "link": link, "is_mailed": is_mailed}
            return render(request, "accounts/invite.html", context)
    return render(request, "accounts/invite.html", {"collection": collection, "form": form}, status=400)


@require_POST
@in_collection(ADMIN)
def withdraw_invitation(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    services.withdraw_invitation(collection=collection, pk=pk)
    messages.success(request, "The invitation is withdrawn. Its link no longer works.")
    return redirect("people", collection.slug)


@require_POST
@in_collection(ADMIN)
def remove_person(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    membership = get_object_or_404(collection.memberships.active(), pk=pk)
    services.remove_member(membership=membership)
    messages.success(request, f"{membership.user} has left {collection}. The judgments stay.")
    return redirect("people", collection.slug)


@in_collection(ADMIN)
def show_record(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """Who did what in the collection."""
    people = User.objects.filter(Q(memberships__collection=collection) | Q(actions__collection=collection)).distinct()
    return record_table(request, collection.actions.all(), people).response(
        "accounts/record.html", {"collection": collection}
    )


def record_table(request: CollectionRequest, actions: QuerySet[Action], people: QuerySet[User]) -> Table:
    did = set(actions.order_by().values_list("verb", flat=True).distinct())

    def of_person(rows: QuerySet[Action], pk: str) -> QuerySet[Action]:
        return rows.filter(Q(actor=pk) | Q(about=pk))

    return Table(
        request,
        actions.select_related("collection", "actor", "about"),
        name="record",
        row="accounts/_action_row.html",
        columns=[
            Column("at", "When"),
            Column("actor__username", "Who"),
            Column("verb", "What", value=str),
            Column("more", "Details", sortable=False, folded=True),
        ],
        search=["object"],
        filters=[
            Filter("person", "Person", [(each.pk, str(each)) for each in people.order_by("username")], of_person),
            Filter("verb", "What", [choice for choice in Verb.choices if choice[0] in did]),
        ],
        default="-at",
        one="action",
        many="actions",
    )

"""The list of a collection's people, the page of each, and what an admin does there."""

from __future__ import annotations

from collections import defaultdict
from datetime import timedelta
from typing import NamedTuple

from django.contrib import messages
from django.db.models import Count
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, person_of, roles_in
from accounts.actions.services import record_people_read
from accounts.codes import account_code, find_person
from accounts.forms import CreatePersonForm, GiveRoleForm
from accounts.invitations.forms import InviteForm
from accounts.models import JUDGES, OWNERS, Collection, Membership, Role, User
from accounts.password_links import PasswordLinkRefused
from accounts.password_links import make_password_link as make_link
from accounts.services import AccountError, add_membership, create_person, username_in
from adjudication.models import Decision
from annotation.models import Level
from annotation.qualifications.standing import standing_qualifications
from dashboard.board.annotators import AnnotatorShare, shares_of
from dashboard.people.owners import end_judging
from dashboard.people.person_page import person_answer, person_here
from dashboard.people.table import PEOPLE, PEOPLE_FILTERS, MemberRow
from dashboard.people.timesheet import TIMESHEET, name_of_week, week_named, worked_weeks
from dashboard.services import remove_role
from web.tables.cells import matching
from web.tables.columns import csv_file, wants_csv
from web.tables.filters import filter_bar
from web.tables.paging import typed
from web.words import a_or_an


class RoleGroup(NamedTuple):
    role: Role
    members: list[MemberRow]

    @property
    def judges(self) -> bool:
        return self.role in JUDGES


def groups_of(collection: Collection) -> list[RoleGroup]:
    """The members by role, in a fixed number of queries."""
    shares = shares_of(collection)
    decisions = dict(
        Decision.objects.filter(pair__query__collection=collection)
        .order_by()
        .values_list("adjudicator")
        .annotate(Count("pair", distinct=True))
    )
    qualified = _qualified(collection)
    members: dict[str, list[MemberRow]] = defaultdict(list)
    for membership in collection.memberships.select_related("user"):
        done, total = 0, None
        if membership.role in JUDGES:
            done, total = shares.get(membership.user_id, AnnotatorShare()).judged
        elif membership.role == Role.ADJUDICATOR:
            done = decisions.get(membership.user_id, 0)
        people = qualified.get(membership.role)
        is_qualified = None if people is None else membership.user_id in people
        members[membership.role].append(MemberRow(membership, done, total, is_qualified))
    return [RoleGroup(role, members[role]) for role in Role]


def _qualified(collection: Collection) -> dict[str, set[int]]:
    """The primary keys of those who have qualified, by each role that needs it."""
    needed = {
        **dict.fromkeys(JUDGES, (Level.JUDGE, collection.qualifying_rho)),
        Role.ADJUDICATOR: (Level.SENIOR, collection.senior_rho),
    }
    return {
        role.value: set(standing_qualifications(collection, level))
        for role, (level, threshold) in needed.items()
        if threshold is not None
    }


@in_collection(*OWNERS, Role.ANNOTATOR, Role.ADJUDICATOR)
@never_cache
@require_safe
def timesheet(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    """The hours of a week: everybody's for an admin, else one's own."""
    monday, viewer = week_named(request.GET.get("week", "")), person_of(request)
    is_admin = Role.ADMIN in roles_in(collection, viewer)
    if is_admin:
        record_people_read(collection=collection, page="hours")
    rows = worked_weeks(collection, monday, None if is_admin else viewer)
    week = name_of_week(monday)
    if wants_csv(request):
        return csv_file(f"{collection.slug}-hours-{week}", TIMESHEET.shown(request), rows)
    after = monday + timedelta(days=7)
    context = {
        "collection": collection,
        "rows": rows,
        "is_admin": is_admin,
        "monday": monday,
        "week": week,
        "before": name_of_week(monday - timedelta(days=7)),
        "after": name_of_week(after) if after <= timezone.localdate() else "",
    }
    return render(request, "dashboard/timesheet.html", context)


@in_collection(*OWNERS)
@never_cache
@require_safe
def people(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    if wants_csv(request):
        members = [member for group in _groups(request, collection) for member in group.members]
        columns = PEOPLE.shown(request, _unshown(request, collection))
        return csv_file(f"{collection.slug}-people", columns, members)
    return people_page(request, collection)


@in_collection(Role.ADMIN)
@require_safe
def person(request: HttpRequest, collection: Collection, user_id: int) -> HttpResponseBase:
    return person_answer(request, collection, person_here(collection, user_id))


@in_collection(*OWNERS)
@require_POST
def add_role(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = GiveRoleForm(request.POST, prefix="give")
    if form.is_valid():
        try:
            person = find_person(asked_by=person_of(request), text=form.cleaned_data["person"])
            membership = add_membership(
                collection=collection, user=person, role=form.cleaned_data["role"]
            )
        except AccountError as error:
            form.add_error("person", str(error))
        else:
            role = membership.get_role_display().lower()
            name = membership.user.shown_name
            messages.success(request, f"{name} is {a_or_an(role)} of this collection now.")
            return _to_person(request, collection, person)
    return people_page(request, collection, give_form=form)


@in_collection(*OWNERS)
@never_cache
@require_POST
def add_person(request: HttpRequest, collection: Collection) -> HttpResponse:
    form = CreatePersonForm(request.POST, prefix="create")
    if not form.is_valid():
        return people_page(request, collection, create_form=form)
    try:
        password = create_person(collection=collection, **form.cleaned_data)
    except AccountError as error:
        form.add_error("username", str(error))
        return people_page(request, collection, create_form=form)
    # Only this response shows the password. Neither the session nor a log contains it.
    username = username_in(collection.slug, form.cleaned_data["username"])
    return people_page(request, collection, created={"username": username, "password": password})


@in_collection(*OWNERS)
@require_POST
def take_role(request: HttpRequest, collection: Collection, membership_id: int) -> HttpResponse:
    membership = _membership(collection, membership_id)
    role = membership.get_role_display().lower()
    try:
        remove_role(membership=membership)
    except AccountError as error:
        messages.error(request, str(error))
        return _to_person(request, collection, membership.user)
    messages.success(
        request,
        f"{membership.user.shown_name} is no longer {a_or_an(role)} here. What they did stays. "
        f"To give the role again, enter {account_code(membership.user)}",
    )
    if not roles_in(collection, person_of(request)) & set(OWNERS):
        return redirect("home")
    if collection.memberships.filter(user=membership.user_id).exists():
        return _to_person(request, collection, membership.user)
    return redirect("people", collection.slug)


def _to_person(request: HttpRequest, collection: Collection, person: User) -> HttpResponse:
    """To the page of the person, or to all people for an owner-annotator."""
    if _is_admin(request, collection):
        return redirect("person", collection.slug, person.pk)
    return redirect("people", collection.slug)


def _is_admin(request: HttpRequest, collection: Collection) -> bool:
    return Role.ADMIN in roles_in(collection, person_of(request))


@in_collection(Role.OWNER_ANNOTATOR)
@require_POST
def end(request: HttpRequest, collection: Collection) -> HttpResponse:
    """Make the owner-annotator an admin, if his or her queries are done."""
    try:
        end_judging(collection=collection, person=person_of(request))
    except AccountError as error:
        messages.error(request, str(error))
    else:
        messages.success(
            request, "You are an admin of this collection now, and no longer judge in it."
        )
    return redirect("collection", collection.slug)


@in_collection(Role.ADMIN)
@never_cache
@require_POST
def make_password_link(
    request: HttpRequest, collection: Collection, membership_id: int
) -> HttpResponseBase:
    person = _membership(collection, membership_id).user
    try:
        path = make_link(collection=collection, asked_by=person_of(request), person=person)
    except PasswordLinkRefused as error:
        messages.error(request, str(error))
        return redirect("person", collection.slug, person.pk)
    # Only this response shows the link, as with the password of a new account.
    return person_answer(request, collection, person, link=request.build_absolute_uri(path))


def _membership(collection: Collection, membership_id: int) -> Membership:
    membership = collection.memberships.select_related("user").filter(pk=membership_id).first()
    if membership is None:
        raise Http404("no such membership here")
    return membership


def _unshown(request: HttpRequest, collection: Collection) -> frozenset[str]:
    """An owner-annotator is not told how far the other judges are."""
    return frozenset() if _is_admin(request, collection) else frozenset({"work"})


def _groups(request: HttpRequest, collection: Collection) -> list[RoleGroup]:
    """The members who match, by role. Of a chosen role, the other roles are left out."""
    chosen = PEOPLE_FILTERS[0].chosen(request.GET)
    words = typed(request.GET, "q")
    return [
        RoleGroup(role, matching(members, words, lambda member: member.text))
        for role, members in groups_of(collection)
        if chosen is None or chosen.value == role
    ]


def people_page(
    request: HttpRequest,
    collection: Collection,
    *,
    give_form: GiveRoleForm | None = None,
    create_form: CreatePersonForm | None = None,
    invite_form: InviteForm | None = None,
    created: dict[str, str] | None = None,
) -> HttpResponse:
    return render(
        request,
        "dashboard/people.html",
        {
            "collection": collection,
            "groups": _groups(request, collection),
            "bar": filter_bar(
                request,
                PEOPLE_FILTERS,
                caption="Find by name",
                button="Find people",
                path=reverse("people", args=[collection.slug]),
                kept=(),
            ),
            "columns": PEOPLE.shown(request, _unshown(request, collection)),
            "give_form": give_form or GiveRoleForm(prefix="give"),
            "create_form": create_form or CreatePersonForm(prefix="create"),
            "invite_form": invite_form or InviteForm(prefix="invite"),
            "invitations": collection.invitations.open(),
            "created": created,
        },
        status=422 if give_form or create_form or invite_form else 200,
    )

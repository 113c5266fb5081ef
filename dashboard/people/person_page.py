"""The page of a person: roles, work, agreement with the co-judges, and what an admin can do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any, NamedTuple

from django.db.models import Count, Exists, F, IntegerField, Max, OuterRef, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render

from accounts.access import person_of, row_or_404
from accounts.actions.services import record_person_read
from accounts.forms import ROLES_EXPLAINED
from accounts.models import Collection, Role, User
from accounts.password_links import DAYS, refusals
from adjudication.models import Decision
from adjudication.queue import due_cases
from annotation.models import Exclusion, SlotCount
from annotation.qualifications.forms import QualificationForm
from annotation.qualifications.standing import level_states
from annotation.team.plans import eligible_annotators
from corpus.models import NAME_ORDER, Query
from dashboard.board.annotators import person_rows, shares_of
from dashboard.board.completion import Completion
from dashboard.board.query_table import unused_columns
from dashboard.board.rows import open_queries_matching, open_rows
from dashboard.people.co_judges import co_judges, grade_shares, grades_panel, together
from dashboard.people.table import PERSON_QUERIES, PersonQueryRow
from web.tables.cells import SHORT_PAGE_ROWS, numbered_page
from web.tables.columns import csv_file, rows_of_file, wants_csv


def person_here(collection: Collection, user_id: int) -> User:
    """A person with a role, slots or decisions in the collection, or a 404."""
    of_person = {"query__collection": collection, "annotator": OuterRef("pk")}
    people = User.objects.filter(
        Exists(collection.memberships.filter(user=OuterRef("pk")))
        | Exists(SlotCount.objects.filter(**of_person))
        | Exists(
            Decision.objects.filter(pair__query__collection=collection, adjudicator=OuterRef("pk"))
        )
    )
    return row_or_404(people.filter(pk=user_id).first())


def person_answer(
    request: HttpRequest, collection: Collection, person: User, **more: Any
) -> HttpResponseBase:
    record_person_read(collection=collection, person=person, page="person")
    if wants_csv(request):
        return _queries_file(request, collection, person)
    return _page(request, collection, person, **more)


def _queries(collection: Collection, person: User) -> QuerySet[Query]:
    """The open queries in which the person has slots; those with the most pairs left first."""
    slots = SlotCount.objects.filter(query=OuterRef("pk"), annotator=person, total__gt=0)
    left = slots.order_by().values("query").annotate(left=Sum(F("total") - F("judged")))
    return (
        open_queries_matching(collection)
        .filter(Exists(slots))
        .annotate(own_left=Subquery(left.values("left"), output_field=IntegerField()))
        .order_by(F("own_left").desc(), NAME_ORDER.column)
    )


def _rows(person: User, queries: Sequence[Query]) -> list[PersonQueryRow]:
    counts = SlotCount.objects.filter(query__in=queries, annotator=person).order_by()
    own = {
        query: Completion(judged, total)
        for query, judged, total in counts.values_list("query").annotate(
            Sum("judged"), Sum("total")
        )
    }
    return [PersonQueryRow(row, own[row.query.pk], person) for row in open_rows(queries)]


def _queries_file(request: HttpRequest, collection: Collection, person: User) -> HttpResponseBase:
    columns = PERSON_QUERIES.shown(request, unused_columns(list(collection.facets.all())))
    rows = rows_of_file(_queries(collection, person), partial(_rows, person))
    return csv_file(f"{collection.slug}-queries-of-{person.username}", columns, rows)


class CasesDecided(NamedTuple):
    """The cases that an adjudicator decided."""

    cases: int
    last: Any


def _page(request: HttpRequest, collection: Collection, person: User, **more: Any) -> HttpResponse:
    memberships = list(collection.memberships.filter(user=person))
    roles = {membership.role for membership in memberships}
    eligible = frozenset(eligible_annotators(collection).values_list("pk", flat=True))
    (work,) = person_rows(collection, [person], shares_of(collection, person), eligible)
    queries = _queries(collection, person)
    page = numbered_page(queries, request, anchor="#queries", size=SHORT_PAGE_ROWS)
    judges = co_judges(collection, person)
    everybody = together(person, judges)
    shares = grade_shares(everybody, collection.grades)
    decisions = Decision.objects.filter(pair__query__collection=collection, adjudicator=person)
    context = {
        "collection": collection,
        "person": person,
        "memberships": memberships,
        "other_roles": [
            (role, text) for role, text in ROLES_EXPLAINED.items() if role not in roles
        ],
        "work": work,
        "judges": numbered_page(
            judges, request, name="co_judges", anchor="#agreement", size=SHORT_PAGE_ROWS
        ),
        "everybody": everybody,
        "shares": shares,
        "panel": grades_panel(person.shown_name, shares) if everybody.pairs else None,
        "page": page,
        "rows": _rows(person, page.rows),
        "columns": PERSON_QUERIES.shown(request, unused_columns(list(collection.facets.all()))),
        "postponed": SlotCount.objects.filter(
            query__collection=collection, annotator=person
        ).aggregate(sum=Coalesce(Sum("postponed"), 0))["sum"],
        "is_adjudicator": Role.ADJUDICATOR in roles,
        "due": due_cases([collection.pk], person).get(collection.pk, 0),
        "decided": CasesDecided(
            **decisions.aggregate(cases=Count("pair", distinct=True), last=Max("created_at"))
        ),
        "exclusions": Exclusion.objects.filter(
            query_paper__collection=collection, annotator=person
        ).select_related("query_paper"),
        "levels": level_states(collection, person),
        "qualification_form": QualificationForm(),
        "no_link": refusals(asked_by=person_of(request), people=[person]).get(person.pk, ""),
        "days": DAYS,
        **more,
    }
    return render(request, "dashboard/person.html", context)

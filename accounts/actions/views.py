"""The page *Record* of a collection, and that of the server."""

from __future__ import annotations

from collections.abc import Iterator

from django.http import (
    Http404,
    HttpRequest,
    HttpResponseBase,
    StreamingHttpResponse,
)
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from accounts.access import in_collection, person_of
from accounts.actions.forms import RecordFilterForm
from accounts.actions.kinds import ActionKind
from accounts.actions.models import RecordedAction, RecordedActionQuerySet
from accounts.actions.reading import (
    actions_for_staff,
    actions_of,
    matching,
    page_of_actions,
    with_people,
)
from accounts.actions.services import record_once_an_hour
from accounts.actions.table import ACTIONS, SERVER_ACTIONS, in_words, json_lines
from accounts.models import Collection, Role
from web.downloads import as_download
from web.tables.columns import Table, csv_file, wants_csv
from web.tables.paging import whole_number
from web.tables.text_blocks import in_blocks

CHUNK = 2_000  # rows of a file that are read together


@in_collection(Role.ADMIN)
@never_cache
@require_safe
def record(request: HttpRequest, collection: Collection) -> HttpResponseBase:
    return _answer(request, actions_of(collection), ACTIONS, collection)


@never_cache
def server_record(request: HttpRequest) -> HttpResponseBase:
    """For staff; to other people the address does not exist, whatever the method."""
    if not person_of(request).is_staff:
        raise Http404
    return _server_page(request)


@require_safe
def _server_page(request: HttpRequest) -> HttpResponseBase:
    return _answer(request, actions_for_staff(person_of(request)), SERVER_ACTIONS)


def _answer(
    request: HttpRequest,
    actions: RecordedActionQuerySet,
    table: Table[RecordedAction],
    collection: Collection | None = None,
) -> HttpResponseBase:
    form = RecordFilterForm(request.GET)
    found = matching(actions, form.choice)
    if wants_csv(request) or request.GET.get("format") == "jsonl":
        return _file(request, found, table, collection)
    before = whole_number(request.GET, "before", digits=18) if request.GET.get("before") else None
    page = page_of_actions(found, before=before)
    context = {
        "collection": collection,
        "form": form,
        "rows": [(action, in_words(action.details)) for action in page.rows],
        "older": page.older,
        "is_first": before is None,
        "is_filtered": any(form.choice),
        "has_addresses": table is SERVER_ACTIONS,
    }
    return render(request, "accounts/record.html", context)


def _file(
    request: HttpRequest,
    actions: RecordedActionQuerySet,
    table: Table[RecordedAction],
    collection: Collection | None,
) -> HttpResponseBase:
    kind = request.GET["format"]
    record_once_an_hour(
        kind=ActionKind.RECORD_EXPORTED, collection=collection, details={"format": kind}
    )
    name = f"{collection.slug if collection else 'server'}-record"
    rows = _in_order(actions)
    if kind == "csv":
        return csv_file(name, table.whole, rows)
    lines = in_blocks(json_lines(table, rows))
    response = StreamingHttpResponse(lines, content_type="application/jsonl; charset=utf-8")
    return as_download(response, f"{name}.jsonl")


def _in_order(actions: RecordedActionQuerySet) -> Iterator[RecordedAction]:
    return with_people(actions).newest_first().iterator(chunk_size=CHUNK)

"""Final grades as files: TREC qrels, and JSON Lines. Sent query by query while they are read."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from itertools import groupby
from operator import attrgetter

from django.contrib import messages
from django.http import HttpRequest, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import redirect

from accounts.actions.kinds import ActionKind
from accounts.actions.services import record_once_an_hour
from accounts.models import Collection
from adjudication.labels import labelled_pairs
from adjudication.standing import LabelledPair
from annotation.models import PairQuerySet
from bundle.formats.records import write_qrels
from bundle.options import DEFAULT_OPTIONS
from bundle.records import Label
from release.gate.context import GateContext
from release.gate.questions import unwritable_names
from web.downloads import as_download

QRELS, JSON_LINES = "qrels", "jsonl"


def _qrels(pairs: Iterable[LabelledPair]) -> bytes:
    """As `trec/qrels.txt` of a release."""
    return write_qrels(
        Label(pair.query, pair.facet, pair.docno, pair.final)
        for pair in pairs
        if pair.final is not None
    )


def _json_lines(pairs: Iterable[LabelledPair]) -> bytes:
    """A line for each label, with how it came about: "agreed" or "adjudicated"."""
    lines = (
        {
            "query": pair.query,
            "facet": pair.facet,
            "docno": pair.docno,
            "grade": pair.final,
            "standing": pair.standing.value,
        }
        for pair in pairs
        if pair.final is not None
    )
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode()


FORMATS: dict[str, tuple[Callable[[Iterable[LabelledPair]], bytes], str, str]] = {
    QRELS: (_qrels, "text/plain", "qrels.txt"),
    JSON_LINES: (_json_lines, "application/jsonl", "grades.jsonl"),
}


def wants_grades(request: HttpRequest) -> bool:
    return request.GET.get("format") in FORMATS


def grades_file(
    request: HttpRequest, collection: Collection, pairs: PairQuerySet, name: str
) -> HttpResponseBase:
    """The final labels of the pairs by query id, then docno. Pairs without one are left out.

    Redirects to the page, with the reason, if an id cannot be in qrels.
    """
    kind = request.GET["format"]
    write, content_type, suffix = FORMATS[kind]
    if kind == QRELS and (name_with_space := _unwritable_name(collection)):
        messages.error(
            request,
            f'The id "{name_with_space}" has white space in it, which qrels cannot hold. '
            "Download JSON Lines instead.",
        )
        return redirect(request.path)
    record_once_an_hour(
        kind=ActionKind.GRADES_DOWNLOADED, collection=collection, details={"format": kind}
    )
    response = StreamingHttpResponse(
        _by_query(collection, pairs, write), content_type=f"{content_type}; charset=utf-8"
    )
    return as_download(response, f"{name}-{suffix}")


def _by_query(
    collection: Collection,
    pairs: PairQuerySet,
    write: Callable[[Iterable[LabelledPair]], bytes],
) -> Iterator[bytes]:
    for _, members in groupby(labelled_pairs(collection, pairs), attrgetter("query")):
        if content := write(members):
            yield content


def _unwritable_name(collection: Collection) -> str:
    # The question of the gate, which an index answers.
    return next(iter(unwritable_names(GateContext(collection, DEFAULT_OPTIONS)).items), "")

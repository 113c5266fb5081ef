"""The page on which pairs are judged, live or in practice, without what is particular to either."""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from accounts.models import Collection
from annotation.aspects import Aspect, sentence_marks
from annotation.forms import CANNOT
from annotation.models import Guideline, HelpRequest, Reason
from annotation.queue import PAIRS_AHEAD, OwnJudgment, Pace, ShownPair, SlotProgress
from corpus.models import Query
from web.tables.cells import numbered_page

# In the field `then` of an answer, which says where to go: the own judgments, or the next pair.
THEN_MINE, THEN_NEXT = "mine", "next"


@dataclass(frozen=True)
class WorkspacePlace:
    """The place of the judge: a query, and the addresses of the page.

    The other addresses of the query begin with `query_url`: `ahead/`, `undo/`, `mine/`, and those
    of its pairs. With `later`, pairs can be put off, and if it `asks`, the admin can be asked.
    `sitting` is the name of the practice set.
    """

    collection: Collection
    query: Query
    guideline: Guideline
    query_url: str
    back_url: str
    back_name: str
    later: bool = False
    asks: bool = False
    sitting: str = ""


def workspace(
    request: HttpRequest,
    place: WorkspacePlace,
    shown: ShownPair,
    *,
    progress: SlotProgress,
    pace: Pace,
    typed: dict[str, str] | None = None,
    aspects: Sequence[Aspect] = (),
    proposes: bool = False,
    news: Sequence[HelpRequest] = (),
) -> HttpResponse:
    """The page of the pair. `typed` is what a refused answer said, `aspects` those to mark.

    If it `proposes` grades, they are steps, and their details can be alike, too. `news` are
    unread answers to help requests.
    """
    grades = place.guideline.grades
    return render(
        request,
        "annotation/workspace.html",
        {
            "collection": place.collection,
            "query": place.query,
            "query_url": place.query_url,
            "back_url": place.back_url,
            "back_name": place.back_name,
            "can_put_off": place.later,
            "can_ask": place.asks,
            "ask_key": uuid.uuid4(),
            "news": news,
            "sitting": place.sitting,
            "guideline": place.guideline,
            "show_guideline": "guideline" in request.GET,
            "query_text": shown.query,
            "shown": shown,
            "typed": typed or {"note": shown.note, "reason": shown.reason},
            "reasons": Reason.offered(),
            "cannot": CANNOT,
            "aspects": aspects,
            "proposes": proposes,
            "query_marks": sentence_marks(aspects),
            "marked": shown.aspects if typed is None else _typed_aspects(request),
            "grade_name": "" if shown.grade is None else grades[shown.grade]["name"],
            "progress": progress,
            "pace": pace,
            "minutes_left": pace.minutes(progress.remaining),
            "then": THEN_MINE if request.GET.get("then") == THEN_MINE else "",
        },
    )


def _typed_aspects(request: HttpRequest) -> list[int]:
    """The boxes that were ticked in a refused answer."""
    return [int(text) for text in request.POST.getlist("aspects") if text.isdigit()]


def wanted_ahead(request: HttpRequest) -> tuple[list[str], int]:
    """The tokens of pairs that the page has already, and how many more it asks for."""
    without = [token for token in request.GET.get("without", "").split(",") if token]
    try:
        count = int(request.GET.get("count", PAIRS_AHEAD))
    except ValueError:
        count = PAIRS_AHEAD
    return without, max(1, min(count, PAIRS_AHEAD))


def own_judgments_page(
    request: HttpRequest,
    *,
    query: Query,
    guideline: Guideline,
    judgments: Sequence[OwnJudgment],
    **places: Any,
) -> HttpResponse:
    """The person's judgments on a query. `places` are the addresses and counts of the template."""
    counts = [
        (grade, sum(judgment.grade == grade["grade"] for judgment in judgments))
        for grade in reversed(guideline.grades)
    ]
    context = {
        "query": query,
        "title": query.query_paper.title,
        "judgments": numbered_page(judgments, request),
        "counts": counts,
    }
    return render(request, "annotation/mine.html", context | places)

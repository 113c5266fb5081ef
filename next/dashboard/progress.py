"""How far the judging is, by person and by query. Counts only: nothing here depends on what an open pair got."""

from __future__ import annotations

from typing import Any

from django.db.models import Avg, Count, Max, Q, Sum

from accounts.models import Collection
from annotation.models import Judgment, PairState, Slot
from annotation.views import USUAL_SECONDS


def by_person(collection: Collection) -> list[dict[str, Any]]:
    """Every annotator, also who left: pairs judged of those given, seconds a pair, hours spent and left."""
    given = {
        row["judge"]: row
        for row in Slot.objects.filter(pair__query__collection=collection)
        .values("judge")
        .annotate(total=Count("pk"), judged=Count("judgment"), queries=Count("pair__query", distinct=True))
    }
    spent = {
        row["judge"]: row
        for row in Judgment.objects.filter(collection=collection)
        .values("judge")
        .annotate(spent=Sum("seconds"), pace=Avg("seconds", filter=Q(seconds__lte=600)), last=Max("created_at"))
    }
    members = collection.memberships.select_related("user").filter(Q(is_annotator=True) | Q(user__in=given))
    rows = []
    for member in members.distinct().order_by("left_at", "user__username"):
        own = given.get(member.user_id, {"total": 0, "judged": 0, "queries": 0})
        time = spent.get(member.user_id, {"spent": None, "pace": None, "last": None})
        left = own["total"] - own["judged"]
        rows.append(
            {
                "member": member,
                "person": str(member.user),
                **{key: own[key] for key in ("total", "judged", "queries")},
                "left": left,
                "pace": time["pace"],
                "spent": time["spent"],
                "seconds_left": left * (time["pace"] or USUAL_SECONDS),
                "last": time["last"],
            }
        )
    return rows


def by_query(collection: Collection) -> list[dict[str, Any]]:
    """Every opened query: its two judges with what each has judged, cases and labels, whether it is closed."""
    rows = (
        Slot.objects.filter(pair__query__collection=collection)
        .values("pair__query", "number", "judge__username", "judge__name", "judge")
        .annotate(total=Count("pk"), judged=Count("judgment"))
        .order_by("number", "judge__username")
    )
    pairs = {
        row["query"]: row
        for row in collection.queries.filter(pairs__isnull=False)
        .values("pairs__query")
        .annotate(
            query=Max("pk"),
            total=Count("pairs"),
            cases=Count("pairs", filter=Q(pairs__state=PairState.CASE)),
            labelled=Count("pairs", filter=Q(pairs__state__in=[PairState.AGREED, PairState.DECIDED])),
            closed=Max("pairs__opening__closed_at"),
        )
    }
    queries = collection.queries.in_bulk(list(pairs))
    judges: dict[int, list[dict[str, Any]]] = {}
    for row in rows:
        name = row["judge__name"] or row["judge__username"]
        judges.setdefault(row["pair__query"], []).append({**row, "name": name})
    return [
        {
            "query": queries[pk],
            "name": queries[pk].name,
            "facet": queries[pk].facet,
            "judges": judges[pk],
            "judged": sum(judge["judged"] for judge in judges[pk]),
            "slots": 2 * counts["total"],
            **{key: counts[key] for key in ("total", "cases", "labelled", "closed")},
            "state": "closed" if counts["closed"] else "open",
        }
        for pk, counts in pairs.items()
    ]

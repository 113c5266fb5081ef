"""How far the judging is, by person and by query. Counts only: nothing here depends on what an open pair got."""

from __future__ import annotations

from datetime import date
from typing import Any

from django.db.models import Avg, CharField, Count, F, Max, Q, QuerySet, Sum, Value
from django.db.models.functions import Cast, Least, Left

from accounts.models import Collection, User
from adjudication.models import Decision
from annotation.models import Judgment, Opening, Pair, PairState, Slot
from annotation.views import USUAL_SECONDS

Rows = list[dict[str, Any]]
# A page counts the seconds in which a pair was on screen and its reader active: after a minute without a key, a
# scroll or a move of the pointer it stops. Of one pair at most ten minutes count.
LONGEST_ACTIVE = 600.0
# As text: Django's functions of dates are Python's on SQLite, called for each row.
DAY = Left(Cast("created_at", CharField()), 10)
ACTIVE_SECONDS = Sum(Least(F("seconds"), Value(LONGEST_ACTIVE)), filter=Q(seconds__isnull=False))


def slot_counts(collection: Collection) -> Rows:
    """Pairs given and judged, for each query, seat and judge: what both tables are made of.

    People also judge pairs that do not count (`counts` False); queries are about those that do.
    """
    slots = Slot.objects.live().filter(pair__query__collection=collection)
    counts = slots.values("pair__query", "number", "judge", counts=F("pair__counts"))
    counts = counts.annotate(total=Count("pk"), judged=Count("judgment"))
    return [{**row} for row in counts.order_by("pair__query", "number", "judge")]


def by_person(collection: Collection, counts: Rows) -> Rows:
    """Every annotator, also who left: pairs judged of those given, seconds a pair, hours spent and left."""
    spent = {
        row["judge"]: row
        for row in Judgment.objects.filter(collection=collection)
        .values("judge")
        .annotate(
            spent=ACTIVE_SECONDS, pace=Avg("seconds", filter=Q(seconds__lte=LONGEST_ACTIVE)), last=Max("created_at")
        )
    }
    given = {row["judge"] for row in counts}
    members = collection.memberships.select_related("user").filter(Q(is_annotator=True) | Q(user__in=given))
    rows = []
    for member in members.order_by("left_at", "user__username"):
        own = [row for row in counts if row["judge"] == member.user_id]
        total, judged = (sum(row[key] for row in own) for key in ("total", "judged"))
        time = spent.get(member.user_id, {"spent": None, "pace": None, "last": None})
        left = total - judged
        seconds_left = left * (time["pace"] or USUAL_SECONDS)
        about = {"total": total, "judged": judged, "left": left, "seconds_left": seconds_left}
        rows.append(time | about | {"member": member, "person": str(member.user)})
    return rows


def by_query(collection: Collection, counts: Rows) -> Rows:
    """Every opened query: its judges with what each has judged, cases and labels, whether it is closed."""
    pairs = {
        row["query"]: row
        for row in Pair.objects.of(collection)
        .values("query")
        .annotate(
            total=Count("pk"),
            cases=Count("pk", filter=Q(state=PairState.CASE)),
            labelled=Count("pk", filter=Q(state__in=[PairState.AGREED, PairState.DECIDED])),
        )
    }
    still_open = set(Opening.objects.filter(practice=None, closed_at=None).values_list("query", flat=True))
    queries = collection.queries.in_bulk(list(pairs))
    people = User.objects.in_bulk({row["judge"] for row in counts})
    judges: dict[int, Rows] = {}
    for row in (each for each in counts if each["counts"]):
        judges.setdefault(row["pair__query"], []).append(row | {"name": str(people[row["judge"]])})
    return [
        {
            "query": queries[pk],
            "name": queries[pk].name,
            "facet": queries[pk].facet,
            "judges": judges[pk],
            "judged": sum(judge["judged"] for judge in judges[pk]),
            "slots": 2 * row["total"],
            **{key: row[key] for key in ("total", "cases", "labelled")},
            "state": "open" if pk in still_open else "closed",
        }
        for pk, row in pairs.items()
    ]


def by_week(collection: Collection) -> Rows:
    """Active seconds of each person in each ISO week (of UTC), with their judgments and decisions; latest first.

    A revision is a judgment, too: it took time. Imported judgments have no time.
    """
    found: dict[tuple[int, int, int], dict[str, Any]] = {}

    def add(rows: QuerySet[Any], person: str, kind: str) -> None:
        days = rows.filter(collection=collection).values(person, day=DAY).order_by()
        for row in days.annotate(number=Count("pk"), active=ACTIVE_SECONDS):
            year, week, _ = date.fromisoformat(row["day"]).isocalendar()
            entry = found.setdefault((year, week, row[person]), {"judgments": 0, "decisions": 0, "seconds": 0.0})
            entry[kind] += row["number"]
            entry["seconds"] += row["active"] or 0.0

    add(Judgment.objects.all(), "judge", "judgments")
    add(Decision.objects.all(), "adjudicator", "decisions")
    people = User.objects.in_bulk({person for _, _, person in found})
    return [
        {
            "week": f"{year}-W{week:02}",
            "monday": date.fromisocalendar(year, week, 1),
            "user": person,
            "person": str(people[person]),
            **found[year, week, person],
        }
        for year, week, person in sorted(found, key=lambda key: (-key[0], -key[1], str(people[key[2]])))
    ]

"""The rows of the leaderboard's page: the lines with scores, and the systems without."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from django.db.models import Count

from accounts.models import Collection
from evaluation.leaderboard.rows import LeaderboardLine
from retrieval.models import Ranking
from scoring.models import SystemKind, SystemRanking
from scoring.services import out_of_date
from scoring.systems.named import KIND_WORDS, NamedSystem, named_systems
from web.tables.csv_cells import csv_text
from web.tables.filters import Filter, FilterChoice, Test

UP_TO_DATE, OUT_OF_DATE, NOT_SCORED = "up to date", "out of date", "not scored"


@dataclass(frozen=True)
class BoardRow:
    """A system, or the repetitions of one; `line` is None if it is not scored.

    `lists` counts those of all its members.
    """

    name: str
    members: Sequence[NamedSystem]
    line: LeaderboardLine | None
    in_pool: bool
    lists: int
    state: str

    @property
    def kinds(self) -> list[str]:
        return list(dict.fromkeys(member.kind for member in self.members))

    @property
    def kind(self) -> str:
        return ", ".join(KIND_WORDS[kind] for kind in self.kinds)

    @property
    def origin(self) -> str:
        return "; ".join(dict.fromkeys(member.origin for member in self.members))

    @property
    def is_group(self) -> bool:
        return bool(self.line and self.line.repetitions)


def board_rows(
    collection: Collection, lines: Iterable[LeaderboardLine], pooled: frozenset[str], source: str
) -> list[BoardRow]:
    """The lines in their order, then the systems and runs that are in none of them, by name."""
    named = {each.name: each for each in named_systems(collection)}
    late = {system.name for system in out_of_date(collection, source)}
    counts = _list_counts(collection)
    rows = []
    for line in lines:
        names = [name for name in line.repetitions or (line.name,) if name in named]
        rows.append(
            BoardRow(
                name=line.name,
                members=[named.pop(name) for name in names],
                line=line,
                in_pool=line.in_pool,
                lists=sum(counts.get(name, 0) for name in names),
                state=UP_TO_DATE if late.isdisjoint(names) else OUT_OF_DATE,
            )
        )
    rows += [
        BoardRow(name, [each], None, name in pooled, counts.get(name, 0), NOT_SCORED)
        for name, each in named.items()
        if each.is_ranking
    ]
    return rows


def _list_counts(collection: Collection) -> dict[str, int]:
    """The number of ranked lists by the name of the system. A run's are for query papers."""
    of_runs = Ranking.objects.filter(run__in=collection.runs.all()).values_list("run__name")
    of_systems = SystemRanking.objects.filter(
        system__in=collection.systems.exclude(kind=SystemKind.RUN)
    ).values_list("system__name")
    return {
        name: number
        for rows in (of_runs, of_systems)
        for name, number in rows.order_by().annotate(number=Count("pk"))
    }


def _is_of_kind(kind: str) -> Test[BoardRow]:
    return lambda row: kind in row.kinds


def _has_state(state: str) -> Test[BoardRow]:
    return lambda row: row.state == state


FILTERS: list[Filter[Test[BoardRow]]] = [
    Filter(
        "kind",
        "Kind",
        [
            FilterChoice(kind, word.capitalize(), _is_of_kind(kind))
            for kind, word in KIND_WORDS.items()
        ],
    ),
    Filter(
        "pool",
        "Pool",
        [
            FilterChoice("in", "In the pool", lambda row: row.in_pool),
            FilterChoice("out", "Not in the pool", lambda row: not row.in_pool),
        ],
    ),
    Filter(
        "state",
        "Scores",
        [
            FilterChoice(state, state.capitalize(), _has_state(state))
            for state in (UP_TO_DATE, OUT_OF_DATE, NOT_SCORED)
        ],
    ),
]


def as_csv(rows: Sequence[BoardRow], measures: Sequence[str]) -> str:
    """The leaderboard as CSV, a row for each system; values as fractions at full precision."""
    extra = [f"{name} {bound}" for name in measures for bound in ("low", "high", "deviation")]
    head = (
        *("rank", "system", "kind", "in_pool", "queries", "left_out", "without_list"),
        *("scope", "re_ranking", "unjudged", "lacking", *measures, "judged@20", *extra),
        *("lists", "made_from", "scores"),
    )
    empty = [None] * (len(head) - 7)
    return csv_text(
        head,
        *(
            (
                *([row.line.rank] if row.line else [None]),
                *(row.name, row.kind, row.in_pool),
                *(_scored_cells(row.line, measures) if row.line else empty),
                *(row.lists, row.origin, row.state),
            )
            for row in rows
        ),
    )


def _scored_cells(line: LeaderboardLine, measures: Sequence[str]) -> list[object]:
    row = line.row
    return [
        *(row.queries, row.left_out, row.without_list),
        *(line.scope, row.is_re_ranking, row.unjudged, row.lacking),
        *(row.measures.get(name) for name in measures),
        line.judged,
        *(bound for name in measures for bound in _bounds(line, name)),
    ]


def _bounds(line: LeaderboardLine, measure: str) -> tuple[float | None, float | None, float | None]:
    low, high = line.row.intervals.get(measure) or (None, None)
    deviations: Mapping[str, float] = line.deviations or {}
    return low, high, deviations.get(measure)

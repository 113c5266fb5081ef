"""The leaderboard: systems with their means, ranked by one measure."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import mean, stdev
from typing import Any, NamedTuple

from accounts.models import Collection
from evaluation.leaderboard.report import percent, scope_sentences
from pooling.models import BuildRun
from scoring.labels import FINAL
from scoring.latex import NEEDS_BOOKTABS, latex_text, table_rows
from scoring.measures.profiles import TREC, Profile
from scoring.measures.scopes import Scope
from scoring.models import Scores
from scoring.score_tables import ALL, MEAN_OVER_FIELDS, MeansRow
from scoring.statistics.ranking import ranks_of
from scoring.systems.named import KIND_WORDS

JUDGED = "Judged@20"


class LeaderboardPlace(NamedTuple):
    """The means that a leaderboard ranks, over a facet ("all" for all queries) and a split.

    `field` and `candidates` are MDCR's: the field of the query papers, and the type of candidates.
    """

    facet: str
    split: str
    field: str = ""
    candidates: str = ALL


@dataclass(frozen=True)
class LeaderboardLine:
    """A system, or the repetitions of one, with the means of the row that is shown.

    `deviations` are the standard deviations over repetitions, which a single system does not have.
    `rank` counts from 1; systems with the same value share it.
    """

    name: str
    kinds: Sequence[str]
    in_pool: bool
    row: MeansRow
    judged: float | None
    repetitions: Sequence[str] = ()
    deviations: Mapping[str, float] | None = None
    rank: int = 0
    scope: Scope = Scope.OPEN

    @property
    def is_mixed_in(self) -> bool:
        """True if its values cannot be compared with those of open lists beside it."""
        return self.scope is Scope.OPEN and self.row.is_re_ranking

    @property
    def kind(self) -> str:
        return ", ".join(dict.fromkeys(KIND_WORDS[kind] for kind in self.kinds))

    @property
    def omissions(self) -> list[str]:
        """The queries and documents that the means do not cover, or count as 0."""
        return omissions_of(self.row, self.scope)


def omissions_of(row: MeansRow, scope: Scope) -> list[str]:
    texts = []
    if row.without_list:
        texts.append(f"{row.without_list} without a list count as 0")
    if row.left_out:
        texts.append(f"{row.left_out} without a relevant document left out")
    return [*texts, *scope_sentences(row, scope)]


class SystemSummary(NamedTuple):
    """The stored summary of a system by one profile."""

    name: str
    kind: str
    repetition_of: str
    rows: Mapping[LeaderboardPlace, MeansRow]


def systems_of(collection: Collection, profile: str, source: str = FINAL) -> list[SystemSummary]:
    """The systems with stored scores by the profile, by name."""
    stored = (
        Scores.objects.filter(system__collection=collection, source=source, profile=profile)
        .order_by("system__name")
        .values_list("system__name", "system__kind", "system__repetition_of", "summary")
    )
    return [
        SystemSummary(name, kind, group, _rows(summary)) for name, kind, group, summary in stored
    ]


def places_of(collection: Collection, profile: str, source: str = FINAL) -> list[LeaderboardPlace]:
    """The places that have stored rows, in their order. All systems have the same."""
    summaries = Scores.objects.filter(
        system__collection=collection, source=source, profile=profile
    ).order_by("-computed_at", "pk")
    return list(_rows(summaries.values_list("summary", flat=True).first() or ()))


def _rows(summary: Iterable[Mapping[str, Any]]) -> dict[LeaderboardPlace, MeansRow]:
    rows = (MeansRow(**values) for values in summary)
    return {LeaderboardPlace(row.facet, row.split, row.field, row.candidates): row for row in rows}


class ScoredBoard(NamedTuple):
    """The stored means of all systems by a profile, read once for any number of places."""

    profile: Profile
    systems: Sequence[SystemSummary]
    pooled: frozenset[str]
    open_lists: Sequence[SystemSummary]

    @classmethod
    def of(cls, collection: Collection, profile: Profile, source: str = FINAL) -> ScoredBoard:
        systems = systems_of(collection, profile.name, source)
        is_open = profile.name == TREC
        return cls(
            profile,
            systems,
            pooled_runs(collection),
            systems if is_open else systems_of(collection, TREC, source),
        )

    def lines(self, place: LeaderboardPlace, measure: str) -> list[LeaderboardLine]:
        """The systems by the mean of the measure, best first; those without a value come last."""
        found = _lines(self.systems, place, self.pooled, _judged(self.open_lists, place))
        lines = [replace(line, scope=self.profile.scope) for line in found]
        return ranked(lines, lambda line: line.row.measures.get(measure))


def leaderboard(
    collection: Collection,
    profile: Profile,
    place: LeaderboardPlace,
    measure: str,
    source: str = FINAL,
) -> list[LeaderboardLine]:
    """`ScoredBoard.lines` of one place."""
    return ScoredBoard.of(collection, profile, source).lines(place, measure)


def usual_place(profile: Profile, facet: str = ALL) -> LeaderboardPlace:
    """The mean over all queries; MDCR's is the mean over fields."""
    return LeaderboardPlace(facet, ALL, MEAN_OVER_FIELDS if profile.by_field else "")


def ranked(
    lines: Iterable[LeaderboardLine], value: Callable[[LeaderboardLine], float | None]
) -> list[LeaderboardLine]:
    """The lines with their ranks, best first. Those without a value share the last rank."""
    valued = [(line, -math.inf if (known := value(line)) is None else known) for line in lines]
    ranks = ranks_of({place: known for place, (_, known) in enumerate(valued)})
    numbered = [replace(line, rank=ranks[place]) for place, (line, _) in enumerate(valued)]
    return sorted(numbered, key=lambda line: (line.rank, line.name))


def _judged(
    open_lists: Iterable[SystemSummary], place: LeaderboardPlace
) -> dict[str, float | None]:
    """The share of judged documents among the first 20 of the open lists, by system."""
    return {
        system.name: row.measures[JUDGED]
        for system in open_lists
        if (row := system.rows.get(LeaderboardPlace(place.facet, place.split)))
    }


def _lines(
    systems: Sequence[SystemSummary],
    place: LeaderboardPlace,
    pooled: frozenset[str],
    judged: Mapping[str, float | None],
) -> Iterator[LeaderboardLine]:
    groups: dict[tuple[bool, str], list[tuple[SystemSummary, MeansRow]]] = defaultdict(list)
    for system in systems:
        if row := system.rows.get(place):
            key = (bool(system.repetition_of), system.repetition_of or system.name)
            groups[key].append((system, row))
    for (is_group, name), members in groups.items():
        rows = [row for _, row in members]
        names = [system.name for system, _ in members]
        yield LeaderboardLine(
            name=name,
            kinds=[system.kind for system, _ in members],
            in_pool=not pooled.isdisjoint(names),
            row=mean_row(rows) if len(rows) > 1 else rows[0],
            judged=_mean(
                [
                    judged.get(name, row.measures.get(JUDGED))
                    for name, row in zip(names, rows, strict=True)
                ]
            ),
            repetitions=names if is_group else (),
            deviations=deviations_of(rows) if len(rows) > 1 else None,
        )


def mean_row(rows: Sequence[MeansRow]) -> MeansRow:
    """The mean of each measure over repetitions; without intervals, which are over queries."""
    first = rows[0]
    measures = {name: _mean([row.measures[name] for row in rows]) for name in first.measures}
    folds: dict[str, Sequence[float | None]] = {
        name: [_mean(values) for values in zip(*(row.folds[name] for row in rows), strict=True)]
        for name in first.folds
    }
    return first._replace(
        without_list=max(row.without_list for row in rows),
        measures=measures,
        intervals=dict.fromkeys(first.intervals),
        folds=folds,
        unjudged=max(row.unjudged for row in rows),
        lacking=max(row.lacking for row in rows),
    )


def deviations_of(rows: Sequence[MeansRow]) -> dict[str, float]:
    """The sample standard deviation of each measure over repetitions."""
    values = {name: [row.measures[name] for row in rows] for name in rows[0].measures}
    return {
        name: stdev(value for value in column if value is not None)
        for name, column in values.items()
        if None not in column
    }


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return mean(known) if known and len(known) == len(values) else None


def pooled_runs(collection: Collection) -> frozenset[str]:
    """The names of the runs that frozen pools were drawn from."""
    runs = BuildRun.objects.filter(
        build__collection=collection,
        build__pools__frozen_at__isnull=False,
        use=BuildRun.Use.DRAWN,
    )
    return frozenset(runs.order_by().values_list("name", flat=True).distinct())


# Files


def as_latex(lines: Sequence[LeaderboardLine], measures: Sequence[str], caption: str) -> str:
    """A table for booktabs, in percent with two decimals; the best value of a column is bold."""
    best = {
        name: max(
            (v for line in lines if (v := line.row.measures.get(name)) is not None), default=None
        )
        for name in measures
    }
    names = {line.name: f"{line.name} (re-ranks the pool)" for line in lines if line.is_mixed_in}
    cells = [
        (names.get(line.name, line.name), [_cell(line, name, best[name]) for name in measures])
        for line in lines
    ]
    return "\n".join(
        [
            NEEDS_BOOKTABS,
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{latex_text(caption)}}}",
            *table_rows(measures, cells),
            r"\end{table}",
            "",
        ]
    )


def _cell(line: LeaderboardLine, measure: str, best: float | None) -> str:
    value = line.row.measures.get(measure)
    if value is None:
        return "--"
    text = percent(value)
    if line.deviations and measure in line.deviations:
        text = rf"{text} $\pm$ {line.deviations[measure] * 100:.2f}"
    return rf"\textbf{{{text}}}" if value == best else text


def facet_name(facet: str, names: Mapping[str, str]) -> str:
    return "All queries" if facet == ALL else names.get(facet, facet)

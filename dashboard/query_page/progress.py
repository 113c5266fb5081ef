"""The state of a query, the next thing to do for it, and the share of each judge."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from accounts.models import Collection, Role, User
from adjudication.models import CaseCount
from annotation.models import Opening, PairCount, SlotCount
from annotation.queue import minutes_of, rough_time
from corpus.models import Query
from dashboard.board.annotators import recent_pace
from dashboard.board.completion import Completion
from pooling.models import Pool
from web.words import count_noun


@dataclass(frozen=True)
class JudgeRow:
    """A person's share of one slot of the query. `seconds` is the pace, or the planned one."""

    number: int
    user: User
    judged: Completion
    seconds: float
    has_seat: bool

    @property
    def time_left(self) -> str:
        return rough_time(minutes_of(self.judged.remaining, self.seconds))


@dataclass(frozen=True)
class QueryStanding:
    """The counts of a query's judging. `pool` is None without a pool."""

    pool: Pool | None
    opening: Opening | None
    pairs: Completion
    cases: Completion
    judges: Sequence[JudgeRow]
    has_adjudicator: bool

    @property
    def labelled(self) -> int:
        """Pairs with a final label, or with the decision that they cannot be judged."""
        return self.pairs.done - self.cases.remaining


class NextAction(NamedTuple):
    """The state of a query in a word, a sentence on it, and the one action with its address.

    `done` marks a state that needs nothing more. `place` is the URL name of the action's page, and
    `parameters` what follows it.
    """

    state: str
    sentence: str
    button: str
    place: str
    parameters: Mapping[str, str] = {}
    done: bool = False


def progress_of(collection: Collection, query: Query, pool: Pool | None) -> QueryStanding:
    opening = (
        Opening.objects.select_related("guideline", "opened_by")
        .defer("guideline__instructions", "guideline__grades")
        .filter(query=query)
        .first()
    )
    pairs = PairCount.objects.filter(query=query).values_list("judged", "total", "disputed").first()
    settled = CaseCount.objects.filter(query=query).values_list("settled", flat=True).first()
    judged, total, disputed = pairs or (0, 0, 0)
    return QueryStanding(
        pool=pool,
        opening=opening,
        pairs=Completion(judged, total),
        cases=Completion(settled or 0, disputed),
        judges=_judges(collection, query, opening) if opening else (),
        has_adjudicator=collection.memberships.filter(
            role=Role.ADJUDICATOR, user__is_active=True
        ).exists(),
    )


def _judges(collection: Collection, query: Query, opening: Opening) -> list[JudgeRow]:
    """Everybody with slots of the query: earlier judges of a seat, too."""
    counts = SlotCount.objects.filter(query=query, total__gt=0).select_related("annotator")
    counts = counts.order_by("number", "annotator__username")
    seats = set(opening.seats.values_list("number", "annotator"))
    pace = recent_pace(collection, [count.annotator for count in counts])
    return [
        JudgeRow(
            count.number,
            count.annotator,
            Completion(count.judged, count.total),
            pace.get(count.annotator_id, collection.seconds_per_judgment),
            (count.number, count.annotator_id) in seats,
        )
        for count in counts
    ]


def next_action(query: Query, progress: QueryStanding) -> NextAction:
    """The state of the query and what to do next. Reads nothing."""
    pool, pairs, cases = progress.pool, progress.pairs, progress.cases
    if progress.opening is None:
        return _before_judging(query, pool)
    about = {"q": query.name}
    waiting = (
        f" {count_noun(cases.remaining, 'case')} to decide."
        if cases.remaining and progress.has_adjudicator
        else ""
    )
    if pairs.remaining:
        judged = any(judge.judged.done for judge in progress.judges)
        sentence = f"{pairs.done:,} of {count_noun(pairs.total, 'pair')} have both judgments."
        return NextAction(
            "judging" if judged else "open", sentence + waiting, "View progress", "board", about
        )
    if cases.remaining and not progress.has_adjudicator:
        sentence = f"{count_noun(cases.remaining, 'case')} to decide, and no adjudicator."
        return NextAction("to decide", sentence, "Add an adjudicator", "people")
    if cases.remaining:
        sentence = f"All {count_noun(pairs.total, 'pair')} have both judgments.{waiting}"
        return NextAction("to decide", sentence, "View progress", "board", about)
    sentence = f"All {count_noun(pairs.total, 'pair')} are judged and decided."
    return NextAction(
        "done", sentence, "Download the grades", "query", {"format": "qrels"}, done=True
    )


def _before_judging(query: Query, pool: Pool | None) -> NextAction:
    if not query.has_text_to_compare:
        facet = query.facet.name.lower()
        sentence = f"The paper has no sentence on {facet}, so the query cannot be opened."
        return NextAction("not open", sentence, "Label the sentences", "document")
    if pool is None:
        sentence = "The query has no candidates to judge yet."
        return NextAction("no pool", sentence, "Plan the pools", "plan-pools")
    if not pool.to_judge:
        sentence = "The pool has no candidate to judge."
        return NextAction("no candidates", sentence, "View runs", "runs")
    size = count_noun(pool.to_judge, "candidate")
    sentence = f"{size} to judge. Judging has not begun."
    if not pool.is_frozen:
        sentence = f"{size} to judge. The pool is a draft, which opening the query freezes."
    state = "frozen" if pool.is_frozen else "draft"
    about = {"state": "not-open", "q": query.name}
    return NextAction(state, sentence, "Open for judging", "board", about)

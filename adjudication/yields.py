"""What every source of the pools turned out to be worth, once its documents are judged."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from accounts.models import Collection
from adjudication.labels import labelled_pairs
from pooling.models import Contribution

RELEVANT = 2  # the lowest grade that counts as relevant, as in CSFCube's evaluation

Pair = tuple[str, str]  # query paper's docno, candidate's docno


class Held(NamedTuple):
    """That a source has a candidate; `found` if it has it no deeper than it had to draw."""

    source: str
    pair: Pair
    drawn: bool
    found: bool


class Yield(NamedTuple):
    """One source's part. Relevant ones count once for every query that they are relevant to.

    `drawn` counts documents in pools, `judged` the pairs of those it drew that have a final
    grade, `relevant` those with a grade of 2 or 3, `alone` the relevant ones that no other source
    found, drawn by it.
    """

    source: str
    drawn: int
    judged: int
    relevant: int
    alone: int

    @property
    def percent(self) -> float | None:
        """Of the judged pairs, how many are relevant; None before anything is judged."""
        return 100 * self.relevant / self.judged if self.judged else None


def yields(held: Iterable[Held], grades: Mapping[Pair, list[int]]) -> list[Yield]:
    """Every source's yield, most relevant first; `grades` are the final ones of all queries."""
    drawn: dict[str, list[Pair]] = defaultdict(list)
    finders: Counter[Pair] = Counter()
    for one in held:
        finders[one.pair] += one.found
        if one.drawn:
            drawn[one.source].append(one.pair)
        else:
            drawn.setdefault(one.source, [])
    made = (_yield(source, pairs, finders, grades) for source, pairs in drawn.items())
    return sorted(made, key=lambda one: (-one.relevant, one.source))


def _yield(
    source: str, pairs: list[Pair], finders: Mapping[Pair, int], grades: Mapping[Pair, list[int]]
) -> Yield:
    relevant = {pair: sum(grade >= RELEVANT for grade in grades.get(pair, ())) for pair in pairs}
    return Yield(
        source=source,
        drawn=len(pairs),
        judged=sum(len(grades.get(pair, ())) for pair in pairs),
        relevant=sum(relevant.values()),
        alone=sum(number for pair, number in relevant.items() if finders[pair] == 1),
    )


def yields_of(collection: Collection) -> list[Yield]:
    """The yields so far, in two queries; empty until a pair has its final grade.

    Pairs that are not judged by both stay out, and so does what one of the two has said of them.
    """
    grades: dict[Pair, list[int]] = defaultdict(list)
    for pair in labelled_pairs(collection):
        if pair.final is not None:
            paper = pair.query.removesuffix(f"_{pair.facet}")
            grades[paper, pair.docno].append(pair.final)
    return yields(_held(collection), grades) if grades else []


def _held(collection: Collection) -> Iterable[Held]:
    rows = Contribution.objects.order_by().filter(
        candidate__pool__query_paper__collection=collection
    )
    depths = dict(
        collection.query_papers.filter(pool__isnull=False).values_list(
            "document__docno", "pool__depth"
        )
    )
    for source, paper, docno, drawn, rank in rows.values_list(
        "source",
        "candidate__pool__query_paper__document__docno",
        "candidate__document__docno",
        "drawn",
        "rank",
    ).iterator():
        found = drawn or rank is None or rank <= (depths[paper].get(source) or 0)
        yield Held(source, (paper, docno), drawn, found)

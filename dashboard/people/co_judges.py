"""A person's grades beside those of each co-judge, on pairs with both judgments only."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Count, F

from accounts.models import Collection, User
from agreement.coefficients import COEFFICIENTS, CrossTable
from agreement.tables import Value, in_words
from annotation.models import Pair, SlotCount
from web.figure_panels import Stack, stacks
from web.figures import Panel
from web.words import count_noun

Cell = tuple[int | None, int | None]  # the person's grade and the co-judge's


@dataclass(frozen=True)
class CoJudge:
    """The pairs that a person and another one both judged, counted by their two grades.

    `user` is the co-judge, or the person for all co-judges together.
    """

    user: User
    cells: Counter[Cell]

    @property
    def table(self) -> CrossTable:
        return CrossTable(self.cells.items())

    @property
    def pairs(self) -> int:
        """Those with both grades."""
        return self.table.pairs

    @property
    def ungraded(self) -> int:
        """Those with both judgments that lack a grade."""
        return self.cells.total() - self.pairs

    @property
    def higher(self) -> int:
        """The pairs that the person graded higher than the co-judge."""
        return sum(number for (own, other), number in self.table.counts.items() if own > other)

    @property
    def lower(self) -> int:
        return sum(number for (own, other), number in self.table.counts.items() if own < other)

    @property
    def values(self) -> list[Value]:
        table = self.table
        results = [(coefficient, coefficient.function(table)) for coefficient in COEFFICIENTS]
        return [
            Value(coefficient, result.value, in_words(result.undefined or ""))
            for coefficient, result in results
        ]


class ComparedGrade(NamedTuple):
    """A grade, and how many pairs got it from the person and from the co-judges."""

    grade: int
    own: int
    others: int


def co_judges(collection: Collection, person: User) -> list[CoJudge]:
    """Each co-judge with a pair that both judged, the one with the most pairs first."""
    cells: dict[int, Counter[Cell]] = defaultdict(Counter)
    for other, own_grade, other_grade, number in _counts(collection, person):
        cells[other][own_grade, other_grade] += number
    users = User.objects.in_bulk(cells.keys())
    found = [CoJudge(users[other], counts) for other, counts in cells.items()]
    return sorted(found, key=lambda judge: (-judge.cells.total(), judge.user.username))


def _counts(
    collection: Collection, person: User
) -> Iterator[tuple[int, int | None, int | None, int]]:
    """Co-judge, the two grades, and the number of pairs: from each of the person's two seats."""
    for own, other in (("1", "2"), ("2", "1")):
        grades = {"1": "first_grade", "2": "second_grade"}
        counts = SlotCount.objects.filter(annotator=person, number=own)
        # Without their queries all pairs are read, and a filter without the annotation joins twice.
        yield from (
            Pair.objects.of(collection)
            .filter(query__in=counts.values("query"))
            .judged()
            .annotate(own_annotator=F(f"slot_{own}__annotator"))
            .filter(own_annotator=person.pk)
            .order_by()
            .values_list(f"slot_{other}__annotator", grades[own], grades[other])
            .annotate(Count("pk"))
        )


def together(person: User, judges: Iterable[CoJudge]) -> CoJudge:
    total: Counter[Cell] = Counter()
    for judge in judges:
        total.update(judge.cells)
    return CoJudge(person, total)


def grade_shares(judge: CoJudge, grades: Sequence[int]) -> list[ComparedGrade]:
    table = judge.table
    return [ComparedGrade(grade, table.by_first[grade], table.by_second[grade]) for grade in grades]


def grades_panel(name: str, shares: Sequence[ComparedGrade]) -> Panel:
    """The grades of the person and of the co-judges for the same pairs."""
    pairs = count_noun(sum(share.own for share in shares), "pair")
    rows = [
        Stack(name, [share.own for share in shares]),
        Stack("co-judges", [share.others for share in shares]),
    ]
    said = "; ".join(
        f"grade {share.grade}: {share.own:,} by {name}, {share.others:,} by co-judges"
        for share in shares
    )
    return stacks(f"Grades of {pairs}", f"Of {pairs}, {said}.", rows)

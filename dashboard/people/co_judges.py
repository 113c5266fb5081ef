"""A person's grades beside those of each co-judge, on pairs with both judgments only."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.db.models import Count, F

from accounts.models import Collection, User
from agreement.annotators import ComparedGrades, GradePair
from agreement.coefficients import COEFFICIENTS
from agreement.tables import Value, in_words
from annotation.models import Pair, SlotCount
from web.figure_panels import Stack, stacks
from web.figures import Panel
from web.words import count_noun


@dataclass(frozen=True)
class CoJudge(ComparedGrades):
    """The pairs that a person and another one both judged; the person's grades are the first.

    `user` is the co-judge, or the person for all co-judges together.
    """

    user: User

    @property
    def values(self) -> list[Value]:
        results = self.results(COEFFICIENTS)
        return [
            Value(each, results[each.key].value, in_words(results[each.key].undefined or ""))
            for each in COEFFICIENTS
        ]


class ComparedGrade(NamedTuple):
    """A grade, and how many pairs got it from the person and from the co-judges."""

    grade: int
    own: int
    others: int


def co_judges(collection: Collection, person: User) -> list[CoJudge]:
    """Each co-judge with a pair that both judged, the one with the most pairs first."""
    cells: dict[int, Counter[GradePair]] = defaultdict(Counter)
    for other, own_grade, other_grade, number in _counts(collection, person):
        cells[other][own_grade, other_grade] += number
    users = User.objects.in_bulk(cells.keys())
    found = [CoJudge(counts, users[other]) for other, counts in cells.items()]
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
    total: Counter[GradePair] = Counter()
    for judge in judges:
        total.update(judge.cells)
    return CoJudge(total, person)


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

"""The report of a round for admins: progress, agreement, and the pairs to talk about."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from statistics import median
from typing import NamedTuple

from accounts.models import User
from agreement.coefficients import (
    ALL_IDENTICAL,
    COEFFICIENTS,
    CONSTANT_RATER,
    NO_PAIRS,
    ONE_PAIR,
    Coefficient,
    Result,
)
from agreement.tables import Value
from annotation.models import Guideline, Reason
from annotation.presentation import ShownText
from corpus.models import title_of
from corpus.scale import Scale
from practice.agreement import GradedPair, GroupAgreement, RoundAgreement, round_agreement
from practice.guideline_changes import TextChange, guideline_changes
from practice.models import PracticeJudgment, PracticeSet
from practice.presentations import presentations_of

ALPHA = next(coefficient for coefficient in COEFFICIENTS if coefficient.key == "alpha")
REASONS = {
    NO_PAIRS: "no pair has two grades",
    ONE_PAIR: "only one pair has two grades",
    CONSTANT_RATER: "one annotator gave every pair the same grade",
    ALL_IDENTICAL: "all grades are the same",
}


class RoundAnswer(NamedTuple):
    """A member's judgment that counts."""

    pair: int
    annotator: int
    grade: int | None
    reason: str
    note: str
    seconds: float | None

    @property
    def reason_text(self) -> str:
        return str(Reason(self.reason).label) if self.reason else ""


class MemberAnswer(NamedTuple):
    """An answer with its person, for a table."""

    person: User
    grade: int | None
    reason: str
    reason_text: str
    note: str


class RoundPair(NamedTuple):
    pk: int
    query: str
    query_title: str
    facet: str
    facet_name: str
    docno: str
    title: str


class MemberLine(NamedTuple):
    """A member's progress. `seconds` is the median of a pair, None if none was timed."""

    person: User
    judged: int
    total: int
    ungraded: int
    seconds: float | None


class GroupLine(NamedTuple):
    """The agreement of all annotators in a group of pairs, for a table."""

    name: str
    pairs: int
    alpha: Value
    means: list[Value]
    couples: int
    notes: list[str]


class CoupleLine(NamedTuple):
    first: User
    second: User
    pairs: int
    values: list[Value]


class DisputedPair(NamedTuple):
    """A pair on which grades differ, with the answer of each member in the order of members."""

    pair: RoundPair
    spread: int
    missing: int
    answers: list[MemberAnswer | None]


@dataclass(frozen=True)
class RoundReport:
    """The judgments of a round that count, read at one moment."""

    practice_set: PracticeSet
    members: Sequence[User]
    pairs: Sequence[RoundPair]
    answers: Mapping[int, Mapping[int, RoundAnswer]]  # by pair, by annotator

    @property
    def judged(self) -> int:
        return sum(map(len, self.answers.values()))

    @property
    def expected(self) -> int:
        return len(self.pairs) * len(self.members)

    @property
    def progress(self) -> list[MemberLine]:
        own: dict[int, list[RoundAnswer]] = defaultdict(list)
        for of_pair in self.answers.values():
            for answer in of_pair.values():
                own[answer.annotator].append(answer)
        return [
            MemberLine(
                person=person,
                judged=len(answers),
                total=len(self.pairs),
                ungraded=sum(answer.grade is None for answer in answers),
                seconds=median(timed) if timed else None,
            )
            for person in self.members
            for answers in [own[person.pk]]
            for timed in [[each.seconds for each in answers if each.seconds is not None]]
        ]

    @cached_property
    def agreement(self) -> RoundAgreement:
        return self._agreement(by_facet=True)

    def _agreement(self, *, by_facet: bool) -> RoundAgreement:
        graded = [
            GradedPair(
                pair.facet,
                {
                    str(answer.annotator): answer.grade
                    for answer in self.answers.get(pair.pk, {}).values()
                    if answer.grade is not None
                },
            )
            for pair in self.pairs
        ]
        people = [str(person.pk) for person in self.members]
        return round_agreement(graded, people, self._scale, by_facet=by_facet)

    @property
    def _scale(self) -> Scale:
        # The practice set keeps its highest grade; no coefficient shown here asks what is relevant.
        return Scale(self.practice_set.highest_grade, 1)

    @property
    def groups(self) -> list[GroupLine]:
        names = {pair.facet: pair.facet_name for pair in self.pairs}
        return [
            _line("All pairs" if group.facet is None else names[group.facet], group)
            for group in self.agreement.groups
        ]

    @property
    def overall(self) -> GroupLine:
        """Without the facets, which take most of the time."""
        return _line("All pairs", self._agreement(by_facet=False).groups[0])

    @property
    def couples(self) -> list[CoupleLine]:
        people = {str(person.pk): person for person in self.members}
        return [
            CoupleLine(
                people[couple.first],
                people[couple.second],
                couple.pairs,
                [_value(coefficient, couple.results) for coefficient in COEFFICIENTS],
            )
            for couple in self.agreement.couples
        ]

    @cached_property
    def disputed(self) -> list[DisputedPair]:
        """Those whose grades differ or that were not graded, the largest spread first."""
        found = [self._disputed(pair) for pair in self.pairs]
        return sorted(
            (pair for pair in found if pair.spread or pair.missing),
            key=lambda each: (-each.spread, -each.missing, each.pair.query, each.pair.docno),
        )

    def _disputed(self, pair: RoundPair) -> DisputedPair:
        of_pair = self.answers.get(pair.pk, {})
        grades = [answer.grade for answer in of_pair.values() if answer.grade is not None]
        return DisputedPair(
            pair=pair,
            spread=max(grades) - min(grades) if grades else 0,
            missing=sum(answer.grade is None for answer in of_pair.values()),
            answers=[_with_person(person, of_pair.get(person.pk)) for person in self.members],
        )


def _with_person(person: User, answer: RoundAnswer | None) -> MemberAnswer | None:
    if answer is None:
        return None
    return MemberAnswer(person, answer.grade, answer.reason, answer.reason_text, answer.note)


def _line(name: str, group: GroupAgreement) -> GroupLine:
    notes = [
        f"{coefficient.name}: undefined for {group.couples - number:,} of {group.couples:,} couples"
        for coefficient in COEFFICIENTS
        for number in [group.defined[coefficient.key]]
        if 0 < number < group.couples
    ]
    return GroupLine(
        name=name,
        pairs=group.pairs,
        alpha=_value(ALPHA, {ALPHA.key: group.alpha}),
        means=[_value(coefficient, group.means) for coefficient in COEFFICIENTS],
        couples=group.couples,
        notes=notes,
    )


def _value(coefficient: Coefficient, results: Mapping[str, Result]) -> Value:
    result = results[coefficient.key]
    reason = result.undefined or ""
    return Value(coefficient, result.value, REASONS.get(reason, reason))


def report_of(practice_set: PracticeSet) -> RoundReport:
    """Three statements, whatever the size of the round."""
    members = [
        member.annotator
        for member in practice_set.members.select_related("annotator").order_by(
            "annotator__username"
        )
    ]
    pairs = practice_set.pairs.order_by("query__name", "document__docno").values_list(
        "pk",
        "query__name",
        title_of("query__query_paper"),
        "query__facet__key",
        "query__facet__name",
        "document__docno",
        "document__title",
    )
    answers: dict[int, dict[int, RoundAnswer]] = defaultdict(dict)
    # The latest comes last. To sort in SQL by sequence is faster than to look for later rows.
    rows = (
        PracticeJudgment.objects.filter(pair__practice_set=practice_set)
        .order_by("sequence")
        .values_list("pair", "annotator", "grade", "reason", "note", "seconds")
    )
    for row in rows:
        answer = RoundAnswer(*row)
        answers[answer.pair][answer.annotator] = answer
    return RoundReport(practice_set, members, [RoundPair(*pair) for pair in pairs], answers)


class GuidelineChanges(NamedTuple):
    """The changes in the guideline of a facet from one round to the next."""

    facet: str
    is_whole: bool
    before: int
    after: int
    changes: list[TextChange]


def changes_between(earlier: PracticeSet, later: PracticeSet) -> list[GuidelineChanges]:
    """Per facet that both rounds have, if the version is another."""
    old, new = (_guidelines(each) for each in (earlier, later))
    return [
        GuidelineChanges(
            facet=new[facet].facet.name,
            is_whole=new[facet].facet.is_whole,
            before=old[facet].version,
            after=new[facet].version,
            changes=guideline_changes(_text(old[facet]), _text(new[facet])),
        )
        for facet in new
        if facet in old and old[facet].version != new[facet].version
    ]


def _guidelines(practice_set: PracticeSet) -> dict[int, Guideline]:
    uses = practice_set.guidelines.select_related("guideline__facet")
    return {use.guideline.facet_id: use.guideline for use in uses}


def _text(guideline: Guideline) -> dict[str, object]:
    return {"instructions": guideline.instructions, "grades": guideline.grades}


class ShownPairText(NamedTuple):
    """A pair to talk about with the texts that its annotators read."""

    disputed: DisputedPair
    query: ShownText
    candidate: ShownText


def shown_pairs(report: RoundReport, disputed: Sequence[DisputedPair]) -> list[ShownPairText]:
    """The texts of these pairs, in two statements."""
    found = presentations_of(report.practice_set, [each.pair.pk for each in disputed])
    return [
        ShownPairText(each, found[each.pair.pk].query, found[each.pair.pk].candidate)
        for each in disputed
    ]

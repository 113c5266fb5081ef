"""The stored report on self-consistency and drift. Only admins are shown it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Max

from accounts.models import Collection
from agreement.consistency.drift import PersonDrift, drift_of
from agreement.consistency.reading import ComparableRepeats, answers_of_people, comparable_repeats
from agreement.consistency.repeated import RepeatedGrade, consistency_of
from agreement.revision import revision_of
from agreement.services import JUDGMENTS
from annotation.models import RepeatJudgment
from corpus.scale import Scale
from jobs.context import JobContext
from reports.kinds import ReportContent, ReportKind
from reports.models import StoredReport
from reports.services import register

REPEATS = "the answers to repeats"


@register
@dataclass(frozen=True)
class ConsistencyReport(ReportKind):
    """Self-consistency and drift of each annotator, by id, and of all together.

    The payload has `overall` and `annotators`, each with `consistency` and `drift`. If pairs of
    earlier pool rounds came among those of later ones, it has `pool_rounds`, too.
    """

    name = "compute_consistency"
    title = "Compute self-consistency and drift"
    page = "consistency"
    version = 2

    def inputs(self, collection: Collection) -> dict[str, Any]:
        return {JUDGMENTS: revision_of(collection), REPEATS: _newest_answer(collection)}

    def content(self, collection: Collection, work: JobContext) -> ReportContent:
        work.progress(0, None, "comparing answers")
        by_round = comparable_repeats(collection)
        comparable = by_round.pop(1)
        people = dict(answers_of_people(collection))
        payload = consistency_payload(collection, comparable, people)
        if by_round:
            payload["pool_rounds"] = drift_between_rounds(collection, by_round)
        return ReportContent(payload)

    def released(self, report: StoredReport) -> Any:
        """Self-consistency of all together, and drift between pool rounds if old pairs came again.

        What is about a person, or advice, is for admins.
        """
        consistency = report.payload["overall"]["consistency"]
        rounds = [row for row in report.payload.get("pool_rounds", ()) if row["all"]["repeats"]]
        if not consistency["repeats"] and not rounds:
            return None
        return {**consistency, **({"pool_rounds": rounds} if rounds else {})}


def _newest_answer(collection: Collection) -> int:
    """Answers are only added, so it grows with each."""
    answers = RepeatJudgment.objects.filter(repeat__query__collection=collection)
    return answers.aggregate(newest=Max("pk"))["newest"] or 0


def consistency_payload(
    collection: Collection, comparable: ComparableRepeats, people: dict[int, PersonDrift]
) -> dict[str, Any]:
    """The report as JSON types."""
    scale = Scale(collection.highest_grade, collection.relevant_from)
    by_person: dict[int, list[RepeatedGrade]] = defaultdict(list)
    for repeat in comparable.repeats:
        by_person[repeat.annotator].append(repeat)

    def part(repeats: list[RepeatedGrade], answers: list[PersonDrift]) -> dict[str, Any]:
        return {
            "consistency": consistency_of(repeats, collection.seed, scale),
            "drift": drift_of(answers),
        }

    return {
        "repeats_left_out": comparable.left_out,
        "overall": part(comparable.repeats, list(people.values())),
        "annotators": [
            {"annotator": pk, **part(by_person[pk], [people[pk]] if pk in people else [])}
            for pk in sorted({*people, *by_person})
        ],
    }


def drift_between_rounds(
    collection: Collection, by_round: Mapping[int, ComparableRepeats]
) -> list[dict[str, Any]]:
    """By pool round: the grades that pairs of earlier rounds got among its pairs, as JSON.

    `all` compares them with the judgments that stood, `same_judges` where the same person gave
    both grades, and `other_judges` where two people did. `direction` is the mean difference.
    """
    scale = Scale(collection.highest_grade, collection.relevant_from)

    def numbers(repeats: list[RepeatedGrade]) -> dict[str, Any]:
        found = consistency_of(repeats, collection.seed, scale)
        del found["distances"]  # of a new judge, it says nothing
        return found

    return [
        {
            "round": pool_round,
            "left_out": comparable.left_out,
            "all": numbers(comparable.repeats),
            "same_judges": numbers([each for each in comparable.repeats if each.is_own]),
            "other_judges": numbers([each for each in comparable.repeats if not each.is_own]),
        }
        for pool_round, comparable in by_round.items()
    ]

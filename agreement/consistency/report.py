"""The stored report on self-consistency and drift. Only admins are shown it."""

from __future__ import annotations

from collections import defaultdict
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

    The payload has `overall` and `annotators`, each with `consistency` and `drift`.
    """

    name = "compute_consistency"
    title = "Compute self-consistency and drift"
    page = "consistency"
    version = 1

    def inputs(self, collection: Collection) -> dict[str, Any]:
        return {JUDGMENTS: revision_of(collection), REPEATS: _newest_answer(collection)}

    def content(self, collection: Collection, work: JobContext) -> ReportContent:
        work.progress(0, None, "comparing answers")
        comparable = comparable_repeats(collection)
        people = dict(answers_of_people(collection))
        return ReportContent(consistency_payload(collection, comparable, people))

    def released(self, report: StoredReport) -> Any:
        """Self-consistency of all together. What is about a person, or advice, is for admins."""
        consistency = report.payload["overall"]["consistency"]
        return consistency if consistency["repeats"] else None


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

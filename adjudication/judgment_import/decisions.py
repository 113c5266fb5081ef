"""Import the decisions of the files, once all judgments are there."""

from __future__ import annotations

from typing import Any

from django.db.models import OuterRef, Subquery

from accounts.models import Role
from accounts.services import imported_username
from adjudication.judgment_import.context import JudgmentImportContext, answer_of
from adjudication.judgment_import.files import Answered
from adjudication.judgment_import.people import ImportedPeople
from adjudication.judgment_import.records import ImportedRecords
from adjudication.models import Decision
from annotation.models import Judgment, Pair
from corpus.models import Query


def import_decisions(
    context: JudgmentImportContext, people: ImportedPeople, records: ImportedRecords
) -> None:
    """Import the decisions query by query.

    Raises:
        JudgmentsRefused: a pair cannot have the decision of the files.
    """
    importer = _DecisionImporter(context, people)
    for query, by_docno in records.decisions_by_query().items():
        pairs = _judged_pairs(query)
        rows = [
            decision
            for docno, record in by_docno.items()
            if (decision := importer.decision(record, pairs.get(docno)))
        ]
        if not context.problems:
            Decision.objects.bulk_create(rows)
            context.report.decisions += len(rows)
    context.stop_at_problems()


def _judged_pairs(query: Query) -> dict[str, Any]:
    """The judged pairs by docno, each with its standing decision and number of decisions."""
    made = Decision.objects.filter(pair=OuterRef("pk")).order_by("-sequence")
    standing = made.filter(
        first=OuterRef("first"),
        second=OuterRef("second"),
        referral_count=OuterRef("referral_count"),
    )
    rows = (
        Pair.objects.filter(query=query)
        .judged()
        .annotate(
            standing=Subquery(standing.values("pk")[:1]),
            last_sequence=Subquery(made.values("sequence")[:1]),
        )
        .select_related("candidate__document")
    )
    return {pair.candidate.document.docno: pair for pair in rows}


class _DecisionImporter:
    def __init__(self, context: JudgmentImportContext, people: ImportedPeople) -> None:
        self.context, self.people, self.report = context, people, context.report

    def decision(self, record: Answered, pair: Any) -> Decision | None:
        """The decision to insert, None if there is nothing to insert."""
        if problem := self._why_not(record, pair):
            self.context.add_problem(record, problem)
            return None
        if _is_agreed(pair):
            self.report.agreed += 1
            return None
        if pair.standing is not None:
            self.report.decisions_unchanged += 1
            return None
        return Decision(
            pair_id=pair.pk,
            sequence=(pair.last_sequence or 0) + 1,
            adjudicator=self.people.account(record.person, Role.ADJUDICATOR),
            first_id=pair.first,
            second_id=pair.second,
            grade=record.grade,
            reason=record.reason,
            note=record.note,
            key=self.context.key(
                *("decision", str(pair.first), str(pair.second), record.person),
                *([str(pair.referral_count)] if pair.referral_count else []),
            ),
            referral_count=pair.referral_count,
            is_imported=True,
        )

    def _why_not(self, record: Answered, pair: Any) -> str | None:
        """The reason why the decision cannot be imported; None if it can be."""
        name = f"{record.query} {record.docno}"
        if pair is None:
            return (
                f"{name} does not have two judgments, so it cannot have a decision. "
                "Import both judgments too, or remove the decision."
            )
        if (record.query, record.docno) in self.context.secret:
            # Even a refused import or a dry run would tell whether the two grades are equal.
            return (
                f"one of the judgments of {name} was made here, and stays secret until the pair "
                "has both. Import the other judgment first, and then the decision."
            )
        if _is_agreed(pair):
            if record.grade == pair.first_grade:
                return None
            return (
                f"both judgments of {name} are {pair.first_grade}, so the decision "
                f"{record.reason or record.grade} cannot be imported. "
                "Where two judges agree, their grade is final. Remove the decision."
            )
        if pair.standing is not None:
            decision = Decision.objects.get(pk=pair.standing)
            if answer_of(record) == (decision.grade, decision.reason):
                return None
            return (
                f"{name} has another decision already. Decisions are never overwritten. "
                "Remove it from the files."
            )
        username = imported_username(self.context.collection.slug, record.person)
        if Judgment.objects.filter(slot__pair=pair, annotator__username=username).exists():
            return f"{record.person} judged {name}, so cannot decide it. Name another adjudicator."
        return None


def _is_agreed(pair: Any) -> bool:
    """Both grades are the same, and no admin sent the pair to the adjudicator all the same."""
    same = pair.first_grade is not None and pair.first_grade == pair.second_grade
    return same and not pair.referral_count

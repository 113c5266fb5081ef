"""The form of the next version of a guideline, begun with the answer to a help request."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from django.http import HttpRequest

from accounts.access import person_of, roles_in, row_or_404
from accounts.models import Collection, Role
from annotation.models import GradeMeaning, Guideline, HelpRequest
from corpus.models import Facet


@dataclass(frozen=True)
class ExampleDraft:
    """The help request that a version is written from, if any, and the grade of its example."""

    request: HelpRequest | None = None
    grade: int | None = None
    shows_pair: bool = False

    def begun(self, current: Guideline | None) -> Guideline | None:
        """The newest version, with the answer after the example of the grade. It is not saved."""
        if self.request is None or self.grade is None or current is None:
            return current
        grades = [
            self._with_answer(grade) if grade["grade"] == self.grade else grade
            for grade in current.grades
        ]
        return Guideline(
            facet=current.facet,
            version=current.version,
            instructions=current.instructions,
            grades=grades,
        )

    def _with_answer(self, grade: GradeMeaning) -> GradeMeaning:
        parts = [grade.get("example", ""), self._titles(), self.request.answer]  # type: ignore[union-attr]
        example = "\n\n".join(part.strip() for part in parts if part.strip())
        return cast(GradeMeaning, {**grade, "example": example})

    def _titles(self) -> str:
        pair = self.request and self.request.pair
        if not pair or not self.shows_pair:
            return ""
        return (
            f"Query: {pair.query.query_paper.title}\n\nCandidate: {pair.candidate.document.title}"
        )


NO_DRAFT = ExampleDraft()


def draft_from(request: HttpRequest, collection: Collection, facet: Facet) -> ExampleDraft:
    """The draft that the address or the form names. Only admins have one: they read requests."""
    sent = request.POST if request.method == "POST" else request.GET
    number, grade = sent.get("help_request", ""), request.GET.get("grade", "")
    if not number:
        return NO_DRAFT
    is_admin = Role.ADMIN in roles_in(collection, person_of(request))
    rows = HelpRequest.objects.of(collection).answered() if is_admin else HelpRequest.objects.none()
    row = (
        rows.filter(facet=facet, pk=int(number))
        .select_related(
            "facet__collection",
            "pair__query__query_paper__document",
            "pair__query__query_paper__topic",
            "pair__candidate__document",
        )
        .first()
        if number.isascii() and number.isdecimal() and len(number) < 19
        else None
    )
    return ExampleDraft(
        request=row_or_404(row),
        grade=int(grade) if grade in {str(each) for each in collection.grades} else None,
        shows_pair=bool(request.GET.get("shows_pair")),
    )

"""The admin's page of a sample: its papers with everyone's screenings, and their agreement."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import get_object_or_404, render
from django.views.decorators.http import require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from agreement.screening_agreement import (
    NOT_ORDERED,
    REASONS,
    ScreeningAgreement,
    ScreeningQuestion,
    agreement_on,
)
from agreement.tables import signed_number
from curation.models import Screening
from curation.samples.report import sample_report
from curation.samples.table import (
    PAPERS,
    PaperRow,
    paper_filters,
    paper_lines,
    paper_rows,
    screened_by,
)
from curation.screening.services import facets_to_screen
from web.tables.cells import matching, numbered_page
from web.tables.columns import csv_file, wants_csv
from web.tables.filters import filter_bar, filter_rows
from web.tables.paging import typed

UNDEFINED = "undefined"
Line = tuple[ScreeningAgreement, list[tuple[str, str]]]


@in_collection(Role.ADMIN)
@require_safe
def sample(request: HttpRequest, collection: Collection, sample: str) -> HttpResponseBase:
    row = get_object_or_404(collection.samples.select_related("collection"), name=sample)
    rows = paper_rows(row, person_of(request))
    has_facets = bool(facets_to_screen(collection))
    filters = paper_filters(has_facets=has_facets)
    found = matching(
        filter_rows(rows, filters, request.GET),
        typed(request.GET, "q"),
        lambda paper: paper.text,
    )
    lines = _agreement_lines(collection, rows)
    columns = PAPERS.shown(request, () if has_facets else ("facets",))
    if wants_csv(request):
        return csv_file(f"{collection.slug}-{row.name}", columns, paper_lines(found))
    return render(
        request,
        "agreement/sample.html",
        {
            "sample": row,
            "report": sample_report(row.counts, row.strata, row.per_stratum),
            "screened_by": screened_by(rows),
            "hidden": sum(paper.hidden for paper in rows),
            "is_screened": any(paper.screenings or paper.hidden for paper in rows),
            "agreement": lines,
            "undefined": _reasons(lines),
            "total": len(rows),
            "page": numbered_page(found, request, anchor="#papers"),
            "columns": columns,
            "bar": filter_bar(
                request,
                filters,
                caption="Find by title or docno",
                button="Find papers",
                anchor="#papers",
            ),
        },
    )


def _agreement_lines(collection: Collection, rows: Sequence[PaperRow]) -> list[Line]:
    """The agreement on each question, with its values as text and their reasons."""
    questions = [
        _question("Rating", rows, lambda each: each.rating, is_ordered=True),
        _question("Paper type", rows, lambda each: each.paper_type.position),
        *(
            _question(facet.name, rows, lambda each, key=facet.key: int(key in each.facets))  # type: ignore[misc]
            for facet in facets_to_screen(collection)
        ),
    ]
    return [(line, _shown(line)) for line in map(agreement_on, questions)]


def _question(
    name: str,
    rows: Sequence[PaperRow],
    answer: Callable[[Screening], int],
    *,
    is_ordered: bool = False,
) -> ScreeningQuestion:
    papers = [{str(each.screener_id): answer(each) for each in row.screenings} for row in rows]
    return ScreeningQuestion(name, is_ordered, papers)


def _shown(line: ScreeningAgreement) -> list[tuple[str, str]]:
    """Each value as text, and its full precision or the reason why it is undefined."""
    return [
        ("–", NOT_ORDERED)
        if result.undefined == NOT_ORDERED
        else (UNDEFINED, REASONS[result.undefined or ""])
        if result.value is None
        else (signed_number(result.value, decimals), repr(result.value))
        for result, decimals in line.values
    ]


def _reasons(lines: Sequence[Line]) -> list[tuple[str, str]]:
    """Each reason of an undefined value, with the questions that it concerns."""
    questions: dict[str, list[str]] = {}
    for line, values in lines:
        for reason in dict.fromkeys(exact for text, exact in values if text == UNDEFINED):
            questions.setdefault(reason, []).append(line.name)
    return [(", ".join(names), reason) for reason, names in questions.items()]

"""The stored report on agreement with and without proposed grades. Only admins are shown it."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

from accounts.models import Collection
from agreement.alignment.figures import compared
from agreement.alignment.reading import answers_by_query, counted, drawn_queries
from agreement.revision import revision_of
from agreement.services import JUDGMENTS
from annotation.models import Opening
from annotation.proposals.rule import FACET
from jobs.context import JobContext
from reports.kinds import ReportContent, ReportKind
from reports.models import StoredReport
from reports.services import register

QUERIES = "the queries that were opened"


@register
@dataclass(frozen=True)
class AlignmentReport(ReportKind):
    """The payload has `measures` of both groups, the `proposals` counted, and the `queries`."""

    name = "compute_alignment"
    title = "Compare agreement with and without proposed grades"
    page = "alignment"
    version = 1

    def inputs(self, collection: Collection) -> dict[str, Any]:
        return {JUDGMENTS: revision_of(collection), QUERIES: studied(collection)}

    def content(self, collection: Collection, work: JobContext) -> ReportContent:
        work.progress(0, None, "comparing judgments")
        answers = answers_by_query(collection)
        queries = drawn_queries(collection, answers)
        judged = [query for query in queries if query.pairs]
        return ReportContent(
            {
                "facet": FACET,
                "seed": collection.seed,
                "measures": compared(judged, collection.seed),
                "proposals": counted(each for rows in answers.values() for each in rows),
                "queries": [asdict(query) for query in queries],
            }
        )

    def released(self, report: StoredReport) -> Any:
        """All of it, or None in a collection that never proposed a grade."""
        payload = report.payload
        return payload if payload["queries"] or payload["proposals"]["proposals"] else None


def studied(collection: Collection) -> int:
    """The queries that drew a lot or propose grades."""
    openings = Opening.objects.of(collection)
    return (
        openings.filter(proposal_steps__isnull=False)
        | openings.filter(proposal_block__isnull=False)
    ).count()

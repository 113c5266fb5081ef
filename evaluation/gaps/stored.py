"""The gaps of systems from the stored report of all systems, at the usual depth."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from django.utils.datastructures import MultiValueDict

from accounts.models import Collection
from evaluation.gaps.cost import GapCosts
from evaluation.gaps.measures import DEPTH
from evaluation.gaps.own_gap import OwnGap
from evaluation.gaps.services import GapsReport
from evaluation.gaps.tables import GapLine
from reports.models import StoredReport
from reports.services import changed_since, reports_of
from scoring.score_tables import ALL


def stored_gaps(collection: Collection) -> StoredReport | None:
    """The report without its payload."""
    rows = reports_of(GapsReport, collection).filter(key=GapsReport().key)
    return rows.defer("payload").first()


def stored_line(report: StoredReport, system: str, facet: str, measure: str) -> GapLine | None:
    """A system's line; None if the report does not have the system, the queries or the measure."""
    row: Mapping[str, Any] = report.summary["systems"].get(system, {})
    if measure not in row.get("scores", {}).get(facet, {}):
        return None
    return GapLine.of(row, facet, measure)


def current_gaps(collection: Collection) -> dict[str, OwnGap]:
    """The gap of each system; empty while the report is missing or out of date."""
    report = stored_gaps(collection)
    if report is None or changed_since(report):
        return {}
    costs = GapCosts.of(collection, MultiValueDict())
    return {
        name: OwnGap(
            DEPTH,
            row["listed"],
            row["unjudged"],
            costs.of_pairs(row["unjudged"]).total_hours,
            {
                measure: (score["low"], score["high"])
                for measure, score in row["scores"][ALL].items()
            },
        )
        for name, row in report.summary["systems"].items()
    }

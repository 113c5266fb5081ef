"""Print which grades cited papers have, and how systems rank under citations as labels."""

from __future__ import annotations

from evaluation.label_effects.command import ComparisonCommand
from evaluation.label_effects.services import CitedPapersReport
from evaluation.label_effects.tables import Payload
from evaluation.label_effects.text import ranking_lines


class Command(ComparisonCommand):
    help = (
        "Print how cited papers are graded, by facet. Compares the ranking of systems under "
        "citations as labels with that under the final labels."
    )

    kind = CitedPapersReport

    def lines(self, payload: Payload) -> list[str]:
        if not payload["facets"]:
            return ["No labelled candidate is cited by its query paper.", *ranking_lines(payload)]
        grades = range(len(payload["facets"][0]["cited"]))
        head = "".join(f"{f'grade {grade}':>10}" for grade in grades)
        lines = [f"{'cited papers':<20}{'pairs':>8}{head}{'0 or 1':>10}"]
        for row in payload["facets"]:
            shares = "".join(f"{share:>10.1%}" for share in row["shares"])
            name = row["facet"] or "all queries"
            lines.append(f"{name:<20}{sum(row['cited']):>8}{shares}{row['low_share']:>10.1%}")
        return [*lines, "", *ranking_lines(payload)]

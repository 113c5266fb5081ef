"""The parts of a report on a shadow judge: findings and figures. Nothing here computes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from evaluation.label_effects.figures import means_figures, ranking_finding
from evaluation.label_effects.rankings import FINAL, MODEL, NAMES
from evaluation.shadow_judges.asking.answers import PROBLEM_WORDS
from evaluation.shadow_judges.figures import agreement_figures, agreement_finding
from evaluation.shadow_judges.worth.figures import (
    consistency_figures,
    decision_figures,
    worth_figures,
)
from evaluation.shadow_judges.worth.finding import (
    consistency_finding,
    decisions_finding,
    difference_finding,
    grades_finding,
    parts_finding,
    preference_finding,
)
from web.figures import Figure


class ReportPart(NamedTuple):
    """A section of the page; `key` is its anchor."""

    key: str
    title: str
    findings: Sequence[str]
    figures: Sequence[Figure]


def report_parts(
    payload: Mapping[str, Any], facets: Mapping[str, str], family: str
) -> list[ReportPart]:
    """The parts of which something is known. `family` is the one that the admin named, or ""."""
    agreement, worth = payload["agreement"], payload["worth"]
    drawn = {figure.name: [figure] for figure in worth_figures(worth, facets, family)}
    consistency = consistency_finding(payload["self_consistency"], PROBLEM_WORDS)
    decided = decisions_finding(payload["decisions"], NAMES)
    means = means_figures(
        payload, (FINAL, MODEL), name="model-means", of="the final labels and the model"
    )
    found = [
        ReportPart(
            "agreement",
            "Agreement with people",
            [agreement_finding(agreement), *difference_finding(worth)],
            agreement_figures(agreement),
        ),
        ReportPart(
            "parts",
            "Agreement on parts of the pairs",
            parts_finding(worth),
            drawn.get("model-parts", []),
        ),
        ReportPart(
            "grades", "Grade by grade", grades_finding(worth), drawn.get("model-recall", [])
        ),
        ReportPart(
            "preference",
            "Preference for a family of retrievers",
            preference_finding(worth, family),
            drawn.get("model-preference", []),
        ),
        ReportPart(
            "self-consistency",
            "Self-consistency",
            consistency,
            consistency_figures(payload["self_consistency"], consistency),
        ),
        ReportPart(
            "rankings",
            "Rankings of systems",
            [*decided, ranking_finding(payload)],
            [*decision_figures(payload, NAMES, decided), *means],
        ),
    ]
    return [part for part in found if part.findings]

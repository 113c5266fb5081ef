"""Print how the ranking of systems depends on whose labels are used."""

from __future__ import annotations

from collections.abc import Iterator

from evaluation.label_effects.command import ComparisonCommand
from evaluation.label_effects.services import LabelEffectsReport
from evaluation.label_effects.tables import Payload
from evaluation.label_effects.text import ranking_lines


class Command(ComparisonCommand):
    help = (
        "Compare the rankings of systems under different labels: the final labels, each annotator, "
        "and the lower and the higher of both judgments."
    )

    kind = LabelEffectsReport

    def lines(self, payload: Payload) -> Iterator[str]:
        return ranking_lines(payload)

"""Request everything that judges can get, and name what they must not get."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evaluation.label_effects.tables import Payload
from release.proofs.blindness.hidden_text import KINDS
from release.proofs.blindness.report import BlindnessCheck
from reports.commands import ReportCommand
from web.words import count_noun


class Command(ReportCommand):
    help = (
        "Check that judges get nothing they must not know. Every page and API answer is requested "
        "as each annotator, owner-annotator and adjudicator, and nothing is written."
    )
    stage = "Release"

    def report(self, **options: Any) -> BlindnessCheck:
        return BlindnessCheck()

    def lines(self, payload: Payload) -> Iterator[str]:
        """The counts, then each finding."""
        people, compared = payload["people"], payload["compared"]
        yield (
            f"people: {count_noun(people['annotators'], 'annotator')}, "
            f"{count_noun(people['adjudicators'], 'adjudicator')}, "
            f"{count_noun(people['owner_annotators'], 'owner-annotator')}"
        )
        yield (
            f"answers: {payload['answers']:,} from {count_noun(payload['routes'], 'route')}, "
            f"{payload['refused']:,} of them refusals"
        )
        for kind, words in KINDS.items():
            left = payload["unsearchable"][kind]
            yield f"searched for {words}: {payload['searched'][kind]:,}, not searchable: {left:,}"
        yield (
            f"compared: {count_noun(compared['answers'], 'answer')} about "
            f"{count_noun(compared['pairs'], 'pair')}; judgments that could not change: "
            f"{compared['judgment_kept']:,}"
        )
        for address in payload["failed"]:
            yield f"failed: {address}"
        for finding in payload["findings"]:
            yield "{person} {address}: {kind}: {what!r} in {excerpt!r}".format(**finding)
        if left := payload["findings_number"] - len(payload["findings"]):
            yield f"… and {left:,} more"
        if not payload["findings_number"]:
            yield "Nothing was found."

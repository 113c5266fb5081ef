"""Derive what was on screen for every judgment again, and name the judgments that differ."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from evaluation.label_effects.tables import Payload
from release.proofs.display import COUNTS, DisplayProof
from reports.commands import ReportCommand
from web.text_tables import aligned


class Command(ReportCommand):
    help = (
        "Check that every judgment is about the text that its pair shows now. The digest of what "
        "was on screen is derived from the stored texts again."
    )
    stage = "Release"

    def report(self, **options: Any) -> DisplayProof:
        return DisplayProof()

    def lines(self, payload: Payload) -> Iterator[str]:
        """The counts by facet, then the judgments that differ."""
        heads = ("facet", *(name.replace("_", " ") for name in COUNTS))
        rows = [(row["facet"] or "all queries", row) for row in payload["facets"]]
        cells = [(name, *(f"{row[count]:,}" for count in COUNTS)) for name, row in rows]
        yield from aligned([heads, *cells], ("facet",))
        differences = payload["differences"]
        for query, _, docno, slot, at, is_earlier in differences:
            earlier = ", superseded" if is_earlier else ""
            yield f"differs: {query} {docno}, slot {slot}, {at}{earlier}"
        left = payload["different"] + payload["earlier_different"] - len(differences)
        if left:
            yield f"… and {left:,} more"
        if not differences:
            yield "Every judgment has the digest of what its pair shows now."

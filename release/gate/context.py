"""The collection and the options that all questions of one gate are about."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from accounts.models import Collection
from bundle.options import LabelSource, ReleaseOptions
from release.gate.pair_counts import PairCounts, citation_label_count, pair_counts
from release.gate.stored_reports import OldReport, old_reports


@dataclass(frozen=True)
class GateContext:
    """A collection and the options of its release, within one consistent read.

    With `compares_every_text` the texts of all judged pairs are compared, and not only those with
    the mark of a change. A release does that; it would take a page too long.
    """

    collection: Collection
    options: ReleaseOptions
    compares_every_text: bool = False

    @cached_property
    def labels(self) -> int:
        """The labels that a release would have."""
        if self.options.labels is LabelSource.CITATIONS:
            return citation_label_count(self.collection)
        return self.pair_counts.labels

    @cached_property
    def pair_counts(self) -> PairCounts:
        return pair_counts(self.collection)

    @cached_property
    def old_reports(self) -> list[OldReport]:
        return old_reports(self.collection)

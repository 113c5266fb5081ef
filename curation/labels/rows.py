"""The rows of the page about labels."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from accounts.models import Collection
from corpus.models import Facet
from curation.labels.counts import LabelCounts
from curation.labels.labellers import BUILT_IN_LABELS, built_in_labeller, facet_gets_nothing


class CountRow(NamedTuple):
    """Documents whose labels come from one kind of source."""

    source: str  # as in the filter of the documents
    name: str
    meaning: str
    documents: int


class LabellerRow(NamedTuple):
    """A labeller of the table. `micro_f1` is from 0 to 1; `documents` have labels of any version.

    A name and its version are separated by the last space in label records.
    """

    name: str
    version: str
    is_built_in: bool
    labels: Sequence[str]
    trained_on: str
    scored_on: str
    micro_f1: float | None
    documents: int
    checked: int


class FacetLabels(NamedTuple):
    """A facet, and which of its labels the built-in labeller predicts."""

    facet: Facet
    predicted: Sequence[str]
    is_left_out: bool


def count_rows(counts: LabelCounts) -> list[CountRow]:
    return [
        CountRow(
            "none", "No labels", "nothing is bold, and no query can be created", counts.unlabelled
        ),
        CountRow("imported", "Imported", "as in the imported file", counts.imported),
        CountRow("predicted", "Predicted", "by a labeller, not checked", counts.predicted),
        CountRow("checked", "Checked", "by a person", counts.checked),
    ]


def labeller_rows(collection: Collection, counts: LabelCounts) -> list[LabellerRow]:
    """The built-in labeller, then the collection's own by name."""
    header = built_in_labeller().header
    built_in = {**header.training, "version": header.version, "trained_on": header.trained_on}
    own = collection.labellers.values_list("name", "labels", "training")
    return [
        _labeller_row(header.name, header.labels, built_in, counts, is_built_in=True),
        *(_labeller_row(*values, counts, is_built_in=False) for values in own),
    ]


def _labeller_row(
    name: str,
    labels: Sequence[str],
    training: Mapping[str, Any],
    counts: LabelCounts,
    *,
    is_built_in: bool,
) -> LabellerRow:
    own_counts = [row for row in counts.labellers if row.labeller.rpartition(" ")[0] == name]
    return LabellerRow(
        name=name,
        version=str(training.get("version", "")),
        is_built_in=is_built_in,
        labels=labels,
        trained_on=training.get("trained_on", ""),
        scored_on=training.get("scored_on", ""),
        micro_f1=training.get("scores", {}).get("micro_f1"),
        documents=sum(row.documents for row in own_counts),
        checked=sum(row.checked for row in own_counts),
    )


def facet_rows(collection: Collection) -> list[FacetLabels]:
    return [
        FacetLabels(
            facet,
            [label for label in facet.labels if label in BUILT_IN_LABELS],
            facet_gets_nothing(facet, BUILT_IN_LABELS),
        )
        for facet in collection.facets.all()
        if not facet.is_whole
    ]

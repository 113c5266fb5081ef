"""The judged samples of a collection's citation labels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping

from accounts.models import Collection
from bundle.label_errors.records import CHANGED, UNJUDGED, JudgedSample, JudgedSamples
from jobs.context import DirectRun
from release.label_samples.population import labelled_candidates
from release.label_samples.reading import LabelReport, label_report


def judged_samples(collection: Collection) -> JudgedSamples:
    """The samples whose pairs all have final labels, and whose strata are those of the labels now.

    References that were imported later, and later pool rounds, change labels and strata.
    """
    samples: dict[str, JudgedSample] = {}
    left_out: dict[str, str] = {}
    labels: dict[str, Mapping[tuple[str, str], tuple[str, str, int]]] = {}
    for row in collection.label_samples.select_related("collection", "origin"):
        report = label_report(row)
        if not report.complete:
            left_out[report.name] = UNJUDGED
            continue
        if row.facet not in labels:
            facet = collection.facets.get(key=row.facet)
            labels[row.facet] = {
                candidate[:2]: candidate[2:]
                for candidate in labelled_candidates(facet, DirectRun())
            }
        if is_current(report, labels[row.facet]):
            samples[report.name] = report.released
        else:
            left_out[report.name] = CHANGED
    ordered = tuple(samples[name] for name in sorted(samples))
    return JudgedSamples(ordered, dict(sorted(left_out.items())))


def is_current(report: LabelReport, labels: Mapping[tuple[str, str], tuple[str, str, int]]) -> bool:
    """Return whether the strata and the sampled pairs' places in them are those of the labels.

    `labels` have field, type and label of each pair by its query and docno.
    """
    populations = Counter(labels.values())
    return populations == {stratum[:3]: stratum.population for stratum in report.strata} and all(
        labels.get(pair[:2]) == pair[2:5] for pair in report.judged
    )

"""Sentences about judged samples of citation labels. Pure."""

from __future__ import annotations

from bundle.label_errors.rates import FALSE_NEGATIVE, FALSE_POSITIVE
from bundle.label_errors.records import JudgedSample
from web.words import count_noun

SHARES = {FALSE_POSITIVE: (1, "not relevant"), FALSE_NEGATIVE: (0, "relevant")}


def sample_sentence(sample: JudgedSample) -> str:
    """A release's sentence about a judged sample of its citation labels."""
    shares = [
        f"{percent(rate.estimate)} of those with the label {label} are {wrong}"
        for rate in sample.overall
        if rate.measure in SHARES and rate.estimate is not None
        for label, wrong in [SHARES[rate.measure]]
    ]
    facet = f" of the facet {sample.facet}" if sample.facet else ""
    return (
        f"People judged a random sample of {count_noun(len(sample.judged), 'pair')}{facet}, in "
        f"label_errors/{sample.name}.pairs.csv. Estimated: {'; '.join(shares) or 'nothing'}."
    )


def percent(share: float) -> str:
    return f"{100 * share:.1f} %"

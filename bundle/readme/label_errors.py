"""The README's section on the errors of citation labels. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from bundle.datasheet.label_errors import percent
from bundle.label_errors.rates import (
    FALSE_NEGATIVE,
    FALSE_POSITIVE,
    PRECISION,
    RECALL,
    WRONG,
    Rate,
)
from bundle.label_errors.records import JudgedSample, JudgedSamples
from bundle.readme.tables import markdown_table
from web.words import count_noun

NAMES = {
    FALSE_POSITIVE: "label 1, and not relevant",
    FALSE_NEGATIVE: "label 0, and relevant",
    WRONG: "wrong labels of both kinds",
    PRECISION: "precision of the labels",
    RECALL: "recall of the labels",
}
ABOUT = """
People judged a random sample of the labels: two blind judges for each pair, and an adjudicator
where they differed. The sample is stratified by the field of the query paper and the type of the
candidate. Estimates are weighted by the inclusion probabilities, and intervals are of 95 %. They
say how far the **labels in the pools** are right, and nothing about documents outside of these. The
labels of this release stay citations: no label was changed by a judgment.
"""
LEFT_OUT = "The sample `{name}` is not in this release: {reason}."


def label_errors_section(judged: JudgedSamples) -> Iterator[str]:
    if not judged.samples and not judged.left_out:
        return
    yield "## Errors of the labels"
    if judged.samples:
        yield ABOUT
    for sample in judged.samples:
        yield from _sample(sample)
    for name, reason in judged.left_out.items():
        yield LEFT_OUT.format(name=name, reason=reason)
        yield ""


def _sample(sample: JudgedSample) -> Iterator[str]:
    facet = f" of the facet {sample.facet}" if sample.facet else ""
    population = sum(stratum.population for stratum in sample.strata)
    yield (
        f"`{sample.name}`: {count_noun(len(sample.judged), 'pair')} of {population:,}{facet}. "
        f"Grades from {sample.relevant_from} to {sample.highest_grade} are relevant. Pairs that "
        f"were set aside without a grade: {sample.without_grade}. Judges who could see "
        f"the citation labels: {sample.informed_judges}."
    )
    yield ""
    rows = [[NAMES[rate.measure], str(rate.graded), *_cells(rate)] for rate in sample.overall]
    yield from markdown_table(["share", "pairs with a grade", "estimate", "95 % interval"], rows)


def _cells(rate: Rate) -> list[str]:
    if rate.estimate is None or rate.low is None or rate.high is None:
        return ["undefined", rate.undefined]
    return [percent(rate.estimate), f"{percent(rate.low)} to {percent(rate.high)}"]

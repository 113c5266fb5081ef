"""The shares of wrong citation labels, estimated from a stratified sample that people judged. Pure.

A stratum is the labelled pairs of one field of query papers and one type of candidates. All of its
candidates have the same label. Within a stratum, each set of pairs of the sample's size was drawn
with the same probability. Pairs without a grade, which were set aside, count
as not drawn.

Estimates (Horvitz and Thompson 1952): with N pairs in a stratum, of which n are graded, a graded
pair stands for N / n pairs. A share of several strata is the sum of what its pairs stand for,
divided by all their pairs: the sum of W p, where W is the stratum's part of the pairs and p the
share among its graded ones.

Intervals (95 %):

- **Shares of one label**: Wilson's, with the effective number of pairs 1 / sum of W² / n* (Kish
  1965, section 8.2; Franco et al., JSSAM 7, 2019). n* = n (N - 1) / (N - n) is the number of
  draws with replacement that has the variance of these n without it. All of a stratum has n*
  infinite, so its share has an interval without width. Without a sample of more than one stratum,
  this is Wilson's interval with a finite population.
- **The share of wrong labels** of both labels: limits of the two shares, by the square-and-add rule
  (Zou and Donner, Statistics in Medicine 27, 2008).
- **Recall** A / (A + B), of the relevant pairs with label 1 and 0: 1 / (1 + B / A), with the limits
  of the ratio B / A of Donner and Zou (Statistical Methods in Medical Research 21, 2012).
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from bundle.citation_labels import POSITIVES
from corpus.proportions import wilson

FALSE_POSITIVE, FALSE_NEGATIVE, WRONG = "false_positive", "false_negative", "wrong"
PRECISION, RECALL = "precision", "recall"
MEASURES = (FALSE_POSITIVE, FALSE_NEGATIVE, WRONG, PRECISION, RECALL)
OVERALL, FIELD, TYPE, STRATUM = "overall", "field", "type", "stratum"
NO_SOURCE = "no source"  # the type of a candidate that no source drew
NO_CANDIDATE = "no candidate has the label {label}"
NONE_RELEVANT = "no graded pair is relevant"
NONE_GRADED = "no pair has a grade in the stratum {field}, {type}"


class ErrorStratum(NamedTuple):
    """Labelled pairs of one field and type: how many there are, and how many were drawn."""

    field: str
    type: str
    label: int
    population: int
    sampled: int

    @property
    def inclusion(self) -> float:
        """The probability with which each of its pairs was drawn."""
        return self.sampled / self.population


class JudgedLabel(NamedTuple):
    """A pair of the sample. `grade` is the final label of people, None if it was set aside.

    `judges` is how many people it comes from: two, and an adjudicator if they did not agree.
    """

    query: str
    docno: str
    field: str
    type: str
    label: int
    grade: int | None
    judges: int


class GradedStratum(NamedTuple):
    """A stratum with the numbers of its graded pairs and of the relevant ones among them."""

    stratum: ErrorStratum
    graded: int
    relevant: int


class Rate(NamedTuple):
    """A measure of some strata. `estimate`, `low` and `high` are shares from 0 to 1.

    They are None if the share is undefined, and `undefined` has the reason. `population` counts
    the pairs of which it is a share, `graded` those with a grade, `counted` those of them that the
    share counts. Of recall, the population is not known: it is all relevant pairs.
    """

    scope: str
    field: str
    type: str
    measure: str
    population: int | None
    graded: int
    counted: int
    estimate: float | None = None
    low: float | None = None
    high: float | None = None
    undefined: str = ""

    @property
    def label(self) -> int:
        """The citation label of the pairs of a type or a stratum."""
        return int(self.type == POSITIVES)

    @property
    def total(self) -> float | None:
        """The estimated number of pairs that the share counts."""
        if self.estimate is None or self.population is None:
            return None
        return self.estimate * self.population


class _Share(NamedTuple):
    """The relevant share among the pairs of one label, with its interval."""

    population: int
    graded: int
    relevant: int
    estimate: float
    low: float
    high: float
    undefined: str = ""

    def of_the_others(self) -> _Share:
        """The share of the pairs that are not relevant."""
        return self._replace(
            relevant=self.graded - self.relevant,
            estimate=1 - self.estimate,
            low=1 - self.high,
            high=1 - self.low,
        )


def count_strata(
    strata: Iterable[ErrorStratum], judged: Iterable[JudgedLabel], relevant_from: int
) -> list[GradedStratum]:
    """The strata with the numbers of their pairs whose grade is at least `relevant_from`."""
    graded: Counter[tuple[str, str]] = Counter()
    relevant: Counter[tuple[str, str]] = Counter()
    for pair in judged:
        if pair.grade is not None:
            graded[pair.field, pair.type] += 1
            relevant[pair.field, pair.type] += pair.grade >= relevant_from
    return [GradedStratum(row, graded[row[:2]], relevant[row[:2]]) for row in sorted(strata)]


def rates_of(counts: Sequence[GradedStratum]) -> list[Rate]:
    """The measures overall, of each field, of each type and of each stratum, in this order.

    Known positives come before the other types. A type and a stratum have one label, so they have
    only the measure of that label.
    """
    fields: dict[str, list[GradedStratum]] = defaultdict(list)
    types: dict[str, list[GradedStratum]] = defaultdict(list)
    for count in counts:
        fields[count.stratum.field].append(count)
        types[count.stratum.type].append(count)
    return [
        *_of_both(OVERALL, "", counts),
        *(rate for field in sorted(fields) for rate in _of_both(FIELD, field, fields[field])),
        *(_of_one(TYPE, "", type_, types[type_]) for type_ in sorted(types, key=_positives_first)),
        *(
            _of_one(STRATUM, field, count.stratum.type, [count])
            for field in sorted(fields)
            for count in sorted(fields[field], key=lambda row: _positives_first(row.stratum.type))
        ),
    ]


def _positives_first(type_: str) -> tuple[bool, str]:
    return type_ != POSITIVES, type_


def _of_both(scope: str, field: str, counts: Sequence[GradedStratum]) -> Iterator[Rate]:
    """All measures of strata of both labels."""
    cited = _relevant_share(counts, 1)
    others = _relevant_share(counts, 0)
    yield _rate(scope, field, "", FALSE_POSITIVE, cited.of_the_others())
    yield _rate(scope, field, "", FALSE_NEGATIVE, others)
    yield _rate(scope, field, "", WRONG, _sum(cited.of_the_others(), others))
    yield _rate(scope, field, "", PRECISION, cited)
    yield _rate(scope, field, "", RECALL, _recall(cited, others))._replace(population=None)


def _of_one(scope: str, field: str, type_: str, counts: Sequence[GradedStratum]) -> Rate:
    """The measure of strata of one label."""
    if type_ == POSITIVES:
        return _rate(
            scope, field, type_, FALSE_POSITIVE, _relevant_share(counts, 1).of_the_others()
        )
    return _rate(scope, field, type_, FALSE_NEGATIVE, _relevant_share(counts, 0))


def _rate(scope: str, field: str, type_: str, measure: str, share: _Share) -> Rate:
    numbers = (scope, field, type_, measure, share.population, share.graded, share.relevant)
    if share.undefined:
        return Rate(*numbers, undefined=share.undefined)
    return Rate(*numbers, share.estimate, max(0.0, share.low), min(1.0, share.high))


def _undefined(population: int, graded: int, relevant: int, reason: str) -> _Share:
    return _Share(population, graded, relevant, math.nan, math.nan, math.nan, reason)


def _relevant_share(counts: Sequence[GradedStratum], label: int) -> _Share:
    of_label = [count for count in counts if count.stratum.label == label]
    population = sum(count.stratum.population for count in of_label)
    numbers = (
        population,
        sum(count.graded for count in of_label),
        sum(count.relevant for count in of_label),
    )
    if not of_label:
        return _undefined(*numbers, NO_CANDIDATE.format(label=label))
    estimate = inverse = 0.0
    for stratum, graded, relevant in of_label:
        if not graded:
            reason = NONE_GRADED.format(field=stratum.field, type=stratum.type)
            return _undefined(*numbers, reason)
        weight = stratum.population / population
        estimate += weight * relevant / graded
        if graded < stratum.population:
            draws = graded * (stratum.population - 1) / (stratum.population - graded)
            inverse += weight**2 / draws
    estimate = min(1.0, estimate)  # a sum of weights can be above 1 by rounding
    if not inverse:
        return _Share(*numbers, estimate, estimate, estimate)
    return _Share(*numbers, estimate, *wilson(estimate / inverse, 1 / inverse))


def _sum(cited: _Share, others: _Share) -> _Share:
    """The share of both labels' pairs that is counted in one of two shares."""
    population = cited.population + others.population
    numbers = (population, cited.graded + others.graded, cited.relevant + others.relevant)
    parts = [part for part in (cited, others) if part.population]
    if reason := next((part.undefined for part in parts if part.undefined), ""):
        return _undefined(*numbers, reason)
    weights = [part.population / population for part in parts]
    estimate = sum(weight * part.estimate for weight, part in zip(weights, parts, strict=True))
    below = _root_of_squares(
        weight * (part.estimate - part.low) for weight, part in zip(weights, parts, strict=True)
    )
    above = _root_of_squares(
        weight * (part.high - part.estimate) for weight, part in zip(weights, parts, strict=True)
    )
    return _Share(*numbers, estimate, estimate - below, estimate + above)


def _root_of_squares(lengths: Iterable[float]) -> float:
    """Unlike `math.hypot`, the same on every machine, so that a release has the same bytes."""
    return math.sqrt(sum(length * length for length in lengths))


def _recall(cited: _Share, others: _Share) -> _Share:
    """The share of the relevant pairs that has the label 1."""
    graded = cited.relevant + others.relevant
    numbers = (cited.population + others.population, graded, cited.relevant)
    parts = [part for part in (cited, others) if part.population]
    if reason := next((part.undefined for part in parts if part.undefined), ""):
        return _undefined(*numbers, reason)
    if not graded:
        return _undefined(*numbers, NONE_RELEVANT)
    if not others.population:
        return _Share(*numbers, 1.0, 1.0, 1.0)
    if not cited.population:
        return _Share(*numbers, 0.0, 0.0, 0.0)
    found, least_found, most_found = (
        cited.population * value for value in (cited.estimate, cited.low, cited.high)
    )
    lost, least_lost, most_lost = (
        others.population * value for value in (others.estimate, others.low, others.high)
    )
    low, high = _ratio_limits(
        (lost, max(0.0, least_lost), most_lost), (found, max(0.0, least_found), most_found)
    )
    estimate = found / (found + lost)
    return _Share(*numbers, estimate, 1 / (1 + high), 1 / (1 + low))


def _ratio_limits(
    above: tuple[float, float, float], below: tuple[float, float, float]
) -> tuple[float, float]:
    """The limits of above / below, each a value with its own limits. The upper can be infinite.

    The roots of Donner and Zou's equation, written so that nothing is divided by 0: of
    a t² - 2 b t + c = 0, the lower one is c / (b + root) and the upper one (b + root) / a.
    """
    value, least, most = above
    other, other_least, other_most = below
    product = value * other
    lower_end = least * (2 * value - least)
    upper_end = other_least * (2 * other - other_least)
    divisor = product + math.sqrt(
        max(0.0, product**2 - lower_end * other_most * (2 * other - other_most))
    )
    dividend = product + math.sqrt(max(0.0, product**2 - most * (2 * value - most) * upper_end))
    low = lower_end / divisor if divisor else 0.0
    high = dividend / upper_end if upper_end else math.inf
    return low, high

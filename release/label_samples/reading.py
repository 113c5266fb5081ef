"""Samples with their progress, and the labels that people gave to their pairs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from django.db.models import Sum

from accounts.models import JUDGES, Collection, Role
from adjudication.labels import labelled_pairs
from adjudication.models import CaseCount
from adjudication.standing import LabelledPair, Standing
from annotation.models import PairCount
from bundle.label_errors.rates import ErrorStratum, JudgedLabel
from bundle.label_errors.records import JudgedSample
from release.label_samples.models import LabelSample, SampledLabel

PEOPLE = {Standing.AGREED: 2, Standing.ADJUDICATED: 3, Standing.SET_ASIDE: 3}


class SampleLine(NamedTuple):
    """A sample with its numbers of pairs and of those that have a final label or are set aside."""

    sample: LabelSample
    pairs: int
    settled: int

    @property
    def complete(self) -> bool:
        return self.settled >= self.pairs


@dataclass(frozen=True)
class LabelReport:
    """A sample with its strata and, of settled pairs, what people said of them.

    `informed` is the number of its judges who could see the citation labels in the origin.
    """

    sample: LabelSample
    strata: Sequence[ErrorStratum]
    judged: Sequence[JudgedLabel]
    informed: int

    @property
    def pairs(self) -> int:
        return sum(stratum.sampled for stratum in self.strata)

    @property
    def population(self) -> int:
        return sum(stratum.population for stratum in self.strata)

    @property
    def complete(self) -> bool:
        """Every pair has a final label or is set aside. Before that, there are no rates."""
        return len(self.judged) == self.pairs

    @property
    def name(self) -> str:
        return self.sample.collection.slug

    @cached_property
    def released(self) -> JudgedSample:
        """The sample as a release has it, if it is complete."""
        scale = self.sample.collection
        return JudgedSample(
            name=self.name,
            facet=self.sample.facet,
            highest_grade=scale.highest_grade,
            relevant_from=scale.relevant_from,
            seed=self.sample.seed,
            informed_judges=self.informed,
            strata=tuple(self.strata),
            judged=tuple(self.judged),
        )


def sample_lines(collection: Collection) -> list[SampleLine]:
    """The samples of the collection's labels, newest first, from kept counts."""
    samples = list(collection.label_samples.select_related("collection"))
    judged_in = [sample.pk for sample in samples]
    sizes = dict(
        collection.label_samples.order_by().values_list("pk").annotate(pairs=Sum("strata__sampled"))
    )
    counts = PairCount.objects.filter(query__collection__in=judged_in).order_by()
    judged = {
        pk: total - disputed
        for pk, total, disputed in counts.values_list("query__collection").annotate(
            all_judged=Sum("judged"), all_disputed=Sum("disputed")
        )
    }
    cases = CaseCount.objects.filter(query__collection__in=judged_in).order_by()
    settled = dict(cases.values_list("query__collection").annotate(number=Sum("settled")))
    return [
        SampleLine(sample, sizes[sample.pk], judged.get(sample.pk, 0) + settled.get(sample.pk, 0))
        for sample in samples
    ]


def label_report(sample: LabelSample) -> LabelReport:
    """The settled pairs, from one statement each for the pairs of the sample and their labels."""
    collection = sample.collection
    labels = {(pair.query, pair.docno): pair for pair in labelled_pairs(collection)}
    rows = SampledLabel.objects.filter(stratum__sample=sample).order_by()
    judged = [
        JudgedLabel(query, docno, field, type_, label, pair.final, PEOPLE[pair.standing])
        for query, docno, field, type_, label in rows.values_list(
            "query__name",
            "candidate__document__docno",
            "stratum__field",
            "stratum__type",
            "stratum__label",
        )
        if (pair := labels.get((query, docno))) is not None and _is_settled(pair)
    ]
    strata = sample.strata.values_list("field", "type", "label", "population", "sampled")
    return LabelReport(
        sample, sorted(map(ErrorStratum._make, strata)), sorted(judged), _informed(sample)
    )


def _is_settled(pair: LabelledPair) -> bool:
    return pair.standing in PEOPLE


def _informed(sample: LabelSample) -> int:
    """The judges who could open the pools or the documents of the origin at any time."""
    if sample.origin is None:
        return 0
    judges = sample.collection.memberships.filter(role__in=JUDGES)
    informed = sample.origin.given_roles.filter(role__in=(Role.ADMIN, Role.CURATOR))
    return judges.filter(user__in=informed.values("user")).count()

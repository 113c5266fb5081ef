"""Comparisons of labels, as kinds of stored reports."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Self

from accounts.models import Collection
from agreement.revision import revision_of
from evaluation.citations.services import cited_papers
from evaluation.label_effects.rankings import compared_rankings, measure_named
from evaluation.shadow_judges.comparison import shadow_comparison
from evaluation.shadow_judges.services import COMPARISON_KIND, shadow_judge_named
from jobs.context import JobContext
from pooling.services.state import pools_state
from reports.kinds import ReportContent
from reports.models import StoredReport
from reports.services import register
from reports.states import LISTS
from scoring.labels import SOURCES, all_qrels
from scoring.report_kind import SystemsReport, lists_state


@dataclass(frozen=True)
class LabelComparison(SystemsReport):
    """Labels compared under a measure. Only pairs with both judgments are read.

    `checked` raises BadMeasure, and UnknownShadowJudge for a comparison with a shadow judge.
    """

    version = 2

    measure: str

    def checked(self, collection: Collection) -> Self:
        return replace(self, measure=measure_named(self.measure, collection.relevant_from).name)

    def inputs(self, collection: Collection) -> dict[str, object]:
        return {"the labels": str(revision_of(collection)), LISTS: lists_state(collection)}

    def content(self, collection: Collection, work: JobContext) -> ReportContent:
        measure = measure_named(self.measure, collection.relevant_from)
        start = {
            "collection": collection.slug,
            "measure": self.measure,
            "description": f"{measure.description}; {measure.scope.description}",
        }
        return ReportContent({**start, **self.compared(collection, work)})

    def compared(self, collection: Collection, work: JobContext) -> Mapping[str, Any]:
        raise NotImplementedError

    def result(self, report: StoredReport) -> dict[str, object]:
        return {"measure": report.parameters["measure"], "state": report.state}


@register
@dataclass(frozen=True)
class LabelEffectsReport(LabelComparison):
    """The rankings of systems under the labels of the judges."""

    name = "compare_labels"
    title = "Compare the labels of the judges"
    page = "label-effects"

    def compared(self, collection: Collection, work: JobContext) -> Mapping[str, Any]:
        labels = all_qrels(collection, list(SOURCES))
        return compared_rankings(collection, labels, self.measure, work)


@register
@dataclass(frozen=True)
class CitedPapersReport(LabelComparison):
    """Citations as labels."""

    name = "compare_citations"
    title = "Compare citations with labels"
    page = "label-effects"

    def inputs(self, collection: Collection) -> dict[str, object]:
        # References come with documents. Which candidates a frozen pool drew never changes.
        imports = collection.document_imports.order_by("pk").values_list("pk", flat=True)
        return {**super().inputs(collection), "the documents": imports.last()}

    def compared(self, collection: Collection, work: JobContext) -> Mapping[str, Any]:
        return cited_papers(collection, self.measure, work)


@register
@dataclass(frozen=True)
class ShadowJudgeReport(LabelComparison):
    """The labels of a model."""

    name = COMPARISON_KIND
    title = "Compare a shadow judge"
    page = "label-effects"
    version = 3

    shadow_judge: str

    @property
    def key(self) -> str:
        return f"{self.shadow_judge}:{self.measure}"

    def checked(self, collection: Collection) -> Self:
        shadow_judge_named(collection, self.shadow_judge)
        return super().checked(collection)

    def inputs(self, collection: Collection) -> dict[str, object]:
        judge = shadow_judge_named(collection, self.shadow_judge)
        return {
            **super().inputs(collection),
            "the labels of the model": judge.sha256,
            # Repetitions are no labels. An imported model has no answers.
            "the answers of the model": judge.answers.count(),
            "the pools or the documents": pools_state(collection),
            "the periods of the samples": list(
                collection.samples.order_by("pk").values_list("periods", flat=True)
            ),
        }

    def compared(self, collection: Collection, work: JobContext) -> Mapping[str, Any]:
        judge = shadow_judge_named(collection, self.shadow_judge)
        comparison = shadow_comparison(collection, judge, self.measure, work)
        return {"shadow_judge": judge.name, **comparison}

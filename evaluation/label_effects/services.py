"""Everything that computes and stores comparisons of labels."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from django.db.models import QuerySet

from accounts.locking import lock_collection
from accounts.models import Collection, User
from agreement.report_states import changed_inputs, in_words, state_of_inputs
from agreement.revision import revision_of
from evaluation.citations.services import cited_papers
from evaluation.label_effects.models import LabelReport, ReportKind
from evaluation.label_effects.rankings import compared_rankings, measure_named
from evaluation.shadow_judges.comparison import shadow_comparison
from evaluation.shadow_judges.models import ShadowJudge
from evaluation.shadow_judges.services import UnknownShadowJudge, shadow_judge_named
from jobs.context import DirectRun, JobContext
from jobs.models import Job
from jobs.services import enqueue
from scoring.labels import SOURCES, all_qrels
from scoring.services import unscored_runs
from scoring.systems.lists import systems_with_digests
from scoring.systems.services import sync_runs

JOB_KINDS = {
    ReportKind.LABEL_EFFECTS: "compare_labels",
    ReportKind.CITED_PAPERS: "compare_citations",
    ReportKind.SHADOW_JUDGE: "compare_shadow_judge",
}
VERSION = 2  # Raise it with every change of a number or a key of a payload.


def compute_label_report(
    *,
    collection: Collection,
    kind: str,
    measure: str,
    shadow_judge: str = "",
    work: JobContext | None = None,
) -> LabelReport:
    """Compute a comparison of labels under a measure, and store it in place of the one before.

    A report that is up to date is returned as it is. Only pairs with both judgments are read.

    Raises:
        BadMeasure, UnknownShadowJudge
        CollectionArchived
    """
    work = work or DirectRun()
    measure = measure_named(measure, collection.relevant_from).name
    judge = shadow_judge_named(collection, shadow_judge) if shadow_judge else None
    with work.fenced():
        sync_runs(lock_collection(collection))
    reports = reports_of(collection, kind, judge)
    # Before the labels are read: if they change meanwhile, the report is out of date.
    state = state_of(collection, kind, measure, judge)
    report: LabelReport | None = reports.filter(state=state).first()
    if report is None:
        payload = _payload(collection, ReportKind(kind), measure, judge, work)
    with work.fenced():
        lock_collection(collection)
        if judge is not None and not collection.shadow_judges.filter(pk=judge.pk).exists():
            raise UnknownShadowJudge(collection, judge.name)  # deleted meanwhile
        if report is None:
            report, _ = LabelReport.objects.update_or_create(
                collection=collection,
                kind=kind,
                shadow_judge=judge,
                measure=measure,
                defaults={"state": state, "payload": payload},
            )
        work.complete(report_result(report))
    return report


def report_result(report: LabelReport) -> dict[str, Any]:
    """The result of the job, as its card shows it."""
    return {"measure": report.measure, "state": report.state}


def request_label_report(
    *,
    collection: Collection,
    kind: str,
    measure: str,
    shadow_judge: str = "",
    requested_by: User | None = None,
) -> Job:
    """Queue a job that computes the report, or return the job that is in progress.

    Raises:
        BadMeasure, UnknownShadowJudge
    """
    measure = measure_named(measure, collection.relevant_from).name
    if shadow_judge:
        shadow_judge_named(collection, shadow_judge)
    return enqueue(
        kind=JOB_KINDS[ReportKind(kind)],
        collection=collection,
        parameters={"kind": kind, "measure": measure, "shadow_judge": shadow_judge},
        requested_by=requested_by,
        key=job_key(kind, shadow_judge, measure),
    )


def job_key(kind: str, shadow_judge: str = "", measure: str = "") -> str:
    return ":".join(filter(None, [JOB_KINDS[ReportKind(kind)], shadow_judge, measure]))


def reports_of(
    collection: Collection, kind: str, judge: ShadowJudge | None = None
) -> QuerySet[LabelReport]:
    return collection.label_reports.filter(kind=kind, shadow_judge=judge)


def state_of(
    collection: Collection, kind: str, measure: str, judge: ShadowJudge | None = None
) -> str:
    """A digest of everything that a report is computed from, without reading labels or lists."""
    return PresentInputs(collection).state_of(kind, measure, judge)


class PresentInputs:
    """The inputs of the reports of a collection. They are read once for all reports."""

    def __init__(self, collection: Collection) -> None:
        self._collection = collection

    def state_of(self, kind: str, measure: str, judge: ShadowJudge | None = None) -> str:
        return state_of_inputs(self._inputs(kind, measure, judge))

    def changed_since(self, report: LabelReport) -> str:
        """The inputs that changed since the report was computed, as in "the labels"; or ""."""
        inputs = self._inputs(report.kind, report.measure, report.shadow_judge)
        return in_words(changed_inputs(report.state, inputs))

    def _inputs(self, kind: str, measure: str, judge: ShadowJudge | None) -> dict[str, Any]:
        return {
            "how Qrelsmith computes the report": [VERSION, kind, measure],
            "the labels": self._revision,
            "the lists of systems": self._systems,
            "the labels of the model": judge and [judge.name, judge.sha256],
            # References come with documents. Which candidates a frozen pool drew never changes.
            "the documents": self._newest_import if kind == ReportKind.CITED_PAPERS else None,
        }

    @cached_property
    def _revision(self) -> str:
        return str(revision_of(self._collection))

    @cached_property
    def _systems(self) -> list[list[str]]:
        systems = [
            [system.name, digest] for system, digest in systems_with_digests(self._collection)
        ]
        # A run without a system gets one when the report is computed.
        return [*systems, *([name, ""] for name in unscored_runs(self._collection))]

    @cached_property
    def _newest_import(self) -> int | None:
        imports = self._collection.document_imports.order_by("pk")
        return imports.values_list("pk", flat=True).last()


def _payload(
    collection: Collection,
    kind: ReportKind,
    measure: str,
    judge: ShadowJudge | None,
    work: JobContext,
) -> dict[str, Any]:
    named = measure_named(measure, collection.relevant_from)
    start: Mapping[str, Any] = {
        "collection": collection.slug,
        "measure": measure,
        "description": f"{named.description}; {named.scope.description}",
    }
    if judge is not None:
        return {
            **start,
            "shadow_judge": judge.name,
            **shadow_comparison(collection, judge, measure, work),
        }
    if kind == ReportKind.CITED_PAPERS:
        return {**start, **cited_papers(collection, measure, work)}
    labels = all_qrels(collection, list(SOURCES))
    return {**start, **compared_rankings(collection, labels, measure, work)}

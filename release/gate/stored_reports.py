"""The reports that the database has, and which of them are older than what they are about.

Only counts and digests are compared, so it takes a fixed number of queries and reads no label.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from accounts.models import Collection
from agreement.revision import revision_of
from bundle.records import ReleasedReports
from evaluation.label_effects.models import LabelReport, ReportKind
from evaluation.label_effects.services import PresentInputs
from evaluation.leaderboard.rows import pooled_runs
from evaluation.pool_bias.models import PoolBiasReport
from evaluation.pool_bias.services import state_of as pool_bias_state
from scoring.labels import FINAL
from scoring.measures.profiles import profiles_for
from scoring.models import Scores
from scoring.results import stored_profile
from scoring.services import out_of_date as systems_out_of_date

AGREEMENT, EVALUATION, POOL_BIAS = "agreement", "evaluation", "pool_bias"
LABEL_REPORTS = {
    ReportKind.LABEL_EFFECTS: "label_effects",
    ReportKind.CITED_PAPERS: "cited_papers",
}  # not those on shadow judges, whose labels are in no release


def stale_reports(collection: Collection) -> list[str]:
    """The keys of the stored reports that are out of date; files of a release have their names.

    A report that was never computed is not out of date. One report of several is enough, such as
    the scores of a single system.
    """
    return [
        *([AGREEMENT] if _agreement_is_stale(collection) else ()),
        *([EVALUATION] if _stale_systems(collection) else ()),
        *([POOL_BIAS] if _pool_bias_is_stale(collection) else ()),
        *_label_reports(collection)[1],
    ]


def stored_reports(collection: Collection) -> ReleasedReports:
    """The reports with their contents. A release computes that on agreement itself."""
    stale = [key for key in stale_reports(collection) if key != AGREEMENT]
    labels, _ = _label_reports(collection)
    contents = {
        EVALUATION: _evaluation(collection),
        POOL_BIAS: None if POOL_BIAS in stale else _pool_bias(collection),
        **{key: [_payload(report) for report in reports] for key, reports in labels.items()},
    }
    return ReleasedReports({key: value for key, value in contents.items() if value}, tuple(stale))


def _agreement_is_stale(collection: Collection) -> bool:
    reports = collection.reports.order_by()
    policies = set(reports.values_list("missing", flat=True).distinct())
    if not policies:
        return False
    present = reports.current().filter(revision=str(revision_of(collection)))
    return policies != set(present.values_list("missing", flat=True))


def _stale_systems(collection: Collection) -> set[str]:
    """The systems whose scores are out of date; those without scores are not among them."""
    stale = {system.pk: system.name for system in systems_out_of_date(collection)}
    scored = Scores.objects.filter(system__in=stale, source=FINAL).order_by()
    return {stale[pk] for pk in scored.values_list("system_id", flat=True)}


def _evaluation(collection: Collection) -> dict[str, Any] | None:
    """The leaderboards of the systems whose scores are up to date; None without any."""
    left_out = {system.pk for system in systems_out_of_date(collection)}
    rows = (
        Scores.objects.filter(system__collection=collection, source=FINAL)
        .exclude(system__in=left_out)
        .order_by()
        .values_list(
            *("profile", "system__name", "system__kind", "system__repetition_of", "summary")
        )
    )
    pooled = pooled_runs(collection)
    systems: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for profile, name, kind, repetition_of, summary in sorted(rows, key=lambda row: row[:2]):
        systems[profile].append(
            {
                "system": name,
                "kind": kind,
                "repetition_of": repetition_of,
                "in_pool": name in pooled,
                "rows": summary,
            }
        )
    if not systems:
        return None
    return {
        "labels": FINAL,
        "profiles": {
            profile.name: {
                "scope": profile.scope.value,
                "scope_description": profile.scope.description,
                "measures": {
                    measure.name: measure.description
                    for measure in stored_profile(collection, profile).measures
                },
                "systems": systems[profile.name],
            }
            for profile in profiles_for(collection.relevant_from)
            if profile.name in systems
        },
    }


def _pool_bias_is_stale(collection: Collection) -> bool:
    states = PoolBiasReport.objects.filter(collection=collection).values_list("state", flat=True)
    return any(state != pool_bias_state(collection) for state in states)


def _pool_bias(collection: Collection) -> Any:
    reports = PoolBiasReport.objects.filter(collection=collection)
    return reports.values_list("payload", flat=True).first()


def _label_reports(collection: Collection) -> tuple[dict[str, list[LabelReport]], list[str]]:
    """By key, the reports that are up to date, without payloads; and the keys of the others."""
    present = PresentInputs(collection)
    current: dict[str, list[LabelReport]] = {}
    stale: list[str] = []
    for report in _ordered_label_reports(collection):
        key = LABEL_REPORTS[ReportKind(report.kind)]
        state = present.state_of(report.kind, report.measure)
        if report.state == state:
            current.setdefault(key, []).append(report)
        elif key not in stale:
            stale.append(key)
    return current, stale


def _ordered_label_reports(collection: Collection) -> Iterator[LabelReport]:
    reports = collection.label_reports.filter(kind__in=LABEL_REPORTS).defer("payload").order_by()
    kinds = list(LABEL_REPORTS)
    yield from sorted(
        reports, key=lambda report: (kinds.index(ReportKind(report.kind)), report.measure)
    )


def _payload(report: LabelReport) -> Any:
    return report.payload  # deferred: read only for the files

"""The reports that the database has, and which of them are older than what they are about.

Only counts and digests are compared, so it takes a fixed number of queries and reads no label.
"""

from __future__ import annotations

from collections import defaultdict
from typing import Any, NamedTuple

from accounts.models import Collection
from agreement.services import AgreementReport
from bundle.records import ReleasedReports
from evaluation.label_effects.services import CitedPapersReport, LabelEffectsReport
from evaluation.leaderboard.rows import pooled_runs
from evaluation.pool_bias.services import PoolBiasReport
from reports.kinds import ReportKind
from reports.models import StoredReport
from reports.services import kind_of
from scoring.labels import FINAL
from scoring.measures.profiles import profiles_for
from scoring.models import Scores
from scoring.results import stored_profile
from scoring.services import out_of_date as systems_out_of_date

AGREEMENT, EVALUATION, POOL_BIAS = "agreement", "evaluation", "pool_bias"
KINDS: dict[str, type[ReportKind]] = {
    POOL_BIAS: PoolBiasReport,
    "label_effects": LabelEffectsReport,
    "cited_papers": CitedPapersReport,
}  # not those on shadow judges, whose labels are in no release


class KindReports(NamedTuple):
    """The reports of a kind that are up to date; `is_stale` if there are others."""

    present: list[StoredReport]
    is_stale: bool


def stale_reports(collection: Collection) -> list[str]:
    """The keys of the stored reports that are out of date; files of a release have their names.

    A report that was never computed is not out of date. One report of several is enough, such as
    the scores of a single system.
    """
    return [
        *([AGREEMENT] if _agreement_is_stale(collection) else ()),
        *([EVALUATION] if _stale_systems(collection) else ()),
        *(key for key, reports in _reports(collection).items() if reports.is_stale),
    ]


def stored_reports(collection: Collection) -> ReleasedReports:
    """The reports with their contents. A release computes that on agreement itself."""
    stale = [key for key in stale_reports(collection) if key != AGREEMENT]
    stored = {
        key: [report.payload for report in reports.present]
        for key, reports in _reports(collection).items()
    }
    bias = stored.pop(POOL_BIAS)  # one report, where the others have one for each measure
    contents = {
        EVALUATION: _evaluation(collection),
        POOL_BIAS: bias[0] if bias else None,
        **stored,
    }
    return ReleasedReports({key: value for key, value in contents.items() if value}, tuple(stale))


def _agreement_is_stale(collection: Collection) -> bool:
    reports = collection.stored_reports.filter(kind=AgreementReport.name).order_by()
    policies = set(reports.values_list("key", flat=True).distinct())
    if not policies:
        return False
    state = AgreementReport(min(policies)).state(collection)  # every policy has the same inputs
    return policies != set(reports.filter(state=state).values_list("key", flat=True))


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


def _reports(collection: Collection) -> dict[str, KindReports]:
    """The reports by key, without payloads."""
    names = [kind.name for kind in KINDS.values()]
    rows = collection.stored_reports.filter(kind__in=names).defer("payload").order_by()
    # Not by the database, whose order of texts depends on its collation.
    by_key = sorted(rows, key=lambda report: report.key)
    found = {}
    for key, kind in KINDS.items():
        reports = [report for report in by_key if report.kind == kind.name]
        # Every measure has the same inputs.
        state = kind_of(reports[0]).state(collection) if reports else ""
        present = [report for report in reports if report.state == state]
        found[key] = KindReports(present, is_stale=len(present) < len(reports))
    return found

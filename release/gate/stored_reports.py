"""The reports that the database has, and which of them are older than what they are about.

Only counts and digests are compared, so it takes a fixed number of queries and reads no label.

A report that is out of date is left out of a release, which names it. It stops the release only if
more than the lists of systems changed, such as the labels: a new run makes no figure of a report
wrong, and a collection with a leaderboard gets new runs all the time. A proof never stops one, nor
do self-consistency and proposed grades, which are not about the labels.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from accounts.models import Collection, User
from agreement.alignment.report import AlignmentReport
from agreement.consistency.report import ConsistencyReport
from agreement.services import POLICIES, AgreementReport
from bundle.datasheet.pool_rounds import REPORT as ROUND_EFFECTS
from bundle.records import ReleasedReports
from evaluation.label_effects.pool_rounds import RoundEffectsReport
from evaluation.label_effects.services import CitedPapersReport, LabelEffectsReport
from evaluation.leaderboard.rows import pooled_runs
from evaluation.pool_bias.services import PoolBiasReport
from release.proofs.blindness.report import BlindnessCheck
from release.proofs.display import DisplayProof
from reports.kinds import ReportKind
from reports.models import StoredReport
from reports.services import kind_of, request_report
from reports.states import LISTS, changed_inputs, in_words
from scoring.labels import FINAL
from scoring.measures.profiles import profiles_for
from scoring.models import Scores
from scoring.results import stored_profile
from scoring.services import JOB_KIND as EVALUATION_JOB
from scoring.services import changes_since_scored, request_evaluation
from scoring.services import out_of_date as systems_out_of_date

AGREEMENT, EVALUATION, POOL_BIAS = "agreement", "evaluation", "pool_bias"
PROOFS: dict[str, type[ReportKind]] = {"display_proof": DisplayProof, "blindness": BlindnessCheck}
CONSISTENCY, ALIGNMENT = "self_consistency", "alignment"
KINDS: dict[str, type[ReportKind]] = {
    POOL_BIAS: PoolBiasReport,
    CONSISTENCY: ConsistencyReport,
    ALIGNMENT: AlignmentReport,
    "label_effects": LabelEffectsReport,
    ROUND_EFFECTS: RoundEffectsReport,
    "cited_papers": CitedPapersReport,
    **PROOFS,
}  # not those on shadow judges, whose labels are in no release
# Of the other kinds there is a report for each measure.
SINGLE = (POOL_BIAS, CONSISTENCY, ALIGNMENT, *PROOFS)

NAMES = {
    AGREEMENT: "Agreement",
    POOL_BIAS: "Pool bias",
    CONSISTENCY: "Self-consistency",
    ALIGNMENT: "Proposed grades",
    "label_effects": "Label effects",
    ROUND_EFFECTS: "Rankings before and after pool rounds",
    "cited_papers": "Cited papers",
    "display_proof": "Display proof",
    "blindness": "Blindness check",
}
RECOMPUTING = (  # the kinds of jobs
    AgreementReport.name,
    EVALUATION_JOB,
    *(kind.name for kind in KINDS.values()),
)
POLICIES_IN_WORDS = {key: f"missing judgments {words}" for key, words in POLICIES}


class OldReport(NamedTuple):
    """A report that is out of date: the key of its file in a release, and the inputs that changed.

    `kind` is None for the scores of systems, which are no report of a kind. `page` is the URL name
    of the page that shows it.
    """

    key: str
    name: str
    page: str
    changed: tuple[str, ...]
    kind: ReportKind | None = None

    @property
    def stops_release(self) -> bool:
        return self.key not in (CONSISTENCY, ALIGNMENT, *PROOFS) and set(self.changed) != {LISTS}

    @property
    def because(self) -> str:
        return in_words(self.changed)


class KindReports(NamedTuple):
    """The reports of a kind: those that are up to date, and the others."""

    present: list[StoredReport]
    old: list[OldReport]


def old_reports(collection: Collection) -> list[OldReport]:
    """The stored reports that are out of date. One that was never computed is not out of date."""
    return [
        *_old_agreement(collection),
        *_old_scores(collection),
        *(report for reports in _reports(collection).values() for report in reports.old),
    ]


def request_old_reports(
    reports: Sequence[OldReport], *, collection: Collection, requested_by: User
) -> None:
    """Queue the jobs that compute exactly these again."""
    for report in reports:
        if report.kind is None:
            request_evaluation(collection=collection, requested_by=requested_by)
        else:
            request_report(report.kind, collection=collection, requested_by=requested_by)


def stored_reports(collection: Collection) -> ReleasedReports:
    """The reports with their contents. A release computes that on agreement itself."""
    old = dict.fromkeys(report.key for report in old_reports(collection))
    old.pop(AGREEMENT, None)
    contents: dict[str, Any] = {EVALUATION: _evaluation(collection)}
    for key, reports in _reports(collection).items():
        released = [kind_of(report).released(report) for report in reports.present]
        contents[key] = next(iter(released), None) if key in SINGLE else released
    return ReleasedReports({key: value for key, value in contents.items() if value}, tuple(old))


def _old_agreement(collection: Collection) -> Iterator[OldReport]:
    """The policies without a report of the present judgments; others of a policy are its past."""
    rows = collection.stored_reports.filter(kind=AgreementReport.name)
    states = dict(rows.order_by("checked_at", "pk").values_list("key", "state"))
    if not states:
        return
    inputs = AgreementReport(min(states)).all_inputs(collection)  # those of every policy
    for policy, state in sorted(states.items()):
        if changed := changed_inputs(state, inputs):
            yield _old_report(AGREEMENT, AgreementReport(policy), changed)


def _old_report(key: str, kind: ReportKind, changed: Sequence[str]) -> OldReport:
    chosen = kind.key and f" ({POLICIES_IN_WORDS.get(kind.key, kind.key)})"
    return OldReport(key, f"{NAMES[key]}{chosen}", kind.page, tuple(changed), kind)


def _old_scores(collection: Collection) -> Iterator[OldReport]:
    """The systems with scores that are out of date; those without any are not among them."""
    changes = {name: names for name, names in changes_since_scored(collection).items() if names}
    if changes:
        changed = dict.fromkeys(name for names in changes.values() for name in names)
        systems = "1 system" if len(changes) == 1 else f"{len(changes):,} systems"
        yield OldReport(EVALUATION, f"Scores of {systems}", "leaderboard", tuple(changed))


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
        present, old = [], []
        reports = [report for report in by_key if report.kind == kind.name]
        # Every measure has the same inputs.
        inputs = kind_of(reports[0]).all_inputs(collection) if reports else {}
        for report in reports:
            if changed := changed_inputs(report.state, inputs):
                old.append(_old_report(key, kind_of(report), changed))
            else:
                present.append(report)
        found[key] = KindReports(present, old)
    return found

"""Which stored reports are older than the labels."""

from __future__ import annotations

from accounts.models import Collection
from agreement.revision import revision_of
from evaluation.models import DEFAULT_SOURCE, PoolBiasReport, Scores
from evaluation.pool_bias.services import state_of as pool_bias_state
from evaluation.services import out_of_date


def stale_reports(collection: Collection) -> list[str]:
    """The names of stored reports that are out of date, sorted. It reads no labels.

    What was never computed is not among them.
    """
    return sorted([*_agreement(collection), *_scores(collection), *_pool_bias(collection)])


def _agreement(collection: Collection) -> list[str]:
    """Reports are made for each way to treat missing judgments; the newest of each counts."""
    rows = collection.reports.order_by("checked_at", "pk").values_list("missing", "revision")
    if not rows:
        return []
    revision = str(revision_of(collection))
    old = [name for name, of in dict(rows).items() if of != revision]  # the last of a name counts
    return [f"agreement, missing {name}" for name in old]


def _scores(collection: Collection) -> list[str]:
    scores = Scores.objects.filter(system__collection=collection, source=DEFAULT_SOURCE)
    scored = set(scores.values_list("system", flat=True))
    if not scored:
        return []
    return [f"scores of {system.name}" for system in out_of_date(collection) if system.pk in scored]


def _pool_bias(collection: Collection) -> list[str]:
    report = PoolBiasReport.objects.filter(collection=collection).defer("payload").first()
    return ["pool bias"] if report and report.state != pool_bias_state(collection) else []

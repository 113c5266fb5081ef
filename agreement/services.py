"""Everything that writes agreement reports."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any

from django.db import IntegrityError

from accounts.models import Collection, User
from adjudication.labels import LabelledPair, Standing, labelled_pairs
from agreement.coefficients import Missing
from agreement.models import Report
from agreement.summary import STATISTICS_VERSION, RatedPair, as_json_dict, summarize
from corpus.texts import canonical_json
from jobs.models import Job
from jobs.services import enqueue
from jobs.work import InPerson, Work

JOB_KIND = "compute_agreement"


class AgreementError(Exception):
    """A report that cannot be computed; the message is for the person who asked."""

    is_for_people = True


class UnknownPolicy(AgreementError):
    def __init__(self, missing: str) -> None:
        super().__init__(
            f"{missing!r} is no way to treat missing judgments; say {' or '.join(Missing)}."
        )


def compute_report(*, collection: Collection, missing: str, work: Work | None = None) -> Report:
    """Compute how far the judges agree now.

    The same judgments under the same version of the statistics give the same row again.

    Only pairs with both slots judged are read, so a report gives no single judgment away early.

    Raises:
        UnknownPolicy: `missing` is neither "exclude" nor "zero".
    """
    policy = policy_on_missing(missing)
    work = work or InPerson()
    work.progress(0, None, "comparing judgments")
    pairs = [pair for pair in labelled_pairs(collection) if pair.judged]
    state = state_of(pairs)
    report = collection.reports.filter(missing=policy.value, state=state).first()
    if report is not None:
        return report
    payload = report_payload(
        slug=collection.slug,
        facets=list(collection.facets.values_list("key", flat=True)),
        pairs=pairs,
        missing=policy,
    )
    try:
        with work.fenced():
            report = collection.reports.create(missing=policy.value, state=state, payload=payload)
            work.complete(job_result(report))
            return report
    except IntegrityError:  # somebody computed the same report meanwhile
        return collection.reports.get(missing=policy.value, state=state)


def request_report(
    *, collection: Collection, missing: str, requested_by: User | None = None, reason: str = ""
) -> Job:
    """Have a worker compute the report. While one is being computed, that job is returned.

    `reason` tells jobs apart that are not the same work, like a report of a later state.

    Raises:
        UnknownPolicy: `missing` is neither "exclude" nor "zero".
    """
    policy = policy_on_missing(missing)
    return enqueue(
        kind=JOB_KIND,
        collection=collection,
        parameters={"missing": policy.value},
        requested_by=requested_by,
        key=job_key(policy, reason),
    )


def job_result(report: Report) -> dict[str, Any]:
    return {"report": report.pk, "missing": report.missing, "state": report.state}


def job_key(missing: Missing, reason: str = "") -> str:
    return ":".join(filter(None, [JOB_KIND, missing.value, reason]))


def policy_on_missing(missing: str) -> Missing:
    try:
        return Missing(missing)
    except ValueError:
        raise UnknownPolicy(missing) from None


def state_of(pairs: Iterable[LabelledPair]) -> str:
    """SHA-256 (hex) of the statistics' version and the judged pairs: a report is of one such state.

    Without the version, a corrected coefficient would never reach judgments that stay as they are.
    """
    rows = [
        [pair.query, pair.docno, pair.first, pair.second, pair.final, pair.standing.value]
        for pair in pairs
        if pair.judged
    ]
    return hashlib.sha256(canonical_json([STATISTICS_VERSION, rows])).hexdigest()


def report_payload(
    *, slug: str, facets: Sequence[str], pairs: Iterable[LabelledPair], missing: Missing
) -> dict[str, Any]:
    """The report as JSON types: what `compute_agreement --format json` prints.

    A query is in it from its first judged pair on; `facets` gives the order of the facets.
    """
    rated = [
        RatedPair(
            pair.query,
            pair.facet,
            pair.first,
            pair.second,
            pair.final,
            set_aside=pair.standing is Standing.SET_ASIDE,
        )
        for pair in pairs
        if pair.judged
    ]
    return as_json_dict(slug, missing, summarize(rated, missing, facets))

"""Everything that writes agreement reports."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from operator import attrgetter
from typing import Any, NamedTuple

from django.db import IntegrityError
from django.utils import timezone

from accounts.locking import lock_collection
from accounts.models import Collection, User
from adjudication.labels import labelled_pairs
from adjudication.standing import LabelledPair, Standing
from agreement.coefficients import Missing
from agreement.models import Report, ReportQuerySet
from agreement.revision import revision_of
from agreement.summary import (
    STATISTICS_VERSION,
    Tally,
    as_json_dict,
    cell_of,
    confusion_dict,
    summarize_tally,
)
from corpus.digests import canonical_json
from jobs.context import DirectRun, JobContext
from jobs.models import Job
from jobs.services import enqueue
from web.errors import UserFacingError

JOB_KIND = "compute_agreement"


class AgreementError(UserFacingError):
    """A report that cannot be computed; the message is for the person who asked."""


class UnknownPolicy(AgreementError):
    def __init__(self, missing: str) -> None:
        policies = " or ".join(f'"{policy}"' for policy in Missing)
        super().__init__(f'Unknown policy "{missing}" for missing judgments. Use {policies}.')


def compute_report(
    *, collection: Collection, missing: str, work: JobContext | None = None
) -> Report:
    """Compute how far the judges agree at present.

    The same judgments under the same version of the statistics give the same row again.

    Only pairs with two judgments are read, so a report reveals no single judgment early.

    Raises:
        UnknownPolicy: `missing` is neither "exclude" nor "zero".
    """
    policy = policy_on_missing(missing)
    work = work or DirectRun()
    # Before the pairs are read: if they change meanwhile, the revision is an earlier one.
    revision = str(revision_of(collection))
    reports = collection.reports.filter(missing=policy.value)
    # The payload may have megabytes, and a job does not need it.
    if present := reports.current().filter(revision=revision).defer("payload").first():
        return present
    work.progress(0, None, "comparing judgments")
    facets = list(collection.facets.values_list("key", flat=True))
    digest = StateDigest()
    tally = tally_of(digest.reading(labelled_pairs(collection)), facets)
    reports_of_state = reports.filter(state=digest.state())
    if reports_of_state.exists():
        return _confirm(reports_of_state, revision, work)
    payload = as_json_dict(collection.slug, policy, summarize_tally(tally, policy))
    confusion = confusion_dict(tally, collection.grades)
    try:
        with work.fenced():
            lock_collection(collection)
            report = collection.reports.create(
                missing=policy.value,
                statistics=STATISTICS_VERSION,
                state=digest.state(),
                revision=revision,
                confusion=confusion,
                payload=payload,
            )
            work.complete(job_result(report))
            return report
    except IntegrityError:  # another process computed the same report meanwhile
        return _confirm(reports_of_state, revision, work)


def _confirm(reports: ReportQuerySet, revision: str, work: JobContext) -> Report:
    """The stored report of the present judgments, marked as such."""
    with work.fenced():
        reports.update(revision=revision, checked_at=timezone.now())
        report = reports.get()
        work.complete(job_result(report))
        return report


def request_report(
    *, collection: Collection, missing: str, requested_by: User | None = None, reason: str = ""
) -> Job:
    """Queue a job that computes the report, or return the job that is in progress.

    `reason` distinguishes jobs with different work, such as a report of a later state.

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


class StateDigest:
    """SHA-256 of the statistics' version and the judged pairs: a report is of one such state.

    Without the version, a corrected coefficient would never reach judgments that stay as they are.
    """

    def __init__(self) -> None:
        self._sha256 = hashlib.sha256(b"[%d,[" % STATISTICS_VERSION)
        self._separator = b""

    def reading(self, pairs: Iterable[LabelledPair]) -> Iterator[LabelledPair]:
        """The same pairs, while the digest reads along."""
        for _, members in groupby(pairs, key=attrgetter("query")):
            pairs_of_query = list(members)
            rows = [
                [pair.query, pair.docno, pair.first, pair.second, pair.final, pair.standing.value]
                for pair in pairs_of_query
                if pair.judged
            ]
            if rows:
                self._sha256.update(self._separator + canonical_json(rows)[1:-1])
                self._separator = b","
            yield from pairs_of_query

    def state(self) -> str:
        """The digest of what was read (hex): canonical JSON of [version, [[query, …], …]]."""
        digest = self._sha256.copy()
        digest.update(b"]]")
        return digest.hexdigest()


def state_of(pairs: Iterable[LabelledPair]) -> str:
    """The state that a report of these pairs is stored under."""
    digest = StateDigest()
    for _ in digest.reading(pairs):
        pass
    return digest.state()


def tally_of(pairs: Iterable[LabelledPair], facets: Sequence[str]) -> Tally:
    """Count the judged pairs; a query is in the tally from its first judged pair on."""
    tally = Tally(facets)
    for (query, facet), members in groupby(pairs, key=attrgetter("query", "facet")):
        cells = Counter(
            cell_of(
                pair.first, pair.second, pair.final, set_aside=pair.standing is Standing.SET_ASIDE
            )
            for pair in members
            if pair.judged
        )
        if cells:
            tally.of_query(query, facet).update(cells)
    return tally


def report_payload(
    *, slug: str, facets: Sequence[str], pairs: Iterable[LabelledPair], missing: Missing
) -> dict[str, Any]:
    """The report as JSON types: what `compute_agreement --format json` prints.

    A query is in it from its first judged pair on; `facets` gives the order of the facets.
    """
    return as_json_dict(slug, missing, summarize_tally(tally_of(pairs, facets), missing))


class Reports(NamedTuple):
    """The reports under both policies on missing judgments, and the matrices of each facet."""

    payloads: dict[Missing, dict[str, Any]]
    confusion: dict[str, dict[str, Any]]


def both_reports(
    *, slug: str, facets: Sequence[str], pairs: Iterable[LabelledPair], grades: Sequence[int]
) -> Reports:
    """The content of the reports on these pairs, from one reading of `pairs`."""
    tally = tally_of(pairs, facets)
    payloads = {
        missing: as_json_dict(slug, missing, summarize_tally(tally, missing)) for missing in Missing
    }
    return Reports(payloads, confusion_dict(tally, grades))

"""Store readers' reports of errors, and settle them."""

from __future__ import annotations

from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from accounts.locking import lock_collection
from accounts.models import User
from release.errata.errors import AlreadySettled, ErratumError, NotPublic, TooManyReports
from release.errata.models import LONGEST_TEXT, Erratum, ErratumState
from release.errata.references import check_reference
from release.models import Release

MOST_OPEN = 1_000  # of a version: a limit for programs that report from many addresses


def report_erratum(
    *,
    release: Release,
    query: str,
    docno: str,
    problem: str,
    email: str = "",
    reported_by: User | None = None,
    must_be_public: bool = False,
) -> Erratum:
    """Store a report about a version. The same open report sent again is stored once.

    `must_be_public` is for a reader who can see public versions only.

    Raises:
        NotInVersion: the version has no such query or document.
        CannotBeChecked: the file of the version is missing or damaged.
        NotPublic: it became private meanwhile.
        TooManyReports: the version has too many open reports.
        ErratumError: the text is empty or too long.
    """
    problem = _checked_text(problem, "what is wrong")
    check_reference(release, query, docno)
    with transaction.atomic():
        lock_collection(release.collection)
        if must_be_public and not release.public_periods.current().exists():
            raise NotPublic(release.version)
        waiting = release.errata.open()
        content = {"query": query, "docno": docno, "problem": problem, "email": email}
        if same := waiting.filter(**content).first():
            return same
        if waiting.count() >= MOST_OPEN:
            raise TooManyReports(release.version, MOST_OPEN)
        highest = release.errata.aggregate(highest=Max("number"))["highest"] or 0
        return release.errata.create(number=highest + 1, reported_by=reported_by, **content)


def settle_erratum(
    *, erratum: Erratum, accept: bool, answer: str, settled_by: User | None
) -> Erratum:
    """Settle a report once and for all. `answer` is published: the outcome, or why it is declined.

    Raises:
        AlreadySettled: it was settled before.
        ErratumError: the answer is empty or too long.
    """
    answer = _checked_text(answer, "the answer")
    with transaction.atomic():
        lock_collection(erratum.release.collection)
        locked = Erratum.objects.select_for_update(no_key=True).get(pk=erratum.pk)
        if not locked.is_open:
            raise AlreadySettled(erratum)
        locked.state = ErratumState.ACCEPTED if accept else ErratumState.DECLINED
        locked.answer = answer
        locked.settled_at = timezone.now()
        locked.settled_by = settled_by
        locked.save(update_fields=["state", "answer", "settled_at", "settled_by"])
    return locked


def _checked_text(text: str, name: str) -> str:
    text = text.strip()
    if not text:
        raise ErratumError(f"Enter {name}.")
    if len(text) > LONGEST_TEXT:
        raise ErratumError(
            f"Shorten {name} to {LONGEST_TEXT:,} characters. It has {len(text):,} now."
        )
    return text

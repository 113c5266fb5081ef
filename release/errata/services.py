"""Store readers' reports of errors, and answer them."""

from __future__ import annotations

from collections.abc import Sequence

from django.db import transaction
from django.db.models import Max
from django.utils import timezone
from django.utils.crypto import salted_hmac

from accounts.actions.kinds import ActionKind, SubjectKind
from accounts.actions.services import record_action
from accounts.actions.subjects import about
from accounts.locking import lock_collection
from accounts.models import Collection, User
from release.errata.errors import AlreadySettled, ErratumError, NotPublic, TooManyReports
from release.errata.models import LONGEST_TEXT, Erratum, ErratumState
from release.errata.references import check_reference
from release.models import Release

# From one network about one version. There is no limit over all networks: a program with many
# addresses would reach it, and then it would refuse every other reader.
MOST_OPEN = 50


def report_erratum(
    *,
    release: Release,
    query: str,
    docno: str,
    problem: str,
    email: str = "",
    address: str = "",
    reported_by: User | None = None,
    must_be_public: bool = False,
) -> Erratum:
    """Store a report about a version. The same open report sent again is stored once.

    `address` is the reader's network as `accounts.login.limits.client_address` gives it: one IPv4
    address, or one IPv6 /64. A network has at most MOST_OPEN open reports about a version. A /24 of
    IPv4 would have up to 256 customers of one provider, who must not refuse each other. Without an
    address, as for an admin, there is no limit. `must_be_public` is for a reader who can see public
    versions only.

    Raises:
        NotInVersion: the version has no such query or document.
        CannotBeChecked: the file of the version is missing or damaged.
        NotPublic: it became private meanwhile.
        TooManyReports: the network has too many open reports about the version.
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
        network = _network_label(release, address)
        if network and waiting.filter(network=network).count() >= MOST_OPEN:
            raise TooManyReports(release.version, MOST_OPEN)
        highest = release.errata.aggregate(highest=Max("number"))["highest"] or 0
        return release.errata.create(
            number=highest + 1, network=network, reported_by=reported_by, **content
        )


def _network_label(release: Release, address: str) -> str:
    """A name for the network that does not tell its address, and is another in each collection."""
    if not address:
        return ""
    salt = f"release.errata.network:{release.collection_id}"
    return salted_hmac(salt, address, algorithm="sha256").hexdigest()[:12]


def settle_erratum(
    *, erratum: Erratum, accept: bool, answer: str, settled_by: User | None
) -> Erratum:
    """Answer a report once and for all. `answer` is published: the outcome, or why it is declined.

    Raises:
        AlreadySettled: it was answered before.
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
        record_action(
            kind=ActionKind.ERRATUM_DECIDED,
            collection=erratum.release.collection,
            subject=about(SubjectKind.ERRATUM, locked.pk, str(locked.number)),
            details={"version": erratum.release.version, "answer": str(locked.state)},
            by=settled_by,
        )
    return locked


def decline_errata(
    *,
    collection: Collection,
    answer: str,
    settled_by: User | None,
    ids: Sequence[int] | None = None,
    up_to: int | None = None,
    version: str = "",
    network: str = "",
    words: str = "",
) -> int:
    """Decline many open reports with one answer, and return how many.

    Either these `ids`, or all that match and came before the admin looked: `up_to` is the highest
    id among the reports that the admin saw. Answered reports stay as they are.

    Raises:
        ErratumError: the answer is empty or too long, or neither `ids` nor `up_to` is given.
    """
    answer = _checked_text(answer, "the answer")
    if ids is None and up_to is None:
        raise ErratumError(
            "Name the reports to decline: either `ids`, or `up_to` with the highest id you saw."
        )
    with transaction.atomic():
        lock_collection(collection)
        rows = Erratum.objects.of(collection).open()
        rows = rows.matching(version=version, network=network, words=words)
        if ids is not None:
            rows = rows.filter(pk__in=ids)
        if up_to is not None:
            rows = rows.filter(pk__lte=up_to)
        declined = rows.order_by().update(
            state=ErratumState.DECLINED,
            answer=answer,
            settled_at=timezone.now(),
            settled_by=settled_by,
        )
        if declined:
            record_action(
                kind=ActionKind.ERRATUM_DECIDED,
                collection=collection,
                details={"answer": str(ErratumState.DECLINED), "errata": declined},
                by=settled_by,
            )
        return declined


def _checked_text(text: str, name: str) -> str:
    text = text.strip()
    if not text:
        raise ErratumError(f"Enter {name}.")
    if len(text) > LONGEST_TEXT:
        raise ErratumError(
            f"Shorten {name} to {LONGEST_TEXT:,} characters. It has {len(text):,} now."
        )
    return text

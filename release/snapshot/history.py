"""The version to compare with, and what no version's changelog has reported yet."""

from __future__ import annotations

from functools import partial

from django.db.models import Count

from accounts.models import Collection
from adjudication.models import Referral
from annotation.models import GuidelineChange
from bundle.names import POOLS, QRELS
from bundle.records import (
    PreviousVersion,
    ReleasedGuidelineChange,
    ReleasedPilots,
    ReleasedReferral,
    SettledErratum,
)
from practice.models import PracticeJudgment, PracticeKind
from release.models import Erratum
from release.versions.published_files import Unreadable, check_file, lines_of


def newest_version(collection: Collection) -> PreviousVersion | None:
    """The newest version with its files, or without them if they cannot be read."""
    release = collection.releases.select_related("collection").first()
    if release is None:
        return None
    known = PreviousVersion(release.version, release.sha256, release.manifest)
    try:
        for name in (QRELS, POOLS):
            check_file(release, name)
    except Unreadable:
        return known
    qrels, pools = (partial(lines_of, release, name) for name in (QRELS, POOLS))
    return known._replace(qrels=qrels, pools=pools)


def unpublished_errata(collection: Collection) -> tuple[SettledErratum, ...]:
    """The settled errata that no version has in its changelog, by version and number."""
    listed = collection.releases.values_list("manifest__errata", flat=True)
    published = {name for names in listed for name in names or ()}
    return tuple(row for row in _settled(collection) if row.name not in published)


def published_rows(collection: Collection, kind: str) -> int:
    """The number of rows of this kind, in order, in the changelogs of the collection's versions."""
    listed = collection.releases.values_list(f"manifest__{kind}__last", flat=True)
    return max((last for last in listed if last), default=0)


def referrals_after(collection: Collection, number: int) -> tuple[ReleasedReferral, ...]:
    """The referrals after the first `number`. Their order never changes."""
    rows = (
        Referral.objects.of(collection)
        .order_by("pk")
        .values_list("pair__query__name", "pair__candidate__document__docno", "recipient", "reason")
    )
    return tuple(ReleasedReferral(*row) for row in rows[number:])


def guideline_changes_after(
    collection: Collection, number: int
) -> tuple[ReleasedGuidelineChange, ...]:
    """The changes of open queries' guidelines after the first `number`. Their order is fixed."""
    rounds: dict[str, int] = {}  # by query, that of its change before
    changes = []
    for query, earlier, version, round_, reason in (
        GuidelineChange.objects.filter(opening__query__collection=collection)
        .order_by("pk")
        .values_list(
            "opening__query__name", "earlier__version", "guideline__version", "round", "reason"
        )
    ):
        is_new_round = round_ > rounds.get(query, 1)
        rounds[query] = round_
        changes.append(
            ReleasedGuidelineChange(query, earlier, version, round_, is_new_round, reason)
        )
    return tuple(changes[number:])


def _settled(collection: Collection) -> list[SettledErratum]:
    rows = Erratum.objects.of(collection).settled().select_related("release")
    return sorted(
        SettledErratum(
            version=row.release.version,
            number=row.number,
            query=row.query,
            docno=row.docno,
            accepted=row.is_accepted,
            answer=row.answer,
        )
        for row in rows.defer("release__manifest", "problem", "email")
    )


def released_pilots(collection: Collection) -> ReleasedPilots:
    """The amount of judging in pilot rounds. None of these judgments is in a release."""
    judgments = PracticeJudgment.objects.filter(
        pair__practice_set__collection=collection, pair__practice_set__kind=PracticeKind.PILOT
    )
    return ReleasedPilots(
        **judgments.aggregate(
            rounds=Count("pair__practice_set", distinct=True),
            pairs=Count("pair", distinct=True),
            annotators=Count("annotator", distinct=True),
        )
    )

"""The answers of the datasheet, the days of the judgments, and groups of annotators."""

from __future__ import annotations

from collections import defaultdict
from datetime import UTC, datetime

from django.db.models import Exists, Max, Min, OuterRef, Q

from accounts.models import Collection, GivenRole, Role
from annotation.consent.models import Consent
from annotation.models import Pair, SlotCount
from bundle.datasheet.profiles import ProfileGroup, PublishedField
from bundle.records import ConsentVersion, ReleasedConsent, ReleasedDatasheet
from release.datasheets.current import answers_of, dates_known, published_profiles
from release.importing.models import ReleaseImport

TIMES = ("slot_1__judgment__created_at", "slot_2__judgment__created_at")


def released_datasheet(collection: Collection) -> ReleasedDatasheet:
    known = dates_known(collection)
    imported = ReleaseImport.objects.filter(collection=collection).first()
    first, last = _days(collection, imported) if known else ("", "")
    return ReleasedDatasheet(
        answers=answers_of(collection),
        dates_known=known,
        first_day=first,
        last_day=last,
        annotators=published_profiles(collection) or _imported_profiles(imported),
        owner_annotators=_owner_annotators(collection)
        + (imported.owner_annotators if imported else 0),
        consent=_consent(collection) or _imported_consent(imported),
    )


def _consent(collection: Collection) -> ReleasedConsent | None:
    """The consent of those who judged pairs of the release; None without a text."""
    versions = list(collection.consent_texts.order_by("version").values_list("version", flat=True))
    if not versions:
        return None
    judged = SlotCount.objects.filter(query__collection=collection, judged__gt=0).order_by()
    judges = set(judged.values_list("annotator", flat=True))
    given = Consent.objects.filter(text__collection=collection, person__in=judges).order_by()
    agreed: defaultdict[int, set[int]] = defaultdict(set)
    standing: defaultdict[int, set[int]] = defaultdict(set)
    for version, person, withdrawn_at in given.values_list(
        "text__version", "person", "withdrawn_at"
    ):
        agreed[version].add(person)
        if withdrawn_at is None:
            standing[version].add(person)
    return ReleasedConsent(
        versions=tuple(
            ConsentVersion(
                version, len(agreed[version]), len(agreed[version]) - len(standing[version])
            )
            for version in versions
        ),
        judges=len(judges),
        without=len(judges.difference(*agreed.values())),
    )


def _imported_consent(imported: ReleaseImport | None) -> ReleasedConsent:
    """The counts of the release that the collection was made from."""
    consent = imported.consent if imported else {}
    if not consent:
        return ReleasedConsent()
    versions = tuple(ConsentVersion(**version) for version in consent["versions"])
    return ReleasedConsent(versions, consent["judges"], consent["without"])


def _owner_annotators(collection: Collection) -> int:
    """The people who judged pairs of the release and were or are owner-annotators."""
    judged = SlotCount.objects.filter(
        query__collection=collection, annotator=OuterRef("user"), judged__gt=0
    )
    owners = GivenRole.objects.filter(collection=collection, role=Role.OWNER_ANNOTATOR)
    return owners.filter(Exists(judged)).count()


def _imported_profiles(imported: ReleaseImport | None) -> tuple[PublishedField, ...]:
    """The groups of people that the release describes which the collection was made from."""
    return tuple(
        PublishedField(
            field["label"],
            tuple(ProfileGroup(group["label"], group["people"]) for group in field["groups"]),
        )
        for field in (imported.annotators if imported else ())
    )


def _days(collection: Collection, imported: ReleaseImport | None) -> tuple[str, str]:
    """The days of the first and the last judgment that a release has, "" if it has none.

    Of imported judgments, the release has the days. Those made here came after the import.
    """
    first, last = _days_here(collection, imported)
    days = {first, last} - {""}
    if imported and imported.first_day and imported.last_day:
        days |= {imported.first_day.isoformat(), imported.last_day.isoformat()}
    return (min(days), max(days)) if days else ("", "")


def _days_here(collection: Collection, imported: ReleaseImport | None) -> tuple[str, str]:
    def here(time: str) -> Q:
        return Q() if imported is None else Q(**{f"{time}__gt": imported.imported_at})

    pairs = Pair.objects.filter(query__collection=collection).judged().order_by()
    times = pairs.aggregate(
        **{f"first_{number}": Min(time, filter=here(time)) for number, time in enumerate(TIMES)},
        **{f"last_{number}": Max(time, filter=here(time)) for number, time in enumerate(TIMES)},
    )
    firsts = [time for name, time in times.items() if name.startswith("first") and time]
    lasts = [time for name, time in times.items() if name.startswith("last") and time]
    return (_day(min(firsts)), _day(max(lasts))) if firsts and lasts else ("", "")


def _day(time: datetime) -> str:
    return time.astimezone(UTC).date().isoformat()

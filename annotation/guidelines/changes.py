"""Apply another version of the guideline to open queries, in the same round or in another one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.db import IntegrityError, transaction

from accounts.actions.kinds import ActionKind, SubjectKind
from accounts.actions.services import record_action
from accounts.actions.subjects import about
from accounts.locking import lock_collection
from accounts.models import Collection, User
from annotation.models import (
    Guideline,
    GuidelineChange,
    Opening,
    Pair,
    PairCount,
    Slot,
    SlotCount,
)
from annotation.repeats.planning import plan_repeats
from annotation.services import (
    CannotReassign,
    JudgingConflict,
    JudgingError,
    candidates_with_texts,
    check_seat_holder,
    fault_of_reason,
    move_slots,
    presentation_with,
    shown_query,
)
from annotation.team.plans import AT_ONCE, change_in_steps, request_job
from corpus.models import SOURCES, Query
from database.bulk import update_rows
from jobs.context import JobContext
from jobs.models import Job
from pooling.models import Candidate

APPLYING_KIND = "apply_guideline"
IN_STUDY = "new_round_of_a_query_in_a_study"  # a trigger's name


class CannotApply(JudgingConflict):
    """The version is not newer than that of the query, or a study forbids another round."""


class BadGuidelineChange(JudgingError):
    """The reason is missing or too long, or no query is named."""


def apply_guideline(
    *,
    collection: Collection,
    queries: Sequence[str],
    guideline: Guideline,
    reason: str,
    judge_again: bool,
    made_by: User | None,
) -> Job | None:
    """Apply the version to these open queries: now, or by the returned job if they are many.

    With `judge_again`, each begins another round: both judges judge all its pairs again, and the
    earlier judgments and decisions count no longer. Otherwise judgments keep the version that they
    were made under. In both cases the judges must read the version before they go on.

    Raises:
        BadGuidelineChange, CannotApply, CollectionArchived
    """
    reason = _checked(reason, queries)
    if len(queries) > AT_ONCE:
        return request_guideline(
            collection=collection,
            queries=queries,
            guideline=guideline,
            reason=reason,
            judge_again=judge_again,
            made_by=made_by,
        )
    with transaction.atomic():
        lock_collection(collection)
        for name in queries:
            _apply(collection, name, guideline, reason, judge_again, made_by)
    return None


def request_guideline(
    *,
    collection: Collection,
    queries: Sequence[str],
    guideline: Guideline,
    reason: str,
    judge_again: bool,
    made_by: User | None,
) -> Job:
    """Queue the job that applies the version, some queries at a time.

    Raises:
        InProgress: another such job has not ended.
    """
    parameters = {
        "queries": [*queries],
        "guideline": guideline.pk,
        "reason": reason,
        "judge_again": judge_again,
    }
    return request_job(APPLYING_KIND, collection, parameters, made_by)


def apply_as_requested(
    *,
    collection: Collection,
    queries: Sequence[str],
    guideline: Guideline,
    reason: str,
    judge_again: bool,
    made_by: User | None,
    work: JobContext,
) -> dict[str, Any]:
    """Apply it to some queries at a time. Queries that have the version by now are left out.

    Raises:
        CannotApply: at the first query that cannot have it. Those before it have it.
    """
    changed = 0

    def apply(name: str) -> None:
        nonlocal changed
        changes = GuidelineChange.objects.filter(opening__query__name=name, guideline=guideline)
        if not changes.filter(opening__query__collection=collection).exists():
            _apply(collection, name, guideline, reason, judge_again, made_by)
            changed += 1

    change_in_steps(queries, apply, collection, work, "queries")
    return {"queries": changed}


def _checked(reason: str, queries: Sequence[str]) -> str:
    reason = reason.strip()
    if fault := fault_of_reason(reason, "what the new version changes"):
        raise BadGuidelineChange(fault)
    if not queries:
        raise BadGuidelineChange("No query is chosen. Choose at least one.")
    return reason


def _apply(
    collection: Collection,
    name: str,
    guideline: Guideline,
    reason: str,
    judge_again: bool,
    made_by: User | None,
) -> None:
    """In the caller's transaction, which has the collection's lock."""
    opening = (
        Opening.objects.of(collection)
        .select_related("query__facet", *(f"query__{source}" for source in SOURCES))
        .filter(query__name=name)
        .first()
    )
    if opening is None:
        raise CannotApply(f"{name} is not open for judging. It gets the newest version when it is.")
    query = opening.query
    if judge_again:
        _check_seats(opening)
        # As a judgment locks them: first the slots, then the counts.
        for rows in (
            Slot.objects.filter(pair__query=query),
            SlotCount.objects.filter(query=query),
            PairCount.objects.filter(query=query),
        ):
            list(rows.select_for_update(of=("self",)).order_by("pk").values_list("pk"))
    try:
        with transaction.atomic():
            GuidelineChange.objects.create(
                opening=opening,
                earlier_id=opening.guideline_id,
                guideline=guideline,
                round=opening.round + judge_again,
                reason=reason,
                made_by=made_by,
            )
    except IntegrityError as error:
        if IN_STUDY in str(error):
            raise CannotApply(
                f"{name} has pairs in a full-text study, whose rater read them in full, so they "
                "cannot be judged blind again."
            ) from error
        raise CannotApply(
            f"{name} has version {opening.guideline.version} of its guideline already. Write a "
            "newer one, or have all its pairs judged again."
        ) from error
    if judge_again:
        _hand_to_seats(opening)
        for number in (1, 2):
            plan_repeats(query, number)
    _renew_digests(query, guideline.version)
    record_action(
        kind=ActionKind.GUIDELINE_APPLIED,
        collection=collection,
        subject=about(SubjectKind.QUERY, query.pk, query.name),
        details={"version": guideline.version, "judged_again": judge_again, "reason": reason},
        by=made_by,
    )


def _check_seats(opening: Opening) -> None:
    for seat in opening.seats.select_related("annotator"):
        try:
            check_seat_holder(opening.query, seat)
        except CannotReassign as error:
            raise CannotApply(str(error)) from error


def _hand_to_seats(opening: Opening) -> None:
    """Hand the empty slots to the people who have their seats by now."""
    query = opening.query
    for seat in opening.seats.select_related("annotator"):
        slots = Slot.objects.filter(pair__query=query, number=seat.number)
        if not slots.exclude(annotator=seat.annotator).exists():
            continue
        try:
            with transaction.atomic():
                move_slots(query, seat.number, seat.annotator)
        except IntegrityError as error:
            raise CannotApply(
                f"{seat.annotator} has slot {seat.number} of {query.name}, but judged or decided "
                "some of its pairs before, in another place. Hand the seat over first."
            ) from error


def _renew_digests(query: Query, guideline_version: int) -> None:
    """Store what the pairs of the query show under this version."""
    shown = shown_query(query)
    digests = {
        candidate.pk: presentation_with(query, shown, candidate, guideline_version).digest
        for candidate in candidates_with_texts(Candidate.objects.filter(pairs__query=query))
    }
    pairs = Pair.objects.filter(query=query).order_by("pk").values_list("pk", "candidate")
    update_rows(Pair, ("presentation_digest",), [(pk, digests[row]) for pk, row in pairs])

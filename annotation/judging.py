"""The service that saves a judgment, and what the judging page shows next."""

from __future__ import annotations

import uuid
from collections.abc import Iterable

from django.db import transaction
from django.utils import timezone

from accounts.models import Collection, User
from annotation.guidelines import version_in_force
from annotation.models import Judgment, Pair, PairState, Reason, Slot
from annotation.presentation import Presentation, present
from corpus.models import Query
from web.errors import BadInput, Conflict, NotFound

AHEAD = 20  # pairs that a page fetches together
LONGEST_SECONDS = 24 * 3600.0
NOT_YOURS = "This pair is not yours to judge. It may have been handed over."


@transaction.atomic
def submit_judgment(
    *,
    judge: User,
    query: Query,
    token: str,
    grade: int | None,
    reason: str,
    note: str,
    key: uuid.UUID,
    replaces: uuid.UUID | None,
    digest: str,
    seconds: float | None,
) -> Judgment:
    """Append a judgment to the judge's slot of the pair, and settle the pair.

    The same `key` again returns the first judgment. `replaces` is the key of the judgment that the page showed: if
    another window judged meanwhile, this one is refused rather than silently put on top. `digest` is of what was on
    screen: a judgment that does not fit its pair is refused.
    """
    pair = Pair.objects.select_for_update().filter(query=query, token=token).first()
    # Read after the lock: what is joined to a locked row is as it was before the wait for the lock.
    slots = list(Slot.objects.filter(pair=pair).with_texts()) if pair else []
    slot = next((slot for slot in slots if slot.judge_id == judge.pk), None)
    if pair is None or slot is None:
        raise NotFound(NOT_YOURS)
    if earlier := Judgment.objects.filter(key=key).first():
        if (earlier.slot_id, earlier.grade, earlier.reason, earlier.note) != (slot.pk, grade, reason, note):
            raise Conflict("This submission was used for another judgment. Reload the page and judge again.")
        return earlier
    _check(query.collection, grade, reason, note)
    if slot.pair.opening.closed_at:
        raise Conflict("This query is closed. Ask an admin to re-open it if a judgment must change.")
    version = version_in_force(query.collection, query.facet)
    if digest != present(query, slot.pair.document, version).digest:
        raise Conflict("The text or the guideline of this pair changed after the page was loaded. Look at it again.")
    if (slot.judgment.key if slot.judgment else None) != replaces:
        raise Conflict("You judged this pair in another window meanwhile. Look at it again.")
    if slot.judgment and knows_gold(slot):
        raise Conflict("You have finished this training and can see its answers. It can no longer change.")
    # Not by the pair's state: one of a practice stays open.
    if all(each.judgment for each in slots) and knows_the_other(judge, query.collection):
        raise Conflict("Both judgments of this pair are in, and as an admin you can see them. It can no longer change.")
    judgment = Judgment.objects.create(
        collection=query.collection,
        slot=slot,
        judge=judge,
        grade=grade,
        reason=reason,
        note=note,
        key=key,
        digest=digest,
        guideline_version=version,
        seconds=None if seconds is None else min(max(seconds, 0.0), LONGEST_SECONDS),
    )
    slot.judgment, slot.put_off_at = judgment, None
    slot.save(update_fields=["judgment", "put_off_at"])
    settle(pair, slots)
    return judgment


def _check(collection: Collection, grade: int | None, reason: str, note: str) -> None:
    if grade is not None and not 0 <= grade <= collection.top_grade:
        raise BadInput(f"A grade is 0 to {collection.top_grade} here, got {grade}.")
    if (grade is None) == (reason == ""):
        raise BadInput("Give a grade, or a reason why the pair cannot be judged.")
    if reason and reason not in Reason.values:
        raise BadInput(f"A reason is one of {', '.join(Reason.values)}, got {reason!r}.")
    if reason == Reason.OTHER and not note.strip():
        raise BadInput("Write the other reason into the note.")
    if len(note) > 2000:
        raise BadInput(f"A note has at most 2,000 characters, got {len(note):,}.")


def knows_the_other(judge: User, collection: Collection) -> bool:
    """An admin of a small lab judges, too, and sees both grades once both are in; so did one who gave up the role."""
    return judge.is_superuser or collection.memberships.filter(user=judge, was_admin=True).exists()


def knows_gold(slot: Slot) -> bool:
    """A trainee who has judged everything sees the answers."""
    practice = slot.pair.opening.practice
    own = Slot.objects.filter(pair__opening__practice=practice, judge=slot.judge_id)
    return practice is not None and bool(practice.gold) and not own.filter(judgment=None).exists()


def settle(pair: Pair, slots: Iterable[Slot]) -> None:
    """State and label of a locked pair from its two slots; a decision on earlier judgments stands no more."""
    if not pair.counts:
        return
    before = pair.state, pair.final
    pair.state, pair.final = state_of([slot.judgment for slot in slots], pair.referred)
    if (pair.state, pair.final) != before:
        pair.save(update_fields=["state", "final"])


def state_of(judgments: Iterable[Judgment | None], referred: bool) -> tuple[str, int | None]:
    given = list(judgments)
    if None in given:
        return PairState.OPEN, None
    first, second = (judgment.grade for judgment in given if judgment is not None)
    if first is not None and first == second and not referred:
        return PairState.AGREED, first
    return PairState.CASE, None


@transaction.atomic
def put_off(*, judge: User, query: Query, token: str) -> None:
    """The pair comes again after all others."""
    slot = Slot.objects.of(judge, query).filter(pair__token=token, judgment=None).first()
    if slot:
        slot.put_off_at = timezone.now()
        slot.save(update_fields=["put_off_at"])


class Shown:
    """A pair of the judge with what its page shows: nothing of it comes from anyone else."""

    def __init__(self, slot: Slot, query: Query, guideline_version: int) -> None:
        self.token, self.judgment, self.slot = slot.pair.token, slot.judgment, slot
        self.presentation: Presentation = present(query, slot.pair.document, guideline_version)
        self.is_closed = slot.pair.opening.closed_at is not None


def shown_pair(judge: User, query: Query, token: str) -> Shown:
    slot = Slot.objects.of(judge, query).filter(pair__token=token).with_texts().first()
    if slot is None:
        raise NotFound(NOT_YOURS)
    return Shown(slot, query, version_in_force(query.collection, query.facet))


def next_pairs(judge: User, query: Query, *, without: Iterable[str] = (), number: int = AHEAD) -> list[Shown]:
    """The pairs to judge next, in the judge's own order; `without` are tokens that the page has already."""
    slots = Slot.objects.of(judge, query).waiting().exclude(pair__token__in=list(without)).in_order().with_texts()
    version = version_in_force(query.collection, query.facet)
    return [Shown(slot, query, version) for slot in slots[:number]]


def previous_pair(judge: User, query: Query, before: str = "") -> Shown | None:
    """The pair that was judged last, or last before that of a token."""
    slots = Slot.objects.of(judge, query).filter(judgment__isnull=False).with_texts()
    own = slots.filter(pair__token=before).first() if before else None
    if own and own.judgment_id:
        slots = slots.filter(judgment__lt=own.judgment_id)
    last = slots.order_by("-judgment").first()
    return Shown(last, query, version_in_force(query.collection, query.facet)) if last else None

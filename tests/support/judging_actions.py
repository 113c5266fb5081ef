"""What the people of a collection can do with its pairs, as actions that tests choose at random.

An action is a name and four numbers. The numbers choose among the rows that there are, so every
action means something in every state; what the rules refuse raises a `UserFacingError`.
"""

from __future__ import annotations

import uuid
from collections.abc import Callable, Mapping
from typing import NamedTuple

from django.db import transaction
from django.utils import timezone
from hypothesis import strategies as st

from accounts.locking import lock_collection
from accounts.models import Collection, Role, User
from adjudication.claims.services import LIFETIME, claim_pair
from adjudication.models import Case, Claim, Recipient
from adjudication.questions.services import take_back
from adjudication.services import Ruling
from annotation.guidelines.changes import apply_guideline
from annotation.guidelines.readings import record_reading
from annotation.models import Opening, PairQuestion, Reason, Repeat, Slot
from annotation.services import Answer, postpone, reassign_seat, write_guideline
from annotation.team import open_new_pairs
from dashboard.settings.archiving import archive_collection, unarchive_collection
from release.models import Release
from release.services import publish_release
from tests.support.factories import an_open_query, member
from tests.support.releases import EVERY_EXCEPTION
from tests.support.repeats import a_collection_with_repeats, answer_repeat
from tests.support.rounds import top_up
from tests.support.sittings import ask, decide_case, judge, keep, rate_pair, refer

ANNOTATORS = ("ann1", "ann2", "ann3")
ADJUDICATORS = ("adju", "adju2")
GRADES = 4


class Action(NamedTuple):
    """`which` and `other` choose rows and people, `grade` a grade, `seed` an idempotency key."""

    name: str
    which: int
    other: int
    grade: int
    seed: int


def a_world(slug: str) -> Collection:
    """Two open queries of three pairs each, three annotators and two adjudicators.

    A pair of each judge comes again. ann3 is an adjudicator, too. Some pairs are judged, so that
    more happens in a few actions.
    """
    collection = a_collection_with_repeats(0.4, slug=slug)
    for name in ADJUDICATORS:
        member(collection, Role.ADJUDICATOR, name)
    third = member(collection, Role.ANNOTATOR, "ann3")
    member(collection, Role.ADJUDICATOR, third.username)
    for facet in ("background", "method"):
        an_open_query(collection, size=3, facet=facet)
    for place, slot in enumerate(slots_of_all(collection)):
        if place % 3:
            judge(slot, place % GRADES)
    return collection


def slots_of_all(collection: Collection) -> list[Slot]:
    slots = Slot.objects.of(collection).select_related(
        "annotator", "pair__query__opening__guideline", "pair__candidate__document"
    )
    return list(slots.order_by("pk"))


def _opening(collection: Collection, action: Action) -> Opening:
    openings = list(Opening.objects.of(collection).order_by("pk"))
    return openings[action.which % len(openings)]


def _slot(collection: Collection, action: Action) -> Slot:
    slots = slots_of_all(collection)
    return slots[action.which % len(slots)]


def _answer(action: Action) -> Answer:
    if action.grade < GRADES:
        return Answer(grade=action.grade)
    return Answer(reason=Reason.GARBLED)


def _judge(collection: Collection, action: Action) -> None:
    judge(_slot(collection, action), _answer(action))


def _send_twice(collection: Collection, action: Action) -> None:
    slot, key = _slot(collection, action), uuid.UUID(int=action.seed + (collection.pk << 64))
    for _ in range(2):
        judge(slot, _answer(action), key=key, supersedes=None)


def _repeat(collection: Collection, action: Action) -> None:
    repeats = list(Repeat.objects.of(collection).order_by("pk"))
    if not repeats:
        return
    repeat = repeats[action.which % len(repeats)]
    slot = next(slot for slot in slots_of_all(collection) if slot.pk == repeat.slot_id)
    answer_repeat(repeat, None if action.grade == GRADES else action.grade, shown_for=slot)


def _postpone(collection: Collection, action: Action) -> None:
    slot = _slot(collection, action)
    postpone(slot_id=slot.pk, annotator=slot.annotator)


def _hand_over(collection: Collection, action: Action) -> None:
    annotator = User.objects.get(username=ANNOTATORS[action.other % len(ANNOTATORS)])
    reassign_seat(
        opening=_opening(collection, action), number=action.grade % 2 + 1, annotator=annotator
    )


def _decide(collection: Collection, action: Action) -> None:
    cases = list(Case.objects.cases().filter(query__collection=collection).order_by("pk"))
    if not cases:
        return
    answer = _answer(action)
    decide_case(
        cases[action.which % len(cases)],
        _adjudicator(action),
        Ruling(grade=answer.grade, reason=answer.reason),
    )


def _waiting(collection: Collection, action: Action) -> Case | None:
    """A case or spot check that waits for an adjudicator."""
    pairs = list(Case.objects.waiting().filter(query__collection=collection).order_by("pk"))
    return pairs[action.which % len(pairs)] if pairs else None


def _adjudicator(action: Action) -> User:
    """One of the adjudicators, or ann3, who may have judged the pair."""
    people = (*ADJUDICATORS, "ann3")
    return User.objects.get(username=people[action.other % len(people)])


def _rate_blind(collection: Collection, action: Action) -> None:
    if pair := _waiting(collection, action):
        answer = _answer(action)
        ruling = Ruling(grade=answer.grade, reason=answer.reason)
        rate_pair(pair, _adjudicator(action), ruling)


def _claim(collection: Collection, action: Action) -> None:
    if pair := _waiting(collection, action):
        claim_pair(pair_id=pair.pk, adjudicator=_adjudicator(action))


def _expire(collection: Collection, action: Action) -> None:
    """As if nothing had been heard of the person for longer than a claim lasts."""
    past = timezone.now() - LIFETIME
    claims = Claim.objects.filter(pair__query__collection=collection)
    claims.update(claimed_at=past - LIFETIME, expires_at=past)


def _change_rules(collection: Collection, action: Action) -> None:
    with transaction.atomic():
        lock_collection(collection)
        Collection.objects.filter(pk=collection.pk).update(
            grades_blind_first=bool(action.which % 2), spot_check_share=action.other % 3 / 2
        )


def _ask(collection: Collection, action: Action) -> None:
    cases = list(Case.objects.cases().filter(query__collection=collection).order_by("pk"))
    if cases:
        slot = cases[action.which % len(cases)].slots.get(number=1)
        ask(slot, User.objects.get(username=ADJUDICATORS[action.other % len(ADJUDICATORS)]))


def _questions(collection: Collection) -> list[PairQuestion]:
    return list(PairQuestion.objects.of(collection))


def _keep(collection: Collection, action: Action) -> None:
    questions = _questions(collection)
    if questions:
        question = questions[action.which % len(questions)]
        keep(question.pair.slots.get(number=action.other % 2 + 1))


def _take_back(collection: Collection, action: Action) -> None:
    questions = _questions(collection)
    if questions:
        question = questions[action.which % len(questions)]
        take_back(question=question, taken_back_by=User.objects.get(username="adju2"))


def _refer(collection: Collection, action: Action) -> None:
    recipients = list(Recipient)
    refer(_slot(collection, action).pair, recipients[action.other % len(recipients)])


def _apply(collection: Collection, action: Action, *, judge_again: bool) -> None:
    opening = _opening(collection, action)
    old = opening.query.facet.guidelines.first()
    new = write_guideline(
        facet=opening.query.facet, instructions=f"Version {action.seed}.", grades=old.grades
    )
    apply_guideline(
        collection=collection,
        queries=[opening.query.name],
        guideline=new,
        reason="Clearer.",
        judge_again=judge_again,
        made_by=None,
    )
    if action.other % 2:  # otherwise its judges still have to read it
        _read(collection, action)


def _read(collection: Collection, action: Action) -> None:
    guideline = _opening(collection, action).guideline
    for name in ANNOTATORS:
        record_reading(guideline, User.objects.get(username=name))


def _top_up(collection: Collection, action: Action) -> None:
    """A round of one to three documents for the pool of an opening."""
    opening, count = _opening(collection, action), action.other % 3 + 1
    top_up(opening, count, name=f"late-{uuid.uuid4()}")


def _open_round(collection: Collection, action: Action) -> None:
    """With the annotator ann3 as a substitute, and up to all old pairs among the new ones."""
    open_new_pairs(
        collection=collection,
        substitutes=[User.objects.get(username="ann3")],
        old_share=action.grade / GRADES,
    )


def _leave(collection: Collection, action: Action) -> None:
    """Log-in of an annotator ends, or comes back."""
    person = User.objects.filter(username=ANNOTATORS[action.other % len(ANNOTATORS)])
    person.update(is_active=bool(action.which % 3))


def _archive(collection: Collection, action: Action) -> None:
    """For a moment: what comes meanwhile is refused."""
    archive_collection(collection=collection)
    unarchive_collection(collection=collection)


def _publish(collection: Collection, action: Action) -> None:
    """The next version, with every finding accepted. What was judged in it is public then."""
    version = f"1.{Release.objects.filter(collection=collection).count()}"
    publish_release(collection=collection, version=version, accept=EVERY_EXCEPTION)


ACTIONS: Mapping[str, Callable[[Collection, Action], None]] = {
    "judge": _judge,
    "send twice": _send_twice,
    "repeat": _repeat,
    "postpone": _postpone,
    "hand over": _hand_over,
    "decide": _decide,
    "ask": _ask,
    "keep": _keep,
    "take back": _take_back,
    "refer": _refer,
    "rate blind": _rate_blind,
    "claim": _claim,
    "expire": _expire,
    "change the rules": _change_rules,
    "give a version": lambda *scene: _apply(*scene, judge_again=False),
    "begin a round": lambda *scene: _apply(*scene, judge_again=True),
    "read": _read,
    "top up": _top_up,
    "open a round": _open_round,
    "leave": _leave,
    "archive": _archive,
    "publish": _publish,
}
SMALL = st.integers(0, 11)
# Judgments and what adjudicators say are more frequent than all else, as in a collection.
NAMES = st.one_of(
    st.sampled_from(["judge", "decide", "rate blind", "ask", "top up", "open a round", "publish"]),
    st.sampled_from([*ACTIONS]),
)
ANY_ACTION = st.builds(
    Action, name=NAMES, which=SMALL, other=SMALL, grade=st.integers(0, GRADES), seed=SMALL
)


def act(collection: Collection, action: Action) -> None:
    ACTIONS[action.name](collection, action)

"""Ask for help, answer, and make a version of the guideline from a help request."""

from __future__ import annotations

import uuid
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from django.db import IntegrityError, transaction
from django.utils import timezone
from django.utils.translation import gettext

from accounts.locking import check_not_archived, lock_collection
from accounts.models import JUDGES_AND_ADJUDICATORS, Collection, Role, User
from annotation.help_requests.names import named_in
from annotation.models import (
    LONGEST_HELP_TEXT,
    GradeMeaning,
    Guideline,
    HelpExample,
    HelpReading,
    HelpRequest,
    Pair,
    Repeat,
    Slot,
)
from annotation.services import (
    JudgingConflict,
    JudgingError,
    KeyReused,
    NotYours,
    write_guideline,
)
from annotation.slot_sql import REPEATS, OwnSlot
from retrieval.models import Run
from retrieval.retrievers.registry import CATALOGUE

if TYPE_CHECKING:
    from django.db.models import QuerySet

UNDECIDED = "help_example_of_a_decided_pair"  # a trigger's name


class BadHelpText(JudgingError):
    """The text of a help request or of its answer is missing or too long."""


class AlreadyAsked(JudgingConflict):
    """A help request of this person about the same thing is open."""

    def __init__(self, *, on_guideline: bool) -> None:
        super().__init__(
            gettext(
                "You have asked about this guideline already, and no admin has answered yet. You "
                "can ask again after the answer."
            )
            if on_guideline
            else gettext(
                "You have asked about this pair already, and no admin has answered yet. You can "
                "ask again after the answer."
            )
        )


class NoAdmin(JudgingConflict):
    """The collection has no admin who could answer."""


class AlreadyAnswered(JudgingConflict):
    """Another admin has answered meanwhile. An answer is given once."""


class NamesSecrets(JudgingConflict):
    """The text has names that judges must not read."""

    def __init__(self, noun: str, names: Sequence[str], reason: str) -> None:
        quoted = ", ".join(f"“{name}”" for name in names)
        super().__init__(f"The {noun} names {quoted}. Remove it: {reason}.")


class UndecidedExample(JudgingConflict):
    """The example shows a pair that has no final label yet."""


@dataclass(frozen=True)
class NewRequest:
    """The fields that a person sends to ask. With `on_guideline`, the pair does not matter."""

    text: str
    on_guideline: bool
    key: uuid.UUID


def ask_for_help(*, slot: OwnSlot, asker: User, **sent: Any) -> HelpRequest:
    """Ask the admin about the pair of an own slot or repeat, or about the guideline of its facet.

    `sent` are the fields of a NewRequest. The same `key` again returns the first request. Judging
    goes on meanwhile.

    Raises:
        NotYours, BadHelpText, NoAdmin, AlreadyAsked, KeyReused, CollectionArchived
    """
    return save_request(
        sent=NewRequest(**sent), asker=asker, lock_pair=lambda: _locked_pair(slot, asker)
    )


def save_request(
    *,
    sent: NewRequest,
    asker: User,
    lock_pair: Callable[[], tuple[Pair, str]],
    from_case: bool = False,
) -> HelpRequest:
    """Save a request about a pair that the asker may ask about.

    `lock_pair` is called in the transaction. It returns the pair and the name by which the asker
    knows it, or raises.

    Raises:
        BadHelpText, NoAdmin, AlreadyAsked, KeyReused, CollectionArchived
    """
    text, on_guideline, key = _checked(sent.text, "question"), sent.on_guideline, sent.key
    try:
        with transaction.atomic():
            pair, token = lock_pair()
            facet = pair.query.facet
            check_not_archived(facet.collection)
            if earlier := HelpRequest.objects.filter(key=key).first():
                return _same_request(earlier, asker, text, facet_id=facet.pk)
            if not _members(facet.collection, Role.ADMIN).filter(is_active=True).exists():
                raise NoAdmin(
                    gettext("This collection has no admin who can answer. Nothing was sent.")
                )
            return HelpRequest.objects.create(
                facet=facet,
                pair=None if on_guideline else pair,
                token="" if on_guideline else token,
                from_case=from_case,
                asker=asker,
                text=text,
                key=key,
            )
    except IntegrityError as error:
        if earlier := HelpRequest.objects.filter(key=key).first():
            return _same_request(earlier, asker, text, facet_id=earlier.facet_id)
        raise AlreadyAsked(on_guideline=on_guideline) from error


def _locked_pair(slot: OwnSlot, asker: User) -> tuple[Pair, str]:
    """The pair, and the name by which the asker knows it. The slot stays the asker's meanwhile."""
    path = "slot__pair" if slot.rows is REPEATS else "pair"
    model: type[Slot | Repeat] = Repeat if slot.rows is REPEATS else Slot
    row = (
        model.objects.select_for_update(of=("self",))
        .select_related(f"{path}__query__facet__collection")
        .filter(pk=slot.pk, annotator=asker)
        .first()
    )
    if isinstance(row, Repeat):
        return row.slot.pair, row.token
    if row is None:
        raise NotYours(gettext("This pair is not assigned to you."))
    return row.pair, row.pair.token


def _same_request(earlier: HelpRequest, asker: User, text: str, *, facet_id: int) -> HelpRequest:
    if (earlier.asker_id, earlier.text, earlier.facet_id) != (asker.pk, text, facet_id):
        raise KeyReused(gettext("This page was already used for another question. Reload it."))
    return earlier


def answer_request(
    *, request: HelpRequest, answered_by: User, answer: str, for_all: bool
) -> HelpRequest:
    """Answer a help request: to the asker alone, or to all judges of the facet.

    Raises:
        BadHelpText, AlreadyAnswered, CollectionArchived
        NamesSecrets: the answer names a judge, an adjudicator, a retriever or a run; or, to all
            judges, the paper of a pair that is not judged by both or that an adjudicator asked
            about.
    """
    answer = _checked(answer, "answer")
    with transaction.atomic():
        # A service that decides about guidelines and roles has this lock, too.
        collection = lock_collection(request.facet.collection)
        request = (
            HelpRequest.objects.select_for_update(of=("self",))
            .select_related("facet", "asker", "pair__candidate__document")
            .get(pk=request.pk)
        )
        if request.is_answered:
            raise AlreadyAnswered("This question was answered meanwhile. Reload the page.")
        check_names(request, collection, answer, "answer", to_asker=not for_all)
        if for_all:
            _check_paper(request, answer)
        request.answer, request.for_all = answer, for_all
        request.answered_by, request.answered_at = answered_by, timezone.now()
        request.save(update_fields=["answer", "for_all", "answered_by", "answered_at"])
    return request


def check_names(
    request: HelpRequest, collection: Collection, text: str, noun: str, *, to_asker: bool = False
) -> None:
    """Raise NamesSecrets for exact names of people who judge or decide, and of what found papers.

    The asker may be addressed in an answer that is for him or her alone.
    """
    people = _members(collection, *JUDGES_AND_ADJUDICATORS) | User.objects.filter(
        pk__in=Slot.objects.of(collection).order_by().values("annotator").distinct()
    )
    if to_asker:
        people = people.exclude(pk=request.asker_id)
    names = {name for person in people for name in (person.username, person.shown_name)}
    if found := named_in(text, names):
        raise NamesSecrets(noun, found, "judges must not learn who else judges or decides")
    runs = Run._base_manager.filter(collection=collection).values_list("name", flat=True)
    sources = {*CATALOGUE, *runs, *_sources_of(request)}
    if found := named_in(text, sources):
        raise NamesSecrets(noun, found, "judges must not learn what found a paper")


def _sources_of(request: HelpRequest) -> Iterable[str]:
    """The sources of the pair's candidate, also where the run is gone."""
    if request.pair is None:
        return ()
    return request.pair.candidate.contributions.values_list("source", flat=True)


def _check_paper(request: HelpRequest, text: str) -> None:
    """Its judges must not recognise a pair in the text before both have judged it.

    Nor a pair of an adjudicator's question: they would learn that the other grade is another.
    """
    pair = request.pair
    if pair is None or not (found := papers_in(request, text)):
        return
    if request.from_case:
        reason = "an adjudicator asked, so the judges of this pair would learn that they differ"
        raise NamesSecrets("answer", found, reason)
    if not Pair.objects.judged().filter(pk=pair.pk).exists():
        raise NamesSecrets("answer", found, "the other judge of this pair has not judged it yet")


def papers_in(request: HelpRequest, text: str) -> list[str]:
    """The title and the docno of the pair's candidate, where the text has them."""
    if request.pair is None:
        return []
    document = request.pair.candidate.document
    return named_in(text, (document.title, document.docno))


def write_example(
    *,
    request: HelpRequest,
    written_by: User,
    instructions: str,
    grades: list[GradeMeaning],
    based_on: int,
) -> Guideline:
    """Write the next version of the facet's guideline from a help request.

    What is new in it names no judge and no retriever. It names the pair's paper only if the pair is
    decided.

    Raises:
        NamesSecrets, UndecidedExample, GuidelineChanged, JudgingError, CollectionArchived
    """
    facet = request.facet
    try:
        with transaction.atomic():
            earlier = facet.guidelines.first()
            guideline = write_guideline(
                facet=facet, instructions=instructions, grades=grades, based_on=based_on
            )
            new = "\n".join(_new_lines(guideline, earlier))
            check_names(request, facet.collection, new, "new version")
            HelpExample.objects.create(
                request=request,
                guideline=guideline,
                shows_pair=bool(papers_in(request, new)),
                written_by=written_by,
            )
    except IntegrityError as error:
        if UNDECIDED not in str(error):
            raise
        raise UndecidedExample(
            "The new version names the paper of this pair, which is not decided yet: its judges "
            "would read the grade. Use another or a made-up paper as the example."
        ) from error
    return guideline


def _new_lines(guideline: Guideline, earlier: Guideline | None) -> list[str]:
    """The lines of the version that the earlier one does not have."""
    before = set(_lines(earlier)) if earlier else set()
    return [line for line in _lines(guideline) if line not in before]


def _lines(guideline: Guideline) -> list[str]:
    texts = [guideline.instructions]
    for grade in guideline.grades:
        texts += [value for value in grade.values() if isinstance(value, str)]
    return [line for text in texts for line in text.splitlines()]


def mark_read(*, collection: Collection, reader: User, requests: QuerySet[HelpRequest]) -> int:
    """Mark the answers of these requests as read, once each. Returns how many were unread.

    `requests` are those of the collection that the reader may see. Raises CollectionArchived.
    """
    check_not_archived(collection)
    unread = list(requests.filter(pk__in=HelpRequest.objects.unread_by(reader)))
    for request in unread:
        HelpReading.objects.get_or_create(request=request, reader=reader)
    return len(unread)


def _members(collection: Collection, *roles: Role | str) -> QuerySet[User]:
    return User.objects.filter(pk__in=collection.memberships.filter(role__in=roles).values("user"))


def _checked(text: str, noun: str) -> str:
    """The text as it is stored, or BadHelpText.

    The messages are in English, because only the API sends them: a form checks the text before.
    """
    text = text.replace("\r\n", "\n").strip()
    if not text:
        raise BadHelpText(f"The {noun} is missing. Enter it.")
    if len(text) > LONGEST_HELP_TEXT:
        raise BadHelpText(
            f"Shorten the {noun} to {LONGEST_HELP_TEXT:,} characters. It has {len(text):,} now."
        )
    return text

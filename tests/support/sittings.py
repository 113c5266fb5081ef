"""Judging and deciding in tests: through the services, or as a browser without scripts does."""

from __future__ import annotations

import re
import uuid
from collections.abc import Iterable
from copy import copy
from html import unescape

from django.urls import reverse

from accounts.models import Collection, User
from adjudication.blind.services import rate_blind
from adjudication.models import BlindRating, Case, Decision, Referral
from adjudication.referrals.services import refer_pair
from adjudication.services import Ruling, decide
from annotation import queue
from annotation.models import Judgment, Opening, Pair, Reason, Slot
from annotation.services import Answer, presentation_of, submit_judgment


def slots_of(opening: Opening, username: str) -> list[Slot]:
    """The person's slots in judging order."""
    slots = Slot.objects.filter(pair__query=opening.query, annotator__username=username)
    return list(slots.select_related("pair__candidate__document").in_judging_order())


def own_queries(collection: Collection, person: User) -> list[queue.QueryProgress]:
    """The person's queries as the page lists them."""
    return queue.own_queries(collection, person, queue.pace(collection, person))


def digest_of(slot: Slot) -> str:
    return presentation_of(slot.pair, slot.pair.query.opening.guideline.version).digest


def standing_key(slot: Slot) -> uuid.UUID | None:
    """The key of the judgment that the slot holds now, as a page of the pair carries it."""
    return Slot.objects.values_list("judgment__key", flat=True).get(pk=slot.pk)


def answer_of(answer: Answer | int | None) -> Answer:
    """None is a pair that cannot be judged."""
    if isinstance(answer, Answer):
        return answer
    return Answer(grade=answer, reason="" if answer is not None else Reason.GARBLED)


def judge(slot: Slot, answer: Answer | int | None, **changes) -> Judgment:
    return submit_judgment(
        **{
            "slot_id": slot.pk,
            "annotator": slot.annotator,
            "answer": answer_of(answer),
            "presentation_digest": digest_of(slot),
            "key": uuid.uuid4(),
            "supersedes": standing_key(slot),
            "seconds": 12.5,
        }
        | changes
    )


def judge_at_once(answers: Iterable[tuple[Slot, Answer | int | None]]) -> None:
    """The rows that `judge` makes, for slots without a judgment, in a few statements."""
    slots, judgments = [], []
    asking = set(Collection.objects.filter(marks_aspects=True).values_list("pk", flat=True))
    for slot, answer in answers:
        given = answer_of(answer)
        asks = slot.pair.query.collection_id in asking
        slots.append(copy(slot))
        judgments.append(
            Judgment(
                slot=slot,
                sequence=1,
                annotator_id=slot.annotator_id,
                grade=given.grade,
                reason=given.reason,
                note=given.note,
                aspects=list(given.aspects) if asks else None,
                presentation_digest=slot.pair.presentation_digest,
                guideline_version=slot.pair.query.opening.guideline.version,
                key=uuid.uuid4(),
                seconds=12.5,
            )
        )
    for slot, judgment in zip(slots, Judgment.objects.bulk_create(judgments), strict=True):
        slot.judgment = judgment
    Slot.objects.bulk_update(slots, ["judgment"])


def judge_both(opening: Opening, *answers: tuple[Answer | int, Answer | int]) -> list[Slot]:
    """Give the first pairs (in ann1's order) these two answers; ann1's slots are returned."""
    judged = slots_of(opening, "ann1")[: len(answers)]
    others = {slot.pair_id: slot for slot in slots_of(opening, "ann2")}
    judge_at_once(
        pair_answer
        for slot, (first, second) in zip(judged, answers, strict=True)
        for pair_answer in ((slot, first), (others[slot.pair_id], second))
    )
    return judged


def standing_decision_key(case: Case) -> uuid.UUID | None:
    return Decision.objects.filter(pk=case.decision_id).values_list("key", flat=True).first()


def settle(slot: Slot, adjudicator: User, grade: int | None, **changes) -> Decision:
    case = Case.objects.cases().get(pk=slot.pair_id)
    ruling = Ruling(grade=grade, reason="" if grade is not None else Reason.GARBLED)
    return decide_case(case, adjudicator, **{"ruling": ruling} | changes)


def decide_case(case: Case, adjudicator: User, ruling: Ruling, **changes) -> Decision:
    return decide(
        **{
            "pair_id": case.pk,
            "adjudicator": adjudicator,
            "ruling": ruling,
            "judgment_ids": (case.first, case.second),
            "key": uuid.uuid4(),
            "supersedes": standing_decision_key(case),
        }
        | changes
    )


def with_rules(collection: Collection, **rules) -> Collection:
    """The collection with these rules of judging."""
    Collection.objects.filter(pk=collection.pk).update(**rules)
    collection.refresh_from_db()
    return collection


def rate(slot: Slot, adjudicator: User, grade: int | None, **changes) -> BlindRating:
    """Grade the pair of the slot without seeing its judgments."""
    pair = Case.objects.to_adjudicate().get(pk=slot.pair_id)
    ruling = Ruling(grade=grade, reason="" if grade is not None else Reason.GARBLED)
    return rate_pair(pair, adjudicator, **{"ruling": ruling} | changes)


def rate_pair(pair: Case, adjudicator: User, ruling: Ruling, **changes) -> BlindRating:
    return rate_blind(
        **{
            "pair_id": pair.pk,
            "adjudicator": adjudicator,
            "ruling": ruling,
            "judgment_ids": (pair.first, pair.second),
            "key": uuid.uuid4(),
        }
        | changes
    )


def refer(pair: Pair, recipient: str, **changes) -> Referral:
    return refer_pair(
        **{
            "collection": pair.query.collection,
            "query": pair.query.name,
            "docno": pair.candidate.document.docno,
            "recipient": recipient,
            "reason": "A reader found an error.",
            "referred_by": None,
        }
        | changes
    )


def pair_url(slot: Slot, view: str = "judge-pair") -> str:
    query = slot.pair.query
    return reverse(view, args=[query.collection.slug, query.name, slot.pair.token])


def query_url(opening: Opening, view: str = "judge-query") -> str:
    return reverse(view, args=[opening.query.collection.slug, opening.query.name])


def carried(page: str) -> dict[str, str]:
    """The hidden fields of the page's answer form."""
    form = page[page.index('id="answer"') :]
    form = form[: form.index("</form>")]
    fields = re.findall(r'<input type="hidden" name="(\w+)" value="([^"]*)"', form)
    return {name: unescape(value) for name, value in fields}


def tells(text: str, word: str) -> bool:
    """Whether the word stands in the text; tokens, digests and keys may hold any digits."""
    return re.search(rf"\b{re.escape(word)}\b", re.sub("[0-9a-f-]{16,}", "", text)) is not None


def grades_in(opening: Opening, username: str) -> list[int | None]:
    return [slot.judgment.grade for slot in slots_of(opening, username) if slot.judgment]

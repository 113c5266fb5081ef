"""Pilot rounds for tests, and judgments in them."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from accounts.models import Collection, User
from annotation.appending import Submission
from annotation.models import Reason
from annotation.services import Answer
from practice.models import PracticeJudgment, PracticePair, PracticeSet
from practice.pilots import start_pilot
from practice.presentations import presentation_of_pair
from practice.services import submit_practice
from tests.support.factories import a_collection, a_query, annotators


def a_pilot(
    collection: Collection | None = None, *, people: Sequence[User] = (), **changes
) -> PracticeSet:
    """A round of all pairs of one query, which both annotators judge."""
    collection = collection or a_collection()
    if not collection.queries.exists():
        a_query(collection)
    arguments = {"queries": 1, "per_query": 3, "annotators": people or annotators(collection)}
    return start_pilot(collection=collection, **arguments | changes)


def practice_submission(
    pair: PracticePair, annotator: User, answer: Answer | int | None = 1, **changes
) -> Submission:
    """What the page of the pair would send. None is a pair that cannot be judged."""
    if not isinstance(answer, Answer):
        answer = Answer(grade=answer, reason="" if answer is not None else Reason.GARBLED)
    last = PracticeJudgment.objects.filter(pair=pair, annotator=annotator).last()
    sent = {
        "answer": answer,
        "presentation_digest": presentation_of_pair(pair)[1].digest,
        "key": uuid.uuid4(),
        "supersedes": last.key if last else None,
        "seconds": 12.5,
    }
    return Submission(**sent | changes)


def practise(
    pair: PracticePair, annotator: User, answer: Answer | int | None = 1, **changes
) -> PracticeJudgment:
    submission = practice_submission(pair, annotator, answer, **changes)
    return submit_practice(pair_id=pair.pk, annotator=annotator, submission=submission)


def practise_all(practice_set: PracticeSet, *grades: Sequence[int | None]) -> None:
    """The grades of each pair, in the order of their documents, by each member by name."""
    people = [member.annotator for member in practice_set.members.all()]
    pairs = practice_set.pairs.order_by("query__name", "document__docno")
    for pair, of_pair in zip(pairs, grades, strict=True):
        for person, grade in zip(people, of_pair, strict=True):
            practise(pair, person, grade)

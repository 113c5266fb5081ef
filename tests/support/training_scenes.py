"""Training sets for tests, and people who judge them."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from accounts.models import Collection, Role, User
from adjudication.models import Case
from adjudication.services import Ruling
from annotation.appending import Submission
from annotation.models import Opening
from corpus.models import Query
from practice.models import PracticeJudgment, PracticePair, PracticeSet
from practice.training.files import GoldLine
from practice.training.gold import make_from_labels, make_from_lines
from practice.training.services import start_training, submit_training
from tests.support.factories import a_collection, an_open_query, member
from tests.support.practice_scenes import practice_submission
from tests.support.sittings import decide_case, judge_both

NOTE = "Both are about parsing."


def with_gold(collection: Collection | None = None, size: int = 12) -> Opening:
    """A finished query whose grades are 0, 1, 2, 3, 0, …; two of three pairs were decided."""
    opening = an_open_query(collection or a_collection(), size=size)
    grades = [index % 4 for index in range(size)]
    pairs = [(grade, (grade + 1) % 4 if index % 3 else grade) for index, grade in enumerate(grades)]
    slots = judge_both(opening, *pairs)
    for slot, grade, (first, second) in zip(slots, grades, pairs, strict=True):
        if first != second:
            case = Case.objects.cases().get(pk=slot.pair_id)
            decide_case(case, User.objects.get(username="adju"), Ruling(grade=grade, note=NOTE))
    return opening


def train_with(
    collection: Collection, query: Query, *people: User, docnos: Sequence[str] = ()
) -> PracticeSet:
    """A set with gold from a file for all candidates of the query, which the people finish."""
    if not docnos:
        candidates = query.query_paper.pool.candidates.order_by("position")
        docnos = list(candidates.values_list("document__docno", flat=True))
    lines = [
        GoldLine(f"gold.csv:{number}", query.name, docno, number % 4, NOTE)
        for number, docno in enumerate(docnos, start=2)
    ]
    practice_set = make_from_lines(collection=collection, lines=lines, source="gold.csv")
    for person in people:
        train(collection, person)
    return practice_set


def a_trainee(collection: Collection, username: str = "tia") -> User:
    return member(collection, Role.ANNOTATOR, username)


def a_training_set(collection: Collection, pairs: int = 8, **changes) -> PracticeSet:
    """Of all queries that are open."""
    opened = collection.queries.filter(opening__isnull=False)
    queries = changes.pop("queries", None) or list(opened.values_list("name", flat=True))
    return make_from_labels(collection=collection, queries=queries, pairs=pairs, **changes)


def pairs_of(practice_set: PracticeSet) -> list[PracticePair]:
    pairs = practice_set.pairs.select_related("practice_set__collection", "document", "query")
    return list(pairs.order_by("pk"))


def answer(pair: PracticePair, person: User, grade: int | None, **changes) -> PracticeJudgment:
    submission: Submission = practice_submission(pair, person, grade, **changes)
    return submit_training(pair_id=pair.pk, annotator=person, submission=submission)


def as_gold(pair: PracticePair) -> int:
    return pair.gold or 0


def train(
    collection: Collection,
    person: User,
    grade_of: Callable[[PracticePair], int | None] = as_gold,
    *,
    left: int = 0,
) -> PracticeSet:
    """Begin the next set and judge its pairs, all but the `left` last."""
    practice_set = start_training(collection=collection, person=person)
    pairs: Sequence[PracticePair] = pairs_of(practice_set)
    for pair in pairs[: len(pairs) - left]:
        answer(pair, person, grade_of(pair))
    return practice_set

"""Make training sets: from final labels of the collection, or from lines with known grades."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from django.db import transaction
from django.db.models import Subquery

from accounts.locking import lock_collection
from accounts.models import Collection, User
from adjudication.labels import labelled_pairs
from adjudication.models import standing_decisions
from annotation.models import Pair
from corpus.models import SOURCES, Document, Query
from practice.models import PracticeKind, PracticePair, PracticeSet
from practice.services import MOST_PAIRS, CannotPractise, NewPair, make_set
from practice.training.choice import PairKey, spread_over_grades
from practice.training.files import BadGold, GoldLine, read_gold
from web.words import listed, listed_lines

PAIRS, FEWEST_PAIRS = 30, 5
MOST_QUERIES = 50
NAMED = 5  # queries that a message names
LISTED = 10  # problems that a message lists


class CannotTrain(CannotPractise):
    """The training set cannot be made as asked. `field` is the field that is wrong, or ""."""

    def __init__(self, message: str, field: str = "") -> None:
        super().__init__(message)
        self.field = field


class BadGoldFile(CannotTrain):
    """Lines of the file are invalid, or name what the collection does not have."""

    status = 400

    def __init__(self, problems: Sequence[str]) -> None:
        super().__init__(
            f"No training set was made, because of {len(problems):,} invalid "
            f"line{'' if len(problems) == 1 else 's'}:\n{listed_lines(problems, LISTED)}",
            field="file",
        )


def make_from_labels(
    *,
    collection: Collection,
    queries: Sequence[str],
    pairs: int = PAIRS,
    created_by: User | None = None,
) -> PracticeSet:
    """Choose pairs of these queries that have a final label, spread over the grades.

    Only pairs that both annotators judged, and that are agreed or decided, have one. Pairs of
    earlier training sets are left out. The note of a decision is the explanation.

    Raises:
        CannotTrain: a query is unknown, or too few pairs have a final label, or all have the same.
        CannotPractise: as `make_set`.
        CollectionArchived
    """
    names = list(dict.fromkeys(queries))
    _check_numbers(len(names), pairs)
    with transaction.atomic():
        collection = lock_collection(collection)
        found = _queries_named(collection, names)
        used = _used(collection)
        final = _final_grades(collection, found.values())
        gold = {key: grade for key, grade in final.items() if key not in used}
        chosen = spread_over_grades(gold.items(), pairs, seed=collection.seed)
        if len(chosen) < pairs:
            raise CannotTrain(
                f"{len(chosen):,} pairs of these queries have a final label and are in no earlier "
                f"training set, and you asked for {pairs:,}. Choose more queries or fewer pairs.",
                field="pairs",
            )
        _check_grades([gold[key] for key in chosen])
        documents = _documents(collection, {docno for _, docno in chosen})
        notes = _notes(found.values(), chosen)
        return make_set(
            collection=collection,
            kind=PracticeKind.TRAINING,
            pairs=[
                NewPair(found[key[0]], documents[key[1]], gold[key], notes.get(key, ""))
                for key in chosen
            ],
            parameters={"source": "labels", "queries": names, "pairs": pairs},
            created_by=created_by,
        )


def make_from_lines(
    *,
    collection: Collection,
    lines: Sequence[GoldLine],
    source: str,
    created_by: User | None = None,
) -> PracticeSet:
    """Make a set of exactly these pairs. `source` is the name of their file.

    Raises:
        BadGoldFile: lines name queries or documents that the collection does not have.
        CannotTrain, CannotPractise: too few or too many pairs, or all have the same grade.
        CollectionArchived
    """
    with transaction.atomic():
        collection = lock_collection(collection)
        queries = {
            query.name: query
            for query in collection.queries.filter(name__in={line.query for line in lines})
        }
        documents = _documents(collection, {line.docno for line in lines})
        if problems := list(_unknown(lines, queries, documents, collection)):
            raise BadGoldFile(problems)
        if not FEWEST_PAIRS <= len(lines) <= MOST_PAIRS:
            raise CannotTrain(
                f"A training set has {FEWEST_PAIRS} to {MOST_PAIRS:,} pairs, got {len(lines):,}.",
                field="file",
            )
        _check_grades([line.grade for line in lines])
        return make_set(
            collection=collection,
            kind=PracticeKind.TRAINING,
            pairs=[
                NewPair(queries[line.query], documents[line.docno], line.grade, line.explanation)
                for line in lines
            ],
            parameters={"source": "file", "file": source, "pairs": len(lines)},
            created_by=created_by,
        )


def _check_numbers(queries: int, pairs: int) -> None:
    if not 1 <= queries <= MOST_QUERIES:
        raise CannotTrain(f"Choose 1 to {MOST_QUERIES} queries, got {queries}.", field="queries")
    if not FEWEST_PAIRS <= pairs <= MOST_PAIRS:
        raise CannotTrain(
            f"A training set has {FEWEST_PAIRS} to {MOST_PAIRS:,} pairs, got {pairs:,}.",
            field="pairs",
        )


def _queries_named(collection: Collection, names: Sequence[str]) -> dict[str, Query]:
    rows = collection.queries.filter(name__in=names).select_related("facet", *SOURCES)
    found = {query.name: query for query in rows}
    if unknown := [name for name in names if name not in found]:
        raise CannotTrain(
            f"{collection} has no query {listed(unknown, NAMED)}. Write ids as on the page "
            "Queries.",
            field="queries",
        )
    return found


def _final_grades(collection: Collection, queries: Iterable[Query]) -> dict[PairKey, int]:
    """The final labels of the finished pairs; the others have none."""
    pairs = labelled_pairs(collection, Pair.objects.filter(query__in=list(queries)))
    return {(pair.query, pair.docno): pair.final for pair in pairs if pair.final is not None}


def _used(collection: Collection) -> set[PairKey]:
    rows = PracticePair.objects.filter(
        practice_set__collection=collection, practice_set__kind=PracticeKind.TRAINING
    )
    return set(rows.order_by().values_list("query__name", "document__docno"))


def _documents(collection: Collection, docnos: set[str]) -> dict[str, Document]:
    rows = collection.documents.filter(docno__in=docnos).only("collection", "docno")
    return {document.docno: document for document in rows}


def _notes(queries: Iterable[Query], chosen: Sequence[PairKey]) -> Mapping[PairKey, str]:
    """The notes of the decisions that stand on the pairs."""
    wanted = set(chosen)
    note = Subquery(standing_decisions().values("note")[:1])
    rows = (
        Pair.objects.filter(query__in=list(queries))
        .with_grades()
        .annotate(decision_note=note)
        .exclude(decision_note=None)
        .order_by()
        .values_list("query__name", "candidate__document__docno", "decision_note")
    )
    return {(query, docno): note for query, docno, note in rows if (query, docno) in wanted}


def _check_grades(grades: Sequence[int]) -> None:
    if len(set(grades)) < 2:
        raise CannotTrain(
            f"All pairs have grade {grades[0]}, so ρ would be undefined. Add pairs of another "
            "grade."
        )


def _unknown(
    lines: Sequence[GoldLine],
    queries: Mapping[str, Query],
    documents: Mapping[str, Document],
    collection: Collection,
) -> Iterable[str]:
    for line in lines:
        if line.query not in queries:
            yield (
                f'{line.place}: "query": {collection} has no query {line.query}. Write its id as '
                "on the page Queries."
            )
        elif line.docno not in documents:
            yield (
                f'{line.place}: "docno": {collection} has no document {line.docno}. Import it, or '
                "remove the line."
            )


class GoldPair(NamedTuple):
    """A pair of the API's request; `as_line` gives it a place."""

    query: str
    docno: str
    grade: int
    explanation: str = ""


def lines_of(pairs: Iterable[Mapping[str, Any]]) -> list[GoldLine]:
    """Pairs of a request as lines, whose places are their numbers from 1.

    Raises BadGoldFile for a pair that comes twice.
    """
    lines, seen, problems = [], set(), []
    for number, pair in enumerate(pairs, start=1):
        line = GoldLine(f"pairs:{number}", **GoldPair(**pair)._asdict())
        if (line.query, line.docno) in seen:
            problems.append(f'{line.place}: "query" and "docno" come twice. Remove one.')
        seen.add((line.query, line.docno))
        lines.append(line)
    if problems:
        raise BadGoldFile(problems)
    return lines


def make_from_file(
    *, collection: Collection, content: bytes, name: str, created_by: User | None = None
) -> PracticeSet:
    """Make a set of the pairs of a CSV or JSON Lines file.

    Raises:
        BadGoldFile: lines are invalid; the message has the place and the field of each.
        CannotTrain, CannotPractise, CollectionArchived: as `make_from_lines`.
    """
    try:
        lines = read_gold(content, name=name, highest_grade=collection.highest_grade)
    except BadGold as error:
        raise BadGoldFile(error.problems) from error
    return make_from_lines(collection=collection, lines=lines, source=name, created_by=created_by)

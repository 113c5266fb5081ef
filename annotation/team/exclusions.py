"""People who must not judge the queries of a query paper."""

from __future__ import annotations

from collections import defaultdict

from django.db import IntegrityError, transaction

from accounts.locking import lock_collection
from accounts.models import Collection, User
from annotation.models import Exclusion
from annotation.services import JudgingConflict
from corpus.models import QueryPaper


class CannotExclude(JudgingConflict):
    """The exclusion contradicts a seat or practice, or names an unknown query paper."""


def excluded_people(collection: Collection) -> defaultdict[int, set[str]]:
    """The usernames that are excluded from each query paper, by its primary key."""
    people: defaultdict[int, set[str]] = defaultdict(set)
    rows = Exclusion.objects.filter(query_paper__collection=collection).order_by()
    for paper, username in rows.values_list("query_paper", "annotator__username"):
        people[paper].add(username)
    return people


def exclude(*, collection: Collection, docno: str, annotator: User) -> Exclusion:
    """Keep a person from judging the queries of a query paper.

    Raises:
        CannotExclude: no such query paper, or the person has a seat in one of its queries.
    """
    try:
        with transaction.atomic():
            lock_collection(collection)
            paper = QueryPaper.objects.filter(collection=collection, name=docno).first()
            if paper is None:
                raise CannotExclude(f"{docno!r} is not a query paper here. Enter the id of one.")
            exclusion, _ = paper.exclusions.get_or_create(annotator=annotator)
    except IntegrityError as error:
        raise CannotExclude(
            f"{annotator} judges a query of {docno} already. Reassign that seat first."
        ) from error
    return exclusion


def end_exclusion(*, exclusion: Exclusion) -> None:
    """Let a person judge the queries of the query paper again.

    Raises CannotExclude if the person practised with a query of it.
    """
    try:
        with transaction.atomic():
            lock_collection(exclusion.query_paper.collection)
            exclusion.delete()
    except IntegrityError as error:
        raise CannotExclude(
            f"{exclusion.annotator} judged a query of {exclusion.query_paper} in practice and may "
            "have talked about it, so the exclusion stays."
        ) from error

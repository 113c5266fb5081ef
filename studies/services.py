"""Everything that writes full-text studies and their ratings."""

from __future__ import annotations

import re
import uuid
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone
from django.utils.translation import gettext, gettext_lazy

from accounts.locking import check_not_archived, lock_collection
from accounts.models import SEE_GRADES, Collection, Role, User
from adjudication.labels import labelled_pairs
from adjudication.standing import Standing
from annotation.appending import Refusals, Submission, append_answer
from annotation.consent.services import check_consent
from annotation.models import Pair, PairQuerySet, Slot
from annotation.services import CONSENT_RULE, Answer, BadAnswer, ConsentMissing
from corpus.ordering import order_key
from studies.choice import ChosenPairs, StudyCandidate, choose_pairs
from studies.models import NAME, Study, StudyPair, StudyRating
from studies.reading import presentations_of
from web.errors import UserFacingError
from web.words import count_noun, listed

# CSFCube, appendix B: 9 queries with 5 candidates each.
QUERIES, PER_QUERY = 9, 5
MOST_QUERIES, MOST_PER_QUERY = 200, 50
MOST_NAME = 40  # characters
NAMED = 5  # queries
# A paper's type, as an own column of a collection and as CSFCube's column.
TYPE_KEYS = ("paper_type", "paper type")


class StudyError(UserFacingError):
    """A request about a study that cannot be met; the message is for the person who made it."""


class BadStudy(StudyError):
    """The study cannot be made as asked."""


class StudyNameTaken(StudyError):
    """The collection has a study of that name."""

    status = 409


class NotYourStudy(StudyError):
    """The pair belongs to no study of this person."""

    status = 404


class StudyEnded(StudyError):
    """The admin has ended the study."""

    status = 409


class BadRating(StudyError):
    """The answer is neither a grade nor a reason, or both."""


class WrongFullText(StudyError):
    """The rater's page showed another text than the pair shows."""

    status = 409


class RatedMeanwhile(StudyError):
    """The pair's current rating is not the one that the rater's page showed."""

    status = 409


class RatingKeyReused(StudyError):
    """An idempotency key came with two different answers."""

    status = 409


ENDED = gettext_lazy("The admin has ended this study, so your rating was not saved.")


def create_study(
    *,
    collection: Collection,
    name: str,
    rater: User,
    queries: int = QUERIES,
    per_query: int = PER_QUERY,
    named: Sequence[str] = (),
    created_by: User | None = None,
) -> Study:
    """Choose pairs with final labels and full texts, and give them to one rater.

    `named` are queries to take instead of a spread of `queries` queries; see `choose_pairs`.

    Raises:
        BadStudy: the name, the rater or a number is invalid, or too few pairs can be chosen.
        StudyNameTaken: the collection has a study of that name.
        CollectionArchived
    """
    _check_numbers(name, queries, per_query)
    try:
        with transaction.atomic():
            collection = lock_collection(collection)
            _check_rater(collection, rater)
            _check_names(collection, named)
            left_out, chosen = _choose(collection, rater, name, queries, per_query, named)
            study = Study.objects.create(
                collection=collection,
                name=name,
                rater=rater,
                seed=collection.seed,
                parameters={
                    "queries": len(named) or queries,
                    "per_query": per_query,
                    "named": list(named),
                },
                left_out=left_out,
                created_by=created_by,
            )
            StudyPair.objects.bulk_create(
                StudyPair(
                    study=study,
                    pair_id=candidate.pair,
                    position=position,
                    token=order_key(
                        collection.seed, f"study:{name}", candidate.query, candidate.docno
                    )[:16],
                    label=candidate.label,
                )
                for position, candidate in enumerate(chosen.pairs, start=1)
            )
    except IntegrityError as error:
        if Study.objects.filter(collection=collection, name=name).exists():
            raise StudyNameTaken(
                f"{collection} has a study {name!r} already. Choose another name."
            ) from error
        raise
    return study


def _check_numbers(name: str, queries: int, per_query: int) -> None:
    if not re.fullmatch(NAME, name) or len(name) > MOST_NAME:
        raise BadStudy(
            f"Invalid name {name!r}. Use up to {MOST_NAME} lower-case letters, digits and hyphens, "
            "such as study-1."
        )
    if not 1 <= queries <= MOST_QUERIES:
        raise BadStudy(f"The number of queries must be from 1 to {MOST_QUERIES}, got {queries}.")
    if not 1 <= per_query <= MOST_PER_QUERY:
        raise BadStudy(
            f"The candidates of a query must be from 1 to {MOST_PER_QUERY}, got {per_query}."
        )


def _check_rater(collection: Collection, rater: User) -> None:
    roles = set(collection.memberships.filter(user=rater).values_list("role", flat=True))
    if Role.ANNOTATOR not in roles:
        raise BadStudy(f"{rater} is not an annotator of {collection}. Add the role first.")
    if roles != {Role.ANNOTATOR}:
        raise BadStudy(
            f"{rater} is also an adjudicator of {collection}, who sees the grades of others. Name "
            "another annotator."
        )
    if collection.given_roles.filter(user=rater, role__in=SEE_GRADES).exists():
        raise BadStudy(
            f"{rater} was an adjudicator of {collection}, who sees the grades of others. Name "
            "another annotator."
        )


def _check_names(collection: Collection, named: Sequence[str]) -> None:
    known = set(collection.queries.filter(name__in=named).values_list("name", flat=True))
    unknown = [name for name in named if name not in known]
    if unknown:
        raise BadStudy(
            f"{collection} has no query {listed(unknown, NAMED)}. Write the ids of queries, "
            "as on the page Queries."
        )


def _choose(
    collection: Collection,
    rater: User,
    name: str,
    queries: int,
    per_query: int,
    named: Sequence[str],
) -> tuple[dict[str, int], ChosenPairs]:
    """The pairs left out by reason, and the chosen pairs. Raises BadStudy if they are too few."""
    counts, candidates = _candidates(collection, rater)
    unreadable: set[int] = set()
    while True:
        chosen = choose_pairs(
            (candidate for candidate in candidates if candidate.pair not in unreadable),
            seed=collection.seed,
            name=name,
            queries=queries,
            per_query=per_query,
            named=named,
        )
        # Only the texts of chosen pairs are read, because those of a collection are gigabytes.
        new = set(_without_text([candidate.pair for candidate in chosen.pairs]))
        if not new:
            break
        unreadable |= new
    counts["a full text has nothing but the abstract"] = len(unreadable)
    counts["more than the study needs"] = len(candidates) - len(unreadable) - len(chosen.pairs)
    left_out = {reason: number for reason, number in counts.items() if number}
    wanted = len(dict.fromkeys(named)) if named else queries
    if chosen.queries < wanted:
        raise BadStudy(_too_few(chosen, wanted, per_query, left_out, named))
    return left_out, chosen


def _candidates(collection: Collection, rater: User) -> tuple[Counter[str], list[StudyCandidate]]:
    """The pairs that can be chosen, and how many cannot, by reason."""
    left_out: Counter[str] = Counter()
    pairs = Pair.objects.of(collection).order_by()
    with_both = with_full_texts(collection)
    topics = pairs.filter(query__query_paper__topic__isnull=False).count()
    left_out["the query is a topic, which has no full text"] = topics
    no_query_text = pairs.filter(
        query__query_paper__document__isnull=False,
        query__query_paper__document__full_text__isnull=True,
    ).count()
    left_out["the query paper has no full text"] = no_query_text
    left_out["the candidate has no full text"] = (
        pairs.count() - topics - no_query_text - with_both.count()
    )
    busy = set(
        Slot.objects.of(collection)
        .for_annotator(rater)
        .unjudged()
        .values_list("pair__query__query_paper", flat=True)
        .order_by()
        .distinct()
    )
    of_query = {
        query.name: query
        for query in collection.queries.filter(Exists(with_both.filter(query=OuterRef("pk"))))
        .select_related("query_paper")
        .order_by()
    }
    ids = {
        (query, docno): pk
        for pk, query, docno in with_both.values_list(
            "pk", "query__name", "candidate__document__docno"
        )
    }
    candidates = []
    for pair in labelled_pairs(collection, with_both):
        paper = of_query[pair.query].query_paper
        if pair.standing not in (Standing.AGREED, Standing.ADJUDICATED) or pair.final is None:
            left_out["no final label"] += 1
        elif paper.pk in busy:
            left_out["the rater still judges queries of this query paper"] += 1
        else:
            candidates.append(
                StudyCandidate(
                    pair=ids[pair.query, pair.docno],
                    query=pair.query,
                    facet=pair.facet,
                    paper=paper.name,
                    paper_type=paper_type_of(paper.metadata),
                    docno=pair.docno,
                    label=pair.final,
                )
            )
    return left_out, candidates


def with_full_texts(collection: Collection) -> PairQuerySet:
    """The pairs whose query paper and candidate both have a full text."""
    return (
        Pair.objects.of(collection)
        .filter(
            query__query_paper__document__full_text__isnull=False,
            candidate__document__full_text__isnull=False,
        )
        .order_by()
    )


def paper_type_of(metadata: Mapping[str, Any]) -> str:
    """The type of a query paper; "" if it is not known."""
    return next((str(metadata[key]) for key in TYPE_KEYS if metadata.get(key)), "")


def _without_text(pairs: Sequence[int]) -> Iterator[int]:
    for pair, presentation in presentations_of(pairs):
        if presentation.query.is_empty or presentation.candidate.is_empty:
            yield pair


def _too_few(
    chosen: ChosenPairs,
    wanted: int,
    per_query: int,
    left_out: Mapping[str, int],
    named: Sequence[str],
) -> str:
    able = f"{count_noun(chosen.queries, 'query has', 'queries have')} {per_query} pairs"
    asked = "the list has" if named else "you asked for"
    reasons = "; ".join(f"{number:,}: {reason}" for reason, number in left_out.items())
    return (
        f"Only {able} with a final label and full texts, and {asked} {wanted:,}. "
        f"Pairs left out: {reasons or 'none'}. Ask for fewer queries or candidates, or import more "
        "full texts."
    )


def end_study(*, study: Study) -> None:
    """Take no more ratings. Does nothing if the study has ended."""
    with transaction.atomic():
        lock_collection(study.collection)
        found = Study.objects.select_for_update().get(pk=study.pk)
        if found.ended_at is None:
            found.ended_at = timezone.now()
            found.save(update_fields=["ended_at"])


def submit_rating(
    *,
    study_pair_id: int,
    rater: User,
    answer: Answer,
    presentation_digest: str,
    key: uuid.UUID,
    supersedes: uuid.UUID | None,
    seconds: float | None = None,
) -> StudyRating:
    """Append a rating to a pair of the rater's study; the latest counts.

    `supersedes` is the key of the pair's rating that the rater's page showed, None if there was
    none. The same `key` with the same answer again returns the first rating. `seconds` is not
    stored for a pair with a PDF, because a clock of the page does not see it.

    Raises:
        NotYourStudy, StudyEnded, BadRating, WrongFullText, RatedMeanwhile, RatingKeyReused
        ConsentMissing, CollectionArchived
    """
    refusals = Refusals(
        text_changed=WrongFullText(
            gettext(
                "The text of this pair changed, so your rating was not saved. Reload the page "
                "and rate the pair again."
            )
        ),
        answered_meanwhile=RatedMeanwhile(
            gettext(
                "You rated this pair in another window, so this rating was not saved. Reload the "
                "page to change that rating."
            )
        ),
        key_reused=RatingKeyReused(
            gettext("This page was already used for another rating. Reload it.")
        ),
    )
    submission = Submission(answer, presentation_digest, key, supersedes)
    try:
        with transaction.atomic():
            study_pair = _locked(study_pair_id, rater)
            _check_answer(answer, study_pair.study.collection)

            ((_, presentation),) = presentations_of([study_pair.pair_id])

            def digest_now() -> str:
                if study_pair.study.ended_at:
                    raise StudyEnded(
                        gettext("The admin has ended this study, so your rating was not saved.")
                    )
                check_consent(study_pair.study.collection, rater)
                return presentation.digest

            return append_answer(
                StudyRating.objects.filter(study_pair=study_pair),
                submission,
                digest_now=digest_now,
                refusals=refusals,
                study_pair=study_pair,
                seconds=seconds if presentation.is_timed else None,
            )
    except IntegrityError as error:
        if CONSENT_RULE in str(error):  # the text changed since it was checked
            raise ConsentMissing(study_pair.study.collection) from error
        # The key's first rating was of another pair, whose row this transaction did not lock.
        if not StudyRating.objects.filter(key=key).exists():
            raise
        raise refusals.key_reused from error


def _locked(study_pair_id: int, rater: User) -> StudyPair:
    """The pair, locked with its study, so that no rating is added while the study ends."""
    own = Study.objects.for_rater(rater).filter(pk=OuterRef("study"))
    study_pair = (
        StudyPair.objects.select_for_update(of=("self", "study"))
        .select_related("study__collection")
        .filter(Q(Exists(own)), pk=study_pair_id)
        .order_by()
        .first()
    )
    if study_pair is None:
        raise NotYourStudy(gettext("This pair is not in a study of yours."))
    # Asked after the lock, because the collection may have been archived meanwhile (ADR 28).
    check_not_archived(Collection.objects.get(studies=study_pair.study_id))
    return study_pair


def _check_answer(answer: Answer, collection: Collection) -> None:
    try:
        answer.check(collection.highest_grade)
    except BadAnswer as error:
        raise BadRating(str(error)) from error

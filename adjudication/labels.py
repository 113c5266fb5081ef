"""The final labels of a collection, read from its pairs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from django.db import connection
from django.db.models import F, IntegerField, Subquery
from django.db.models.functions import Coalesce, Collate

from accounts.models import Collection
from adjudication.models import standing_decisions
from adjudication.questions.counted import grades_asked_about
from adjudication.standing import LabelledPair, PairWithJudges, Standing, final_label
from annotation.models import Pair, PairQuerySet

READ_TOGETHER = 5_000  # pairs
SET_ASIDE = -1  # in the rows read here, a decision without a grade


def labelled_pairs(
    collection: Collection, among: PairQuerySet | None = None
) -> Iterator[LabelledPair]:
    """Every pair of the collection, ordered by query name, then docno as a string of bytes.

    They come from one statement, so all are of one moment, and are not held in memory together.
    Another one reads the questions to judges, which never change.
    `among` limits them to some of its pairs.
    """
    return (row.pair for row in pairs_with_judges(collection, among))


def pairs_with_judges(
    collection: Collection, among: PairQuerySet | None = None, *, with_aspects: bool = False
) -> Iterator[PairWithJudges]:
    """The same pairs with their judges. No annotator may see whose judgments they are.

    And with what both marked, if it is wanted: reading that of half a million pairs takes seconds.
    """
    aspects = ("slot_1__judgment__aspects", "slot_2__judgment__aspects") if with_aspects else ()
    asked_about = grades_asked_about(collection, among)
    rows = (
        (Pair.objects.all() if among is None else among)
        .of(collection)
        .with_grades()
        .annotate(decision=_ruling(), docno=F("candidate__document__docno"))
        .order_by(*(Collate(name, _byte_order()) for name in ("query__name", "docno")))
        .values_list(
            "query__name",
            "query__facet__key",
            "docno",
            "first",
            "second",
            "first_grade",
            "second_grade",
            *aspects,
            "decision",
            "referral_count",
            "slot_1__annotator",
            "slot_2__annotator",
            "pk",
        )
    )
    for (
        name,
        facet,
        docno,
        *answers,
        ruling,
        referrals,
        first_judge,
        second_judge,
        pk,
    ) in rows.iterator(READ_TOGETHER):
        first_id, second_id, first, second, *marks = answers
        if first_id is None or second_id is None:
            unjudged = LabelledPair(name, facet, docno, Standing.UNJUDGED, None, None, None)
            yield PairWithJudges(unjudged, None, None)
            continue
        state, final = final_label(first, second, _decided(ruling), referred=referrals > 0)
        pair = LabelledPair(name, facet, docno, state, first, second, final, asked_about.get(pk))
        yield PairWithJudges(pair, first_judge, second_judge, *(each or () for each in marks))


class JudgedPair(NamedTuple):
    """A pair with both judgments. `latest` is the id of the later one of the two that count."""

    pair: int
    query: int
    candidate: int
    latest: int
    first: int | None
    second: int | None
    standing: Standing
    final: int | None


def judged_pairs(collection: Collection) -> Iterator[JudgedPair]:
    """The pairs with both judgments by id, in order, from one statement."""
    rows = (
        Pair.objects.of(collection)
        .judged()
        .annotate(decision=_ruling())
        .order_by("pk")
        .values_list(
            *("pk", "query", "candidate", "first", "second"),
            *("first_grade", "second_grade", "decision", "referral_count"),
        )
    )
    for pk, query, candidate, *ids, first, second, ruling, referrals in rows.iterator(
        READ_TOGETHER
    ):
        labels = final_label(first, second, _decided(ruling), referred=referrals > 0)
        yield JudgedPair(pk, query, candidate, max(ids), first, second, *labels)


def final_grades(collection: Collection) -> Iterator[tuple[int, int | None]]:
    """The judged pairs by id, in order, and their final labels."""
    return ((judged.pair, judged.final) for judged in judged_pairs(collection))


def _ruling() -> Subquery:
    """The grade of a pair's standing decision, or SET_ASIDE."""
    return Subquery(
        standing_decisions()
        .annotate(ruling=Coalesce("grade", SET_ASIDE, output_field=IntegerField()))
        .values("ruling")[:1]
    )


def _decided(ruling: int | None) -> tuple[int | None] | None:
    if ruling is None:
        return None
    return (None if ruling == SET_ASIDE else ruling,)


def _byte_order() -> str:
    """The collation in which both databases order texts as Python does, by code point."""
    return "C" if connection.vendor == "postgresql" else "BINARY"

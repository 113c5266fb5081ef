"""A later round of pools is judged blind among a tenth of old pairs, which never count."""

from __future__ import annotations

import math
import re

import pytest
from django.db import IntegrityError, transaction

from accounts.services import remove_member
from adjudication.cases import cases_for
from adjudication.labels import labelled_pairs
from agreement.rounds import by_round, judged_again
from annotation import openings
from annotation.judging import next_pairs, shown_pair
from annotation.models import Pair, PairState, Slot
from dashboard import progress
from tests import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def judged(query, people):
    """Eight pairs, all agreed on 1 but the first, which is a case."""
    docnos = list(query.pairs.values_list("document__docno", flat=True))
    builders.judge_all(query, {docno: (1, 2 if docno == "d01" else 1) for docno in docnos})
    return query


@pytest.fixture
def second(judged, collection, people):
    """A round of twelve documents, open to the same people."""
    builders.frozen_pool(judged, [builders.document(collection, f"n{number:02}") for number in range(12)], 2)
    openings.open_queries(
        collection=collection, queries=[judged], couples={judged.pk: (people.ann, people.bob)}, by=None
    )
    return judged


def again(query):
    return Pair.objects.filter(query=query, counts=False)


def test_a_tenth_as_many_old_pairs_come_among_the_new_ones(second, people):
    assert again(second).count() == math.ceil(12 / 10)
    waiting = next_pairs(people.ann, second, number=100)
    assert len(waiting) == 12 + 2
    old = [place for place, each in enumerate(waiting) if again(second).filter(token=each.token)]
    assert old != [12, 13], "they come among the others, not at the end"
    assert Slot.objects.of(people.ann, second).filter(position__lte=8, pair__opening__pool_set__round=2).count() == 0


def test_an_old_pair_looks_like_a_new_one(second, people, as_):
    """Not a byte says which it is: only the texts and the tokens differ."""
    shapes = set()
    path = f"/c/{second.collection.slug}/judge/{second.pk}/"
    for pair in Pair.objects.filter(opening__pool_set__round=2).select_related("document"):
        article = as_("ann").get(f"{path}{pair.token}/", headers={"Sec-Fetch-Mode": "cors"}).content.decode()
        for said in (*pair.document.sentences, pair.document.title, pair.document.docno, pair.token):
            article = article.replace(said, "…")
        shapes.add(re.sub(r"[0-9a-f]{64}|[0-9a-f]{8}-[0-9a-f-]{27}", "…", article))
    assert len(shapes) == 1
    assert shown_pair(people.ann, second, again(second)[0].token).judgment is None


def test_what_is_judged_again_never_counts(second, people, collection, as_):
    before = labelled_pairs(collection)
    for pair in again(second):
        builders.judge(pair, people.ann, 0)
        builders.judge(pair, people.bob, 3)
    assert {*again(second).values_list("state", "final")} == {(PairState.OPEN, None)}
    assert labelled_pairs(collection).equals(before)
    assert cases_for(people.ada, collection).count() == 1
    (row,) = progress.by_query(collection, progress.slot_counts(collection))
    assert (row["total"], row["slots"], row["judged"]) == (20, 40, 16)
    for slot in Slot.objects.filter(pair__counts=True, judgment=None).select_related("pair", "judge"):
        builders.judge(slot.pair, slot.judge, 1)
    assert openings.close_queries(collection=collection, queries=[second]) == 2


def test_the_database_keeps_an_old_pair_from_a_label(second):
    with pytest.raises(IntegrityError, match="open_unless_it_counts"), transaction.atomic():
        again(second).update(state="agreed", final=1)


def test_who_judged_a_query_gets_what_is_added_to_it(judged, collection, people, as_):
    builders.person("cem", collection, "annotator")
    builders.frozen_pool(judged, [builders.document(collection, "n1")], 2)
    assert as_("admin").post(f"/c/{collection.slug}/openings/", {"queries": [judged.pk]}).status_code == 302
    judges = Slot.objects.filter(pair__opening__pool_set__round=2, pair__counts=True).order_by("number")
    assert [slot.judge for slot in judges] == [people.ann, people.bob]


@pytest.mark.parametrize("gone", ["ann", "bob"])
def test_who_judges_no_longer_is_replaced_in_what_is_added(judged, collection, as_, gone):
    builders.person("cem", collection, "annotator")
    remove_member(membership=collection.memberships.get(user__username=gone))
    builders.frozen_pool(judged, [builders.document(collection, "n1")], 2)
    assert as_("admin").post(f"/c/{collection.slug}/openings/", {"queries": [judged.pk]}).status_code == 302
    judges = Slot.objects.filter(pair__opening__pool_set__round=2).values_list("judge__username", flat=True)
    assert {*judges} == {"ann", "bob", "cem"} - {gone}


def test_others_may_judge_what_is_added(judged, collection, people):
    builders.frozen_pool(judged, [builders.document(collection, "n1")], 2)
    cem, eve = (builders.person(name, collection, "annotator") for name in ("cem", "eve"))
    openings.open_queries(collection=collection, queries=[judged], couples={judged.pk: (cem, eve)}, by=None)
    assert len(next_pairs(cem, judged)) == 2


def test_rounds_opened_together_have_no_old_pairs(collection, papers, people):
    query = builders.query(collection, papers[0])
    builders.frozen_pool(query, papers[1:3])
    builders.frozen_pool(query, papers[3:5], 2)
    made = openings.open_queries(
        collection=collection, queries=[query], couples={query.pk: (people.ann, people.bob)}, by=None
    )
    assert [opening.pool_set.round for opening in made] == [1, 2]
    assert sorted(Slot.objects.of(people.ann, query).values_list("position", flat=True)) == [1, 2, 3, 4]
    assert not again(query)


def test_agreement_says_each_round_and_whether_judges_changed(second, people, collection):
    """Half of the judgments of old pairs are one grade higher than before."""
    for slot in Slot.objects.filter(judgment=None).select_related("pair__document", "judge").order_by("pk"):
        earlier = Slot.objects.filter(pair__query=second, pair__document=slot.pair.document, judge=slot.judge)
        old = earlier.exclude(judgment=None).values_list("judgment__grade", flat=True).first()
        changed = slot.judge == people.ann
        builders.judge(slot.pair, slot.judge, 2 if old is None else old + changed)
    one, two = by_round(labelled_pairs(collection), judged_again(collection))
    assert (one["round"], one["pairs"], one["before"]["percent"]) == (1, 8, 87.5)
    assert (two["round"], two["pairs"], two["before"]["percent"]) == (2, 12, 100)
    assert (one["again"], one["same"]) == (0, None)
    assert (two["again"], two["same"], two["change"]) == (4, 50, 0.5)


def test_one_round_is_no_table(judged, collection):
    assert by_round(labelled_pairs(collection), judged_again(collection)) == []

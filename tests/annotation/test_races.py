"""Judges, and the admin's acts on what they judge, at the same moment."""

from __future__ import annotations

import uuid

import pytest
from django.urls import reverse

from accounts.services import add_member, remove_member
from annotation import importing, openings, published
from annotation.guidelines import save_guideline
from annotation.judging import shown_pair
from annotation.models import Judgment, Opening, Pair, PairState, Slot
from annotation.practice import start_practice
from tests import builders
from tests.builders import judge
from tests.transactions import REAL_TRANSACTIONS, meet, together
from web.errors import Conflict, NotFound

pytestmark = REAL_TRANSACTIONS


@pytest.fixture
def pair(query):
    return query.pairs.order_by("pk").first()


def fresh(pair: Pair) -> Pair:
    """An instance for the other thread."""
    return Pair.objects.select_related("query__collection", "query__document", "document").get(pk=pair.pk)


def test_both_judges_at_once_settle_the_pair(pair, people):
    other = fresh(pair)
    assert meet(lambda: judge(pair, people.ann, 2), lambda: judge(other, people.bob, 2)) is None
    pair.refresh_from_db()
    assert (pair.state, pair.final) == (PairState.AGREED, 2)


def test_two_windows_of_one_judge_save_one_judgment(pair, people):
    other = fresh(pair)
    error = meet(lambda: judge(pair, people.ann, 2), lambda: judge(other, people.ann, 3, replaces=None))
    assert isinstance(error, Conflict)
    assert Judgment.objects.count() == 1


def test_one_submission_that_arrives_twice_at_once_counts_once(pair, people):
    key, other = uuid.uuid4(), fresh(pair)
    assert meet(lambda: judge(pair, people.ann, 2, key=key), lambda: judge(other, people.ann, 2, key=key)) is None
    assert Judgment.objects.count() == 1


def test_one_key_for_two_pairs_at_once_is_refused_in_words(query, people, as_):
    """Only a forged submission does that; its sender is told, and nothing fails."""
    answers = []
    for each in query.pairs.select_related("query__collection", "query__document", "document").order_by("pk")[:2]:
        digest = shown_pair(people.ann, each.query, each.token).presentation.digest
        form = {"grade": 1, "key": uuid.UUID(int=1), "digest": digest}
        path = reverse("judge-pair", args=[query.collection.slug, query.pk, each.token])
        client = as_("ann")
        answers.append(
            lambda c=client, p=path, f=form: c.post(p, f, headers={"accept": "application/json"}).status_code
        )
    assert sorted(together(*answers)) == [200, 409]
    assert Judgment.objects.count() == 1


def test_a_pair_that_is_handed_over_is_judged_by_one_of_the_two(query, pair, people, collection):
    builders.person("eva", collection, "annotator")
    eva, other = builders.person("eva"), fresh(pair)
    error = meet(
        lambda: openings.hand_over(query=query, giver=people.ann, taker=eva), lambda: judge(other, people.ann, 2)
    )
    assert isinstance(error, NotFound)
    assert not Judgment.objects.exists()
    assert set(Slot.objects.filter(number=1).values_list("judge__username", flat=True)) == {"eva"}


def test_a_judgment_before_a_hand_over_stays_with_its_judge(query, pair, people, collection):
    builders.person("eva", collection, "annotator")
    eva = builders.person("eva")
    error = meet(
        lambda: judge(pair, people.ann, 2), lambda: openings.hand_over(query=query, giver=people.ann, taker=eva)
    )
    assert error is None
    assert Slot.objects.get(pair=pair, number=1).judge == people.ann
    assert Slot.objects.filter(judge=eva).count() == query.pairs.count() - 1


def test_a_query_that_is_closed_meanwhile_takes_no_revision(query, pair, people, collection):
    for each in query.pairs.all():
        judge(each, people.ann, 1)
        judge(each, people.bob, 1)
    other = fresh(pair)
    error = meet(
        lambda: openings.close_queries(collection=collection, queries=[query]), lambda: judge(other, people.ann, 2)
    )
    assert isinstance(error, Conflict)
    pair.refresh_from_db()
    assert (pair.state, pair.final) == (PairState.AGREED, 1)


def test_a_query_is_opened_once(collection, people, papers):
    query = builders.query(collection, papers[0])
    builders.frozen_pool(query, papers[1:5])
    couples = {query.pk: (people.ann, people.bob)}
    made = together(
        *[lambda: openings.open_queries(collection=collection, queries=[query], couples=couples, by=None)] * 4
    )
    assert sum(isinstance(each, list) for each in made) == 1
    assert (Opening.objects.count(), Slot.objects.count()) == (1, 8)


def test_versions_of_a_guideline_do_not_collide(collection):
    def save(text):
        return save_guideline(collection=collection, facet="method", text=text, grades=[{}] * 4, change="", by=None)

    made = together(*[lambda text=text: save(text) for text in "abcd"])
    assert sorted(each.version for each in made) == [1, 2, 3, 4]


def test_two_admins_who_remove_each_other_leave_one(collection, people):
    add_member(collection=collection, user=people.ada, roles=["admin"])
    members = {name: collection.memberships.get(user__username=name) for name in ("admin", "ada")}
    together(*[lambda member=member: remove_member(membership=member) for member in members.values()])
    assert collection.memberships.active().filter(is_admin=True).count() == 1


def test_eight_annotators_at_once_leave_two_judgments_a_pair(collection, papers):
    judges = [builders.person(f"judge{number}", collection, "annotator") for number in range(8)]
    queries = [builders.query(collection, papers[number]) for number in range(4)]
    for number, query in enumerate(queries):
        builders.opened(query, papers[4:10], judges[2 * number], judges[2 * number + 1])
    for number, query in enumerate(queries[1:]):  # one of each couple gives the rest to the next couple's
        openings.hand_over(query=query, giver=judges[2 * number + 2], taker=judges[2 * number])

    def work(person):
        def act():
            slots = Slot.objects.filter(judge=person).select_related("pair__query__collection", "pair__document")
            for slot in slots.order_by("position"):
                judge(slot.pair, person, slot.pair_id % 4)

        return act

    assert together(*map(work, judges)) == [None] * 8
    assert Judgment.objects.count() == 2 * Pair.objects.count() == 48
    assert not Pair.objects.filter(state=PairState.OPEN).exists()


def test_judgments_from_a_file_and_an_opening_do_not_both_make_a_pair(collection, papers, people, upload):
    query = builders.query(collection, papers[0])
    builders.frozen_pool(query, papers[1:2])
    path = upload("f.csv", f"query,docno,judge,grade\n{query},d01,x,1\n{query},d01,y,2\n")
    about = {"columns": importing.guess(importing.read_table(path)[0]), "people": {}, "match_leading_zeros": False}
    couples = {query.pk: (people.ann, people.bob)}
    error = meet(
        lambda: importing.write_judgments(collection, path, **about),
        lambda: openings.open_queries(collection=collection, queries=[query], couples=couples, by=None),
    )
    assert isinstance(error, Conflict)
    assert Pair.objects.count() == 1


def test_an_opening_that_waited_for_published_labels_leaves_their_pairs_out(collection, papers, people, upload):
    query = builders.query(collection, papers[0])
    builders.frozen_pool(query, papers[1:3])
    path = upload("f.txt", f"{query} 0 d01 1\n")
    couples = {query.pk: (people.ann, people.bob)}
    error = meet(
        lambda: published.write_labels(collection, path, origin="A lab", grades={}, match_leading_zeros=False),
        lambda: openings.open_queries(collection=collection, queries=[query], couples=couples, by=None),
    )
    assert error is None
    assert Pair.objects.get().document.docno == "d02"


def test_practice_and_live_judging_of_a_query_do_not_begin_at_once(collection, papers, people):
    """Either may come first; then the other is refused."""
    made = builders.query(collection, papers[9])
    builders.frozen_pool(made, papers[1:4])
    couple = (people.ann, people.bob)
    about = {"documents": {made: papers[1:3]}, "people": couple, "by": None}
    error = meet(
        lambda: start_practice(collection=collection, name="Pilot", **about),
        lambda: openings.open_queries(collection=collection, queries=[made], couples={made.pk: couple}, by=None),
    )
    assert isinstance(error, Conflict)
    assert not Pair.objects.filter(counts=True).exists()


def test_a_round_that_opens_while_a_judge_revises_takes_old_pairs_all_the_same(query, pair, people, collection):
    builders.judge_all(query, {each.document.docno: (1, 1) for each in query.pairs.select_related("document")})
    builders.frozen_pool(query, [builders.document(collection, "n1")], 2)
    couple, other = {query.pk: (people.ann, people.bob)}, fresh(pair)
    acts = (
        lambda: openings.open_queries(collection=collection, queries=[query], couples=couple, by=None),
        lambda: judge(other, people.ann, 3),
    )
    assert not [answer for answer in together(*acts) if isinstance(answer, Exception)]
    assert Pair.objects.filter(counts=False, state=PairState.OPEN).count() == 1
    assert Pair.objects.get(pk=pair.pk).state == PairState.CASE

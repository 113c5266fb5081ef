"""The final label of a pair, from its judgments and the decision that stands."""

import pytest

from accounts.models import Role
from adjudication.labels import labelled_pairs
from adjudication.standing import LabelledPair, Standing, final_label
from annotation.services import Answer
from tests.support.factories import a_collection, an_open_query, member
from tests.support.rules import rule_suspended
from tests.support.sittings import judge, judge_both, settle, slots_of
from tests.support.worlds import once_a_file


@pytest.mark.parametrize(
    ("first", "second", "decision", "label"),
    [
        (2, 2, None, (Standing.AGREED, 2)),
        (0, 0, None, (Standing.AGREED, 0)),
        (1, 2, None, (Standing.DUE, None)),
        (None, 2, None, (Standing.DUE, None)),
        (None, None, None, (Standing.DUE, None)),
        (1, 2, (0,), (Standing.ADJUDICATED, 0)),
        (None, 2, (2,), (Standing.ADJUDICATED, 2)),
        (1, 2, (None,), (Standing.SET_ASIDE, None)),
    ],
)
def test_the_final_label_is_the_decision_or_the_agreed_grade(first, second, decision, label):
    assert final_label(first, second, decision) == label


@pytest.mark.parametrize(
    ("first", "second", "final", "overruled"),
    [(1, 3, 2, True), (1, 3, 3, False), (1, 3, 1, False), (1, 3, None, False), (None, 3, 0, True)],
)
def test_a_label_that_is_neither_judgment_overrules_both(first, second, final, overruled):
    pair = LabelledPair("q", "method", "d", Standing.ADJUDICATED, first, second, final)

    assert pair.overruled is overruled


@once_a_file
def opening():
    return an_open_query(a_collection(), size=4)


@pytest.fixture
def adjudicator(opening):
    return member(opening.query.collection, Role.ADJUDICATOR, "adju")


def label_of(slot) -> tuple[Standing, int | None, int | None, int | None]:
    docno = slot.pair.candidate.document.docno
    pairs = labelled_pairs(slot.pair.query.collection)
    found = next(pair for pair in pairs if pair.docno == docno)
    return found.standing, found.first, found.second, found.final


def test_a_changed_decision_is_the_label(opening, adjudicator):
    slot, *_ = judge_both(opening, (0, 3))
    for grade in (1, 2, 0):
        settle(slot, adjudicator, grade)

    assert label_of(slot) == (Standing.ADJUDICATED, 0, 3, 0)


@pytest.mark.parametrize(
    ("grades", "standing"), [((1, None), Standing.SET_ASIDE), ((None, 1), Standing.ADJUDICATED)]
)
def test_setting_a_pair_aside_can_be_taken_back(opening, adjudicator, grades, standing):
    slot, *_ = judge_both(opening, (0, 3))
    for grade in grades:
        settle(slot, adjudicator, grade)

    assert label_of(slot) == (standing, 0, 3, grades[-1])


@pytest.mark.parametrize("username", ["ann1", "ann2"])
def test_a_decision_ends_with_the_judgments_that_it_was_of(opening, adjudicator, username):
    slot, *_ = judge_both(opening, (0, 3))
    settle(slot, adjudicator, 1)
    judge(slot.pair.slots.get(annotator__username=username), 2)

    standing, *_, final = label_of(slot)
    assert (standing, final) == (Standing.DUE, None)


def test_a_decision_on_one_pair_labels_no_other(opening, adjudicator):
    slot, other = judge_both(opening, (0, 3), (0, 3))
    settle(slot, adjudicator, 1)

    assert label_of(other) == (Standing.DUE, 0, 3, None)


def test_a_pair_with_one_judgment_tells_nothing(opening):
    slot = slots_of(opening, "ann1")[0]
    judge(slot, 2)

    assert label_of(slot) == (Standing.UNJUDGED, None, None, None)


def test_two_who_cannot_judge_do_not_agree(opening):
    cannot = Answer(reason="garbled")
    slot, *_ = judge_both(opening, (cannot, cannot))

    assert label_of(slot) == (Standing.DUE, None, None, None)


def test_the_pairs_come_by_query_and_docno_and_of_this_collection_only(opening):
    collection = opening.query.collection
    an_open_query(collection)
    an_open_query(a_collection("elsewhere"))
    names = [(pair.query, pair.docno) for pair in labelled_pairs(collection)]

    assert len(names) == 4 + 3
    assert names == sorted(names)
    assert {name for name, _ in names} == set(collection.queries.values_list("name", flat=True))


def test_names_are_ordered_as_python_orders_texts(opening):
    collection = opening.query.collection
    an_open_query(collection, size=2)
    with (
        rule_suspended("query_stays_once_opened", "corpus_query"),
        rule_suspended("document_text_in_frozen_pool", "corpus_document"),
    ):
        for place, query in enumerate(collection.queries.order_by("pk")):
            query.name = ("ß_1", "Z-2", "a b", "_c")[place]
            query.save()
        for place, document in enumerate(
            collection.documents.filter(query_paper=None).order_by("pk")
        ):
            document.docno = f"{('b', 'B', 'é', '.', '10', '9')[place % 6]}{place}"
            document.save()
    names = [(pair.query, pair.docno) for pair in labelled_pairs(collection)]

    assert names == sorted(names)
    assert len({query for query, _ in names}) == 2


def test_all_pairs_are_read_by_one_statement_after_the_questions(
    opening, django_assert_num_queries
):
    with django_assert_num_queries(2):
        assert len(list(labelled_pairs(opening.query.collection))) == 4

"""When a query cannot be opened, a seat not be handed over and a guideline not be written."""

import io

import pytest
from django.core.management import call_command
from django.urls import reverse

from accounts.models import Role, User
from annotation.models import Guideline, Opening, Pair, Seat, Slot
from annotation.services import (
    CannotOpen,
    CannotReassign,
    JudgingError,
    open_query,
    reassign_seat,
    write_guideline,
)
from corpus.facets import NO_FACETS
from corpus.models import Document
from pooling.models import ExclusionReason
from tests.support.factories import (
    DocumentFactory,
    UserFactory,
    a_collection,
    a_pool,
    a_query,
    an_open_query,
    annotators,
    member,
)
from tests.support.labels import checked, predicted
from tests.support.sittings import judge, slots_of
from tests.support.visits import address, text_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def query(collection):
    return a_query(collection)


def refused(query, people=None, match=""):
    """Opening is refused and leaves nothing behind."""
    with pytest.raises(CannotOpen, match=match):
        open_query(query=query, annotators=people or annotators(query.collection), opened_by=None)
    assert not Opening.objects.exists()
    assert not Slot.objects.exists()
    assert not query.query_paper.pool.is_frozen


def test_two_equal_annotators_are_refused(query):
    first, _ = annotators(query.collection)

    refused(query, (first, first), "ann1 is named twice. Name two different annotators")


@pytest.mark.parametrize("seat", [0, 1])
def test_both_annotators_need_the_role_in_this_collection(query, seat):
    people = list(annotators(query.collection))
    people[seat] = member(a_collection("elsewhere"), Role.ANNOTATOR, "ann3")

    refused(query, tuple(people), "ann3 is not an annotator")


@pytest.mark.parametrize("role", [Role.ADJUDICATOR, Role.ADMIN])
def test_another_role_is_not_enough(query, role):
    people = member(query.collection, role, "somebody"), annotators(query.collection)[1]

    refused(query, people, "somebody is not an annotator")


def test_a_paper_without_a_sentence_of_the_facet_is_refused(query):
    Document.objects.filter(pk=query.query_paper.document_id).update(
        labels=["background", "other", "result"]
    )
    query.query_paper.document.refresh_from_db()

    refused(query, match="has no sentence on method")


def test_the_page_says_that_a_paper_has_no_sentence_of_the_facet(client, query):
    Document.objects.filter(pk=query.query_paper.document_id).update(labels=["other"] * 3)
    client.force_login(User.objects.get(username="admin"))

    page = client.get(reverse("board", args=[query.collection.slug]), {"state": "not-open"})
    assert "its paper has no sentence on method" in page.text


def test_a_paper_without_text_is_refused(query):
    Document.objects.filter(pk=query.query_paper.document_id).update(sentences=[], labels=[])
    query.query_paper.document.refresh_from_db()

    refused(query, match="has no text")


def test_a_pool_with_excluded_candidates_only_is_refused(query):
    query.query_paper.pool.candidates.update(excluded=ExclusionReason.NO_TEXT)

    refused(query, match="has no candidate to judge")


def test_a_query_without_a_pool_is_refused(query):
    query.query_paper.pool.delete()

    with pytest.raises(CannotOpen, match="has no pool yet"):
        open_query(query=query, annotators=annotators(query.collection), opened_by=None)


def test_a_facet_without_a_guideline_is_refused(collection):
    facet = collection.facets.create(key="task", name="Task", position=9, labels=["task"])
    paper = DocumentFactory(collection=collection, labels=["task", "other", "other"])
    query_paper = collection.query_papers.create(document=paper, name=paper.docno)
    query = collection.queries.create(query_paper=query_paper, facet=facet, name="task-query")
    a_pool(query_paper, DocumentFactory.create_batch(2, collection=collection))

    refused(query, match="The facet task has no guideline")


def test_a_query_opens_once(query):
    opening = open_query(query=query, annotators=annotators(query.collection), opened_by=None)

    with pytest.raises(CannotOpen, match="open for judging already"):
        open_query(query=query, annotators=annotators(query.collection), opened_by=None)
    assert Opening.objects.get() == opening
    assert Seat.objects.count() == 2


def test_every_candidate_to_judge_has_two_slots_and_an_excluded_one_has_none(query):
    excluded = query.query_paper.pool.candidates.get(position=2)
    excluded.excluded = ExclusionReason.NO_TEXT
    excluded.save()
    admin = User.objects.get(username="admin")
    people = annotators(query.collection)

    opening = open_query(query=query, annotators=people, opened_by=admin)

    assert opening.opened_by == admin
    assert Pair.objects.count() == 2
    assert not excluded.pairs.exists()
    for number, person in enumerate(people, start=1):
        slots = Slot.objects.filter(number=number)
        assert {slot.annotator for slot in slots} == {person}
        assert sorted(slot.position for slot in slots) == [1, 2]


def test_an_opening_has_the_latest_guideline_and_keeps_it(query):
    second = new_version(query.facet.guidelines.get())
    opening = open_query(query=query, annotators=annotators(query.collection), opened_by=None)
    new_version(second)

    opening.refresh_from_db()
    assert opening.guideline == second


# Guidelines


def new_version(guideline: Guideline) -> Guideline:
    return write_guideline(facet=guideline.facet, instructions="Anew", grades=guideline.grades)


def test_versions_of_a_guideline_count_within_its_facet(query):
    guideline = query.facet.guidelines.get()

    assert [new_version(guideline).version for _ in range(2)] == [2, 3]
    assert list(query.facet.guidelines.values_list("version", flat=True)) == [3, 2, 1]
    other = query.collection.facets.get(key="result").guidelines.get()
    assert other.version == 1


@pytest.mark.parametrize("order", [(0, 1, 2), (3, 2, 1, 0), (0, 1, 2, 3, 4), (0, 1, 2, 2), ()])
def test_a_guideline_needs_the_four_grades_in_order(query, order):
    grades = [{"grade": grade} for grade in order]

    with pytest.raises(JudgingError, match="Describe 0, 1, 2, 3, in this order"):
        write_guideline(facet=query.facet, instructions="", grades=grades)
    assert query.facet.guidelines.count() == 1


# Seats


def test_a_seat_that_does_not_exist_is_refused(query):
    opening = open_query(query=query, annotators=annotators(query.collection), opened_by=None)
    newcomer = member(query.collection, Role.ANNOTATOR, "ann3")

    with pytest.raises(CannotReassign, match="has no seat 3"):
        reassign_seat(opening=opening, number=3, annotator=newcomer)


def test_the_holder_of_a_seat_cannot_take_it_again(query):
    first, second = annotators(query.collection)
    opening = open_query(query=query, annotators=(first, second), opened_by=None)

    with pytest.raises(CannotReassign, match="ann1 has this seat already"):
        reassign_seat(opening=opening, number=1, annotator=first)


def test_a_refused_seat_is_explained_on_its_page(client, collection):
    opening = an_open_query(collection, size=1)
    judge(slots_of(opening, "ann1")[0], 1)
    newcomer = member(collection, Role.ANNOTATOR, "ann3")
    client.force_login(User.objects.get(username="admin"))

    page = client.post(
        reverse("seat", args=[collection.slug, opening.pk, 1]), {"annotator": newcomer.pk}
    )

    assert "nothing to reassign" in page.content.decode()
    assert opening.seats.get(number=1).annotator.username == "ann1"


def test_a_seat_moves_in_its_own_query_only(collection):
    opening, other = an_open_query(collection), an_open_query(collection)
    newcomer = member(collection, Role.ANNOTATOR, "ann3")

    assert reassign_seat(opening=opening, number=2, annotator=newcomer) == 3
    assert {slot.pair.query for slot in Slot.objects.filter(annotator=newcomer)} == {opening.query}
    assert {slot.number for slot in Slot.objects.filter(annotator=newcomer)} == {2}
    assert other.seats.get(number=2).annotator.username == "ann2"


def test_a_new_annotator_sees_the_order_of_his_or_her_own(collection):
    """The same pairs opened for ann3 at once and handed over to ann3 later come in one order."""
    query = a_query(collection, size=6)
    newcomer = member(collection, Role.ANNOTATOR, "ann3")
    opening = open_query(query=query, annotators=annotators(collection), opened_by=None)
    Slot.objects.filter(pair__query=query).update(postponed_at="2026-01-01T00:00Z")
    before = [slot.pair_id for slot in slots_of(opening, "ann1")]
    reassign_seat(opening=opening, number=1, annotator=newcomer)
    after = [slot.pair_id for slot in slots_of(opening, "ann3")]
    reassign_seat(opening=opening, number=1, annotator=annotators(collection)[0])

    assert [slot.pair_id for slot in slots_of(opening, "ann1")] == before != after
    assert sorted(after) == sorted(before)
    assert {slot.postponed_at for slot in slots_of(opening, "ann1")} == {None}


def test_the_board_is_filtered_by_query_facet_and_name(client, collection):
    opening, other = an_open_query(collection), an_open_query(collection, facet="result")
    client.force_login(User.objects.get(username="admin"))
    board = reverse("board", args=[collection.slug])

    def shown(words):
        return [row.query for row in client.get(board, {"q": words}).context["rows"]]

    assert shown(opening.query.name) == [opening.query]
    assert shown("result") == [other.query]
    assert len(shown("ann1")) == 2
    assert shown("nothing like this") == []


def test_a_person_without_the_role_is_in_no_seat(query):
    stranger = UserFactory(username="stranger")

    refused(query, (annotators(query.collection)[0], stranger), "stranger is not an annotator")


# Labels that were predicted


def test_a_query_with_unchecked_labels_opens_only_if_the_admin_says_so(query):
    predicted(query.query_paper.document)
    refused(query, match=f"{query.name} has predicted labels that are not checked")

    opening = open_query(
        query=query,
        annotators=annotators(query.collection),
        opened_by=None,
        unchecked_labels=True,
    )

    assert opening.labels_unchecked is True


def test_a_query_opens_once_its_labels_are_checked(query):
    document = query.query_paper.document
    predicted(document)
    checked(document, document.labels)

    opening = open_query(query=query, annotators=annotators(query.collection), opened_by=None)

    assert opening.labels_unchecked is False


def test_labels_do_not_matter_where_documents_are_judged_as_a_whole():
    collection = a_collection("whole", facets=NO_FACETS)
    query = a_query(collection, facet="")
    predicted(query.query_paper.document)

    assert open_query(query=query, annotators=annotators(collection), opened_by=None)


def test_the_page_of_closed_queries_asks_before_it_opens_unchecked_labels(admin, query):
    predicted(query.query_paper.document)
    people = [str(user.pk) for user in annotators(query.collection)]
    fields = {"queries": [query.name], "annotators": people}
    url = f"{address('board')}?state=not-open"
    page = admin.get(url)
    assert "labels unchecked" in text_of(page)

    refusal = admin.post(url, fields)
    question = admin.post(url, {**fields, "unchecked_labels": "on"})
    plan = question.context["plan"].digest
    admin.post(url, {**fields, "unchecked_labels": "on", "plan": plan})

    assert "has predicted labels that are not checked" in text_of(refusal)
    assert "1 of them has predicted labels" in text_of(question)
    assert Opening.objects.get().labels_unchecked


def test_the_command_leaves_out_unchecked_labels_unless_told_otherwise(query):
    unchecked = a_query(query.collection)
    predicted(unchecked.query_paper.document)
    out = io.StringIO()

    call_command("open_queries", "small", "--all", stdout=out)
    assert "Left out, because predicted labels are not checked: 1 query" in out.getvalue()
    assert not Opening.objects.filter(query=unchecked).exists()

    call_command("open_queries", "small", "--all", "--unchecked-labels", stdout=out)
    assert Opening.objects.get(query=unchecked).labels_unchecked

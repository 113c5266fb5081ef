"""The questions of the gate to the database, after any history and in one moment."""

from __future__ import annotations

import pytest
from django.db import connection, transaction
from hypothesis import given
from hypothesis import strategies as st

from accounts.models import Role
from adjudication.models import Case, JudgmentImport
from annotation.models import Opening, Slot
from bundle.formats.records import is_writable
from corpus.models import Document
from database.consistent_reads import by_code_point, consistent_read
from release.gate.white_space import HasWhiteSpace
from release.rules import WHITE_SPACE
from tests.adjudication.test_counts import ACTIONS, act
from tests.support.factories import (
    DocumentFactory,
    a_collection,
    an_open_query,
    member,
)
from tests.support.gate_oracle import asked, read
from tests.support.histories import FEW_HISTORIES
from tests.support.release_scenes import (
    GRADES,
    RULINGS,
    a_judged_collection,
    an_opened_collection,
    decide_all,
    judge_all,
    slot_of,
)
from tests.support.running import at_once
from tests.support.sittings import judge
from tests.support.worlds import once_a_file
from web.errors import UserFacingError

pytestmark = [pytest.mark.django_db, pytest.mark.may_differ]


def test_the_gate_of_an_empty_collection_finds_the_same():
    collection = a_collection()

    assert asked(collection) == read(collection)


def test_a_collection_without_labels_has_no_made_folds():
    """Its judgments are imported, which alone would ask for folds of their own."""
    collection = a_collection()
    JudgmentImport.objects.create(collection=collection, files={}, judgments=0, decisions=0)

    found = asked(collection)
    assert found == read(collection)
    assert found["made-folds"] == (0, ())


@pytest.mark.by_day(2)
def test_the_states_on_the_way_from_opened_to_decided_agree():
    collection = an_opened_collection()
    for key, grades in GRADES.items():
        judge_all(collection, {key: grades})
        assert asked(collection) == read(collection)
    for key, ruling in RULINGS.items():
        decide_all(collection, {key: ruling})
        assert asked(collection) == read(collection)


@once_a_file
def histories():
    collection = a_collection()
    for name in ("ann3", "ann4"):
        member(collection, Role.ANNOTATOR, name)
    for facet in ("background", "method"):
        an_open_query(collection, size=3, facet=facet)
    return collection


@given(actions=st.lists(ACTIONS, min_size=1, max_size=25))
@FEW_HISTORIES
@pytest.mark.by_day(4)
def test_the_gate_finds_what_reading_everything_finds_after_any_history(histories, actions):
    opening = Opening.objects.order_by("pk").last()
    before = transaction.savepoint()
    for action in actions:
        try:
            with transaction.atomic():
                act(opening, action)
        except (UserFacingError, Case.DoesNotExist):
            continue  # the rules refused it

    by_counts, by_reading = asked(histories), read(histories)
    transaction.savepoint_rollback(before)

    assert by_counts == by_reading


def test_documents_with_white_space_are_found_by_an_index():
    collection = a_collection()
    documents = collection.documents.filter(HasWhiteSpace("docno")).order_by().values_list("pk")
    index = "release_docno_with_white_space"
    with connection.cursor() as cursor:
        if connection.vendor == "postgresql":
            DocumentFactory.create_batch(200, collection=collection)
            cursor.execute("ANALYZE corpus_document")
            assert index in documents.explain()
        else:
            # Without statistics SQLite may prefer another index. INDEXED BY fails if it cannot
            # use this one.
            sql, parameters = documents.query.sql_with_params()
            table = 'FROM "corpus_document"'
            assert table in sql
            cursor.execute(sql.replace(table, f"{table} INDEXED BY {index}"), parameters)


def test_the_database_and_the_files_mean_the_same_by_white_space():
    collection = a_collection()
    wrong = []
    for character in [*WHITE_SPACE, "\u200b", "\x7f", "]", "^", "-", "\\", "*"]:
        document = DocumentFactory(collection=collection, docno=f"a{character}b")
        found = Document.objects.filter(HasWhiteSpace("docno")).contains(document)
        if found is is_writable(document.docno):
            wrong.append(document.docno)

    assert wrong == []


def test_white_space_is_whatever_python_splits_at():
    assert set(WHITE_SPACE) == {chr(n) for n in range(0x110000) if chr(n).isspace()}


def test_names_are_in_the_order_of_their_code_points():
    collection = a_collection()
    docnos = ["ﬀ", "𝔸", "Z", "a", "é", "_", "A b", "A"]
    for docno in docnos:
        DocumentFactory(collection=collection, docno=docno)

    ordered = collection.documents.order_by(by_code_point("docno"))

    assert list(ordered.values_list("docno", flat=True)) == sorted(docnos)


@pytest.mark.faults
@pytest.mark.django_db(transaction=True)
def test_others_write_while_a_moment_is_read():
    collection = a_judged_collection()
    slot = slot_of(collection, "q1_method", "d1", 1)

    with consistent_read():
        before = grade_in(slot)
        assert at_once([lambda: judge(slot, 0) and None]) == [None]
        assert grade_in(slot) == before == 3

    assert grade_in(slot) == 0


def grade_in(slot: Slot) -> int:
    return Slot.objects.values_list("judgment__grade", flat=True).get(pk=slot.pk)

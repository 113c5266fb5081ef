"""Importing the labels of a model."""

from __future__ import annotations

import pytest
from django.core.management import CommandError, call_command

from corpus.services import create_query
from evaluation.models import ShadowJudge, ShadowLabel
from evaluation.shadow_judges.services import (
    Description,
    InvalidLabels,
    ShadowJudgeError,
    ShadowNameTaken,
    delete_shadow_judge,
    import_shadow_judge,
)
from tests.support.factories import DocumentFactory, everything
from tests.support.label_scenes import MODEL_LABELS, a_shadow_judge, jsonl_file, qrels_file
from tests.support.release_scenes import an_opened_collection
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@once_a_file
def opened():
    return an_opened_collection()


def imported(collection, path, name="model", **about) -> ShadowJudge:
    return import_shadow_judge(
        collection=collection, path=path, filename=path.name, about=Description(name, **about)
    )


def stored(judge: ShadowJudge) -> dict[tuple[str, str], int]:
    rows = judge.labels.values_list(
        "pair__query__name", "pair__candidate__document__docno", "grade"
    )
    return {(query, docno): grade for query, docno, grade in rows}


def test_both_formats_store_the_same_labels(opened, tmp_path):
    trec = imported(opened, qrels_file(tmp_path, MODEL_LABELS), "trec")
    lines = imported(
        opened, jsonl_file(tmp_path, MODEL_LABELS), "jsonl", model="m", prompt="Grade."
    )
    assert stored(trec) == stored(lines) == MODEL_LABELS
    assert trec.sha256 == lines.sha256
    assert (trec.labels_count, trec.omitted, lines.prompt) == (8, {}, "Grade.")


def test_lines_without_a_judged_pair_are_left_out_and_counted(opened, tmp_path):
    DocumentFactory(collection=opened, docno="d9")
    create_query(collection=opened, docno="d9", facet_key="method")
    path = qrels_file(
        tmp_path,
        {
            ("q1_method", "d1"): 1,
            ("q1_method", "d9"): 1,
            ("q1_method", "nowhere"): 1,
            ("q7_method", "d1"): 1,
            ("q7_method", "d2"): 1,
            ("d9_method", "d1"): 1,
        },
    )
    path.write_text(path.read_text() + "q1_method 0 d1 1\n")
    judge = imported(opened, path)
    assert stored(judge) == {("q1_method", "d1"): 1}
    assert judge.omitted == {
        "unknown_queries": {"lines": 2, "examples": ["q7_method"]},
        "unopened_queries": {"lines": 1, "examples": ["d9_method"]},
        "unknown_documents": {"lines": 1, "examples": ["nowhere"]},
        "not_pooled": {"lines": 1, "examples": ["d9"]},
        "repeated": {"lines": 1, "examples": ["d1"]},
    }


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "model.txt: The file has no labels"),
        ("q1_method 0 d1 1\nq1_method 0 d1 2\n", "model.txt:2: d1 has grade 2 for q1_method"),
        ("q1_method 0 d1 4\n", "model.txt:1: The grade must be from 0 to 3"),
        ("q1_method 0 d1 nan\n", "model.txt:1: The grade must be a whole number"),
        ("other_method 0 x1 1\n", "none of its labels is for a pair that is judged in small"),
    ],
)
def test_a_file_that_cannot_be_used_changes_nothing(opened, tmp_path, content, words):
    path = tmp_path / "model.txt"
    path.write_text(content)
    before = everything()
    with pytest.raises(InvalidLabels) as caught:
        imported(opened, path)
    assert words in str(caught.value)
    assert everything() == before


def test_a_name_is_used_once_and_free_again_after_deletion(opened, tmp_path):
    a_shadow_judge(opened, tmp_path)
    with pytest.raises(ShadowNameTaken):
        a_shadow_judge(opened, tmp_path)
    delete_shadow_judge(collection=opened, name="model")
    assert not ShadowLabel.objects.exists()
    a_shadow_judge(opened, tmp_path)
    with pytest.raises(ShadowJudgeError, match="Invalid name"):
        a_shadow_judge(opened, tmp_path, name="two words")


def test_the_command_imports_a_file_and_says_what_it_left_out(opened, tmp_path, capsys):
    path = qrels_file(tmp_path, {("q1_method", "d1"): 1, ("q1_method", "x"): 1})
    call_command("import_shadow_judge", opened.slug, str(path), name="m1", model="some-llm")
    assert capsys.readouterr().out.splitlines() == [
        "small: 1 label of the shadow judge m1 imported.",
        "  1 line left out: the document is not in the corpus (x)",
    ]
    assert ShadowJudge.objects.get().model == "some-llm"
    with pytest.raises(CommandError, match="There is a shadow judge"):
        call_command("import_shadow_judge", opened.slug, str(path), name="m1")

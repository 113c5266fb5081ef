"""Ids of a run file: the unknown ones are named, and a prefix can be put before all."""

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from corpus.services import create_query
from tests.support.factories import DocumentFactory, a_collection
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


@once_a_file
def collection():
    collection = a_collection()
    for docno in ("p-q1", "p-d1", "p-d2"):
        DocumentFactory(collection=collection, docno=docno)
    create_query(collection=collection, docno="p-q1", facet_key="method")
    return collection


def test_the_first_twenty_unknown_ids_are_counted_and_named(collection, tmp_path, capsys):
    path = tmp_path / "a.run"
    ids = ["p-d1", *(f"x{number}" for number in range(25))]
    lines = [f"p-q1 Q0 {docno} 1 {50 - place} t" for place, docno in enumerate(ids)]
    path.write_text("\n".join([*lines, "t9 Q0 p-d1 1 1 t"]))

    call_command("import_run", "small", str(path), name="mine")

    report = collection.runs.get().report
    assert (report["outside_corpus"], report["unknown_topics"]) == (25, 1)
    assert report["unknown_documents"] == [f"x{number}" for number in range(20)]
    assert report["unknown_topic_examples"] == ["t9"]
    assert "the first unknown documents: x0, x1," in capsys.readouterr().out
    client = Client()
    client.force_login(collection.memberships.get(role="admin").user)
    page = client.get(reverse("runs", args=["small"])).text
    assert "The first unknown documents" in page
    assert "x0, x1, x2" in page


@pytest.mark.parametrize(
    ("line", "options"), [("q1 Q0 d2 1 1 t", {}), ("q1 0 d2 1", {"qrels": True})]
)
def test_prefixes_are_put_before_the_ids_of_runs_and_qrels(collection, tmp_path, line, options):
    path = tmp_path / "a.run"
    path.write_text(line)

    call_command(
        "import_run", "small", str(path), name="mine", prefix="p-", topic_prefix="p-", **options
    )

    run = collection.runs.get()
    assert run.rankings.get().docnos == ["p-d2"]
    assert (run.parameters["prefix"], run.parameters["topic_prefix"]) == ("p-", "p-")


def test_the_command_imports_several_files_or_none(collection, tmp_path):
    for name, line in (
        ("a.run", "p-q1 Q0 p-d1 1 1 t"),
        ("b.run", "p-q1 Q0 p-d2 1 1 t"),
        ("c", "x"),
    ):
        (tmp_path / name).write_text(line)
    paths = [str(tmp_path / name) for name in ("a.run", "b.run", "c")]

    with pytest.raises(CommandError, match="c:1: "):
        call_command("import_run", "small", *paths)
    assert not collection.runs.exists()
    with pytest.raises(CommandError, match="--name is for one file"):
        call_command("import_run", "small", *paths, name="mine")

    call_command("import_run", "small", *paths[:2])

    assert set(collection.runs.values_list("name", flat=True)) == {"a", "b"}


def test_topics_of_one_query_paper_are_one_message(collection, tmp_path):
    create_query(collection=collection, docno="p-d1", facet_key="method")
    path = tmp_path / "a.run"
    ids = ("p-q1", "p-q1_method", "p-d1", "p-d1_method")
    path.write_text("\n".join(f"{topic} Q0 p-d2 1 1 t" for topic in ids))

    with pytest.raises(CommandError) as caught:
        call_command("import_run", "small", str(path))

    assert str(caught.value).splitlines()[:2] == [
        "Nothing of a.run was imported. 2 topics are of a query paper that another topic has "
        "already.",
        "a.run:2: topic is p-q1_method, which is of the query paper p-q1, as is topic p-q1.",
    ]


def test_qrels_without_a_positive_grade_are_refused_with_the_reason(collection, tmp_path):
    path = tmp_path / "zeros.qrels"
    path.write_text("p-q1 0 p-d1 0\n")

    with pytest.raises(CommandError, match="no line has a grade above 0"):
        call_command("import_run", "small", str(path), qrels=True)
    assert not collection.runs.exists()

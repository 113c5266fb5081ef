"""Documents and queries on their way to other programs."""

import json
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from corpus.models import Document
from corpus.services import create_collection, create_query
from tests.support.factories import DocumentFactory, a_topic

pytestmark = pytest.mark.django_db

LINES = [
    {
        "docno": "z9",
        "title": "On “judges”\u2028and\ttabs",
        "sentences": ["Judges differ.", "We ask two."],
        "labels": ["background", ""],
        "year": 2001,
        "authors": ["A. Writer"],
        "venue": "Proc. of Somewhere",
        "references": ["a1", "nowhere"],
        "fields": ["Linguistics"],
    },
    {"docno": "a1", "title": "", "sentences": []},
    {"docno": "é2", "title": "日本語", "sentences": ["No label."]},
]
VALUES = (
    *("docno", "title", "sentences", "labels", "digest"),
    *("year", "venue", "authors", "references", "fields"),
)


def output_of(*arguments, **options):
    out = StringIO()
    call_command(*arguments, **options, stdout=out)
    return out.getvalue()


@pytest.fixture
def imported(collection, tmp_path):
    path = tmp_path / "documents.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in LINES))
    call_command("import_documents", "small", path)
    return collection


def test_documents_come_out_as_they_went_in(imported):
    lines = output_of("export_documents", "small").split("\n")

    assert [json.loads(line) for line in lines[:-1]] == LINES


def test_an_export_imported_elsewhere_is_the_same_corpus(imported, tmp_path):
    create_collection(slug="copy", name="Copy")
    exported = output_of("export_documents", "small")
    (tmp_path / "export.jsonl").write_text(exported)

    call_command("import_documents", "copy", tmp_path / "export.jsonl")

    here, there = (
        list(Document.objects.filter(collection__slug=slug).order_by("pk").values_list(*VALUES))
        for slug in ("small", "copy")
    )
    assert here == there
    assert output_of("export_documents", "copy") == exported


def test_topics_are_not_among_the_documents(collection):
    a_topic(collection)

    assert output_of("export_documents", "small") == ""


def test_a_topic_is_exported_with_its_title_once(collection):
    a_topic(collection, "2", narrative="Only\nmethods.")
    a_topic(collection, "1", title="Only a title", description="")

    assert output_of("export_queries", "small", format="tsv") == (
        "1\tOnly a title\n2\tRanking papers How are papers ranked? Find methods.\n"
    )
    lines = [json.loads(line) for line in output_of("export_queries", "small").splitlines()]
    assert lines[1] == {
        "id": "2",
        "title": "Ranking papers",
        "abstract": "How are papers ranked? Find methods.",
        "narrative": "Only\nmethods.",
    }


@pytest.fixture
def asked(collection):
    text = {
        "title": "Two\ttitles",
        "sentences": ["Why.", "How we\ndo it.", "What for.", "How again."],
        "labels": ["objective", "method", "background", "method"],
    }
    for docno, facets in (("q2", ("method",)), ("q1", ("method", "background"))):
        DocumentFactory(collection=collection, docno=docno, **text)
        for facet in facets:
            create_query(collection=collection, docno=docno, facet_key=facet)
    DocumentFactory(collection=collection, docno="d1")
    return collection


def test_a_query_paper_is_exported_once_with_title_and_abstract(asked):
    lines = [json.loads(line) for line in output_of("export_queries", "small").splitlines()]

    whole = "Why. How we\ndo it. What for. How again."
    assert lines == [
        {"id": "q1", "title": "Two\ttitles", "abstract": whole},
        {"id": "q2", "title": "Two\ttitles", "abstract": whole},
    ]


def test_a_line_of_tsv_is_the_id_and_the_text_on_one_line(asked):
    assert output_of("export_queries", "small", format="tsv") == (
        "q1\tTwo titles Why. How we do it. What for. How again.\n"
        "q2\tTwo titles Why. How we do it. What for. How again.\n"
    )


def test_with_a_facet_its_queries_have_their_ids_and_its_sentences_alone(asked):
    assert output_of("export_queries", "small", facet="background", format="tsv") == (
        "q1_background\tWhy. What for.\n"
    )
    lines = output_of("export_queries", "small", facet="method").splitlines()
    assert json.loads(lines[0]) == {
        "id": "q1_method",
        "title": "Two\ttitles",
        "abstract": "How we\ndo it. How again.",
        "docno": "q1",
        "facet": "method",
    }


def test_a_query_paper_without_text_is_left_out(collection):
    DocumentFactory(collection=collection, docno="q1", sentences=[], labels=[])
    create_query(collection=collection, docno="q1", facet_key="method")

    assert output_of("export_queries", "small") == ""


def test_a_facet_that_is_not_there_is_named(asked):
    with pytest.raises(CommandError, match="No facet 'colour' in small; it has background"):
        call_command("export_queries", "small", facet="colour")

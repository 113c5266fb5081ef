"""Queries that name sentences of their query paper instead of a whole facet."""

from __future__ import annotations

import json
import re
import zipfile
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.models import Collection, User
from adjudication.models import Case
from agreement.services import AgreementReport
from annotation.models import Pair, Slot
from annotation.services import open_query, presentation_of
from corpus.documents.importing import SentencesNamed, import_documents
from corpus.facets import NO_FACETS
from corpus.services import CorpusError, create_query
from corpus.text.sentence_numbers import SentenceNumberError, numbers_text, parse_numbers
from corpus.topics.queries import BadQueryList, add_query_list, parse_query_list
from dashboard.board.closed_queries import closed_rows, is_ready
from jobs.context import DirectRun
from rebuilding.services import rebuild_pools
from release.files import open_release
from release.services import publish_release
from reports.services import compute_report
from tests.support.datasheets import answer_datasheet
from tests.support.factories import DocumentFactory, a_collection, annotators
from tests.support.sittings import judge_both, settle
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

SENTENCES = ["Why.", "We prune.", "We parse.", "We train.", "It works."]
LABELS = ["background", "method", "method", "method", "result"]


@once_a_file
def collection():
    return a_collection()


@pytest.fixture
def paper(collection):
    return DocumentFactory(
        collection=collection, docno="d1", sentences=SENTENCES, labels=LABELS, references=[]
    )


def by_sentences(collection, *numbers, **options):
    return create_query(
        collection=collection,
        **{"docno": "d1", "facet_key": "method", "sentences": numbers} | options,
    )


@pytest.mark.parametrize("text", ["2", "2,4-5", "1-3", "1,3,5-7,12"])
def test_numbers_are_written_as_they_are_read(text):
    assert numbers_text(parse_numbers(text)) == text


@pytest.mark.parametrize("text", ["", "0", "5-2", "2,", "a", "2;3", "1-99999"])
def test_what_is_no_list_of_numbers_is_refused(text):
    with pytest.raises(SentenceNumberError, match="Write the numbers from 1"):
        parse_numbers(text)


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ("3264891 method 2,4-5", ("3264891", "method", (2, 4, 5), "")),
        ("3264891\tmethod\t4, 2\tpruning", ("3264891", "method", (2, 4), "pruning")),
        ("d 2 method 1", ("d 2", "method", (1,), "")),
        ("d 2 method", ("d 2", "method", None, "")),
        ("d1 metod 2,4", ("d1", "metod", (2, 4), "")),
    ],
)
def test_a_line_may_name_sentences_after_the_facet(line, found):
    lines, problems = parse_query_list(line, facet_keys={"method", "result"})

    assert ([each[1:] for each in lines], problems) == ([found], [])


def test_the_command_names_the_query_by_the_next_free_number(paper, collection, capsys):
    call_command("create_query", "small", "d1", "method")
    call_command("create_query", "small", "d1", "method", sentences="2,4")
    call_command("create_query", "small", "d1", "method", sentences="5", name="pruning")
    call_command("create_query", "small", "d1", "method", sentences="1-2")
    call_command("create_query", "small", "d1", "method", sentences="4,2")

    assert capsys.readouterr().out.splitlines() == [
        "d1_method: created.",
        "d1_method-2: created, sentences 2,4.",
        "d1_method-pruning: created, sentences 5.",
        "d1_method-3: created, sentences 1-2.",
        "d1_method-2: unchanged, sentences 2,4.",
    ]
    assert collection.query_papers.count() == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"sentences": "2,6"}, "d1 has no sentence 6; its sentences are 1 to 5"),
        ({"sentences": ""}, "No sentences are given"),
        ({"sentences": "2", "name": "Two Words"}, 'The name "Two Words" is invalid'),
        ({"sentences": "2", "name": "old"}, "The id d1_method-old is in use"),
        ({"sentences": "4", "name": "new"}, "d1_method-old has the same sentences, 4"),
        ({"sentences": "2-4"}, "d1_method has the same sentences, 2-4: all that are labelled"),
        ({"name": "new"}, "is for a query by sentences. Give its sentences"),
    ],
)
def test_sentences_that_cannot_be_a_query_are_named(paper, collection, options, message):
    create_query(collection=collection, docno="d1", facet_key="method")
    by_sentences(collection, 4, name="old")

    with pytest.raises(CommandError, match=message):
        call_command("create_query", "small", "d1", "method", **options)
    assert collection.queries.count() == 2


def test_a_query_of_all_sentences_of_the_facet_replaces_the_whole_facet(paper, collection):
    by_sentences(collection, 2, 3, 4)

    with pytest.raises(CorpusError, match="d1_method-2 has the same sentences"):
        create_query(collection=collection, docno="d1", facet_key="method")


def test_a_list_with_wrong_sentences_names_each_line_and_adds_nothing(paper, collection):
    with pytest.raises(BadQueryList) as refused:
        add_query_list(
            collection=collection,
            text="d1 method\nd1 method 2,9\nd1 method 3-2\nd1 method 2 A\nd1 result 1-2 x",
        )

    assert [problem.number for problem in refused.value.problems] == [2, 3, 4]
    assert "d1 has no sentence 9" in refused.value.problems[0].reason
    assert not collection.queries.exists()


def test_without_facets_the_sentences_follow_the_docno():
    collection = a_collection(facets=NO_FACETS)
    for docno in ("a", "a 2"):
        DocumentFactory(collection=collection, docno=docno, sentences=SENTENCES, labels=[])

    assert add_query_list(collection=collection, text="a\na 2,4-5\na 2\na 2 1 x") == 4
    numbers = dict(collection.queries.values_list("name", "sentence_numbers"))
    assert numbers == {"a": None, "a-2": [2, 4, 5], "a 2": None, "a 2-x": [1]}


def test_an_import_that_changes_named_sentences_is_refused(paper, collection, tmp_path):
    by_sentences(collection, 4)
    same = {"docno": "d1", "title": "New", "sentences": SENTENCES, "labels": ["other"] * 5}
    path = tmp_path / "documents.jsonl"

    path.write_text(json.dumps(same))
    import_documents(collection=collection, path=path, work=DirectRun())
    path.write_text(json.dumps({**same, "sentences": SENTENCES[:3], "labels": []}))
    with pytest.raises(SentencesNamed) as refused:
        import_documents(collection=collection, path=path, work=DirectRun())

    assert "documents.jsonl:1: docno is d1, whose sentences a query names" in str(refused.value)
    assert "remove the queries by sentences" in str(refused.value)
    document = collection.documents.get(docno="d1")
    assert (document.title, document.sentences) == ("New", SENTENCES)


@pytest.fixture
def admin(collection):
    client = Client()
    client.force_login(User.objects.get(username="admin"))
    return client


def test_sentences_are_ticked_on_the_page_and_stay_ticked_at_an_error(paper, collection, admin):
    address = reverse("add-query", args=["small"])
    form = {"sentences": "1", "docno": "d1", "facet": "result", "sentence": ["2", "4"]}

    wrong = admin.post(address, {**form, "name": "No good"})
    right = admin.post(address, {**form, "name": "pruning"}, follow=True)
    again = admin.post(address, form)
    nothing = admin.post(address, {**form, "sentence": []})

    assert (wrong.status_code, again.status_code, nothing.status_code) == (422, 422, 422)
    assert "is invalid" in wrong.text
    assert wrong.text.count("checked") == 2
    assert "No sentence of d1 is chosen" in nothing.text
    assert "Added d1_result-pruning with sentences 2,4." in right.text
    assert "d1_result-pruning has the same sentences, 2,4" in again.text
    listed = " ".join(admin.get(reverse("queries", args=["small"])).text.split())
    assert listed.count('<td class="nowrap wide-only"> 2,4 </td>') == 1
    assert "(sentences 2,4)" in " ".join(
        admin.get(reverse("document", args=["small", "d1"])).text.split()
    )


def test_an_export_has_each_query_with_its_own_sentences(paper, collection):
    create_query(collection=collection, docno="d1", facet_key="method")
    by_sentences(collection, 1, 3)

    def exported(**options):
        out = StringIO()
        call_command("export_queries", "small", stdout=out, **options)
        return out.getvalue()

    method = "d1_method\tWe prune. We parse. We train.\n"
    assert exported(facet="method", format="tsv") == f"{method}d1_method-2\tWhy. We parse.\n"
    assert exported(facet="method", format="tsv", name="whole") == method
    assert json.loads(exported(name="2")) == {
        "id": "d1_method-2",
        "title": paper.title,
        "abstract": "Why. We parse.",
        "docno": "d1",
        "facet": "method",
        "sentences": [1, 3],
    }


def bold(text) -> list[str]:
    return [sentence.text for sentence in text.sentences if sentence.in_facet]


@pytest.fixture
def judged(collection: Collection) -> Collection:
    """Two queries of one paper and facet, and one on a facet without a label; all judged."""
    Collection.objects.filter(pk=collection.pk).update(licence="CC0-1.0")
    labels = [*LABELS[:4], "other"]
    DocumentFactory(collection=collection, docno="d1", sentences=SENTENCES, labels=labels)
    for number in range(3):
        DocumentFactory(collection=collection, docno=f"c{number}")
    answer_datasheet(collection)
    add_query_list(collection=collection, text="d1 method\nd1 method 1,3\nd1 result 5")
    call_command("build_pools", "small", "--queries", "d1_method-2", n=3, run=["bm25_text"])
    ready = collection.queries.filter(is_ready(collection))
    assert ready.count() == 3
    assert all(row.ready for row in closed_rows(ready))
    for query in ready.order_by("name"):
        opening = open_query(query=query, annotators=annotators(collection), opened_by=None)
        first, *_ = judge_both(opening, (0, 2), (1, 1), (3, 3))
        settle(first, User.objects.get(username="adju"), 1)
    return collection


def shown(name: str):
    pair = Pair.objects.filter(query__name=name).first()
    return presentation_of(pair, 1)


def test_the_named_sentences_are_bold_and_the_candidate_s_are_those_of_the_facet(judged):
    assert bold(shown("d1_method").query) == SENTENCES[1:4]
    assert bold(shown("d1_method-2").query) == ["Why.", "We parse."]
    assert bold(shown("d1_result-2").query) == ["It works."]
    assert [text.startswith("Method of") for text in bold(shown("d1_method-2").candidate)] == [True]

    client = Client()
    for username, view in (("ann1", "judge-pair"), ("adju", "case")):
        client.force_login(User.objects.get(username=username))
        token = Case.objects.cases().filter(query__name="d1_method-2").first().token
        page = client.get(reverse(view, args=["small", "d1_method-2", token])).text
        query = page[page.index('class="query"') : page.index('class="candidate"')]
        assert re.findall(r"<strong.*?>(.*?)</strong", query, re.DOTALL) == ["Why.", "We parse."]


def test_a_query_by_sentences_goes_from_its_creation_to_a_release(judged, tmp_path):
    report = compute_report(AgreementReport("exclude"), collection=judged)
    release = publish_release(collection=judged, version="1.0")

    queries = ["d1_method", "d1_method-2", "d1_result-2"]
    assert [
        line["query"] for line in report.payload["queries"] if line["stage"] == "pre"
    ] == queries
    with open_release(release) as file, zipfile.ZipFile(file) as archive:
        archive.extractall(tmp_path)
    assert (tmp_path / "trec/queries.tsv").read_text().splitlines() == [
        "query\tquery_paper\tfacet\tsentences",
        "d1_method\td1\tmethod\t",
        "d1_method-2\td1\tmethod\t1,3",
        "d1_result-2\td1\tresult\t5",
    ]
    qrels = (tmp_path / "trec/qrels.method.txt").read_text().splitlines()
    assert [line.split()[0] for line in qrels] == ["d1_method"] * 3 + ["d1_method-2"] * 3
    run = (tmp_path / "trec/runs/bm25_text.txt").read_text().splitlines()
    assert {line.split()[0] for line in run} == set(queries)
    assert {line.split()[-1] for line in run} == {"bm25_text"}
    assert "A query by sentences names sentences" in (tmp_path / "README.md").read_text()
    assert release.manifest["counts"]["facets"]["method"]["queries"] == 2
    build = judged.pool_builds.get()
    proof = rebuild_pools(manifest=build.manifest, collection=judged, work=DirectRun())
    assert proof.candidates == 3


def test_released_judgments_are_imported_again_with_the_same_digests(judged, tmp_path):
    release = publish_release(collection=judged, version="1.0")
    with open_release(release) as file, zipfile.ZipFile(file) as archive:
        archive.extractall(tmp_path)
    copy = a_collection("copy")
    for document in judged.documents.all():
        text = {name: getattr(document, name) for name in ("docno", "title", "sentences", "labels")}
        DocumentFactory(collection=copy, **text)
    add_query_list(collection=copy, text="d1 method\nd1 method 1,3\nd1 result 5")

    call_command(
        "import_judgments",
        "copy",
        tmp_path / "annotations/ratings.csv",
        tmp_path / "annotations/adjudications.csv",
    )

    def judgments(collection):
        rows = Slot.objects.of(collection).values_list(
            *("pair__query__name", "pair__candidate__document__docno", "number"),
            *("judgment__grade", "judgment__presentation_digest"),
        )
        return set(rows)

    assert judgments(copy) == judgments(judged)


def test_a_pasted_line_of_an_id_a_tab_and_a_text_is_a_topic():
    collection = a_collection("plain", facets=NO_FACETS)
    DocumentFactory(collection=collection, docno="d1", sentences=SENTENCES, labels=[])
    text = "1\tWhich wings, 2-3 of them?\nd1\t2,4\n\n2\tapollo 11\n"

    assert add_query_list(collection=collection, text=text) == 3
    assert add_query_list(collection=collection, text=text.replace("\n", "\r\n")) == 0
    queries = collection.queries.values_list("name", "query_paper__topic__title")
    assert set(queries) == {("1", "Which wings, 2-3 of them?"), ("2", "apollo 11"), ("d1-2", None)}

    with pytest.raises(BadQueryList) as failure:
        add_query_list(collection=collection, text="1\tAnother\n3\tnew\n4\x01\tx\tx\n")

    assert [problem.number for problem in failure.value.problems] == [1]
    assert "topic with another text" in failure.value.problems[0].reason
    assert collection.queries.count() == 3


def test_a_pasted_topic_needs_a_file_where_there_are_facets(paper):
    with pytest.raises(BadQueryList) as failure:
        add_query_list(collection=paper.collection, text="d1\tmethod\n1\tWhich wings?\n")

    assert [problem.number for problem in failure.value.problems] == [2]
    assert "look like a topic" in failure.value.problems[0].reason

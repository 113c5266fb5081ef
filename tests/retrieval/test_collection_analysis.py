"""The analysis of a collection: found in its documents, used by default, chosen by hand."""

import json

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from accounts.models import Collection
from corpus.documents.importing import import_documents
from corpus.services import create_query
from jobs.context import DirectRun
from jobs.models import Job
from pooling.services.plan_runs import run_names
from pooling.services.plans import PoolPlan
from retrieval.services import usual_retrievers
from tests.support.factories import DocumentFactory, a_collection
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
ENGLISH = "We show that the words of a query are in the texts that people read for this."


@once_a_file
def collection():
    collection = a_collection()
    for docno in ("q1", "d1", "d2"):
        DocumentFactory(collection=collection, docno=docno)
    create_query(collection=collection, docno="q1", facet_key="method")
    return collection


@pytest.fixture
def admin(collection):
    client = Client()
    client.force_login(collection.memberships.get(role="admin").user)
    return client


def a_file(folder, text, documents=3):
    path = folder / "documents.jsonl"
    lines = [
        json.dumps({"docno": f"n{number}", "title": "", "abstract": text})
        for number in range(documents)
    ]
    path.write_text("\n".join(lines))
    return path


@pytest.mark.parametrize(
    ("text", "analysis"),
    [
        (ENGLISH, "english"),
        (
            "Wir zeigen, dass die Wörter der Anfrage in den Texten sind und nicht im Titel.",
            "german",
        ),
        ("Мы показываем, что слова запроса есть в текстах и не только в заголовке.", "russian"),
        ("本文研究中文文本的信息检索方法，并与其他方法进行比较。", "characters"),
        ("alpha beta gamma delta epsilon zeta eta theta iota kappa lambda", ""),
    ],
)
def test_the_first_documents_show_the_language_of_a_new_collection(text, analysis, tmp_path):
    collection = a_collection(analysis="")

    import_documents(collection=collection, path=a_file(tmp_path, text), work=DirectRun())

    assert Collection.objects.get(pk=collection.pk).analysis == analysis


def test_an_analysis_that_a_person_chose_stays(tmp_path):
    collection = a_collection(analysis="plain")

    import_documents(collection=collection, path=a_file(tmp_path, ENGLISH), work=DirectRun())

    assert Collection.objects.get(pk=collection.pk).analysis == "plain"


def test_the_usual_retrievers_have_the_analysis_of_the_collection(collection):
    assert usual_retrievers(collection)[0] == "bm25_title"
    collection.analysis = "english"
    assert usual_retrievers(collection) == [
        "bm25_title.english",
        "bm25_abstract.english",
        "tfidf_title.english",
        "tfidf_abstract.english",
    ]
    assert run_names(collection, PoolPlan.take(2)) == sorted(usual_retrievers(collection))


def test_the_command_makes_runs_with_an_analysis(collection, capsys):
    call_command(
        "run_retrievers", "small", "bm25_text", "random", "--analysis", "english", "--depth", 5
    )

    assert set(collection.runs.values_list("name", flat=True)) == {"bm25_text.english", "random"}
    assert "bm25_text.english: 1 lists, 2 documents" in capsys.readouterr().out


def test_the_command_without_names_makes_the_usual_runs(collection):
    call_command("run_retrievers", "small")

    assert set(collection.runs.values_list("name", flat=True)) == set(usual_retrievers(collection))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--analysis", "klingon"], "Unknown analysis 'klingon'"),
        (["bm25_text.klingon"], "Unknown analysis 'klingon'"),
        (["oracle"], "Unknown retriever 'oracle'"),
        (["--depth", "0"], "--depth must be at least 1"),
    ],
)
def test_the_command_says_what_is_wrong(collection, arguments, message):
    with pytest.raises(CommandError, match=message):
        call_command("run_retrievers", "small", *arguments)


def test_the_page_lists_retrievers_with_the_chosen_analysis(collection, admin):
    address = reverse("add-run", args=["small"])

    assert 'value="bm25_text"' in admin.get(address).text
    page = admin.get(address, {"analysis": "german"}).text
    assert 'value="bm25_text.german"' in page
    assert 'value="bm25_text"' not in page
    assert '<option value="german" selected>' in page
    assert 'value="bm25_text"' in admin.get(address, {"analysis": "klingon"}).text


def test_the_page_runs_a_retriever_with_an_analysis(collection, admin):
    admin.post(reverse("retrieve", args=["small"]), {"name": "bm25_text.german"})

    assert Job.objects.get().parameters["name"] == "bm25_text.german"


def test_a_run_shows_its_analysis(collection, admin):
    call_command("run_retrievers", "small", "bm25_text.german")

    assert "bm25 over the text (german)" in admin.get(reverse("runs", args=["small"])).text


def test_the_command_creates_a_collection_with_an_analysis(collection):
    call_command("create_collection", "de", name="D", admin="admin", analysis="german")

    assert Collection.objects.get(slug="de").analysis == "german"

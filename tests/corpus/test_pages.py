import gzip
import re
from pathlib import Path

import pytest
from django.conf import settings
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client
from django.urls import reverse

from accounts.models import User
from corpus.services import create_query
from corpus.topics.queries import (
    QueryInUse,
    add_queries,
    facet_choices,
    parse_query_list,
    remove_query,
)
from jobs.models import Job, State
from jobs.services import run
from retrieval.models import Ranking, Run
from tests.support.factories import DocumentFactory, a_collection, a_query, an_open_query
from tests.support.visits import text_of
from tests.support.worlds import once_a_file
from web.tables.paging import page_of

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

LINE = '{"docno": "x1", "title": "A title", "sentences": ["One."], "labels": ["method"]}\n'
GOOD = LINE.encode()


@once_a_file
def collection():
    return a_collection()


@pytest.fixture
def admin(collection):
    client = Client()
    client.force_login(User.objects.get(username="admin"))
    return client


def at(name, *args):
    return reverse(name, args=["small", *args])


def words_of(page):
    return " ".join(page.text.split())


# Documents


def test_documents_are_listed_in_a_fixed_number_of_queries(
    collection, admin, django_assert_num_queries
):
    DocumentFactory.create_batch(60, collection=collection)

    with django_assert_num_queries(8):
        page = admin.get(at("documents"))

    assert "60</span> documents" in words_of(page)
    assert words_of(page).count('<a class="title"') == 50
    assert "Next →" in page.text


def test_pages_follow_by_docno_in_both_directions(collection, admin):
    for number in range(120):
        DocumentFactory(collection=collection, docno=f"n{number:03}")

    second = admin.get(at("documents"), {"after": "n049"})
    back = admin.get(at("documents"), {"before": "n050"})

    assert "n050" in second.text
    assert "n099" in second.text
    assert "n100</td>" not in second.text
    assert "n049" in back.text
    assert "n000" in back.text
    assert "← Previous" not in back.text


def test_a_page_keeps_what_was_asked_for(collection, admin):
    for number in range(60):
        DocumentFactory(collection=collection, docno=f"n{number:03}", title="Same words")

    page = admin.get(at("documents"), {"q": "same"})

    assert "?q=same&amp;after=n049" in page.text


@pytest.mark.parametrize(
    ("words", "found"), [("PARSING", ["d1"]), ("d2", ["d2"]), ("2", []), ("", ["d1", "d2"])]
)
def test_documents_are_found_by_title_or_the_beginning_of_the_docno(
    collection, admin, words, found
):
    DocumentFactory(collection=collection, docno="d1", title="On parsing")
    DocumentFactory(collection=collection, docno="d2", title="On ranking")

    page = admin.get(at("documents"), {"q": words})

    assert [docno for docno in ("d1", "d2") if f">{docno}<" in page.text] == found


def test_words_with_special_letters_are_taken_literally(collection, admin):
    DocumentFactory(collection=collection, docno="d1", title="100% sure")
    DocumentFactory(collection=collection, docno="d2", title="100 times")

    page = admin.get(at("documents"), {"q": "100%"})

    assert "1 of 2 documents match “100%”" in words_of(page)


def test_htmx_gets_the_list_alone(collection, admin):
    DocumentFactory(collection=collection, docno="d1")

    part = admin.get(at("documents"), {"q": "d1"}, headers={"HX-Request": "true"})

    assert "<html" not in part.text
    assert ">d1<" in part.text
    assert "HX-Request" in part["Vary"]


def test_documents_without_text_are_counted_and_found(collection, admin):
    DocumentFactory(collection=collection, docno="full")
    DocumentFactory(collection=collection, docno="bare", sentences=[], labels=[])

    every = admin.get(at("documents"))
    bare = admin.get(at("documents"), {"text": "none"})

    assert "of them without text" in words_of(every)
    assert "no text" in every.text
    assert ">bare<" in bare.text
    assert ">full<" not in bare.text


def test_a_title_is_shown_as_text_never_as_markup(collection, admin):
    DocumentFactory(collection=collection, docno="d1", title="<script>alert(1)</script>")

    for page in (admin.get(at("documents")), admin.get(at("document", "d1"))):
        assert "<script>alert" not in page.text


def test_an_empty_collection_leads_to_the_import(collection, admin):
    page = admin.get(at("documents"))

    assert "No documents yet" in page.text
    assert at("import-documents") in page.text


def test_an_empty_page_has_no_keys_to_go_on_from(collection):
    page = page_of(collection.documents.all(), "docno", {})
    assert (page.rows, page.before, page.after) == ([], "", "")


def test_a_page_says_which_rows_of_how_many_it_has(collection, admin):
    for number in range(120):
        DocumentFactory(collection=collection, docno=f"d{number:03}")

    first = admin.get(at("documents"))
    assert "1–50 of 120" in text_of(first)
    second = admin.get(at("documents"), {"after": "d049", "at": first.context["page"].first_after})
    assert "51–100 of 120" in text_of(second)
    back = admin.get(at("documents"), {"before": "d050", "at": 1})
    assert "1–50 of 120" in text_of(back)
    assert "1–50 of 120" in text_of(admin.get(at("documents"), {"at": "-7"}))


@pytest.mark.parametrize("name", ["documents", "queries", "add-query"])
@pytest.mark.parametrize("asked", ["q", "after", "before", "docno"])
def test_a_nul_in_the_address_is_refused(collection, admin, name, asked):
    a_query(collection)

    assert admin.get(at(name), {asked: "\0"}).status_code == 400


def test_a_nul_in_the_name_of_a_document_is_refused(collection, admin):
    assert admin.get(at("document", "\0x")).status_code == 400
    assert admin.post(at("remove-query", "\0x")).status_code == 400


# Import


def upload(admin, content=GOOD, name="docs.jsonl"):
    file = SimpleUploadedFile(name, content)
    return admin.post(at("import-documents"), {"file": file})


def test_an_upload_is_kept_and_becomes_a_job(collection, admin):
    answer = upload(admin)

    job = collection.jobs.get()
    (place,) = job.parameters["path"]
    kept = Path(settings.UPLOAD_DIR) / place
    assert answer.url == at("job", job.pk)
    assert (job.kind, job.parameters["filename"]) == ("import_documents", "docs.jsonl")
    assert Path(place).parent == Path("small")
    assert kept.read_text() == LINE


@pytest.mark.parametrize("pack", [bytes, gzip.compress])
def test_the_job_imports_what_was_uploaded(collection, admin, pack):
    upload(admin, pack(LINE.encode()), "../../odd name.jsonl")

    run(collection.jobs.get().pk)

    job = collection.jobs.get()
    assert (job.state, job.error) == (State.SUCCEEDED, "")
    assert collection.documents.get().docno == "x1"
    assert "created" in admin.get(at("job", job.pk)).text


def test_format_filter_and_bad_lines_can_be_chosen(collection, admin):
    line = b'{"_id": "b1", "title": "T", "text": "One. Two."}\n'
    file = SimpleUploadedFile("corpus.jsonl", line + b"not json\n")
    fields = {"file": file, "format": "beir", "filter": "csfcube", "skip_bad": "1"}

    admin.post(at("import-documents"), fields)
    run(collection.jobs.get().pk)

    page = words_of(admin.get(at("job", collection.jobs.get().pk)))
    assert "fewer than 3 sentences: 1" in page
    assert "corpus.jsonl:2: not JSON" in page


@pytest.mark.parametrize("wrong", [{"format": "xml"}, {"filter": "x"}, {"skip_bad": "-1"}])
def test_a_choice_that_does_not_exist_is_refused(collection, admin, wrong):
    file = SimpleUploadedFile("docs.jsonl", LINE.encode())

    assert admin.post(at("import-documents"), {"file": file, **wrong}).status_code == 422
    assert not Job.objects.exists()


def test_a_bad_file_fails_its_job_with_the_line(collection, admin):
    upload(admin, LINE.encode() + b"not json\n")

    run(collection.jobs.get().pk)

    page = admin.get(at("job", collection.jobs.get().pk))
    assert "docs.jsonl:2:" in page.text
    assert not collection.documents.exists()


def test_no_file_and_an_empty_file_are_explained(collection, admin):
    nothing = admin.post(at("import-documents"))
    empty = upload(admin, b"")

    assert (nothing.status_code, empty.status_code) == (422, 422)
    assert "Choose a document file" in nothing.text
    assert "This file is empty" in empty.text
    assert not Job.objects.exists()


def test_a_second_import_waits_for_the_first_and_leaves_no_file(collection, admin):
    upload(admin)

    page = upload(admin, LINE.encode(), "more.jsonl")

    assert page.status_code == 422
    assert "docs.jsonl is being imported, so" in page.text
    assert collection.jobs.count() == 1
    assert len(list((Path(settings.UPLOAD_DIR) / "small").iterdir())) == 1


# Queries


def test_a_paper_is_added_under_the_facets_chosen(collection, admin):
    DocumentFactory(collection=collection, docno="d 1")

    page = admin.post(at("add-query"), {"docno": "d 1", "facet": ["method", "result"]}, follow=True)

    assert set(collection.queries.values_list("name", flat=True)) == {"d 1_method", "d 1_result"}
    assert "Added d 1_method, d 1_result." in page.text


def test_the_form_shows_how_many_sentences_each_facet_has(collection, admin):
    DocumentFactory(
        collection=collection,
        docno="d1",
        sentences=["a", "b", "c"],
        labels=["objective", "background", "method"],
    )

    text = words_of(admin.get(at("add-query"), {"docno": "d1"}))

    assert 'Background <span class="quiet">· 2 sentences' in text
    assert 'Method <span class="quiet">· 1 sentence<' in text
    assert "no sentences to compare" in text


def test_a_facet_that_is_a_query_already_cannot_be_chosen_again(collection):
    document = DocumentFactory(collection=collection, docno="d1")
    create_query(collection=collection, docno="d1", facet_key="method")

    choices = facet_choices(document, collection.facets.all())

    assert [choice.possible for choice in choices] == [True, False, True]


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ({"docno": "d1"}, "Choose at least one facet"),
        ({"docno": "ghost", "facet": "method"}, "No document &#x27;ghost&#x27;"),
        ({"docno": "d1", "facet": ["method", "odd"]}, "Unknown facet &#x27;odd&#x27;"),
        ({"docno": "bare", "facet": "method"}, "has no text, so"),
    ],
)
def test_a_query_that_cannot_be_is_explained_and_nothing_added(collection, admin, form, reason):
    DocumentFactory(collection=collection, docno="d1")
    DocumentFactory(collection=collection, docno="bare", sentences=[], labels=[])

    page = admin.post(at("add-query"), form)

    assert page.status_code == 422
    assert reason in page.text
    assert not collection.queries.exists()
    assert not collection.query_papers.exists()


def test_papers_are_found_while_typing_and_without_script(collection, admin):
    DocumentFactory(collection=collection, docno="d1", title="On parsing")

    plain = admin.get(at("add-query"), {"q": "pars"})
    part = admin.get(at("add-query"), {"q": "pars"}, headers={"HX-Request": "true"})

    for page in (plain, part):
        assert "?docno=d1" in page.text
        assert "1 document matches." in page.text
    assert "<html" not in part.text


def test_a_paper_that_is_not_here_cannot_be_chosen(collection, admin):
    assert admin.get(at("add-query"), {"docno": "ghost"}).status_code == 404


def test_a_list_of_queries_comes_in_whole(collection, admin):
    DocumentFactory(collection=collection, docno="d1")
    DocumentFactory(collection=collection, docno="d 2")

    page = admin.post(
        at("add-query-list"), {"lines": "d1 method\r\n\r\nd 2\tresult\nd1,method\n"}, follow=True
    )

    assert "Added 2 queries." in page.text
    assert set(collection.queries.values_list("name", flat=True)) == {"d1_method", "d 2_result"}


def test_the_same_list_again_changes_nothing_and_says_so(collection, admin):
    DocumentFactory(collection=collection, docno="d1")
    admin.post(at("add-query-list"), {"lines": "d1 method"})

    page = admin.post(at("add-query-list"), {"lines": "d1 method"}, follow=True)

    assert "Nothing changed" in page.text
    assert collection.queries.count() == 1


def test_one_bad_line_keeps_the_whole_list_out_and_every_bad_line_is_named(collection, admin):
    DocumentFactory(collection=collection, docno="d1")
    lines = "d1 method\n\nghost method\nd1 odd\nalone"

    page = admin.post(at("add-query-list"), {"lines": lines})

    assert page.status_code == 422
    assert "3 invalid lines, so no query was added" in page.text
    for number in (3, 4, 5):
        assert f"Line {number}:" in page.text
    assert "d1 method\n\nghost method" in page.text.replace("\r", "")
    assert not collection.queries.exists()
    assert not collection.query_papers.exists()


def test_an_empty_list_is_refused(collection, admin):
    assert admin.post(at("add-query-list"), {"lines": ""}).status_code == 422
    assert "The list is empty" in admin.post(at("add-query-list"), {"lines": " \n "}).text


def test_lines_are_read_whatever_parts_docno_and_facet():
    lines, problems = parse_query_list("a b\nc,d\ne;  f\n10.1/x, y g\n\th\ti\n")

    assert [(line.docno, line.facet) for line in lines] == [
        ("a", "b"),
        ("c", "d"),
        ("e", "f"),
        ("10.1/x, y", "g"),
        ("h", "i"),
    ]
    assert problems == []


def test_a_query_that_is_not_open_is_removed_with_its_paper(collection, admin):
    DocumentFactory(collection=collection, docno="d/1")
    create_query(collection=collection, docno="d/1", facet_key="method")

    page = admin.post(at("remove-query", "d/1_method"), follow=True)

    assert "Removed d/1_method. Its document stays." in page.text
    assert not collection.query_papers.exists()
    assert collection.documents.count() == 1


def test_a_paper_stays_while_another_facet_or_a_ranked_list_needs_it(collection):
    DocumentFactory(collection=collection, docno="d1")
    method = create_query(collection=collection, docno="d1", facet_key="method")
    result = create_query(collection=collection, docno="d1", facet_key="result")
    made = Run.objects.create(collection=collection, name="r", kind="file", sha256="0" * 64)
    Ranking.objects.create(run=made, query_paper=method.query_paper, docnos=[], scores=[])

    remove_query(query=method)
    remove_query(query=result)

    assert collection.query_papers.count() == 1
    assert Ranking.objects.count() == 1


def test_a_draft_pool_does_not_keep_a_query(collection):
    query = a_query(collection)

    remove_query(query=query)

    assert not collection.queries.exists()


def test_an_open_query_stays(collection, admin):
    query = an_open_query(collection).query

    page = admin.post(at("remove-query", query.name), follow=True)

    assert "Judgments are never deleted" in page.text
    assert collection.queries.get() == query
    with pytest.raises(QueryInUse):
        remove_query(query=query)


def test_a_query_that_is_not_there_is_a_404(collection, admin):
    assert admin.post(at("remove-query", "ghost_method")).status_code == 404


# The natural order of ids


def docnos_of(answer) -> list[str]:
    return re.findall(r'<td class="mono nowrap wide-only">([^<]+)</td>', answer.text)


def query_names_of(answer) -> list[str]:
    return re.findall(
        r'<th scope="row" class="paper-name">\s*<a href="[^"]+">([^<]+)</a>', answer.text
    )


def test_documents_and_queries_are_in_natural_order_over_all_pages(collection, admin):
    for number in range(1, 56):
        DocumentFactory(collection=collection, docno=f"d{number}")
        add_queries(collection=collection, docno=f"d{number}", facet_keys=["method"])

    first, rest = admin.get(at("documents")), admin.get(at("documents"), {"after": "d50"})
    back = admin.get(at("documents"), {"before": "d51"})
    queries = admin.get(at("queries"), {"after": "d50_method"})

    assert docnos_of(first) == [f"d{number}" for number in range(1, 51)]
    assert docnos_of(rest) == [f"d{number}" for number in range(51, 56)]
    assert docnos_of(back) == docnos_of(first)
    assert query_names_of(queries) == [f"d{number}_method" for number in range(51, 56)]

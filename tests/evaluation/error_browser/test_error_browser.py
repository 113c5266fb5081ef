"""The error browser: what it shows, its tags and its downloads."""

import re

import pytest

from evaluation.error_browser.services import DEFAULT_TYPES, tags_of, types_of
from evaluation.models import ErrorTag
from retrieval.formats import RankedList
from scoring.baselines.services import make_baselines
from scoring.systems.lists import list_for, system_lists
from scoring.systems.services import save_system, sync_runs
from tests.support.baseline_scenes import a_judged_scene
from tests.support.pooling_scenes import a_listed_run
from tests.support.running import ROOT
from tests.support.visits import address, client_of, csv_rows, markup, queries_of, text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

LIST = RankedList(["unlabelled", "far", "near", "nothing", "none"], [5.0, 4.0, 3.0, 2.0, 1.0])


@once_a_file
def collection():
    """The system `sys` for the query q_method: near is relevant (3), and none (2)."""
    collection = a_judged_scene()
    save_system(
        collection=collection,
        name="sys",
        kind="file",
        lists=[("q_method", LIST)],
        parameters={},
    )
    return collection


def posted(**changes):
    return {"system": "sys", "query": "q_method", "docno": "none", "type": "mechanism"} | changes


def tag_of(collection, **changes):
    """The tag that a POST of these fields makes."""
    client_of("admin").post(address("tag-error"), posted(**changes))
    return ErrorTag.objects.latest("pk")


def words_of(page):
    """The page in one line, without its markup."""
    return " ".join(re.sub(r"<[^>]*>", " ", page.content.decode()).split())


def test_the_page_shows_both_texts_of_the_chosen_error_and_leads_to_the_others(collection, admin):
    page = admin.get(f"{address('error-browser')}?depth=2&docno=near")
    text = words_of(page)
    assert "1 of the first 2 documents is graded below 2 (false positives)." in text
    assert "2 of 2 relevant documents are not among the first 2 (misses)." in text
    assert "1 of the first 2 has no final label." in text
    assert "Error 2 of 3" in text
    assert "Miss: grade 3, rank 3" in text
    assert '<strong class="in-facet">A neural parser of sentences</strong>' in markup(page.text)
    assert "Taxes." in text
    # A pair without a final label is shown nowhere.
    assert "unlabelled" not in page.content.decode()
    shown = page.context["page"].shown
    assert "docno=far" in shown.previous
    assert "docno=none" in shown.next


@pytest.mark.parametrize(
    ("parameters", "docnos"),
    [
        ("depth=2", ["far", "near", "none"]),
        ("depth=2&kind=miss", ["near", "none"]),
        ("depth=2&kind=false_positive&docno=none", ["far"]),
        ("depth=4&kind=nonsense", ["far", "nothing", "none"]),
        ("depth=2&tag=tagged", ["none"]),
        ("depth=2&tag=untagged", ["far", "near"]),
        ("depth=2&tag=mechanism", ["none"]),
        ("depth=2&tag=context", []),
    ],
)
def test_filters_are_in_the_address(collection, admin, parameters, docnos):
    tag_of(collection)
    page = admin.get(f"{address('error-browser')}?{parameters}")
    assert [row.error.docno for row in page.context["page"].rows] == docnos


def test_an_unknown_system_or_query_is_not_found(collection, admin):
    for parameter in ("system=other", "query=q_background"):
        assert admin.get(f"{address('error-browser')}?{parameter}").status_code == 404
    for change in ({"system": "other"}, {"query": "q_background"}, {"docno": "q"}):
        response = admin.post(address("tag-error"), posted(**change), follow=True)
        assert "This system or this pair was removed." in text_of(response)
    assert not ErrorTag.objects.exists()


def test_a_tag_keeps_what_the_admin_saw_and_a_second_one_changes_its_note(collection, admin):
    tag = tag_of(collection, note=" first ", type=" Mechanism ")
    assert (tag.system, tag.type, tag.note) == ("sys", "mechanism", "first")
    assert (tag.kind, tag.rank, tag.grade, tag.tagged_by.username) == ("miss", 5, 2, "admin")
    assert tag_of(collection, note="second").note == "second"
    assert tag_of(collection, type="", new_type="an  own type").type == "an own type"
    assert types_of(collection) == [*DEFAULT_TYPES, "an own type"]
    assert ErrorTag.objects.count() == 2
    response = admin.post(address("tag-error"), posted(remove="mechanism", depth="3"))
    assert response.url.startswith(address("error-browser"))
    assert "depth=3" in response.url
    assert ErrorTag.objects.get().type == "an own type"


def test_the_types_at_the_start_are_those_that_the_docs_describe():
    table = (ROOT / "docs" / "error_browser.md").read_text().partition("| type | such as |")[2]
    rows = table.partition("\n\n")[0].splitlines()[2:]
    assert tuple(row.split("|")[1].strip() for row in rows) == DEFAULT_TYPES
    assert "salient aspects" in DEFAULT_TYPES


def test_an_invalid_tag_is_refused_and_the_error_stays_on_the_page(collection, admin):
    response = admin.post(address("tag-error"), posted(type=" "))
    assert (response.status_code, ErrorTag.objects.count()) == (422, 0)
    assert "An error type has 1 to 60 printable characters" in text_of(response)
    response = admin.post(address("tag-error"), posted(docno="unlabelled"))
    assert (response.status_code, ErrorTag.objects.count()) == (422, 0)
    assert "no final label yet" in text_of(response)


def test_the_downloads_have_every_tag_and_the_counts(collection, admin):
    tag_of(collection, note="=1+1")
    tag_of(collection, docno="far")
    tag_of(collection, docno="far", type="context")
    rows = csv_rows(admin.get(address("error-tags-csv")))
    assert [list(row.values())[:9] for row in rows] == [
        ["sys", "q_method", "method", "far", "false positive", "2", "0", "context", ""],
        ["sys", "q_method", "method", "far", "false positive", "2", "0", "mechanism", ""],
        ["sys", "q_method", "method", "none", "miss", "5", "2", "mechanism", "'=1+1"],
    ]
    counts = csv_rows(admin.get(address("error-counts-csv")))
    assert [list(row.values()) for row in counts] == [
        ["sys", "mechanism", "1", "1", "2"],
        ["sys", "context", "1", "0", "1"],
    ]
    assert "mechanism 1 1 2" in words_of(admin.get(address("error-browser")))


def test_the_tags_are_found_without_the_pairs_of_the_collection(collection):
    tables = re.findall(r"(?:SEARCH|SCAN) (\w+) USING", tags_of(collection).explain())
    assert tables[0] == "evaluation_errortag"


def test_tags_outlive_a_system_that_is_made_again(collection):
    make_baselines(collection=collection, names=["fabs_bm25"])
    tag_of(collection, system="fabs_bm25")
    collection.documents.filter(docno="far").update(year=2001)
    assert make_baselines(collection=collection, names=["fabs_bm25"])["made"]
    assert ErrorTag.objects.get().system == "fabs_bm25"


def test_the_list_of_one_query_is_that_of_all_lists(collection):
    a_listed_run(collection, "run", {"q": ["near", "far"]})
    sync_runs(collection)
    query = collection.queries.get()
    for system in collection.systems.all():
        assert {query.name: list_for(system, query)} == dict(system_lists(system))
    run = collection.runs.get()
    run.parameters = {"facet": "background"}
    run.save()
    assert list_for(collection.systems.get(name="run"), query) is None


def test_without_systems_or_judgments_the_page_leads_on(collection, admin):
    collection.systems.all().delete()
    assert "No system yet" in text_of(admin.get(address("error-browser")))


def test_the_number_of_queries_does_not_depend_on_the_errors(collection, admin):
    few = queries_of(admin, f"{address('error-browser')}?depth=1&kind=miss&tag=context")
    many = queries_of(admin, f"{address('error-browser')}?depth=2")
    tag_of(collection)
    assert few < many == queries_of(admin, f"{address('error-browser')}?depth=2")


def test_links_keep_the_choices_of_the_other_pages_and_the_facet_gives_the_first_query(
    collection, admin
):
    page = admin.get(address("error-browser"), {"facet": "method", "measure": "AP"})
    assert page.context["page"].query.facet.key == "method"
    assert f"{address('leaderboard')}?measure=AP&amp;facet=method" in page.text
    assert '<input type="hidden" name="measure" value="AP">' in page.text
    assert "measure=AP" in page.context["page"].rows[0].url

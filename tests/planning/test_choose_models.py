"""Which runs overlap least, before any pool is built: on a page and by a command."""

import json

import pytest
from django.core.management import CommandError, call_command

from corpus.services import create_query
from planning.model_choice import COUNT, DEPTH, model_choice, models_of
from pooling.services import freeze_pool
from retrieval.models import Run
from tests.pooling.test_pages import address, client_of, queries_of, text_of
from tests.support.factories import DocumentFactory, a_collection, a_pool
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

# a and b have three of five documents in common; c one of seven with either of them; d nothing.
LISTS = {
    "a": ["d1", "d2", "d3", "d4"],
    "b": ["d1", "d2", "d3", "d5"],
    "c": ["d1", "d6", "d7", "d8"],
    "d": ["d9"],
}
MEANS = {"d": 0, "c": 2 / 7 / 3, "a": (3 / 5 + 1 / 7) / 3, "b": (3 / 5 + 1 / 7) / 3}


def a_run(collection, name, lists, kind="file", **parameters):
    run = Run.objects.create(collection=collection, name=name, kind=kind, parameters=parameters)
    for paper, docnos in lists.items():
        run.rankings.create(
            query_paper=collection.query_papers.get(document__docno=paper),
            docnos=docnos,
            scores=[float(-rank) for rank in range(len(docnos))],
        )
    return run


@once_a_file
def collection():
    collection = a_collection()
    for docno in ("q1", "q2"):
        DocumentFactory(collection=collection, docno=docno)
        create_query(collection=collection, docno=docno, facet_key="method")
    for name, docnos in LISTS.items():
        a_run(collection, name, {"q1": docnos})
    return collection


def test_the_runs_that_overlap_least_come_first_and_are_chosen(collection):
    choice = model_choice(collection, list(LISTS), depth=4, count=2)

    assert {row.name: row.mean for row in choice.rows} == pytest.approx(MEANS)
    assert [row.name for row in choice.rows] == ["d", "c", "a", "b"]  # equal means go by name
    assert choice.models == ["d", "c"]
    assert choice.matrix.names == ["d", "c", "a", "b"]
    assert [row.name for row in choice.shallow] == ["d"]


def test_only_so_many_of_the_best_are_compared(collection):
    choice = model_choice(collection, ["a", "b", "c"], depth=1, count=1)

    assert [row.mean for row in choice.rows] == [1, 1, 1]


def test_documents_that_the_query_paper_cites_are_not_compared(collection):
    collection.documents.filter(docno="q1").update(references=["d1", "d2"])
    a_run(collection, "e", {"q2": ["d1", "d2", "d3"]})

    choice = model_choice(collection, ["a", "b", "c", "e"], depth=2, count=1)

    # Left are d3 d4, d3 d5, d6 d7; the best two are counted without the cited ones. q2 cites none.
    assert {row.name: row.reaches for row in choice.rows} == {"a": 2, "b": 2, "c": 2, "e": 2}
    assert dict(choice.matrix.rows)["a"] == [0.0, 0.0, 1.0, pytest.approx(1 / 3)]
    assert choice.matrix.names == ["c", "e", "a", "b"]


def test_unless_told_otherwise_three_models_are_chosen_by_their_best_two_hundred(collection):
    docnos = [f"n{rank:03}" for rank in range(1, 203)]
    a_run(collection, "long", {"q1": ["cited", *docnos]})
    a_run(collection, "turned", {"q1": [*docnos[:199], docnos[200], docnos[199]]})
    collection.documents.filter(docno="q1").update(references=["cited"])

    choice = model_choice(collection, ["long", "turned"], DEPTH, COUNT)

    assert (DEPTH, COUNT) == (200, 3)
    # 199 in common; the 200th differs.
    assert choice.rows[0].mean == pytest.approx(199 / 201)


def test_of_many_query_papers_the_first_by_docno_are_read(collection):
    a_run(collection, "e", {"q2": ["d1"]})
    choice = model_choice(collection, ["a", "e"], depth=4, count=1, max_papers=1)

    assert (choice.papers, choice.of_papers) == (1, 2)
    assert {row.name: row.reaches for row in choice.rows} == {"a": 4, "e": 0}


def test_runs_without_any_list_have_no_mean_and_are_not_chosen(collection, admin):
    a_run(collection, "e", {})
    a_run(collection, "f", {})
    choice = model_choice(collection, ["e", "f"], depth=4, count=2)
    assert ([row.mean for row in choice.rows], choice.models) == ([None, None], [])

    page = text_of(admin.get(address("choose-models"), {"run": ["e", "f"]}))
    assert "undefined: neither it nor any other has a list" in page
    assert "Plan pools from" not in page


def test_judgments_are_no_model_and_what_reads_no_text_is_left_to_the_admin(collection):
    a_run(collection, "judged", {"q1": ["d1"]}, qrels=True)
    a_run(collection, "random", {"q1": ["d1"]}, kind="random")

    names, models = models_of(collection)

    assert names == [*LISTS, "random"]
    assert models == list(LISTS)


# The page


def test_the_page_shows_the_choice_and_leads_to_a_plan_of_it(collection, admin):
    page = admin.get(address("choose-models"), {"count": "2", "depth": "4"})

    assert "9.5 %" in page.text  # the mean of c
    assert page.text.count(">yes<") == 2
    link = f"{address('plan-pools')}?strategy=mdcr&amp;runs=d&amp;runs=c"
    assert link in page.text
    form = admin.get(link.replace("&amp;", "&")).context["form"]
    assert (form["strategy"].value(), form["runs"].value()) == ("mdcr", ["d", "c"])


def test_what_is_wrong_in_the_address_is_said_and_counts_as_usual(collection, admin):
    page = admin.get(address("choose-models"), {"depth": "0", "run": ["a", "nonsense"]})

    assert page.status_code == 200
    assert "errorlist" in page.text
    assert page.context["choice"].depth == 200
    assert len(page.context["choice"].rows) == 4


def test_a_short_list_is_told(collection, admin):
    page = text_of(admin.get(address("choose-models")))

    assert "<code>d</code> 1" in page
    assert "<code>a</code> 4" in page


@pytest.mark.parametrize("wrong", [{"count": "0"}, {"count": "many"}, {"depth": "1e9"}])
def test_a_number_that_is_none_leaves_the_usual_choice(collection, admin, wrong):
    page = admin.get(address("choose-models"), wrong)

    assert list(page.context["form"].errors) == list(wrong)
    choice = page.context["choice"]
    assert (choice.depth, len(choice.models)) == (200, 3)


def test_one_run_of_many_is_undefined_and_not_called_the_only_one(collection, admin):
    page = text_of(admin.get(address("choose-models"), {"run": "a"}))

    assert "undefined: there is no other run" in page
    assert "Only one run" not in page


def test_where_no_run_reads_text_they_can_still_be_ticked():
    other = a_collection("other")
    for name in ("graph", "random"):
        a_run(other, name, {}, kind=name)

    page = client_of("admin").get(address("choose-models", slug="other"))

    assert "these are not models that read text" in page.text
    assert "Mean overlap" not in page.text


@pytest.mark.parametrize("number", [0, 1])
def test_with_fewer_than_two_runs_the_page_says_what_comes_first(collection, admin, number):
    Run.objects.exclude(name__in=list(LISTS)[:number]).delete()

    page = admin.get(address("choose-models"))

    assert page.status_code == 200
    assert "A comparison needs at least two runs" in page.text


def test_pools_and_runs_lead_to_the_page(collection, admin):
    for name in ("plan-pools", "runs"):
        assert address("choose-models") in admin.get(address(name)).text


def test_more_runs_and_lists_cost_no_more_queries(collection, admin, django_assert_num_queries):
    expected = queries_of(admin, address("choose-models"))
    for name in ("more", "most"):
        a_run(collection, name, {"q1": ["d1"], "q2": ["d2"]})

    with django_assert_num_queries(expected):
        admin.get(address("choose-models"))


# The command


def test_the_command_prints_the_table(collection, capsys):
    call_command("choose_models", "small", "--count", "2", "--depth", "4")

    lines = capsys.readouterr().out.splitlines()
    assert lines[1].split() == ["*", "1", "d", "0.000", "1.000", "0.000", "0.000", "0.000"]
    assert lines[3].split() == ["3", "a", "0.248", "0.000", "0.143", "1.000", "0.600"]
    assert lines[-1].endswith("over 2 of 2 query papers. Chosen (*): d, c")


def test_the_command_says_it_as_json(collection, capsys):
    call_command("choose_models", "small", "--run", "a", "--run", "c", "--format", "json")

    found = json.loads(capsys.readouterr().out)
    assert (found["depth"], found["query_papers"]) == (200, {"read": 2, "of": 2})
    assert found["chosen"] == ["a", "c"]
    assert found["runs"][0]["overlap"] == {"a": 1.0, "c": pytest.approx(1 / 7)}


@pytest.mark.parametrize(
    ("arguments", "what"),
    [
        (["--run", "a"], "at least 2 runs"),
        (["--run", "zzz"], "No run 'zzz'. There are: a, b, c, d"),
        (["--depth", "0"], "--depth must be at least 1, got 0"),
        (["--query-papers", "0"], "--query-papers must be"),
    ],
)
def test_the_command_refuses_in_words(collection, arguments, what):
    with pytest.raises(CommandError, match=what):
        call_command("choose_models", "small", *arguments)


def test_where_every_pool_is_frozen_there_is_nothing_to_plan(collection, admin):
    for paper in collection.query_papers.all():
        freeze_pool(pool=a_pool(paper, list(collection.documents.filter(docno="d9"))))

    page = text_of(admin.get(address("choose-models")))

    assert "Plan pools from" not in page
    assert "Mean overlap with the others" in page

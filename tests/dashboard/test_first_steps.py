"""The checklist of a collection without open queries, and the commands beside the forms."""

from __future__ import annotations

import html
import re
import shlex

import pytest
from django.contrib.staticfiles import finders
from django.core.management import get_commands, load_command_class
from django.urls import reverse

from corpus.services import create_query
from dashboard.overview.first_steps import first_steps
from dashboard.overview.steps import CollectionCounts
from tests.support.factories import DocumentFactory, UserFactory, a_collection, an_open_query
from tests.support.visits import address, client_of, text_of


def current(counts: CollectionCounts) -> str:
    return next(step.name for step in first_steps(counts) if step.current)


@pytest.mark.parametrize(
    ("counts", "name"),
    [
        (CollectionCounts(), "Documents"),
        (CollectionCounts(documents=3), "Sentence labels"),
        (CollectionCounts(documents=3, labelled=1), "Queries"),
        (CollectionCounts(documents=3, whole_facets=1), "Queries"),
        (CollectionCounts(documents=3, queries=1, query_papers=1), "Pools"),
        (CollectionCounts(documents=3, queries=1, query_papers=1, pools=1, annotators=1), "People"),
        (
            CollectionCounts(documents=3, queries=1, query_papers=1, pools=1, annotators=2),
            "Open queries",
        ),
    ],
)
def test_the_first_required_step_that_is_missing_is_the_current_step(counts, name):
    assert current(counts) == name


def test_runs_guidelines_and_pilot_rounds_are_optional():
    optional = [step.name for step in first_steps(CollectionCounts()) if step.optional]

    assert optional == ["Runs", "Guidelines", "Pilot rounds"]


def test_pilot_rounds_come_right_before_queries_are_opened():
    steps = [step.name for step in first_steps(CollectionCounts(pilots=2))]

    assert steps[-2:] == ["Pilot rounds", "Open queries"]
    assert first_steps(CollectionCounts(pilots=2))[-2].done


def test_with_an_open_query_there_is_no_checklist():
    assert first_steps(CollectionCounts(documents=3, queries=2, opened=1)) == ()


def samples(counts: CollectionCounts) -> list[str]:
    return [step.sample for step in first_steps(counts) if step.sample]


def test_the_sample_files_fit_the_facets():
    """Each list is imported in tests/demo/test_sample.py."""
    csfcube, other, none = (
        CollectionCounts(sample_facets=3),
        CollectionCounts(sample_facets=1),
        CollectionCounts(whole_facets=1),
    )

    assert samples(csfcube) == ["documents.jsonl", "queries.txt", "run.txt"]
    assert samples(other) == samples(none) == ["documents.jsonl", "topics.jsonl", "topics_run.txt"]


@pytest.mark.django_db
def test_every_step_has_a_page_and_every_sample_a_file():
    a_collection()

    for counts in (CollectionCounts(sample_facets=3), CollectionCounts(whole_facets=1)):
        for step in first_steps(counts):
            assert reverse(step.place.partition("?")[0], args=["small"])
            assert not step.sample or finders.find(f"samples/{step.sample}")


@pytest.mark.django_db
def test_the_overview_shows_the_checklist_until_a_query_is_open():
    collection = a_collection()
    admin = client_of("admin")
    page = text_of(admin.get(address("collection")))
    assert "First steps" in page
    assert 'download="documents.jsonl"' in page

    an_open_query(collection)

    assert "First steps" not in admin.get(address("collection")).text


@pytest.mark.django_db
def test_annotators_see_no_checklist():
    a_collection()

    assert "First steps" not in client_of("ann1").get(address("collection")).text


# Commands beside the forms


@pytest.fixture
def admin(db):
    collection = a_collection()
    DocumentFactory(collection=collection, docno="d1")
    create_query(collection=collection, docno="d1", facet_key="method")
    return client_of("admin")


def commands_of(page: str) -> list[list[str]]:
    blocks = re.findall(r"<pre[^>]*>\s*(python manage\.py .*?)</pre>", page, re.DOTALL)
    return [shlex.split(html.unescape(block))[2:] for block in blocks]


@pytest.mark.parametrize(
    ("name", "commands"),
    [
        ("import-documents", ["import_documents"]),
        ("add-query", ["create_query", "import_topics"]),
        ("add-run", ["import_run", "import_embeddings"]),
    ],
)
def test_each_form_shows_a_command_that_exists_for_this_collection(admin, name, commands):
    shown = commands_of(admin.get(address(name)).text)

    assert [command for command, *_ in shown] == commands
    for command, *arguments in shown:
        parser = load_command_class(get_commands()[command], command).create_parser("", command)
        assert parser.parse_args(arguments).collection == "small"


@pytest.mark.django_db
def test_the_form_of_a_new_collection_shows_its_command(client):
    client.force_login(UserFactory(username="owner", is_staff=True))

    ((command, *arguments),) = commands_of(client.get(reverse("new-collection")).text)

    parser = load_command_class(get_commands()[command], command).create_parser("", command)
    assert parser.parse_args(arguments).admin == "owner"

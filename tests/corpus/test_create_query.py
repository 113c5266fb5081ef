import pytest
from django.core.management import CommandError, call_command

from corpus.models import Query, QueryPaper
from tests.support.factories import DocumentFactory, UserFactory, a_collection
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


@once_a_file
def collection():
    collection = a_collection()
    DocumentFactory(collection=collection, docno="d1")
    return collection


def test_it_makes_a_query_of_a_document_and_a_facet(collection, capsys):
    call_command("create_query", "small", "d1", "method")

    query = collection.queries.get()
    assert (query.name, query.facet.key) == ("d1_method", "method")
    assert query.query_paper.name == "d1"
    assert capsys.readouterr().out == "d1_method: created.\n"


def test_asking_twice_changes_nothing(collection, capsys):
    call_command("create_query", "small", "d1", "method")
    call_command("create_query", "small", "d1", "method")

    assert Query.objects.count() == 1
    assert capsys.readouterr().out.endswith("d1_method: unchanged.\n")


def test_two_facets_share_one_query_paper(collection):
    call_command("create_query", "small", "d1", "method")
    call_command("create_query", "small", "d1", "result")

    assert (QueryPaper.objects.count(), Query.objects.count()) == (1, 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["small", "d2", "method"], "No document 'd2'"),
        (["small", "d1", "colour"], "Unknown facet 'colour'"),
        (["large", "d1", "method"], "No collection 'large'"),
    ],
)
def test_what_is_not_there_is_named(collection, arguments, message):
    with pytest.raises(CommandError, match=message):
        call_command("create_query", *arguments)
    assert not QueryPaper.objects.exists()


def test_a_document_that_says_nothing_on_the_facet_is_refused(collection):
    DocumentFactory(collection=collection, docno="d2", sentences=["S"], labels=["method"])

    with pytest.raises(CommandError, match="no sentence labelled result"):
        call_command("create_query", "small", "d2", "result")


class TestCreateCollection:
    def test_it_makes_a_collection_ready_for_work(self, capsys):
        owner = UserFactory(username="boss")

        call_command("create_collection", "new", name="New", admin="boss", licence="CC-BY-4.0")

        collection = owner.memberships.get(role="admin").collection
        assert (collection.slug, collection.licence) == ("new", "CC-BY-4.0")
        assert [facet.guidelines.count() for facet in collection.facets.all()] == [1, 1, 1]
        assert capsys.readouterr().out.startswith("new: created")

    @pytest.mark.parametrize(
        ("slug", "admin", "message"),
        [
            ("small", "admin", "exists already"),
            ("two words", "admin", "is invalid"),
            ("x" * 61, "admin", "is invalid"),
            ("new", "nobody", "No user 'nobody'"),
        ],
    )
    def test_it_refuses_with_the_reason(self, collection, slug, admin, message):
        with pytest.raises(CommandError, match=message):
            call_command("create_collection", slug, name="N", admin=admin)

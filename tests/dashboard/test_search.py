"""Search in a collection, and the menu of collections in the head of its pages."""

from __future__ import annotations

import pytest

from accounts.models import Collection, Role, User
from dashboard.navigation.search import SHOWN, Hit
from dashboard.views import FEW
from scoring.models import SystemKind
from tests.support.factories import (
    DocumentFactory,
    UserFactory,
    a_collection,
    a_query,
    member,
)
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db
AS_PART = {"HX-Request": "true"}


@once_a_file
def collection():
    return a_collection()


@pytest.fixture
def admin(client, collection):
    client.force_login(User.objects.get(username="admin"))
    return client


def found(admin, words: str) -> dict[str, list[str]]:
    groups = admin.get("/c/small/search/", {"q": words}).context["groups"]
    return {group.caption: [hit.name for hit in group.hits] for group in groups}


def test_documents_are_found_by_the_beginning_of_the_docno_and_words_of_the_title(
    admin, collection
):
    DocumentFactory(collection=collection, docno="W17", title="Parsing with forests")
    DocumentFactory(collection=collection, docno="X17", title="Trees")

    assert found(admin, "w1") == {"Documents": ["W17"]}
    assert found(admin, "forest") == {"Documents": ["W17"]}
    assert found(admin, "17") == {}


def test_queries_and_pages_are_found_by_their_names(admin, collection):
    query = a_query(collection)

    (group,) = admin.get("/c/small/search/", {"q": query.name}).context["groups"][:1]
    assert group.hits[0].name == query.name
    assert group.hits[0].url == f"/c/small/queries/id/{query.name}"
    assert found(admin, "guide") == {"Pages": ["Guidelines"]}


def test_an_action_is_found_by_the_beginnings_of_words_that_one_may_use_for_it(admin):
    assert found(admin, "invite")["Actions"] == ["Invite a person"]
    assert "Publish a release" in found(admin, "export")["Actions"]
    assert found(admin, "add run")["Actions"][0] == "Add a run"
    assert "Actions" not in found(admin, "vite")


def test_a_system_and_its_run_are_found_once(admin, collection):
    collection.runs.create(name="bm25-title")
    for name in ("bm25-title", "other"):
        collection.systems.create(name=name, kind=SystemKind.FILE, sha256="0" * 64)

    (group,) = admin.get("/c/small/search/", {"q": "m25-t"}).context["groups"]
    assert group.caption == "Systems"
    assert [(hit.name, hit.url) for hit in group.hits] == [
        ("bm25-title", "/c/small/systems/bm25-title")
    ]


def test_a_person_is_found_by_name_with_the_roles_and_only_members_are(admin, collection):
    person = User.objects.get(username="ann1")
    person.first_name, person.last_name = "Ada", "Lovelace"
    person.save()
    UserFactory(username="ada-outside")
    member(collection, Role.CURATOR, "ann1")

    (group,) = admin.get("/c/small/search/", {"q": "love ada"}).context["groups"]
    assert group.hits == [
        Hit("Ada Lovelace", f"/c/small/people/{person.pk}/", "annotator, curator")
    ]


def test_the_hits_of_each_kind_take_one_query(admin, collection, django_assert_max_num_queries):
    for number in range(20):
        DocumentFactory(collection=collection, docno=f"many{number:02}", title="Alike")
    with django_assert_max_num_queries(12):
        admin.get("/c/small/search/", {"q": "many"}, headers=AS_PART)


def test_while_one_types_the_first_hits_of_each_kind_are_below_the_field(admin, collection):
    for number in range(FEW + 1):
        DocumentFactory(collection=collection, docno=f"many{number:02}", title="Alike")

    part = admin.get("/c/small/search/", {"q": "many"}, headers=AS_PART).text

    assert part.count("/documents/id/many") == FEW
    assert "<h1" not in part
    assert "/c/small/search/?q=many" in part


def test_many_hits_end_with_a_link_to_all_of_them(admin, collection):
    for number in range(SHOWN + 1):
        DocumentFactory(collection=collection, docno=f"many{number:02}", title="Alike")

    (group,) = admin.get("/c/small/search/", {"q": "many"}).context["groups"]

    assert len(group.hits) == SHOWN
    assert group.more_url == "/c/small/documents/?q=many"
    assert admin.get(group.more_url).status_code == 200


def test_documents_of_another_collection_are_not_found(admin):
    DocumentFactory(collection=a_collection("other"), docno="elsewhere")
    assert found(admin, "elsewhere") == {}


@pytest.mark.parametrize(("words", "text"), [("", "Enter a docno"), ("zzz", "Nothing found")])
def test_an_empty_page_says_what_to_enter(admin, words, text):
    assert text in admin.get("/c/small/search/", {"q": words}).text


def test_only_an_admin_s_pages_have_the_search_field(admin, client):
    assert 'role="search"' in admin.get("/c/small/").text
    client.force_login(User.objects.get(username="ann1"))
    assert 'role="search"' not in client.get("/c/small/").text


def test_the_menu_lists_the_collections_of_the_person(admin):
    member(a_collection("second"), Role.ADJUDICATOR, "admin")
    Collection.objects.create(slug="foreign", name="Foreign")

    page = admin.get("/collections/", headers=AS_PART).text

    assert "/c/small/" in page
    assert "/c/second/" in page
    assert "/c/foreign/" not in page


def test_the_menu_is_searched_by_name(admin):
    member(a_collection("second"), Role.ADJUDICATOR, "admin")

    page = admin.get("/collections/", {"q": "sec"}, headers=AS_PART).text

    assert "/c/second/" in page
    assert "/c/small/" not in page


def test_without_a_script_the_menu_is_the_home_page(admin):
    assert admin.get("/collections/").url == "/"

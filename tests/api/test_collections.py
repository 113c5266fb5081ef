from accounts.models import Collection, User
from corpus.models import Facet
from tests.support.api_world import client_of
from tests.support.factories import UserFactory, member

WHERE = "/api/v1/collections/"


def test_it_lists_my_collections_with_my_roles(world, annotator):
    assert annotator.get(WHERE).json()["results"] == [
        {
            "slug": "small",
            "name": "Small",
            "description": "",
            "licence": "CC-BY-4.0",
            "corpus_licence": "CC-BY-4.0",
            "facets": [
                {
                    "key": "background",
                    "name": "Background",
                    "labels": ["background", "objective"],
                },
                {"key": "method", "name": "Method", "labels": ["method"]},
                {"key": "result", "name": "Result", "labels": ["result"]},
            ],
            "highest_grade": 3,
            "relevant_from": 1,
            "archived_at": None,
            "roles": ["annotator"],
        }
    ]


def test_it_lists_no_others(world):
    UserFactory(username="stranger")

    assert client_of("stranger").get(WHERE).json()["results"] == []


def test_a_user_with_two_roles_sees_the_collection_once(world):
    member(world.collection, "adjudicator", "ann1")

    [collection] = client_of("ann1").get(WHERE).json()["results"]

    assert collection["roles"] == ["adjudicator", "annotator"]


def test_one_collection_says_the_same_as_the_list(world, annotator):
    assert annotator.get(f"{WHERE}small/").json() == annotator.get(WHERE).json()["results"][0]


def test_staff_set_up_a_collection_and_are_its_admins(world, admin):
    User.objects.filter(username="admin").update(is_staff=True)

    response = admin.post(WHERE, {"slug": "new", "name": "New", "seed": "s"}, format="json")

    assert response.status_code == 201
    assert response.json()["roles"] == ["admin"]
    made = Collection.objects.get(slug="new")
    assert (made.name, made.seed) == ("New", "s")
    assert Facet.objects.filter(collection=made, guidelines__version=1).count() == 3


def test_facets_and_scale_can_be_chosen_and_changed(world, admin):
    User.objects.filter(username="admin").update(is_staff=True)
    new = {"slug": "new", "name": "New", "facets": "none", "highest_grade": 1}
    own_facets = [{"key": "purpose", "name": "Purpose", "labels": ["goal"]}]

    made = admin.post(WHERE, new, format="json").json()
    changed = admin.post(
        f"{WHERE}new/facets/", {"facets": own_facets, "highest_grade": 4}, format="json"
    )

    assert made["facets"] == [{"key": "", "name": "Relevance", "labels": []}]
    assert (made["highest_grade"], made["relevant_from"]) == (1, 1)
    assert changed.status_code == 200
    assert changed.json()["facets"] == own_facets
    assert (changed.json()["highest_grade"], changed.json()["relevant_from"]) == (4, 2)


def test_a_wrong_facet_names_its_field_and_an_open_query_fixes_the_scale(world, admin):
    wrong = admin.post(f"{WHERE}small/facets/", {"facets": [{"key": "A B"}]}, format="json")
    late = admin.post(f"{WHERE}small/facets/", {"highest_grade": 1}, format="json")

    assert (wrong.status_code, wrong.json()["code"]) == (400, "invalid")
    assert "facet 1" in str(wrong.json()["fields"]["facets"])
    assert (late.status_code, late.json()["code"]) == (409, "fixed_once_opened")


def test_a_user_who_is_not_staff_gets_404_for_a_new_collection(admin):
    response = admin.post(WHERE, {"slug": "new", "name": "New"}, format="json")

    assert (response.status_code, response.json()["code"]) == (404, "not_found")
    assert not Collection.objects.filter(slug="new").exists()


def test_a_short_name_that_is_taken_is_refused(world, admin):
    User.objects.filter(username="admin").update(is_staff=True)

    response = admin.post(WHERE, {"slug": "small", "name": "Again"}, format="json")

    assert (response.status_code, response.json()["code"]) == (400, "corpus_error")
    assert world.collection.name == "Small"

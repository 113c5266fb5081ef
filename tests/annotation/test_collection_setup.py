"""Facets and scale belong to the collection, and can change until its first query is open."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError
from django.urls import reverse

from accounts.models import Collection
from annotation.guidelines.collection_setup import (
    FacetInUse,
    FixedOnceOpened,
    change_facets_and_scale,
    default_grade_names,
    facets_of,
)
from annotation.guidelines.defaults import default_guideline
from annotation.guidelines.forms import LONGEST_DEFINITION
from annotation.services import set_up_collection
from corpus.facets import (
    DEFAULT_FACETS,
    NO_FACETS,
    FacetError,
    FacetPlan,
    parse_facets,
)
from corpus.models import Facet
from corpus.services import CorpusError, create_query
from corpus.topics.queries import BadQueryList, add_query_list
from tests.support.factories import (
    DocumentFactory,
    UserFactory,
    a_collection,
    a_query,
    an_open_query,
)

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

PURPOSE = FacetPlan("purpose", "Purpose", ("purpose", "goal"))
METHOD = FacetPlan("method", "How", ("method",))


def described(collection: Collection) -> dict[str, list[int]]:
    """The grades that the newest guideline of each facet describes."""
    return {
        facet.key: [grade["grade"] for grade in facet.guidelines.first().grades]
        for facet in collection.facets.all()
    }


@pytest.mark.parametrize("highest_grade", [1, 2, 3, 4])
@pytest.mark.parametrize("facets", [NO_FACETS, DEFAULT_FACETS, (PURPOSE,)])
def test_a_new_collection_has_a_guideline_for_every_facet_and_grade(facets, highest_grade):
    collection = set_up_collection(slug="c", name="C", facets=facets, highest_grade=highest_grade)

    grades = list(range(highest_grade + 1))
    assert described(collection) == {plan.key: grades for plan in facets}
    assert collection.relevant_from == min(2, highest_grade)


@pytest.mark.parametrize("highest_grade", [1, 2, 3, 4])
@pytest.mark.parametrize("plan", [*NO_FACETS, PURPOSE])
def test_default_texts_fit_the_button_and_name_the_facet(plan, highest_grade):
    text = default_guideline(Facet(key=plan.key, name=plan.name), highest_grade)

    assert len(text["grades"]) == highest_grade + 1
    assert "FACET" not in json.dumps(text)
    names = [grade["name"] for grade in text["grades"]]
    assert len(set(names)) == len(names)
    assert all(len(grade["definition"]) <= LONGEST_DEFINITION for grade in text["grades"])
    if plan.key:
        assert "purpose" in text["instructions"]


def test_facets_and_scale_change_before_the_first_query_is_open():
    collection = a_collection()
    kept = collection.facets.get(key="method")

    change_facets_and_scale(collection=collection, facets=(PURPOSE, METHOD), highest_grade=4)

    collection.refresh_from_db()
    assert facets_of(collection) == (PURPOSE, METHOD)
    assert (collection.highest_grade, collection.relevant_from) == (4, 2)
    assert collection.facets.get(key="method").pk == kept.pk
    assert described(collection) == {"purpose": [0, 1, 2, 3, 4], "method": [0, 1, 2, 3, 4]}
    assert kept.guidelines.count() == 2  # the one for four grades can still be read


def test_a_change_to_the_same_is_no_change_even_when_a_query_is_open():
    opening = an_open_query(a_collection())
    collection = opening.query.collection

    change_facets_and_scale(collection=collection, facets=DEFAULT_FACETS, highest_grade=3)

    assert [facet.guidelines.count() for facet in collection.facets.all()] == [1, 1, 1]


@pytest.mark.parametrize(
    "change",
    [
        {"highest_grade": 1},
        {"relevant_from": 1},
        {"facets": NO_FACETS},
        {"facets": (*DEFAULT_FACETS, PURPOSE)},
    ],
)
def test_an_open_query_fixes_facets_and_scale(change):
    collection = an_open_query(a_collection()).query.collection
    wanted = {"facets": DEFAULT_FACETS, "highest_grade": 3, **change}

    with pytest.raises(FixedOnceOpened, match="1 query of small is open for judging"):
        change_facets_and_scale(collection=collection, **wanted)

    assert facets_of(collection) == DEFAULT_FACETS


def test_a_facet_that_queries_have_is_not_removed():
    collection = a_collection()
    a_query(collection, facet="method")

    with pytest.raises(FacetInUse, match="1 query is a method query"):
        change_facets_and_scale(collection=collection, facets=(PURPOSE,), highest_grade=3)
    change_facets_and_scale(collection=collection, facets=(METHOD, PURPOSE), highest_grade=3)

    assert facets_of(collection) == (METHOD, PURPOSE)


def test_the_whole_facet_stands_alone():
    collection = set_up_collection(slug="c", name="C", facets=NO_FACETS)

    with pytest.raises(IntegrityError, match="facet_whole_stands_alone"):
        collection.facets.create(key="method", name="Method", labels=["method"], position=1)


def test_without_facets_a_query_is_named_by_its_paper_and_every_document_can_be_one():
    collection = a_collection(facets=NO_FACETS)
    document = DocumentFactory(collection=collection, docno="p1", labels=[])

    query = create_query(collection=collection, docno="p1", facet_key="")

    assert query.name == "p1"
    assert document.sentences_of(query.facet) == document.sentences
    with pytest.raises(CorpusError, match="has no facets, so leave out the facet 'method'"):
        create_query(collection=collection, docno="p1", facet_key="method")


def test_without_facets_a_list_of_queries_is_a_list_of_docnos():
    collection = a_collection(facets=NO_FACETS)
    for docno in ("p1", "with space"):
        DocumentFactory(collection=collection, docno=docno)

    assert add_query_list(collection=collection, text="p1\n\nwith space\n") == 2
    with pytest.raises(BadQueryList) as error:
        add_query_list(collection=collection, text="p1\nnowhere")
    assert error.value.problems[0].number == 2


# The file of facets


def test_the_json_of_facets_gives_the_same_facets_again():
    assert parse_facets(json.dumps([asdict(PURPOSE), asdict(METHOD)])) == (PURPOSE, METHOD)
    assert parse_facets('[{"key": "aim"}]') == (FacetPlan("aim", "Aim", ("aim",)),)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[", "not valid JSON"),
        ("{}", "must be a list"),
        ("[]", "1 to 20 facets, got 0"),
        ('["method"]', "facet 1 must be an object"),
        ('[{"key": "Me"}]', '"key" must be'),
        ('[{"key": ""}]', '"key" must be'),
        ('[{"name": "Aim"}]', '"key" must be'),
        ('[{"key": "all"}]', "the file with every facet"),
        ('[{"key": "aim"}, {"key": "aim", "labels": ["b"]}]', '"aim" comes twice'),
        ('[{"key": "aim"}, {"key": "goal", "labels": ["aim"]}]', "one facet only"),
        ('[{"key": "aim", "labels": []}]', "at least one sentence label"),
        ('[{"key": "aim", "labels": ["other"]}]', "belongs to no facet"),
        ('[{"key": "aim", "labels": "aim"}]', "must be a list"),
        ('[{"key": "aim", "name": ""}]', '"name" must be'),
        ('[{"key": "aim", "name": "a\\u0000b"}]', '"name" must be'),
        ('[{"key": "aim", "label": "a"}]', 'unknown field "label"'),
    ],
)
def test_a_wrong_file_of_facets_is_refused_with_its_place(text, reason):
    with pytest.raises(FacetError, match=r"^f\.json") as error:
        parse_facets(text, "f.json")
    assert reason in str(error.value)


# The command, the page and the API


def test_the_command_takes_facets_and_grades(tmp_path, capsys):
    UserFactory(username="boss")
    path = tmp_path / "facets.json"
    path.write_text(json.dumps([asdict(PURPOSE)]))
    made = ["--name", "N", "--admin", "boss"]

    call_command("create_collection", "one", *made, "--facets", "none", "--grades", "0-1")
    call_command("create_collection", "two", *made, "--facets", str(path), "--relevant-from", "3")

    one, two = Collection.objects.order_by("slug")
    assert (facets_of(one), one.highest_grade, one.relevant_from) == (NO_FACETS, 1, 1)
    assert (facets_of(two), two.highest_grade, two.relevant_from) == ((PURPOSE,), 3, 3)
    assert "one: created without facets; grades 0 to 1" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        (["--grades", "1-3"], "use 0-1, 0-2, 0-3 or 0-4"),
        (["--grades", "0-5"], "2 to 5 grades"),
        (["--facets", "no-such.json"], "cannot be read"),
        (["--grades", "0-1", "--relevant-from", "2"], "does not fit the scale 0 to 1. Use 1."),
    ],
)
def test_the_command_explains_wrong_options(options, reason):
    UserFactory(username="boss")

    with pytest.raises(CommandError) as error:
        call_command("create_collection", "one", "--name", "N", "--admin", "boss", *options)

    assert reason in str(error.value)
    assert not Collection.objects.exists()


def fields(*facets: tuple[str, str, str], **changes: object) -> dict[str, object]:
    """What the form sends: rows of key, name and labels, and the scale."""
    facets = facets or ((PURPOSE.key, PURPOSE.name, ", ".join(PURPOSE.labels)),)
    rows = {
        f"facet-{number}-{name}": value
        for number, facet in enumerate(facets)
        for name, value in zip(("key", "name", "labels"), facet, strict=True)
    }
    return {"facets": "own", "highest_grade": 4, **rows} | changes


@pytest.fixture
def settings_page(client):
    """Post the facets and scale of a new collection; what they are then is its first item."""
    collection = a_collection()
    client.force_login(collection.memberships.get(role="admin").user)
    address = reverse("collection-facets", args=["small"])
    return collection, lambda *facets, **changes: client.post(address, fields(*facets, **changes))


def test_the_settings_page_changes_facets_and_scale(settings_page, client):
    collection, post = settings_page
    blank = ("", " ", "")

    assert (
        post(("purpose", "", ""), blank, ("how", "How", 'method,"a, b", method')).status_code == 302
    )

    how = FacetPlan("how", "How", ("method", "a, b"))
    assert facets_of(collection) == (FacetPlan("purpose", "Purpose", ("purpose",)), how)
    page = client.get(reverse("collection-settings", args=["small"])).text
    assert 'value="method, &quot;a, b&quot;"' in page
    assert page.count('aria-label="Key of facet') == 3  # an empty row to fill in
    assert "Save the facets and the scale" in page


def test_a_wrong_facet_is_explained_in_its_row(settings_page):
    collection, post = settings_page

    wrong = post(("Aim", "", ""), ("all", "x" * 61, ""), ("", "Name", ""), ("b", "", "l" * 61))
    together = post(("aim", "", "a"), ("aim", "", "a"), ("c", "", "other"))
    nothing = post(("", "", ""))

    assert (wrong.status_code, together.status_code, nothing.status_code) == (422, 422, 422)
    errors = [dict(row.errors) for row in wrong.context["facets_form"].rows]
    assert [list(error) for error in errors] == [["key"], ["name"], ["key"], ["labels"]]
    assert "“Aim” is not a key. Use at most 30 lower-case letters" in wrong.text
    errors = [dict(row.errors) for row in together.context["facets_form"].rows]
    assert [list(error) for error in errors] == [[], ["key", "labels"], ["labels"]]
    assert "The key &quot;aim&quot; comes twice. Use another key." in together.text
    assert "Describe at least one facet of your own" in nothing.text
    assert facets_of(collection) == DEFAULT_FACETS


def test_add_a_facet_gives_another_row_and_keeps_what_was_typed(settings_page, client):
    _, post = settings_page

    page = post(("Aim", "typed", ""), redraw="facet")

    assert page.status_code == 200
    assert [row.is_blank for row in page.context["facets_form"].rows] == [False, True]
    assert 'value="typed"' in page.text
    assert "autofocus" in page.text
    client.force_login(UserFactory(is_staff=True))
    new = client.post(reverse("new-collection"), fields(redraw="facet", name="Typed too"))
    assert (new.status_code, "Typed too" in new.text) == (200, True)
    assert Collection.objects.count() == 1


def test_grades_get_their_names_on_the_form(settings_page, client):
    collection, post = settings_page
    client.force_login(UserFactory(is_staff=True))
    form = fields(facets="none", highest_grade=1, name="N", slug="n", grade_0="No", grade_1="Yes")

    def shown(page):
        return [row.default_name for row in page.context["form"].grades]

    redrawn = client.post(reverse("new-collection"), {**form, "redraw": "scale"})
    refused = client.post(reverse("new-collection"), {**form, "grade_0": "Yes", "grade_3": "High"})
    created = client.post(reverse("new-collection"), form)

    assert shown(redrawn) == ["Not relevant", "Relevant"]
    assert (refused.status_code, created.status_code) == (422, 302)
    assert "Grade 0 has this name too" in refused.text
    assert "Grade 3 is not on the scale 0 to 1." in refused.text
    new = Collection.objects.get(slug="n")
    assert grade_names(new) == {"": ["No", "Yes"]}
    assert default_grade_names(NO_FACETS, 1, new) == ["No", "Yes"]

    client.force_login(collection.memberships.get(role="admin").user)
    method = collection.facets.get(key="method")
    before = method.guidelines.get()
    assert post(facets="csfcube", highest_grade=3).status_code == 302
    assert method.guidelines.count() == 1  # without a name nothing changes
    assert post(facets="csfcube", highest_grade=3, grade_3="Same").status_code == 302
    assert grade_names(collection)["method"][2:] == ["Similar", "Same"]
    newest = method.guidelines.first()
    assert (newest.version, newest.instructions) == (2, before.instructions)


def grade_names(collection: Collection) -> dict[str, list[str]]:
    return {
        facet.key: [grade["name"] for grade in facet.guidelines.first().grades]
        for facet in collection.facets.all()
    }


def test_the_settings_page_refuses_a_change_when_a_query_is_open(client):
    collection = an_open_query(a_collection()).query.collection
    client.force_login(collection.memberships.get(role="admin").user)

    answer = client.post(reverse("collection-facets", args=["small"]), fields())
    page = client.get(reverse("collection-settings", args=["small"])).text

    assert answer.status_code == 422
    assert "is open for judging, so its facets and its scale" in answer.text
    assert "They have been fixed" in page
    assert "Save the facets and the scale" not in page


def test_a_scale_that_relevance_does_not_fit_is_explained_on_the_form(client):
    client.force_login(UserFactory(is_staff=True))
    form = fields(name="N", slug="n", highest_grade=1, relevant_from=2)

    answer = client.post(reverse("new-collection"), form)

    assert answer.status_code == 422
    assert "does not fit the scale 0 to 1. Use 1." in answer.text
    assert not Collection.objects.exists()

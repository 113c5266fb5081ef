"""The pages of a collection that are not an app's own, and those around them."""

import uuid

import pytest
from django.test import Client
from django.urls import reverse

from accounts.judging_rules import NO_RULES, JudgingRules
from accounts.models import Collection, Role, User
from annotation.models import Slot
from annotation.services import Answer, presentation_of, submit_judgment
from corpus.services import create_query
from jobs.models import Job, State
from pooling.models import PoolBuild
from tests.support.factories import (
    DocumentFactory,
    UserFactory,
    a_collection,
    a_query,
    an_open_query,
    an_open_topic,
    member,
)
from tests.support.labels import predicted
from tests.support.visits import client_of, markup, queries_of, text_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

JOB = uuid.UUID("11111111-1111-4111-8111-111111111111")


@once_a_file
def collection():
    collection = a_collection()
    DocumentFactory(collection=collection, docno="d/1")
    create_query(collection=collection, docno="d/1", facet_key="method")
    Job.objects.create(
        pk=JOB, kind="import_documents", key="k", collection=collection, state=State.CANCELLED
    )
    return collection


def at(name, *args, slug="small"):
    return reverse(name, args=[slug, *args])


def judge(opening, number, grades):
    for slot, grade in zip(
        Slot.objects.filter(pair__query=opening.query, number=number).order_by("pair"),
        grades,
        strict=True,
    ):
        submit_judgment(
            slot_id=slot.pk,
            annotator=slot.annotator,
            answer=Answer(grade=grade),
            presentation_digest=presentation_of(slot.pair, 1).digest,
            key=uuid.uuid4(),
            supersedes=None,
        )


def test_home_redirects_a_user_with_one_collection_to_it(collection):
    assert client_of("ann1").get(reverse("home")).url == at("collection")


def test_home_shows_several_collections_with_what_waits(collection, django_assert_num_queries):
    a_collection("other")
    an_open_query(collection)
    client = client_of("ann1")

    with django_assert_num_queries(9):
        page = client.get(reverse("home"))

    assert '<strong class="number">3</strong> pairs to judge' in page.text
    assert "No pairs to judge yet" in page.text


def test_home_asks_the_same_questions_however_many_collections(
    collection, django_assert_num_queries
):
    for number in range(3):
        a_collection(f"c{number}")
    client = client_of("admin")

    with django_assert_num_queries(23):
        page = client.get(reverse("home"))

    assert page.text.count("Import documents") == 3


def test_home_tells_a_newcomer_what_to_do(client):
    client.force_login(UserFactory(username="fresh"))

    page = client.get(reverse("home"))

    assert "View your account code" in page.text
    assert reverse("new-collection") not in page.text


def test_home_offers_staff_a_first_collection(client):
    client.force_login(UserFactory(is_staff=True))

    assert reverse("new-collection") in client.get(reverse("home")).text


def test_staff_make_a_collection_and_become_its_admin(client):
    person = UserFactory(is_staff=True)
    client.force_login(person)
    form = {
        "name": "New one",
        "slug": "new-one",
        "description": "",
        "licence": "CC0-1.0",
        "facets": "csfcube",
        "highest_grade": "3",
    }

    answer = client.post(reverse("new-collection"), form)

    made = Collection.objects.get(slug="new-one")
    assert answer.url == at("collection", slug="new-one")
    assert made.memberships.get().user == person
    assert [facet.guidelines.count() for facet in made.facets.all()] == [1, 1, 1]


def test_only_staff_may_make_a_collection(client):
    client.force_login(UserFactory())

    assert client.get(reverse("new-collection")).status_code == 403
    answer = client.post(reverse("new-collection"), {"name": "x", "slug": "x"})
    assert answer.status_code == 403
    assert "Only staff may make collections" in answer.text
    assert not Collection.objects.exists()


def test_a_bad_short_name_is_explained_and_the_form_kept(collection):
    client = client_of(UserFactory(is_staff=True).username)
    form = {
        "name": "My name",
        "description": "Kept",
        "licence": "",
        "facets": "csfcube",
        "highest_grade": "3",
    }

    for slug, reason in (
        ("small", "Choose another short name"),
        ("With Space", "no spaces"),
        ("Capital", "like “capital”"),
        ("", "This field is required"),
    ):
        page = client.post(reverse("new-collection"), {**form, "slug": slug})

        assert page.status_code == 422, slug
        assert reason in page.text
        assert 'value="My name"' in page.text, slug
        assert "Kept" in page.text, slug
        assert Collection.objects.count() == 1, slug


def test_the_overview_of_an_admin_shows_the_steps_in_a_fixed_number_of_queries(
    collection, django_assert_num_queries
):
    for _ in range(3):
        an_open_query(collection)
    client = client_of("admin")

    with django_assert_num_queries(24):
        page = client.get(at("collection"))

    assert page.text.count('class="step"') == 7
    assert page.text.count('aria-current="step"') == 1


def test_an_annotators_overview_shows_the_own_queue_only(collection, django_assert_num_queries):
    opening = an_open_query(collection)
    judge(opening, 1, [3, 3, 3])
    client = client_of("ann2")

    with django_assert_num_queries(15):
        page = client.get(at("collection"))

    assert "3</span> pairs to judge" in text_of(page)
    assert "pipeline" not in page.text
    assert "Secret Venue" not in page.text
    assert "ann1" not in page.text
    assert "1 of 2" not in page.text


def test_an_annotators_overview_lists_ten_queries_and_links_to_all(collection):
    for _ in range(11):
        an_open_query(collection, size=1)

    page = client_of("ann1").get(at("collection"))

    assert page.text.count('aria-label="Judged"') == 11  # one is of all queries
    assert f'<a href="{at("judge")}">View all 11 queries</a>' in page.text


def test_an_adjudicators_overview_counts_the_cases(collection):
    opening = an_open_query(collection)
    judge(opening, 1, [0, 1, 2])
    judge(opening, 2, [0, 2, 3])

    page = client_of("adju").get(at("collection"))

    assert "2</span> cases to decide" in page.text
    assert "pipeline" not in page.text


def test_no_case_counts_before_both_judges_are_done(collection):
    judge(an_open_query(collection), 1, [0, 1, 2])

    assert "No case to decide" in client_of("adju").get(at("collection")).text
    page = client_of("admin").get(at("collection"))
    assert "<dt>Cases decided</dt><dd>0 of 0</dd>" in markup(page.text)


def test_the_overview_names_annotators_with_nothing_to_do(collection):
    an_open_query(collection)
    member(collection, Role.ANNOTATOR, "idle")

    page = client_of("admin").get(at("collection"))

    assert "1 annotator with nothing to judge: idle" in page.text


def test_settings_are_saved(collection):
    form = {
        "name": "Renamed",
        "description": "About",
        "licence": "CC0-1.0",
        "seconds_per_judgment": "22.5",
        "seed": "other seed",
        "analysis": "german_stem",
    }

    client_of("admin").post(at("collection-settings"), form)

    collection.refresh_from_db()
    assert {name: str(getattr(collection, name)) for name in form} == form


def test_without_an_analysis_the_documents_show_their_language(collection):
    sentence = "We show that the retrieval of documents depends on the words of a query."
    for _ in range(3):
        DocumentFactory(collection=collection, sentences=[sentence] * 4, labels=[])
    form = {"name": "N", "seconds_per_judgment": "15", "seed": "seed", "analysis": ""}

    client_of("admin").post(at("collection-settings"), form)

    collection.refresh_from_db()
    assert collection.analysis == "english"


def test_the_seed_stays_once_pools_exist(collection):
    PoolBuild.objects.create(collection=collection, manifest={})
    form = {"name": "Renamed", "seconds_per_judgment": "15", "seed": "forged"}

    client_of("admin").post(at("collection-settings"), form)

    collection.refresh_from_db()
    assert collection.name == "Renamed"
    assert collection.seed == "seed"


def test_bad_settings_are_refused_and_kept_in_the_form(collection):
    form = {"name": "Renamed", "seconds_per_judgment": "0", "seed": "seed"}

    page = client_of("admin").post(at("collection-settings"), form)

    assert page.status_code == 422
    assert 'value="Renamed"' in page.text
    collection.refresh_from_db()
    assert collection.name == "Small"


RULES_FORM = {
    "qualifying_rho": "0.5",
    "senior_rho": "",
    "marks_aspects": "on",
    "repeat_share": "5",
    "spot_check_share": "10",
    "proposes_grades": "half",
}


def test_the_judging_rules_are_saved(collection):
    client_of("admin").post(at("judging-settings"), RULES_FORM)

    collection.refresh_from_db()
    assert collection.judging_rules == JudgingRules(True, False, 0.1, 0.05, 0.5, None, "half")


def test_judging_rules_out_of_range_are_refused_and_kept_in_the_form(collection):
    client = client_of("admin")
    wrong = {"repeat_share": "51", "spot_check_share": "101", "qualifying_rho": "1.5"}
    for field, value in wrong.items():
        page = client.post(at("judging-settings"), {**RULES_FORM, field: value})

        assert page.status_code == 422, field
        assert f'name="{field}" value="{value}"' in page.text
        collection.refresh_from_db()
        assert collection.judging_rules == NO_RULES, field


def test_grades_are_not_proposed_on_a_scale_without_a_rule(collection):
    Collection.objects.update(highest_grade=4)
    page = client_of("admin").post(at("judging-settings"), RULES_FORM)

    assert page.status_code == 422
    assert "The rule is for the grades 0 to 3" in page.text
    collection.refresh_from_db()
    assert collection.judging_rules == NO_RULES


def test_a_documents_page_takes_the_same_queries_with_more_references(
    collection, django_assert_num_queries
):
    cited = [DocumentFactory(collection=collection).docno for _ in range(9)]
    few = DocumentFactory(collection=collection, references=cited[:1])
    many = DocumentFactory(collection=collection, references=cited)
    for facet in ("background", "method"):
        create_query(collection=collection, docno=many.docno, facet_key=facet)
    client = client_of("admin")

    expected = queries_of(client, at("document", few.docno))

    with django_assert_num_queries(expected):
        page = client.get(at("document", many.docno))
    assert all(docno in page.text for docno in cited)


def test_the_list_of_queries_says_how_far_each_is(collection, django_assert_num_queries):
    done, disputed, begun, _ = [an_open_query(collection) for _ in range(4)]
    for judged, second in ((done, [0, 1, 2]), (disputed, [0, 3, 3])):
        judge(judged, 1, [0, 1, 2])
        judge(judged, 2, second)
    judge(begun, 1, [0, 1, 2])
    a_query(collection)
    client = client_of("admin")

    with django_assert_num_queries(13):
        page = client.get(at("queries"))

    assert "6 queries" in text_of(page)
    assert "judging, 3 of 6 judgments" in text_of(page)
    assert "open, 0 of 6 judgments" in text_of(page)
    assert page.text.count("</span> done</span>") == 1
    assert "2 cases to decide" in text_of(page)
    assert page.text.count("not open") == 2
    assert "no pool" in page.text


def test_the_list_of_queries_is_filtered_and_htmx_gets_the_part(collection):
    a_query(collection)
    client = client_of("admin")

    part = client.get(at("queries"), {"q": "d/1"}, headers={"HX-Request": "true"})

    assert "1 of 2 queries matches “d/1”" in " ".join(part.text.split())
    assert "<html" not in part.text
    assert "HX-Request" in part["Vary"]


def test_a_document_page_shows_text_facets_and_what_it_cites(collection):
    DocumentFactory(
        collection=collection,
        docno="citing",
        references=["d/1", "elsewhere"],
        labels=["objective", "method", "odd"],
    )

    page = client_of("admin").get(at("document", "citing"))

    assert "Background of citing." in page.text
    assert ">Background</span>" in page.text  # objective belongs to that facet
    assert ">odd</span>" in page.text
    assert "1 of 2 is a document in this collection" in " ".join(page.text.split())
    assert at("document", "d/1") in page.text
    assert "elsewhere" in page.text
    assert "Hidden Author" in page.text


def test_a_document_page_counts_the_pools(collection):
    query = a_query(collection)
    docno = query.query_paper.pool.candidates.first().document.docno

    assert "1 pool" in client_of("admin").get(at("document", docno)).text


def test_a_document_that_is_not_there_is_a_404(collection):
    DocumentFactory(collection=a_collection("other"), docno="theirs")

    assert client_of("admin").get(at("document", "theirs")).status_code == 404


def test_the_api_documentation_loads_under_the_strict_policy(collection):
    client = client_of("ann1")

    page = client.get(reverse("api-docs"))
    script = client.get(reverse("api-docs") + "?script=")

    assert page.status_code == 200
    assert "unsafe" not in page["Content-Security-Policy"]
    assert "<style" not in page.text
    assert script["Content-Type"].startswith("application/javascript")


def test_a_lost_address_gets_a_page_with_a_way_on(collection):
    page = client_of("ann1").get("/c/small/nowhere/")

    assert page.status_code == 404
    assert "Page not found" in page.text
    assert reverse("home") in page.text


def test_an_expired_form_is_explained(collection):
    strict = Client(enforce_csrf_checks=True)
    strict.force_login(User.objects.get(username="admin"))

    page = strict.post(at("collection-settings"), {"name": "x"})

    assert page.status_code == 403
    assert "Form expired" in page.text


def test_the_page_for_a_broken_server_needs_no_database(monkeypatch, django_assert_num_queries):
    from dashboard import views

    def broken(*_):
        raise RuntimeError("broken on purpose")

    monkeypatch.setattr(views.overview, "cards_for", broken)
    client = Client(raise_request_exception=False)
    client.force_login(UserFactory())

    with django_assert_num_queries(2):  # who is asking; none for the page itself
        page = client.get(reverse("home"))

    assert page.status_code == 500
    assert "Server error" in page.text


def test_no_page_has_inline_style_or_script(collection):
    client = client_of("admin")
    for address in ("/", "/account/", *map(at, ("collection", "people", "documents", "queries"))):
        page = client.get(address, follow=True)

        assert page.status_code == 200, address
        for word in (" style=", "<style", "<script>", " onclick="):
            assert word not in page.text, address


def test_a_licence_is_chosen_or_written_and_refused_if_unclear(client):
    client.force_login(UserFactory(is_staff=True))
    form = {"name": "New one", "slug": "new-one", "facets": "csfcube", "highest_grade": "3"}
    for number, (sent, licence) in enumerate(
        (
            ({"licence": "MIT"}, "MIT"),
            ({"licence": ""}, ""),
            ({"licence": "another", "other_licence": "Ours, on request"}, "Ours, on request"),
        )
    ):
        client.post(reverse("new-collection"), {**form, "slug": f"new-{number}", **sent})
        assert Collection.objects.get(slug=f"new-{number}").licence == licence

    for sent, words in (
        ({"licence": "another", "other_licence": " "}, "Write the licence"),
        ({"licence": "MIT", "other_licence": "Ours"}, "leave the field below it empty"),
        ({"licence": "Ours"}, "Select a valid choice"),
    ):
        answer = client.post(reverse("new-collection"), {**form, **sent})
        assert answer.status_code == 422, sent
        assert words in answer.text


def test_the_settings_show_a_licence_of_their_own(client):
    collection = a_collection("own", licence="Ours, on request")
    client.force_login(collection.memberships.get(role="admin").user)
    page = client.get(at("collection-settings", slug="own")).text
    assert 'value="Ours, on request"' in page
    assert '<option value="another" selected>' in page


def test_the_pages_of_a_collection_of_topics_say_topics():
    an_open_topic(a_collection("topics"))
    admin, annotator = client_of("admin"), client_of("ann1")

    names = ("collection", "pools", "runs", "open-queries")
    pages = [admin.get(at(name, slug="topics"), follow=True) for name in names]
    pages += [annotator.get(at(name, slug="topics")) for name in ("collection", "judge")]

    for page in pages:
        assert "query paper" not in text_of(page).lower()
    assert "1 topic" in text_of(pages[0])
    assert "Pools by topic" in text_of(pages[1])


def test_the_overview_says_which_labels_are_missing_or_unchecked(client, collection):
    document = a_query(collection).query_paper.document
    predicted(document)
    DocumentFactory(collection=collection, labels=[])
    client.force_login(User.objects.get(username="admin"))

    page = text_of(client.get(reverse("collection", args=["small"])))

    assert "1 document without sentence labels" in page
    assert "1 query paper with unchecked labels" in page

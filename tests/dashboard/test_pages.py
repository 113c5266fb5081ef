"""What an admin sees across a collection: progress, a query, a document, settings, search."""

from __future__ import annotations

import pytest
from django.urls import reverse

from accounts.services import remove_member
from jobs.work import run_now
from tests import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def admin(as_, collection):
    client = as_("admin")

    def get(name: str, *arguments, **parameters):
        answer = client.get(reverse(name, args=[collection.slug, *arguments]), parameters)
        assert answer.status_code in (200, 302)
        return answer

    return get


def test_progress_counts_each_person_and_each_query(admin, query, people, collection):
    pairs = list(query.pairs.order_by("pk"))
    for pair in pairs[:3]:
        builders.judge(pair, people.ann, 1, seconds=10.0)
    builders.judge(pairs[0], people.bob, 1, seconds=20.0)
    builders.judge(pairs[1], people.bob, 2, seconds=20.0)
    page = admin("progress")
    rows = {row["person"]: (row["judged"], row["total"], row["pace"], row["spent"]) for row in page.context["people"]}
    assert rows == {"ann": (3, 8, 10.0, 30.0), "bob": (2, 8, 20.0, 40.0)}
    (row,) = page.context["table"].rows
    assert {key: row[key] for key in ("judged", "slots", "cases", "labelled", "state")} == {
        **{"judged": 5, "slots": 16, "cases": 1, "labelled": 1},
        "state": "open",
    }


def test_who_left_stays_in_the_progress_and_can_hand_over(admin, query, people, collection, as_):
    builders.judge(query.pairs.first(), people.ann, 1)
    remove_member(membership=collection.memberships.get(user=people.ann))
    page = admin("progress")
    assert "ann" in {row["person"] for row in page.context["people"]}
    builders.person("eva", collection, "annotator")
    form = {"query": query.pk, "giver": people.ann.pk, "taker": builders.person("eva").pk}
    as_("admin").post(reverse("hand-over", args=[collection.slug]), form)
    assert query.pairs.filter(slots__judge__username="eva").count() == 7


def test_a_finished_query_is_closed_and_opened_again(admin, query, people, collection, as_):
    client, url = as_("admin"), reverse("close-queries", args=[collection.slug])
    assert client.post(url, {"query": query.pk}).status_code == 409  # judgments are missing
    builders.judge_all(query, {f"d{number:02}": (1, 1) for number in range(1, 9)})
    client.post(url, {"query": query.pk})
    assert query.openings.get().closed_at
    client.post(url, {"query": query.pk, "reopen": ""})
    assert query.openings.get().closed_at is None


def test_queries_are_opened_to_two_people_or_shared(admin, collection, papers, people, as_):
    queries = [builders.query(collection, papers[number]) for number in range(3)]
    for query in queries:
        builders.frozen_pool(query, papers[5:9])
    page = admin("open-queries")
    assert [page.context["form"][name].initial for name in ("first", "second")] == [people.ann, people.bob]
    url, client = reverse("open-queries", args=[collection.slug]), as_("admin")
    refused = client.post(url, {"queries": [queries[0].pk], "first": people.ann.pk, "second": ""})
    assert refused.status_code == 200
    client.post(url, {"queries": [queries[0].pk], "first": people.bob.pk, "second": people.ann.pk})
    assert queries[0].pairs.first().slots.get(number=1).judge == people.bob
    builders.person("eva", collection, "annotator")
    client.post(url, {"queries": [query.pk for query in queries[1:]], "first": "", "second": ""})
    judged = [query.pairs.filter(slots__judge__username="eva").count() for query in queries[1:]]
    assert 4 in judged  # eva has none yet, so she is given one


def test_a_query_shows_both_grades_only_when_both_are_in(admin, query, people):
    first, second = query.pairs.order_by("pk")[:2]
    builders.judge(first, people.ann, 3)
    builders.judge(second, people.ann, 3)
    builders.judge(second, people.bob, 2)
    rows = {row["docno"]: (row["a"], row["b"], row["state"]) for row in admin("query", query.pk).context["table"].rows}
    assert rows[first.document.docno] == (None, None, "open")
    assert rows[second.document.docno] == (3, 2, "case")


def test_a_document_says_where_it_appears(admin, query, people, papers):
    builders.judge_all(query, {f"d{number:02}": (2, 2) for number in range(1, 9)})
    (place,) = admin("document", papers[1].pk).context["appears"]
    assert [place[key] for key in ("query", "a", "b", "label", "source")] == [query, 2, 2, 2, "cited"]
    assert list(admin("document", papers[0].pk).context["queries"]) == [query]


def test_a_document_in_more_pools_needs_no_more_queries(
    admin, query, collection, papers, django_assert_max_num_queries
):
    with django_assert_max_num_queries(100) as before:
        admin("document", papers[1].pk)
    for paper in papers[9:12]:
        builders.frozen_pool(builders.query(collection, paper), [papers[1]])
    with django_assert_max_num_queries(len(before)):
        assert len(admin("document", papers[1].pk).context["appears"]) == 4


def test_a_document_tells_no_grade_before_both_are_in(admin, query, people, papers):
    builders.judge(query.pairs.get(document=papers[1]), people.ann, 2)
    (place,) = admin("document", papers[1].pk).context["appears"]
    assert [place[key] for key in ("a", "b", "label", "state")] == [None, None, None, "open"]


def test_a_query_shows_its_judges_its_agreement_and_the_scores_of_systems(admin, query, people, collection):
    builders.judge_all(query, {f"d{number:02}": (number % 3, number % 3) for number in range(1, 8)} | {"d08": (2, 0)})
    builders.run(collection, "near", {query: ["d01", "d02", "d03"]})
    before = admin("query", query.pk).context
    assert [(row["judge__username"], row["judged"], row["total"]) for row in before["judges"]] == [
        ("ann", 8, 8),
        ("bob", 8, 8),
    ]
    assert (before["agreement"], before["scores"]["rows"]) == (None, [])
    run_now("compute_agreement", collection=collection)
    admin("leaderboard")
    after = admin("query", query.pk).context
    assert after["agreement"]["row"]["before"]["percent"] == 87.5
    assert [(row["run"].name, row["score"]) for row in after["scores"]["rows"]] == [("near", 0.5)]


def test_a_person_has_the_work_they_were_given(admin, query, people, collection):
    builders.judge(query.pairs.first(), people.ann, 1)
    page = admin("person", collection.memberships.get(user=people.ann).pk).context
    assert (page["figures"]["judged"], page["figures"]["total"]) == (1, 8)
    (row,) = page["work"]
    assert (row["query"], row["own"]["judged"], [each["name"] for each in row["others"]]) == (query, 1, ["bob"])


def test_what_others_rest_on_cannot_be_changed(query, people, collection, as_):
    builders.judge(query.pairs.first(), people.ann, 1)
    form = {"name": "Papers", "relevant_from": 1, "seed": "other", "facets": "method", "grades": "No\nYes"}
    client, url = as_("admin"), reverse("settings", args=[collection.slug])
    assert "grades" in client.post(url, form).context["form"].errors
    form |= {"grades": "a\nb\nc\nd", "facets": "result"}
    assert "facets" in client.post(url, form).context["form"].errors
    assert client.post(url, form | {"facets": "method"}).status_code == 302
    collection.refresh_from_db()
    assert (collection.grades, collection.seed) == (["a", "b", "c", "d"], "seed")


def test_search_finds_documents_queries_and_people(admin, query, papers):
    found = admin("search", q="d0 on").context
    assert len(found["documents"]) == 10
    assert [each.name for each in admin("search", q="method").context["queries"]] == ["d00_method"]
    assert [str(each.user) for each in admin("search", q="bob").context["members"]] == ["bob"]
    assert admin("search", q="d07").url.endswith(f"/documents/{papers[7].pk}/")
    assert admin("search").context["documents"] == []


def test_handing_over_names_nobody_of_another_collection(as_, collection, query, people):
    stranger = builders.person("mallory")
    form = {"query": query.pk, "giver": stranger.pk, "taker": people.bob.pk}
    answer = as_("admin").post(reverse("hand-over", args=[collection.slug]), form)
    assert answer.status_code == 400
    assert "mallory" not in answer.content.decode()

"""From a corpus to queries in three steps: sample, screen, choose."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from django.urls import reverse
from scipy.stats import chisquare

from corpus.models import Query, Sample, Screening
from corpus.screening import draw, draw_sample
from tests import builders

pytestmark = pytest.mark.django_db
PLAN = {"first_year": 2000, "last_year": 2011, "years": 6, "per_period": 4, "least_cited": 0, "seed": "s"}
FACETS = ["background", "method", "result"]
NO_CHOICE = "not one of the available choices"


def at(name, collection, *args):
    return reverse(name, args=[collection.slug, *args])


@pytest.fixture
def eve(collection):
    return builders.person("eve", collection, "admin")


@pytest.fixture
def sample(collection, papers):
    """All twelve papers, of 2000 to 2011."""
    return draw_sample(sample=Sample(collection=collection, **PLAN | {"per_period": 6}))


def screen(screener, document, kind="theoretical", ratings=(3, 3, 3)):
    rated = {} if kind == "survey" else dict(zip(FACETS, ratings, strict=True))
    return Screening.objects.create(document=document, screener=screener, kind=kind, ratings=rated)


def test_each_pair_of_papers_is_drawn_equally_often():
    drawn = Counter(frozenset(draw({"p": "abcde"}, number=2, seed=str(seed))) for seed in range(2000))
    assert len(drawn) == 10
    assert chisquare(list(drawn.values())).pvalue > 0.001


def test_a_larger_sample_continues_a_smaller_one_and_each_round_has_every_period():
    papers = {"old": [f"o{n}" for n in range(9)], "new": [f"n{n}" for n in range(9)], "rare": ["r"]}
    small, large = (draw(papers, number=number, seed="s") for number in (3, 5))
    assert large[: len(small)] == small
    assert {docno[0] for docno in small[:3]} == {"o", "n", "r"}
    assert {docno[0] for docno in small[3:5]} == {"o", "n"}
    assert draw({"old": papers["old"][::-1]}, number=3, seed="s") == draw({"old": papers["old"]}, number=3, seed="s")


def test_a_preview_has_five_year_periods_and_what_is_short_and_writes_nothing(as_, collection, papers):
    builders.document(collection, "bare", sentences=[], labels=[], year=1950)
    builders.document(collection, "undated")
    client, url = as_("admin"), at("sample-papers", collection)
    periods = client.get(url).context["papers"]
    assert {name: len(docnos) for name, docnos in periods.items()} == {"2000–2004": 5, "2005–2009": 5, "2010–2011": 2}
    page = client.post(url, PLAN | {"per_period": 7}, headers={"HX-Target": "periods"})
    assert {name: len(docnos) for name, docnos in page.context["papers"].items()} == {"2000–2005": 6, "2006–2011": 6}
    assert page.content.decode().count("6 of 7") == 2
    assert page.context["left_out"] == 2
    assert not Sample.objects.exists()


def test_a_sample_is_of_papers_that_cite_enough_and_is_drawn_again(as_, collection, papers):
    for paper in papers[::2]:
        paper.cites = ["d01", "d02"]
        paper.save()
    undated = builders.document(collection, "undated")
    client, url = as_("admin"), at("sample-papers", collection)
    client.post(url, PLAN | {"least_cited": 2, "draw": ""})
    assert sorted(Sample.objects.get().docnos) == [f"d{number:02}" for number in range(0, 12, 2)]
    client.post(url, PLAN | {"first_year": "", "last_year": "", "per_period": 13, "draw": ""})
    assert undated.docno in Sample.objects.get().docnos


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"first_year": 2012}, "a first and a last year, or neither"),
        ({"last_year": ""}, "a first and a last year, or neither"),
        ({"first_year": 1800, "last_year": 1900}, "No document with an abstract"),
        ({"least_cited": 1}, "No document with an abstract"),
        ({"per_period": 0}, "greater than or equal to 1"),
        ({"years": 0}, "greater than or equal to 1"),
        ({"seed": "a|b"}, "A seed has no |"),
    ],
)
def test_a_wrong_plan_draws_nothing_and_says_why(as_, collection, papers, wrong, told):
    page = as_("admin").post(at("sample-papers", collection), PLAN | wrong | {"draw": ""})
    assert told in page.content.decode()
    assert not Sample.objects.exists()


def test_papers_come_one_after_the_other_without_year_or_other_screenings(as_, people, eve, collection, sample):
    client, seen = as_("admin"), []
    for paper in collection.documents.all():
        paper.venue, paper.year = "SECRETVENUE", 1871
        paper.save()
        screen(eve, paper, "application/tool", (1, 1, 5))
    for number in range(12):
        page = client.get(at("screen-papers", collection), follow=True)
        seen.append(page.context["document"].docno)
        assert (page.context["done"], page.context["total"]) == (number, 12)
        assert not re.search(r"checked|1871|SECRETVENUE", page.content.decode())
        answer = {"kind": "survey"} if number == 3 else {"kind": "theoretical", "rating_0": 1, "rating_1": 2}
        client.post(page.redirect_chain[-1][0], answer | {"rating_2": 5})
    assert seen == sample.docnos
    assert client.get(at("screen-papers", collection)).url == at("choose-papers", collection)
    said = [people.admin.screenings.get(document__docno=docno) for docno in (seen[3], seen[11])]
    assert [(each.kind, each.ratings) for each in said] == [
        ("survey", {}),
        ("theoretical", {"background": 1, "method": 2, "result": 5}),
    ]


def test_a_screening_is_shown_again_and_replaced(as_, people, collection, sample, papers):
    screen(people.admin, papers[0], ratings=(1, 2, 3))
    client, url = as_("admin"), at("screen-paper", collection, papers[0].pk)
    assert client.get(url).content.decode().count("checked") == 4
    client.post(url, {"kind": "cited", "rating_0": 4})
    assert list(Screening.objects.values_list("kind", "ratings")) == [("cited", {})]


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"kind": "theoretical", "rating_0": 1, "rating_2": 3}, "Rate method from 1 to 5."),
        ({"kind": "theoretical", "rating_0": 1, "rating_1": 6, "rating_2": 3}, "Rate method from 1 to 5."),
        ({"kind": "novel"}, NO_CHOICE),
        ({"rating_0": 1}, "required"),
    ],
)
def test_half_a_screening_is_refused(as_, collection, sample, papers, answer, told):
    other = builders.document(collection, "other")  # not in the sample
    assert as_("admin").post(at("screen-paper", collection, other.pk), {"kind": "survey"}).status_code == 404
    page = as_("admin").post(at("screen-paper", collection, papers[0].pk), answer)
    assert told in page.content.decode()
    assert not Screening.objects.exists()


def test_two_screeners_are_one_mean_and_who_calls_a_paper_unfit_prevails(as_, people, eve, collection, sample, papers):
    builders.person("fay", collection, "admin")
    screen(people.admin, papers[0], ratings=(5, 4, 1))
    screen(eve, papers[0], ratings=(1, 3, 5))
    screen(people.admin, papers[1], "application/tool")
    screen(eve, papers[1])
    screen(people.admin, papers[2])
    screen(eve, papers[2], "survey")
    screen(eve, papers[3], "survey")
    screen(eve, papers[4], ratings=(2, 2, 2))
    page = as_("fay").get(at("choose-papers", collection))
    first, second = page.context["papers"]
    assert [(facet["rating"], facet["are_apart"]) for facet in first["facets"]] == [(3, True), (3.5, False), (3, True)]
    assert (second["document"], second["type"]) == (papers[1], "application/tool")
    assert "or theoretical" in page.content.decode()
    assert [paper["document"] for paper in page.context["disputed"]] == [papers[2]]


def test_who_has_begun_to_screen_sees_only_papers_they_have_screened(as_, people, eve, collection, sample, papers):
    for paper in papers:
        screen(eve, paper, ratings=(3, 4, 5))
    client, url = as_("admin"), at("choose-papers", collection)
    assert len(client.get(url).context["papers"]) == 12
    screen(people.admin, papers[7])
    assert [paper["document"] for paper in client.get(url).context["papers"]] == [papers[7]]
    assert NO_CHOICE in client.post(url, {"act": "add", "chosen": "d00 method"}).content.decode()
    for paper in papers[:7] + papers[8:]:
        screen(people.admin, paper)
    assert len(client.get(url).context["papers"]) == 12


def test_ticks_are_counted_and_become_queries_with_their_type(as_, people, collection, sample, papers):
    for paper in papers:
        kind = "application/tool" if paper == papers[1] else "theoretical"
        screen(people.admin, paper, kind, (3, 5, 2))
    builders.query(collection, papers[0], "method")
    ticked = ["d00 background", "d01 method", "d09 method"]
    client, url = as_("admin"), at("choose-papers", collection)
    counted = client.post(url, {"chosen": ticked}, headers={"HX-Target": "counts"}).context["counts"]
    assert [(period, [number for number, _ in cells], total) for period, cells, total in counted["rows"]] == [
        ("2000–2005", [0, 1, 0, 1, 1, 0], 3),
        ("2006–2011", [0, 0, 0, 0, 1, 0], 1),
    ]
    assert (counted["queries"], counted["papers"], counted["several"]) == (4, 3, 1)
    assert client.post(url, {"chosen": ticked, "act": "add"}).url == at("queries", collection)
    assert dict(Query.objects.values_list("name", "paper_type")) == {
        "d00_method": "",  # it was there
        "d00_background": "theoretical",
        "d01_method": "application/tool",
        "d09_method": "theoretical",
    }


def test_a_facet_that_is_rated_low_or_has_no_sentence_cannot_be_ticked(as_, people, collection, sample, papers):
    papers[0].labels = ["background", "objective", ""]
    papers[0].save()
    screen(people.admin, papers[0], ratings=(2, 5, 5))
    screen(people.admin, papers[1], ratings=(2, 2, 3))
    screen(people.admin, papers[2], ratings=(2, 2, 2))
    client, url = as_("admin"), at("choose-papers", collection)
    for screened in papers[3:]:
        screen(people.admin, screened, "survey")
    page = client.get(url).content.decode()
    assert re.findall(r'name="chosen" value="([^"]*)"', page) == ["d01 result"]
    assert page.count("no sentence<") == 2
    for hidden in ("d00 method", "d01 method"):
        assert NO_CHOICE in client.post(url, {"act": "add", "chosen": hidden}).content.decode()
    assert "Tick at least one" in client.post(url, {"act": "add"}).content.decode()


def test_a_suggestion_counts_queries_that_are_there(as_, people, collection, sample, papers):
    for number, paper in enumerate(papers):
        screen(people.admin, paper, ["application/tool", "theoretical"][number % 2])
    builders.query(collection, papers[0], "method")
    client, url = as_("admin"), at("choose-papers", collection)
    page = client.post(url, {"act": "suggest", "queries": 12})
    counts = page.context["counts"]
    assert [total for *_, total in counts["rows"]] == [6, 6]
    assert counts["types"] == [("application/tool", 6), ("theoretical", 6)]
    assert counts["facets"] == [("background", 4), ("method", 4), ("result", 4)]
    too_many = client.post(url, {"act": "suggest", "queries": 30, "chosen": "d01 method"})
    assert "at most 24 queries, got 30" in too_many.content.decode()
    assert too_many.context["ticked"] == ["d01 method"]  # what was ticked stays
    assert Query.objects.count() == 1


def test_without_facets_the_paper_is_rated_and_becomes_a_query_as_a_whole(as_):
    topics = builders.collection("topics", facets=[])
    documents = [builders.document(topics, f"t {number}", labels=[]) for number in range(2)]  # an id with a space
    draw_sample(sample=Sample(collection=topics, seed="s"))
    client, answer = as_("admin"), {"kind": "theoretical"}
    for document, rating in zip(documents, (5, 2), strict=True):
        url = at("screen-paper", topics, document.pk)
        assert "Rate the paper from 1 to 5" in client.post(url, answer).content.decode()
        client.post(url, answer | {"rating_0": rating})
    page = client.post(at("choose-papers", topics), {"act": "suggest", "queries": 1})
    client.post(at("choose-papers", topics), {"act": "add", "chosen": page.context["ticked"]})
    assert list(topics.queries.values_list("name", "facet", "paper_type")) == [("t 0", "", "theoretical")]

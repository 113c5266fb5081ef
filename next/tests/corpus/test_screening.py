"""From a corpus to queries in three steps: sample, screen, choose."""

from __future__ import annotations

import re
from collections import Counter

import pytest
from django.urls import reverse
from scipy.stats import chisquare

from corpus.models import Query, Sample, Screening
from corpus.screening import draw, draw_sample, usual_periods
from corpus.screening_views import letters
from tests import builders

pytestmark = pytest.mark.django_db
FORM = {"periods": "2000-2005\n2006–2011", "per_period": 4, "least_cited": 0, "seed": "s", "types": "theory\ntool"}
FACETS = ["background", "method", "result"]


def at(name, collection, *args):
    return reverse(name, args=[collection.slug, *args])


@pytest.fixture
def eve(collection):
    return builders.person("eve", collection, "admin")


@pytest.fixture
def sample(collection, papers):
    """All twelve papers, of 2000 to 2011."""
    periods = [[2000, 2005], [2006, 2011]]
    made = Sample(collection=collection, periods=periods, seed="s", types=["theory", "tool"])
    return draw_sample(sample=made)


def screen(screener, document, kind="theory", ratings=(3, 3, 3)):
    said = {"paper_type": kind, "ratings": dict(zip(document.collection.facets or [""], ratings, strict=True))}
    if kind in ("survey", "cited"):
        said = {"unfit": kind}
    return Screening.objects.create(document=document, screener=screener, **said)


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


def test_periods_of_five_years_cover_the_documents_that_have_an_abstract(collection, papers):
    builders.document(collection, "bare", sentences=[], labels=[], year=1950)
    assert usual_periods(collection) == [[2000, 2004], [2005, 2009], [2010, 2014]]


def test_a_preview_says_what_is_short_and_writes_nothing(as_, collection, papers):
    builders.document(collection, "bare", sentences=[], labels=[], year=2001)
    builders.document(collection, "undated")
    client = as_("admin")
    assert "2000–2004" in client.get(at("sample-papers", collection)).content.decode()
    page = client.post(at("sample-papers", collection), FORM | {"per_period": 7}, headers={"HX-Target": "periods"})
    told = [(row["name"], row["papers"], row["drawn"], row["missing"]) for row in page.context["periods"]]
    assert told == [("2000–2005", 6, 6, 1), ("2006–2011", 6, 6, 1)]
    assert page.context["left_out"] == 2
    assert not Sample.objects.exists()


def test_a_sample_is_drawn_with_the_fewest_cited_and_drawn_again_larger(as_, collection, papers):
    for paper in papers[::2]:
        paper.cites = ["d01", "d02"]
        paper.save()
    client = as_("admin")
    client.post(at("sample-papers", collection), FORM | {"least_cited": 2, "draw": ""})
    assert sorted(Sample.objects.get().docnos) == [f"d{number:02}" for number in range(0, 12, 2)]
    first = draw_sample(sample=Sample.objects.get()).docnos
    client.post(at("sample-papers", collection), FORM | {"least_cited": 0, "per_period": 1, "draw": ""})
    (sample,) = Sample.objects.all()
    assert len(sample.docnos) == 2 < len(first)


def test_without_periods_years_do_not_matter(as_, collection):
    for number in range(3):
        builders.document(collection, f"u{number}")
    as_("admin").post(at("sample-papers", collection), FORM | {"periods": "", "per_period": 2, "draw": ""})
    assert len(Sample.objects.get().docnos) == 2


@pytest.mark.parametrize(
    ("wrong", "told"),
    [
        ({"periods": "2000-1990"}, "Write a period as 1995-1999, got “2000-1990”."),
        ({"periods": "2000-2005\n2005-2009"}, "overlap"),
        ({"periods": "1800-1900"}, "No document with an abstract"),
        ({"least_cited": 1}, "No document with an abstract"),
        ({"per_period": 0}, "greater than or equal to 1"),
        ({"seed": "a|b"}, "A seed has no |"),
        ({"types": ""}, "required"),
        ({"types": "t" * 101}, "at most 100 characters"),
    ],
)
def test_a_wrong_plan_draws_nothing_and_says_why(as_, collection, papers, wrong, told):
    page = as_("admin").post(at("sample-papers", collection), FORM | wrong | {"draw": ""})
    assert told in page.content.decode()
    assert not Sample.objects.exists()


def test_types_have_letters_of_their_names_that_no_other_key_has():
    assert letters(["application/tool", "data", "resources", "theoretical"]) == [*"adrt", *"scx"]
    assert letters(["survey", "使用", "sucx"])[:3] == ["r", "a", "b"]


def test_papers_come_one_after_the_other_without_year_or_other_screenings(as_, people, eve, collection, sample):
    client, seen = as_("admin"), []
    for paper in collection.documents.all():
        paper.venue, paper.year = "SECRETVENUE", 1871
        paper.save()
        screen(eve, paper, "tool", (1, 1, 5))
    for number in range(12):
        page = client.get(at("screen-papers", collection), follow=True)
        seen.append(page.context["document"].docno)
        assert (page.context["done"], page.context["total"]) == (number, 12)
        body = page.content.decode()
        assert "checked" not in body
        assert "1871" not in body
        assert "SECRETVENUE" not in body
        answer = {"kind": "survey"} if number == 3 else {"kind": "tool", "rating_0": 1, "rating_1": 2, "rating_2": 5}
        client.post(page.redirect_chain[-1][0], answer)
    assert seen == sample.docnos
    assert client.get(at("screen-papers", collection)).url == at("choose-papers", collection)
    fourth = people.admin.screenings.get(document__docno=seen[3])
    assert (fourth.paper_type, fourth.unfit, fourth.ratings) == ("", "survey", {})
    last = people.admin.screenings.get(document__docno=seen[11])
    assert (last.paper_type, last.ratings) == ("tool", dict(zip(FACETS, (1, 2, 5), strict=True)))


def test_a_screening_is_shown_again_and_replaced(as_, people, collection, sample, papers):
    screen(people.admin, papers[0], "theory", (1, 2, 3))
    client, url = as_("admin"), at("screen-paper", collection, papers[0].pk)
    page = client.get(url)
    assert page.content.decode().count("checked") == 4
    client.post(url, {"kind": "cited", "rating_0": 4})
    screening = Screening.objects.get()
    assert (screening.paper_type, screening.unfit, screening.ratings) == ("", "cited", {})


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        ({"kind": "theory", "rating_0": 1, "rating_2": 3}, "Rate method from 1 to 5."),
        ({"kind": "theory", "rating_0": 1, "rating_1": 6, "rating_2": 3}, "Rate method from 1 to 5."),
        ({"kind": "novel"}, "not one of the available choices"),
        ({"rating_0": 1}, "required"),
    ],
)
def test_half_a_screening_is_refused(as_, collection, sample, papers, answer, told):
    page = as_("admin").post(at("screen-paper", collection, papers[0].pk), answer)
    assert told in page.content.decode()
    assert not Screening.objects.exists()


def test_a_paper_outside_the_sample_is_not_screened(as_, collection, sample):
    other = builders.document(collection, "other")
    answer = as_("admin").post(at("screen-paper", collection, other.pk), {"kind": "survey"})
    assert answer.status_code == 404
    assert not Screening.objects.exists()


def test_two_screeners_are_one_mean_and_who_calls_a_paper_unfit_prevails(as_, people, eve, collection, sample, papers):
    for screener, ratings in ((people.admin, (5, 4, 1)), (eve, (1, 3, 5))):
        screen(screener, papers[0], "theory", ratings)
    screen(people.admin, papers[1], "tool")
    screen(eve, papers[1], "theory")
    screen(people.admin, papers[2])
    screen(eve, papers[2], "survey")
    screen(eve, papers[3], "survey")
    screen(eve, papers[4], "tool", (2, 2, 2))
    builders.person("fay", collection, "admin")
    page = as_("fay").get(at("choose-papers", collection))
    first, second = page.context["papers"]
    assert [facet["rating"] for facet in first["facets"]] == [3, 3.5, 3]
    assert [facet["are_apart"] for facet in first["facets"]] == [True, False, True]
    assert (second["document"], second["type"], second["types"]) == (papers[1], "tool", ["tool", "theory"])
    assert [paper["document"] for paper in page.context["disputed"]] == [papers[2]]


def test_who_has_begun_to_screen_sees_only_papers_they_have_screened(as_, people, eve, collection, sample, papers):
    for paper in papers:
        screen(eve, paper, ratings=(3, 4, 5))
    client, url = as_("admin"), at("choose-papers", collection)
    assert len(client.get(url).context["papers"]) == 12
    screen(people.admin, papers[7])
    page = client.get(url)
    assert [paper["document"] for paper in page.context["papers"]] == [papers[7]]
    hidden = {"act": "add", "chosen": f"{papers[0].pk} method"}
    assert "not one of the available choices" in client.post(url, hidden).content.decode()
    for paper in papers[:7] + papers[8:]:
        screen(people.admin, paper)
    assert len(client.get(url).context["papers"]) == 12


def test_ticks_are_counted_and_become_queries_with_their_type(as_, people, collection, sample, papers):
    for paper in papers:
        screen(people.admin, paper, "tool" if paper == papers[1] else "theory", (3, 5, 2))
    builders.query(collection, papers[0], "method")
    ticked = [f"{papers[0].pk} background", f"{papers[1].pk} method", f"{papers[9].pk} method"]
    client, url = as_("admin"), at("choose-papers", collection)
    counted = client.post(url, {"chosen": ticked}, headers={"HX-Target": "counts"}).context["counts"]
    assert [(period, [number for number, _ in cells], total) for period, cells, total in counted["rows"]] == [
        ("2000–2005", [1, 1, 0, 0, 1, 0], 3),
        ("2006–2011", [0, 1, 0, 0, 0, 0], 1),
    ]
    assert (counted["queries"], counted["papers"], counted["several"]) == (4, 3, 1)
    assert client.post(url, {"chosen": ticked, "act": "add"}).url == at("queries", collection)
    assert dict(Query.objects.order_by("pk").values_list("name", "paper_type")) == {
        "d00_method": "",  # it was there
        "d00_background": "theory",
        "d01_method": "tool",
        "d09_method": "theory",
    }


def test_a_facet_that_is_rated_low_or_has_no_sentence_cannot_be_ticked(as_, people, collection, sample, papers):
    papers[0].labels = ["background", "objective", ""]
    papers[0].save()
    screen(people.admin, papers[0], ratings=(2, 5, 5))
    screen(people.admin, papers[1], ratings=(2, 2, 3))
    screen(people.admin, papers[2], ratings=(2, 2, 2))
    client, url = as_("admin"), at("choose-papers", collection)
    page = client.get(url).content.decode()
    assert re.findall(r'name="chosen" value="([^"]*)"', page) == [f"{papers[1].pk} result"]
    assert page.count("no sentence<") == 2
    for hidden in (papers[0], papers[1]):
        refused = client.post(url, {"act": "add", "chosen": f"{hidden.pk} method"})
        assert "not one of the available choices" in refused.content.decode()
    assert "Tick at least one" in client.post(url, {"act": "add"}).content.decode()


def test_a_suggestion_counts_queries_that_are_there_and_ticks_to_keep(as_, people, collection, sample, papers):
    for number, paper in enumerate(papers):
        screen(people.admin, paper, ["tool", "theory"][number % 2], (3, 3, 3))
    builders.query(collection, papers[0], "method")
    kept = f"{papers[1].pk} method"
    client, url = as_("admin"), at("choose-papers", collection)
    page = client.post(url, {"act": "suggest", "queries": 12, "chosen": kept, "keep": "on"})
    counts = page.context["counts"]
    assert kept in page.context["ticked"]
    assert [total for *_, total in counts["rows"]] == [6, 6]
    assert counts["types"] == [("theory", 6), ("tool", 6)]
    assert counts["facets"] == [("background", 4), ("method", 4), ("result", 4)]
    too_many = client.post(url, {"act": "suggest", "queries": 30, "chosen": kept})
    assert "at most 24 queries, got 30" in too_many.content.decode()
    assert too_many.context["ticked"] == {kept}  # what was ticked stays
    assert Query.objects.count() == 1


def test_without_facets_the_paper_is_rated_and_becomes_a_query_as_a_whole(as_, people):
    topics = builders.collection("topics", facets=[])
    documents = [builders.document(topics, f"t{number}", labels=[], year=2001) for number in range(2)]
    sample = draw_sample(sample=Sample(collection=topics, periods=[], seed="s", types=["any"]))
    client = as_("admin")
    for document, rating in zip(documents, (5, 2), strict=True):
        assert (
            "Rate the paper from 1 to 5"
            in client.post(at("screen-paper", topics, document.pk), {"kind": "any"}).content.decode()
        )
        client.post(at("screen-paper", topics, document.pk), {"kind": "any", "rating_0": rating})
    assert len(sample.docnos) == 2
    page = client.post(at("choose-papers", topics), {"act": "suggest", "queries": 1})
    assert page.context["ticked"] == {f"{documents[0].pk} "}
    client.post(at("choose-papers", topics), {"act": "add", "chosen": page.context["ticked"]})
    assert list(topics.queries.values_list("name", "facet", "paper_type")) == [("t0", "", "any")]

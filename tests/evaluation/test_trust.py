"""Pool bias, whose labels, unjudged: against brute force, ir-measures, and CSFCube's figures."""

from __future__ import annotations

import math
from itertools import combinations
from types import SimpleNamespace

import ir_measures
import pandas as pd
import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st

from evaluation import label_effects, pool_bias, trust, unjudged
from evaluation.measures import CLOSED, OPEN, score
from evaluation.rankings import import_ranking
from evaluation.scores import labels_of
from jobs.models import Report
from jobs.work import run_now
from tests import builders

DOCNOS = [f"d{number}" for number in range(12)]
lists_of_one = st.lists(st.sampled_from(DOCNOS), unique=True, min_size=1)
labels_of_one = st.dictionaries(st.sampled_from(DOCNOS), st.integers(0, 3), min_size=1)
scores = st.lists(st.sampled_from([0.0, 0.25, 0.5, 0.75, 1.0]), min_size=2, max_size=6)


def pooled(*rows: tuple) -> pd.DataFrame:
    table = pd.DataFrame(rows, columns=["pool", "query", "docno", "source", "run", "rank", "drawn"])
    return table.astype({"rank": float})


def test_a_run_found_what_it_drew_or_would_have_drawn():
    found = pool_bias.finders(
        pooled(
            (1, "q", "a", "cited", "bm25", 1, False),
            (1, "q", "b", "bm25", "bm25", 2, True),
            (1, "q", "b", "bm25", "tfidf", 9, False),
            (1, "q", "c", "tfidf", "tfidf", 4, True),
            (1, "q", "c", "tfidf", "bm25", 3, False),
            (1, "q", "e", "random", None, None, None),
            (2, "other", "a", "tfidf", "tfidf", 9, True),
        )
    )
    assert found["q"] == {"a": {"cited", "bm25"}, "b": {"bm25"}, "c": {"tfidf"}, "e": {"random"}}
    assert found["other"] == {"a": {"tfidf"}}


def test_published_sources_without_ranks_found_what_they_are_named_for():
    found = pool_bias.finders(
        pooled(
            (1, "q", "a", "x", "x", None, True),
            (1, "q", "a", "x", "y", None, False),
            (1, "q", "b", "z", "y", None, False),
        )
    )
    assert found["q"] == {"a": {"x", "y"}, "b": {"y", "z"}}


FOUND = {"q": {"a": frozenset({"x"}), "b": frozenset({"x", "y"}), "c": frozenset({"y"})}, "r": {"a": frozenset({"y"})}}
LABELS = {"q": {"a": 3, "b": 2, "c": 0}, "r": {"a": 2}}


def test_relevant_documents_that_only_one_source_found_are_counted():
    assert pool_bias.finds(FOUND, LABELS, 2) == [
        {"source": "x", "relevant": 2, "alone": 1},
        {"source": "y", "relevant": 2, "alone": 1},
    ]


def test_documents_lose_the_label_that_they_owe_to_one_source():
    assert pool_bias.without(LABELS, FOUND, "x", OPEN) == {"q": {"b": 2, "c": 0}, "r": {"a": 2}}
    assert pool_bias.without(LABELS, FOUND, "x", CLOSED) == {"q": {"a": 0, "b": 2, "c": 0}, "r": {"a": 2}}
    assert pool_bias.with_relevant(pool_bias.without(LABELS, FOUND, "y", OPEN), 2) == {"q"}


@given(lists_of_one, labels_of_one, st.sets(st.sampled_from(DOCNOS)))
def test_a_closed_list_keeps_the_documents_that_lose_their_label(docnos, grades, alone):
    found = {"q": {docno: frozenset({"x"} if docno in alone else {"x", "y"}) for docno in DOCNOS}}
    less = pool_bias.without({"q": grades}, found, "x", CLOSED)
    by_hand = {docno: grade for docno, grade in grades.items() if docno not in alone}
    in_pool = [docno for docno in docnos if docno in grades]
    closed = score({"q": docnos}, less, ["AP(rel=2)", "P@5"], scope=CLOSED)
    if by_hand:
        opened = score({"q": in_pool}, {"q": by_hand}, ["AP(rel=2)", "P@5"], scope=OPEN)
        assert closed.loc["q"].tolist() == pytest.approx(opened.loc["q"].tolist())
    else:
        assert closed.loc["q"].tolist() == [0.0, 0.0]


def test_effects_have_changes_and_shared_places_the_largest_loss_first():
    rows = pool_bias.effects({"a": 0.5, "b": 0.5, "c": 0.2}, {"a": 0.1, "b": 0.4, "c": 0.2})
    assert [(row["system"], row["place"], row["place_less"]) for row in rows] == [("a", 1, 3), ("b", 1, 1), ("c", 3, 2)]
    assert rows[0]["change"] == pytest.approx(-0.4)


def test_relevant_documents_add_up_with_the_depth_of_all_pools():
    assert pool_bias.growth({"q": ["c", "b", "x", "a"], "r": ["a"]}, LABELS, 2) == [1, 2, 2, 3]
    assert pool_bias.growth({}, LABELS, 2) == []


@given(scores, st.randoms(use_true_random=False))
def test_tau_and_swaps_are_those_of_counting_pairs(values, random):
    names = [f"s{number}" for number in range(len(values))]
    final, theirs = (
        dict(zip(names, values, strict=True)),
        dict(zip(names, random.sample(values, len(values)), strict=True)),
    )
    got = label_effects.compare(theirs, final)
    signs = [
        (math.copysign(1, f) * (f != 0), math.copysign(1, t) * (t != 0))
        for a, b in combinations(names, 2)
        for f, t in [(final[a] - final[b], theirs[a] - theirs[b])]
    ]
    untied = math.sqrt(sum(f != 0 for f, _ in signs) * sum(t != 0 for _, t in signs))
    if untied:
        assert got["tau"] == pytest.approx(sum(f * t for f, t in signs) / untied)
    else:
        assert got["tau"] is None
        assert got["reason"]
    assert len(got["swaps"]) == sum(f * t < 0 for f, t in signs)
    assert all(final[better] > final[worse] and theirs[better] < theirs[worse] for better, worse in got["swaps"])


def test_rankings_that_cannot_be_compared_say_why():
    assert label_effects.compare({}, {"a": 1.0})["reason"] == "no query has a relevant document"
    assert label_effects.compare({"a": 1.0}, {"a": 1.0})["reason"] == "fewer than two systems"


def test_each_set_of_labels_is_compared_on_the_pairs_that_it_has():
    rows = [
        ("q", "a", 2, 3, 3, "ann", "bob"),
        ("q", "b", None, 1, 1, "ann", "bob"),
        ("q", "c", 0, 1, None, "ann", "bob"),
        ("r", "a", 1, 2, 2, "bob", "cyd"),
    ]
    columns = ["query", "docno", "first", "second", "final", "first_judge", "second_judge"]
    pairs = pd.DataFrame(rows, columns=columns).astype(dict.fromkeys(["first", "second", "final"], "Int64"))
    sets = {each.name: (each.labels, each.final) for each in label_effects.label_sets(pairs, {"q": {"a", "z"}}, 3)}
    both = {"q": {"a": 3}, "r": {"a": 2}}
    assert sets == {
        "Judge 1": ({"q": {"a": 2}, "r": {"a": 1}}, both),
        "Judge 2": ({"q": {"a": 3}, "r": {"a": 2}}, both),
        "ann": ({"q": {"a": 2}}, {"q": {"a": 3}}),
        "bob": ({"r": {"a": 1}, "q": {"a": 3, "b": 1}}, {"r": {"a": 2}, "q": {"a": 3, "b": 1}}),
        "cyd": ({"r": {"a": 2}}, {"r": {"a": 2}}),
        "Cited documents": ({"q": {"a": 3, "b": 0}}, {"q": {"a": 3, "b": 1}}),
    }


@given(lists_of_one, labels_of_one)
def test_the_share_without_a_label_is_what_judged_leaves(docnos, grades):
    run = {"q": {docno: 1 / rank for rank, docno in enumerate(docnos, 1)}}
    judged = ir_measures.calc_aggregate([ir_measures.Judged @ 5], {"q": grades}, run)[ir_measures.Judged @ 5]
    assert unjudged.unjudged_shares({"q": docnos}, {"q": grades})[5] == pytest.approx(1 - judged)


def test_what_most_lists_want_high_is_judged_next():
    lists = {
        "s": {"q": ["a", "b", "c"], "r": ["a"]},
        "t": {"q": ["c", "b", "own"]},
        "u": {"q": [*(f"p{n}" for n in range(unjudged.WANTED)), "deep"]},
    }
    pooled_docnos = {"q": {"a", "own", *(f"p{n}" for n in range(unjudged.WANTED))}}
    rows = unjudged.to_judge_next(lists, pooled_docnos)
    assert [(row["docno"], row["best"], row["systems"]) for row in rows] == [("c", 1, ["s", "t"]), ("b", 2, ["s", "t"])]
    assert rows[0]["score"] == pytest.approx(1 / 63 + 1 / 61)


@pytest.fixture
def judged(db, query, people, collection):
    """Labels on d01 to d08 of two judges and a decision; all were pooled as cited."""
    grades = {f"d{number:02}": (number % 4, number % 4) for number in range(1, 9)} | {"d07": (1, 3)}
    builders.judge_all(query, grades)
    builders.decide(query.pairs.get(document__docno="d07"), people.ada, 3)
    builders.run(collection, "own", {query: ["d03", "d07", "d02", "d06", "d11", "d01"]})
    builders.run(collection, "poor", {query: ["d11", "d10", "d02", "d08", "d01", "d06"]})
    return SimpleNamespace(collection=collection, query=query)


ABOUT = {"profile": "trec", "scope": "open", "measure": "nDCG@10", "split": "test"}


@pytest.mark.django_db
def test_the_page_shows_what_was_computed_and_says_when_it_is_out_of_date(judged, as_, people):
    admin, url = as_("admin"), reverse("trust", args=[judged.collection.slug]) + "?profile=trec"
    assert admin.get(url).context["report"] is None
    assert admin.post(url).url == url
    job = judged.collection.jobs.get()
    assert (job.kind, job.parameters) == ("compute_trust", ABOUT)
    assert admin.get(url).context["is_running"]
    run_now("compute_trust", collection=judged.collection, **ABOUT)
    page = admin.get(url).context
    assert page["is_current"]
    (panel,) = page["panels"]
    assert [row["name"] for row in panel["labels"]] == [
        "Final labels",
        "Judge 1",
        "Judge 2",
        *sorted([str(people.ann.pk), str(people.bob.pk)]),
        "Cited documents",
    ]
    assert panel["systems"] == ["own", "poor"]
    assert {row["system"]: row["shares"][0] for row in page["unjudged"]} == {"own": 0.2, "poor": 0.4}
    assert [row["docno"] for row in page["table"].page] == ["d11", "d10"]
    builders.judge(judged.query.pairs.get(document__docno="d01"), people.ann, 0)
    assert not admin.get(url).context["is_current"]


@pytest.mark.django_db
def test_what_to_judge_next_and_the_figure_are_files(judged, as_):
    run_now("compute_trust", collection=judged.collection, **ABOUT)
    url = reverse("trust", args=[judged.collection.slug])
    answer = as_("admin").get(url, {"profile": "trec", "format": "csv"})
    lines = b"".join(answer.streaming_content).decode().splitlines()
    assert lines == ["docno,query,best,lists,systems", "d11,d00_method,1,2,own poor", "d10,d00_method,2,1,poor"]
    answer = as_("admin").get(url, {"profile": "trec", "figure": "growth"})
    assert len(b"".join(answer.streaming_content).decode().splitlines()) == 9


@pytest.mark.django_db
def test_a_collection_without_labels_says_what_is_missing(collection, as_):
    assert not as_("admin").get(reverse("trust", args=[collection.slug])).context["can_compute"]


@pytest.mark.csfcube
def test_specter_loses_most_without_its_own_documents(db, csfcube_release):
    """The figures of another implementation that shares no code with this one."""
    collection, folder = csfcube_release
    for facet in ("background", "method"):
        path = folder / f"eval_scripts/sample_ranked_pools/test-pid2pool-csfcube-specter-{facet}-ranked.json"
        with path.open("rb") as file:
            import_ranking(collection=collection, file=file, filename=path.name, name="specter", facet=facet)
    found = pool_bias.finders(trust.pooled_documents(collection))
    alone = {row["source"]: row["alone"] for row in pool_bias.finds(found, labels_of(collection), 2)}
    assert (alone["specter"], alone["abs_tfidf"], alone["cited"]) == (21, 15, 2)
    about = {"profile": "csfcube", "scope": "closed", "measure": "NDCG%20", "split": "test"}
    run_now("compute_trust", collection=collection, **about)
    data = Report.objects.find(collection, trust.KIND, **about).data
    changes = {
        row["facet"]: round(100 * effect["change"], 2)
        for row in data["sources"]
        for effect in row["systems"]
        if row["source"] == "specter"
    }
    assert changes == {"background": -10.10, "method": -3.82}

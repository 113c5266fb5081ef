"""The baselines without randomness, on the real release: the figures of docs/baselines.md.

The figures are computed from the lists alone, by the measures of test_published_files.py, which
give SPECTER's published figures on its published rankings.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise
from pathlib import Path
from statistics import mean

import pytest
from rank_bm25 import BM25Okapi
from sklearn.feature_extraction.text import TfidfVectorizer

from csfcube.release import read_release
from retrieval.retrievers.analysis import PLAIN
from scoring.baselines.services import make_baselines
from tests.csfcube.test_published_files import FOLDS, scores_of

pytestmark = [
    pytest.mark.csfcube,
    pytest.mark.django_db,
    pytest.mark.one_database,
    pytest.mark.by_day(4, day=2),
]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "baselines.md"
FACETS = ("background", "method")
MEASURES = ("RP", "P@20", "R@20", "NDCG%20")
# Word vectors and encoders differ between machines.
SAME_EVERYWHERE = ("fabs_tfidf", "fabs_bm25", "fabs_log_tfidf", "facet_tfidf", "facet_bm25")


@pytest.fixture(scope="module")
def lists(released, rolled_back) -> Iterator[dict[str, dict[str, list[str]]]]:
    """The docnos of each query, best first, by baseline. No other module has these systems."""
    with rolled_back():
        make_baselines(collection=released, names=SAME_EVERYWHERE)
        yield {
            system.name: {
                ranking.query.name: ranking.docnos
                for ranking in system.rankings.select_related("query")
            }
            for system in released.systems.filter(name__in=SAME_EVERYWHERE)
        }


@pytest.fixture(scope="module")
def grades(ratings) -> dict[str, dict[str, int]]:
    return {
        query: dict(zip(entry["cands"], entry["relevance_adju"], strict=True))
        for query, entry in ratings.items()
    }


@pytest.fixture(scope="module")
def folds(csfcube) -> dict[str, list[list[str]]]:
    """The queries of both test sets of a facet."""
    splits = json.loads((csfcube / "evaluation_splits.json").read_bytes())
    return {facet: [splits[facet][fold] for fold in FOLDS] for facet in FACETS}


@pytest.fixture(scope="module")
def figures(lists, grades, folds) -> dict[tuple[str, str], list[float]]:
    """In percent, by facet and baseline: the means of the two folds' means."""
    return {
        (facet, name): [
            100 * mean(mean(scores[query][measure] for query in fold) for fold in folds[facet])
            for measure in MEASURES
        ]
        for name, rankings in lists.items()
        for facet in FACETS
        for scores in [
            {
                query: scores_of([grades[query][docno] for docno in docnos])
                for query, docnos in rankings.items()
            }
        ]
    }


def documented_figures(heading: str) -> dict[tuple[str, str], list[str]]:
    """The rows of the tables below a heading of the page: facet and system to the figures."""
    section = PAGE.read_text().split(f"\n{heading}\n")[1].split("\n## ")[0]
    figures, facet = {}, ""
    for line in section.splitlines():
        cells = [cell.strip().strip("`") for cell in line.strip("|").split("|")]
        if len(cells) >= 6 and re.fullmatch(r"\d+\.\d\d", cells[5]):
            facet = cells[0] or facet
            figures[facet, cells[1]] = cells[2:6]
    return figures


def test_the_documented_figures_are_those_of_the_release(released, figures):
    documented = documented_figures("## On CSFCube")
    assert {key: [f"{value:.2f}" for value in row] for key, row in figures.items()} == {
        key: row for key, row in documented.items() if key[1] in SAME_EVERYWHERE
    }
    reports = {system.name: system.report for system in released.systems.all()}
    for name, without_text in (("fabs_bm25", 0), ("facet_bm25", 165)):
        report = reports[name]
        assert (report["lists"], report["documents"]) == (33, 4050)
        assert report["without_text"] == without_text


def test_bm25_is_above_tfidf_in_ndcg_on_both_facets_as_published(figures):
    for facet in FACETS:
        assert figures[facet, "fabs_bm25"][-1] > figures[facet, "fabs_tfidf"][-1]
    # A damped frequency of words turns this order round on background.
    assert figures["background", "fabs_log_tfidf"][-1] > figures["background", "fabs_bm25"][-1]


def test_whole_abstracts_and_damped_tfidf_give_a_recall_of_39_7_on_method(figures):
    assert [round(figures["method", name][2], 1) for name in ("fabs_log_tfidf", "facet_tfidf")] == [
        39.7,
        33.2,
    ]


LABELS = {"background": ("background", "objective"), "method": ("method",)}


@pytest.fixture(scope="module")
def texts(csfcube) -> tuple[dict[str, str], dict[str, str]]:
    """The abstract of each document, and the facet's sentences of each query."""
    release = read_release(csfcube)
    papers = {docno: paper for docno, paper in release.papers.items() if paper.sentences}
    queries = {
        f"{key.pid}_{key.facet}": " ".join(
            sentence
            for sentence, label in zip(
                papers[key.pid].sentences, papers[key.pid].labels, strict=True
            )
            if label in LABELS[key.facet]
        )
        for key in release.ratings
    }
    return {docno: " ".join(paper.sentences) for docno, paper in papers.items()}, queries


def is_order_of(docnos: Iterable[str], scores: dict[str, float]) -> bool:
    """Whether no score is above the one before it; equal to six decimals counts as tied."""
    ordered = [scores[docno] for docno in docnos]
    return all(below <= above + 1e-5 for above, below in pairwise(ordered))


def test_the_lists_of_bm25_are_in_the_order_of_rank_bm25(lists, texts):
    abstracts, queries = texts
    docnos = list(abstracts)
    index = BM25Okapi([PLAIN.words(text) for text in abstracts.values()])
    for query, ranking in lists["fabs_bm25"].items():
        scores = index.get_scores(PLAIN.words(queries[query]))
        assert is_order_of(ranking, dict(zip(docnos, scores, strict=True)))


def test_the_lists_of_tfidf_are_in_the_order_of_scikit_learn(lists, texts):
    abstracts, queries = texts
    docnos = list(abstracts)
    vectorizer = TfidfVectorizer().fit(abstracts.values())
    rows = vectorizer.transform(abstracts.values())
    for query, ranking in lists["fabs_tfidf"].items():
        cosines = (rows @ vectorizer.transform([queries[query]]).T).toarray()[:, 0]
        assert is_order_of(ranking, dict(zip(docnos, cosines, strict=True)))

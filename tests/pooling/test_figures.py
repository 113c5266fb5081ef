"""The figures of the page about pools, and of the page that chooses models."""

from __future__ import annotations

import csv
import io

import pytest

from corpus.services import create_query
from pooling.checks import PoolChecks
from pooling.figures import depth_figure, depths_of, overlap_figure
from pooling.models import Pool
from pooling.tables.freeze_preview import OverlapMatrix
from reports.services import compute_report
from tests.support.factories import DocumentFactory, a_collection, a_pool
from tests.support.visits import address, client_of, text_of


def a_pool_to(collection, docno: str, depth: dict[str, int]) -> Pool:
    paper = DocumentFactory(collection=collection, docno=docno)
    query = create_query(collection=collection, docno=docno, facet_key="method")
    pool = a_pool(query.query_paper, [DocumentFactory(collection=collection)])
    Pool.objects.filter(pk=pool.pk).update(depth=depth)
    assert pool.query_paper.document == paper
    return pool


# Depth


def test_depths_are_counted_by_retriever_over_the_pools_of_the_collection(db):
    collection = a_collection()
    for docno, depth in (("p1", {"bm25": 9, "2024": 4}), ("p2", {"bm25": 9}), ("p3", {})):
        a_pool_to(collection, docno, depth)
    a_pool_to(a_collection("far"), "p1", {"bm25": 100})

    assert depths_of(collection) == {"bm25": {9: 2}, "2024": {4: 1}}


def test_the_depth_of_a_retriever_is_drawn_by_its_quartiles():
    figure = depth_figure({"bm25": {10: 1, 20: 2, 30: 1, 90: 1}, "dense": {50: 1}})

    assert figure.rows == [
        ("dense", 1, 50, 50, 50, 50, 50),
        ("bm25", 5, 10, 20, 20, 30, 90),
    ]
    assert figure.panels[0].finding == (
        "dense is deepest, with a median rank of 50. The deepest rank of all is 90."
    )


def test_the_page_shows_the_depth_with_its_files(db):
    collection = a_collection()
    a_pool_to(collection, "p1", {"bm25": 12})
    admin = client_of("admin")

    page = admin.get(address("pools"))
    content = admin.get(address("pool-figure", "depth", "csv"))

    assert "Depth by retriever" in text_of(page)
    assert address("pool-figure", "depth", "svg") in page.text
    assert list(csv.reader(io.StringIO(content.text)))[1] == ["bm25", *"1", *["12"] * 5]


def test_pools_without_ranks_have_no_figure_of_depth(db):
    collection = a_collection()
    a_pool_to(collection, "p1", {})
    admin = client_of("admin")

    assert "Depth by retriever" not in admin.get(address("pools")).text
    assert admin.get(address("pool-figure", "depth", "svg")).status_code == 404


# Overlap


def test_the_heat_map_has_every_two_retrievers_once_in_its_table():
    matrix = OverlapMatrix(
        [("a", [1, 0.5, 0.125]), ("b", [0.5, 1, None]), ("c", [0.125, None, 1])], 25
    )

    figure = overlap_figure("overlap-25", "Overlap", matrix)

    assert figure.rows == [("a", "b", 0.5), ("a", "c", 0.125)]
    assert len(figure.panels[0].bars) == 4
    assert figure.panels[0].finding == (
        "a and c overlap least, by 12.5 %. a and b overlap most, by 50.0 %."
    )


def test_the_heat_map_of_imported_pools_can_be_downloaded(db):
    collection = a_collection()
    a_pool_to(collection, "p1", {})
    compute_report(PoolChecks(), collection=collection)
    admin = client_of("admin")

    assert address("pool-figure", "overlap-sources", "svg") in admin.get(address("pools")).text
    assert admin.get(address("pool-figure", "overlap-sources", "svg")).status_code == 200


def test_the_heat_map_of_runs_compares_what_the_page_compares(db):
    collection = a_collection()
    paper = DocumentFactory(collection=collection, docno="q1")
    create_query(collection=collection, docno="q1", facet_key="method")
    for name, docnos in (("a", ["d1", "d2"]), ("b", ["d2", "d3"]), ("c", ["d4", "d5"])):
        run = collection.runs.create(name=name, kind="file", depth=2)
        run.rankings.create(query_paper=paper.query_paper, docnos=docnos, scores=[2.0, 1.0])
    admin = client_of("admin")

    page = admin.get(address("choose-models"), {"run": ["a", "b"], "depth": "2"})
    content = admin.get(page.context["overlap"].csv)

    assert [row[:2] for row in csv.reader(io.StringIO(content.text))][1:] == [["a", "b"]]
    assert float(list(csv.reader(io.StringIO(content.text)))[1][2]) == pytest.approx(1 / 3)

"""A round of documents that can change a conclusion."""

from __future__ import annotations

import pytest

from corpus.digests import json_digest
from evaluation.gaps.services import all_conclusions, decisive_documents
from evaluation.top_ups.services import TopUp, preview_top_up, top_up_pools
from jobs.context import DirectRun
from pooling.errors import PoolingError
from pooling.models import Candidate
from scoring.labels import qrels_of
from tests.support.factories import DocumentFactory
from tests.support.label_scenes import a_system
from tests.support.release_scenes import a_judged_collection
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


@once_a_file
def collection():
    """`late` and `other` differ by documents without a label; `far` is far behind both."""
    collection = a_judged_collection()
    for docno in ("n1", "n2", "n3"):
        DocumentFactory(collection=collection, docno=docno)
    judged = {
        "q1_background": ["d2", "d1", "d3"],
        "q1_method": ["d1", "d2", "d3"],
        "q2_method": ["d3", "d1", "d4"],
    }
    a_system(collection, "late", {query: ["n1", *docnos] for query, docnos in judged.items()})
    a_system(collection, "other", judged)
    a_system(collection, "far", {query: ["d3", "n3"] for query in judged})
    return collection


def a_request(**changes) -> TopUp:
    values = {"runs": ("late",), "reason": "Late.", "choice": "decisive", "depth": 5}
    return TopUp(**values | {"measure": "nDCG@20"} | changes)


def test_the_round_adds_the_decisive_documents_and_names_the_labels(collection):
    names = ["far", "late", "other"]
    conclusions = [
        each for each in all_conclusions(names, "nDCG@20") if "late" in (each.first, each.second)
    ]
    expected = decisive_documents(collection, conclusions, depth=5, gaps_of=["late"])
    assert sum(map(len, expected.values())) > 0

    pool_round = top_up_pools(collection=collection, top_up=a_request(), work=DirectRun())

    added = Candidate.objects.filter(round=2).order_by("pool__query_paper__name")
    found: dict[str, list[str]] = {}
    for paper, docno in added.values_list("pool__query_paper__name", "document__docno"):
        found.setdefault(paper, []).append(docno)
    assert found == {paper: sorted(docnos) for paper, docnos in expected.items()}
    assert pool_round.manifest["only"] == {
        paper: sorted(docnos) for paper, docnos in sorted(expected.items())
    }
    labels = {name: dict(own) for name, own in qrels_of(collection).items()}
    assert pool_round.manifest["labels_sha256"] == json_digest(labels)


def test_a_run_without_scores_has_no_conclusions(collection):
    collection.runs.create(name="raw", kind="file", sha256="0" * 64)
    with pytest.raises(PoolingError, match="raw has not been scored yet"):
        preview_top_up(collection, a_request(runs=("raw",)), DirectRun())


def test_a_measure_without_bounds_is_refused(collection):
    with pytest.raises(PoolingError, match="No bounds are known"):
        preview_top_up(collection, a_request(measure="ERR@20"), DirectRun())

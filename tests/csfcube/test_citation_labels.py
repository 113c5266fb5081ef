"""CSFCube's cited candidates as the labels of a release."""

from __future__ import annotations

import io
import zipfile
from collections import Counter

import pytest

from adjudication.labels import labelled_pairs
from bundle.label_changes import read_labels
from bundle.options import LabelSource, ReleaseOptions
from pooling.models import Candidate
from release.gate.checks import ACCEPTABLE
from release.services import build_bundle
from release.snapshot import take_snapshot

pytestmark = [pytest.mark.csfcube, pytest.mark.django_db, pytest.mark.one_database]

CITATIONS = ReleaseOptions(labels=LabelSource.CITATIONS)


@pytest.fixture(scope="module")
def labels(released):
    """The label of each query and docno in a release with citations."""
    bundle = build_bundle(take_snapshot(released, CITATIONS), "1.0", dict.fromkeys(ACCEPTABLE, ""))
    with zipfile.ZipFile(io.BytesIO(bundle.content)) as archive:
        rows = read_labels(archive.read("trec/qrels.all.txt").splitlines())
        return {pair: int(grade) for pair, grade in rows}


def test_the_labels_are_the_published_sources_of_the_candidates(labels, released, pools):
    """Candidates that were never judged, or whose text is not in the release, have none."""
    candidates = Candidate.objects.filter(
        pool__query_paper__collection=released, pool__frozen_at__isnull=False, excluded=""
    ).values_list("pool__query_paper__name", "document__docno")
    queries = released.queries.values_list("name", "query_paper__name")
    sources = {
        (paper, docno): names
        for paper, pool in pools.items()
        for docno, names in zip(pool["cands"], pool["cand_source"], strict=True)
    }
    expected = {
        (query, docno): int("cited" in sources[paper, docno])
        for paper, docno in candidates
        for query, query_paper in queries
        if query_paper == paper
    }

    assert labels == expected
    assert (len(labels), sum(labels.values())) == (5407, 852)


def test_most_cited_papers_have_low_grades_so_citations_are_no_judgments(labels, released):
    """The shares of CSFCube's paper, appendix D."""
    grades: dict[str, Counter[int]] = {"background": Counter(), "method": Counter()}
    for pair in labelled_pairs(released):
        if pair.final is not None and labels[pair.query, pair.docno]:
            grades[pair.facet][pair.final] += 1
    low = {facet: (counts[0] + counts[1]) / counts.total() for facet, counts in grades.items()}

    assert {facet: round(100 * share, 1) for facet, share in low.items()} == {
        "background": 79.7,
        "method": 88.8,
    }

"""What each source of the pools contributed, on a case worked out by hand."""

from __future__ import annotations

import json

import pytest

from accounts.models import Collection
from adjudication.yields import Held, Yield, yields, yields_of
from published.services import import_csfcube
from tests.factories import a_collection, an_open_query

A, B, C = ("q", "a"), ("q", "b"), ("q", "c")


def test_drawn_relevant_and_found_alone_are_counted():
    held = [
        Held("one", A, drawn=True, found=True),
        Held("two", A, drawn=False, found=True),  # so a is not found by one alone
        Held("one", B, drawn=True, found=True),
        Held("two", B, drawn=False, found=False),  # deeper than it had to draw
        Held("two", C, drawn=True, found=True),
    ]
    grades = {A: [3], B: [2, 0], C: [1]}

    assert yields(held, grades) == [
        Yield("one", drawn=2, judged=3, relevant=2, alone=1),
        Yield("two", drawn=1, judged=1, relevant=0, alone=0),
    ]


def test_a_document_relevant_to_two_queries_counts_twice():
    (one,) = yields([Held("one", A, True, True)], {A: [2, 3]})

    assert (one.judged, one.relevant, one.alone) == (2, 2, 2)


def test_a_source_that_drew_nothing_is_listed_without_a_share():
    one = yields([Held("one", A, drawn=False, found=True)], {A: [3]})[0]

    assert (one.drawn, one.percent) == (0, None)


@pytest.mark.django_db
def test_nothing_is_told_before_a_pair_has_its_final_grade():
    collection = a_collection()
    an_open_query(collection)

    assert yields_of(collection) == []


@pytest.mark.csfcube
@pytest.mark.django_db
def test_csfcubes_sources_yield_what_its_files_say(csfcube):
    import_csfcube(folder=csfcube)

    found = {one.source: one for one in yields_of(Collection.objects.get(slug="csfcube"))}

    assert found == {source: _counted(csfcube, source) for source in found}
    # Of the cited papers, most are rated 0 or 1: the paper says so of both facets.
    assert (found["cited"].relevant, found["cited"].judged) == (93, 610)


def _counted(folder, source):
    """The source's yield, straight from the files; the first source of a candidate drew it."""
    pools = json.loads((folder / "test-pid2pool-csfcube.json").read_text())
    sources = {
        (paper, docno): names
        for paper, pool in pools.items()
        for docno, names in zip(pool["cands"], pool["cand_source"], strict=True)
    }
    grades = []
    for facet in ("background", "method"):
        ratings = json.loads((folder / f"test-pid2anns-csfcube-{facet}.json").read_text())
        for paper, rated in ratings.items():
            for docno, grade in zip(rated["cands"], rated["relevance_adju"], strict=True):
                if sources[paper, docno][0] == source and grade >= 0:
                    grades.append((grade, sources[paper, docno]))
    relevant = [names for grade, names in grades if grade >= 2]
    return Yield(
        source,
        drawn=sum(names[0] == source for names in sources.values()),
        judged=len(grades),
        relevant=len(relevant),
        alone=sum(names == [source] for names in relevant),
    )

"""What CSFCube's sources contributed, and what simulated pools would have needed of them."""

from __future__ import annotations

from io import StringIO

import pytest
from django.core.management import call_command

from adjudication.retriever_yield import Yield, yields_of
from planning.judged_pools import judged_pools

pytestmark = [pytest.mark.csfcube, pytest.mark.django_db]


def test_the_sources_yield_what_the_files_say(released, pools, ratings):
    found = {source_yield.source: source_yield for source_yield in yields_of(released)}

    assert found == {source: counted(pools, ratings, source) for source in found}
    # Of the cited papers, most are rated 0 or 1: the paper says so of both facets.
    assert (found["cited"].relevant, found["cited"].judged) == (92, 609)


def counted(pools, ratings, source):
    """The source's yield, straight from the files; the first source of a candidate drew it."""
    sources = {
        (paper, docno): names
        for paper, pool in pools.items()
        for docno, names in zip(pool["cands"], pool["cand_source"], strict=True)
    }
    grades = []
    for query, rated in ratings.items():
        paper = query.split("_")[0]
        for docno, grade in zip(rated["cands"], rated["relevance_adju"], strict=True):
            # 8781666 is in its own pool.
            if sources[paper, docno][0] == source and grade >= 0 and docno != paper:
                grades.append((grade, sources[paper, docno]))
    relevant = [names for grade, names in grades if grade >= 2]
    return Yield(
        source,
        drawn=sum(names[0] == source for names in sources.values()),
        judged=len(grades),
        relevant=len(relevant),
        alone=sum(names == [source] for names in relevant),
    )


def simulate_pooling(*arguments):
    out = StringIO()
    call_command("simulate_pooling", *arguments, stdout=out)
    return out.getvalue()


def test_the_lists_are_the_sources_in_the_order_of_the_draw(released):
    pools = list(judged_pools(released))
    assert len(pools) == 33
    assert sum(len(pool.grades) for pool in pools) == 1877 + 2174
    for pool in pools:
        assert "cited" in pool.lists
        assert len(pool.lists) == 8
        assert pool.grades.keys() <= {d for docnos in pool.lists.values() for d in docnos}


def test_every_method_finds_what_there_is_and_needs_no_more_than_all(released):
    (line,) = [line for line in simulate_pooling("csfcube").splitlines() if line.startswith("all ")]
    judged, relevant, *needed = map(int, line.split()[1:])
    assert relevant < judged <= 1877 + 2174
    assert all(relevant * 0.95 <= count < judged for count in needed)

"""The law by which CSFCube's 34 pools were drawn, read off the release itself."""

import json
from collections import Counter
from itertools import groupby

import pytest

from pooling.strategies import draw

pytestmark = pytest.mark.csfcube
RETRIEVERS = {
    "abs_cbow200",
    "abs_tfidf",
    "abs_tfidfcbow200",
    "specter",
    "title_cbow200",
    "title_tfidf",
    "title_tfidfcbow200",
}


@pytest.fixture(scope="module")
def pools(csfcube):
    """{query paper: [(docno, sources), ...] in draw order}"""
    released = json.loads((csfcube / "test-pid2pool-csfcube.json").read_bytes())
    return {
        docno: list(zip(pool["cands"], pool["cand_source"], strict=True))
        for docno, pool in released.items()
    }


def drawers(pool):
    """The first source listed for a candidate is the one that drew it."""
    return [sources[0] for _, sources in pool]


def test_every_retriever_drew_exactly_n_and_the_rest_is_cited(pools):
    sizes = Counter()
    for pool in pools.values():
        counts = Counter(drawers(pool))
        cited = counts.pop("cited")
        assert counts.keys() == RETRIEVERS
        (n,) = set(counts.values())
        assert len(pool) == cited + 7 * n
        sizes[n] += 1
    assert sizes == {12: 27, 33: 7}


def test_the_cited_came_first_and_the_retrievers_one_after_another(pools):
    for pool in pools.values():
        blocks = [name for name, _ in groupby(drawers(pool))]
        assert blocks[0] == "cited"
        assert len(blocks) == len(set(blocks)) == 8


def test_sequential_drawing_rebuilds_all_34_pools(pools):
    """Lists that agree with a release give its pools back, in the retrievers' released order.

    The lists themselves were not released, so every retriever gets what is known of its own: the
    candidates it is listed for. What it shares with those before it is skipped, and what it alone
    brought is drawn.
    """
    for query_paper, pool in pools.items():
        order = [name for name, _ in groupby(drawers(pool))][1:]
        cited = [docno for docno, sources in pool if sources[0] == "cited"]
        n = (len(pool) - len(cited)) // 7
        lists = {name: [docno for docno, sources in pool if name in sources] for name in order}
        # Our own order of retrievers is random by seed; names in hash order stand in for theirs.
        names = draw("sequential", dict.fromkeys(map(str, range(7)), ()), {}, 1, "s", query_paper)
        stands_for = dict(zip(names.order, order, strict=True))
        rankings = {name: lists[real] for name, real in stands_for.items()}
        drawn = draw("sequential", rankings, {"cited": cited}, n, "s", query_paper)
        released = [(docno, sources[0]) for docno, sources in pool if docno != query_paper]
        ours = [
            (entry.docno, stands_for.get(entry.drawer, entry.drawer)) for entry in drawn.entries
        ]
        assert ours == released

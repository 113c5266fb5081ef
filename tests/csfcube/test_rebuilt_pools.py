"""CSFCube's pool law over its own documents: seven retrievers, n = 12, one after another.

Six of the seven are CSFCube's own: TF-IDF and averaged word2vec with and without TF-IDF weights, on
titles and on abstracts. Its seventh was SPECTER, whose weights cannot be fetched here. In its place
stands the built-in retriever that reads what SPECTER reads, title and abstract together: BM25 over
both. The law is about drawing and holds for any seventh.

The release as it lies here has no text for the six query papers that it judges under `result` only.
Their titles, which it has, stand in for their abstracts, so that all 34 pools can be drawn.
"""

from __future__ import annotations

import io
from collections import Counter
from itertools import groupby
from operator import itemgetter
from statistics import mean
from typing import NamedTuple

import pytest
from django.test import override_settings

from accounts.models import Collection
from corpus.models import Document, Query, QueryPaper
from jobs.context import DirectRun
from pooling.models import Contribution, Pool
from pooling.services import Estimate, PoolPlan, build_pools, estimate_pools
from retrieval.services import CITED
from tests.support.factories import a_collection

# tests/pooling/test_same_pools.py compares the databases.
pytestmark = [
    pytest.mark.csfcube,
    pytest.mark.django_db,
    pytest.mark.one_database,
    pytest.mark.by_day(8, day=0),
]

N = 12
SEVEN = (
    "bm25_text",
    "cbow_abstract",
    "cbow_title",
    "tfidf_abstract",
    "tfidf_cbow_abstract",
    "tfidf_cbow_title",
    "tfidf_title",
)


class Drawn(NamedTuple):
    docno: str
    drawer: str
    rank: int | None


class Rebuilt(NamedTuple):
    pools: dict[str, list[Drawn]]  # by query paper, in the order drawn
    cited: dict[str, set[str]]  # by query paper, those in the corpus
    shortfall: dict[str, dict[str, int]]
    order: dict[str, list[str]]
    lists: dict[tuple[str, str], list[str]]  # by run and query paper
    estimate: Estimate | None = None


@pytest.fixture(scope="module")
def rebuilt(released, rolled_back, tmp_path_factory) -> Rebuilt:
    """Indexed, ranked and drawn once; the database forgets it again."""
    folder = tmp_path_factory.mktemp("csfcube")
    with (
        override_settings(DATA_DIR=folder, ARTEFACT_DIR=folder / "artefacts"),
        rolled_back(),
    ):
        collection = same_corpus_without_pools(released)
        plan = PoolPlan.take(N, mode="sequential", runs=SEVEN)
        build_pools(collection=collection, plan=plan, work=DirectRun(io.StringIO()))
        estimate = estimate_pools(collection=collection, plan=plan)
        return read(collection)._replace(estimate=estimate)


def same_corpus_without_pools(released: Collection) -> Collection:
    """The documents and queries of the release; query papers cite what was pooled as cited."""
    collection = a_collection("rebuilt", seed="csfcube")
    cited = {
        pool.query_paper.name: list(
            pool.candidates.filter(contributions__source=CITED)
            .exclude(document=pool.query_paper.document)
            .values_list("document__docno", flat=True)
        )
        for pool in Pool.objects.filter(query_paper__collection=released)
    }
    documents = list(released.documents.all())
    for document in documents:
        document.pk, document.collection = None, collection
        document.references = cited.get(document.docno, [])
        if document.docno in cited and not document.sentences:
            document.sentences, document.labels = [document.title], ["other"]
    Document.objects.bulk_create(documents)
    by_docno = {document.docno: document for document in collection.documents.all()}
    facet = collection.facets.get(key="method")
    for docno in cited:
        paper = QueryPaper.objects.create(
            collection=collection, document=by_docno[docno], name=docno
        )
        name = f"{docno}_{facet.key}"
        Query.objects.create(collection=collection, query_paper=paper, facet=facet, name=name)
    return collection


def read(collection: Collection) -> Rebuilt:
    found = Rebuilt({}, {}, {}, {}, {})
    for pool in Pool.objects.filter(query_paper__collection=collection):
        document = pool.query_paper.document
        drawn = Contribution.objects.filter(candidate__pool=pool, drawn=True)
        rows = drawn.order_by("candidate__position").values_list(
            "candidate__document__docno", "source", "rank"
        )
        found.pools[document.docno] = [Drawn(*row) for row in rows]
        found.cited[document.docno] = set(document.references)
        found.shortfall[document.docno] = pool.shortfall
        found.order[document.docno] = pool.retriever_order
    for run in collection.runs.all():
        for ranking in run.rankings.select_related("query_paper__document"):
            found.lists[run.name, ranking.query_paper.name] = ranking.docnos
    return found


def test_every_pool_is_its_cited_papers_and_seven_times_twelve(rebuilt):
    assert len(rebuilt.pools) == 34
    assert all(not short for short in rebuilt.shortfall.values())
    for docno, pool in rebuilt.pools.items():
        assert len(pool) == len(rebuilt.cited[docno]) + 7 * N
        assert {entry.docno for entry in pool if entry.drawer == CITED} == rebuilt.cited[docno]
        drawers = Counter(entry.drawer for entry in pool if entry.drawer != CITED)
        assert drawers == dict.fromkeys(SEVEN, N)


def test_the_27_pools_that_were_drawn_with_twelve_have_the_released_sizes(rebuilt, pools):
    theirs = {docno: len(set(pool["cands"]) - {docno}) for docno, pool in pools.items()}
    more = Counter(theirs[docno] - len(pool) for docno, pool in rebuilt.pools.items())
    assert more == {0: 27, 7 * (33 - N): 7}


def test_the_cited_come_first_and_the_retrievers_one_after_another(rebuilt):
    for docno, pool in rebuilt.pools.items():
        assert [name for name, _ in groupby(entry.drawer for entry in pool)] == [
            CITED,
            *rebuilt.order[docno],
        ]
    assert len({tuple(order) for order in rebuilt.order.values()}) > 7


def test_nothing_is_pooled_twice_and_no_query_paper_for_itself(rebuilt):
    for docno, pool in rebuilt.pools.items():
        docnos = [entry.docno for entry in pool]
        assert len(set(docnos)) == len(docnos)
        assert docno not in docnos


def test_every_drawn_document_stands_at_its_rank_in_the_list_of_its_drawer(rebuilt):
    for docno, pool in rebuilt.pools.items():
        for entry in pool:
            if entry.drawer == CITED:
                assert entry.rank is None
            else:
                assert rebuilt.lists[entry.drawer, docno][entry.rank - 1] == entry.docno


def test_a_retriever_passes_over_only_what_was_pooled_before_it_drew(rebuilt):
    for docno, pool in rebuilt.pools.items():
        place = {entry.docno: number for number, entry in enumerate(pool)}
        for name in SEVEN:
            drawn = [entry for entry in pool if entry.drawer == name]
            ranking = rebuilt.lists[name, docno]
            assert [entry.rank for entry in drawn] == sorted(entry.rank for entry in drawn)
            passed = set(ranking[: drawn[-1].rank]) - {entry.docno for entry in drawn}
            assert all(place[other] < place[drawn[0].docno] for other in passed)


def test_the_predicted_judged_share_is_that_of_pools_drawn_by_hand(rebuilt):
    """Cited papers, then each other retriever in the order of the pool takes its next twelve."""
    predicted = rebuilt.estimate.reusability
    papers = [pool.query_paper for pool in rebuilt.estimate.pools]
    assert len(papers) == 20

    def judged(left_out, source):
        shares = []
        for paper in papers:
            pool = set(rebuilt.cited[paper])
            for name in rebuilt.order[paper]:
                new = [docno for docno in rebuilt.lists[name, paper] if docno not in pool]
                pool.update(new[:N] if name not in left_out else ())
            first = rebuilt.lists[source, paper][:20]
            shares.append(sum(docno in pool for docno in first) / len(first))
        return mean(shares)

    alone = {name: judged({name}, name) for name in SEVEN}
    assert predicted.by_source.value == pytest.approx(mean(alone.values()))
    assert predicted.by_source.lowest == pytest.approx(min(alone.items(), key=itemgetter(1)))
    words = {name for name in SEVEN if "cbow" not in name}
    families = [words, set(SEVEN) - words]
    together = mean(mean(judged(family, name) for name in family) for family in families)
    assert predicted.by_family.value == pytest.approx(together)
    assert predicted.by_source.low < predicted.by_source.value < predicted.by_source.high
    assert together < predicted.by_source.value

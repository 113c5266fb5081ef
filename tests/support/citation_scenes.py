"""Collections whose pools have known positives, so that citations can be their labels."""

from __future__ import annotations

from collections.abc import Sequence

from accounts.models import Collection
from corpus.facets import DEFAULT_FACETS, FacetPlan
from corpus.services import create_query
from pooling.services import freeze_pools
from tests.support.datasheets import answer_datasheet
from tests.support.factories import DocumentFactory, a_collection
from tests.support.pooling_scenes import a_listed_run, built

# Query paper: its field, and what it cites.
PAPERS = {
    "q1": ("Biology", ["d01", "d02", "d03", "elsewhere"]),
    "q2": ("Physics", ["d04", "d05"]),
    "q3": ("Physics", ["d01", "d06"]),
}
DOCNOS = [f"d{number:02}" for number in range(1, 31)]
MODELS = ("bm25", "scincl", "specter")
OTHERS = ("graph", "most_cited", "random")


def a_corpus_with_citations(
    *,
    facets: Sequence[str] = ("method",),
    plans: Sequence[FacetPlan] = DEFAULT_FACETS,
    **settings,
) -> Collection:
    """Thirty documents and three query papers of two fields, each with a query for every facet.

    `plans` are the facets of the collection, and `facets` the keys of those with queries.
    """
    collection = a_collection(**{"licence": "CC-BY-4.0", "facets": plans, **settings})
    for docno in DOCNOS:
        DocumentFactory(collection=collection, docno=docno, fields=["Mathematics"])
    for paper, (field, references) in PAPERS.items():
        DocumentFactory(
            collection=collection, docno=paper, fields=[field, "Other"], references=references
        )
        for facet in facets:
            create_query(collection=collection, docno=paper, facet_key=facet)
    return answer_datasheet(collection)


def an_mdcr_collection(**settings) -> Collection:
    """MDCR's pools in small: two sampled positives, and two documents of each of six runs."""
    collection = a_corpus_with_citations(**settings)
    for number, name in enumerate((*MODELS, *OTHERS)):
        rotated = DOCNOS[5 * number :] + DOCNOS[: 5 * number]
        a_listed_run(collection, name, dict.fromkeys(PAPERS, rotated))
    positives = {paper: references[:2] for paper, (_, references) in PAPERS.items()}
    a_listed_run(collection, "sampled", positives)
    built(
        collection,
        strategy="mdcr",
        parameters={"n": 2, "top": 8},
        runs=(*MODELS, *OTHERS),
        forced=("sampled",),
        excluded=("cited",),
    )
    freeze_pools(collection=collection)
    return collection


def a_forced_collection(*, without_text: Sequence[str] = (), **settings) -> Collection:
    """Pools of all cited papers and of three documents from each of two runs; not frozen yet."""
    collection = a_corpus_with_citations(**settings)
    collection.documents.filter(docno__in=without_text).update(title="", sentences=[], labels=[])
    for name, docnos in (("up", DOCNOS), ("down", DOCNOS[::-1])):
        a_listed_run(collection, name, dict.fromkeys(PAPERS, docnos))
    built(collection)
    return collection

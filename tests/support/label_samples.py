"""Collections with a sample of their citation labels, and people who judge it."""

from __future__ import annotations

from collections.abc import Callable

from accounts.models import Collection, Role
from annotation.services import open_query
from release.label_samples.models import LabelSample
from release.label_samples.services import sample_labels
from tests.support.citation_scenes import an_mdcr_collection
from tests.support.factories import a_collection, a_query, annotators, member
from tests.support.release_scenes import judge_all

Grades = Callable[[str, str], tuple[int | None, int | None]]


def a_sampled_collection(pairs: int = 30, **settings) -> LabelSample:
    """MDCR's pools in small with 42 labels, of which `pairs` are drawn. No query is open."""
    collection = an_mdcr_collection(**settings)
    return sample_labels(
        collection=collection, slug=f"{collection.slug}-sample", pairs=pairs, facet="method"
    )


def opened(collection: Collection) -> None:
    for name in ("ann1", "ann2"):
        member(collection, Role.ANNOTATOR, name)
    for query in collection.queries.order_by("name"):
        open_query(query=query, annotators=annotators(collection), opened_by=None)


def judged(sample: LabelSample, grades: Grades) -> LabelSample:
    """The sample with both judgments of each pair."""
    collection = sample.collection
    opened(collection)
    member(collection, Role.ADJUDICATOR, "adju")
    rows = collection.queries.values_list("name", "query_paper__pool__candidates__document__docno")
    judge_all(collection, {pair: grades(*pair) for pair in rows})
    return sample


def cited_is_half_right(query: str, docno: str) -> tuple[int, int]:
    """Both judges give 2 to documents with an even number, and 1 to the others."""
    grade = 2 if int(docno[1:]) % 2 == 0 else 1
    return grade, grade


def a_row_of_a_sample(origin: Collection) -> LabelSample:
    """A sample of one pair, which is judged, in a collection with this pair only."""
    collection = a_collection("sampled")
    query = a_query(collection, size=1)
    sample = LabelSample.objects.create(
        collection=collection, origin=origin, facet="method", seed=origin.seed
    )
    stratum = sample.strata.create(field="Biology", type="true", label=1, population=2, sampled=1)
    candidate = query.query_paper.pool.candidates.get()
    stratum.sampled_labels.create(query=query, candidate=candidate)
    opened(collection)
    judge_all(collection, {(query.name, candidate.document.docno): (2, 2)})
    return sample

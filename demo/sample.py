"""The sample data: made-up abstracts with queries and pools, for a new or an empty collection."""

from __future__ import annotations

import json
from pathlib import Path

from django.db import transaction

from accounts.models import JUDGES, Collection, User
from annotation.models import Opening
from annotation.services import open_queries, set_up_collection
from corpus.documents.importing import import_documents
from corpus.facets import SAMPLE_FACETS
from corpus.services import create_query
from demo.datasheet import answer_datasheet
from jobs.context import JobContext, JobResult, StepContext
from jobs.models import Job
from jobs.services import enqueue
from pooling.models import Pool
from pooling.services import PoolPlan, build_pools, freeze_pools
from web.errors import UserFacingError
from web.words import count_noun

DATA = Path(__file__).parent / "data"
DOCUMENTS = DATA / "documents.jsonl"
PLAN = PoolPlan.take(4, depth=50)
SLUG = "sample"
JOB_KIND = "load_sample"
STEPS = 4


class NotEmpty(UserFacingError):
    status = 409

    def __init__(self, collection: Collection) -> None:
        super().__init__(
            f"{collection.name} has documents of its own or open queries, so the sample data was "
            "not added. Create a new collection for the sample data."
        )


class OtherFacets(UserFacingError):
    status = 409

    def __init__(self, collection: Collection) -> None:
        super().__init__(
            f"{collection.name} does not have the facets background, method and result of the "
            "sample data, so it was not added. Create a new collection for the sample data."
        )


def create_sample_collection(*, owner: User) -> Job:
    """Create a collection and queue the job that fills it with the sample data: both or neither."""
    with transaction.atomic():
        collection = set_up_collection(
            slug=_free_slug(),
            name="Sample",
            licence="CC0-1.0",
            corpus_licence="CC0-1.0",
            description="Abstracts invented for Qrelsmith, to try it out. No research data.",
            owner=owner,
        )
        answer_datasheet(collection)
        return request_sample(collection=collection, requested_by=owner)


def _free_slug() -> str:
    slugs = set(Collection.objects.filter(slug__startswith=SLUG).values_list("slug", flat=True))
    numbered = (f"{SLUG}-{number}" for number in range(2, len(slugs) + 3))
    return next(slug for slug in (SLUG, *numbered) if slug not in slugs)


def request_sample(*, collection: Collection, requested_by: User | None) -> Job:
    """Queue the job that fills the collection with the sample data.

    Raises:
        NotEmpty: the collection has other documents, or an open query.
        OtherFacets: the collection lacks a facet of the sample.
    """
    check_empty(collection)
    return enqueue(kind=JOB_KIND, collection=collection, parameters={}, requested_by=requested_by)


def check_empty(collection: Collection) -> None:
    """Raise NotEmpty unless all documents are of the sample and no query is open.

    Raise OtherFacets unless the collection has the facets of the sample's queries.

    The documents of the sample are allowed, so that a job that was stopped can be continued.
    """
    others = collection.documents.exclude(docno__in=sample_docnos())
    if Opening.objects.of(collection).exists() or others.exists():
        raise NotEmpty(collection)
    if collection.facets.filter(key__in=SAMPLE_FACETS).count() < len(SAMPLE_FACETS):
        raise OtherFacets(collection)


def sample_docnos() -> list[str]:
    with DOCUMENTS.open() as lines:
        return [json.loads(line)["docno"] for line in lines]


def load_sample(*, collection: Collection, loaded_by: User | None, work: JobContext) -> JobResult:
    """Fill the collection with documents, queries and frozen pools, and open the queries.

    Each step has its own transaction, and does nothing if it is done already. So a job that another
    worker takes over continues where the first one stopped.

    Raises:
        NotEmpty: the collection has other documents, or an open query.
        OtherFacets: the collection lacks a facet of the sample.
    """
    check_empty(collection)
    work.progress(0, STEPS, "importing documents")
    import_documents(collection=collection, path=DOCUMENTS, work=StepContext(work))
    work.progress(1, STEPS, "adding queries")
    with work.fenced():
        add_sample_queries(collection)
    work.progress(2, STEPS, "building pools")
    papers = {query["docno"] for query in _queries()}
    if Pool.objects.frozen().filter(query_paper__collection=collection).count() < len(papers):
        build_pools(collection=collection, plan=PLAN, work=StepContext(work), built_by=loaded_by)
    work.progress(3, STEPS, "opening queries")
    with work.fenced():
        freeze_pools(collection=collection)
        result = {**_sizes(collection), **_open_for_two(collection, loaded_by)}
        work.complete(result)
    return result


def _queries() -> list[dict[str, str]]:
    queries: list[dict[str, str]] = json.loads((DATA / "queries.json").read_text())
    return queries


def add_sample_queries(collection: Collection) -> None:
    """Make papers of the sample queries; existing queries stay."""
    for query in _queries():
        create_query(collection=collection, docno=query["docno"], facet_key=query["facet"])


def _sizes(collection: Collection) -> JobResult:
    return {
        "documents": collection.documents.count(),
        "queries": collection.queries.count(),
        "pools": Pool.objects.filter(query_paper__collection=collection).count(),
    }


def _open_for_two(collection: Collection, opened_by: User | None) -> JobResult:
    """Open the queries for the first two annotators, or say how many are missing."""
    annotators = User.objects.filter(
        memberships__collection=collection, memberships__role__in=JUDGES, is_active=True
    ).order_by("username")[:2]
    if len(annotators) < 2:
        missing = count_noun(2 - len(annotators), "annotator")
        return {"opened": 0, "next": f"Add {missing} on the page People, then open the queries."}
    opened = open_queries(
        queries=list(collection.queries.all()),
        annotators=(annotators[0], annotators[1]),
        opened_by=opened_by,
    )
    return {"opened": len(opened), "next": "The annotators can begin to judge."}

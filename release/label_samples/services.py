"""Draw a sample of the citation labels, and make the collection in which people judge it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import TypeVar

from django.db.models import Model

from accounts.locking import lock_collection
from accounts.models import Collection, Role, User
from accounts.services import add_membership
from annotation.services import set_up_collection
from corpus.facets import FacetPlan
from corpus.models import Document, Facet, Query, QueryPaper, Topic
from corpus.services import check_slug, note_documents_changed
from database.bulk import insert_rows
from database.consistent_reads import batched, consistent_read
from jobs.context import DirectRun, JobContext
from jobs.models import Job
from jobs.services import enqueue
from pooling.models import Candidate
from pooling.services import freeze_pools
from pooling.services.imported import create_imported_pools
from release.label_samples.choice import DrawnLabels, LabelSampleError, by_stratum, draw_pairs
from release.label_samples.models import LabelSample, LabelStratum, SampledLabel
from release.label_samples.population import labelled_candidates

JOB_KIND = "sample_labels"
PAIRS = 400
MOST_PAIRS = 20_000  # a sample is written in one transaction
SOURCE = "sample"  # the only source of its candidates, so that no page of it tells their types
LOOKUP = 5_000  # docnos in a query, which both databases take
TOGETHER = 500
Row = TypeVar("Row", bound=Model)


class SampleInProgress(LabelSampleError):
    """Another sample of the collection is being drawn."""

    status = 409

    def __init__(self) -> None:
        super().__init__("Another sample is being drawn. Wait until that job is done.")


def facet_of_sample(collection: Collection, key: str) -> Facet:
    """The facet with the key, or the only one. Raises LabelSampleError."""
    facets = {facet.key: facet for facet in collection.facets.all()}
    if not key and len(facets) == 1:
        (facet,) = facets.values()
        return facet
    if key not in facets:
        raise LabelSampleError(
            f"Choose the facet that people judge: {', '.join(facets)}. Its labels are those of all "
            "facets, and their errors are not."
        )
    return facets[key]


def preview_sample(
    *, collection: Collection, slug: str, pairs: int, facet: str = "", work: JobContext
) -> DrawnLabels:
    """The sample that would be drawn under this short name. Writes nothing.

    Raises:
        LabelSampleError: there are no labels, or too few or too many pairs are wanted.
        CorpusError: the short name is invalid.
    """
    _check(slug, pairs)
    work.progress(0, None, "reading the labels")
    with consistent_read():
        return _draw(facet_of_sample(collection, facet), slug, pairs, work)


def request_sample(
    *, collection: Collection, slug: str, pairs: int, facet: str, requested_by: User
) -> Job:
    """Queue the job. Raises SampleInProgress, and what can be found at once of the errors below."""
    _check(slug, pairs)
    parameters = {"slug": slug, "pairs": pairs, "facet": facet_of_sample(collection, facet).key}
    job = enqueue(
        kind=JOB_KIND, collection=collection, parameters=parameters, requested_by=requested_by
    )
    if job.parameters != parameters:
        raise SampleInProgress
    return job


def sample_labels(
    *,
    collection: Collection,
    slug: str,
    pairs: int,
    facet: str = "",
    created_by: User | None = None,
    work: JobContext | None = None,
) -> LabelSample:
    """Draw the pairs, and make the collection `slug`, whose frozen pools hold exactly these.

    It has the texts of the drawn documents without their references, and the facet with its newest
    guideline. `created_by` becomes its admin. It is made in one transaction.

    Raises:
        LabelSampleError: there are no labels, or too few or too many pairs are wanted.
        CorpusError: the short name is invalid or in use.
    """
    work = work or DirectRun()
    drawn = preview_sample(collection=collection, slug=slug, pairs=pairs, facet=facet, work=work)
    with work.fenced():
        origin = lock_collection(collection)
        of_origin = facet_of_sample(origin, facet)
        made = _create_collection(origin, of_origin, slug)
        if created_by is not None:
            add_membership(collection=made, user=created_by, role=Role.ADMIN)
        originals = _queries_of(origin, {query for query, _ in _pairs(drawn)})
        papers = (query.query_paper.document for query in originals)
        docnos = {paper.docno for paper in papers if paper is not None}
        docnos.update(docno for _, docno in _pairs(drawn))
        documents = _copy_documents(origin, made, docnos)
        queries = _copy_queries(made, originals, documents)
        candidates = _create_pools(made, queries, documents, drawn, created_by)
        sample = LabelSample.objects.create(
            collection=made,
            origin=origin,
            facet=of_origin.key,
            seed=origin.seed,
            created_by=created_by,
        )
        _create_rows(sample, drawn, queries, documents, candidates)
        work.complete({"slug": slug, "pairs": drawn.size, "strata": len(drawn.strata)})
    return sample


def _check(slug: str, pairs: int) -> None:
    check_slug(slug)
    if pairs > MOST_PAIRS:
        raise LabelSampleError(
            f"{pairs:,} pairs are too many: a sample has at most {MOST_PAIRS:,}. A thousand pairs "
            "take two judges about four hours each."
        )
    if Collection.objects.filter(slug=slug).exists():
        raise LabelSampleError(f"The short name {slug!r} exists already. Choose another one.")


def _draw(facet: Facet, slug: str, pairs: int, work: JobContext) -> DrawnLabels:
    return draw_pairs(
        by_stratum(labelled_candidates(facet, work)),
        size=pairs,
        seed=facet.collection.seed,
        name=slug,
    )


def _pairs(drawn: DrawnLabels) -> Iterable[tuple[str, str]]:
    return (pair for pairs in drawn.pairs.values() for pair in pairs)


def _create_collection(origin: Collection, facet: Facet, slug: str) -> Collection:
    newest = facet.guidelines.first()
    guidelines = (
        {facet.key: {"instructions": newest.instructions, "grades": newest.grades}}
        if newest is not None
        else None
    )
    made = set_up_collection(
        slug=slug,
        name=f"{origin.name}: a sample of its citation labels",
        description=f"Judgments of a random sample of the citation labels of {origin.name}.",
        licence=origin.licence,
        corpus_licence=origin.corpus_licence,
        seed=slug,
        analysis=origin.analysis,
        facets=[FacetPlan(facet.key, facet.name, tuple(facet.labels))],
        guidelines=guidelines,  # type: ignore[arg-type]  # a row holds the text as JSON
        highest_grade=origin.highest_grade,
        relevant_from=origin.relevant_from,
    )
    made.seconds_per_judgment = origin.seconds_per_judgment
    made.save(update_fields=["seconds_per_judgment"])
    return made


def _queries_of(origin: Collection, names: Iterable[str]) -> list[Query]:
    """The queries of the origin, with their papers and topics."""
    queries: list[Query] = []
    for some in batched(sorted(names), LOOKUP):
        rows = origin.queries.filter(name__in=some).order_by("name")
        queries += rows.select_related("query_paper__document", "query_paper__topic")
    return queries


def _copied(row: Row, **changes: object) -> Row:
    """A new row with the same values but for these changes."""
    values = {
        field.attname: getattr(row, field.attname)
        for field in row._meta.concrete_fields
        if not field.primary_key
    }
    return type(row)(**{**values, **changes})


def _copy_documents(
    origin: Collection, made: Collection, docnos: Iterable[str]
) -> dict[str, Document]:
    """The copies by docno, without references, which would show what is cited."""
    copies: dict[str, Document] = {}
    for some in batched(sorted(docnos), TOGETHER):
        rows = Document.objects.bulk_create(
            _copied(row, collection_id=made.pk, references=[])
            for row in origin.documents.filter(docno__in=some)
        )
        copies |= {row.docno: row for row in rows}
    note_documents_changed(made)
    return copies


def _copy_queries(
    made: Collection, queries: Iterable[Query], documents: Mapping[str, Document]
) -> dict[str, Query]:
    """The copies by name, with their query papers and topics."""
    (facet,) = made.facets.all()
    originals = {query.query_paper_id: query.query_paper for query in queries}
    topics = {
        topic.name: topic
        for topic in Topic.objects.bulk_create(
            _copied(paper.topic, collection_id=made.pk)
            for paper in originals.values()
            if paper.topic is not None
        )
    }
    papers = QueryPaper.objects.bulk_create(
        _copied(
            paper,
            collection_id=made.pk,
            document_id=paper.document and documents[paper.document.docno].pk,
            topic_id=paper.topic and topics[paper.topic.name].pk,
        )
        for paper in originals.values()
    )
    paper_of = dict(zip(originals, papers, strict=True))
    rows = Query.objects.bulk_create(
        _copied(
            query,
            collection_id=made.pk,
            facet_id=facet.pk,
            query_paper_id=paper_of[query.query_paper_id].pk,
        )
        for query in queries
    )
    return {row.name: row for row in rows}


def _create_pools(
    made: Collection,
    queries: Mapping[str, Query],
    documents: Mapping[str, Document],
    drawn: DrawnLabels,
    built_by: User | None,
) -> dict[tuple[int, int], int]:
    """Frozen pools of the drawn documents, by docno. The candidates by query paper and document."""
    pooled: dict[int, set[str]] = defaultdict(set)
    for query, docno in _pairs(drawn):
        pooled[queries[query].query_paper_id].add(docno)
    text = "".join(f"{query}\t{docno}\n" for query, docno in sorted(_pairs(drawn)))
    create_imported_pools(
        collection=made,
        documents={
            paper: {documents[docno].pk: SOURCE for docno in sorted(pooled[paper.pk])}
            for paper in made.query_papers.order_by("name")
        },
        files={SOURCE: sha256(text.encode()).hexdigest()},
        built_by=built_by,
    )
    freeze_pools(collection=made)
    candidates = Candidate.objects.filter(pool__query_paper__collection=made).order_by()
    return {
        (paper, document): pk
        for paper, document, pk in candidates.values_list(
            "pool__query_paper_id", "document_id", "pk"
        )
    }


def _create_rows(
    sample: LabelSample,
    drawn: DrawnLabels,
    queries: Mapping[str, Query],
    documents: Mapping[str, Document],
    candidates: Mapping[tuple[int, int], int],
) -> None:
    strata = LabelStratum.objects.bulk_create(
        LabelStratum(sample=sample, **stratum._asdict()) for stratum in drawn.strata
    )
    insert_rows(
        SampledLabel,
        ("stratum", "query", "candidate"),
        (
            (
                row.pk,
                queries[query].pk,
                candidates[queries[query].query_paper_id, documents[docno].pk],
            )
            for row, stratum in zip(strata, drawn.strata, strict=True)
            for query, docno in drawn.pairs[stratum]
        ),
    )

"""Import guidelines, query papers, topics, queries and imported folds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import TypeVar

from annotation.guidelines.defaults import default_guideline
from annotation.models import Guideline
from annotation.services import write_guideline
from bundle.interchange import FoldSettings, InterchangedPaper, InterchangedQuery, InterchangedTopic
from bundle.names import GUIDELINES, QUERY_PAPERS, SETTINGS, SPLITS
from bundle.reading.collection_files import read_guidelines, read_query_papers
from bundle.reading.opened import BundleError
from corpus.digests import topic_digest
from corpus.models import Facet, Query, QueryPaper, Topic
from corpus.topics.queries import BadAspectNames, check_aspect_names
from release.importing.context import ReleaseImportContext
from scoring.models import Fold, FoldPlan

TOGETHER = 200  # query papers
Item = TypeVar("Item")


def import_guidelines(context: ReleaseImportContext) -> None:
    """Import the versions of the release. A facet without any gets the default guideline."""
    facets = {facet.key: facet for facet in context.collection.facets.all()}
    rows = read_guidelines(context.bundle)
    for row in rows:
        if row.facet not in facets:
            raise BundleError(GUIDELINES, None, f"The facet {row.facet!r} is unknown.")
        described = [grade.get("grade") for grade in row.grades if isinstance(grade, dict)]
        if described != list(context.collection.grades):
            raise BundleError(
                GUIDELINES,
                None,
                f"Version {row.version} of {row.facet!r} does not describe the scale's grades.",
            )
    with context.part():
        Guideline.objects.bulk_create(
            Guideline(
                facet=facets[row.facet],
                version=row.version,
                instructions=row.instructions,
                grades=list(row.grades),
            )
            for row in rows
        )
        for key in facets.keys() - {row.facet for row in rows}:
            text = default_guideline(facets[key], context.collection.highest_grade)
            write_guideline(facet=facets[key], **text)


def import_queries(context: ReleaseImportContext, folds: FoldSettings | None) -> None:
    """Import query papers with their queries. The context gets the papers and what is open."""
    facets = {facet.key: facet for facet in context.collection.facets.all()}
    papers = read_query_papers(context.bundle)
    for some in iter(lambda: list(islice(papers, TOGETHER)), []):
        with context.part():
            made = _create_papers(context, some)
            queries = [
                (query, _query(context, made[paper.name], query, facets))
                for paper in some
                for query in paper.queries
            ]
            Query.objects.bulk_create(row for _, row in queries)
            Fold.objects.bulk_create(
                Fold(query=row, number=query.fold)
                for query, row in queries
                if query.fold is not None
            )
        context.papers |= made
        context.opened |= {
            query.name: (query, row) for query, row in queries if query.guideline is not None
        }
        context.report.queries += len(queries)
    context.report.query_papers = len(context.papers)
    with context.part():
        _plan_folds(context, folds)


def _plan_folds(context: ReleaseImportContext, settings: FoldSettings | None) -> None:
    """Keep where the folds are from. A release without this has imported folds, or none of them."""
    folds = Fold.objects.filter(query__collection=context.collection)
    if settings is None:
        settings = FoldSettings(SPLITS, 0) if folds.exists() else None
    elif bool(settings.imported_from) != folds.exists():
        origin = f"imported from {settings.imported_from}" if settings.imported_from else "made"
        others = "none" if settings.imported_from else "imported ones"
        reason = f'"folds" says that they are {origin}, and {QUERY_PAPERS} has {others}.'
        raise BundleError(SETTINGS, None, reason)
    if settings is not None:
        FoldPlan.objects.create(
            collection=context.collection,
            imported_from=settings.imported_from,
            made=settings.made,
        )


def _create_papers(
    context: ReleaseImportContext, papers: Sequence[InterchangedPaper]
) -> dict[str, QueryPaper]:
    topics = {topic.name: topic for topic in Topic.objects.bulk_create(_topics(context, papers))}
    names = [paper.name for paper in papers if paper.topic is None]
    documents = {
        document.docno: document
        for document in context.collection.documents.filter(docno__in=names)
    }
    rows = QueryPaper.objects.bulk_create(
        QueryPaper(
            collection=context.collection,
            name=paper.name,
            document=None if paper.topic else documents[paper.name],
            topic=topics.get(paper.name),
            metadata=dict(paper.metadata),
        )
        for paper in papers
    )
    return {row.name: row for row in rows}


def _topics(context: ReleaseImportContext, papers: Sequence[InterchangedPaper]) -> Iterator[Topic]:
    for paper in papers:
        if paper.topic is not None:
            yield _topic(context, paper.name, paper.topic)


def _topic(context: ReleaseImportContext, name: str, topic: InterchangedTopic) -> Topic:
    return Topic(
        collection=context.collection,
        name=name,
        title=topic.title,
        description=topic.description,
        narrative=topic.narrative,
        sentences=list(topic.sentences),
        narrative_is_shown=topic.narrative_is_shown,
        digest=topic_digest(topic.title, topic.description, topic.narrative),
    )


def _query(
    context: ReleaseImportContext,
    paper: QueryPaper,
    query: InterchangedQuery,
    facets: Mapping[str, Facet],
) -> Query:
    facet = facets.get(query.facet)
    if facet is None:
        raise BundleError(
            QUERY_PAPERS, None, f"The facet {query.facet!r} of {query.name} is unknown."
        )
    whole = facet.query_name(paper.name)
    is_named = query.name.startswith(f"{whole}-") if query.sentences else query.name == whole
    if not is_named:
        raise BundleError(
            QUERY_PAPERS,
            None,
            f"The query {query.name} of {paper.name} should be {whole}"
            f"{', a hyphen and a word' if query.sentences else ''}.",
        )
    return Query(
        collection=context.collection,
        query_paper=paper,
        facet=facet,
        name=query.name,
        sentence_numbers=list(query.sentences) or None,
        aspect_names=_aspect_names(query),
    )


def _aspect_names(query: InterchangedQuery) -> list[str]:
    try:
        check_aspect_names(query.aspects)
    except BadAspectNames as error:
        raise BundleError(QUERY_PAPERS, None, f"{query.name}: {error}") from error
    return list(query.aspects)

"""The data that only another server needs, to make the collection again."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping
from operator import attrgetter
from typing import Any

from django.db.models import OuterRef, Subquery

from accounts.models import Collection
from adjudication.models import Recipient, Referral
from adjudication.standing import LabelledPair, Standing
from annotation.models import Pair
from bundle.interchange import (
    FoldSettings,
    Interchange,
    InterchangedPaper,
    InterchangedQuery,
    InterchangedTopic,
    ReferredPair,
)
from bundle.options import LabelSource, ReleaseOptions
from bundle.records import Records
from corpus.models import Query, QueryPaper, Topic
from database.consistent_reads import READ_TOGETHER, batched
from pooling.models import PoolBuild
from release.snapshot.collection import released_guidelines
from release.snapshot.documents import unpooled_documents
from release.snapshot.pools import sampled_builds
from retrieval.models import Ranking, Run
from scoring.models import FoldPlan


def interchange(
    collection: Collection, options: ReleaseOptions, pairs: Records[LabelledPair]
) -> Interchange:
    """Read it. A release of citations has no judgments, so it has no openings either."""
    return Interchange(
        highest_grade=collection.highest_grade,
        relevant_from=collection.relevant_from,
        analysis=collection.analysis,
        seconds_per_judgment=collection.seconds_per_judgment,
        agreement_rule=collection.agreement_rule,
        agreement_threshold=collection.agreement_threshold,
        judging_rules=collection.judging_rules,
        # The next query is opened under the latest.
        guidelines=released_guidelines(collection, latest_too=True),
        retired_runs=_retired_runs(collection),
        folds=_folds(collection),
        query_papers=tuple(_query_papers(collection, options, pairs)),
        other_documents=unpooled_documents(collection, _sampled_from(collection), options.texts),
    )


def _retired_runs(collection: Collection) -> tuple[tuple[str, str], ...]:
    rows = Run.with_retired.filter(collection=collection, retired_at__isnull=False)
    return tuple(sorted(set(rows.order_by().values_list("name", "sha256"))))


def _folds(collection: Collection) -> FoldSettings | None:
    plan = FoldPlan.objects.filter(collection=collection).first()
    return None if plan is None else FoldSettings(plan.imported_from, plan.made)


def _query_papers(
    collection: Collection, options: ReleaseOptions, pairs: Records[LabelledPair]
) -> Iterator[InterchangedPaper]:
    """By name, with the queries of each by name."""
    is_judged = options.labels is LabelSource.JUDGED
    unjudged: dict[str, list[str]] = defaultdict(list)
    if is_judged:
        for pair in pairs:
            if pair.standing is Standing.UNJUDGED:
                unjudged[pair.query].append(pair.docno)
    referred = _referred(collection) if is_judged else {}
    papers = collection.query_papers.order_by().values_list("name", "pk")
    for some in batched([pk for _, pk in sorted(papers)], READ_TOGETHER):
        queries: dict[int, list[InterchangedQuery]] = defaultdict(list)
        for query in (
            Query.objects.filter(query_paper__in=some)
            .select_related("facet", "opening__guideline", "fold")
            .order_by()
        ):
            record = _query(query, unjudged.get(query.name, ()), is_judged=is_judged)
            record = record._replace(referred=tuple(sorted(referred.get(query.name, ()))))
            queries[query.query_paper_id].append(record)
        rows = QueryPaper.objects.filter(pk__in=some).with_source().order_by()
        for paper in sorted(rows, key=attrgetter("name")):
            yield InterchangedPaper(
                name=paper.name,
                topic=_topic(paper.topic),
                metadata=_metadata(paper, with_texts=options.texts.included),
                queries=tuple(sorted(queries[paper.pk])),
            )


def _referred(collection: Collection) -> dict[str, list[ReferredPair]]:
    """By query id, the pairs that an admin sent to the adjudicator, with the last reason."""
    last = Referral.objects.filter(pair=OuterRef("pk"), recipient=Recipient.ADJUDICATOR)
    rows = (
        Pair.objects.referred()
        .of(collection)
        .order_by()
        .annotate(reason=Subquery(last.order_by("-pk").values("reason")[:1]))
        .values_list("query__name", "candidate__document__docno", "reason")
    )
    found: dict[str, list[ReferredPair]] = defaultdict(list)
    for query, docno, reason in rows:
        found[query].append(ReferredPair(docno, reason))
    return found


def _query(query: Query, unjudged: Any, *, is_judged: bool) -> InterchangedQuery:
    opening = getattr(query, "opening", None) if is_judged else None
    fold = getattr(query, "fold", None)
    return InterchangedQuery(
        name=query.name,
        facet=query.facet.key,
        sentences=tuple(query.sentence_numbers or ()),
        fold=fold.number if fold else None,
        guideline=opening.guideline.version if opening else None,
        labels_unchecked=opening.labels_unchecked if opening else None,
        unjudged=tuple(unjudged),
        aspects=tuple(query.aspect_names),
    )


def _topic(topic: Topic | None) -> InterchangedTopic | None:
    if topic is None:
        return None
    return InterchangedTopic(
        title=topic.title,
        description=topic.description,
        narrative=topic.narrative,
        sentences=tuple(topic.sentences),
        narrative_is_shown=topic.narrative_is_shown,
    )


def _metadata(paper: QueryPaper, *, with_texts: bool) -> Mapping[str, Any]:
    """A release without texts has no title of a query paper, which metadata may repeat."""
    metadata: Mapping[str, Any] = paper.metadata
    if with_texts or paper.document is None:
        return metadata
    title = paper.document.title.casefold()
    return {
        key: value
        for key, value in metadata.items()
        if key != "title" and not (title and title in str(value).casefold())
    }


def _sampled_from(collection: Collection) -> set[str]:
    """The documents that sampled pools can have been drawn from: their lists and citations.

    Without them, the deep pool behind a sample could not be computed from the imported runs.
    """
    docnos: set[str] = set()
    for build in PoolBuild.objects.filter(pk__in=sampled_builds(collection)).only("pk"):
        papers = QueryPaper.objects.filter(
            collection=collection, pool__build=build, pool__frozen_at__isnull=False
        )
        lists = Ranking.objects.filter(
            run__in=build.build_runs.values("run"), query_paper__in=papers.values("pk")
        )
        for found in lists.order_by().values_list("docnos", flat=True).iterator(READ_TOGETHER):
            docnos.update(found)
        for paper in papers.select_related("document").order_by():
            docnos.update(paper.references)
    return docnos

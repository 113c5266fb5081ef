"""Everything a release is made of, read at one moment and turned into values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from operator import attrgetter, itemgetter

from django.db.models import BooleanField, ExpressionWrapper, F, Q, Sum

from accounts.models import Collection
from adjudication.labels import LabelledPair, Standing, labelled_pairs
from adjudication.models import Case, Decision
from annotation.models import Guideline, Pair, SlotCount
from annotation.stale_presentations import pairs_shown_otherwise
from corpus.import_history import steps_of
from corpus.query_facts import facts_of
from evaluation.pool_bias.services import current_paragraph
from pooling.models import Candidate, Contribution, Pool, PoolBuild
from pooling.strategies import STRATEGIES
from rebuilding.samples import SampledPool, SampleLost, sampled_pools
from release.consistent_reads import batched, consistent_read
from release.errors import ReleaseError
from release.pseudonyms import pseudonyms
from release.records import (
    Adjudication,
    PooledDocument,
    Rating,
    Records,
    ReleasedBuild,
    ReleasedCollection,
    ReleasedCorpusImport,
    ReleasedFacet,
    ReleasedGuideline,
    ReleasedImport,
    ReleasedQuery,
    ReleasedRun,
    ReleasedStep,
    ReleasedTopic,
    RunLines,
    Snapshot,
    Source,
    names_differ,
)
from release.run_files import file_names
from release.stored_records import Row, StoredRecords
from retrieval.models import Run
from retrieval.services import names_by_paper, run_lines
from retrieval.services.run_files import QueryNames

READ_TOGETHER = 40  # queries or pools, a few thousand pairs or candidates


def take_snapshot(collection: Collection) -> Snapshot:
    """Read the collection as it is at one moment, while others go on judging.

    Raises:
        ReleaseError: the runs no longer give what sampled pools were drawn from.
        OSError: the release folder, which takes the many records, is full or cannot be written.
    """
    with consistent_read():
        collection = Collection.objects.get(pk=collection.pk)
        queries = _queries_by_name(collection)
        pairs = StoredRecords(_pairs(collection, queries), _as_pair)
        builds = _builds(collection)
        runs = _runs(collection, builds)
        released, released_queries = _collection(collection), _queries(collection)
        imports = _judgment_imports(collection)
        return Snapshot(
            collection=released,
            queries=released_queries,
            topics=_topics(collection),
            pairs=pairs,
            ratings=_ratings(collection, queries),
            adjudications=_adjudications(collection, queries),
            pools=StoredRecords(_pools(collection), _as_pooled),
            builds=builds,
            runs=runs,
            guidelines=_guidelines(collection),
            samples=_samples(collection, pairs),
            run_lines={run.file: _lines_of(collection, run) for run in runs if run.file},
            query_run_lines={
                f"trec/{run.file}": _lines_of(collection, run, names_of(released_queries, run))
                for run in runs
                if run.file and names_differ(released, released_queries)
            },
            shown_otherwise=tuple(sorted(pairs_shown_otherwise(collection))),
            judgment_imports=imports,
            corpus_imports=_corpus_imports(collection),
            judged_here=not imports or _judged_here(collection, imports),
            supports=current_paragraph(collection),
        )


def _queries_by_name(collection: Collection) -> list[int]:
    """The primary keys of the queries, by name."""
    rows = collection.queries.values_list("name", "pk").order_by()
    return [pk for _, pk in sorted(rows)]


def _pairs(collection: Collection, queries: Sequence[int]) -> Iterator[Row]:
    for some in batched(queries, READ_TOGETHER):
        for pair in labelled_pairs(collection, Pair.objects.filter(query__in=some)):
            yield (*pair[:3], pair.standing.value, *pair[4:])


def _as_pair(row: Row) -> LabelledPair:
    return LabelledPair._make((*row[:3], Standing(row[3]), *row[4:]))


def _collection(collection: Collection) -> ReleasedCollection:
    facets = collection.facets.values_list("key", "name")
    return ReleasedCollection(
        slug=collection.slug,
        name=collection.name,
        description=collection.description,
        licence=collection.licence.strip(),
        seed=collection.seed,
        facets=tuple(ReleasedFacet(*facet) for facet in facets),
        highest_grade=collection.highest_grade,
        relevant_from=collection.relevant_from,
    )


def _queries(collection: Collection) -> tuple[ReleasedQuery, ...]:
    rows = collection.queries.annotate(
        is_topic=ExpressionWrapper(Q(query_paper__topic__isnull=False), BooleanField())
    ).values_list(
        *("name", "facet__key", "query_paper__name"),
        *("opening__guideline__version", "is_topic", "sentence_numbers"),
        *("query_paper__document__title", "query_paper__document__year", "query_paper__metadata"),
    )
    queries = (
        ReleasedQuery._make((*row, tuple(numbers or ()), title or "", facts_of(metadata, year)))
        for *row, numbers, title, year, metadata in rows
    )
    return tuple(sorted(queries, key=attrgetter("name")))


def _topics(collection: Collection) -> tuple[ReleasedTopic, ...]:
    """The topic of each query that has one, under the id of the query."""
    rows = collection.queries.filter(query_paper__topic__isnull=False).values_list(
        "name", *(f"query_paper__topic__{column}" for column in ReleasedTopic._fields[1:])
    )
    return tuple(sorted(ReleasedTopic(*row) for row in rows))


def _ratings(collection: Collection, queries: Sequence[int]) -> StoredRecords[Rating]:
    """Both judgments of every judged pair, by query, docno and slot."""
    rows = StoredRecords(_judgments(queries), tuple)
    names = pseudonyms(
        "annotator",
        ((person, f"{query} {docno} {slot}") for query, _, docno, slot, person, *_ in rows),
        seed=collection.seed,
        slug=collection.slug,
    )
    return rows.reading(lambda row: Rating._make((*row[:4], names[row[4]], *row[5:])))


SLOT = tuple(
    f"judgment__{column}"
    for column in (
        *("annotator_id", "grade", "reason"),
        *("sequence", "seconds", "presentation_digest"),
    )
)


def _judgments(queries: Sequence[int]) -> Iterator[Row]:
    """As `Rating`, with the person's primary key."""
    for some in batched(queries, READ_TOGETHER):
        rows = (
            Pair.objects.filter(query__in=some)
            .judged()
            .order_by()
            .values_list(
                "query__name",
                "query__facet__key",
                "candidate__document__docno",
                *(F(f"slot_{number}__{column}") for number in (1, 2) for column in SLOT),
            )
        )
        for row in sorted(rows, key=lambda row: (row[0], row[2])):
            pair, judgments = row[:3], row[3:]
            yield (*pair, 1, *judgments[: len(SLOT)])
            yield (*pair, 2, *judgments[len(SLOT) :])


def _adjudications(collection: Collection, queries: Sequence[int]) -> StoredRecords[Adjudication]:
    """The standing decisions, by query and docno."""
    rows = StoredRecords(_decisions(queries), tuple)
    names = pseudonyms(
        "adjudicator",
        ((person, f"{query} {docno}") for query, _, docno, person, *_ in rows),
        seed=collection.seed,
        slug=collection.slug,
    )
    return rows.reading(lambda row: Adjudication._make((*row[:3], names[row[3]], *row[4:])))


def _decisions(queries: Sequence[int]) -> Iterator[Row]:
    """As `Adjudication`, with the person's primary key."""
    for some in batched(queries, READ_TOGETHER):
        decisions = Decision.objects.filter(pair__query__in=some).order_by()
        ruling_of = {
            pk: ruling
            for pk, *ruling in decisions.values_list(
                "pk", "pair_id", "adjudicator_id", "grade", "reason"
            )
        }
        # By their ids: PostgreSQL would look for the standing decision of every disputed pair.
        decided = {pair_id for pair_id, *_ in ruling_of.values()}
        rows = (
            Case.objects.decided()
            .filter(pk__in=decided)
            .order_by()
            .values_list(
                "query__name",
                "query__facet__key",
                "candidate__document__docno",
                "decision_id",
                "first_grade",
                "second_grade",
            )
        )
        for query, facet, docno, decision, first, second in sorted(
            rows, key=lambda row: (row[0], row[2])
        ):
            _, adjudicator, grade, reason = ruling_of[decision]
            overruled = grade is not None and grade not in (first, second)
            yield query, facet, docno, adjudicator, grade, reason, first, second, overruled


def _pools(collection: Collection) -> Iterator[Row]:
    """The frozen pools as `PooledDocument`, by query paper and position.

    A draft may still be replaced, and no judgment stands on it.
    """
    frozen = Pool.objects.frozen().filter(query_paper__collection=collection).order_by()
    pools = sorted(frozen.values_list("query_paper__name", "pk"))
    for some in batched([pk for _, pk in pools], READ_TOGETHER):
        sources: dict[int, list[Row]] = defaultdict(list)
        contributions = Contribution.objects.filter(candidate__pool__in=some).order_by()
        for candidate_id, *source in contributions.values_list(
            "candidate_id", "source", "rank", "score", "drawn"
        ):
            sources[candidate_id].append(tuple(source))
        candidates = Candidate.objects.filter(pool__in=some).order_by()
        rows = candidates.values_list(
            "pool__query_paper__name",
            "position",
            "document__docno",
            "excluded",
            "inclusion",
            "pk",
        )
        for paper, position, docno, excluded, inclusion, pk in sorted(rows, key=itemgetter(0, 1)):
            yield paper, docno, position, excluded, tuple(sources[pk]), inclusion


def _as_pooled(row: Row) -> PooledDocument:
    *fields, sources, inclusion = row
    return PooledDocument._make((*fields, tuple(map(Source._make, sources)), inclusion))


def _samples(collection: Collection, pairs: Records[LabelledPair]) -> tuple[SampledPool, ...]:
    """What sampled pools with labels were drawn from, found again in their runs."""
    if not sampled_builds(collection):
        return ()
    labelled = {pair.query for pair in pairs if pair.final is not None}
    rows = collection.queries.values_list("name", "query_paper__name")
    papers = {paper for name, paper in rows if name in labelled}
    try:
        return tuple(sampled_pools(collection, papers))
    except SampleLost as error:
        raise ReleaseError(str(error)) from error


def sampled_builds(collection: Collection) -> list[int]:
    """The builds whose pools are samples.

    Builds are few. Asked for its pools, the database would read a manifest for each of them.
    """
    sampling = [name for name, strategy in STRATEGIES.items() if strategy.samples]
    builds = collection.pool_builds.filter(manifest__strategy__in=sampling)
    return list(builds.order_by().values_list("pk", flat=True))


def _builds(collection: Collection) -> tuple[ReleasedBuild, ...]:
    papers: dict[int, list[str]] = defaultdict(list)
    frozen = PoolBuild.objects.filter(collection=collection, pools__frozen_at__isnull=False)
    for build_id, docno in frozen.values_list("pk", "pools__query_paper__name").order_by():
        papers[build_id].append(docno)
    # Each manifest once, not once for each of its pools: it can be megabytes.
    manifests = PoolBuild.objects.filter(pk__in=papers).values_list("pk", "manifest").order_by()
    builds = [ReleasedBuild(manifest, tuple(sorted(papers[pk]))) for pk, manifest in manifests]
    return tuple(sorted(builds, key=lambda build: build.query_papers))


def _runs(collection: Collection, builds: tuple[ReleasedBuild, ...]) -> tuple[ReleasedRun, ...]:
    """All runs by name; those that the builds used have a file in the bundle.

    A run that is retired is listed only where a build used it.
    """
    used = {
        (run["name"], run["sha256"]) for build in builds for run in build.manifest.get("runs", [])
    }
    rows = Run.with_retired.filter(collection=collection).order_by("pk")
    runs: dict[tuple[str, str], ReleasedRun] = {}
    for run in rows:
        key = (run.name, run.sha256)
        if key in used or run.retired_at is None:
            runs[key] = ReleasedRun(run.name, run.kind, run.parameters, run.depth, run.sha256)
    files = file_names(used & runs.keys())
    return tuple(runs[key]._replace(file=files.get(key)) for key in sorted(runs))


def _lines_of(
    collection: Collection, run: ReleasedRun, query_names: QueryNames | None = None
) -> RunLines:
    """The lines of a run; two with one digest have the same."""
    rows = Run.with_retired.filter(collection=collection, sha256=run.sha256)
    return lambda: run_lines(rows[0], query_names)


def names_of(queries: Sequence[ReleasedQuery], run: ReleasedRun) -> QueryNames:
    """The queries of the snapshot that the run's lists are for, by query paper."""
    rows = ((query.query_paper, query.name, query.facet) for query in queries)
    return names_by_paper(rows, run.parameters.get("facet"))


def _judgment_imports(collection: Collection) -> tuple[ReleasedImport, ...]:
    """By their files, so that the order does not depend on when they were imported."""
    rows = collection.judgment_imports.order_by().values_list("files", "judgments", "decisions")
    return tuple(sorted((ReleasedImport(*row) for row in rows), key=lambda row: sorted(row.files)))


def _corpus_imports(collection: Collection) -> tuple[ReleasedCorpusImport, ...]:
    """In their order, because a later import can replace documents of an earlier one."""
    rows = collection.document_imports.order_by("pk").prefetch_related("steps")
    return tuple(
        ReleasedCorpusImport(
            source=row.source,
            format=row.format_name,
            recipe=row.recipe,
            created=row.created,
            updated=row.updated,
            unchanged=row.unchanged,
            steps=tuple(ReleasedStep(*step) for step in steps_of(row)),
        )
        for row in rows
    )


def _judged_here(collection: Collection, imports: Sequence[ReleasedImport]) -> bool:
    judged = SlotCount.objects.filter(query__collection=collection).aggregate(sum=Sum("judged"))
    return (judged["sum"] or 0) > sum(row.judgments for row in imports)


def _guidelines(collection: Collection) -> tuple[ReleasedGuideline, ...]:
    used = Guideline.objects.filter(facet__collection=collection, openings__isnull=False)
    rows = used.distinct().values_list("facet__key", "version", "instructions", "grades")
    found = [
        ReleasedGuideline(facet, version, instructions, tuple(grades))
        for facet, version, instructions, grades in rows.order_by()
    ]
    return tuple(sorted(found, key=lambda guideline: (guideline.facet, guideline.version)))

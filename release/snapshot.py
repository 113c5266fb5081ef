"""Everything a release is made of, read at one moment and turned into values."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

from accounts.models import Collection
from adjudication.labels import LabelledPair, labelled_pairs
from adjudication.models import Case, Decision
from annotation.models import Guideline, Slot
from annotation.presented import pairs_shown_otherwise
from pooling.models import Candidate, Contribution, PoolBuild, Run
from pooling.services import SampledPool, SampleLost, run_lines, sampled_pools
from release.errors import ReleaseError
from release.pseudonyms import pseudonyms
from release.records import (
    Adjudication,
    PooledDocument,
    Rating,
    ReleasedBuild,
    ReleasedCollection,
    ReleasedFacet,
    ReleasedGuideline,
    ReleasedQuery,
    ReleasedRun,
    RunLines,
    Snapshot,
    Source,
)
from release.run_files import file_names


def take_snapshot(collection: Collection, *, with_samples: bool = True) -> Snapshot:
    """Read the collection as it is at one moment, while others go on judging.

    What sampled pools were drawn from is found again in their runs, which takes its time; no check
    of the gate needs it.

    Raises:
        ReleaseError: the runs no longer give it.
    """
    with one_moment():
        collection = Collection.objects.get(pk=collection.pk)
        pairs = tuple(labelled_pairs(collection))
        builds = _builds(collection)
        runs = _runs(collection, builds)
        return Snapshot(
            collection=_collection(collection),
            queries=_queries(collection),
            pairs=pairs,
            ratings=_ratings(collection, pairs),
            adjudications=_adjudications(collection, pairs),
            pools=_pools(collection),
            builds=builds,
            runs=runs,
            guidelines=_guidelines(collection),
            samples=_samples(collection, pairs) if with_samples else (),
            run_lines={run.file: _lines_of(collection, run) for run in runs if run.file},
            shown_otherwise=tuple(sorted(pairs_shown_otherwise(collection))),
        )


@contextmanager
def one_moment() -> Iterator[None]:
    """A transaction all of whose reads see the same state.

    PostgreSQL has to be asked for that; writers go on. SQLite's transactions begin IMMEDIATE here,
    so for the seconds this takes its writers wait.
    """
    with transaction.atomic(durable=True):
        # A savepoint means that this is inside a test's transaction, which has begun already.
        if connection.vendor == "postgresql" and not connection.savepoint_ids:
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


def _collection(collection: Collection) -> ReleasedCollection:
    facets = collection.facets.values_list("key", "name")
    return ReleasedCollection(
        slug=collection.slug,
        name=collection.name,
        description=collection.description,
        licence=collection.licence.strip(),
        seed=collection.seed,
        facets=tuple(ReleasedFacet(*facet) for facet in facets),
    )


def _queries(collection: Collection) -> tuple[ReleasedQuery, ...]:
    rows = collection.queries.values_list(
        "name", "facet__key", "query_paper__document__docno", "opening__guideline__version"
    )
    return tuple(sorted(ReleasedQuery(*row) for row in rows))


def _ratings(collection: Collection, pairs: tuple[LabelledPair, ...]) -> tuple[Rating, ...]:
    judged = {(pair.query, pair.docno): pair.facet for pair in pairs if pair.judged}
    rows = [
        row
        for row in Slot.objects.of(collection)
        .judged()
        .values_list(
            "pair__query__name",
            "pair__candidate__document__docno",
            "number",
            "judgment__annotator_id",
            "judgment__grade",
            "judgment__reason",
            "judgment__sequence",
            "judgment__seconds",
            "judgment__presentation_digest",
        )
        if row[:2] in judged
    ]
    names = pseudonyms(
        "annotator",
        ((person, f"{query} {docno} {slot}") for query, docno, slot, person, *_ in rows),
        seed=collection.seed,
        slug=collection.slug,
    )
    return tuple(
        Rating._make((query, judged[query, docno], docno, slot, names[person], *said))
        for query, docno, slot, person, *said in rows
    )


def _adjudications(
    collection: Collection, pairs: tuple[LabelledPair, ...]
) -> tuple[Adjudication, ...]:
    judged = {(pair.query, pair.docno): pair for pair in pairs if pair.judged}
    standing = Case.objects.decided().filter(query__collection=collection).values("decision_id")
    rows = list(
        Decision.objects.filter(pk__in=standing).values_list(
            "pair__query__name",
            "pair__candidate__document__docno",
            "adjudicator_id",
            "grade",
            "reason",
        )
    )
    names = pseudonyms(
        "adjudicator",
        ((person, f"{query} {docno}") for query, docno, person, *_ in rows),
        seed=collection.seed,
        slug=collection.slug,
    )
    return tuple(
        _adjudication(judged[query, docno], names[person], grade, reason)
        for query, docno, person, grade, reason in rows
    )


def _adjudication(
    pair: LabelledPair, adjudicator: str, grade: int | None, reason: str
) -> Adjudication:
    return Adjudication(
        query=pair.query,
        facet=pair.facet,
        docno=pair.docno,
        adjudicator=adjudicator,
        grade=grade,
        reason=reason,
        first=pair.first,
        second=pair.second,
        overruled=pair.overruled,
    )


def _pools(collection: Collection) -> tuple[PooledDocument, ...]:
    """The frozen pools. A draft may still be replaced, and no judgment stands on it."""
    sources: dict[int, list[Source]] = defaultdict(list)
    contributions = Contribution.objects.filter(
        candidate__pool__query_paper__collection=collection,
        candidate__pool__frozen_at__isnull=False,
    )
    for candidate_id, *source in contributions.values_list(
        "candidate_id", "source", "rank", "score", "drawn"
    ).order_by("candidate_id", "source"):
        sources[candidate_id].append(Source._make(source))
    candidates = Candidate.objects.filter(
        pool__query_paper__collection=collection, pool__frozen_at__isnull=False
    )
    return tuple(
        PooledDocument._make((*fields, tuple(sources[candidate_id]), inclusion))
        for candidate_id, inclusion, *fields in candidates.values_list(
            "pk",
            "inclusion",
            "pool__query_paper__document__docno",
            "document__docno",
            "position",
            "excluded",
        )
    )


def _samples(collection: Collection, pairs: tuple[LabelledPair, ...]) -> tuple[SampledPool, ...]:
    labelled = {pair.query for pair in pairs if pair.final is not None}
    rows = collection.queries.values_list("name", "query_paper__document__docno")
    papers = {paper for name, paper in rows if name in labelled}
    try:
        return tuple(sampled_pools(collection, papers))
    except SampleLost as error:
        raise ReleaseError(str(error)) from error


def _builds(collection: Collection) -> tuple[ReleasedBuild, ...]:
    papers: dict[int, list[str]] = defaultdict(list)
    frozen = PoolBuild.objects.filter(collection=collection, pools__frozen_at__isnull=False)
    for build_id, docno in frozen.values_list(
        "pk", "pools__query_paper__document__docno"
    ).order_by():
        papers[build_id].append(docno)
    manifests = dict(frozen.values_list("pk", "manifest").order_by())
    builds = [ReleasedBuild(manifests[pk], tuple(sorted(papers[pk]))) for pk in papers]
    return tuple(sorted(builds, key=lambda build: build.query_papers))


def _runs(collection: Collection, builds: tuple[ReleasedBuild, ...]) -> tuple[ReleasedRun, ...]:
    """All runs by name; those that the builds used have a file in the bundle.

    A run that is retired is listed only where a build used it.
    """
    used = {
        (run["name"], run["sha256"]) for build in builds for run in build.manifest.get("runs", [])
    }
    rows = Run.with_retired.filter(collection=collection).order_by("name", "sha256", "pk")
    runs: dict[tuple[str, str], ReleasedRun] = {}
    for run in rows:
        key = (run.name, run.sha256)
        if key in used or run.retired_at is None:
            runs[key] = ReleasedRun(run.name, run.kind, run.parameters, run.depth, run.sha256)
    files = file_names(used & runs.keys())
    return tuple(runs[key]._replace(file=files.get(key)) for key in sorted(runs))


def _lines_of(collection: Collection, run: ReleasedRun) -> RunLines:
    """The lines of a run; two with one digest have the same."""
    rows = Run.with_retired.filter(collection=collection, name=run.name, sha256=run.sha256)
    return lambda: run_lines(rows[0])


def _guidelines(collection: Collection) -> tuple[ReleasedGuideline, ...]:
    used = Guideline.objects.filter(facet__collection=collection, openings__isnull=False)
    rows = used.distinct().values_list("facet__key", "version", "instructions", "grades")
    found = [
        ReleasedGuideline(facet, version, instructions, tuple(grades))
        for facet, version, instructions, grades in rows.order_by()
    ]
    return tuple(sorted(found, key=lambda guideline: (guideline.facet, guideline.version)))

"""Import the pool rounds after the builds, one after the other, as they were added."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, groupby

from django.utils import timezone

from bundle.names import MANIFEST
from bundle.reading.fields import Fields
from bundle.reading.opened import BundleError
from bundle.records import ReleasedRound
from pooling.models import Pool, PoolRound, RoundList
from release.importing.context import ReleaseImportContext, in_parts
from release.importing.pools import (
    CANDIDATES_TOGETHER,
    RANKED_TOGETHER,
    insert_candidates,
    pools_of_round,
)
from retrieval.formats import RunFormatError, read_run

ListKey = tuple[str, str]  # run and topic


def import_rounds(context: ReleaseImportContext) -> None:
    """Import each round with its lists and candidates, and freeze it before the next one begins.

    The rules of the database let candidates into frozen pools only while their round is written.
    Raises BundleError.
    """
    for released in context.manifest.rounds:
        with context.part():
            row = _create(context, released)
        _import_lists(context, released, row)
        pools = (pool for pool in pools_of_round(context, released.number) if pool[1])
        for some in in_parts(pools, lambda pool: len(pool[1]), CANDIDATES_TOGETHER):
            with context.part():
                keys = _pool_keys(context, [paper for paper, _ in some])
                insert_candidates(context, keys, list(chain.from_iterable(p for _, p in some)))
            context.work.progress(context.report.candidates, None, "candidates imported")
        with context.part():
            row.frozen_at = timezone.now()
            row.save(update_fields=["frozen_at"])
        context.report.rounds += 1


def _create(context: ReleaseImportContext, released: ReleasedRound) -> PoolRound:
    manifest = released.manifest
    return PoolRound.objects.create(
        collection=context.collection,
        number=released.number,
        reason=manifest["reason"],
        choice=manifest["choice"],
        depth=manifest["depth"],
        seed=manifest["seed"],
        parameters=manifest["parameters"],
        manifest=dict(manifest),
    )


def _pool_keys(context: ReleaseImportContext, papers: list[str]) -> dict[str, int]:
    rows = Pool.objects.filter(query_paper__collection=context.collection).order_by()
    found = rows.filter(query_paper__name__in=papers)
    return dict(found.values_list("query_paper__name", "pk"))


def _import_lists(context: ReleaseImportContext, released: ReleasedRound, row: PoolRound) -> None:
    """Import the lists that the round was chosen from, also those without a document."""
    papers = released.manifest["pools"]["query_papers"]
    paper_of = {topic: paper for paper in papers for topic in _topics(released, paper)}
    found: set[ListKey] = set()

    def lists() -> Iterator[RoundList]:
        for run, file in sorted(released.files.items()):
            for each in _lists_of(context, run, file):
                if each.topic not in paper_of:
                    reason = f"ranks for {each.topic!r}, which the round does not name."
                    raise BundleError(file, None, reason)
                each.pool_round, each.query_paper = row, paper_of[each.topic]
                found.add((run, each.topic))
                yield each
        for paper in papers:
            for run, topic in _without_documents(released, paper, found):
                yield RoundList(
                    pool_round=row, run=run, query_paper=paper, topic=topic, docnos=[], scores=[]
                )

    for some in in_parts(lists(), lambda each: 1 + len(each.docnos), RANKED_TOGETHER):
        with context.part():
            RoundList.objects.bulk_create(some)


def _lists_of(context: ReleaseImportContext, run: str, file: str) -> Iterator[RoundList]:
    """The lists of a file, without their round and query paper."""
    with context.bundle.open(file) as stream:
        try:
            lines = read_run(stream, name=file)
            for topic, some in groupby(lines, lambda line: line.topic):
                ranked = list(some)
                yield RoundList(
                    run=run,
                    topic=topic,
                    docnos=[line.docno for line in ranked],
                    scores=[line.score for line in ranked],
                )
        except RunFormatError as error:
            raise BundleError(error.file, error.line, error.problem) from error


def _topics(released: ReleasedRound, paper: str) -> tuple[str, ...]:
    facts = Fields(released.manifest["pools"]["query_papers"][paper], MANIFEST)
    return facts.texts("topics") or (paper,)


def _without_documents(
    released: ReleasedRound, paper: str, found: set[ListKey]
) -> Iterator[ListKey]:
    """Lists that the manifest has and the files do not, because they have no document.

    A manifest has the runs with a list for the query paper, and the topics with a list, and not
    which run has a list for which topic. A round depends on nothing more.
    """
    facts = Fields(released.manifest["pools"]["query_papers"][paper], MANIFEST)
    runs, topics = facts.texts("order"), _topics(released, paper)
    missing = [
        (run, topics[0]) for run in runs if not any((run, topic) in found for topic in topics)
    ]
    yield from missing
    for topic in topics:
        if runs and not any((run, topic) in {*found, *missing} for run in runs):
            yield runs[0], topic

"""The rankings of systems under the labels of two published versions."""

from __future__ import annotations

from typing import Any

from accounts.models import Collection, User
from evaluation.label_effects.rankings import measure_named, usual_measure
from jobs.context import DirectRun, JobContext
from jobs.models import Job, State
from jobs.services import enqueue
from release.models import Release
from release.versions.released_labels import released_qrels
from scoring.measures.judged_ranks import JudgedDocuments
from scoring.measures.scoring import score, scored_queries
from scoring.statistics.rank_correlation import tau
from scoring.statistics.ranking import ranks_of
from scoring.systems.lists import system_lists

JOB_KIND = "compare_release_rankings"


def request_rankings(
    *, before: Release, after: Release, measure: str = "", requested_by: User | None = None
) -> Job:
    """Queue a job that ranks the systems under both versions, or return the one in progress.

    `measure` is that of the leaderboard by default. Raises BadMeasure.
    """
    chosen = measure or usual_measure(after.collection)
    name = measure_named(chosen, after.collection.relevant_from).name
    return enqueue(
        kind=JOB_KIND,
        collection=after.collection,
        parameters={"version": after.version, "since": before.version, "measure": name},
        requested_by=requested_by,
        key=_key(before.version, after.version),
    )


def _key(since: str, version: str) -> str:
    return f"{JOB_KIND}:{since}:{version}"


def newest_rankings(before: Release, after: Release) -> Job | None:
    """The newest job that has compared them."""
    jobs = after.collection.jobs.filter(kind=JOB_KIND, state=State.SUCCEEDED)
    key = _key(before.version, after.version)
    return jobs.filter(key=key).order_by("-created_at").first()


def compare_rankings(
    *,
    collection: Collection,
    since: str,
    version: str,
    measure: str,
    work: JobContext | None = None,
) -> dict[str, Any]:
    """Score every system under both versions and rank them, as JSON types.

    A mean is over the queries with a relevant document in that version. Systems of equal means
    share a rank. Kendall's tau-b is None with its reason where it is undefined.

    Raises:
        BadMeasure
        UnknownVersion: a version does not exist, or its file cannot be read.
    """
    work = work or DirectRun()
    by = measure_named(measure, collection.relevant_from)
    judged = [
        JudgedDocuments(scored_queries(released_qrels(collection, name), [by]))
        for name in (since, version)
    ]
    means: tuple[dict[str, float], dict[str, float]] = ({}, {})
    systems = list(collection.systems.order_by("name"))
    for done, system in enumerate(systems):
        work.progress(done, len(systems), f"scoring {system.name}")
        # The lists of all systems together can be too many for memory.
        lists = dict(system_lists(system))
        for documents, side in zip(judged, means, strict=True):
            values = score(documents, lists, [by])[by.name].dropna()
            if len(values):
                side[system.name] = float(values.mean())
    before, after = (
        {name: side[name] for name in means[0].keys() & means[1].keys()} for side in means
    )
    alike = tau(before, after)
    ranks = [ranks_of(side) for side in (before, after)]
    result = {
        "version": version,
        "since": since,
        "measure": by.name,
        "queries": [len(documents.queries) for documents in judged],
        "tau": alike.value,
        "undefined": alike.undefined,
        "systems": [
            [name, before[name], after[name], ranks[0][name], ranks[1][name]]
            for name in sorted(after, key=lambda name: (ranks[1][name], name))
        ],
    }
    with work.fenced():
        work.complete(result)
    return result

"""Scores the systems of a collection and stores the scores; imports folds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from django.db.models import Count, Max

from accounts.locking import lock_collection
from accounts.models import Collection, User
from agreement.revision import revision_of
from corpus.digests import json_digest
from evaluation.folds import Folds, SplitsError, made_folds, read_splits
from evaluation.labels import qrels_of, query_facets
from evaluation.measures.judged_ranks import JudgedDocuments, JudgedRanks, Qrels
from evaluation.measures.profiles import PROFILES, TREC, Profile
from evaluation.measures.sampled import SampledPools
from evaluation.measures.scoring import ours, scored_queries
from evaluation.models import DEFAULT_SOURCE, Fold, Scores, System
from evaluation.sampled_pools import sampled_pools_of
from evaluation.score_tables import Queries, Row, as_columns, summary_rows
from evaluation.systems.lists import system_lists, systems_with_digests
from evaluation.systems.services import sync_runs
from jobs.context import DirectRun, JobContext
from jobs.models import Job
from jobs.services import enqueue
from web.errors import UserFacingError
from web.lazy import pandas as pd

JOB_KIND = "evaluate"
VERSION = 2  # of the computations: stored scores of another version are out of date


class EvaluationError(UserFacingError):
    """Systems cannot be scored; the message is for the person who asked."""


def request_evaluation(*, collection: Collection, requested_by: User | None = None) -> Job:
    """Queue a job that scores every system, or return the job that is in progress."""
    return enqueue(
        kind=JOB_KIND,
        collection=collection,
        parameters={},
        requested_by=requested_by,
        key=JOB_KIND,
    )


def evaluate(*, collection: Collection, work: JobContext | None = None) -> dict[str, Any]:
    """Score each system whose stored scores are out of date, by every profile.

    Scores of a system are stored as soon as they are computed, so a job that ends early keeps them.
    Returns the numbers of scored and unchanged systems, and the names of runs without a system.

    Raises EvaluationError if no pair has a final label.
    """
    work = work or DirectRun()
    with work.fenced():
        name_clashes = sync_runs(lock_collection(collection))
    labels = LabelState.of(collection)
    systems = _out_of_date(collection, labels)
    result = {
        "scored": len(systems),
        "unchanged": collection.systems.count() - len(systems),
        "name_clashes": name_clashes,
    }
    if systems:
        scorer = Scorer.of(collection)
        for done, (system, state) in enumerate(systems, start=1):
            _store(system, state, scorer.scores(system), work)
            work.progress(done, len(systems), "systems scored")
        if scorer.sample_lost:
            result["without_inferred_measures"] = scorer.sample_lost
    with work.fenced():
        work.complete(result)
    return result


class LabelState(NamedTuple):
    """What stored scores depend on besides the lists: the labels and the folds, by their counts."""

    revision: str
    folds: str

    @classmethod
    def of(cls, collection: Collection) -> LabelState:
        imported = Fold.objects.filter(query__collection=collection).aggregate(
            number=Count("pk"), newest=Max("pk")
        )
        folds = f"{imported['number']}:{imported['newest']}"
        return cls(str(revision_of(collection)), folds)

    def state_of(self, lists_sha256: str) -> str:
        return json_digest([VERSION, *self, lists_sha256])


def _out_of_date(collection: Collection, labels: LabelState) -> list[tuple[System, str]]:
    """The systems without scores of the present labels and lists, each with the present state."""
    rows = Scores.objects.filter(system__collection=collection, source=DEFAULT_SOURCE)
    stored: dict[int, list[str]] = {}
    for system_id, state in rows.values_list("system_id", "state"):
        stored.setdefault(system_id, []).append(state)
    present = [
        (system, labels.state_of(digest)) for system, digest in systems_with_digests(collection)
    ]
    complete = len(PROFILES)
    return [
        (system, state)
        for system, state in present
        if stored.get(system.pk, []) != [state] * complete
    ]


def out_of_date(collection: Collection) -> list[System]:
    """The systems whose stored scores are missing or of other labels or lists.

    Runs that have no system yet are not among them; see `unscored_runs`.
    """
    return [system for system, _ in _out_of_date(collection, LabelState.of(collection))]


def unscored_runs(collection: Collection) -> list[str]:
    """The runs that were made since the systems were last scored."""
    known = collection.systems.values("name")
    return [run.name for run in collection.runs.exclude(name__in=known) if not run.holds_judgments]


class ProfileScores(NamedTuple):
    """A system's values by one profile: a row for each scored query, and the leaderboard's rows."""

    profile: Profile
    table: pd.DataFrame
    rows: list[Row]


class Scorer:
    """Scores systems against the labels of a collection, which are read once."""

    def __init__(
        self,
        qrels: Qrels,
        queries: Queries,
        profiles: Sequence[Profile],
        sampled: SampledPools | None = None,
        sample_lost: str = "",
    ) -> None:
        self.profiles = profiles
        self.queries = queries
        self.sampled = sampled
        self.sample_lost = sample_lost
        measures = [measure for profile in profiles for measure in profile.measures]
        self.judged = JudgedDocuments(scored_queries(qrels, measures))

    @classmethod
    def of(cls, collection: Collection) -> Scorer:
        qrels = qrels_of(collection)
        if not qrels:
            raise EvaluationError(
                f"No pair of {collection.slug} has a final label yet, so no system can be scored. "
                "Let two people judge a query first, or import judgments."
            )
        queries = labelled_queries(collection, qrels)
        sampled, lost = sampled_pools_of(collection, qrels)
        return cls(qrels, queries, list(PROFILES.values()), sampled, lost)

    def ranks(self, system: System) -> JudgedRanks:
        return self.judged.ranks_of(system_lists(system))

    def scores(self, system: System) -> list[ProfileScores]:
        ranks = self.ranks(system)
        inferred = self.sampled.scores(system_lists(system)) if self.sampled else None
        return [
            self._profile_scores(ranks, profile, inferred if profile is TREC else None)
            for profile in self.profiles
        ]

    def _profile_scores(
        self, ranks: JudgedRanks, profile: Profile, inferred: pd.DataFrame | None
    ) -> ProfileScores:
        table = pd.DataFrame(ours(ranks, profile.measures), index=pd.Index(self.judged.queries))
        table = table.loc[self.judged.relevant(profile.least) > 0]
        if inferred is not None:
            table = table.join(inferred)
        missing = {
            name
            for name, has_list in zip(self.judged.queries, ranks.has_list, strict=True)
            if not has_list
        }
        return ProfileScores(profile, table, summary_rows(table, self.queries, missing))


def labelled_queries(collection: Collection, qrels: Qrels) -> Queries:
    """The facet and the fold of each query with a label."""
    facets = query_facets(collection)
    labelled = {query: facets[query] for query in sorted(qrels)}
    return Queries(labelled, folds_of(collection, labelled))


def folds_of(collection: Collection, facets: Mapping[str, str]) -> Folds:
    """The imported fold of each query; without imported ones, folds made from the seed."""
    imported = Fold.objects.filter(query__collection=collection)
    folds = dict(imported.values_list("query__name", "number"))
    return folds or made_folds(facets, collection.seed)


def _store(system: System, state: str, results: Sequence[ProfileScores], work: JobContext) -> None:
    with work.fenced():
        collection = lock_collection(system.collection)
        if not collection.systems.filter(pk=system.pk).exists():
            return  # it was deleted while its scores were computed
        for profile, table, rows in results:
            Scores.objects.update_or_create(
                system=system,
                source=DEFAULT_SOURCE,
                profile=profile.name,
                defaults={
                    "state": state,
                    "summary": [row.as_json() for row in rows],
                    "values": as_columns(table),
                },
            )


def import_folds(*, collection: Collection, path: Path, filename: str) -> Folds:
    """Import the folds of an `evaluation_splits.json`; they replace those of before.

    Queries that the collection does not have are passed over.

    Raises EvaluationError for an invalid file, and if a query of the collection with labels is in
    no fold.
    """
    try:
        folds = read_splits(path.read_bytes(), name=filename)
    except SplitsError as error:
        raise EvaluationError(str(error)) from error
    return save_folds(collection=collection, folds=folds, filename=filename)


def save_folds(*, collection: Collection, folds: Folds, filename: str) -> Folds:
    """Store folds by query name. Raises EvaluationError as `import_folds`."""
    with DirectRun().fenced():
        collection = lock_collection(collection)
        numbers = dict(_known_folds(collection, folds))
        if not numbers:
            raise EvaluationError(f"{filename}: none of its queries is in {collection.slug}.")
        opened = dict(collection.queries.filter(opening__isnull=False).values_list("pk", "name"))
        if missing := sorted(name for pk, name in opened.items() if pk not in numbers):
            raise EvaluationError(
                f"{filename}: the query {missing[0]} is in no fold "
                f"({len(missing)} of {len(opened)} queries are missing). Add each to a fold."
            )
        Fold.objects.filter(query__collection=collection).delete()
        Fold.objects.bulk_create(
            (Fold(query_id=query, number=number) for query, number in numbers.items()),
            batch_size=500,
        )
    return folds


def _known_folds(collection: Collection, folds: Folds) -> Iterator[tuple[int, int]]:
    for pk, name in collection.queries.values_list("pk", "name"):
        if name in folds:
            yield pk, folds[name]

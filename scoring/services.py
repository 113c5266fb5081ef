"""Scores the systems of a collection and stores the scores; imports folds."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

from accounts.locking import lock_collection
from accounts.models import Collection, User
from corpus.digests import json_digest
from jobs.context import DirectRun, JobContext
from jobs.models import Job
from jobs.services import enqueue
from reports.states import LISTS, changed_inputs, in_words, state_of_inputs
from scoring.computation import ProfileScores, Scorer
from scoring.folds import MOST, USUAL_NUMBER, Folds, SplitsError, read_splits
from scoring.labels import FINAL, GradedLabels, labels_of, relevant_from, state_of_labels
from scoring.measures.profiles import PROFILES, profiles_for
from scoring.models import Fold, FoldPlan, Scores, System
from scoring.score_tables import as_columns
from scoring.systems.lists import system_lists, systems_with_digests
from scoring.systems.services import sync_runs
from web.errors import UserFacingError

JOB_KIND = "evaluate"
VERSION = 3  # of the computations: stored scores of another version are out of date


class EvaluationError(UserFacingError):
    """Systems cannot be scored; the message is for the person who asked."""


def request_evaluation(
    *, collection: Collection, source: str = FINAL, requested_by: User | None = None
) -> Job:
    """Queue a job that scores every system, or return the job that is in progress."""
    return enqueue(
        kind=JOB_KIND,
        collection=collection,
        parameters={"source": source},
        requested_by=requested_by,
        key=f"{JOB_KIND}:{source}",
    )


def evaluate(
    *, collection: Collection, source: str = FINAL, work: JobContext | None = None
) -> dict[str, object]:
    """Score each system whose stored scores are out of date, by every profile.

    `source` is one of `labels.stored_sources`. Scores of a system are stored as soon as they are
    computed, so a job that ends early keeps them. Returns the numbers of scored and unchanged
    systems, and the names of runs without a system.

    Raises EvaluationError if there are no such labels.
    """
    work = work or DirectRun()
    with work.fenced():
        name_clashes = sync_runs(lock_collection(collection))
    state = ScoredState.of(collection, source)
    systems = _out_of_date(collection, state)
    result = {
        "scored": len(systems),
        "unchanged": collection.systems.count() - len(systems),
        "name_clashes": name_clashes,
    }
    if systems:
        labels = existing_labels(collection, source)
        scorer = Scorer.of(collection, labels, profiles_for(labels.relevant_from))
        for done, (system, digest) in enumerate(systems, start=1):
            results = scorer.scores(partial(system_lists, system))
            _store(system, source, digest, results, work)
            work.progress(done, len(systems), "systems scored")
        if scorer.sample_lost:
            result["without_inferred_measures"] = scorer.sample_lost
    with work.fenced():
        work.complete(result)
    return result


def existing_labels(collection: Collection, source: str) -> GradedLabels:
    """The labels of a source. Raises UnknownSource, and EvaluationError if there are none."""
    labels = labels_of(collection, source)
    if labels.qrels:
        return labels
    if source == FINAL:
        raise EvaluationError(
            f"No pair of {collection.slug} has a final label yet, so no system can be scored. "
            "Let two people judge a query first, or import judgments."
        )
    raise EvaluationError(
        f'{collection.slug} has no labels "{source}" yet, so no system can be scored.'
    )


class ScoredState(NamedTuple):
    """The inputs of stored scores besides the lists: the labels and the folds, as digests."""

    source: str
    labels: str
    folds: str

    @classmethod
    def of(cls, collection: Collection, source: str) -> ScoredState:
        plan = FoldPlan.objects.filter(collection=collection).values_list(
            "made", "imported_from", "pk"
        )
        labels = [state_of_labels(collection, source), relevant_from(collection, source)]
        return cls(source, json_digest(labels), json_digest(list(map(list, plan))))

    def state_of(self, lists_sha256: str) -> str:
        return state_of_inputs(self.inputs(lists_sha256))

    def inputs(self, lists_sha256: str) -> dict[str, object]:
        return {
            "how Qrelsmith computes scores": [VERSION, self.source],
            "the labels": self.labels,
            "the folds": self.folds,
            LISTS: lists_sha256,
        }


def _out_of_date(collection: Collection, state: ScoredState) -> list[tuple[System, str]]:
    """The systems without scores of the present labels and lists, each with the present state."""
    stored = _stored_states(collection, state.source)
    return [
        (system, present)
        for system, digest in systems_with_digests(collection)
        for present in [state.state_of(digest)]
        if stored.get(system.pk, []) != [present] * len(PROFILES)
    ]


def _stored_states(collection: Collection, source: str) -> dict[int, list[str]]:
    """By system, the states of its scores."""
    rows = Scores.objects.filter(system__collection=collection, source=source)
    stored: dict[int, list[str]] = {}
    for system_id, state in rows.values_list("system_id", "state"):
        stored.setdefault(system_id, []).append(state)
    return stored


def out_of_date(collection: Collection, source: str = FINAL) -> list[System]:
    """The systems whose stored scores are missing or of other labels, folds or lists.

    Runs that have no system yet are not among them; see `unscored_runs`.
    """
    state = ScoredState.of(collection, source)
    return [system for system, _ in _out_of_date(collection, state)]


def changed_since_scored(collection: Collection, source: str = FINAL) -> tuple[list[str], str]:
    """The systems of `out_of_date`, and what changed since they were scored, as in "the labels".

    The text is empty if none of these systems has scores.
    """
    changes = changes_since_scored(collection, source)
    changed = dict.fromkeys(name for names in changes.values() for name in names)
    return list(changes), in_words(list(changed))


def changes_since_scored(collection: Collection, source: str = FINAL) -> dict[str, list[str]]:
    """The systems of `out_of_date` with the inputs that changed since; none without any scores."""
    systems = systems_with_digests(collection)
    if not systems:  # the gate of each release asks, and the state is read from all labels
        return {}
    state = ScoredState.of(collection, source)
    stored = _stored_states(collection, source)
    changes = {}
    for system, digest in systems:
        states, inputs = stored.get(system.pk, []), state.inputs(digest)
        if states != [state.state_of(digest)] * len(PROFILES):
            changed = [name for old in states for name in changed_inputs(old, inputs)]
            # Scores by some profiles only are those of an earlier Qrelsmith, which had no others.
            changes[system.name] = changed or [*inputs][: bool(states)]
    return changes


def unscored_runs(collection: Collection) -> list[str]:
    """The runs that were made since the systems were last scored."""
    known = collection.systems.values("name")
    return [run.name for run in collection.runs.exclude(name__in=known) if not run.holds_judgments]


def _store(
    system: System, source: str, state: str, results: Sequence[ProfileScores], work: JobContext
) -> None:
    with work.fenced():
        collection = lock_collection(system.collection)
        if not collection.systems.filter(pk=system.pk).exists():
            return  # it was deleted while its scores were computed
        for profile, table, rows in results:
            Scores.objects.update_or_create(
                system=system,
                source=source,
                profile=profile.name,
                defaults={
                    "state": state,
                    "summary": [row._asdict() for row in rows],
                    "values": as_columns(table),
                },
            )


def import_folds(*, collection: Collection, content: bytes, filename: str) -> Folds:
    """Import the folds of an `evaluation_splits.json`; they replace those of before.

    Queries that the collection does not have are passed over.

    Raises EvaluationError for an invalid file, and if a query of the collection with labels is in
    no fold.
    """
    try:
        folds = read_splits(content, name=filename)
    except SplitsError as error:
        raise EvaluationError(str(error)) from error
    save_folds(collection=collection, folds=folds)
    return folds


def save_folds(*, collection: Collection, folds: Folds) -> None:
    """Store imported folds by query name. Raises EvaluationError as `import_folds`."""
    filename = folds.imported_from
    with DirectRun().fenced():
        collection = lock_collection(collection)
        numbers = {
            pk: folds.numbers[name]
            for pk, name in collection.queries.values_list("pk", "name")
            if name in folds.numbers
        }
        if not any(numbers.values()):
            raise EvaluationError(f"{filename}: tests none of the queries of {collection.slug}.")
        opened = dict(collection.queries.filter(opening__isnull=False).values_list("pk", "name"))
        if missing := sorted(name for pk, name in opened.items() if pk not in numbers):
            raise EvaluationError(
                f"{filename}: the query {missing[0]} is in no fold "
                f"({len(missing)} of {len(opened)} queries are missing). Add each to a fold."
            )
        _replace_plan(collection, imported_from=filename)
        Fold.objects.bulk_create(
            (Fold(query_id=query, number=number) for query, number in numbers.items()),
            batch_size=500,
        )


def make_folds(*, collection: Collection, number: int = USUAL_NUMBER) -> None:
    """Make this many folds from the seed in place of those of before; 0 for none.

    Raises EvaluationError for a number outside 0 to 20.
    """
    if not 0 <= number <= MOST:
        raise EvaluationError(f"The number of folds must be from 0 to {MOST}, got {number}.")
    with DirectRun().fenced():
        _replace_plan(lock_collection(collection), made=number)


def _replace_plan(collection: Collection, *, made: int = 0, imported_from: str = "") -> None:
    """A new row, so that its primary key tells stored scores that the folds changed."""
    FoldPlan.objects.filter(collection=collection).delete()
    Fold.objects.filter(query__collection=collection).delete()
    FoldPlan.objects.create(collection=collection, made=made, imported_from=imported_from)

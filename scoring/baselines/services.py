"""Makes baselines, stores them as systems and scores them."""

from __future__ import annotations

from collections.abc import Sequence

from accounts.models import Collection, User
from jobs.context import DirectRun, JobContext, StepContext
from jobs.models import Job
from jobs.services import enqueue
from retrieval.retrievers import ENCODER
from retrieval.services import check_allowed
from scoring.baselines.catalogue import baselines_named, encoder_named
from scoring.baselines.lists import BaselineMaker
from scoring.models import SystemKind
from scoring.services import evaluate
from scoring.systems.services import save_system

JOB_KIND = "make_baselines"


def make_baselines(
    *,
    collection: Collection,
    names: Sequence[str] = (),
    encoder: str = "",
    distance: str = "",
    work: JobContext | None = None,
    dry_run: bool = False,
) -> dict[str, list[str]]:
    """Make the baselines with these names, store each as a system, and score all systems.

    With `dry_run`, nothing is made: the result says what would be.

    Without names, those of the paper are made that need no encoder, or all of the paper if there is
    an encoder. `distance` is "cosine" or "l2", or "" for the distance of each baseline. A baseline
    that was made by this definition from the same documents, labels and settings is kept.

    Raises:
        BaselineError: an unknown name or distance, no encoder for a baseline that needs one, or no
            pair has a final label.
        EncoderMissing: the optional extra or the model is not on this machine.
        CorpusChanged: documents were added, removed or changed meanwhile.
        SystemFault: a run or an imported system has the name of a baseline.
    """
    work = work or DirectRun()
    model = encoder_named(encoder)
    chosen = baselines_named(names, has_encoder=model is not None, distance=distance)
    maker = BaselineMaker(collection, model, work)
    made, unchanged = [], []
    for baseline in chosen:
        name, parameters = baseline.system_name(model), maker.parameters(baseline)
        systems = collection.systems.filter(name=name, kind=SystemKind.BASELINE)
        if parameters in systems.values_list("parameters", flat=True):
            unchanged.append(name)
            continue
        made.append(name)
        if dry_run:
            continue
        lists = maker.make(baseline)
        save_system(
            collection=collection,
            name=name,
            kind=SystemKind.BASELINE,
            lists=lists.lists.items(),
            parameters=lists.parameters,
            report=lists.report,
            work=StepContext(work),
        )
    result = {"made": made, "unchanged": unchanged}
    if dry_run:
        return result
    evaluate(collection=collection, work=StepContext(work))
    with work.fenced():
        work.complete(result)
    return result


def request_baselines(
    *,
    collection: Collection,
    names: Sequence[str] = (),
    encoder: str = "",
    distance: str = "",
    requested_by: User | None = None,
) -> Job:
    """Queue a job that makes baselines, or return the one that is in progress.

    Raises:
        BaselineError: as `make_baselines`, for names and settings.
        RetrievalError: the encoder is not in the setting ENCODERS.
    """
    model = encoder_named(encoder)
    if model is not None:
        check_allowed(f"{ENCODER}{model.model}")
    baselines_named(names, has_encoder=model is not None, distance=distance)
    return enqueue(
        kind=JOB_KIND,
        collection=collection,
        parameters={"names": list(names), "encoder": encoder, "distance": distance},
        requested_by=requested_by,
        key=JOB_KIND,
    )

"""Train a labeller for a collection, or for a file."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from accounts.locking import lock_collection
from accounts.models import Collection, User
from corpus.services import SHORT_NAME
from curation.errors import LabellingError
from curation.labelling.examples import Example, hold_out, read_examples
from curation.labelling.model import Header, SentenceLabeller
from curation.labelling.scores import LabellerScores, score
from curation.labelling.weights import from_bytes, to_bytes
from curation.labels.labellers import BUILT_IN, check_encoder_allowed, embed_with, has_facets
from curation.models import Labeller, LabelRecord
from jobs.context import JobContext
from jobs.models import Job
from jobs.services import enqueue
from web.words import count_noun

TRAINING_KIND = "train_labeller"
FEWEST_DOCUMENTS = 20  # 16 to train with and 4 for the score, so that the score is not 0 or 1
SEED = "1"
HELD_OUT = "one document in five"


def request_training(
    *,
    collection: Collection,
    name: str,
    seed: str = SEED,
    encoder: str = "",
    requested_by: User | None,
) -> Job:
    """Queue a job that trains a labeller from the collection's checked labels.

    Raises:
        LabellingError: the name is invalid, the encoder is not in the setting ENCODERS, or too few
            documents have checked labels.
    """
    check_labeller_name(name)
    check_encoder_allowed(encoder)
    _check_enough(collection, _checked(collection).count())
    return enqueue(
        kind=TRAINING_KIND,
        collection=collection,
        parameters={"name": name, "seed": seed, "encoder": encoder},
        requested_by=requested_by,
        key=f"{TRAINING_KIND}:{name}",
    )


def check_labeller_name(name: str) -> None:
    """Raises LabellingError for an invalid name, and for that of the built-in labeller."""
    if not SHORT_NAME.fullmatch(name):
        raise LabellingError(
            f"The name {name!r} is invalid. Use at most 60 letters, digits, hyphens and "
            "underscores."
        )
    if name == BUILT_IN:
        raise LabellingError(f"{BUILT_IN} is the built-in labeller. Use another name.")


def checked_examples(collection: Collection) -> list[Example]:
    """The documents whose labels a person checked, by docno, if every sentence has a label.

    Raises:
        LabellingError: they are too few.
    """
    if not has_facets(collection):
        raise LabellingError(f"{collection.slug} has no facets, so it has no labels to learn from.")
    records = _checked(collection).order_by("document__docno_order", "pk")
    rows = records.values_list("document__sentences", "document__labels")
    examples = [
        Example(tuple(sentences), tuple(labels), (1.0,) * len(sentences))
        for sentences, labels in rows
        if sentences and len(labels) == len(sentences) and all(labels)
    ]
    _check_enough(collection, len(examples))
    return examples


def _checked(collection: Collection) -> Any:
    return LabelRecord.objects.checked().filter(collection=collection)


def _check_enough(collection: Collection, count: int) -> None:
    if count < FEWEST_DOCUMENTS:
        raise LabellingError(
            f"{count_noun(count, 'document')} of {collection.slug} "
            f"{'has' if count == 1 else 'have'} checked labels for every sentence, and a labeller "
            f"needs {FEWEST_DOCUMENTS}. Check more labels first."
        )


def examples_in(paths: Sequence[Path]) -> list[Example]:
    """The labelled abstracts of JSON Lines files.

    Raises:
        LabellingError: a file cannot be read, or holds no labelled abstract.
        BadExample: a line is invalid.
    """
    examples: list[Example] = []
    for path in paths:
        before = len(examples)
        try:
            with path.open(encoding="utf-8-sig") as lines:
                examples += read_examples(lines, path.name)
        except (OSError, UnicodeDecodeError) as error:
            raise LabellingError(f"{path} cannot be read: {error}.") from error
        if len(examples) == before:
            raise LabellingError(
                f"{path.name} has no labelled abstract. Write a label for each sentence."
            )
    return examples


def train_and_score(
    header: Header, examples: Sequence[Example], dev: Sequence[Example], work: JobContext
) -> tuple[bytes, SentenceLabeller]:
    """The file of a labeller, and the labeller as it is read from there.

    The score is that of the stored labeller on `dev`. Without `dev` one example in five is held
    out, and the labeller learns from the others.

    Raises:
        TooFewExamples: as `train`.
        EncoderMissing: the encoder cannot be loaded.
    """
    # scikit-learn takes a second to import, which a web process should not spend.
    from curation.labelling.training import train

    source = "the development file"
    if not dev:
        examples, dev = hold_out(examples, header.seed)
        source = HELD_OUT
    embed = embed_with(header.encoder)
    labeller = train(
        examples,
        header,
        embed=embed,
        progress=lambda done, total: work.progress(done, total, "parts of the training"),
    )
    scores = score(from_bytes(to_bytes(labeller)), dev, embed)
    labeller = replace(
        labeller, header=replace(labeller.header, training=_training(examples, scores, source))
    )
    content = to_bytes(labeller)
    return content, from_bytes(content)


def _training(
    examples: Sequence[Example], scores: LabellerScores, source: str
) -> Mapping[str, object]:
    sentences = sum(len(example.sentences) for example in examples)
    return {
        "abstracts": len(examples),
        "sentences": sentences,
        "scored_on": source,
        "scores": asdict(scores),
    }


def train_labeller(
    *,
    collection: Collection,
    name: str,
    work: JobContext,
    examples: Sequence[Example] = (),
    dev: Sequence[Example] = (),
    trained_on: str = "",
    seed: str = SEED,
    encoder: str = "",
) -> Labeller:
    """Train a labeller and store it in the collection. One with the same name is replaced.

    Without examples it learns from the collection's checked labels. `trained_on` says in words
    where the examples are from.

    Raises:
        LabellingError: the name is invalid, or too few labels are checked.
        TooFewExamples, EncoderMissing: as `train_and_score`.
    """
    check_labeller_name(name)
    if not examples:
        examples = checked_examples(collection)
        trained_on = f"checked labels of {count_noun(len(examples), 'document')}"
    existing = collection.labellers.filter(name=name).first()
    version = int(existing.training.get("version", 0)) + 1 if existing else 1
    header = Header(name, str(version), (), seed, trained_on, encoder=encoder)
    content, labeller = train_and_score(header, examples, dev, work)
    header = labeller.header
    with work.fenced():
        lock_collection(collection)
        row, _ = Labeller.objects.update_or_create(
            collection=collection,
            name=name,
            defaults={
                "labels": list(header.labels),
                "training": {
                    **header.training,
                    **{key: asdict(header)[key] for key in ("seed", "trained_on", "encoder")},
                    "version": version,
                },
                "weights": content,
                "digest": hashlib.sha256(content).hexdigest(),
            },
        )
        work.complete({"labeller": header.source, "micro_f1": micro_f1(header)})
    return row


def micro_f1(header: Header) -> float:
    """The labeller's score when it was trained, from 0 to 1."""
    return float(header.training["scores"]["micro_f1"])

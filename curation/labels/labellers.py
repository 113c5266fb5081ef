"""The labellers of a collection: the built-in one, and those that were trained for it."""

from __future__ import annotations

from collections.abc import Collection as Labels
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np

from accounts.models import Collection
from corpus.encoder_models import load_model, not_allowed
from corpus.models import Facet
from curation.errors import LabellingError
from curation.labelling.features import Floats
from curation.labelling.model import OTHER, Embed, SentenceLabeller
from curation.labelling.weights import from_bytes

BUILT_IN = "csabstruct"
BUILT_IN_LABELS = ("background", "method", "objective", "other", "result")
BUILT_IN_FILE = Path(__file__).parents[1] / "labelling" / "csabstruct-1.npz"
ENCODER_BATCH = 32  # sentences per call of the encoder


@lru_cache(maxsize=1)
def built_in_labeller() -> SentenceLabeller:
    """The labeller that Qrelsmith brings: docs/labels.md is its model card."""
    return from_bytes(BUILT_IN_FILE.read_bytes(), BUILT_IN_FILE.name)


def labeller_names(collection: Collection) -> list[str]:
    """The built-in labeller first, then the collection's own."""
    return [BUILT_IN, *collection.labellers.values_list("name", flat=True)]


def labeller_named(collection: Collection, name: str) -> SentenceLabeller:
    """The labeller with that name; the built-in one for "".

    Raises:
        LabellingError: there is none; with the names of those that exist.
    """
    if name in ("", BUILT_IN):
        return built_in_labeller()
    row = collection.labellers.filter(name=name).first()
    if row is None:
        names = ", ".join(labeller_names(collection))
        raise LabellingError(f"Unknown labeller {name!r}. Use one of {names}.")
    return from_bytes(bytes(row.weights), f"The labeller {name}")


def labels_of_labeller(collection: Collection, name: str) -> list[str]:
    """The labels that it predicts, without loading its weights. Raises as `labeller_named`."""
    if name in ("", BUILT_IN):
        return list(BUILT_IN_LABELS)
    row = collection.labellers.filter(name=name).values_list("labels", flat=True).first()
    return row if row is not None else list(labeller_named(collection, name).header.labels)


def has_facets(collection: Collection) -> bool:
    """Return whether sentences have labels: only in a collection with facets."""
    return not collection.facets.filter(key="").exists()


def check_facets_get_labels(collection: Collection, labels: Labels[str], name: str) -> None:
    """Check that the labeller `name`, with these labels, labels sentences of every facet.

    Raises:
        LabellingError: the collection has no facets, or a facet would get no sentence.
    """
    facets = list(collection.facets.all())
    if any(facet.is_whole for facet in facets):
        raise LabellingError(
            f"{collection.slug} has no facets: documents are judged as a whole. Its sentences "
            "need no labels."
        )
    for facet in facets:
        if facet_gets_nothing(facet, labels):
            example = min(set(labels) - {OTHER}, default="")
            raise LabellingError(
                f"The facet {facet.key} would get no sentence: its labels are "
                f"{', '.join(facet.labels)}, and the labeller {name} predicts "
                f"{', '.join(sorted(labels))}. Add one of these to the labels of the facet, such "
                f"as {example}, or train a labeller that predicts its labels."
            )


def facet_gets_nothing(facet: Facet, labels: Labels[str]) -> bool:
    return set(facet.labels).isdisjoint(labels)


def check_encoder_allowed(model: str) -> None:
    """Raises LabellingError for an encoder that is not in the setting ENCODERS."""
    if model and (problem := not_allowed(model)):
        raise LabellingError(problem)


def embed_with(model: str) -> Embed | None:
    """The function that gives sentences their vectors of length 1; None without an encoder.

    Raises EncoderMissing.
    """
    if not model:
        return None
    network: Any = load_model(model, f"The encoder {model}")

    def embed(sentences: Any) -> Floats:
        vectors = network.encode(
            list(sentences),
            batch_size=ENCODER_BATCH,
            convert_to_numpy=True,
            normalize_embeddings=True,
            show_progress_bar=False,
        )
        return np.asarray(vectors, np.float32)

    return embed

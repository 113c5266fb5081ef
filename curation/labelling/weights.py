"""The file of a labeller: a compressed .npz without pickled objects. Pure.

Weights of words are whole numbers from −127 to 127 with a scale for each label, and idf is 0 to
255. Most weights are 0 then, which compresses well. The other weights have 5 decimals, because the
digits after them differ between processors. The file holds numbers and a JSON header, and no text
of the training data.
"""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from curation.labelling.features import (
    NEIGHBOUR_COLUMNS,
    OWN_COLUMNS,
    POSITION_COLUMNS,
    VERSION,
    Floats,
)
from curation.labelling.model import Header, SentenceLabeller, WordWeights
from web.errors import UserFacingError

FORMAT = "qrelsmith sentence labeller"
MOST_BYTES = 64 * 1024 * 1024  # unpacked; a labeller has about 1.2 million numbers of one byte
DECIMALS = 5  # of weights that are not whole numbers
SCALE_DIGITS = 5  # significant digits of the scale of a label's whole numbers
CONTEXT_PER_LABEL = 14  # columns of `features.context_of` for each label
UNSCALED = ("position", "embedding", "intercept", "context", "context_intercept")
Arrays = Mapping[str, NDArray[Any]]


class BadWeights(UserFacingError):
    """A file that is not a labeller of this version. The message is shown to the person."""


def to_bytes(labeller: SentenceLabeller) -> bytes:
    """The file of the labeller: the same bytes for the same weights."""
    header = {"format": FORMAT, "features": VERSION, **asdict(labeller.header)}
    words = labeller.words
    first = [words.own, words.previous, words.following]
    scale = _scale_of(np.abs(np.concatenate(first)).max(axis=0))
    idf_scale = np.float32(max(words.own_idf.max(), words.neighbour_idf.max()) / 255)
    text = json.dumps(header, ensure_ascii=False, sort_keys=True)
    arrays = {
        "header": np.frombuffer(text.encode(), np.uint8),
        "scale": scale,
        "idf_scale": np.array([idf_scale]),
        "own_idf": np.round(words.own_idf / idf_scale).astype(np.uint8),
        "neighbour_idf": np.round(words.neighbour_idf / idf_scale).astype(np.uint8),
        # By label, because a label's weights compress better side by side.
        "own": _whole_numbers(words.own, scale).T,
        "previous": _whole_numbers(words.previous, scale).T,
        "following": _whole_numbers(words.following, scale).T,
        **{key: np.round(getattr(labeller, key), DECIMALS) for key in UNSCALED},
    }
    buffer = io.BytesIO()
    np.savez_compressed(buffer, **arrays)
    return buffer.getvalue()


def _scale_of(largest: Floats) -> Floats:
    """The step of each label's whole numbers; 1 for a label whose words have no weight."""
    steps = [float(f"{value / 127:.{SCALE_DIGITS}g}") or 1.0 for value in largest.tolist()]
    return np.array(steps, np.float32)


def _whole_numbers(weights: Floats, scale: Floats) -> NDArray[np.int8]:
    return np.round(weights / scale).astype(np.int8)


def from_bytes(content: bytes, name: str = "weights") -> SentenceLabeller:
    """The labeller of a file. `name` stands in messages.

    Raises:
        BadWeights: it is not a labeller's file, or one of other features.
    """
    arrays = _arrays(content, name)
    header = _header(arrays, name)
    labels = len(header.labels)
    _check_shapes(arrays, labels, name)
    scale, idf_scale = arrays["scale"], arrays["idf_scale"][0]
    words = WordWeights(
        own_idf=_floats(arrays["own_idf"] * idf_scale),
        neighbour_idf=_floats(arrays["neighbour_idf"] * idf_scale),
        own=_floats(arrays["own"].T * scale),
        previous=_floats(arrays["previous"].T * scale),
        following=_floats(arrays["following"].T * scale),
    )
    rest = {key: _floats(arrays[key]) for key in UNSCALED}
    return SentenceLabeller(header, words, **rest)


def _floats(values: NDArray[Any]) -> Floats:
    return np.ascontiguousarray(values, np.float32)


def _arrays(content: bytes, name: str) -> dict[str, NDArray[Any]]:
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            if sum(member.file_size for member in archive.infolist()) > MOST_BYTES:
                raise BadWeights(f"{name} is larger than any labeller. Train the labeller again.")
        with np.load(io.BytesIO(content), allow_pickle=False) as file:
            return {key: file[key] for key in file.files}
    except (ValueError, OSError, EOFError, zipfile.BadZipFile) as error:
        raise BadWeights(f"{name} is not a labeller’s file ({error}). Train it again.") from error


def _header(arrays: Arrays, name: str) -> Header:
    try:
        values = json.loads(arrays["header"].tobytes())
        if values.pop("format") != FORMAT:
            raise ValueError("another format")
        features = values.pop("features")
        header = Header(**{**values, "labels": tuple(values["labels"])})
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise BadWeights(f"{name} has no valid header ({error}). Train it again.") from error
    if features != VERSION:
        raise BadWeights(
            f"{name} has features of version {features}, and this Qrelsmith makes version "
            f"{VERSION}. Train it again."
        )
    return header


def _check_shapes(arrays: Arrays, labels: int, name: str) -> None:
    shapes = {
        "scale": (labels,),
        "idf_scale": (1,),
        "own_idf": (OWN_COLUMNS,),
        "neighbour_idf": (NEIGHBOUR_COLUMNS,),
        "own": (labels, OWN_COLUMNS),
        "previous": (labels, NEIGHBOUR_COLUMNS),
        "following": (labels, NEIGHBOUR_COLUMNS),
        "position": (POSITION_COLUMNS, labels),
        "intercept": (labels,),
        "context": (CONTEXT_PER_LABEL * labels + POSITION_COLUMNS, labels),
        "context_intercept": (labels,),
    }
    for key, shape in shapes.items():
        if key not in arrays or arrays[key].shape != shape:
            raise BadWeights(f"{name} has no valid numbers of {key!r}. Train it again.")
    embedding = arrays.get("embedding")
    if embedding is None or embedding.ndim != 2 or embedding.shape[1] != labels:
        raise BadWeights(f"{name} has no valid numbers of 'embedding'. Train it again.")

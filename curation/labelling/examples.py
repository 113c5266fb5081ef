"""Labelled abstracts as JSON Lines, and the part of them that is held out. Pure.

Two forms are read: CSAbstruct's (`sentences`, `labels`, and `confs`, the share of the annotators
who chose each label), and Qrelsmith's own documents.jsonl (`docno`, `sentences`, `labels`).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from corpus.facets import is_label
from corpus.ordering import order_key
from web.errors import UserFacingError

HELD_OUT_PART = 5  # one abstract in five is held out for the score


class BadExample(UserFacingError):
    """A line that is not a labelled abstract. The message names file and line."""


@dataclass(frozen=True)
class Example:
    """An abstract: a label of each sentence, and how much each counts in training."""

    sentences: tuple[str, ...]
    labels: tuple[str, ...]
    weights: tuple[float, ...]


def read_examples(lines: Iterable[str], name: str) -> Iterator[Example]:
    """The labelled abstracts of a file named `name`. Documents without any label are left out.

    Raises:
        BadExample: a line is not JSON, or its lists do not belong together.
    """
    for number, line in enumerate(lines, start=1):
        if line.strip():
            example = _example(line, f"{name}:{number}")
            if example is not None:
                yield example


def _example(line: str, place: str) -> Example | None:
    try:
        values = json.loads(line)
    except (ValueError, RecursionError) as error:
        raise BadExample(f"{place}: this line is not JSON ({error}).") from error
    if not isinstance(values, dict) or not isinstance(values.get("sentences"), list):
        raise BadExample(f'{place}: "sentences" must be a list. Write a list of texts.')
    sentences, labels = values["sentences"], values.get("labels") or []
    if not labels or not sentences:
        return None
    weights = values.get("confs") or [1.0] * len(sentences)
    _check(sentences, labels, weights, place)
    labelled = [i for i, label in enumerate(labels) if label]
    if len(labelled) < len(labels):  # neighbours would be wrong if some sentences were left out
        return None
    return Example(tuple(sentences), tuple(labels), tuple(map(float, weights)))


def _check(sentences: list[Any], labels: Any, weights: Any, place: str) -> None:
    if not all(isinstance(sentence, str) for sentence in sentences):
        raise BadExample(f'{place}: "sentences" must hold texts only.')
    if not isinstance(labels, list) or len(labels) != len(sentences):
        got = len(labels) if isinstance(labels, list) else "no list"
        raise BadExample(
            f'{place}: "labels" must have a label for each of the {len(sentences)} sentences, '
            f"got {got}."
        )
    if bad := [label for label in labels if label != "" and not is_label(label)]:
        raise BadExample(
            f'{place}: "labels" must be texts of 1 to 60 characters, got {json.dumps(bad[0])[:60]}.'
        )
    if not _are_weights(weights, len(sentences)):
        raise BadExample(
            f'{place}: "confs" must have a number from 0 to 1 for each of the {len(sentences)} '
            "sentences."
        )


def _are_weights(weights: Any, count: int) -> bool:
    return (
        isinstance(weights, list)
        and len(weights) == count
        and all(isinstance(w, int | float) and 0 <= w <= 1 for w in weights)
        and any(weights)
    )


def hold_out(examples: Sequence[Example], seed: str) -> tuple[list[Example], list[Example]]:
    """The examples to train with, and one in five for the score, chosen by the seed."""
    order = sorted(
        range(len(examples)), key=lambda place: order_key(seed, "held-out", "", str(place))
    )
    held_out = set(order[: len(examples) // HELD_OUT_PART])
    return (
        [example for place, example in enumerate(examples) if place not in held_out],
        [example for place, example in enumerate(examples) if place in held_out],
    )

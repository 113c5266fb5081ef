"""Agreement of predicted labels with those of people. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np

from curation.labelling.examples import Example
from curation.labelling.features import WordHashes
from curation.labelling.model import Embed, SentenceLabeller

BATCH = 500  # abstracts at a time


@dataclass(frozen=True)
class LabelScore:
    """Of one label, from 0 to 1; None where it is undefined: no sentence was or got the label."""

    label: str
    sentences: int
    precision: float | None
    recall: float | None
    f1: float | None


@dataclass(frozen=True)
class LabellerScores:
    """Agreement of predictions with gold labels.

    `micro_f1` is the share of correct sentences: with one label for each sentence, micro-averaged
    precision, recall and F1 are equal. `confusion[i][j]` counts sentences of label i that were
    predicted as label j, by the order of `labels`.
    """

    abstracts: int
    sentences: int
    micro_f1: float
    labels: tuple[LabelScore, ...]
    confusion: tuple[tuple[int, ...], ...]


def score(
    labeller: SentenceLabeller, examples: Sequence[Example], embed: Embed | None = None
) -> LabellerScores:
    """Predict the labels of the examples, and compare. Raises ValueError without examples."""
    return compare([example.labels for example in examples], predictions(labeller, examples, embed))


def predictions(
    labeller: SentenceLabeller, examples: Sequence[Example], embed: Embed | None = None
) -> list[list[str]]:
    hashes = WordHashes()
    abstracts = [example.sentences for example in examples]
    batches = (abstracts[first : first + BATCH] for first in range(0, len(abstracts), BATCH))
    return [
        predicted.labels
        for batch in batches
        for predicted in labeller.predict(batch, hashes, embed)
    ]


def compare(gold: Sequence[Sequence[str]], predicted: Sequence[Sequence[str]]) -> LabellerScores:
    """Scores of predicted labels, by abstract. Raises ValueError if there is no sentence."""
    flat_gold, flat_predicted = list(chain(*gold)), list(chain(*predicted))
    if not flat_gold or len(flat_gold) != len(flat_predicted):
        raise ValueError(f"{len(flat_gold)} gold and {len(flat_predicted)} predicted labels")
    labels = sorted({*flat_gold, *flat_predicted})
    number_of = {label: number for number, label in enumerate(labels)}
    confusion = np.zeros((len(labels), len(labels)), np.int64)
    pairs = ([number_of[label] for label in side] for side in (flat_gold, flat_predicted))
    np.add.at(confusion, tuple(pairs), 1)
    return LabellerScores(
        abstracts=len(gold),
        sentences=len(flat_gold),
        micro_f1=float(np.trace(confusion) / len(flat_gold)),
        labels=tuple(_label_score(label, confusion, number) for number, label in enumerate(labels)),
        confusion=tuple(tuple(map(int, row)) for row in confusion),
    )


def _label_score(label: str, confusion: np.ndarray[Any, Any], number: int) -> LabelScore:
    correct = int(confusion[number, number])
    gold, predicted = int(confusion[number].sum()), int(confusion[:, number].sum())
    return LabelScore(
        label,
        gold,
        correct / predicted if predicted else None,
        correct / gold if gold else None,
        2 * correct / (gold + predicted) if gold + predicted else None,
    )

"""What each sentence of an abstract is about: a small model, trained on CSAbstruct (Cohan et al., EMNLP 2019).

Two linear models of scikit-learn. The first reads the words of a sentence and of its neighbours, and its place. The
second reads what the first says of the whole abstract (stacking; Wolpert, 1992), so that a sentence between two of a
method is more likely one of the method.

`labeller.npz` has their coefficients as arrays: no text, and nothing that runs when it is read. `train_labeller`
writes it again, byte for byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import chain, pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from web.errors import BadInput

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

SHIPPED = Path(__file__).with_name("labeller.npz")
LABELS = ("background", "method", "objective", "other", "result")
OTHER = "other"  # a sentence that belongs to no facet
OWN_COLUMNS, NEAR_COLUMNS = 2**16, 2**15  # of hashed sequences of words; twice as many are no better
PLACES = 12  # from the start, from the end, and lengths that are told apart
TENTHS = 10
FOLDS = 5
# Chosen by five-fold cross-validation over the abstracts of train.jsonl and dev.jsonl.
OWN_WEIGHT, PLACE_WEIGHT = 2.0, 0.5  # beside the words of a neighbour, which weigh 1
TRUST = 2  # a label weighs the share of annotators who chose it to this power
FIRST = {"loss": "log_loss", "alpha": 1e-4, "max_iter": 20, "tol": None, "average": True, "random_state": 1}
SECOND = {"C": 0.3, "solver": "newton-cholesky", "tol": 1e-8}
DECIMALS = 4  # later ones of the second model differ between processors


@dataclass(frozen=True)
class Abstract:
    """`weights` are the shares of annotators who chose each label."""

    sentences: list[str]
    labels: list[str]
    weights: list[float]


@dataclass(frozen=True)
class Labeller:
    """scikit-learn's SGDClassifier (one label against the others) and LogisticRegression, fitted."""

    first: Any
    second: Any

    def predict(self, abstracts: Sequence[Sequence[str]]) -> list[tuple[list[str], list[float]]]:
        """Of each abstract, which has at least one sentence: labels, and their probabilities rounded to 3 decimals."""
        shape = Shape(abstracts)
        first = self.first.predict_proba(features(abstracts, shape))
        found = self.second.predict_proba(context(first, shape))  # (sentences, labels)
        best = iter(zip(self.second.classes_[found.argmax(1)].tolist(), found.max(1).round(3).tolist(), strict=True))
        pairs = [[next(best) for _ in sentences] for sentences in abstracts]
        return [([label for label, _ in each], [certainty for _, certainty in each]) for each in pairs]

    def save(self, path: Path) -> None:
        """Not compressed: the bytes do not depend on a compressor's version."""
        import numpy as np

        arrays = {
            "labels": self.second.classes_,
            "first": self.first.coef_.astype(np.float16),  # (labels, features)
            "first_intercept": self.first.intercept_.round(DECIMALS),
            "second": self.second.coef_.round(DECIMALS),  # (labels, context)
            "second_intercept": self.second.intercept_.round(DECIMALS),
        }
        with path.open("wb") as file:
            np.savez(file, **arrays)


@cache
def load(path: Path = SHIPPED) -> Labeller:
    import numpy as np
    from sklearn.linear_model import LogisticRegression, SGDClassifier

    labeller = Labeller(SGDClassifier(**FIRST), LogisticRegression(**SECOND))
    with np.load(path, allow_pickle=False) as arrays:
        for name, model in (("first", labeller.first), ("second", labeller.second)):
            model.classes_ = arrays["labels"]
            model.coef_ = arrays[name].astype(float)
            model.intercept_ = arrays[f"{name}_intercept"]
    return labeller


class Shape:
    """Of each sentence, its place in its abstract from 0, and the number of sentences there."""

    def __init__(self, abstracts: Sequence[Sequence[str]]) -> None:
        import numpy as np

        counts = np.array([len(sentences) for sentences in abstracts])
        self.abstract = np.repeat(np.arange(len(counts)), counts)
        self.start = np.repeat(np.cumsum(counts) - counts, counts)
        self.place = np.arange(counts.sum()) - self.start
        self.length = np.repeat(counts, counts)

    def neighbour(self, offset: int) -> Any:
        """(sentences, sentences), sparse: 1 from each sentence to the one `offset` further in its abstract."""
        import numpy as np
        from scipy.sparse import csr_array

        found = np.flatnonzero((self.place + offset >= 0) & (self.place + offset < self.length))
        size = len(self.place)
        return csr_array((np.ones(len(found)), (found, found + offset)), shape=(size, size))

    def places(self) -> Floats:
        """(sentences, 3 × PLACES + TENTHS) of zeros and ones."""
        import numpy as np

        known = (self.place, self.length - 1 - self.place, self.length - 1)
        parts = [np.eye(PLACES)[np.minimum(each, PLACES - 1)] for each in known]
        return np.hstack([*parts, np.eye(TENTHS)[self.place * TENTHS // self.length]])


def features(abstracts: Sequence[Sequence[str]], shape: Shape) -> Any:
    """(sentences, columns), sparse: words of the sentence, of the one before and the one after; its place.

    MurmurHash3 says which column a sequence of words has. Each of the three parts has length 1, times its weight.
    """
    from scipy.sparse import csr_array, hstack
    from sklearn.feature_extraction.text import HashingVectorizer

    def hashed(sequences: Callable[[str], Iterator[str]], columns: int) -> Any:
        hashing = HashingVectorizer(n_features=columns, analyzer=sequences, binary=True, alternate_sign=False)
        return hashing.transform(chain.from_iterable(abstracts))

    own, words = hashed(own_sequences, OWN_COLUMNS), hashed(near_sequences, NEAR_COLUMNS)
    near = [shape.neighbour(offset) @ words for offset in (-1, 1)]
    return hstack([OWN_WEIGHT * own, *near, csr_array(PLACE_WEIGHT * shape.places())], format="csr")


def words_of(sentence: str) -> list[str]:
    """Words and marks; every number counts as 0."""
    return re.findall(r"\w+|[^\w\s]", re.sub(r"\d+", "0", sentence.lower()))


def near_sequences(sentence: str) -> Iterator[str]:
    """What a sentence says to its neighbours: one and two words, and its first one to three ("^")."""
    words = words_of(sentence)
    yield from words
    yield from map(" ".join, pairwise(words))
    yield from (" ".join(["^", *words[:number]]) for number in (1, 2, 3) if len(words) >= number)


def own_sequences(sentence: str) -> Iterator[str]:
    """The same, three words, and its last two ("$")."""
    words = words_of(sentence)
    yield from near_sequences(sentence)
    yield from map(" ".join, zip(words, words[1:], words[2:], strict=False))
    yield " ".join(["$", *words[-2:]])


def context(probabilities: Floats, shape: Shape) -> Floats:
    """(sentences, 14 × labels + places): the first model's probabilities in the abstract around each sentence.

    They and their logarithms, of the sentence, of the one and two before and after it, and the means of all before
    and of all after it; zeros where there is none.
    """
    import numpy as np

    here = np.hstack([np.log(np.maximum(probabilities, 1e-6)), probabilities])
    near = [shape.neighbour(offset) @ here for offset in (-1, 1, -2, 2)]
    sums = np.vstack([np.zeros(here.shape[1]), here.cumsum(axis=0)])
    at, end = np.arange(len(here)), shape.start + shape.length
    before = (sums[at] - sums[shape.start]) / np.maximum(shape.place, 1)[:, None]
    after = (sums[end] - sums[at + 1]) / np.maximum(end - at - 1, 1)[:, None]
    return np.hstack([here, *near, before, after, shape.places()])


def train(abstracts: Sequence[Abstract]) -> Labeller:
    """The second model learns from what the first says of abstracts that it has not seen."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression, SGDClassifier
    from sklearn.model_selection import GroupKFold, cross_val_predict

    texts = [each.sentences for each in abstracts]
    shape = Shape(texts)
    labels = np.array([label for each in abstracts for label in each.labels])
    weights = np.array([weight for each in abstracts for weight in each.weights]) ** TRUST
    first, read = SGDClassifier(**FIRST), features(texts, shape)
    unseen = cross_val_predict(
        first,
        read,
        labels,
        groups=shape.abstract,
        cv=GroupKFold(FOLDS),
        method="predict_proba",
        params={"sample_weight": weights},
    )
    second = LogisticRegression(**SECOND).fit(context(unseen, shape), labels, sample_weight=weights)
    return Labeller(first.fit(read, labels, sample_weight=weights), second)


def read_abstracts(path: Path) -> Iterator[Abstract]:
    """A file of CSAbstruct: one JSON object a line with sentences, labels and confs."""
    for number, line in enumerate(path.read_text("utf-8").splitlines(), 1):
        try:
            record = json.loads(line)
            yield Abstract(record["sentences"], record["labels"], record["confs"])
            if not len(record["sentences"]) == len(record["labels"]) == len(record["confs"]) > 0:
                raise ValueError("the lists have different lengths")
            if unknown := set(record["labels"]) - set(LABELS):
                raise ValueError(f"the label {min(unknown)}")
        except (ValueError, KeyError, TypeError) as error:
            raise BadInput(
                f'{path.name}:{number}: a line needs the lists "sentences", "labels" and "confs" ({error}).'
            ) from error

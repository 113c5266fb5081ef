"""What each sentence of an abstract is about: a small model, trained on CSAbstruct (Cohan et al., EMNLP 2019).

Linear models of scikit-learn. Two first ones read a sentence, its neighbours and its place: one by words and parts of
words, one by parts of words alone. The second reads what they say of the whole abstract (stacking; Wolpert, 1992), so
that a sentence between two of a method is more likely one of the method.

`labeller.npz` has their coefficients as arrays: no text, and nothing that runs when it is read. `train_labeller`
writes it again, byte for byte.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
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
# Columns of hashed sequences of words, and of parts of words. Twice as many are no better.
OWN_COLUMNS, NEAR_COLUMNS, PART_COLUMNS = 2**16, 2**15, 2**15
PARTS = (3, 5)  # characters, so that "proposes" is near "proposing"
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
    """scikit-learn's SGDClassifiers (one label against the others) and LogisticRegression, fitted."""

    first: Sequence[Any]
    second: Any

    def predict(self, abstracts: Sequence[Sequence[str]]) -> list[tuple[list[str], list[float]]]:
        """Of each abstract, which has at least one sentence: labels, and their probabilities rounded to 3 decimals."""
        shape = Shape(abstracts)
        read = zip(self.first, features(abstracts, shape), strict=True)
        first = [model.predict_proba(columns) for model, columns in read]
        found = self.second.predict_proba(context(first, shape))  # (sentences, labels)
        best = iter(zip(self.second.classes_[found.argmax(1)].tolist(), found.max(1).round(3).tolist(), strict=True))
        pairs = [[next(best) for _ in sentences] for sentences in abstracts]
        return [([label for label, _ in each], [certainty for _, certainty in each]) for each in pairs]

    def save(self, path: Path) -> None:
        """Not compressed: the bytes do not depend on a compressor's version."""
        import numpy as np

        arrays = {
            "labels": self.second.classes_,
            "second": self.second.coef_.round(DECIMALS),  # (labels, context)
            "second_intercept": self.second.intercept_.round(DECIMALS),
        }
        for number, model in enumerate(self.first):
            arrays[f"first{number}"] = model.coef_.astype(np.float16)  # (labels, features)
            arrays[f"first{number}_intercept"] = model.intercept_.round(DECIMALS)
        with path.open("wb") as file:
            np.savez(file, **arrays)


@cache
def load(path: Path = SHIPPED) -> Labeller:
    import numpy as np
    from sklearn.linear_model import LogisticRegression, SGDClassifier

    models = {
        "first0": SGDClassifier(**FIRST),
        "first1": SGDClassifier(**FIRST),
        "second": LogisticRegression(**SECOND),
    }
    with np.load(path, allow_pickle=False) as arrays:
        for name, model in models.items():
            model.classes_ = arrays["labels"]
            model.coef_ = arrays[name].astype(float)
            model.intercept_ = arrays[f"{name}_intercept"]
    return Labeller([models["first0"], models["first1"]], models["second"])


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


def features(abstracts: Sequence[Sequence[str]], shape: Shape) -> list[Any]:
    """What each of the first models reads (sentences, columns), sparse.

    MurmurHash3 says which column a sequence has. Those of one kind have length 1 together, times their weight.
    """
    from scipy.sparse import csr_array, hstack
    from sklearn.feature_extraction.text import HashingVectorizer

    def hashed(columns: int, **options: Any) -> Any:
        hashing = HashingVectorizer(n_features=columns, binary=True, alternate_sign=False, **options)
        return hashing.transform(chain.from_iterable(abstracts))

    own, words = hashed(OWN_COLUMNS, analyzer=own_sequences), hashed(NEAR_COLUMNS, analyzer=near_sequences)
    parts = hashed(PART_COLUMNS, analyzer="char_wb", ngram_range=PARTS, preprocessor=without_numbers)
    place, beside = csr_array(PLACE_WEIGHT * shape.places()), [shape.neighbour(offset) for offset in (-1, 1)]
    return [
        hstack([OWN_WEIGHT * own, *(each @ words for each in beside), parts, place], format="csr"),
        hstack([OWN_WEIGHT * parts, *(each @ parts for each in beside), place], format="csr"),
    ]


def without_numbers(sentence: str) -> str:
    """In lower case, and every number counts as 0."""
    return re.sub(r"\d+", "0", sentence.lower())


def words_of(sentence: str) -> list[str]:
    """Words and marks."""
    return re.findall(r"\w+|[^\w\s]", without_numbers(sentence))


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


def context(probabilities: Sequence[Floats], shape: Shape) -> Floats:
    """(sentences, 28 × labels + places): both first models' probabilities in the abstract around each sentence.

    They and their logarithms, of the sentence, of the one and two before and after it, and the means of all before
    and of all after it; zeros where there is none.
    """
    import numpy as np

    here = np.hstack([*(np.log(np.maximum(each, 1e-6)) for each in probabilities), *probabilities])
    near = [shape.neighbour(offset) @ here for offset in (-1, 1, -2, 2)]
    sums = np.vstack([np.zeros(here.shape[1]), here.cumsum(axis=0)])
    at, end = np.arange(len(here)), shape.start + shape.length
    before = (sums[at] - sums[shape.start]) / np.maximum(shape.place, 1)[:, None]
    after = (sums[end] - sums[at + 1]) / np.maximum(end - at - 1, 1)[:, None]
    return np.hstack([here, *near, before, after, shape.places()])


def train(abstracts: Sequence[Abstract]) -> Labeller:
    """The second model learns from what the first ones say of abstracts that they have not seen."""
    import numpy as np
    from sklearn.linear_model import LogisticRegression, SGDClassifier
    from sklearn.model_selection import GroupKFold, cross_val_predict

    texts = [each.sentences for each in abstracts]
    shape = Shape(texts)
    labels = np.array([label for each in abstracts for label in each.labels])
    weights = np.array([weight for each in abstracts for weight in each.weights]) ** TRUST
    first, unseen = [], []
    for read in features(texts, shape):
        model = SGDClassifier(**FIRST)
        about = {"method": "predict_proba", "params": {"sample_weight": weights}}
        folds = {"groups": shape.abstract, "cv": GroupKFold(FOLDS)}
        unseen.append(cross_val_predict(model, read, labels, **folds, **about))
        first.append(model.fit(read, labels, sample_weight=weights))
    second = LogisticRegression(**SECOND).fit(context(unseen, shape), labels, sample_weight=weights)
    return Labeller(first, second)


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

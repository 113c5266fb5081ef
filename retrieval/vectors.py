"""Vectors of texts: means of word vectors that are trained over a corpus, those of sentence encoders, and the nearest.

What needs an extra imports it where it is used, so that all else works without.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from tempfile import TemporaryFile
from typing import TYPE_CHECKING, Any

from retrieval.lists import Ranking, best_hits
from web.errors import BadInput

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Floats = NDArray[np.floating[Any]]

DIMENSIONS = 200
SEED = 1
RUNNING_WORDS = 100_000_000  # that training reads, in 1 to 20 passes: a small corpus needs more of them
MANY_WORDS = 1_000_000  # running words from which rare ones get no vector
TOGETHER = 10_000  # vectors that are compared at once, in double precision

Report = Callable[[int, int, str], None]  # done, of how many, a note


class Words:
    """The words of a corpus: how many documents have each, and vectors that are trained over all of them.

    They are kept in a file, because training reads them up to twenty times, and gensim does so in a thread that has
    no transaction of the job.
    """

    def __init__(self, texts: Iterable[str], report: Report) -> None:
        from sklearn.feature_extraction.text import CountVectorizer

        self.report = report
        self.words_of: Callable[[str], list[str]] = CountVectorizer().build_analyzer()
        self.having: Counter[str] = Counter()  # documents, by word
        self.documents = self.running = 0
        self._file = TemporaryFile("w+", encoding="utf-8", newline="\n")  # noqa: SIM115  (closed with the object)
        for text in texts:
            found = self.words_of(text)
            self.having.update(set(found))
            self.documents += 1
            self.running += len(found)
            self._file.write(" ".join(found) + "\n")
        if not self.running:
            raise BadInput("No document has a text, so there is nothing to compare.")

    def __iter__(self) -> Iterator[list[str]]:
        """The words of each document, in their order."""
        self._file.seek(0)
        return (line.split() for line in self._file)

    @cached_property
    def places(self) -> dict[str, int]:
        """The column of each word."""
        return {word: place for place, word in enumerate(sorted(self.having))}

    @cached_property
    def frequencies(self) -> Floats:
        """(words,) documents with each word."""
        import numpy as np

        return np.array([self.having[word] for word in self.places], float)

    @cached_property
    def _counting(self) -> Any:
        from sklearn.feature_extraction.text import CountVectorizer

        return CountVectorizer(vocabulary=self.places, dtype=float)

    def counts(self, texts: Iterable[str]) -> Any:
        """(texts, words), sparse."""
        return self._counting.transform(texts)

    def weights(self, texts: Iterable[str]) -> Any:
        """tf · idf (texts, words), sparse: as scikit-learn's TfidfVectorizer has it, before its rows have length 1."""
        import numpy as np

        idf = np.log((1 + self.documents) / (1 + self.frequencies)) + 1
        return self.counts(texts).multiply(idf).tocsr()

    @cached_property
    def trained(self) -> tuple[list[str], Floats]:
        """Words and their vectors (words, 200): continuous bag of words, negative sampling (Mikolov et al., 2013).

        One thread and a fixed seed: the same on one machine with one version of gensim, not on all machines.
        """
        from gensim.models import Word2Vec
        from gensim.models.callbacks import CallbackAny2Vec

        report, passes = self.report, min(20, max(1, RUNNING_WORDS // self.running))

        class Progress(CallbackAny2Vec):
            done = 0

            def on_epoch_end(self, model: Any) -> None:
                self.done += 1
                report(self.done, passes, "passes of training")

        model = Word2Vec(
            sentences=self,
            vector_size=DIMENSIONS,
            min_count=5 if self.running >= MANY_WORDS else 1,
            epochs=passes,
            workers=1,
            seed=SEED,
            callbacks=[Progress()],
        )
        return model.wv.index_to_key, model.wv.vectors

    @cached_property
    def _table(self) -> tuple[Floats, Floats]:
        """(words, dimensions) vectors by place, zeros for a word that has none; (words,) 1, or 0 for such a word."""
        import numpy as np

        words, vectors = self.trained
        columns = [self.places[word] for word in words]
        table, known = np.zeros((len(self.places), vectors.shape[1])), np.zeros(len(self.places))
        table[columns], known[columns] = vectors, 1
        return table, known

    def means(self, texts: Sequence[str], *, is_weighted: bool) -> Floats:
        """(texts, dimensions): the mean vector of each text's words, weighted by tf · idf or by tf alone.

        NaN where no word has a vector.
        """
        import numpy as np

        table, known = self._table
        weights = (self.weights if is_weighted else self.counts)(texts)
        totals = (weights @ known)[:, None]
        totals[totals == 0] = np.nan
        return (weights @ table) / totals


loaded: dict[tuple[str, str], Any] = {}  # the encoder in use: a worker keeps one


def load_encoder(model: str, pooling: str = "") -> Any:
    """From the folder of Hugging Face's models (HF_HOME), or downloaded into it. `pooling`: "" is the model's own."""
    if (model, pooling) not in loaded:
        from sentence_transformers import SentenceTransformer, models

        loaded.clear()
        try:
            if pooling:
                words = models.Transformer(model)
                pool = models.Pooling(words.get_word_embedding_dimension(), pooling_mode=pooling)
                loaded[model, pooling] = SentenceTransformer(modules=[words, pool], device="cpu")
            else:
                loaded[model, pooling] = SentenceTransformer(model, device="cpu")
        except (OSError, ValueError) as error:
            raise BadInput(
                f"The model {model} cannot be loaded: it is not in the folder HF_HOME of the worker, and could not be "
                "downloaded. Put it there, or let the worker reach the Hugging Face Hub."
            ) from error
    return loaded[model, pooling]


def encoded(texts: Sequence[str], model: str, pooling: str = "") -> Floats:
    """(texts, dimensions), each of length 1."""
    encoder = load_encoder(model, pooling)
    vectors: Floats = encoder.encode(list(texts), normalize_embeddings=True, show_progress_bar=False)
    return vectors


def by_distance(vectors: Floats, asked: Floats) -> Floats:
    """Minus the Euclidean distance."""
    import numpy as np

    return -np.sqrt(((vectors - asked) ** 2).sum(axis=1))


def by_product(vectors: Floats, asked: Floats) -> Floats:
    return (vectors * asked).sum(axis=1)


def by_cosine(vectors: Floats, asked: Floats) -> Floats:
    """NaN for a vector of zeros."""
    import numpy as np

    with np.errstate(invalid="ignore", divide="ignore"):
        return by_product(vectors, asked) / np.sqrt(by_product(vectors, vectors) * (asked**2).sum())


Compare = Callable[["Floats", "Floats"], "Floats"]  # (vectors, dimensions), (dimensions,) → (vectors,)


def nearest(docnos: Sequence[str], vectors: Floats, asked: Floats, depth: int, compare: Compare) -> Iterator[Ranking]:
    """For each of the `asked` (queries, dimensions) the best documents; `vectors` are (documents, dimensions).

    What cannot be compared (NaN) is not found. Sums are of doubles and rounded to float32 at the end, so that
    processors rarely differ.
    """
    import numpy as np

    for one in asked.astype(np.float64):
        parts = (vectors[start : start + TOGETHER] for start in range(0, len(vectors), TOGETHER))
        scores = np.concatenate([compare(part.astype(np.float64), one) for part in parts]).astype(np.float32)
        yield best_hits(docnos, scores, np.flatnonzero(np.isfinite(scores)), depth)

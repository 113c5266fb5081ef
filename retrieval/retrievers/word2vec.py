"""A word2vec model per corpus, trained by gensim and stored beside the indexes that share it.

Continuous bag of words with negative sampling (Mikolov et al., 2013), over titles and abstracts.

On the same machine with the same version of gensim, a corpus always gives the same vectors, bit for
bit. Training uses a single thread, a fixed seed, sorted documents and no `hash()`. Other machines
give other vectors: BLAS kernels differ in the last digits, and training amplifies that.
To rebuild pools elsewhere, publish the runs (their digests are in the manifest), not only the plan.
"""

from __future__ import annotations

import fcntl
import hashlib
import re
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from corpus.digests import canonical_json, json_digest
from corpus.encoder_models import EncoderMissing
from retrieval.indexes.external_sort import BEAT, SortedTexts
from retrieval.indexes.folders import IndexCorrupt, build_folder, check_folder, description
from retrieval.indexes.string_table import open_strings, write_strings
from retrieval.interface import NothingToIndex, Progress
from web.extras import missing_package

MODELS = "models"
PIECE_DOCUMENTS = 20_000  # documents between two reports of progress, a few seconds
MANY_WORDS = 1_000_000
WORD = re.compile(r"(?u)\b\w\w+\b")
WORDS = "words"  # a word's number is its index; the most frequent first
VECTORS_FILE = "vectors.npy"


@dataclass(frozen=True)
class Training:
    """The training parameters of word vectors. None depends on the size of the corpus."""

    dimensions: int = 200
    window: int = 5
    negative: int = 5
    sample: float | None = None
    min_count: int | None = None
    epochs: int | None = None
    seed: int = 1
    threads: int = 1  # more are faster, but then every training gives other vectors

    @property
    def parameters(self) -> dict[str, object]:
        return {
            **asdict(self),
            "sample": self.sample or "1e-4 from a million running words, else 1e-3",
            "min_count": self.min_count or "5 from a million running words, else 1",
            "epochs": self.epochs or "enough for 100 million running words, 1 to 20",
            "trained_on": "titles and abstracts",
            "tokens": r"(?u)\b\w\w+\b, lower case",
        }

    def sample_rate(self, words: int) -> float:
        """The share of running words above which a word is often skipped."""
        return self.sample or (1e-4 if words >= MANY_WORDS else 1e-3)

    def smallest_count(self, words: int) -> int:
        """The smallest count of a word with a vector, in a corpus of so many running words."""
        return self.min_count or (5 if words >= MANY_WORDS else 1)

    def passes(self, words: int) -> int:
        """The number of passes: more for a small corpus, fewer for a large corpus.

        A single pass over a large corpus is as good as several over half of it (Mikolov, Chen,
        Corrado & Dean, 2013, section 4.3).
        """
        return self.epochs or min(20, max(1, -(-100_000_000 // max(words, 1))))


class WordVectors(NamedTuple):
    """`vectors[n]`, (dimensions,) float32, is that of `words[n]`."""

    words: list[str]
    vectors: NDArray[np.float32]


@dataclass(frozen=True)
class _Model:
    """The description of a model in its folder."""

    training: Training
    corpus: str

    name = "word2vec"
    kind = "word2vec"

    @property
    def version(self) -> str:
        return model_version()

    @property
    def parameters(self) -> dict[str, object]:
        return {**self.training.parameters, "corpus": self.corpus}

    @property
    def key(self) -> str:
        return json_digest(description(self))[:16]


def model_version() -> str:
    """Changes whenever the same corpus may get other vectors."""
    try:
        return f"1, gensim {version('gensim')}"
    except PackageNotFoundError:  # it is an extra; `_train` says so
        return "1, without gensim"


def tokens(text: str) -> list[str]:
    """The words of a text, as in TF-IDF: two or more letters, digits or underscores."""
    return WORD.findall(text.lower())


def word_vectors(
    texts: SortedTexts, training: Training, indexes: Path, progress: Progress
) -> WordVectors:
    """Open the word vectors of the corpus in the folder of indexes, or train them.

    `texts` has titles and abstracts. When several workers need the same model, one trains it and
    the others wait. `progress` gets 0 from time to time. Raises NothingToIndex for a corpus without
    words, DuplicateDocument, and EncoderMissing if gensim is not installed.
    """
    model = _Model(training, _digest(texts, progress))
    folder = indexes / MODELS / f"{model.name}-{model.key}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with _training_lock(folder, progress):
        if folder.exists():
            try:
                return _open_model(folder, model)
            except IndexCorrupt:
                pass  # training replaces it

        def write(draft: Path, scratch: Path) -> Sequence[str]:
            _train(texts, training, draft, scratch, progress)
            return ()

        build_folder(folder, model, write)
        return _open_model(folder, model)


def _open_model(folder: Path, model: _Model) -> WordVectors:
    check_folder(folder, model)
    try:
        words = list(open_strings(folder, WORDS))
        return WordVectors(words, np.load(folder / VECTORS_FILE, mmap_mode="r"))
    except (OSError, ValueError) as error:
        raise IndexCorrupt(folder, str(error)) from error


@contextmanager
def _training_lock(folder: Path, progress: Progress) -> Iterator[None]:
    """Only one process trains a model at a time. The kernel frees the lock of a killed process.

    Without locks in the file system, two may train the same model at once. The model that is
    finished first stays.
    """
    with folder.with_name(f".{folder.name}.lock").open("a") as lock:
        while not _try_lock(lock.fileno()):
            progress(0)
            time.sleep(0.5)
        yield


def _try_lock(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError:
        return True
    return True


def _digest(texts: SortedTexts, progress: Progress) -> str:
    """SHA-256 (hex) of every docno and text, docno descending."""
    digest = hashlib.sha256()
    for number, pair in enumerate(texts):
        digest.update(canonical_json(pair) + b"\n")
        if number % BEAT == 0:
            progress(0)
    return digest.hexdigest()


@dataclass(frozen=True)
class _Piece:
    """A file of documents, one per line, with spaces between words."""

    path: Path
    documents: int
    words: int


def _train(
    texts: SortedTexts, training: Training, draft: Path, scratch: Path, progress: Progress
) -> None:
    if missing := missing_package("gensim", "Training word vectors"):
        raise EncoderMissing(missing)
    from gensim.models import Word2Vec  # takes a second, which a web process should not spend

    pieces = list(_pieces(texts, scratch, progress))
    words = sum(piece.words for piece in pieces)
    if not words:
        raise NothingToIndex("no document has a word, so there is nothing to train on")
    passes = training.passes(words)
    model = Word2Vec(
        vector_size=training.dimensions,
        window=training.window,
        negative=training.negative,
        sample=training.sample_rate(words),
        min_count=training.smallest_count(words),
        seed=training.seed,
        epochs=passes,
        sg=0,
        cbow_mean=1,
        workers=training.threads,
        hashfxn=_checksum,
    )
    model.build_vocab(_sentences(pieces, progress))
    if not len(model.wv):
        raise NothingToIndex(
            f"no word comes {training.smallest_count(words)} times; lower min_count"
        )
    _train_by_pieces(model, pieces, passes, progress)
    write_strings(draft, WORDS, model.wv.index_to_key)
    np.save(draft / VECTORS_FILE, model.wv.vectors.astype(np.float32))


def _train_by_pieces(model: Any, pieces: Sequence[_Piece], passes: int, progress: Progress) -> None:
    """Train piece by piece, and report progress between the pieces.

    The learning rate falls from piece to piece as in a training without pieces. gensim's own
    callbacks come once an epoch, and a large corpus has one epoch, of minutes.
    """
    total_words = passes * sum(piece.words for piece in pieces)
    done, top, fall = 0, model.alpha, model.alpha - model.min_alpha
    for _ in range(passes):
        for piece in pieces:
            progress(0)
            if not piece.words:
                continue
            before, done = done, done + piece.words
            model.train(
                corpus_file=str(piece.path),
                total_examples=piece.documents,
                total_words=piece.words,
                epochs=1,
                start_alpha=top - fall * before / total_words,
                end_alpha=top - fall * done / total_words,
            )


def _pieces(texts: SortedTexts, scratch: Path, progress: Progress) -> Iterator[_Piece]:
    lines = (tokens(text) for _, text in texts)
    number = 0
    while batch := list(islice(lines, PIECE_DOCUMENTS)):
        progress(0)
        path = scratch / f"piece-{number}.txt"
        with path.open("w", encoding="utf-8") as stream:
            stream.writelines(" ".join(line) + "\n" for line in batch)
        yield _Piece(path, len(batch), sum(map(len, batch)))
        number += 1


def _sentences(pieces: Sequence[_Piece], progress: Progress) -> Iterator[list[str]]:
    for piece in pieces:
        progress(0)
        with piece.path.open(encoding="utf-8") as stream:
            for line in stream:
                yield line.split()


def _checksum(word: str) -> int:
    """Replaces `hash()`, which differs between processes."""
    return crc32(word.encode())

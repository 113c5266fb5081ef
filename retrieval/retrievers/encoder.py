"""Any encoder of sentence-transformers or Hugging Face, as an optional extra.

The input is title, separator, abstract. The vector comes from the model's own pooling
(`pooling=model`), the first token (`cls`: SPECTER, SciNCL) or the mean of all tokens (`mean`).

Encoding a corpus takes hours on a small machine. So vectors are saved in parts, each under a digest
of its texts. The next build after a killed one reads them and continues.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
from numpy.typing import NDArray

from corpus.digests import canonical_json
from corpus.encoder_models import EncoderMissing as EncoderMissing
from corpus.encoder_models import load_model
from retrieval.indexes.arrays import new_map
from retrieval.indexes.external_sort import sort_texts
from retrieval.indexes.folders import FolderRetriever, IndexDraft, description
from retrieval.interface import IndexedText, Progress
from retrieval.retrievers.dense import METRICS, Metric, VectorRanker, Vectors

PREFIX = "encoder:"
POOLINGS = ("model", "mean", "cls")
CACHED_DOCUMENTS = 1_024  # documents per saved part: the most that a kill can cost
BATCH = 32  # texts per call of the model
VECTORS_FILE = "vectors.npy"
TOKENIZERS_OWN = "sep"

Floats = NDArray[np.float32]


@dataclass(frozen=True)
class Encoder(FolderRetriever):
    """Ranks by the vectors of a model: a folder, or a name that the libraries know.

    `separator` "sep" is the separator token of the model's tokenizer; other values are literal.
    """

    model: str
    pooling: str = "model"
    metric: Metric = "cosine"
    separator: str = TOKENIZERS_OWN

    kind = "encoder"

    @classmethod
    def from_name(cls, name: str) -> Encoder:
        """`encoder:MODEL`, or `encoder:MODEL?pooling=cls&metric=l2&separator=sep`.

        Raises ValueError for an unknown setting or value.
        """
        model, _, query = name.removeprefix(PREFIX).partition("?")
        settings = dict(parse_qsl(query, keep_blank_values=True))
        if not model:
            raise ValueError(f"{name} has no model; write {PREFIX}MODEL, with a folder or a name.")
        for setting, values in (("pooling", POOLINGS), ("metric", METRICS)):
            if (value := settings.get(setting, values[0])) not in values:
                choices = ", ".join(values)
                raise ValueError(f"{name}: {setting} must be one of {choices}, got {value!r}.")
        if unknown := settings.keys() - {"pooling", "metric", "separator"}:
            raise ValueError(
                f"{name}: unknown setting {min(unknown)!r}; use pooling, metric or separator."
            )
        metric: Metric = "l2" if settings.get("metric") == "l2" else "cosine"
        return cls(
            model,
            settings.get("pooling", "model"),
            metric,
            settings.get("separator", TOKENIZERS_OWN),
        )

    @property
    def name(self) -> str:
        defaults = {"pooling": "model", "metric": "cosine", "separator": TOKENIZERS_OWN}
        settings = [
            f"{key}={value}"
            for key, default in defaults.items()
            if (value := getattr(self, key)) != default
        ]
        return f"{PREFIX}{self.model}" + (f"?{'&'.join(settings)}" if settings else "")

    @property
    def version(self) -> str:
        return f"1, {', '.join(map(_package_version, ('sentence-transformers', 'torch')))}"

    @property
    def parameters(self) -> dict[str, object]:
        return {
            "field": "title, separator, abstract",
            "model": self.model,
            "weights": _weights_digest(self.model),
            "pooling": self.pooling,
            "metric": self.metric,
            "separator": self.separator,
        }

    def build(self, documents: Iterable[IndexedText], folder: Path, progress: Progress) -> None:
        """See Retriever.build; continues a build that was killed. Raises EncoderMissing."""
        super().build(documents, folder, progress)
        shutil.rmtree(_parts_of(folder), ignore_errors=True)

    def read(self, folder: Path, docnos: Sequence[str]) -> VectorRanker:
        """The first query loads the model."""
        vectors = Vectors.of(folder / VECTORS_FILE)
        return VectorRanker("text", docnos, vectors, self.metric, self._loaded)

    def _loaded(self) -> Callable[[Sequence[str]], Floats]:
        return partial(self.encode, network=self._network())

    def encode(self, texts: Sequence[str], network: Any) -> Floats:
        """(texts, width) float32; the first line of a text is the title."""
        separator = network.tokenizer.sep_token or " "
        separator = separator if self.separator == TOKENIZERS_OWN else self.separator
        joined_texts = [text.replace("\n", separator, 1) for text in texts]
        if self.pooling == "model":
            vectors = network.encode(
                joined_texts, batch_size=BATCH, convert_to_numpy=True, show_progress_bar=False
            )
            return np.asarray(vectors, np.float32)
        # A (tokens, width) tensor per text, without padding.
        states = network.encode(
            joined_texts,
            batch_size=BATCH,
            output_value="token_embeddings",
            convert_to_numpy=False,
            show_progress_bar=False,
        )
        tensors = [state[0] if self.pooling == "cls" else state.mean(0) for state in states]
        return np.stack([state.float().cpu().numpy() for state in tensors])

    def _network(self) -> Any:
        return load_model(self.model, self.name)

    def write(
        self, documents: Iterable[IndexedText], place: IndexDraft, progress: Progress
    ) -> list[str]:
        network = self._network()
        texts = sort_texts(documents, "text", place.scratch, progress)
        parts = _parts_of(place.folder)
        docnos = [docno for docno, _ in texts]
        vectors: NDArray[Any] | None = None
        stream, done = iter(texts), 0
        while batch := [text for _, text in islice(stream, CACHED_DOCUMENTS)]:
            rows = self._cached_vectors(batch, network, parts, progress)
            if vectors is None:
                vectors = new_map(
                    place.draft / VECTORS_FILE, np.float32, len(docnos), rows.shape[1]
                )
            vectors[done : done + len(rows)] = rows
            done += len(rows)
            progress(done)
        return docnos

    def _cached_vectors(
        self, texts: Sequence[str], network: Any, parts: Path, progress: Progress
    ) -> Floats:
        """The vectors of the texts: saved by an earlier build, or encoded now and saved."""
        identity = canonical_json([description(self), list(texts)])
        path = parts / f"{hashlib.sha256(identity).hexdigest()}.npy"
        try:
            vectors: Floats = np.load(path)
        except (OSError, ValueError, EOFError):
            rows = []
            for first in range(0, len(texts), BATCH):
                progress(0)
                rows.append(self.encode(texts[first : first + BATCH], network))
            vectors = np.concatenate(rows)
            _save_atomically(vectors, path)
        return vectors


def _parts_of(folder: Path) -> Path:
    return folder.with_name(f".{folder.name}.parts")


def _save_atomically(vectors: Floats, path: Path) -> None:
    """Write a file so that a killed process leaves a complete file or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".draft.npy")
    np.save(draft, vectors)
    draft.replace(path)


def _package_version(package: str) -> str:
    try:
        return f"{package} {version(package)}"
    except PackageNotFoundError:
        return f"{package} absent"


def _weights_digest(model: str) -> str:
    """SHA-256 (hex) of a model folder's files; empty for a model known by name."""
    folder = Path(model)
    if not folder.is_dir():
        return ""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    stamps = tuple((str(path), path.stat().st_size, path.stat().st_mtime_ns) for path in files)
    return _files_digest(str(folder), stamps)


@lru_cache(maxsize=8)
def _files_digest(folder: str, stamps: tuple[tuple[str, int, int], ...]) -> str:
    """Read the files once; changed sizes or times make another key of the cache."""
    digest = hashlib.sha256()
    for path, size, _ in stamps:
        name = Path(path).relative_to(folder).as_posix()
        digest.update(f"{name} {size}\n".encode())
        with Path(path).open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()

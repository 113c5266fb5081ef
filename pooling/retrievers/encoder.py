"""Any encoder of sentence-transformers or Hugging Face, as an optional extra.

A document is read as title, separator, abstract. Its vector is what the model's own pooling gives
(`pooling=model`), the first token's state (`cls`: SPECTER, SciNCL) or the mean of all (`mean`).

Encoding a corpus takes hours on a small machine, so vectors are kept a part at a time under a
digest of the part's texts; a build that was killed finds them and goes on.
"""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from itertools import islice
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl

import numpy as np
from numpy.typing import NDArray

from corpus.texts import canonical_json
from pooling.formats import Scored
from pooling.retrievers.arrays import new_map
from pooling.retrievers.dense import METRICS, Metric, Vectors, VectorsWrong, rank_rows
from pooling.retrievers.folders import IndexCorrupt, build_folder, check_folder, description
from pooling.retrievers.interface import (
    IndexedText,
    Progress,
    QueryText,
    check_depth,
    field_of,
)
from pooling.retrievers.spool import Spool, spool

PREFIX = "encoder:"
POOLINGS = ("model", "mean", "cls")
PART = 1_024  # documents whose vectors are kept together: the most that a kill can cost
BATCH = 32  # texts that the model reads at once
VECTORS_FILE = "vectors.npy"
TOKENIZERS_OWN = "sep"
INSTALL = "pip install 'qrelsmith[encoder]' (sentence-transformers and PyTorch)"

Floats = NDArray[np.float32]


class EncoderMissing(Exception):
    """The optional extra is not installed, or the model cannot be loaded."""

    is_for_people = True


@dataclass(frozen=True)
class Encoder:
    """Ranks by the vectors of a model: a folder, or a name that the libraries know.

    `separator` "sep" is the separator token of the model's own tokenizer; anything else is itself.
    """

    model: str
    pooling: str = "model"
    metric: Metric = "cosine"
    separator: str = TOKENIZERS_OWN

    kind = "encoder"

    @classmethod
    def named(cls, name: str) -> Encoder:
        """`encoder:MODEL`, or `encoder:MODEL?pooling=cls&metric=l2&separator=sep`.

        Raises ValueError for a setting or a value that there is not.
        """
        model, _, settings = name.removeprefix(PREFIX).partition("?")
        given = dict(parse_qsl(settings, keep_blank_values=True))
        if not model:
            raise ValueError(f"{name} lacks the model; write {PREFIX}MODEL, a folder or a name.")
        for setting, values in (("pooling", POOLINGS), ("metric", METRICS)):
            if given.get(setting, values[0]) not in values:
                raise ValueError(f"{name}: {setting} is one of {', '.join(values)}.")
        if unknown := given.keys() - {"pooling", "metric", "separator"}:
            raise ValueError(
                f"{name}: no setting {min(unknown)!r}; there are pooling, metric and separator."
            )
        metric: Metric = "l2" if given.get("metric") == "l2" else "cosine"
        return cls(
            model, given.get("pooling", "model"), metric, given.get("separator", TOKENIZERS_OWN)
        )

    @property
    def name(self) -> str:
        said = {"pooling": "model", "metric": "cosine", "separator": TOKENIZERS_OWN}
        given = [
            f"{key}={value}"
            for key, usual in said.items()
            if (value := getattr(self, key)) != usual
        ]
        return f"{PREFIX}{self.model}" + (f"?{'&'.join(given)}" if given else "")

    @property
    def version(self) -> str:
        return f"1, {', '.join(map(_installed, ('sentence-transformers', 'torch')))}"

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
        """See Retriever.build. Raises EncoderMissing; a build that was stopped goes on."""
        parts = folder.with_name(f".{folder.name}.parts")

        def write(draft: Path, scratch: Path) -> Sequence[str]:
            network = self._network()
            texts = spool(documents, "text", scratch, progress)
            return self._write_index(texts, network, parts, draft, progress)

        build_folder(folder, self, write)
        shutil.rmtree(parts, ignore_errors=True)

    def open(self, folder: Path) -> EncoderRanker:
        """See Retriever.open. The model is loaded when the first query comes."""
        docnos = check_folder(folder, self)
        try:
            vectors = Vectors.of(folder / VECTORS_FILE)
        except VectorsWrong as error:
            raise IndexCorrupt(folder, str(error)) from error
        return EncoderRanker(self, docnos, vectors)

    def encoded(self, texts: Sequence[str], network: Any) -> Floats:
        """(texts, width) of texts whose first line is the title."""
        separator = network.tokenizer.sep_token or " "
        separator = separator if self.separator == TOKENIZERS_OWN else self.separator
        joined = [text.replace("\n", separator, 1) for text in texts]
        if self.pooling == "model":
            given = network.encode(
                joined, batch_size=BATCH, convert_to_numpy=True, show_progress_bar=False
            )
            return np.asarray(given, np.float32)
        # One (tokens, width) tensor a text, without padding.
        states = network.encode(
            joined,
            batch_size=BATCH,
            output_value="token_embeddings",
            convert_to_numpy=False,
            show_progress_bar=False,
        )
        pooled = [one[0] if self.pooling == "cls" else one.mean(0) for one in states]
        return np.stack([one.float().cpu().numpy() for one in pooled])

    def _network(self) -> Any:
        if find_spec("sentence_transformers") is None:
            raise EncoderMissing(f"{self.name} needs an extra that is not here: {INSTALL}.")
        from sentence_transformers import SentenceTransformer

        try:
            return SentenceTransformer(self.model).eval()
        except (OSError, ValueError) as error:
            raise EncoderMissing(
                f"The model {self.model} cannot be loaded ({str(error).splitlines()[0]}). "
                "Give the folder of a model that is on this machine."
            ) from error

    def _write_index(
        self, texts: Spool, network: Any, parts: Path, draft: Path, progress: Progress
    ) -> list[str]:
        docnos = [docno for docno, _ in texts]
        vectors: NDArray[Any] | None = None
        stream, done = iter(texts), 0
        while batch := [text for _, text in islice(stream, PART)]:
            rows = self._part(batch, network, parts, progress)
            if vectors is None:
                vectors = new_map(draft / VECTORS_FILE, np.float32, len(docnos), rows.shape[1])
            vectors[done : done + len(rows)] = rows
            done += len(rows)
            progress(done)
        return docnos

    def _part(self, texts: Sequence[str], network: Any, parts: Path, progress: Progress) -> Floats:
        """The vectors of some documents: as kept by a build before this one, or new, and kept."""
        said = canonical_json([description(self), list(texts)])
        path = parts / f"{hashlib.sha256(said).hexdigest()}.npy"
        try:
            kept: Floats = np.load(path)
        except (OSError, ValueError, EOFError):
            kept = np.concatenate(
                [
                    self._heard(texts[first : first + BATCH], network, progress)
                    for first in range(0, len(texts), BATCH)
                ]
            )
            _keep(kept, path)
        return kept

    def _heard(self, texts: Sequence[str], network: Any, progress: Progress) -> Floats:
        progress(0)
        return self.encoded(texts, network)


class EncoderRanker:
    """An opened index; row n of `vectors` is document `docnos[n]`."""

    def __init__(self, encoder: Encoder, docnos: Sequence[str], vectors: Vectors) -> None:
        self.encoder, self.docnos, self.vectors = encoder, docnos, vectors

    def rank(
        self, queries: Iterable[QueryText], depth: int, progress: Progress
    ) -> Iterator[tuple[str, list[Scored]]]:
        """See Ranker.rank. Raises EncoderMissing."""
        check_depth(depth)
        network = self.encoder._network()
        asked = (
            (query.docno, self.encoder.encoded([field_of(query, "text")], network)[0])
            for query in queries
        )
        lists = rank_rows(self.vectors, self.docnos, asked, depth, self.encoder.metric)
        for done, (docno, ranking) in enumerate(lists, start=1):
            yield docno, ranking
            progress(done)


def _keep(vectors: Floats, path: Path) -> None:
    """Write a part so that a killed process leaves a whole one or none."""
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix(".draft.npy")
    np.save(draft, vectors)
    draft.replace(path)


def _installed(package: str) -> str:
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
    """Files are read once; their sizes and times tell when they must be read again."""
    digest = hashlib.sha256()
    for path, size, _ in stamps:
        name = Path(path).relative_to(folder).as_posix()
        digest.update(f"{name} {size}\n".encode())
        with Path(path).open("rb") as stream:
            digest.update(hashlib.file_digest(stream, "sha256").digest())
    return digest.hexdigest()

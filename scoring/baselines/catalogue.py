"""The names of the baselines, and what each of them compares. Pure.

Baselines of CSFCube's paper have its names and definitions (Mysore et al., 2021, section 5 and
appendix C): the query is the sentences of its facet, and a candidate is its whole abstract. The
others are variants. A variant has a name of its own that says what it is.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from retrieval.retrievers.encoder import PREFIX, Encoder
from web.errors import UserFacingError

VERSION = 2  # grows when the same documents may get other scores
LONGEST_NAME = 60  # of a system


class Reads(StrEnum):
    """The part of a paper that a baseline compares."""

    FACET = "sentences of the facet"
    SENTENCES = "all sentences of the abstract"
    ABSTRACT = "abstract"
    TITLE_ABSTRACT = "title and abstract"


class Distance(StrEnum):
    """A way to compare two vectors."""

    COSINE = "cosine"
    L2 = "l2"

    @property
    def words(self) -> str:
        return "cosine" if self is Distance.COSINE else "L2 distance"


class Method(StrEnum):
    """A way to compare two texts."""

    TFIDF = "TF-IDF vectors of length 1; a word weighs tf · idf"
    LOG_TFIDF = "TF-IDF vectors of length 1; a word weighs (1 + ln tf) · idf"
    BM25_OKAPI = "BM25 of rank_bm25: k1 = 1.5, b = 0.75, epsilon = 0.25"
    BM25 = "BM25 of the retriever bm25: k1 = 1.2, b = 0.75"
    MEAN_VECTOR = "mean word vectors (CBOW, 200)"
    TFIDF_MEAN_VECTOR = "mean word vectors (CBOW, 200); a word weighs tf · idf"
    LOG_TFIDF_MEAN_VECTOR = "mean word vectors (CBOW, 200); a word weighs (1 + ln tf) · idf"
    ENCODER = "vectors of an encoder"
    CLOSEST_PAIR = "vectors of sentences by an encoder; the closest pair counts"


SUBLINEAR = (Method.LOG_TFIDF, Method.LOG_TFIDF_MEAN_VECTOR)
WORD_VECTORS = (Method.MEAN_VECTOR, Method.TFIDF_MEAN_VECTOR, Method.LOG_TFIDF_MEAN_VECTOR)


@dataclass(frozen=True)
class Baseline:
    """A way to rank the judged pool of a query again. Without a distance it compares no vectors."""

    name: str
    query: Reads
    candidate: Reads
    method: Method
    distance: Distance | None
    is_variant: bool = False

    @property
    def needs_encoder(self) -> bool:
        return self.method in (Method.ENCODER, Method.CLOSEST_PAIR)

    @property
    def is_weighted(self) -> bool:
        """True if its words are weighted by counts over the corpus."""
        return not self.needs_encoder and self.method is not Method.MEAN_VECTOR

    @property
    def reads_word_vectors(self) -> bool:
        return self.method in WORD_VECTORS

    def by(self, distance: Distance | None) -> Baseline:
        """It with another distance. Without vectors, or without a distance, it stays as it is."""
        if self.distance is None or distance is None:
            return self
        return replace(self, distance=distance)

    def system_name(self, encoder: Encoder | None) -> str:
        """The name of its system: with a distance other than its own, and the encoder's model."""
        words = [self.name]
        if self.distance not in (None, BASELINES[self.name].distance):
            words.append(str(self.distance))
        if self.needs_encoder and encoder is not None:
            settings = encoder.name.partition("?")[2]
            model = encoder.model.rstrip("/").rpartition("/")[2]  # without its folder
            words += [model, *([settings] if settings else [])]
        # Characters that a system's name cannot have become hyphens.
        return "-".join(re.sub(r"[^\w.@]+", "-", word) for word in words)[:LONGEST_NAME]


class BaselineError(UserFacingError):
    """A baseline that cannot be made. The message is for the person who asked."""


def _of_paper(name: str, method: Method, distance: Distance | None) -> Baseline:
    return Baseline(name, Reads.FACET, Reads.SENTENCES, method, distance)


def _of_facet(name: str, method: Method, distance: Distance | None) -> Baseline:
    return Baseline(name, Reads.FACET, Reads.FACET, method, distance, is_variant=True)


def _of_documents(name: str, reads: Reads, *, is_variant: bool) -> Baseline:
    return Baseline(name, reads, reads, Method.ENCODER, Distance.L2, is_variant)


BASELINES: Mapping[str, Baseline] = {
    baseline.name: baseline
    for baseline in (
        _of_paper("fabs_tfidf", Method.TFIDF, Distance.L2),
        _of_paper("fabs_bm25", Method.BM25_OKAPI, None),
        _of_paper("fabs_cbow200", Method.MEAN_VECTOR, Distance.L2),
        _of_paper("fabs_tfidfcbow200", Method.TFIDF_MEAN_VECTOR, Distance.L2),
        _of_paper("sentences", Method.CLOSEST_PAIR, Distance.COSINE),
        _of_documents("title_abstract", Reads.TITLE_ABSTRACT, is_variant=False),
        replace(_of_paper("fabs_log_tfidf", Method.LOG_TFIDF, Distance.L2), is_variant=True),
        _of_facet("facet_tfidf", Method.LOG_TFIDF, Distance.L2),
        _of_facet("facet_bm25", Method.BM25, None),
        _of_facet("facet_cbow200", Method.MEAN_VECTOR, Distance.L2),
        _of_facet("facet_tfidfcbow200", Method.LOG_TFIDF_MEAN_VECTOR, Distance.L2),
        _of_facet("facet_sentences", Method.CLOSEST_PAIR, Distance.L2),
        _of_documents("abstract", Reads.ABSTRACT, is_variant=True),
    )
}


def baselines_named(
    names: Sequence[str], *, has_encoder: bool, distance: str = ""
) -> list[Baseline]:
    """The baselines with these names, in the order of BASELINES, by this distance or their own.

    Without names, those of the paper: all if there is an encoder, or else those without one.
    Raises BaselineError for an unknown name or distance, and if an encoder is missing.
    """
    for name in names:
        if name not in BASELINES:
            raise BaselineError(f"Unknown baseline {name!r}. Use {', '.join(BASELINES)}.")
        if BASELINES[name].needs_encoder and not has_encoder:
            raise BaselineError(f"The baseline {name} needs an encoder. Choose a model for it.")
    chosen = _distance_named(distance)
    return [
        baseline.by(chosen)
        for baseline in BASELINES.values()
        if (baseline.name in names if names else _is_usual(baseline, has_encoder))
    ]


def _is_usual(baseline: Baseline, has_encoder: bool) -> bool:
    return not baseline.is_variant and (has_encoder or not baseline.needs_encoder)


def _distance_named(name: str) -> Distance | None:
    if not name:
        return None
    try:
        return Distance(name)
    except ValueError:
        raise BaselineError(f"Unknown distance {name!r}. Use {', '.join(Distance)}.") from None


def is_current_definition(parameters: Mapping[str, object]) -> bool:
    """Return whether the present definitions made a stored baseline with these parameters."""
    return parameters.get("version") == VERSION


def encoder_named(name: str) -> Encoder | None:
    """The encoder of a model's folder or name, `MODEL?pooling=cls`; None for "".

    Raises BaselineError for an unknown setting.
    """
    if not name:
        return None
    try:
        encoder = Encoder.from_name(name if name.startswith(PREFIX) else f"{PREFIX}{name}")
    except ValueError as error:
        raise BaselineError(str(error)) from error
    return replace(encoder, metric="cosine")  # of no effect here: a baseline has its own distance

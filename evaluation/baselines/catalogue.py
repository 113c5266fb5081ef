"""The names of the baselines, and what each of them reads. Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from retrieval.retrievers.encoder import PREFIX, Encoder
from web.errors import UserFacingError

VERSION = 1  # grows when the same documents may get other scores
LONGEST_NAME = 60  # of a system


class Reads(StrEnum):
    """The part of both papers that a baseline compares."""

    FACET = "sentences of the facet"
    ABSTRACT = "abstract"
    TITLE_ABSTRACT = "title and abstract"


@dataclass(frozen=True)
class Baseline:
    """A way to rank the judged pool of a query again."""

    name: str
    reads: Reads
    compares: str
    needs_encoder: bool = False

    def system_name(self, encoder: Encoder | None) -> str:
        """The name of its system; with the name of the encoder's model, without its folder."""
        if not self.needs_encoder or encoder is None:
            return self.name
        settings = encoder.name.partition("?")[2]
        model = encoder.model.rstrip("/").rpartition("/")[2]
        # Characters that a system's name cannot have become hyphens.
        words = [self.name, model, *([settings] if settings else [])]
        return "-".join(re.sub(r"[^\w.@]+", "-", word) for word in words)[:LONGEST_NAME]


class BaselineError(UserFacingError):
    """A baseline that cannot be made. The message is for the person who asked."""


BASELINES: Mapping[str, Baseline] = {
    baseline.name: baseline
    for baseline in (
        Baseline("fabs_tfidf", Reads.FACET, "L2 distance of TF-IDF vectors of length 1"),
        Baseline("fabs_bm25", Reads.FACET, "BM25, k1 = 1.2, b = 0.75"),
        Baseline("fabs_cbow200", Reads.FACET, "L2 distance of mean word vectors (CBOW, 200)"),
        Baseline(
            "fabs_tfidfcbow200",
            Reads.FACET,
            "L2 distance of mean word vectors (CBOW, 200), words weighted by TF-IDF",
        ),
        Baseline(
            "sentences",
            Reads.FACET,
            "L2 distance of the closest pair of sentences, by an encoder",
            needs_encoder=True,
        ),
        Baseline("abstract", Reads.ABSTRACT, "L2 distance, by an encoder", needs_encoder=True),
        Baseline(
            "title_abstract", Reads.TITLE_ABSTRACT, "L2 distance, by an encoder", needs_encoder=True
        ),
    )
}


def baselines_named(names: Sequence[str], *, has_encoder: bool) -> list[Baseline]:
    """The baselines with these names, in the order of BASELINES; without names, all possible ones.

    Raises BaselineError for an unknown name, and for a baseline that needs an encoder without one.
    """
    for name in names:
        if name not in BASELINES:
            raise BaselineError(f"Unknown baseline {name!r}. Use {', '.join(BASELINES)}.")
        if BASELINES[name].needs_encoder and not has_encoder:
            raise BaselineError(f"The baseline {name} needs an encoder. Choose a model for it.")
    return [
        baseline
        for baseline in BASELINES.values()
        if (baseline.name in names if names else has_encoder or not baseline.needs_encoder)
    ]


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
    return replace(encoder, metric="cosine")  # of no effect here: baselines use L2

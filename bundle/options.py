"""The choices of the publisher for a release. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any


class Texts(StrEnum):
    """The documents that are in the bundle with their texts.

    POOLED are the query papers and all candidates, CORPUS is every document. With NONE the bundle
    has the docnos of the query papers and candidates only.
    """

    POOLED = "pooled"
    CORPUS = "corpus"
    NONE = "none"

    @property
    def included(self) -> bool:
        return self is not Texts.NONE


class LabelSource(StrEnum):
    """JUDGED are the final labels. CITATIONS are what the query papers cite, as binary labels."""

    JUDGED = "judged"
    CITATIONS = "citations"


@dataclass(frozen=True, slots=True)
class ReleaseOptions:
    texts: Texts = Texts.POOLED
    labels: LabelSource = LabelSource.JUDGED

    def as_json(self) -> dict[str, str]:
        return {"texts": self.texts.value, "labels": self.labels.value}

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> ReleaseOptions:
        """The options of a manifest or of a job's parameters. ValueError for unknown values."""
        return cls(Texts(value["texts"]), LabelSource(value["labels"]))


DEFAULT_OPTIONS = ReleaseOptions()

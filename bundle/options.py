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
    """`model_labels` names the shadow judges whose labels are in a folder of their own."""

    texts: Texts = Texts.POOLED
    labels: LabelSource = LabelSource.JUDGED
    model_labels: tuple[str, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Without models as before there were any, so that such a release keeps its bytes."""
        options: dict[str, Any] = {"texts": self.texts.value, "labels": self.labels.value}
        return (
            {**options, "model_labels": list(self.model_labels)} if self.model_labels else options
        )

    @classmethod
    def from_json(cls, value: Mapping[str, Any]) -> ReleaseOptions:
        """The options of a manifest or of a job's parameters. ValueError for unknown values."""
        models = tuple(sorted(set(value.get("model_labels") or ())))
        return cls(Texts(value["texts"]), LabelSource(value["labels"]), models)


DEFAULT_OPTIONS = ReleaseOptions()

"""The CSFCube release as values. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from scoring.folds import Folds
from web.errors import UserFacingError


class CSFCubeError(UserFacingError, ValueError):
    """The release is invalid. `place` is the place in the file, empty for the whole file."""

    def __init__(self, file: str, place: str, reason: str) -> None:
        self.file, self.place, self.reason = file, place, reason
        super().__init__(": ".join(part for part in (file, place, reason) if part))


class QueryKey(NamedTuple):
    """A query's paper and facet, which name it."""

    pid: str
    facet: str

    @property
    def name(self) -> str:
        return f"{self.pid}_{self.facet}"


@dataclass(frozen=True)
class Paper:
    """A paper with its text; `labels` has one label per sentence, without the suffix `_label`."""

    pid: str
    title: str
    year: int | None
    sentences: tuple[str, ...]
    labels: tuple[str, ...]


class PooledPaper(NamedTuple):
    """A candidate of a pool, and its sources, of which the first drew it."""

    docno: str
    sources: tuple[str, ...]


class PublishedRating(NamedTuple):
    """The grades 0–3 of one candidate; None if missing."""

    docno: str
    first: int | None
    second: int | None
    final: int | None


@dataclass(frozen=True)
class Ratings:
    """All ratings of one query. `annotators` are the two judges' numbers, ascending."""

    file: str
    annotators: tuple[int, int]
    rated: tuple[PublishedRating, ...]


@dataclass(frozen=True)
class PublishedRelease:
    """Everything in a release that an import needs.

    `queries` maps every listed query to the rest of its row in the table of queries, in the order
    of the file; `ratings` holds those that were rated. `files` maps the name of every file that
    was read to the SHA-256 (hex) of its bytes. `folds` are None if the release has no such file.
    """

    papers: Mapping[str, Paper]
    pools: Mapping[str, tuple[PooledPaper, ...]]
    queries: Mapping[QueryKey, Mapping[str, str]]
    ratings: Mapping[QueryKey, Ratings]
    files: Mapping[str, str]
    folds: Folds | None = None

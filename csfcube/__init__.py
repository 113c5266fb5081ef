"""The CSFCube release (Mysore et al., 2021): read and checked into frozen records."""

from csfcube.records import (
    CSFCubeError,
    PooledPaper,
    PublishedRating,
    PublishedRelease,
    QueryKey,
    Ratings,
)
from csfcube.release import read_release

__all__ = [
    "CSFCubeError",
    "PooledPaper",
    "PublishedRating",
    "PublishedRelease",
    "QueryKey",
    "Ratings",
    "read_release",
]

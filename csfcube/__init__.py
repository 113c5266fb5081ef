"""The CSFCube release (Mysore et al., 2021): read and checked into frozen records."""

from csfcube.records import CSFCubeError, Pooled, QueryKey, Rating, Ratings, Release
from csfcube.release import read_release

__all__ = ["CSFCubeError", "Pooled", "QueryKey", "Rating", "Ratings", "Release", "read_release"]

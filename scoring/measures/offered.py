"""All measures of the profiles, by the keys that pages and reports use. Pure."""

from __future__ import annotations

from typing import NamedTuple

from scoring.measures.names import Measure
from scoring.measures.profiles import TREC, profiles_for
from scoring.measures.sampled import sampled_measures


class OfferedMeasure(NamedTuple):
    """A measure and the profile that it belongs to.

    `key` is its name; with the profile behind it if an earlier profile has another measure of this
    name, as `AP (mdcr)`, which is of closed lists.
    """

    key: str
    measure: Measure
    profile: str


def known_measures(least: int) -> list[OfferedMeasure]:
    """Every measure of every profile, each with the key that stored scores offer it by."""
    offered: dict[str, OfferedMeasure] = {}
    for profile in profiles_for(least):
        sampled = sampled_measures(least) if profile.name == TREC else ()
        for measure in (*profile.measures, *sampled):
            key = f"{measure.name} ({profile.name})" if measure.name in offered else measure.name
            offered[key] = OfferedMeasure(key, measure, profile.name)
    return list(offered.values())


def known_measure(key: str, least: int) -> OfferedMeasure:
    """Raises KeyError."""
    return {offered.key: offered for offered in known_measures(least)}[key]

"""The choices that the pages of Evaluation share, and addresses that keep them.

Each page reads those that it has and keeps the others, so that a link from the leaderboard to a
comparison and back shows the same measure, facet, split and labels.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.urls import reverse
from django.utils.http import urlencode

from scoring.measures.offered import known_measures

CHOICES = ("labels", "profile", "measure", "facet", "split")


def kept_choices(parameters: Mapping[str, Any]) -> dict[str, str]:
    """The shared choices among the parameters of an address."""
    return {name: parameters[name] for name in CHOICES if parameters.get(name)}


def choices_address(
    url_name: str, arguments: Sequence[str], choices: Mapping[str, Any], **changes: str
) -> str:
    """The address of a page with the shared choices, and with `changes`; an empty one is left out.

    Every page of Evaluation has links of this kind. `choices` may be a request's parameters.
    """
    values = {name: value for name, value in (kept_choices(choices) | changes).items() if value}
    return f"{reverse(url_name, args=arguments)}{'?' if values else ''}{urlencode(values)}"


def measure_key(name: str, profile: str, least: int) -> str:
    """The key of the profile's measure of this name; the name itself if the profile has none.

    The leaderboard names a measure and its profile. Pages with the measures of all profiles have
    keys, such as `AP (mdcr)`.
    """
    keys = (
        offered.key
        for offered in known_measures(least)
        if offered.profile == profile and offered.measure.name == name
    )
    return next(keys, name)

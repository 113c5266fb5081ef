"""The stored scores of a collection's systems, as tables for pages and statistics."""

from __future__ import annotations

from dataclasses import replace

from accounts.models import Collection
from evaluation.measures.profiles import PROFILES, TREC, Profile
from evaluation.measures.sampled import SAMPLED
from evaluation.models import DEFAULT_SOURCE, Scores
from evaluation.score_tables import from_columns
from web.lazy import pandas as pd


def measures_of(collection: Collection, *, source: str = DEFAULT_SOURCE) -> list[str]:
    """The measures that stored scores have, in the order of the profiles."""
    profiles = set(
        Scores.objects.filter(system__collection=collection, source=source)
        .order_by()
        .values_list("profile", flat=True)
        .distinct()
    )
    stored = (
        stored_profile(collection, PROFILES[key], source=source)
        for key in PROFILES
        if key in profiles
    )
    return list(dict.fromkeys(name for profile in stored for name in profile.names))


def stored_profile(
    collection: Collection, profile: Profile, *, source: str = DEFAULT_SOURCE
) -> Profile:
    """The profile; `trec` with infAP and infNDCG if stored scores have them: of sampled pools."""
    if profile is not TREC:
        return profile
    rows = Scores.objects.filter(system__collection=collection, source=source, profile=TREC.name)
    summary = rows.order_by("-computed_at", "pk").values_list("summary", flat=True).first()
    if not summary or SAMPLED[0].name not in summary[0]["measures"]:
        return profile
    return replace(profile, measures=[*profile.measures, *SAMPLED])


def per_query(
    collection: Collection, measure: str, *, source: str = DEFAULT_SOURCE
) -> pd.DataFrame:
    """The stored value of a measure: index = query names, columns = system names, by name.

    NaN where a query is left out because it has no relevant document. A system without stored
    scores has no column. Raises KeyError for a measure that no profile has.
    """
    profile = profile_with(measure)
    rows = (
        Scores.objects.filter(system__collection=collection, source=source, profile=profile)
        .order_by("system__name")
        .values_list("system__name", "values")
    )
    columns = {
        name: from_columns(values, [measure])[measure]
        for name, values in rows
        if measure in values["measures"]  # infAP is missing where scores are out of date
    }
    table = pd.DataFrame(columns).sort_index()
    table.index.name = "query"
    return table


def profile_with(measure: str) -> str:
    """The first profile that has the measure. Raises KeyError."""
    for name, profile in PROFILES.items():
        if measure in profile.names:
            return name
    if measure in [sampled.name for sampled in SAMPLED]:
        return TREC.name
    raise KeyError(measure)

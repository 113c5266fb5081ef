"""The stored scores of a collection's systems, as tables for pages and statistics."""

from __future__ import annotations

from collections.abc import Iterable

from accounts.models import Collection
from scoring.labels import FINAL, relevant_from, stored_sources
from scoring.measures.offered import known_measure, known_measures
from scoring.measures.profiles import TREC, Profile, profiles_for
from scoring.measures.sampled import sampled_measures
from scoring.models import Scores
from scoring.score_tables import from_columns
from web.lazy import pandas as pd


def scored_sources(collection: Collection) -> list[str]:
    """The sources of labels that the collection has stored scores for, the final labels first."""
    rows = Scores.objects.filter(system__collection=collection).order_by()
    stored = set(rows.values_list("source", flat=True).distinct())
    return [source for source in stored_sources() if source in stored]


def shown_source(collection: Collection, wanted: str = "") -> str:
    """The wanted source if it has stored scores; or the first that has; or the final labels."""
    sources = scored_sources(collection)
    return wanted if wanted in sources else next(iter(sources), FINAL)


def measures_of(collection: Collection, *, source: str = FINAL) -> list[str]:
    """The keys of the measures that stored scores have, in the order of the profiles."""
    stored = {
        profile.name: set(stored_profile(collection, profile, source=source).names)
        for profile in _stored_profiles(collection, source)
    }
    return [
        offered.key
        for offered in known_measures(relevant_from(collection, source))
        if offered.measure.name in stored.get(offered.profile, ())
    ]


def _stored_profiles(collection: Collection, source: str) -> list[Profile]:
    rows = Scores.objects.filter(system__collection=collection, source=source).order_by()
    stored = set(rows.values_list("profile", flat=True).distinct())
    profiles = profiles_for(relevant_from(collection, source))
    return [profile for profile in profiles if profile.name in stored]


def stored_profile(collection: Collection, profile: Profile, *, source: str = FINAL) -> Profile:
    """The profile; `trec` with infAP and infNDCG if stored scores have them: of sampled pools."""
    if profile.name != TREC:
        return profile
    rows = Scores.objects.filter(system__collection=collection, source=source, profile=TREC)
    summary = rows.order_by("-computed_at", "pk").values_list("summary", flat=True).first()
    sampled = sampled_measures(relevant_from(collection, source))
    if not summary or sampled[0].name not in summary[0]["measures"]:
        return profile
    return profile.with_measures([*profile.measures, *sampled])


def per_query(collection: Collection, measure: str, *, source: str = FINAL) -> pd.DataFrame:
    """The stored value of a measure: index = query names, columns = system names, by name.

    NaN where a query is left out because it has no relevant document. A system without stored
    scores has no column. Raises KeyError for a measure that no profile has.
    """
    offered = known_measure(measure, relevant_from(collection, source))
    rows = (
        Scores.objects.filter(system__collection=collection, source=source, profile=offered.profile)
        .order_by("system__name")
        .values_list("system__name", "values")
    )
    name = offered.measure.name
    columns = {
        system: from_columns(values, [name])[name]
        for system, values in rows
        if name in values["measures"]  # infAP is missing where scores are out of date
    }
    table = pd.DataFrame(columns).sort_index()
    table.index.name = "query"
    return table


def stored_values(
    collection: Collection, systems: Iterable[str], source: str, profile: str, measure: str
) -> dict[str, dict[str, float | None]]:
    """By system, the stored value of each query; None where the measure is undefined."""
    rows = Scores.objects.filter(
        system__collection=collection, system__name__in=systems, source=source, profile=profile
    )
    return {
        name: dict(zip(values["queries"], values["measures"][measure], strict=True))
        for name, values in rows.values_list("system__name", "values")
        if measure in values["measures"]  # infAP is missing where scores are out of date
    }

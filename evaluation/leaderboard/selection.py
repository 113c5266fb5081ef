"""The choices of labels, measures and queries in the address, which pages of systems share."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.http import QueryDict
from django.utils.http import urlencode

from accounts.models import Collection
from evaluation.leaderboard.rows import LeaderboardPlace, facet_name, places_of
from scoring.labels import SOURCE_NAMES, relevant_from
from scoring.measures.names import Measure
from scoring.measures.profiles import PROFILES, Profile, profile_of, usual_profile
from scoring.results import scored_sources, shown_source, stored_profile
from scoring.score_tables import ALL, DEV, MEAN_OVER_FIELDS, TEST

SPLIT_NAMES = {TEST: "Test", DEV: "Development", ALL: "All queries"}


class Select(NamedTuple):
    """A field of a filter row: its options are values with their captions."""

    name: str
    label: str
    options: list[tuple[str, str]]
    chosen: str


class MeasureHead(NamedTuple):
    """The head of a measure's row or column: the link chooses it."""

    name: str
    description: str
    threshold: str
    url: str
    current: bool


@dataclass(frozen=True)
class LeaderboardSelection:
    """The selection in the address; an unknown value counts as the default.

    `facets` are the names of the collection's facets by key; none where it has no facets.
    """

    facets: Mapping[str, str]
    source: str
    profile: Profile
    place: LeaderboardPlace
    measure: str
    places: Sequence[LeaderboardPlace]

    @classmethod
    def of(cls, collection: Collection, parameters: QueryDict) -> LeaderboardSelection:
        facets = {key: name for key, name in collection.facets.values_list("key", "name") if key}
        source = shown_source(collection, parameters.get("labels", ""))
        name = parameters.get("profile", "")
        profile = profile_of(
            name if name in PROFILES else usual_profile(facets), relevant_from(collection, source)
        )
        profile = stored_profile(collection, profile, source=source)
        places = places_of(collection, profile.name, source)
        measure = parameters.get("measure", "")
        return cls(
            facets,
            source,
            profile,
            _known_place(parameters, profile, places),
            measure if measure in profile.names else profile.main_measure,
            places,
        )

    @property
    def parameters(self) -> dict[str, str]:
        return {
            "labels": self.source,
            "profile": self.profile.name,
            **self.place._asdict(),
            "measure": self.measure,
        }

    def facet_name(self, facet: str) -> str:
        return facet_name(facet, self.facets)

    def address(self, **changes: str) -> str:
        return f"?{urlencode(self.parameters | changes)}"

    def values_of(self, field: str) -> list[str]:
        """The values of this field among the stored rows, with the other fields as they are."""
        others = self.place._replace(**{field: ""})
        return list(
            dict.fromkeys(
                getattr(place, field)
                for place in self.places
                if place._replace(**{field: ""}) == others
            )
        )

    def measures(self, **kept: str) -> list[MeasureHead]:
        """`kept` are other parameters of the page, which the links keep."""
        return [
            MeasureHead(
                measure.name,
                measure.description,
                _threshold(measure),
                self.address(measure=measure.name, **kept),
                measure.name == self.measure,
            )
            for measure in self.profile.measures
        ]

    def selects(self, collection: Collection) -> list[Select]:
        """The fields of the choices. One without a choice is left out."""
        place = self.place
        measures = [(name, name) for name in self.profile.names]
        selects = [
            Select("labels", "Labels", _sources(collection), self.source),
            Select("profile", "Measures", [(name, name) for name in PROFILES], self.profile.name),
            Select("measure", "Measure", measures, self.measure),
            Select(
                "facet",
                "Queries",
                [(facet, self.facet_name(facet)) for facet in self.values_of("facet")],
                place.facet,
            ),
            Select(
                "split",
                "Mean",
                [(split, SPLIT_NAMES[split]) for split in self.values_of("split")],
                place.split,
            ),
            Select(
                "field", "Field", [(each, each) for each in self.values_of("field")], place.field
            ),
            Select(
                "candidates",
                "Candidates",
                [(each, each) for each in self.values_of("candidates")],
                place.candidates,
            ),
        ]
        return [select for select in selects if len(select.options) > 1]


def _sources(collection: Collection) -> list[tuple[str, str]]:
    sources = scored_sources(collection)
    return [(source, SOURCE_NAMES.get(source, source).capitalize()) for source in sources]


def _known_place(
    parameters: QueryDict, profile: Profile, places: Sequence[LeaderboardPlace]
) -> LeaderboardPlace:
    """The place of the address, or with defaults where no stored row has it."""
    usual = LeaderboardPlace(
        ALL,
        TEST if profile.has_folds else ALL,
        MEAN_OVER_FIELDS if profile.by_field else "",
    )
    asked = LeaderboardPlace(
        *(parameters.get(name, getattr(usual, name)) for name in LeaderboardPlace._fields)
    )
    for place in (asked, usual._replace(facet=asked.facet, split=asked.split), usual):
        if place in places:
            return place
    return usual._replace(split=ALL)


def _threshold(measure: Measure) -> str:
    """The lowest relevant grade, if the name of a measure with a threshold does not say it."""
    has_threshold = "relevant: grade" in measure.description and "rel=" not in measure.name
    return f"grade ≥ {measure.least}" if has_threshold else ""

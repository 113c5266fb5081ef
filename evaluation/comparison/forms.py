"""The choices of the page *Compare*, and the stored values that they select."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property

from django import forms
from django.http import QueryDict

from accounts.models import Collection
from evaluation.choices import measure_key
from evaluation.comparison.figures import Sides
from evaluation.significance.kept_values import KeptValues
from evaluation.significance.stored_values import (
    ALL,
    StoredChoices,
    of_facet,
    of_split,
    usual_baseline,
)
from scoring.computation import folds_of
from scoring.folds import Folds
from scoring.labels import SOURCE_NAMES, query_facets, relevant_from
from scoring.measures.offered import known_measures
from scoring.models import FoldPlan
from scoring.results import scored_sources
from scoring.score_tables import DEV, TEST
from scoring.statistics.comparison import SystemComparison, by_mean
from web.lazy import pandas as pd

EVERY_SYSTEM = ""
SPLITS = {ALL: "All", TEST: "Test sets of the folds", DEV: "Development set"}


class CompareForm(forms.Form):
    """Filled in from the URL's parameters; a missing or unknown one has its default.

    Nothing is saved. A choice with a single value has no field.
    """

    first = forms.ChoiceField(label="Baseline")
    second = forms.ChoiceField(label="Compared with", required=False)
    measure = forms.ChoiceField()
    facet = forms.ChoiceField(label="Queries")
    split = forms.ChoiceField()
    labels = forms.ChoiceField()

    def __init__(self, parameters: QueryDict, collection: Collection) -> None:
        self.collection, self.parameters = collection, parameters
        self.chosen: dict[str, str] = {}
        super().__init__(self.chosen)
        stored = StoredChoices.of(collection, parameters.get("labels", ""))
        self.source, self.facet_names = stored.source, stored.facets
        self._offer_labels(scored_sources(collection))
        self._offer_measures(stored)
        facets = {ALL: "All queries", **stored.facets} if any(stored.facets) else {ALL: ""}
        self.chosen_facet = self.offer("facet", facets, ALL)
        self.chosen_split = self.offer("split", SPLITS if self._has_folds else {ALL: ""}, ALL)
        self.systems = list(map(str, self.of_all_facets.columns))
        baseline = parameters.get("baseline") or usual_baseline(self.systems)
        self.baseline = self.offer("first", {name: name for name in self.systems}, baseline)
        others = {name: name for name in self.systems if name != self.baseline}
        self.other = self.offer("second", {EVERY_SYSTEM: "all systems", **others}, EVERY_SYSTEM)

    def offer(self, name: str, captions: Mapping[str, str], usual: str) -> str:
        """Offer the values with their captions; the chosen value."""
        value = self.parameters.get(name, usual)
        if value not in captions:
            value = usual if usual in captions else next(iter(captions), "")
        field = self.fields[name]
        assert isinstance(field, forms.ChoiceField)
        field.choices = list(captions.items())
        if len(captions) < 2:
            del self.fields[name]
        self.chosen[name] = value
        return value

    def _offer_labels(self, sources: Sequence[str]) -> None:
        captions = {source: SOURCE_NAMES.get(source, source).capitalize() for source in sources}
        self.offer("labels", captions, self.source)

    def _offer_measures(self, stored: StoredChoices) -> None:
        """The measures of all profiles, each in the group of its profile."""
        least = relevant_from(self.collection, self.source)
        offered = {each.key: each for each in known_measures(least) if each.key in stored.measures}
        wanted = self.parameters.get("measure", "")
        key = measure_key(wanted, self.parameters.get("profile", ""), least)
        key = key if key in offered else wanted
        self.measure_key = key if key in offered else stored.usual_measure
        chosen = offered.get(self.measure_key)
        self.profile, self.measure_name = ("", "")
        if chosen:
            self.profile, self.measure_name = chosen.profile, chosen.measure.name
        groups: dict[str, list[tuple[str, str]]] = {}
        for each in offered.values():
            groups.setdefault(each.profile, []).append((each.key, each.measure.name))
        field = self.fields["measure"]
        assert isinstance(field, forms.ChoiceField)
        field.choices = list(groups.items())
        self.chosen["measure"] = self.measure_key

    @cached_property
    def _has_folds(self) -> bool:
        plan = FoldPlan.objects.filter(collection=self.collection).first()
        return plan is None or bool(plan.made or plan.imported_from)

    @cached_property
    def _facets(self) -> Mapping[str, str]:
        return query_facets(self.collection)

    @cached_property
    def _folds(self) -> Folds:
        """The folds of the labelled queries, as they are when systems are scored."""
        judged = self.collection.queries.filter(pair_count__judged__gt=0)
        labelled = dict(judged.values_list("name", "facet__key"))
        return folds_of(self.collection, labelled)

    @cached_property
    def of_all_facets(self) -> pd.DataFrame:
        """The stored values of the split, by query and system."""
        if not self.measure_key:
            return pd.DataFrame()
        values = self._kept.table
        if self.chosen_split == ALL:
            return values
        return of_split(values, self._folds, self.chosen_split)

    @cached_property
    def _kept(self) -> KeptValues:
        return KeptValues(self.collection, self.measure_key, self.source)

    @cached_property
    def values(self) -> pd.DataFrame:
        """The values of the chosen facet, too."""
        if self.chosen_facet == ALL:
            return self.of_all_facets
        return of_facet(self.of_all_facets, self._facets, self.chosen_facet)

    @cached_property
    def comparison(self) -> SystemComparison:
        """All systems against the baseline."""
        return self._kept.comparison(self.values, self.baseline)

    @property
    def has_scores(self) -> bool:
        return bool(self.systems)

    @property
    def sides(self) -> Sides:
        return Sides(self.baseline, self.other)

    @cached_property
    def best(self) -> str:
        """The system whose facets are compared: the chosen one, or that with the highest mean."""
        wanted = self.parameters.get("second", "")
        best = next(iter(by_mean(self.of_all_facets)), "")
        return wanted if wanted in self.systems else best

    @property
    def kept(self) -> dict[str, str]:
        """The choices that the pages of Evaluation share, as the leaderboard names them."""
        values = {"labels": self.source, "profile": self.profile, "measure": self.measure_name}
        return values | {"facet": self.chosen_facet, "split": self.chosen_split}

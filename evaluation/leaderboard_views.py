"""The admin's page of systems ranked by their scores."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.utils.http import content_disposition_header, urlencode
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from evaluation.leaderboard import (
    KIND_WORDS,
    Line,
    Place,
    as_csv,
    as_latex,
    facet_name,
    leaderboard,
)
from evaluation.measures.profiles import CSFCUBE, PROFILES, Profile, usual_profile
from evaluation.models import Scores
from evaluation.results import stored_profile
from evaluation.score_tables import ALL, TEST
from evaluation.services import JOB_KIND, out_of_date, request_evaluation, unscored_runs
from jobs.listing import jobs_to_show
from web.filters import Choice, Filter, Test, filter_bar, filter_rows
from web.paging import typed
from web.tables import matching

SPLIT_NAMES = {TEST: "Mean of the two folds", ALL: "Mean over all queries"}


def _is_of_kind(kind: str) -> Test[Line]:
    return lambda line: kind in line.kinds


FILTERS: list[Filter[Test[Line]]] = [
    Filter(
        "kind",
        "Kind",
        [Choice(kind, word.capitalize(), _is_of_kind(kind)) for kind, word in KIND_WORDS.items()],
    ),
    Filter(
        "pool",
        "Pool",
        [
            Choice("in", "In the pool", lambda line: line.in_pool),
            Choice("out", "Not in the pool", lambda line: not line.in_pool),
        ],
    ),
]


class Option(NamedTuple):
    """A link that changes one choice of the page."""

    label: str
    url: str
    current: bool


@dataclass(frozen=True)
class Selection:
    """What the address asks for; an unknown value counts as the default."""

    profile: Profile
    place: Place
    measure: str

    @classmethod
    def of(cls, collection: Collection, parameters: QueryDict, facets: Iterable[str]) -> Selection:
        profile = PROFILES.get(parameters.get("profile", ""), usual_profile(facets))
        profile = stored_profile(collection, profile)
        facet = parameters.get("facet", ALL)
        split = parameters.get("split", TEST if profile is CSFCUBE else ALL)
        measure = parameters.get("measure", "")
        return cls(
            profile,
            Place(facet if facet in facets else ALL, split if split in SPLIT_NAMES else ALL),
            measure if measure in profile.names else profile.main_measure,
        )

    @property
    def parameters(self) -> dict[str, str]:
        return {
            "profile": self.profile.name,
            "facet": self.place.facet,
            "split": self.place.split,
            "measure": self.measure,
        }

    def address(self, **changes: str) -> str:
        return f"?{urlencode(self.parameters | changes)}"


@in_collection(Role.ADMIN)
@require_safe
def show_leaderboard(request: HttpRequest, collection: Collection) -> HttpResponse:
    names = {key: name for key, name in collection.facets.values_list("key", "name") if key}
    choice = Selection.of(collection, request.GET, names)
    lines = leaderboard(collection, choice.profile, choice.place, choice.measure)
    found = matching(
        filter_rows(lines, FILTERS, request.GET), typed(request.GET, "q"), lambda line: line.name
    )
    if (kind := request.GET.get("format")) in ("csv", "latex"):
        return _file(collection, choice, found, kind, names)
    context = {
        "collection": collection,
        "choice": choice,
        "lines": found,
        "total": len(lines),
        "measures": _measures(choice),
        "options": _options(choice, names),
        "bar": filter_bar(
            request,
            FILTERS,
            label="System",
            button="Find systems",
            kept=("profile", "facet", "split", "measure"),
        ),
        "csv": choice.address(format="csv"),
        "latex": choice.address(format="latex"),
        "out_of_date": [system.name for system in out_of_date(collection)],
        "unscored": unscored_runs(collection),
        "scored_at": _scored_at(collection),
        "has_labels": collection.queries.filter(pair_count__judged__gt=0).exists(),
        "jobs": jobs_to_show(collection, [JOB_KIND]),
    }
    return render(request, "evaluation/leaderboard.html", context)


def _scored_at(collection: Collection) -> object:
    scores = Scores.objects.filter(system__collection=collection).order_by("-computed_at")
    return scores.values_list("computed_at", flat=True).first()


class MeasureHead(NamedTuple):
    """The head of a measure's column: the link ranks by it."""

    name: str
    description: str
    url: str
    current: bool


def _measures(choice: Selection) -> list[MeasureHead]:
    return [
        MeasureHead(
            measure.name,
            measure.description,
            choice.address(measure=measure.name),
            measure.name == choice.measure,
        )
        for measure in choice.profile.measures
    ]


def _options(choice: Selection, names: Mapping[str, str]) -> list[tuple[str, list[Option]]]:
    """The choices of the page as links, by what they choose."""
    profiles = [
        Option(
            name, choice.address(profile=name, measure="", split=""), name == choice.profile.name
        )
        for name in PROFILES
    ]
    facets = [
        Option(facet_name(facet, names), choice.address(facet=facet), facet == choice.place.facet)
        for facet in (*names, ALL)
    ]
    splits = [
        Option(label, choice.address(split=split), split == choice.place.split)
        for split, label in SPLIT_NAMES.items()
    ]
    groups = [("Measures", profiles), ("Queries", facets if names else []), ("Mean", splits)]
    return [(label, options) for label, options in groups if options]


def _file(
    collection: Collection,
    choice: Selection,
    lines: list[Line],
    kind: str,
    names: Mapping[str, str],
) -> HttpResponse:
    measures = choice.profile.names
    if kind == "csv":
        response = HttpResponse(as_csv(lines, measures), content_type="text/csv; charset=utf-8")
    else:
        caption = f"{collection.name}: {facet_name(choice.place.facet, names)}, in percent."
        content = as_latex(lines, measures, caption)
        response = HttpResponse(content, content_type="text/x-tex; charset=utf-8")
    extension = "csv" if kind == "csv" else "tex"
    filename = f"{collection.slug}-leaderboard-{choice.place.facet}.{extension}"
    response["Content-Disposition"] = content_disposition_header(True, filename) or "attachment"
    return response


@in_collection(Role.ADMIN)
@require_POST
def score_systems(request: HttpRequest, collection: Collection) -> HttpResponse:
    request_evaluation(collection=collection, requested_by=person_of(request))
    messages.info(request, "Scoring the systems.")
    return redirect("leaderboard", collection.slug)

"""The admin's page of systems ranked by their scores."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from django.contrib import messages
from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, person_of, row_or_404
from accounts.models import Collection, Role
from evaluation.leaderboard.report import split_descriptions
from evaluation.leaderboard.rows import (
    KIND_WORDS,
    LeaderboardLine,
    LeaderboardPlace,
    as_csv,
    as_latex,
    facet_name,
    leaderboard,
    places_of,
)
from evaluation.leaderboard.supported_scopes import support_of
from jobs.listing import jobs_to_show
from pooling.models import Pool
from scoring.computation import folds_of
from scoring.folds import Folds
from scoring.labels import FINAL, SOURCE_NAMES, query_facets, relevant_from, stored_sources
from scoring.measures.names import Measure
from scoring.measures.profiles import PROFILES, Profile, profile_of, usual_profile
from scoring.models import Scores
from scoring.results import scored_sources, shown_source, stored_profile
from scoring.score_tables import ALL, DEV, MEAN_OVER_FIELDS, TEST
from scoring.services import JOB_KIND, out_of_date, request_evaluation, unscored_runs
from web.choice_links import ChoiceLink
from web.downloads import text_download
from web.tables.cells import matching
from web.tables.filters import Filter, FilterChoice, Test, filter_bar, filter_rows
from web.tables.paging import typed

SPLIT_NAMES = {TEST: "Test", DEV: "Development", ALL: "All queries"}


def _is_of_kind(kind: str) -> Test[LeaderboardLine]:
    return lambda line: kind in line.kinds


FILTERS: list[Filter[Test[LeaderboardLine]]] = [
    Filter(
        "kind",
        "Kind",
        [
            FilterChoice(kind, word.capitalize(), _is_of_kind(kind))
            for kind, word in KIND_WORDS.items()
        ],
    ),
    Filter(
        "pool",
        "Pool",
        [
            FilterChoice("in", "In the pool", lambda line: line.in_pool),
            FilterChoice("out", "Not in the pool", lambda line: not line.in_pool),
        ],
    ),
]


@dataclass(frozen=True)
class LeaderboardSelection:
    """The selection in the address; an unknown value counts as the default."""

    source: str
    profile: Profile
    place: LeaderboardPlace
    measure: str
    places: Sequence[LeaderboardPlace]

    @classmethod
    def of(
        cls, collection: Collection, parameters: QueryDict, facets: Iterable[str]
    ) -> LeaderboardSelection:
        source = shown_source(collection, parameters.get("labels", ""))
        name = parameters.get("profile", "")
        profile = profile_of(
            name if name in PROFILES else usual_profile(facets), relevant_from(collection, source)
        )
        profile = stored_profile(collection, profile, source=source)
        places = places_of(collection, profile.name, source)
        measure = parameters.get("measure", "")
        return cls(
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


@in_collection(Role.ADMIN)
@require_safe
def show_leaderboard(request: HttpRequest, collection: Collection) -> HttpResponse:
    names = {key: name for key, name in collection.facets.values_list("key", "name") if key}
    choice = LeaderboardSelection.of(collection, request.GET, names)
    lines = leaderboard(collection, choice.profile, choice.place, choice.measure, choice.source)
    found = matching(
        filter_rows(lines, FILTERS, request.GET), typed(request.GET, "q"), lambda line: line.name
    )
    if (kind := request.GET.get("format")) in ("csv", "latex"):
        return _file(collection, choice, found, kind, names)
    folds = folds_of(collection, query_facets(collection))
    context = {
        "collection": collection,
        "choice": choice,
        "lines": found,
        "total": len(lines),
        "measures": _measures(choice),
        "options": _options(collection, choice, names),
        "bar": filter_bar(
            request,
            FILTERS,
            caption="System",
            button="Find systems",
            kept=("labels", "profile", *LeaderboardPlace._fields, "measure"),
        ),
        "csv": choice.address(format="csv"),
        "latex": choice.address(format="latex"),
        "mean": _mean_words(choice, folds),
        "folds": folds,
        "support": support_of(collection, choice.profile.scope, choice.source),
        "mixed": sum(line.is_mixed_in for line in lines),
        "out_of_date": [system.name for system in out_of_date(collection, choice.source)],
        "unscored": unscored_runs(collection),
        "scored_at": _scored_at(collection, choice.source),
        "sources": _scorable_sources(collection),
        "jobs": jobs_to_show(collection, [JOB_KIND]),
    }
    return render(request, "evaluation/leaderboard.html", context)


def _mean_words(choice: LeaderboardSelection, folds: Folds) -> str:
    if choice.profile.by_field:
        return "A mean over fields weighs each field of the query papers alike."
    return f"Shown is the {split_descriptions(folds).get(choice.place.split, '')}."


def _scorable_sources(collection: Collection) -> list[tuple[str, str]]:
    """The sources of labels to score by, each with its name.

    A collection with judged pairs has its final labels; others only if it has such scores. Before
    that, frozen pools can be scored by the other sources.
    """
    scored = scored_sources(collection)
    if collection.queries.filter(pair_count__judged__gt=0).exists():
        sources = [source for source in stored_sources() if source in (FINAL, *scored)]
    elif Pool.objects.frozen().filter(query_paper__collection=collection).exists():
        sources = [source for source in stored_sources() if source != FINAL]
    else:
        sources = []
    return [(source, SOURCE_NAMES.get(source, source)) for source in sources]


def _scored_at(collection: Collection, source: str) -> object:
    scores = Scores.objects.filter(system__collection=collection, source=source)
    scores = scores.order_by("-computed_at")
    return scores.values_list("computed_at", flat=True).first()


class MeasureHead(NamedTuple):
    """The head of a measure's column: the link ranks by it."""

    name: str
    description: str
    threshold: str
    url: str
    current: bool


def _measures(choice: LeaderboardSelection) -> list[MeasureHead]:
    return [
        MeasureHead(
            measure.name,
            measure.description,
            _threshold(measure),
            choice.address(measure=measure.name),
            measure.name == choice.measure,
        )
        for measure in choice.profile.measures
    ]


def _threshold(measure: Measure) -> str:
    """The lowest relevant grade, if the name of a measure with a threshold does not say it."""
    has_threshold = "relevant: grade" in measure.description and "rel=" not in measure.name
    return f"grade ≥ {measure.least}" if has_threshold else ""


def _options(
    collection: Collection, choice: LeaderboardSelection, names: Mapping[str, str]
) -> list[tuple[str, list[ChoiceLink]]]:
    """The choices of the page as links, by what they choose. One without a choice is left out."""
    sources = [
        ChoiceLink(
            SOURCE_NAMES.get(source, source).capitalize(),
            choice.address(labels=source, measure=""),
            source == choice.source,
        )
        for source in scored_sources(collection)
    ]
    profiles = [
        ChoiceLink(
            name,
            f"?{urlencode({'labels': choice.source, 'profile': name})}",
            name == choice.profile.name,
        )
        for name in PROFILES
    ]
    groups = [
        ("Labels", sources),
        ("Measures", profiles),
        ("Queries", _place_options(choice, "facet", lambda value: facet_name(value, names))),
        ("Mean", _place_options(choice, "split", lambda value: SPLIT_NAMES[value])),
        ("Field", _place_options(choice, "field", str)),
        ("Candidates", _place_options(choice, "candidates", str)),
    ]
    return [(caption, options) for caption, options in groups if len(options) > 1]


def _place_options(
    choice: LeaderboardSelection, field: str, caption: Callable[[str], str]
) -> list[ChoiceLink]:
    current = getattr(choice.place, field)
    return [
        ChoiceLink(caption(value), choice.address(**{field: value}), value == current)
        for value in choice.values_of(field)
    ]


def _file(
    collection: Collection,
    choice: LeaderboardSelection,
    lines: list[LeaderboardLine],
    kind: str,
    names: Mapping[str, str],
) -> HttpResponse:
    measures = choice.profile.names
    filename = f"{collection.slug}-leaderboard-{choice.place.facet}"
    if kind == "csv":
        return text_download(as_csv(lines, measures), "text/csv", f"{filename}.csv")
    caption = (
        f"{collection.name}: {facet_name(choice.place.facet, names)}, in percent, "
        f"{choice.profile.scope} lists."
    )
    return text_download(as_latex(lines, measures, caption), "text/x-tex", f"{filename}.tex")


@in_collection(Role.ADMIN)
@require_safe
def system(request: HttpRequest, collection: Collection, name: str) -> HttpResponse:
    row_or_404(
        collection.systems.filter(name=name).first() or collection.runs.filter(name=name).first()
    )
    return redirect(f"{reverse('leaderboard', args=[collection.slug])}?{urlencode({'q': name})}")


@in_collection(Role.ADMIN)
@require_POST
def score_systems(request: HttpRequest, collection: Collection) -> HttpResponse:
    source = request.POST.get("labels", FINAL)
    request_evaluation(
        collection=collection,
        source=source if source in stored_sources() else FINAL,
        requested_by=person_of(request),
    )
    messages.info(request, "Scoring the systems.")
    return redirect("leaderboard", collection.slug)

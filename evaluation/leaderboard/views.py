"""The admin's page of systems ranked by their scores."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import urlencode
from django.views.decorators.http import require_POST, require_safe

from accounts.access import in_collection, person_of
from accounts.models import Collection, Role
from evaluation.gaps.services import GapsReport, is_quick
from evaluation.leaderboard.board_rows import (
    FILTERS,
    NOT_SCORED,
    OUT_OF_DATE,
    BoardRow,
    as_csv,
    board_rows,
)
from evaluation.leaderboard.figures import BoardPart, finding_of, leaderboard_figure
from evaluation.leaderboard.folds_form import FoldsForm
from evaluation.leaderboard.report import split_descriptions
from evaluation.leaderboard.rows import LeaderboardLine, ScoredBoard, as_latex
from evaluation.leaderboard.selection import LeaderboardSelection, Select
from evaluation.leaderboard.supported_scopes import support_of
from evaluation.unique_finds import UniqueFindsReport
from jobs.listing import jobs_to_show
from pooling.models import Pool
from reports.services import request_report
from scoring.baselines.services import JOB_KIND as BASELINES_KIND
from scoring.computation import folds_of
from scoring.folds import Folds
from scoring.labels import FINAL, SOURCE_NAMES, query_facets, stored_sources
from scoring.measures.profiles import TREC
from scoring.models import Scores
from scoring.results import scored_sources
from scoring.services import JOB_KIND, request_evaluation
from scoring.systems.uploads import IMPORT_KIND
from web.downloads import text_download
from web.figure_files import figure_file, shown
from web.figures import Figure
from web.tables.cells import matching
from web.tables.filters import filter_rows
from web.tables.paging import typed

MAKES_SCORES = (JOB_KIND, IMPORT_KIND, BASELINES_KIND, UniqueFindsReport.name, GapsReport.name)


@dataclass(frozen=True)
class LeaderboardPage:
    """The leaderboard of the choices in the address, with the rows that the filters leave."""

    collection: Collection
    request: HttpRequest
    choice: LeaderboardSelection

    @classmethod
    def of(cls, request: HttpRequest, collection: Collection) -> LeaderboardPage:
        return cls(collection, request, LeaderboardSelection.of(collection, request.GET))

    @cached_property
    def board(self) -> ScoredBoard:
        return ScoredBoard.of(self.collection, self.choice.profile, self.choice.source)

    @cached_property
    def rows(self) -> list[BoardRow]:
        lines = self.board.lines(self.choice.place, self.choice.measure)
        return board_rows(self.collection, lines, self.board.pooled, self.choice.source)

    @cached_property
    def found(self) -> list[BoardRow]:
        return matching(
            filter_rows(self.rows, FILTERS, self.request.GET),
            typed(self.request.GET, "q"),
            lambda row: f"{row.name} {row.origin}",
        )

    @property
    def lines(self) -> list[LeaderboardLine]:
        return [row.line for row in self.found if row.line]

    @property
    def selects(self) -> list[Select]:
        """The choices of scores, and the filters that leave out some of the rows."""
        filters = []
        for each in FILTERS:
            known = [choice for choice in each.choices if any(map(choice.condition, self.rows))]
            chosen = each.chosen(self.request.GET)
            if len(known) > 1 or chosen:
                options = [("", "All"), *((choice.value, choice.caption) for choice in known)]
                value = chosen.value if chosen else ""
                filters.append(Select(each.name, each.caption, options, value))
        return [*self.choice.selects(self.collection), *filters]

    def figure(self, same_table: str = "") -> Figure | None:
        """The chosen facet is first."""
        chosen = self.choice.place.facet
        others = [facet for facet in self.choice.values_of("facet") if facet != chosen]
        names = {line.name for line in self.lines}
        parts = [
            BoardPart(
                self.choice.facet_name(facet),
                [
                    line
                    for line in self.board.lines(
                        self.choice.place._replace(facet=facet), self.choice.measure
                    )
                    if line.name in names
                ],
            )
            for facet in (chosen, *others)
        ]
        return leaderboard_figure(
            parts, self.choice.measure, self._addresses, same_table=same_table
        )

    @property
    def _addresses(self) -> dict[str, str]:
        """Of a system's page, or of the first repetition's."""
        slug, choices = self.collection.slug, self.choice.address()
        return {
            row.name: reverse("system", args=[slug, row.members[0].name]) + choices
            for row in self.found
            if row.members
        }

    def file(self, kind: str) -> HttpResponse:
        choice, measures = self.choice, self.choice.profile.names
        filename = f"{self.collection.slug}-leaderboard-{choice.place.facet}"
        if kind == "csv":
            return text_download(as_csv(self.found, measures), "text/csv", f"{filename}.csv")
        caption = (
            f"{self.collection.name}: {choice.facet_name(choice.place.facet)}, in percent, "
            f"{choice.profile.scope} lists."
        )
        text = as_latex(self.lines, measures, caption)
        return text_download(text, "text/x-tex", f"{filename}.tex")

    def context(self) -> dict[str, Any]:
        collection, choice = self.collection, self.choice
        folds = folds_of(collection, query_facets(collection))
        figure = self.figure("ranking-rows")
        has_scores = any(row.line for row in self.rows)
        return {
            "collection": collection,
            "choice": choice,
            "rows": self.found,
            "scored": has_scores,
            "has_judged": has_scores and choice.profile.name != TREC,
            "words": typed(self.request.GET, "q"),
            "measures": choice.measures() if has_scores else [],
            "selects": self.selects,
            "csv": f"?{self._filters('csv')}",
            "latex": f"?{self._filters('latex')}",
            "finding": finding_of(self.lines, choice.measure) if figure else "",
            "figure": figure
            and shown(figure, "leaderboard-figure", collection.slug, self._filters()),
            "mean": _mean_words(choice, folds),
            "folds": folds,
            "folds_form": FoldsForm(),
            "changes_folds": self.request.GET.get("change") == "folds",
            "support": support_of(collection, choice.profile.scope, choice.source),
            "mixed": sum(line.is_mixed_in for line in self.lines),
            "out_of_date": _names(self.rows, OUT_OF_DATE),
            "unscored": _names(self.rows, NOT_SCORED),
            "scored_at": _scored_at(collection, choice.source),
            "sources": scorable_sources(collection),
            "jobs": jobs_to_show(collection, MAKES_SCORES),
        }

    def _filters(self, file_format: str = "") -> str:
        """The parameters of the page as it is shown."""
        named = {each.name: self.request.GET.get(each.name, "") for each in FILTERS}
        named |= {"q": typed(self.request.GET, "q"), "format": file_format}
        return urlencode(
            self.choice.parameters | {name: value for name, value in named.items() if value}
        )


@in_collection(Role.ADMIN)
@require_safe
def show_leaderboard(request: HttpRequest, collection: Collection) -> HttpResponse:
    page = LeaderboardPage.of(request, collection)
    if (kind := request.GET.get("format")) in ("csv", "latex"):
        return page.file(kind)
    return render(request, "evaluation/leaderboard.html", page.context())


@in_collection(Role.ADMIN)
@require_safe
def leaderboard_file(
    request: HttpRequest, collection: Collection, figure: str, extension: str
) -> HttpResponse:
    drawn = LeaderboardPage.of(request, collection).figure()
    return figure_file([drawn] if drawn else [], figure, extension, collection.slug)


def _names(rows: Sequence[BoardRow], state: str) -> list[str]:
    return [row.name for row in rows if row.state == state]


def _mean_words(choice: LeaderboardSelection, folds: Folds) -> str:
    if choice.profile.by_field:
        return "A mean over fields weighs each field of the query papers alike."
    return f"Shown is the {split_descriptions(folds).get(choice.place.split, '')}."


def scorable_sources(collection: Collection) -> list[tuple[str, str]]:
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


@in_collection(Role.ADMIN)
@require_POST
def score_systems(request: HttpRequest, collection: Collection) -> HttpResponse:
    source = request.POST.get("labels", FINAL)
    source = source if source in stored_sources() else FINAL
    person = person_of(request)
    request_evaluation(collection=collection, source=source, requested_by=person)
    if source == FINAL:
        request_report(UniqueFindsReport(), collection=collection, requested_by=person)
        if is_quick(collection):
            request_report(GapsReport(), collection=collection, requested_by=person)
    messages.info(request, "Scoring the systems.")
    return redirect("leaderboard", collection.slug)

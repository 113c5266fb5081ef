"""What the labels say of systems: leaderboard, comparison, one system; baselines, and folds. For admins."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import combinations, zip_longest
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods, require_POST

from accounts.access import CollectionRequest, in_collection
from accounts.models import ADMIN, Collection
from adjudication.labels import labelled_queries
from annotation.models import Pair
from corpus.models import Query
from evaluation import folds, scores, significance
from evaluation.baselines import baselines_of, check_baseline
from evaluation.mdcr import ALL, MEASURES
from evaluation.measures import SCOPES, Labels, Profile, parse, profile
from evaluation.rankings import import_ranking
from evaluation.unjudged import unjudged_shares
from jobs.work import start_once
from retrieval.models import BASELINE, RankedList, Run
from web.csv import csv_response
from web.errors import BadInput, attempt
from web.figures import Dots

SPLITS = [(scores.TEST, "Test: mean of the folds"), (scores.DEV, "Dev: fold 1")]
DEEP = 20  # documents of a ranked list, side by side


class RankingForm(forms.Form):
    file = forms.FileField(help_text='As CSFCube\'s scripts read it: {"paper": [["docno", score], …], …}, best first.')
    name = forms.CharField(max_length=100, help_text="As tables name the system, such as specter. Add a file a facet.")
    facet = forms.ChoiceField(help_text="Of the queries that the file ranks.")

    def __init__(self, *args: Any, collection: Collection, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["facet"].choices = [(facet, facet) for facet in collection.facets]  # type: ignore[attr-defined]


class Choice:
    """What every page of evaluation is asked for: profile, scope, measure, facet, split; said in each table.

    `asked` are the labelled queries that the page is about.
    """

    scopes = SCOPES

    def __init__(
        self, request: CollectionRequest, collection: Collection, labelled: Iterable[str] = (), source: str = ""
    ) -> None:
        if not source:
            labelled = labelled_queries(collection)
        self.labelled = set(labelled)
        self.source = source or scores.FINAL
        # Offered by pages that give a source.
        self.sources = [scores.FINAL, scores.CITATIONS] if source and scores.has_citations(collection) else []
        self.qrels = collection.qrels.all() if self.source == scores.FINAL else []
        self.profiles = scores.profiles_of(collection)
        asked = request.GET
        name = asked.get("profile", self.profiles[0])
        relevant_from = 1 if source == scores.CITATIONS else collection.relevant_from
        base = profile(name if name in self.profiles else self.profiles[0], relevant_from)
        scope = asked.get("scope", base.scope)
        self.added = asked.get("add", "")
        extra = self.added.split()
        for each in extra:
            parse(each)  # refuses what is no measure
        measures = (*base.measures, *(each for each in extra if each not in base.measures))
        by = asked.get("by", base.main)
        self.by = by if by in measures else base.main
        scope = scope if scope in SCOPES else base.scope
        self.profile: Profile = replace(base, scope=scope, measures=measures, main=self.by)
        self.queries = {query.name: query for query in collection.queries.select_related("document")}
        of_facets = {self.queries[name].facet for name in self.labelled}
        self.facets: list[str] = [facet for facet in collection.facets if facet in of_facets]
        facet = asked.get("facet", "")
        self.facet = facet if facet in self.facets else ""
        self.asked = sorted(name for name in self.labelled if self.facet in ("", self.queries[name].facet))
        self.folds = {self.queries[name].fold for name in self.labelled} if base.has_folds else set()
        self.splits = SPLITS if self.folds - {None} else []
        self.folds_made = bool(self.splits) and folds.are_made(collection)
        # Without folds, and where queries have come since they were made.
        self.lacks_folds = None in self.folds and (self.folds_made or not self.splits)
        self.split = scores.DEV if self.splits and asked.get("split") == scores.DEV else scores.TEST

    @property
    def said(self) -> str:
        """The sentence below a table."""
        means = {scores.TEST: "Mean of the folds' means.", scores.DEV: "Fold 1's development queries alone."}
        origin = "Folds: made from the collection's seed." if self.folds_made else "Folds: imported."
        over = "Mean over fields of the means over queries." if self.profile.by_field else "Mean over queries."
        split = f"{means[self.split]} {origin}" if self.splits else over
        if self.splits and None in self.folds:
            split += " Queries without a fold are left out."
        relevant = "Relevant from the grade that a measure's name says."
        if self.source == scores.CITATIONS:
            relevant = "Labels are citations, not judgments: relevant is what the query paper cites."
        return f"{SCOPES[self.profile.scope]} {split} {relevant}"


def asked_labels(request: CollectionRequest, collection: Collection) -> tuple[Labels, Choice]:
    """The final labels; citations where they are asked for, and where there are neither pairs nor published labels."""
    asked = request.GET.get("labels")
    has_own = Pair.objects.of(collection).exists() or collection.qrels.exists()
    if asked == scores.CITATIONS or (asked is None and not has_own):
        if cited := scores.citation_labels(collection):
            return cited, Choice(request, collection, cited, scores.CITATIONS)
    labels = scores.labels_of(collection)
    return labels, Choice(request, collection, labels, scores.FINAL)


def scored(request: CollectionRequest, collection: Collection, runs: list[Run], choice: Choice) -> Any:
    """The tables of the runs, or a job that makes them, where they are too many for a page."""
    wanted, source = choice.profile, choice.source
    tables = scores.stored_scores(collection, runs, wanted, source)
    missing = [run for run in runs if run.pk not in tables]
    if RankedList.objects.filter(run__in=missing).count() <= scores.AT_ONCE:
        return tables | scores.score_runs(collection, missing, wanted, source) if missing else tables
    about = scores.parameters_of(wanted, source)
    return start_once("score_runs", collection=collection, by=request.user, **about)


@require_GET
@in_collection(ADMIN)
def leaderboard(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """All systems of each facet, the best first."""
    (labels, choice), runs = asked_labels(request, collection), scores.systems_of(collection)
    context: dict[str, Any] = {"collection": collection, "choice": choice, "systems": runs}
    tables = scored(request, collection, runs, choice) if runs and labels else {}
    if not isinstance(tables, dict) or not tables:
        return render(request, "evaluation/leaderboard.html", context | {"job": tables or None})
    facets = [choice.facet] if choice.facet else choice.facets
    about: dict[str, Any] = {"facets": facets, "split": choice.split, "seed": collection.seed}
    board = scores.leaderboard(runs, tables, choice.queries, choice.profile, **about)
    if request.GET.get("format") in ("csv", "latex"):
        return board_file(request.GET["format"], board, choice)
    ranked = scores.ranked_queries(runs, labels)
    for row in board:
        row["ranked"], row["labelled"] = ranked.get(row["run"].pk, 0), len(labels)
        row["url"] = f"{reverse('system', args=[collection.slug, row['run'].pk])}?{request.GET.urlencode()}"
    panels = []
    for facet in facets or [""]:
        rows = [row for row in board if row["facet"] == facet]
        figure = board_figure(facet, rows, choice)
        if request.GET.get("figure") == figure.name:
            return csv_response(f"{figure.name}.csv", figure.csv)
        panels.append({"facet": facet, "rows": rows, "figure": figure})
    context |= {"panels": panels, "labels": sum(map(len, labels.values()))}
    if scores.is_by_type(choice.profile, choice.source) and choice.by in MEASURES and not choice.facet:
        context |= types_table(collection, list(dict.fromkeys(row["run"] for row in board)), choice.by)
    return render(request, "evaluation/leaderboard.html", context)


def types_table(collection: Collection, runs: list[Run], by: str) -> dict[str, Any]:
    """A measure of each system by type of candidate; nothing where candidates have no types."""
    figures = scores.stored_types(collection, runs)
    kinds = [kind for kind in next(iter(figures.values()), {}) if kind != ALL]
    rows = [{"run": run, "values": [figures[run.pk][kind][by] for kind in kinds]} for run in runs if run.pk in figures]
    return {"kinds": kinds, "by_type": rows}


def board_figure(facet: str, rows: list[dict[str, Any]], choice: Choice) -> Dots:
    points = []
    for row in rows:
        about = {"label": row["name"], "reason": "undefined", "url": row["url"], "lead": row["place"] == 1}
        points.append(about | {"value": row["figures"][choice.by], "low": row["low"], "high": row["high"]})
    title = f"{facet.capitalize()}: {choice.by}" if facet else choice.by
    return Dots(f"board-{facet or 'all'}", title, choice.by, points, low=0.0, high=1.0)


def board_file(kind: str, board: list[dict[str, Any]], choice: Choice) -> HttpResponse:
    measures = choice.profile.measures
    if kind == "csv":
        head = ["facet", "place", "system", *measures, f"{choice.by} low", f"{choice.by} high"]
        rows = [[row["facet"], row["place"], row["name"], *row["values"], row["low"], row["high"]] for row in board]
        return csv_response("leaderboard.csv", [head, *rows])
    lines = [r"\begin{tabular}{ll" + "r" * len(measures) + "}", r"\toprule"]
    names = " & ".join(escape(name) for name in measures)
    lines += [rf"facet & system & {names} \\", r"\midrule"]
    for row in board:
        values = " & ".join("--" if value is None else f"{100 * value:.2f}" for value in row["values"])
        lines.append(rf"{escape(row['facet'])} & {escape(row['name'])} & {values} \\")
    origins = [f"% {qrels.said}" for qrels in choice.qrels]
    lines += [r"\bottomrule", r"\end{tabular}", f"% {choice.said}", *origins, ""]
    response = HttpResponse("\n".join(lines), content_type="application/x-tex; charset=utf-8")
    response["Content-Disposition"] = 'attachment; filename="leaderboard.tex"'
    return response


def escape(text: str) -> str:
    return "".join(f"\\{char}" if char in "&%$#_{}" else char for char in text)


@require_GET
@in_collection(ADMIN)
def compare(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """Two systems query by query, and all systems pairwise; it opens with the best two."""
    (labels, choice), runs = asked_labels(request, collection), scores.systems_of(collection)
    context: dict[str, Any] = {"collection": collection, "choice": choice, "systems": runs}
    tables = scored(request, collection, runs, choice) if len(runs) > 1 and labels else {}
    if not isinstance(tables, dict) or not tables:
        return render(request, "evaluation/compare.html", context | {"job": tables or None})
    asked = choice.asked
    tables = {key: table.reindex(asked) for key, table in tables.items()}  # labels may have come meanwhile
    values = {run.pk: tables[run.pk][choice.by] for run in runs}
    best = sorted(runs, key=lambda run: (-(values[run.pk].mean() or 0.0), run.name))
    by_key = {str(run.pk): run for run in best}
    first = by_key.get(request.GET.get("first", ""), best[0])
    by_key.pop(str(first.pk))
    second = by_key.get(request.GET.get("second", ""), next(iter(by_key.values())))
    one, other = tables[first.pk], tables[second.pk]
    tests = [{"measure": m, **significance.paired(one[m].tolist(), other[m].tolist())} for m in choice.profile.measures]
    couples = [
        {"first": a, "second": b, **significance.paired(values[a.pk].tolist(), values[b.pk].tolist(), ranks=False)}
        for a, b in combinations(best, 2)
    ]
    for row, corrected in zip(couples, significance.holm([row["t"] for row in couples]), strict=True):
        row["holm"] = corrected
    gaps = (one[choice.by] - other[choice.by]).sort_values(kind="stable")
    figure = gap_figure(request, choice, gaps, f"{first} − {second} by query")
    if request.GET.get("figure") == figure.name:
        return csv_response(f"{figure.name}.csv", figure.csv)
    chosen = next((choice.queries[n] for n in asked if str(choice.queries[n].pk) == request.GET.get("query")), None)
    context |= {
        "first": first,
        "second": second,
        "tests": tests,
        "couples": couples,
        "figure": figure,
        "chosen": chosen,
        "lists": side_by_side(chosen, first, second, labels) if chosen else [],
    }
    return render(request, "evaluation/compare.html", context)


def gap_figure(request: CollectionRequest, choice: Choice, gaps: Any, title: str) -> Dots:
    """Each query's difference, the worst for the first system on top; a click shows both lists."""
    parameters = request.GET.copy()
    rows = []
    for name, gap in gaps.items():
        parameters["query"] = str(choice.queries[name].pk)
        url, value = f"?{parameters.urlencode()}#lists", None if gap != gap else gap
        rows.append({"label": name, "value": value, "reason": "undefined", "url": url, "lead": gap > 0})
    return Dots("gaps", title, f"Difference in {choice.by}", rows, low=-1.0, high=1.0)


def side_by_side(query: Query, first: Run, second: Run, labels: Any) -> list[dict[str, Any]]:
    """Rank by rank, both lists with grades; `place` is where the other list has the document."""
    found = {each.run_id: each.docnos for each in RankedList.objects.filter(query=query, run__in=[first, second])}
    one, other = found.get(first.pk, []), found.get(second.pk, [])
    shown = query.collection.documents.filter(docno__in={*one[:DEEP], *other[:DEEP]})
    documents = {each.docno: each for each in shown.only("collection", "docno", "title", "sentences")}
    grades = labels.get(query.name, {})

    def cells(docnos: list[str], others: list[str]) -> list[dict[str, Any]]:
        places = {docno: place for place, docno in enumerate(others, 1)}
        return [{"document": documents[d], "grade": grades.get(d), "place": places.get(d)} for d in docnos[:DEEP]]

    rows = zip_longest(cells(one, other), cells(other, one))
    return [{"rank": rank, "cells": row} for rank, row in enumerate(rows, 1)]


@require_GET
@in_collection(ADMIN)
def system(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    """One system: its figures by facet, its best and worst queries, what is unjudged."""
    run = get_object_or_404(collection.runs, pk=pk)
    labels, choice = asked_labels(request, collection)
    context: dict[str, Any] = {"collection": collection, "run": run, "choice": choice}
    if not labels or not run.lists.exists():
        return render(request, "evaluation/system.html", context)
    tables = scored(request, collection, [run], choice)
    if not isinstance(tables, dict):
        return render(request, "evaluation/system.html", context | {"job": tables})
    ordered = tables[run.pk][choice.by].reindex(choice.asked).dropna().sort_values(ascending=False, kind="stable")
    by_value = [(value, choice.queries[name]) for name, value in ordered.items()]
    about: dict[str, Any] = {"facets": choice.facets, "split": choice.split, "seed": collection.seed}
    context |= {
        "board": scores.leaderboard([run], tables, choice.queries, choice.profile, **about),
        "best": by_value[:5],
        "worst": by_value[::-1][:5],
        "unjudged": [{"depth": n, "share": s} for n, s in unjudged_shares(scores.lists_of(run), labels).items()],
        "unranked": len(labels) - scores.ranked_queries([run], labels).get(run.pk, 0),
        "labelled": len(labels),
        "others": [each for each in scores.systems_of(collection) if each != run],
    }
    return render(request, "evaluation/system.html", context)


@require_http_methods(["GET", "POST"])
@in_collection(ADMIN)
def add_ranking(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """A system's rankings in CSFCube's form; it is scored at once."""
    if not collection.facets:
        raise BadInput("Rankings of this form are of query papers under facets. Import a TREC run instead.")
    form = RankingForm(request.POST or None, request.FILES or None, collection=collection)
    if form.is_valid():
        file = form.cleaned_data.pop("file")
        values = {"file": file, "filename": file.name, **form.cleaned_data}
        if made := attempt(form, import_ranking, collection=collection, **values):
            messages.success(request, f"Imported {file.name} into {made}.")
            return redirect("system", collection.slug, made.pk)
    return render(request, "evaluation/add_ranking.html", {"collection": collection, "form": form})


@require_GET
@in_collection(ADMIN)
def baselines(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """What can be built, and what was built of other pairs than those that are judged now."""
    built = {run.name: run for run in collection.runs.filter(kind=BASELINE)}
    pairs = sum(map(len, scores.labels_of(collection).values()))
    documents = collection.documents.count()
    rows: list[dict[str, Any]] = []
    for name, baseline in baselines_of(collection).items():
        run = built.get(name)
        is_behind = run and (run.settings["pairs"], run.settings["corpus"]) != (pairs, documents)
        rows.append({"name": name, "baseline": baseline, "run": run, "is_behind": is_behind})
    wanted = [
        row["name"]
        for row in rows
        if not (row["baseline"].extra and row["baseline"].extra.is_missing) and (row["is_behind"] or not row["run"])
    ]
    context = {
        "collection": collection,
        "rows": rows,
        "wanted": wanted,
        "pairs": pairs,
        "documents": documents,
        "job": collection.jobs.filter(kind="build_baselines").first(),
    }
    return render(request, "evaluation/baselines.html", context)


@require_POST
@in_collection(ADMIN)
def build(request: CollectionRequest, collection: Collection) -> HttpResponse:
    names = request.POST.getlist("name")
    if not names:
        raise BadInput("Choose at least one baseline.")
    for name in names:
        check_baseline(collection, name)
    start_once("build_baselines", collection=collection, by=request.user, names=names)
    return redirect("baselines", collection.slug)


@require_POST
@in_collection(ADMIN)
def make_folds(request: CollectionRequest, collection: Collection) -> HttpResponse:
    folds.make_folds(collection)
    messages.success(request, "Made two folds, even within each facet.")
    return redirect("leaderboard", collection.slug)

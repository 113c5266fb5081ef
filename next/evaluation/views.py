"""What the labels say of systems: leaderboard, comparison, one system. For admins."""

from __future__ import annotations

from dataclasses import replace
from itertools import combinations
from typing import Any

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import get_object_or_404, redirect, render
from django.urls import reverse
from django.views.decorators.http import require_GET, require_http_methods

from accounts.access import CollectionRequest, in_collection
from accounts.models import ADMIN, Collection
from annotation.models import Pair
from corpus.models import Query
from evaluation import folds, scores, significance
from evaluation.forms import RankingForm
from evaluation.measures import SCOPES, Labels, Profile, parse, profile
from evaluation.rankings import import_ranking
from evaluation.unjudged import unjudged_shares
from jobs.work import start_once
from retrieval.models import RankedList, Run
from web.csv import csv_response
from web.errors import BadInput, attempt
from web.figures import Dots

SPLITS = [(scores.TEST, "Test: mean of the folds"), (scores.DEV, "Dev: fold 1")]
DEEP = 20  # documents of a ranked list, side by side


class Choice:
    """What every page of evaluation is asked for: profile, scope, measure, facet, split; said in each table."""

    def __init__(self, request: CollectionRequest, collection: Collection, labels: Labels, source: str = "") -> None:
        self.source = source or scores.FINAL
        # Offered by pages that give a source.
        self.sources = [scores.FINAL, scores.CITATIONS] if source and scores.has_citations(collection) else []
        self.qrels = collection.qrels.all() if self.source == scores.FINAL else []
        self.relevant_from = 1 if source == scores.CITATIONS else collection.relevant_from
        self.profiles = scores.profiles_of(collection)
        asked = request.GET
        name = asked.get("profile", self.profiles[0])
        base = profile(name if name in self.profiles else self.profiles[0], self.relevant_from)
        scope = asked.get("scope", base.scope)
        extra = asked.get("add", "").split()
        for each in extra:
            parse(each)  # refuses what is no measure
        measures = (*base.measures, *(each for each in extra if each not in base.measures))
        self.profile: Profile = replace(base, scope=scope if scope in SCOPES else base.scope, measures=measures)
        by = asked.get("by", self.profile.main)
        self.by = by if by in measures else self.profile.main
        self.queries = {query.name: query for query in collection.queries.select_related("document")}
        labelled = {self.queries[name].facet for name in labels}
        self.facets: list[str] = [facet for facet in collection.facets if facet in labelled]
        facet = asked.get("facet", "")
        self.facet = facet if facet in self.facets else ""
        asked_for = [query for name, query in self.queries.items() if name in labels and base.has_folds]
        self.folds = {query.fold for query in asked_for}
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
        split = f"{means[self.split]} {origin}" if self.splits else "Mean over queries."
        if self.splits and None in self.folds:
            split += " Queries without a fold are left out."
        relevant = "Relevant from the grade that a measure's name says."
        if self.source == scores.CITATIONS:
            relevant = "Labels are citations, not judgments: relevant is what the query paper cites."
        return f"{scores.scope_sentence(self.profile)} {split} {relevant}"


def asked_labels(request: CollectionRequest, collection: Collection) -> tuple[Labels, str]:
    """The final labels; citations where they are asked for, and where there are neither pairs nor published labels."""
    asked = request.GET.get("labels")
    has_own = Pair.objects.of(collection).exists() or collection.qrels.exists()
    if asked == scores.CITATIONS or (asked is None and not has_own):
        if cited := scores.citation_labels(collection):
            return cited, scores.CITATIONS
    return scores.labels_of(collection), scores.FINAL


def systems_of(collection: Collection) -> list[Run]:
    """Runs with lists, by name."""
    return list(collection.runs.filter(lists__isnull=False).distinct().order_by("name"))


def scored(request: CollectionRequest, collection: Collection, runs: list[Run], choice: Choice) -> Any:
    """The tables of the runs, or a job that makes them, where they are too many for a page."""
    wanted, source = choice.profile, choice.source
    if scores.is_quick(collection, runs, wanted, source):
        return scores.score_runs(collection, runs, wanted, source)
    about = {"profile": wanted.name, "scope": wanted.scope, "measures": list(wanted.measures), "source": source}
    return start_once("score_runs", collection=collection, by=request.user, **about)


@require_GET
@in_collection(ADMIN)
def leaderboard(request: CollectionRequest, collection: Collection) -> HttpResponse:
    """All systems of each facet, the best first."""
    (labels, source), runs = asked_labels(request, collection), systems_of(collection)
    choice = Choice(request, collection, labels, source)
    context: dict[str, Any] = {"collection": collection, "choice": choice, "scopes": SCOPES, "systems": runs}
    if not runs or not labels:
        return render(request, "evaluation/leaderboard.html", context | {"has_labels": bool(labels)})
    tables = scored(request, collection, runs, choice)
    if not isinstance(tables, dict):
        return render(request, "evaluation/leaderboard.html", context | {"job": tables, "has_labels": True})
    facets = [choice.facet] if choice.facet else choice.facets
    about: dict[str, Any] = {"facets": facets, "by": choice.by, "split": choice.split, "seed": collection.seed}
    board = scores.leaderboard(runs, tables, choice.queries, choice.profile, **about)
    if request.GET.get("format") in ("csv", "latex"):
        return board_file(request.GET["format"], board, choice)
    numbers = {run.pk: len(labels) - scores.unranked(run, labels) for run in runs}
    for row in board:
        row["ranked"], row["labelled"] = numbers[row["run"].pk], len(labels)
        row["values"] = [row["figures"][name] for name in choice.profile.measures]
        row["url"] = f"{reverse('system', args=[collection.slug, row['run'].pk])}?{request.GET.urlencode()}"
    panels: list[dict[str, Any]] = [
        {"facet": facet, "rows": [row for row in board if row["facet"] == facet]} for facet in facets or [""]
    ]
    for panel in panels:
        panel["figure"] = board_figure(panel["facet"], panel["rows"], choice)
    if name := request.GET.get("figure"):
        figure = next((p["figure"] for p in panels if p["figure"].name == name), None)
        if figure:
            return csv_response(f"{name}.csv", figure.csv)
    context |= {"panels": panels, "has_labels": True, "labels": sum(map(len, labels.values()))}
    return render(request, "evaluation/leaderboard.html", context)


def board_figure(facet: str, rows: list[dict[str, Any]], choice: Choice) -> Dots:
    points = [
        {
            "label": row["name"],
            "value": row["figures"][choice.by],
            "low": row["low"],
            "high": row["high"],
            "reason": "undefined",
            "url": row["url"],
            "lead": row["place"] == 1,
        }
        for row in rows
    ]
    title = f"{facet.capitalize()}: {choice.by}" if facet else choice.by
    return Dots(f"board-{facet or 'all'}", title, choice.by, points, low=0.0, high=1.0)


def board_file(kind: str, board: list[dict[str, Any]], choice: Choice) -> HttpResponse:
    measures = choice.profile.measures
    if kind == "csv":
        head = ["facet", "place", "system", *measures, f"{choice.by} low", f"{choice.by} high"]
        rows = [
            [row["facet"], row["place"], row["name"], *(row["figures"][m] for m in measures), row["low"], row["high"]]
            for row in board
        ]
        return csv_response("leaderboard.csv", [head, *rows])
    lines = [r"\begin{tabular}{ll" + "r" * len(measures) + "}", r"\toprule"]
    names = " & ".join(escape(name) for name in measures)
    lines += [rf"facet & system & {names} \\", r"\midrule"]
    for row in board:
        values = " & ".join("--" if (v := row["figures"][m]) is None else f"{100 * v:.2f}" for m in measures)
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
    (labels, source), runs = asked_labels(request, collection), systems_of(collection)
    choice = Choice(request, collection, labels, source)
    context: dict[str, Any] = {"collection": collection, "choice": choice, "scopes": SCOPES, "systems": runs}
    tables = scored(request, collection, runs, choice) if len(runs) > 1 and labels else {}
    if not isinstance(tables, dict) or not tables:
        return render(request, "evaluation/compare.html", context | {"job": tables or None})
    facet = choice.facet
    asked = [n for n in next(iter(tables.values())).index if not facet or choice.queries[n].facet == facet]
    values = {run.pk: tables[run.pk].loc[asked, choice.by] for run in runs}
    best = sorted(runs, key=lambda run: (-(values[run.pk].mean() or 0.0), run.name))
    first = next((run for run in runs if str(run.pk) == request.GET.get("first")), best[0])
    second = next((run for run in runs if str(run.pk) == request.GET.get("second") and run != first), None)
    second = second or next(run for run in best if run != first)
    one, other = tables[first.pk].loc[asked], tables[second.pk].loc[asked]
    tests = [{"measure": m, **significance.paired(one[m].tolist(), other[m].tolist())} for m in choice.profile.measures]
    couples = [
        {"first": a, "second": b, **significance.paired(values[a.pk].tolist(), values[b.pk].tolist())}
        for a, b in combinations(best, 2)
    ]
    for row, corrected in zip(couples, significance.holm([row["t"] for row in couples]), strict=True):
        row["holm"] = corrected
    queries = [
        {
            "query": choice.queries[n],
            "name": n,
            "first": float(one.at[n, choice.by]),
            "second": float(other.at[n, choice.by]),
        }
        for n in asked
    ]
    for row in queries:
        row["difference"] = row["first"] - row["second"]
    queries.sort(key=lambda row: (row["difference"] != row["difference"], row["difference"]))
    figure = gap_figure(queries, first, second, choice, request, collection)
    if request.GET.get("figure") == figure.name:
        return csv_response(f"{figure.name}.csv", figure.csv)
    chosen = next((row["query"] for row in queries if str(row["query"].pk) == request.GET.get("query")), None)
    context |= {
        "first": first,
        "second": second,
        "tests": tests,
        "couples": couples,
        "figure": figure,
        "rows": queries,
        "chosen": chosen,
        "lists": side_by_side(chosen, first, second, labels) if chosen else [],
    }
    return render(request, "evaluation/compare.html", context)


def gap_figure(
    queries: list[dict[str, Any]],
    first: Run,
    second: Run,
    choice: Choice,
    request: CollectionRequest,
    collection: Collection,
) -> Dots:
    """Each query's difference, the worst for the first system on top; a click shows both lists."""
    parameters = request.GET.copy()
    rows = []
    for row in queries:
        parameters["query"] = str(row["query"].pk)
        url = f"{reverse('compare', args=[collection.slug])}?{parameters.urlencode()}#lists"
        value = row["difference"] if row["difference"] == row["difference"] else None
        rows.append({"label": row["name"], "value": value, "reason": "undefined", "url": url, "lead": (value or 0) > 0})
    title = f"{first} − {second} by query"
    return Dots("gaps", title, f"Difference in {choice.by}", rows, low=-1.0, high=1.0)


def side_by_side(query: Query, first: Run, second: Run, labels: Any) -> list[dict[str, Any]]:
    """Rank by rank, both lists with grades; `place` is where the other list has the document."""
    found = {each.run_id: each.docnos for each in RankedList.objects.filter(query=query, run__in=[first, second])}
    one, other = found.get(first.pk, []), found.get(second.pk, [])
    wanted = {*one[:DEEP], *other[:DEEP]}
    documents = {
        each.docno: each
        for each in query.collection.documents.filter(docno__in=wanted).only("docno", "title", "sentences")
    }
    grades = labels.get(query.name, {})

    def cell(docnos: list[str], others: list[str], rank: int) -> dict[str, Any] | None:
        if rank > len(docnos):
            return None
        docno = docnos[rank - 1]
        place = others.index(docno) + 1 if docno in others else None
        return {"document": documents[docno], "grade": grades.get(docno), "place": place}

    depth = min(DEEP, max(len(one), len(other)))
    return [{"rank": r, "cells": [cell(one, other, r), cell(other, one, r)]} for r in range(1, depth + 1)]


@require_GET
@in_collection(ADMIN)
def system(request: CollectionRequest, collection: Collection, pk: int) -> HttpResponse:
    """One system: its figures by facet, its best and worst queries, what it alone ranks high, what is unjudged."""
    run = get_object_or_404(collection.runs, pk=pk)
    labels, source = asked_labels(request, collection)
    choice = Choice(request, collection, labels, source)
    context: dict[str, Any] = {"collection": collection, "run": run, "choice": choice, "scopes": SCOPES}
    if not labels or not run.lists.exists():
        return render(request, "evaluation/system.html", context)
    tables = scored(request, collection, [run], choice)
    if not isinstance(tables, dict):
        return render(request, "evaluation/system.html", context | {"job": tables})
    table = tables[run.pk]
    asked = {
        n: q for n, q in choice.queries.items() if n in table.index and (not choice.facet or q.facet == choice.facet)
    }
    about: dict[str, Any] = {"facets": choice.facets, "by": choice.by, "split": choice.split, "seed": collection.seed}
    board = scores.leaderboard([run], tables, choice.queries, choice.profile, **about)
    for row in board:
        row["values"] = [row["figures"][name] for name in choice.profile.measures]
    by_value = [(float(table.at[n, choice.by]), choice.queries[n]) for n in table.index if n in asked]
    by_value = sorted((each for each in by_value if each[0] == each[0]), key=lambda each: (-each[0], each[1].name))
    context |= {
        "board": board,
        "best": by_value[:5],
        "worst": by_value[::-1][:5],
        "alone": only_found(run, labels, choice),
        "unjudged": [{"depth": n, "share": s} for n, s in unjudged_shares(scores.lists_of(run), labels).items()],
        "unranked": scores.unranked(run, labels),
        "labelled": len(labels),
        "others": [each for each in systems_of(collection) if each != run],
    }
    return render(request, "evaluation/system.html", context)


def only_found(run: Run, labels: Any, choice: Choice) -> list[dict[str, Any]]:
    """Relevant documents among the first twenty that no other system has there."""
    least = choice.relevant_from
    others: dict[str, set[str]] = {}
    for name, docnos in (
        RankedList.objects.filter(run__collection=run.collection).exclude(run=run).values_list("query__name", "docnos")
    ):
        others.setdefault(name, set()).update(docnos[:DEEP])
    rows = []
    for name, docnos in scores.lists_of(run).items():
        grades = labels.get(name, {})
        for rank, docno in enumerate(docnos[:DEEP], 1):
            if grades.get(docno, 0) >= least and docno not in others.get(name, ()):
                rows.append({"query": choice.queries[name], "docno": docno, "rank": rank, "grade": grades[docno]})
    return sorted(rows, key=lambda row: (-row["grade"], row["rank"], row["docno"]))


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

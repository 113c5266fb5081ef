"""The checklist of an empty collection: the steps to the first judgment. Pure."""

from __future__ import annotations

from typing import NamedTuple

from dashboard.overview.steps import QUERIES_NOT_OPEN, CollectionCounts
from web.words import count_noun

ANNOTATORS = 2  # who judge a query


class FirstStep(NamedTuple):
    """A step of the checklist. `place` is that of a `NextStep`, `sample` a file to try it."""

    name: str
    state: str
    done: bool
    button: str
    place: str
    sample: str = ""
    optional: bool = False
    current: bool = False


def first_steps(c: CollectionCounts) -> tuple[FirstStep, ...]:
    """The steps in order, until the first query is open; then none."""
    if c.opened:
        return ()
    labels = (_labels(c),) if c.has_facets else ()
    rest = (_queries(c), _runs(c), _pools(c), _people(c), _guidelines(), _pilots(c), _open(c))
    steps = (_documents(c), *labels, *rest)
    current = next(step for step in steps if not step.done and not step.optional)
    return tuple(step._replace(current=step is current) for step in steps)


def _documents(c: CollectionCounts) -> FirstStep:
    state = (
        f"{count_noun(c.documents, 'document')} imported."
        if c.documents
        else "Import titles and abstracts. Every document can be a query or a candidate."
        if c.has_facets
        else "Import titles and texts. Every document can be a candidate or a query."
    )
    return FirstStep(
        "Documents",
        state,
        c.documents > 0,
        "Import documents",
        "import-documents",
        sample="documents.jsonl",
    )


def _labels(c: CollectionCounts) -> FirstStep:
    """Only a paper with a labelled sentence on a facet can be a query under it. Topics need none.

    So the step is also done when there is a query.
    """
    state = (
        f"{count_noun(c.labelled, 'document')} with sentence labels."
        if c.labelled
        else "Predict which facet each sentence is on, or import documents with labels. A paper "
        "can be a query only under a facet of its sentences."
    )
    return FirstStep(
        "Sentence labels", state, c.labelled + c.queries > 0, "Label sentences", "labels"
    )


def _queries(c: CollectionCounts) -> FirstStep:
    if c.queries:
        of = c.query_source.phrase(c.query_papers)
        state = f"{count_noun(c.queries, 'query', 'queries')} of {of}."
    elif c.has_facets:
        state = "Choose papers and their facets, or import topics."
    else:
        state = "Import topics, or choose documents to compare others with."
    sample = "queries.txt" if c.has_sample_facets else "topics.jsonl"
    return FirstStep("Queries", state, c.queries > 0, "Add queries", "add-query", sample)


def _runs(c: CollectionCounts) -> FirstStep:
    state = (
        f"{count_noun(c.runs, 'run')}."
        if c.runs
        else "Optional: import rankings of other systems. Building pools runs BM25 and TF-IDF."
    )
    sample = "run.txt" if c.has_sample_facets and not c.topics else "topics_run.txt"
    return FirstStep("Runs", state, c.runs > 0, "Add runs", "add-run", sample, optional=True)


def _pools(c: CollectionCounts) -> FirstStep:
    state = (
        f"{c.pools:,} of {c.query_papers:,} {c.query_source.many} have a pool."
        if c.pools
        else f"Draw the candidates of every {c.query_source.one} from the runs."
    )
    return FirstStep("Pools", state, 0 < c.query_papers <= c.pools, "Plan the pools", "plan-pools")


def _people(c: CollectionCounts) -> FirstStep:
    annotators = (
        f"{c.annotators:,} annotators."
        if c.annotators >= ANNOTATORS
        else f"{c.annotators:,} of {ANNOTATORS} annotators."
    )
    adjudicators = "" if c.adjudicators else " Later, an adjudicator decides where they differ."
    return FirstStep(
        "People",
        annotators + adjudicators,
        c.annotators >= ANNOTATORS,
        "Add people",
        "people",
    )


def _guidelines() -> FirstStep:
    return FirstStep(
        "Guidelines",
        "Optional: there is a default text. Change it before you open queries.",
        False,
        "Edit guidelines",
        "guidelines",
        optional=True,
    )


def _pilots(c: CollectionCounts) -> FirstStep:
    state = (
        f"{count_noun(c.pilots, 'pilot round')}."
        if c.pilots
        else "Optional: all annotators judge the same few pairs and talk about where they differ. "
        "Then you improve the guidelines."
    )
    return FirstStep(
        "Pilot rounds", state, c.pilots > 0, "Start a pilot round", "new-pilot", optional=True
    )


def _open(c: CollectionCounts) -> FirstStep:
    return FirstStep(
        "Open queries",
        "Give every query to two annotators. They can then begin to judge.",
        False,
        "Open queries",
        QUERIES_NOT_OPEN,
    )


# Pages of admins, and those of an owner-annotator in their place.
OWNERS_PLACES = {"plan-pools": "set-up", QUERIES_NOT_OPEN: "set-up"}


def owners_first_steps(c: CollectionCounts) -> tuple[FirstStep, ...]:
    """The steps of an owner-annotator, who sees no runs. The usual retrievers draw the pools."""
    return tuple(
        step._replace(place=OWNERS_PLACES.get(step.place, step.place))
        for step in first_steps(c)
        if step.place != "add-run"
    )

"""The pipeline's seven steps and the next thing to do, from a collection's counts. Pure.

No count reveals a judgment. Counts of disputes cover only pairs that both judges have judged.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

from corpus.facets import SAMPLE_FACETS
from dashboard.board.completion import Completion
from web.words import Noun, count_noun, query_source


@dataclass(frozen=True)
class CollectionCounts:
    """A collection in numbers. `finished` queries have a judgment in every slot.

    `query_papers` are documents or topics.
    """

    documents: int = 0
    labelled: int = 0  # documents with sentence labels; counted before a query is open
    queries: int = 0
    opened: int = 0
    finished: int = 0
    query_papers: int = 0
    topics: int = 0
    runs: int = 0
    pools: int = 0
    frozen_pools: int = 0
    candidates: int = 0
    pairs: int = 0
    judged_pairs: int = 0
    slots: int = 0
    judged_slots: int = 0
    cases: int = 0
    settled: int = 0
    pilots: int = 0
    reports: int = 0
    releases: int = 0
    admins: int = 0
    annotators: int = 0
    adjudicators: int = 0
    curators: int = 0
    live_jobs: int = 0
    failed_jobs: int = 0
    whole_facets: int = 0  # 1 in a collection without facets
    sample_facets: int = 0  # how many facets of the sample files it has

    @property
    def has_facets(self) -> bool:
        return not self.whole_facets

    @property
    def has_sample_facets(self) -> bool:
        return self.sample_facets == len(SAMPLE_FACETS)

    @property
    def query_source(self) -> Noun:
        """The noun for the queries: `query_papers` counts documents and topics."""
        papers = self.query_papers - self.topics
        return query_source(self.topics, papers, has_facets=self.has_facets)

    @property
    def unopened(self) -> int:
        return self.queries - self.opened

    @property
    def empty_slots(self) -> int:
        return self.slots - self.judged_slots

    @property
    def due(self) -> int:
        return self.cases - self.settled


class Step(NamedTuple):
    """A step of the pipeline. `place` is the URL name of the page where its work is done.

    `progress` is None for a step without a known total. `passes` is what the next step gets.
    """

    name: str
    place: str
    figure: str
    state: str
    done: bool
    current: bool = False
    progress: Completion | None = None
    passes: str = ""


QUERIES_NOT_OPEN = "board?state=not-open"


class NextStep(NamedTuple):
    """The next thing to do, with the button that leads to its page.

    `place` is the URL name of the page, and what follows its address from "?" on.
    """

    text: str
    button: str = ""
    place: str = ""


def steps(counts: CollectionCounts) -> tuple[Step, ...]:
    """The seven steps in order; the first that is not done is the current one."""
    all_steps = (
        _corpus(counts),
        _queries(counts),
        _pools(counts),
        _judging(counts),
        _adjudication(counts),
        _agreement(counts),
        _release(counts),
    )
    current = next((step for step in all_steps if not step.done), None)
    return tuple(step._replace(current=step is current) for step in all_steps)


def _corpus(c: CollectionCounts) -> Step:
    state = count_noun(c.documents, "document") if c.documents else "no documents yet"
    passes = c.query_source.phrase(c.query_papers)
    return Step("Corpus", "documents", f"{c.documents:,}", state, c.documents > 0, passes=passes)


def _queries(c: CollectionCounts) -> Step:
    state = f"from {c.query_source.phrase(c.query_papers)}" if c.queries else "no queries yet"
    passes = f"{c.pools:,} with a pool"
    return Step("Queries", "queries", f"{c.queries:,}", state, c.queries > 0, passes=passes)


def _pools(c: CollectionCounts) -> Step:
    done = 0 < c.query_papers <= c.pools
    if c.pools:
        state = f"{count_noun(c.candidates, 'candidate')}, {c.frozen_pools:,} frozen"
    else:
        state = f"{count_noun(c.runs, 'run')}, no pool yet"
    passes = f"{count_noun(c.pairs, 'pair')} open"
    return _progressing("Pools", "pools", Completion(c.pools, c.query_papers), state, done, passes)


def _judging(c: CollectionCounts) -> Step:
    done = c.queries > 0 and c.finished == c.queries
    state = f"queries judged, {c.unopened:,} not open" if c.unopened else "queries judged"
    if not c.opened:
        pilots = f"{count_noun(c.pilots, 'pilot round')}, " if c.pilots else ""
        state = f"{pilots}not open yet"
    passes = f"{c.judged_pairs:,} judged twice"
    return _progressing("Judging", "board", Completion(c.finished, c.queries), state, done, passes)


def _adjudication(c: CollectionCounts) -> Step:
    done = _judging(c).done and c.due == 0
    state = "cases decided" if c.cases else "no cases" if done else "no cases yet"
    # Adjudicators decide cases on a page that admins cannot open. Admins see them on the board.
    passes = f"{count_noun(c.judged_pairs - c.due, 'pair')} done"
    return _progressing(
        "Adjudication", "board", Completion(c.settled, c.cases), state, done, passes
    )


def _agreement(c: CollectionCounts) -> Step:
    state = count_noun(c.reports, "report") if c.reports else "no report yet"
    done = _adjudication(c).done and c.reports > 0
    return Step("Agreement", "agreement", f"{c.reports:,}", state, done)


def _release(c: CollectionCounts) -> Step:
    state = count_noun(c.releases, "version") if c.releases else "no release yet"
    return Step("Release", "releases", f"{c.releases:,}", state, c.releases > 0)


def next_step(c: CollectionCounts) -> NextStep:
    """The next step for an admin: the first thing that blocks the pipeline."""
    if not c.documents:
        return NextStep(
            "Import the documents. Each can be a candidate or a query.",
            "Import documents",
            "import-documents",
        )
    if not c.queries:
        text = (
            "Choose query papers, or import topics."
            if c.has_facets
            else "Import topics, or choose documents to compare others with."
        )
        return NextStep(text, "Add queries", "add-query")
    if not c.pools and not c.runs:
        return NextStep(
            "Retrieve candidates for the queries, or import runs from other systems.",
            "Add runs",
            "runs",
        )
    if c.pools < c.query_papers:
        missing = c.query_papers - c.pools
        return NextStep(
            f"{c.query_source.phrase(missing)} of {c.query_papers:,} "
            f"{'has' if missing == 1 else 'have'} no pool yet.",
            "Plan the pools",
            "plan-pools",
        )
    return _next_in_judging(c) or _next_after_judging(c)


def _next_in_judging(c: CollectionCounts) -> NextStep | None:
    if c.unopened and c.annotators < 2:
        return NextStep(
            f"Every pair needs two judges. {_annotators(c.annotators)}", "Add annotators", "people"
        )
    if c.due and not c.adjudicators:
        return NextStep(
            f"{count_noun(c.due, 'case')} {_wait(c.due)} for an adjudicator. "
            "The collection has none.",
            "Add an adjudicator",
            "people",
        )
    if c.unopened:
        before = "" if c.opened or c.pilots else " A pilot round before compares annotators."
        return NextStep(
            f"{count_noun(c.unopened, 'query', 'queries')} of {c.queries:,} "
            f"{'is' if c.unopened == 1 else 'are'} ready to be opened for judging.{before}",
            "Open queries",
            QUERIES_NOT_OPEN,
        )
    if c.empty_slots:
        return NextStep(
            f"Judging is in progress: {c.judged_slots:,} of {c.slots:,} judgments are saved.",
            "View progress",
            "board",
        )
    return None


def _next_after_judging(c: CollectionCounts) -> NextStep:
    if c.due:
        return NextStep(
            f"All pairs are judged. {count_noun(c.due, 'case')} of {c.cases:,} {_wait(c.due)} for "
            f"{'the adjudicator' if c.adjudicators == 1 else 'an adjudicator'}.",
            "View open cases",
            "board",
        )
    if not c.reports:
        return NextStep(
            "All pairs are judged and all cases are decided. Compute how well the judges agree.",
            "Compute agreement",
            "agreement",
        )
    if not c.releases:
        return NextStep(
            "Judging, adjudication and agreement are done.", "Publish a release", "releases"
        )
    return NextStep(
        f"Published in {count_noun(c.releases, 'version')}. Later changes go into the next.",
        "View releases",
        "releases",
    )


def _progressing(
    name: str, place: str, progress: Completion, state: str, done: bool, passes: str
) -> Step:
    figure = f"{progress.done:,} of {progress.total:,}" if progress.total else "0"
    known = progress if progress.total else None
    return Step(name, place, figure, state, done, progress=known, passes=passes)


def _annotators(number: int) -> str:
    return f"The collection has {'only one annotator' if number == 1 else 'no annotator'}."


def _wait(number: int) -> str:
    return "waits" if number == 1 else "wait"

"""The facts that the gate checks, as numbers and names. Pure.

`facts_of` takes them from a snapshot, `current_facts.facts_now` from the database without reading
the collection. A test compares the two.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice

from adjudication.standing import LabelledPair, Standing
from bundle.datasheet.questions import unanswered
from bundle.formats.records import is_writable
from bundle.options import ReleaseOptions
from bundle.records import Snapshot

SHOWN = 20


@dataclass(frozen=True, slots=True)
class Faults:
    """The number of faults, and the first of them by name."""

    count: int = 0
    items: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts about a release, and its faults. `labels` are the final labels."""

    options: ReleaseOptions
    labels: int
    licence: str
    corpus_licence: str
    unwritable: Faults
    unresolved: Faults
    unjudged: Faults
    unopened: Faults
    without_relevant: Faults
    self_retrieved: Faults
    duplicates: Faults
    without_source: Faults
    shown_otherwise: Faults
    unanswered: Faults  # required questions of the datasheet
    # The judgments are imported, but their folds are made from the seed.
    has_made_folds: bool
    old_reports: Faults


def faults(items: Iterable[str]) -> Faults:
    """All items counted; the first of them are kept."""
    every = iter(items)
    first = tuple(islice(every, SHOWN))
    return Faults(len(first) + sum(1 for _ in every), first)


def unwritable(ids: Iterable[str], facets: Iterable[str]) -> Faults:
    """Ids of labels, each once, and keys of facets that the files of qrels cannot have."""
    wrong = [repr(name) for name in sorted({name for name in ids if not is_writable(name)})]
    return faults([*wrong, *(f"facet {facet}" for facet in facets if facet == "all")])


def name_of(pair: LabelledPair) -> str:
    return f"{pair.query} {pair.docno}"


class _Tally:
    """Faults that are counted one by one, without keeping more names than are shown."""

    def __init__(self) -> None:
        self.count = 0
        self.items: list[str] = []

    def add(self, item: str) -> None:
        self.count += 1
        if self.count <= SHOWN:
            self.items.append(item)

    def faults(self) -> Faults:
        return Faults(self.count, tuple(self.items))


def facts_of(snapshot: Snapshot) -> Facts:
    """The facts of a snapshot. Its pairs and pools are read once."""
    papers = {query.name: query.query_paper for query in snapshot.queries}
    topics = {query.name for query in snapshot.queries if query.is_topic}
    unsourced = {(line.query_paper, line.docno) for line in snapshot.pools if not line.sources}
    relevant_from = snapshot.collection.relevant_from
    labels, wrong, best = 0, set[str](), dict[str, int]()
    due, unjudged, own, without_source = _Tally(), _Tally(), _Tally(), _Tally()
    for pair in snapshot.pairs:
        if pair.standing is Standing.DUE:
            due.add(name_of(pair))
        elif pair.standing is Standing.UNJUDGED:
            unjudged.add(name_of(pair))
        if pair.final is None:
            continue
        labels += 1
        best[pair.query] = max(pair.final, best.get(pair.query, 0))
        wrong.update(name for name in (pair.query, pair.docno) if not is_writable(name))
        paper = papers[pair.query]
        if pair.docno == paper and pair.query not in topics:
            own.add(pair.query)
        if (paper, pair.docno) in unsourced:
            without_source.add(name_of(pair))
    return Facts(
        options=snapshot.options,
        labels=labels,
        licence=snapshot.collection.licence,
        corpus_licence=snapshot.collection.corpus_licence,
        unwritable=unwritable(wrong, [facet.key for facet in snapshot.collection.facets]),
        unresolved=due.faults(),
        unjudged=unjudged.faults(),
        unopened=faults(
            query.name
            for query in snapshot.queries
            if not query.opened and not snapshot.of_citations
        ),
        without_relevant=faults(sorted(query for query in best if best[query] < relevant_from)),
        self_retrieved=own.faults(),
        duplicates=faults(f"{paper} {docno}" for paper, docno in snapshot.duplicates),
        without_source=without_source.faults(),
        shown_otherwise=faults(f"{query} {docno}" for query, docno in snapshot.shown_otherwise),
        unanswered=faults(
            unanswered(
                snapshot.datasheet.answers,
                dates_known=snapshot.datasheet.dates_known,
                judged=not snapshot.of_citations,
            )
        ),
        old_reports=faults(snapshot.old_reports),
        has_made_folds=(
            bool(snapshot.folds.number)
            and not snapshot.folds.imported
            and not snapshot.datasheet.dates_known
        ),
    )

"""Pairs whose labels are citations: the queries with the candidates of their pools."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from django.db.models import Q

from adjudication.blind.figures import NO_FIGURES
from adjudication.standing import LabelledPair, Standing
from bundle.citation_labels import (
    HIGHEST_GRADE,
    RELEVANT_FROM,
    citation_label,
    known_sources_by_paper,
    papers_to_complete,
)
from bundle.datasheet.questions import QUESTIONS
from bundle.records import NO_REPORTS, Label, ReleasedBuild, ReleasedConsent, ReleasedDatasheet
from bundle.snapshot import Snapshot
from corpus.models import Query
from database.consistent_reads import READ_TOGETHER, batched
from release.snapshot.pools import as_pooled, cited_rows
from release.snapshot.stored_records import Row, StoredRecords


def without_judging(snapshot: Snapshot) -> Snapshot:
    """The snapshot with a scale of 0 and 1, and without what is about judging.

    A collection can be judged too. Its guideline and its grades are not about these labels.
    """
    return replace(
        snapshot,
        collection=replace(
            snapshot.collection, highest_grade=HIGHEST_GRADE, relevant_from=RELEVANT_FROM
        ),
        queries=tuple(query._replace(guideline=None) for query in snapshot.queries),
        guidelines=(),
        reports=NO_REPORTS,
        blind_ratings=NO_FIGURES,
        judgment_imports=(),
        judged_here=False,
        supports="",
        datasheet=_about_citations(snapshot.datasheet),
    )


def _about_citations(datasheet: ReleasedDatasheet) -> ReleasedDatasheet:
    """The datasheet without the answers and the groups that are about annotators."""
    answers = {
        key: answer for key, answer in datasheet.answers.items() if not QUESTIONS[key].about_judging
    }
    return datasheet._replace(
        answers=answers, annotators=(), owner_annotators=0, consent=ReleasedConsent()
    )


def stored_citation_pairs(
    queries: Sequence[int], builds: Iterable[ReleasedBuild]
) -> StoredRecords[LabelledPair]:
    """Every labelled pair of the queries, which are primary keys, by query id and docno."""
    rows: Iterator[Row] = (
        (label.query, label.facet, label.docno, Standing.CITATION, None, None, label.grade, None)
        for label in citation_labels(queries, builds)
    )
    return StoredRecords(rows, LabelledPair._make)


def citation_labels(queries: Sequence[int], builds: Iterable[ReleasedBuild]) -> Iterator[Label]:
    """The labels of the queries, which are primary keys, by query id and docno."""
    builds = list(builds)
    known, completed = known_sources_by_paper(builds), papers_to_complete(builds)
    sources = Q(source__in=frozenset().union(*known.values()))
    for some in batched(queries, READ_TOGETHER):
        pooled = Query.objects.filter(pk__in=some, query_paper__pool__frozen_at__isnull=False)
        rows = sorted(
            pooled.order_by().values_list(
                "name", "facet__key", "query_paper__name", "query_paper__pool"
            )
        )
        labels: dict[str, list[tuple[str, int]]] = defaultdict(list)
        # Of the sources, which are most of the rows, only those that decide.
        for row in cited_rows(sorted({pool for *_, pool in rows}), completed, sources):
            document = as_pooled(row)
            label = citation_label(document, known[document.query_paper])
            if label is not None:
                labels[document.query_paper].append((document.docno, label))
        for name, facet, paper, _ in rows:
            for docno, label in sorted(labels[paper]):
                yield Label(name, facet, docno, label)

"""The labelled pairs of a collection, with the field and the type that samples are drawn by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator

from django.db.models import Q

from bundle.citation_labels import (
    POSITIVES,
    candidate_type,
    known_sources_by_paper,
    papers_to_complete,
)
from bundle.label_errors.rates import NO_SOURCE
from corpus.models import Facet, Query
from database.consistent_reads import READ_TOGETHER, batched
from jobs.context import JobContext
from release.label_samples.choice import LabelledCandidate
from release.snapshot.pools import as_pooled, cited_rows, released_builds
from scoring.score_tables import NO_FIELD


def labelled_candidates(facet: Facet, work: JobContext) -> Iterator[LabelledCandidate]:
    """Every pair with a citation label of the facet's queries, as a release would have them now.

    A query paper in its own pool is left out, as it is left out of every system's lists.
    """
    builds = released_builds(facet.collection)
    known, completed = known_sources_by_paper(builds), papers_to_complete(builds)
    sources = frozenset().union(*known.values())
    rows = Query.objects.filter(facet=facet, query_paper__pool__frozen_at__isnull=False).order_by()
    queries_of: dict[str, list[tuple[str, str]]] = defaultdict(list)
    pools = set()
    for name, paper, pool, fields in rows.values_list(
        *("name", "query_paper__name", "query_paper__pool", "query_paper__document__fields")
    ):
        queries_of[paper].append((name, fields[0] if fields else NO_FIELD))
        pools.add(pool)
    for some in batched(sorted(pools), READ_TOGETHER):
        work.check()  # a progress report would write within the read
        for row in cited_rows(some, completed, Q(drawn=True) | Q(source__in=sources)):
            document = as_pooled(row)
            type_ = candidate_type(document, known[document.query_paper])
            if type_ is None or document.docno == document.query_paper:
                continue
            for query, field in queries_of[document.query_paper]:
                yield LabelledCandidate(
                    query, document.docno, field, type_ or NO_SOURCE, int(type_ == POSITIVES)
                )

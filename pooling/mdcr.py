"""MDCR's candidates: five papers that a query paper cites, among papers that it does not cite.

Medić & Šnajder, "Large-scale Evaluation of Transformer-based Article Encoders", SDP 2022, section 4.1.

Of each source n papers: of three models out of their best 200, of the neighbours of what the query cites, of the 200
most cited papers of its field, and of all papers. The sources draw one after another, in the query's random order.
"""

from __future__ import annotations

import heapq
import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from itertools import combinations

from corpus.models import Document, Query
from corpus.ordering import shuffled
from retrieval.citations import Citations
from retrieval.lists import ranked_lists
from retrieval.models import Run
from web.errors import BadInput

STRATEGY = "mdcr"
TRUE, GRAPH, MOST_CITED, RANDOM = "true", "graph", "most_cited", "random"  # as the published pools name them
POSITIVES, MODELS, TOP = 5, 3, 200


def check_inputs(queries: Iterable[Query], runs: Sequence[Run]) -> None:
    """Raises BadInput with what the strategy lacks."""
    if len(runs) < MODELS:
        raise BadInput(f"mdcr draws from {MODELS} models, got {len(runs)}. Choose at least {MODELS} runs.")
    if clash := sorted({TRUE, GRAPH, MOST_CITED, RANDOM} & {run.name for run in runs}):
        raise BadInput(f"mdcr has a source {clash[0]!r} of its own. Leave the run of this name out.")
    lacking: dict[str, list[str]] = {"citation": [], "field": []}
    for query in queries:
        if query.document is None or not query.document.cites:
            lacking["citation"].append(query.name)
        elif not query.document.fields:
            lacking["field"].append(query.name)
    for what, names in lacking.items():
        if names:
            raise BadInput(
                f"mdcr needs citations and fields of each query paper. {len(names):,} of these queries have no {what}, "
                f"the first is {names[0]}. Import documents with “references” and “fields”, or name only other queries."
            )


def overlaps(queries: Iterable[Query], runs: Sequence[Run]) -> dict[str, float]:
    """Each run's mean Jaccard index with the others, over their best 200 papers that the query paper does not cite.

    The lowest first, equal ones by name. A query counts for two runs where either has a list; a run without any list
    is left out. Raises BadInput where fewer than three are left.
    """
    shares: dict[tuple[str, str], list[float]] = defaultdict(list)
    for query in queries:
        skipped = {query.own_docno, *(query.document.cites if query.document else ())}
        tops = {name: set(best(each.docnos, skipped)) for name, each in ranked_lists(query, runs).items()}
        for one, other in combinations(sorted(run.name for run in runs), 2):
            a, b = tops.get(one, set()), tops.get(other, set())
            if a or b:
                shares[one, other].append(len(a & b) / len(a | b))
    means: dict[str, list[float]] = defaultdict(list)
    for couple, values in shares.items():
        for name in couple:
            means[name].append(math.fsum(values) / len(values))
    found = {name: math.fsum(values) / len(values) for name, values in means.items()}
    if len(found) < MODELS:
        raise BadInput(
            f"mdcr draws from {MODELS} models, and only {len(found)} of the runs have lists for these queries."
        )
    return dict(sorted(found.items(), key=lambda each: (each[1], each[0])))


def best(docnos: Iterable[str], skipped: set[str]) -> list[str]:
    return [docno for docno in dict.fromkeys(docnos) if docno not in skipped][:TOP]


class Candidates(Citations):
    """What MDCR's sources offer some query papers of a collection."""

    def __init__(self, queries: Sequence[Query]) -> None:
        rows = Document.objects.filter(collection=queries[0].collection_id)
        super().__init__(rows.values_list("docno", "fields", "cites", named=True).iterator(), queries)

    def candidates(
        self, query: Query, lists: Mapping[str, Sequence[str]], seed: str
    ) -> tuple[dict[str, list[str]], list[str], set[str]]:
        """What each source draws from, in the order in which it draws; the positives; and what is never drawn."""
        assert query.document is not None  # check_inputs
        own = query.own_docno
        cited = set(query.document.cites) - {own}
        shuffle = partial(shuffled, seed=seed, query=own)
        skipped = cited | {own}
        sources = {name: shuffle(best(docnos, skipped), purpose=f"top-of-{name}") for name, docnos in lists.items()}
        sources[GRAPH] = list(self.near(cited, skipped))
        most_cited = self._most_cited(set(query.document.fields), skipped)
        sources[MOST_CITED] = shuffle(most_cited, purpose=f"top-of-{MOST_CITED}")
        sources[RANDOM] = shuffle(self.fields.keys() - skipped, purpose=f"top-of-{RANDOM}")
        return sources, shuffle(cited & self.fields.keys(), purpose=TRUE)[:POSITIVES], cited

    def _most_cited(self, fields: set[str], skipped: set[str]) -> list[str]:
        """The 200 most cited papers that share a field with the query paper; ties by docno descending."""
        eligible = (
            (count, docno)
            for docno, count in self.counts.items()
            if docno not in skipped and not fields.isdisjoint(self.fields[docno])
        )
        return [docno for _, docno in heapq.nlargest(TOP, eligible)]

"""What a query paper cites: the source `cited` of pools. And what cites what in the corpus."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from corpus.models import Document, Query

CITED = "cited"


def cited_docnos(query: Query) -> list[str]:
    """The documents of the corpus that the query paper cites, in its order, each once. A topic cites nothing."""
    if query.document is None:
        return []
    cites = query.document.cites
    corpus = set(
        Document.objects.filter(collection=query.collection_id, docno__in=cites).values_list("docno", flat=True)
    )
    return [docno for docno in dict.fromkeys(cites) if docno in corpus and docno != query.own_docno]


class Citations:
    """The citations of a corpus, as far as some query papers need them, read in one pass.

    `fields` are those of every paper, `counts` how many papers of the corpus cite one, `neighbours` the papers, also
    outside the corpus, that cite or are cited by a paper that some query cites.
    """

    def __init__(self, rows: Iterable[Any], queries: Sequence[Query]) -> None:
        """`rows` have docno, fields and cites of every document."""
        documents = Document.objects.filter(collection=queries[0].collection_id)
        corpus = set(documents.values_list("docno", flat=True).iterator())
        wanted = {docno for query in queries if query.document for docno in query.document.cites}
        self.fields: dict[str, list[str]] = {}
        self.counts: Counter[str] = Counter()
        self.neighbours: dict[str, set[str]] = defaultdict(set)
        for row in rows:
            cited = set(row.cites) - {row.docno}
            self.fields[row.docno] = row.fields
            self.counts.update(cited & corpus)
            for each in cited & wanted:
                self.neighbours[each].add(row.docno)
            if row.docno in wanted:
                self.neighbours[row.docno] |= cited

    def near(self, cited: set[str], skipped: set[str]) -> dict[str, float]:
        """All neighbours of the closest cited paper, then those of the next; ties, and neighbours, by docno descending.

        With how close query q and cited paper c are: |out(q) ∩ (in(c) ∪ out(c))| / |out(q) ∪ in(c) ∪ out(c)|.
        MDCR's own formula is not preserved.
        """

        def overlap(docno: str) -> float:
            near = self.neighbours[docno]
            return len(cited & near) / len(cited | near)

        found: dict[str, float] = {}
        for value, docno in sorted(((overlap(docno), docno) for docno in cited), reverse=True):
            for each in sorted(self.neighbours[docno], reverse=True):
                if each in self.fields and each not in skipped:
                    found.setdefault(each, value)
        return found

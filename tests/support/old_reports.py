"""Reports as the version before the first numbered one left them in the database."""

from __future__ import annotations

import hashlib

from accounts.models import Collection
from adjudication.labels import labelled_pairs
from agreement.models import Report
from corpus.digests import canonical_json


def an_old_report(collection: Collection, missing: str) -> Report:
    """Of the judgments as they are: the digest of these alone, and fewer keys in the payload."""
    rows = [
        [pair.query, pair.docno, pair.first, pair.second, pair.final, pair.standing.value]
        for pair in labelled_pairs(collection)
        if pair.judged
    ]
    state = hashlib.sha256(canonical_json(rows)).hexdigest()
    row = {"facet": "method", "stage": "pre", "median": {"alpha": 0.5}, "queries": 1}
    return collection.reports.create(
        missing=missing,
        state=state,
        payload={"collection": collection.slug, "facets": [row], "queries": [{"query": "q"}]},
    )

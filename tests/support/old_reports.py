"""Rows of stored reports, among them those that an earlier version of the statistics left."""

from __future__ import annotations

import hashlib
from typing import Any

from django.utils import timezone

from accounts.models import Collection
from adjudication.labels import labelled_pairs
from agreement.aspects.report import aspect_summary
from agreement.services import AgreementReport
from corpus.digests import canonical_json
from corpus.scale import Scale
from reports.models import StoredReport


def a_stored_report(collection: Collection, kind: str, **fields: Any) -> StoredReport:
    now = timezone.now()
    defaults = {"version": 1, "computed_at": now, "checked_at": now, "seconds": 1, "payload": {}}
    return collection.stored_reports.create(kind=kind, **defaults | fields)


def an_agreement_report(collection: Collection, missing: str, **fields: Any) -> StoredReport:
    parameters = {"missing": missing}
    annotators: dict[str, Any] = {"overall": [], "pairs": [], "annotators": []}
    summary = {
        **{"confusion": {}, "annotators": annotators, "facet_pairs": []},
        **{"flagged": [], "aspects": aspect_summary([], [], Scale(3, 2), "seed")},
    }
    return a_stored_report(
        collection,
        AgreementReport.name,
        **{"key": missing, "parameters": parameters, "summary": summary, **fields},
    )


def an_old_report(collection: Collection, missing: str) -> StoredReport:
    """Of the judgments as they are: the digest of these alone, and fewer keys in the payload."""
    rows = [
        [pair.query, pair.docno, pair.first, pair.second, pair.final, pair.standing.value]
        for pair in labelled_pairs(collection)
        if pair.judged
    ]
    row = {"facet": "method", "stage": "pre", "median": {"alpha": 0.5}, "queries": 1}
    return an_agreement_report(
        collection,
        missing,
        digest=hashlib.sha256(canonical_json(rows)).hexdigest(),
        payload={"collection": collection.slug, "facets": [row], "queries": [{"query": "q"}]},
    )

"""Queries whose query paper has predicted labels that no person has checked.

The labels decide which sentences are bold, so an admin must say so to open such a query.
"""

from __future__ import annotations

from collections.abc import Iterable

from django.db.models import Exists, OuterRef, Q

from corpus.models import Query
from curation.models import LabelRecord

NAMED = 5  # queries that a message names


def has_unchecked_labels() -> Q:
    """Of a query. Where documents are judged as a whole, labels decide nothing."""
    papers_records = LabelRecord.objects.unchecked().filter(
        document=OuterRef("query_paper__document")
    )
    return Q(Exists(papers_records)) & ~Q(facet__key="")


def names_with_unchecked_labels(queries: Iterable[Query]) -> list[str]:
    """The names of those queries, in natural order. One query."""
    found = Query.objects.filter(has_unchecked_labels(), pk__in=[query.pk for query in queries])
    return list(found.order_by("name_order").values_list("name", flat=True))


def listed(names: list[str]) -> str:
    """The names for a message, the first few of many."""
    more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
    return f"{', '.join(names[:NAMED])}{more}"

"""Documents related to a document: what it cites, what cites it, its copies; and its releases."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import NamedTuple

from django.db.models import BooleanField, Case, Min, Q, TextField, Value, When
from django.db.models.functions import Cast, StrIndex
from django.db.models.lookups import GreaterThan

from accounts.models import Collection
from bundle.options import Texts
from corpus.models import Document
from pooling.checks import PoolChecks
from pooling.models import Candidate, Pool
from pooling.tables import Preview
from pooling.tables.freeze_preview import FlaggedDocument
from reports.services import stored_report

READ_AT_ONCE = 20_000
"""A larger corpus is searched for citing documents and copies only when a person asks for it.

No index has them. Reading 19,000 documents takes 0.06 s, and a million takes seconds.
"""
MOST_COPIES = 50


class Related(NamedTuple):
    """A related document; `how` says in which way it is a copy."""

    docno: str
    title: str
    how: str = ""


class Neighbourhood(NamedTuple):
    """The documents that are related to a document.

    `citing` and `copies` are empty if the corpus was not `searched`.
    """

    cited: list[str]
    missing: list[str]
    citing: list[Related]
    copies: list[Related]
    searched: bool


def neighbourhood(collection: Collection, document: Document, *, ask: bool) -> Neighbourhood:
    """`ask` searches a corpus of any size."""
    known = set(
        collection.documents.filter(docno__in=document.references).values_list("docno", flat=True)
    )
    searched = ask or not collection.documents.order_by().values("pk")[READ_AT_ONCE:].exists()
    citing, copies = _found(collection, document) if searched else ([], [])
    return Neighbourhood(
        cited=[docno for docno in document.references if docno in known],
        missing=[docno for docno in document.references if docno not in known],
        citing=citing,
        copies=_with_near_titles(collection, document, copies),
        searched=searched,
    )


def _found(collection: Collection, document: Document) -> tuple[list[Related], list[Related]]:
    """Citing documents, and those with the same text or title. One reading of the corpus."""
    references = Cast("references", TextField())
    cites = Q()
    # As SQLite stores a text in JSON, and as PostgreSQL shows it.
    for text in {json.dumps(document.docno), json.dumps(document.docno, ensure_ascii=False)}:
        cites |= Q(GreaterThan(StrIndex(references, Value(text)), 0))
    same = Q(digest=document.digest)
    if document.title:
        same |= Q(title__iexact=document.title)
    rows = (
        collection.documents.exclude(pk=document.pk)
        .filter(cites | same)
        .annotate(cites=Case(When(cites, then=True), default=False, output_field=BooleanField()))
        .order_by("docno_order")
        .values_list("docno", "title", "digest", "cites")
    )
    citing, copies = [], []
    for docno, title, digest, is_citing in rows:
        if is_citing:
            citing.append(Related(docno, title))
        if digest == document.digest:
            copies.append(Related(docno, title, "the same text and labels"))
        elif title.casefold() == document.title.casefold() != "":
            copies.append(Related(docno, title, "the same title"))
    return citing, copies[:MOST_COPIES]


def _with_near_titles(
    collection: Collection, document: Document, copies: list[Related]
) -> list[Related]:
    """The copies, and the documents with near-duplicate titles in the last check of the pools."""
    checks = stored_report(PoolChecks(), collection)
    known = {document.docno, *(copy.docno for copy in copies)}
    near: dict[str, FlaggedDocument] = {}
    for pair in Preview.from_json(checks.payload).near_duplicates.shown if checks else ():
        both = {pair.first.docno: pair.first, pair.second.docno: pair.second}
        if document.docno in both:
            near |= {docno: each for docno, each in both.items() if docno not in known}
    return copies + [
        Related(docno, each.title, "a near-duplicate title, in the same pool")
        for docno, each in near.items()
    ]


class ContainingRelease(NamedTuple):
    """A version that contains a document, or that contains the whole corpus of its time."""

    version: str
    is_certain: bool


def titles_of(collection: Collection, docnos: Iterable[str]) -> list[Related]:
    """The documents with their titles, in the order of the docnos."""
    docnos = list(docnos)
    titles = dict(collection.documents.filter(docno__in=docnos).values_list("docno", "title"))
    return [Related(docno, titles.get(docno, "")) for docno in docnos]


def releases_of(collection: Collection, document: Document) -> list[ContainingRelease]:
    """The published versions with the document, newest first, by when its pools were frozen.

    A frozen pool stays, and every release has the documents of all frozen pools. When a document
    was imported is not recorded, so that of the whole corpus is not certain.
    """
    as_candidate = Candidate.objects.filter(document=document).aggregate(at=Min("pool__frozen_at"))
    as_paper = Pool.objects.filter(query_paper__document=document).aggregate(at=Min("frozen_at"))
    frozen_at = min((each["at"] for each in (as_candidate, as_paper) if each["at"]), default=None)
    rows = collection.releases.order_by("-published_at", "-pk").values_list(
        "version", "published_at", "manifest__options__texts"
    )
    return [
        ContainingRelease(version, is_certain)
        for version, published_at, texts in rows
        if (is_certain := frozen_at is not None and frozen_at <= published_at)
        or texts == Texts.CORPUS
    ]

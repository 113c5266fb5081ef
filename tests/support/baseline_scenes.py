"""A collection with a judged pool, whose documents have the texts of a test."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from accounts.models import Collection
from annotation.models import Slot
from annotation.services import open_query
from corpus.models import Query
from corpus.services import create_query
from tests.support.factories import DocumentFactory, a_collection, a_pool, annotators
from tests.support.sittings import judge_at_once

METHOD, OTHER = "method", "background"


def a_document(collection: Collection, docno: str, sentences: Sequence[str]):
    """Sentences on the method, but those that begin with "-", which are on the background."""
    return DocumentFactory(
        collection=collection,
        docno=docno,
        title=f"Title of {docno}",
        sentences=[sentence.removeprefix("-") for sentence in sentences],
        labels=[OTHER if sentence.startswith("-") else METHOD for sentence in sentences],
    )


def judged_query(
    collection: Collection, paper: str, texts: Mapping[str, Sequence[str]], grades: Mapping
) -> Query:
    """The query of a paper under the facet method; both annotators gave these grades by docno."""
    documents = {docno: a_document(collection, docno, text) for docno, text in texts.items()}
    facet = collection.facets.get(key=METHOD) if collection.facets.count() > 1 else None
    query = create_query(
        collection=collection, docno=paper, facet_key=facet.key if facet is not None else ""
    )
    a_pool(query.query_paper, [document for docno, document in documents.items() if docno != paper])
    open_query(query=query, annotators=annotators(collection), opened_by=None)
    slots = Slot.objects.filter(pair__query=query).select_related("pair__candidate__document")
    judge_at_once(
        (slot, grades[docno])
        for slot in slots
        if (docno := slot.pair.candidate.document.docno) in grades
    )
    return query


TEXTS = {
    "q": ["-Cats sleep.", "A neural parser of trees"],
    "far": ["A survey of taxes"],
    "near": ["-Taxes.", "A neural parser of sentences"],
    "none": ["-A neural parser of trees"],
    "nothing": ["-Also without a method"],
    "unlabelled": ["A neural parser of trees"],
}
GRADES = {"far": 0, "near": 3, "none": 2, "nothing": 0}


def a_judged_scene(**settings) -> Collection:
    """One query `q` whose pool has four documents with a final label and one without."""
    collection = a_collection(**settings)
    judged_query(collection, "q", TEXTS, GRADES)
    return collection

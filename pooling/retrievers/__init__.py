"""Ranked lists from the documents themselves, by retrievers behind one interface. Pure."""

from __future__ import annotations

from pooling.retrievers.dense import METRICS, Metric, VectorsWrong
from pooling.retrievers.encoder import PREFIX as ENCODER
from pooling.retrievers.encoder import EncoderMissing
from pooling.retrievers.folders import IndexCorrupt, index_key
from pooling.retrievers.interface import (
    DuplicateDocument,
    IndexedText,
    NothingToIndex,
    Progress,
    QueryText,
    Ranker,
    Retriever,
)
from pooling.retrievers.linked import LINKED, seeded
from pooling.retrievers.papers import Papers, Requirements, gather_papers
from pooling.retrievers.registry import (
    BUILT_IN,
    CATALOGUE,
    Faceted,
    NoSuchRetriever,
    is_retriever,
    retriever,
)

__all__ = [
    "BUILT_IN",
    "CATALOGUE",
    "ENCODER",
    "LINKED",
    "METRICS",
    "DuplicateDocument",
    "EncoderMissing",
    "Faceted",
    "IndexCorrupt",
    "IndexedText",
    "Metric",
    "NoSuchRetriever",
    "NothingToIndex",
    "Papers",
    "Progress",
    "QueryText",
    "Ranker",
    "Requirements",
    "Retriever",
    "VectorsWrong",
    "gather_papers",
    "index_key",
    "is_retriever",
    "retriever",
    "seeded",
]

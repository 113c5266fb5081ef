"""The built-in retrievers, behind one interface. Pure."""

from __future__ import annotations

from retrieval.indexes.folders import IndexCorrupt, index_key
from retrieval.interface import (
    DuplicateDocument,
    IndexedText,
    NothingToIndex,
    Progress,
    QueryText,
    Ranker,
    Retriever,
)
from retrieval.retrievers.analysis import (
    ANALYSES,
    PLAIN_NAME,
    analysis_choices,
)
from retrieval.retrievers.citations import METADATA_RETRIEVERS, with_seed
from retrieval.retrievers.dense import METRICS, Metric, VectorsWrong
from retrieval.retrievers.encoder import PREFIX as ENCODER
from retrieval.retrievers.encoder import EncoderMissing
from retrieval.retrievers.metadata import CorpusMetadata, Requirements, build_corpus_metadata
from retrieval.retrievers.registry import (
    BUILT_IN,
    CATALOGUE,
    Faceted,
    NoSuchRetriever,
    catalogue,
    is_retriever,
    retriever,
    with_analysis,
)

__all__ = [
    "ANALYSES",
    "BUILT_IN",
    "CATALOGUE",
    "ENCODER",
    "METADATA_RETRIEVERS",
    "METRICS",
    "PLAIN_NAME",
    "CorpusMetadata",
    "DuplicateDocument",
    "EncoderMissing",
    "Faceted",
    "IndexCorrupt",
    "IndexedText",
    "Metric",
    "NoSuchRetriever",
    "NothingToIndex",
    "Progress",
    "QueryText",
    "Ranker",
    "Requirements",
    "Retriever",
    "VectorsWrong",
    "analysis_choices",
    "build_corpus_metadata",
    "catalogue",
    "index_key",
    "is_retriever",
    "retriever",
    "with_analysis",
    "with_seed",
]

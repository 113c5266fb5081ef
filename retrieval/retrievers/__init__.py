"""The built-in retrievers, behind one interface. Pure."""

from retrieval.indexes.folders import IndexCorrupt as IndexCorrupt
from retrieval.indexes.folders import index_key as index_key
from retrieval.interface import DuplicateDocument as DuplicateDocument
from retrieval.interface import IndexedText as IndexedText
from retrieval.interface import NothingToIndex as NothingToIndex
from retrieval.interface import QueryText as QueryText
from retrieval.interface import Ranker as Ranker
from retrieval.interface import Retriever as Retriever
from retrieval.retrievers.analysis import ANALYSES as ANALYSES
from retrieval.retrievers.analysis import PLAIN_NAME as PLAIN_NAME
from retrieval.retrievers.analysis import analysis_choices as analysis_choices
from retrieval.retrievers.citations import METADATA_RETRIEVERS as METADATA_RETRIEVERS
from retrieval.retrievers.citations import with_seed as with_seed
from retrieval.retrievers.dense import METRICS as METRICS
from retrieval.retrievers.dense import Metric as Metric
from retrieval.retrievers.dense import VectorsWrong as VectorsWrong
from retrieval.retrievers.encoder import PREFIX
from retrieval.retrievers.encoder import EncoderMissing as EncoderMissing
from retrieval.retrievers.metadata import CorpusMetadata as CorpusMetadata
from retrieval.retrievers.metadata import Requirements as Requirements
from retrieval.retrievers.metadata import build_corpus_metadata as build_corpus_metadata
from retrieval.retrievers.registry import BUILT_IN as BUILT_IN
from retrieval.retrievers.registry import CATALOGUE as CATALOGUE
from retrieval.retrievers.registry import Faceted as Faceted
from retrieval.retrievers.registry import NoSuchRetriever as NoSuchRetriever
from retrieval.retrievers.registry import catalogue as catalogue
from retrieval.retrievers.registry import is_retriever as is_retriever
from retrieval.retrievers.registry import retriever as retriever
from retrieval.retrievers.registry import with_analysis as with_analysis

ENCODER = PREFIX

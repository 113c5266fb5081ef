"""Makes the ranked lists of baselines from the texts of a collection."""

from __future__ import annotations

import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from django.conf import settings

from accounts.models import Collection
from corpus.digests import json_digest
from corpus.encoder_models import load_model
from corpus.state import check_unchanged, corpus_digest
from jobs.context import JobContext
from retrieval.formats import RankedList
from retrieval.indexes.external_sort import sort_texts
from retrieval.retrievers import NothingToIndex
from retrieval.retrievers.analysis import Analysis, analysis_named
from retrieval.retrievers.encoder import Encoder
from retrieval.retrievers.tfidf import words_of
from retrieval.retrievers.word2vec import Training, WordVectors, model_version, tokens, word_vectors
from retrieval.services import analysis_of
from retrieval.services.runs import indexed_texts
from scoring.baselines.catalogue import (
    SUBLINEAR,
    VERSION,
    Baseline,
    BaselineError,
    Distance,
    Method,
    Reads,
)
from scoring.baselines.reranking import rerank
from scoring.baselines.scorers import (
    BaselineScorer,
    EncoderScorer,
    MeanVectorScorer,
    Okapi,
    TfidfScorer,
)
from scoring.baselines.statistics import WordStatistics
from scoring.baselines.texts import Split, count_words, pooled_texts
from scoring.labels import qrels_of

BM25, TFIDF, CBOW = "bm25", "tfidf", "cbow"  # the retrievers whose words are counted
TRAINING = Training()  # as the retriever cbow, with which it shares its word vectors


@dataclass(frozen=True)
class MadeBaseline:
    """A baseline's lists by query, its parameters, and counts of what could not be compared."""

    name: str
    parameters: dict[str, object]
    lists: dict[str, RankedList]
    report: dict[str, int]


class BaselineMaker:
    """Makes baselines of one state of a collection.

    `pools` has the docnos with a final label by query. Raises BaselineError if there are none.
    """

    def __init__(self, collection: Collection, encoder: Encoder | None, work: JobContext) -> None:
        self.collection, self.encoder, self.work = collection, encoder, work
        self._counts: dict[Reads, Mapping[tuple[str, str], WordStatistics]] = {}
        self.corpus = corpus_digest(collection)
        self.pools = {query: sorted(grades) for query, grades in qrels_of(collection).items()}
        if not self.pools:
            raise BaselineError(
                f"{collection.slug} has no final label yet, so there is no judged pool to rank. "
                "Judge pairs first."
            )

    def make(self, baseline: Baseline) -> MadeBaseline:
        """Raises BaselineError, EncoderMissing, and CorpusChanged if documents changed."""
        name = baseline.system_name(self.encoder)
        scorers: dict[str, BaselineScorer] = {}
        lists: dict[str, RankedList] = {}
        without_text = queries_without_text = 0
        texts = pooled_texts(self.collection, self.pools, baseline.query, baseline.candidate)
        for done, (query, facet, sentences, candidates) in enumerate(texts, start=1):
            if facet not in scorers:
                scorers[facet] = self._scorer(baseline, facet)
            lists[query] = rerank(scorers[facet], sentences, candidates)
            without_text += sum(not any(text) for text in candidates.values())
            queries_without_text += not any(sentences)
            self.work.progress(done, len(self.pools), f"{name}: queries ranked")
        check_unchanged(self.collection, self.corpus, f"{name} was being made")
        report = {
            "lists": len(lists),
            "documents": sum(map(len, lists.values())),
            "without_text": without_text,
            "queries_without_text": queries_without_text,
        }
        return MadeBaseline(name, self.parameters(baseline), lists, report)

    def _scorer(self, baseline: Baseline, facet: str) -> BaselineScorer:
        if baseline.distance is not None:
            return self._vector_scorer(baseline, facet, baseline.distance)
        is_of_paper = baseline.method is Method.BM25_OKAPI
        okapi = Okapi.of_rank_bm25 if is_of_paper else Okapi.of_retriever
        return okapi(self._analysis.words, self._statistics(baseline, facet, BM25))

    def _vector_scorer(self, baseline: Baseline, facet: str, distance: Distance) -> BaselineScorer:
        if baseline.needs_encoder:
            assert self.encoder is not None, "baselines_named has checked it"
            return EncoderScorer(self.encoder, self._network, distance)
        if not baseline.is_weighted:
            return MeanVectorScorer.of(self._word_vectors, distance)
        sublinear_tf = baseline.method in SUBLINEAR
        if baseline.reads_word_vectors:
            statistics = self._statistics(baseline, facet, CBOW)
            return MeanVectorScorer.weighted(
                self._word_vectors, statistics, distance, sublinear_tf=sublinear_tf
            )
        statistics = self._statistics(baseline, facet, TFIDF)
        return TfidfScorer(self._analysis, statistics, distance, sublinear_tf=sublinear_tf)

    @cached_property
    def _analysis(self) -> Analysis:
        return analysis_named(analysis_of(self.collection))

    def _statistics(self, baseline: Baseline, facet: str, split: str) -> WordStatistics:
        """Of the whole corpus, whose texts are read as the baseline reads its candidates."""
        reads = baseline.candidate
        if reads not in self._counts:
            self._counts[reads] = self._counted(reads)
        return self._counts[reads][facet, split]

    def _counted(self, reads: Reads) -> Mapping[tuple[str, str], WordStatistics]:
        """Of every facet with a judged pool; all splits are counted in one reading."""
        analysis = self._analysis
        splits: dict[str, Split] = {
            BM25: analysis.words,
            TFIDF: words_of(analysis),
            CBOW: tokens,
        }
        queries = self.collection.queries.order_by().values_list("name", "facet__key")
        facets = {facet for query, facet in queries if query in self.pools}
        return count_words(
            self.collection,
            splits,
            facets,
            reads,
            lambda done: self.work.progress(done, self._documents, "documents read"),
        )

    @cached_property
    def _documents(self) -> int:
        return self.collection.documents.with_text().count()

    @cached_property
    def _word_vectors(self) -> WordVectors:
        """Of the whole corpus: stored by the retriever cbow or an earlier baseline, or trained."""
        indexes = settings.ARTEFACT_DIR / self.collection.slug / "indexes"
        indexes.mkdir(parents=True, exist_ok=True)

        def progress(done: int) -> None:
            self.work.progress(done, None, "training word vectors")

        documents = indexed_texts(self.collection, self.corpus, "word vectors were being trained")
        with tempfile.TemporaryDirectory(dir=indexes, prefix=".sorted-") as scratch:
            try:
                texts = sort_texts(documents, "text", Path(scratch), progress)
                return word_vectors(texts, TRAINING, indexes, progress)
            except NothingToIndex as error:
                raise BaselineError(f"Word vectors cannot be trained: {error}.") from error

    @cached_property
    def _network(self) -> Any:
        assert self.encoder is not None, "baselines_named has checked it"
        return load_model(self.encoder.model, self.encoder.name)

    def parameters(self, baseline: Baseline) -> dict[str, object]:
        """Everything that the lists depend on, as JSON values."""
        parameters: dict[str, object] = {
            "baseline": baseline.name,
            "version": VERSION,
            "query": baseline.query.value,
            "candidate": baseline.candidate.value,
            "compares": baseline.method.value,
            "corpus": self.corpus,
            "pools": json_digest(sorted(self.pools.items())),
            "queries": len(self.pools),
            "pairs": sum(map(len, self.pools.values())),
        }
        if baseline.distance is not None:
            parameters["distance"] = baseline.distance.value
        if baseline.is_weighted:
            parameters["words_counted_over"] = f"{baseline.candidate.value}, whole corpus"
        return parameters | self._parameters_of_words(baseline)

    def _parameters_of_words(self, baseline: Baseline) -> dict[str, object]:
        if baseline.needs_encoder and self.encoder is not None:
            chosen = self.encoder.parameters
            keys = ("model", "weights", "pooling", "separator")
            return {
                "encoder": {key: chosen[key] for key in keys},
                "packages": self.encoder.version,
            }
        if baseline.reads_word_vectors:
            return {"word2vec": {**TRAINING.parameters, "version": model_version()}}
        return {"analysis": self._analysis.name}

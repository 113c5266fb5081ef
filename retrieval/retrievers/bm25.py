"""BM25 by tantivy.

Okapi BM25 (Robertson & Zaragoza, 2009) with Lucene's idf, ln(1 + (N − n + ½)/(n + ½)), which is
never negative. A document's score is the sum over the query's tokens; repeated tokens count each
time. k1 = 1.2 and b = 0.75 are fixed in tantivy. tantivy keeps a document's length in one
byte: exact up to 40 tokens, then rounded down, by at most 1/8; the average length is exact.

k1 and b cannot be set, because tantivy has no option for them.

Words come from an analysis (retrieval/retrievers/analysis.py). In `plain`, they are sequences of
letters and digits in lower case, without stemming or stop words. This works for every language with
spaces between words and is easy to check, and idf gives common words little weight.
"""

from __future__ import annotations

import os
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path

import tantivy

from retrieval.formats import Scored, trec_order
from retrieval.indexes.external_sort import BEAT, SortedTexts, nothing_in, sort_texts
from retrieval.indexes.folders import FolderRetriever, IndexDraft
from retrieval.interface import (
    Field,
    IndexedText,
    PaperRanker,
    Progress,
    QueryText,
    field_of,
)
from retrieval.retrievers.analysis import PLAIN, Analysis

# One thread with enough memory writes one segment. Only then is tantivy's search for the best k
# exact: its block-max bounds use the average length within a segment. Memory is allocated as
# needed; without positions a million abstracts need about half a gigabyte.
WRITER_BYTES = 4_000_000_000
TOKENIZER = "words"
WITHOUT_POSITIONS = "freq"
SUBFOLDER = "tantivy"


@dataclass(frozen=True)
class Bm25(FolderRetriever):
    """Ranks the documents whose `field` shares words with the query paper's."""

    field: Field
    analysis: Analysis = PLAIN

    @property
    def name(self) -> str:
        return f"bm25_{self.field}{self.analysis.suffix}"

    @property
    def kind(self) -> str:
        return "bm25"

    @property
    def version(self) -> str:
        return f"1, tantivy {version('tantivy')}"

    @property
    def parameters(self) -> dict[str, object]:
        return {
            "field": self.field,
            "k1": 1.2,
            "b": 0.75,
            "length": "one byte, exact to 40 tokens",
            "tokens": "letters and digits, lower case",
            "stemming": False,
            "stop_words": False,
            **self.analysis.parameters,
        }

    def write(
        self, documents: Iterable[IndexedText], place: IndexDraft, progress: Progress
    ) -> list[str]:
        texts = sort_texts(documents, self.field, place.scratch, progress)
        folder = place.draft / SUBFOLDER
        folder.mkdir()
        index = tantivy.Index(_schema(), path=str(folder))
        index.register_tokenizer(TOKENIZER, self.analysis.analyzer)
        # Leaving the block joins the writer's thread, also after an error. Otherwise it would
        # write into a folder that is being removed.
        with index.writer(WRITER_BYTES, 1) as writer:
            docnos = self._add_documents(writer, texts, progress)
            writer.commit()
        progress(len(docnos))
        return docnos

    def read(self, folder: Path, docnos: Sequence[str]) -> Bm25Ranker:
        with _writable_view(folder / SUBFOLDER) as path:
            searcher = tantivy.Index.open(path).searcher()
        return Bm25Ranker(self.field, self.analysis, docnos, searcher)

    def _add_documents(
        self, writer: tantivy.IndexWriter, texts: SortedTexts, progress: Progress
    ) -> list[str]:
        analysis = self.analysis
        docnos: list[str] = []
        has_words = False
        for docno, text in texts:
            writer.add_document(_document(analysis.prepared(text), ordinal=len(docnos)))
            docnos.append(docno)
            has_words = has_words or bool(analysis.words(text))
            if len(docnos) % BEAT == 0:
                progress(len(docnos))
        if not has_words:
            raise nothing_in(self.field)
        return docnos


@dataclass(frozen=True)
class Bm25Ranker(PaperRanker):
    """An opened BM25 index; tantivy's document `ordinal` is `docnos[ordinal]`."""

    field: Field
    analysis: Analysis
    docnos: Sequence[str]
    searcher: tantivy.Searcher

    def best(self, query: QueryText, depth: int) -> list[Scored]:
        tokens = self.analysis.words(field_of(query, self.field))
        # One more than `depth`, because the query paper finds itself.
        best = self._best(_any_term_query(_schema(), tokens), depth + 1) if tokens else []
        return [scored for scored in trec_order(best) if not query.is_own(scored.docno)]

    def _best(self, query: tantivy.Query, need: int) -> list[Scored]:
        """The best `need` documents or more: all that are tied with the last are included.

        tantivy cuts a tie by its own document numbers. Fetching until the tie ends leaves the cut
        to `trec_order`.
        """
        limit = need + 1
        while True:
            hits = self.searcher.search(query, limit=limit, count=False).hits
            if len(hits) < limit or hits[-1][0] < hits[need - 1][0]:
                return self._scored_hits(hits)
            limit *= 2

    def _scored_hits(self, hits: Sequence[tuple[float, tantivy.DocAddress]]) -> list[Scored]:
        ordinals = self.searcher.fast_field_values("ordinal", [address for _, address in hits])
        return [
            Scored(self.docnos[int(ordinal or 0)], score)
            for (score, _), ordinal in zip(hits, ordinals, strict=True)
        ]


@contextmanager
def _writable_view(folder: Path) -> Iterator[str]:
    """The folder of an index; if it is read-only, a temporary folder of links to its files.

    tantivy creates a lock file beside the files that it opens. A built index is never written to,
    so the lock is not needed. A searcher has mapped all files, so the links can be removed.
    """
    if os.access(folder, os.W_OK):
        yield str(folder)
        return
    # A thread of tantivy may create a lock file while this folder is being removed.
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as links:
        for path in folder.iterdir():
            if path.suffix != ".lock":
                Path(links, path.name).symlink_to(path.absolute())
        yield links


def _schema() -> tantivy.Schema:
    return (
        tantivy.SchemaBuilder()
        .add_text_field("text", tokenizer_name=TOKENIZER, index_option=WITHOUT_POSITIONS)
        .add_unsigned_field("ordinal", fast=True)
        .build()
    )


def _document(text: str, *, ordinal: int) -> tantivy.Document:
    document = tantivy.Document()
    document.add_text("text", text)
    # Document(ordinal=…) would make a signed number, and tantivy's writer panics on that.
    document.add_unsigned("ordinal", ordinal)
    return document


def _any_term_query(schema: tantivy.Schema, tokens: Sequence[str]) -> tantivy.Query:
    """An OR of term queries, so that a paper's text is never parsed as a query."""
    clauses = []
    for token, count in sorted(Counter(tokens).items()):
        term = tantivy.Query.term_query(schema, "text", token, WITHOUT_POSITIONS)
        clauses.append((tantivy.Occur.Should, tantivy.Query.boost_query(term, float(count))))
    return tantivy.Query.boolean_query(clauses)

"""BM25 by tantivy, with Lucene's idf, ln(1 + (N − n + ½)/(n + ½)), which is never negative.

Okapi BM25 (Robertson & Zaragoza, 2009); a word that the query repeats counts each time. tantivy fixes k1 = 1.2 and
b = 0.75, and keeps a document's length in one byte: exact to 40 words, then rounded down by at most an eighth.
Words are runs of letters and digits in lower case, without stemming or stop words, which suits every language with
spaces between words.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from corpus.models import Query
from retrieval.lists import Ranking, best_first
from retrieval.retrievers.texts import document_text, query_text

# One thread with enough memory writes one segment. Only then is tantivy's search for the best exact: it skips
# blocks by bounds that use the average length within a segment. Memory is taken as it is needed.
WRITER_BYTES = 4_000_000_000
WITHOUT_POSITIONS = "freq"


def bm25(documents: Iterable[Any], queries: Sequence[Query], depth: int, *, titles: bool = False) -> Iterator[Ranking]:
    import tantivy

    words = tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple()).filter(tantivy.Filter.lowercase()).build()
    builder = tantivy.SchemaBuilder().add_text_field("text", tokenizer_name="words", index_option=WITHOUT_POSITIONS)
    schema = builder.build()
    index = tantivy.Index(schema)
    index.register_tokenizer("words", words)
    docnos = []
    with index.writer(WRITER_BYTES, 1) as writer:
        for each in documents:
            docnos.append(each.docno)
            indexed = tantivy.Document()
            indexed.add_text("text", document_text(each, titles=titles))
            writer.add_document(indexed)
        writer.commit()
    index.reload()
    searcher = index.searcher()
    assert searcher.num_segments <= 1, "tantivy numbers the documents of a segment from 0"

    for query in queries:
        # Term queries, so that a text is never parsed as a query.
        clauses = []
        for word, count in sorted(Counter(words.analyze(query_text(query, titles=titles))).items()):
            term = tantivy.Query.term_query(schema, "text", word, WITHOUT_POSITIONS)
            clauses.append((tantivy.Occur.Should, tantivy.Query.boost_query(term, float(count))))
        # tantivy breaks ties by its own numbers: documents are fetched until the last tie ends.
        limit = depth + 1
        hits = searcher.search(tantivy.Query.boolean_query(clauses), limit, count=False).hits
        while len(hits) == limit and hits[-1][0] == hits[depth - 1][0]:
            limit *= 2
            hits = searcher.search(tantivy.Query.boolean_query(clauses), limit, count=False).hits
        found, scores = best_first([docnos[place.doc] for _, place in hits], [score for score, _ in hits])
        yield found[:depth], scores[:depth]

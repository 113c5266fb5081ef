"""The texts that baselines compare: of a query, of its judged candidates, and of the corpus."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import NamedTuple

from accounts.models import Collection
from corpus.models import SOURCES, Document, Facet, Query, Topic
from corpus.state import LOOKUP, ROWS
from scoring.baselines.catalogue import Reads
from scoring.baselines.statistics import WordStatistics

Progress = Callable[[int], None]
Split = Callable[[str], list[str]]


class PooledTexts(NamedTuple):
    """The sentences of a query, and those of its candidates by docno; perhaps none."""

    query: str
    facet: str
    sentences: list[str]
    candidates: dict[str, list[str]]


def pooled_texts(
    collection: Collection, pools: Mapping[str, Sequence[str]], query_reads: Reads, reads: Reads
) -> Iterator[PooledTexts]:
    """The texts of these queries, in their order. `pools` has the docnos to rank by query."""
    names = iter(pools)
    while batch := list(islice(names, LOOKUP)):
        queries = collection.queries.filter(name__in=batch).select_related("facet", *SOURCES)
        by_name = {query.name: query for query in queries}
        for name in batch:
            query = by_name[name]
            documents = _documents(collection, pools[name])
            candidates = {
                document.docno: text_of(document, query.facet, reads) for document in documents
            }
            yield PooledTexts(name, query.facet.key, _query_text(query, query_reads), candidates)


def count_words(
    collection: Collection,
    splits: Mapping[str, Split],
    facets: Iterable[str],
    reads: Reads,
    progress: Progress,
) -> dict[tuple[str, str], WordStatistics]:
    """The words of the whole corpus as candidates are read, by facet and name of the split.

    Only the facet's sentences differ between facets; other texts are counted once for all of them.
    A document without a text is not counted.
    """
    chosen = list(collection.facets.filter(key__in=set(facets)))
    counted = chosen if reads is Reads.FACET else chosen[:1]
    statistics = {(facet.key, name): WordStatistics() for facet in counted for name in splits}
    columns = ("collection", "title", "sentences", "labels")
    documents = collection.documents.with_text().only(*columns).order_by()
    for done, document in enumerate(documents.iterator(chunk_size=ROWS), start=1):
        for facet in counted:
            if text := " ".join(text_of(document, facet, reads)):
                for name, split in splits.items():
                    statistics[facet.key, name].add(split(text))
        if done % ROWS == 0:
            progress(done)
    return {
        (facet.key, name): statistics[(facet if facet in counted else counted[0]).key, name]
        for facet in chosen
        for name in splits
    }


def text_of(document: Document, facet: Facet, reads: Reads) -> list[str]:
    """The sentences of a document that a baseline compares.

    A text for an encoder is one sentence, with the title on its first line if it is read too. Where
    documents are judged as a whole, the title is one of the sentences.
    """
    if reads in (Reads.ABSTRACT, Reads.TITLE_ABSTRACT):
        return _as_one(document.title, document.sentences, reads)
    is_facet = reads is Reads.FACET
    sentences = document.sentences_of(facet) if is_facet else list(document.sentences)
    return [document.title, *sentences] if facet.is_whole and document.title else sentences


def _query_text(query: Query, reads: Reads) -> list[str]:
    source = query.query_paper.source
    if reads in (Reads.ABSTRACT, Reads.TITLE_ABSTRACT):
        return _as_one(source.title, source.sentences, reads)
    if isinstance(source, Document) and not query.is_by_sentences:
        return text_of(source, query.facet, reads)
    sentences = query.text_to_compare
    # The sentences of a topic without a description are those of its title.
    with_title = isinstance(source, Topic) and query.facet.is_whole and source.description
    return [source.title, *sentences] if with_title and source.title else list(sentences)


def _as_one(title: str, sentences: Sequence[str], reads: Reads) -> list[str]:
    abstract = " ".join(" ".join(sentences).split())
    if reads is Reads.ABSTRACT or not title:
        return [abstract] if abstract else []
    return [f"{' '.join(title.split())}\n{abstract}"]


def _documents(collection: Collection, docnos: Sequence[str]) -> Iterator[Document]:
    remaining_docnos = iter(docnos)
    while batch := list(islice(remaining_docnos, LOOKUP)):
        documents = collection.documents.filter(docno__in=batch).order_by()
        yield from documents.only("collection", "docno", "title", "sentences", "labels")

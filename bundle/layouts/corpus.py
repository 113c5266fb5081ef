"""The sources of the documents, and the query papers with the recorded facts about them."""

from __future__ import annotations

from bundle.content import Content, FileNote, Files
from bundle.formats import records as formats
from bundle.names import CORPUS
from bundle.zip.draft_files import DraftFolder

QUERIES = "queries.csv"
FILES = (
    FileNote(
        QUERIES,
        "every query with its paper: title, type, year, period, rating, and how it was chosen",
    ),
    FileNote(
        CORPUS,
        "the imports of documents, and how many each step of their recipes left out",
    ),
)


def write(folder: DraftFolder, content: Content) -> Files:
    """Collections whose documents came before imports were recorded have no `corpus.json`."""
    snapshot = content.snapshot
    files: Files = {}
    if any(not query.is_topic for query in snapshot.queries):
        files[QUERIES] = formats.write_query_papers(snapshot.queries)
    if snapshot.corpus_imports:
        files[CORPUS] = formats.write_corpus(snapshot.corpus_imports)
    return files

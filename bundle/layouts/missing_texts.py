"""The files of a release without texts: the docnos, and instructions to get the texts."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from bundle.content import Content, FileNote, Files
from bundle.formats import records as formats
from bundle.layouts.scripts import bundled
from bundle.records import ReleasedCorpusImport
from bundle.snapshot import Snapshot
from bundle.zip.draft_files import DraftFolder

INSTRUCTIONS = "GET_TEXTS.md"
DOCNOS = "documents.txt"
SCRIPT = "get_texts.py"
QUERIES = "get_texts.json"
FILES = (
    FileNote(INSTRUCTIONS, "how to get the texts, which this release may not contain"),
    FileNote(DOCNOS, "the docnos of the query papers and candidates, one a line"),
    FileNote(SCRIPT, "fills `beir/` from a file of documents that you have"),
    FileNote(QUERIES, "what that script needs to know about the queries"),
)
ABOUT = """\
# Get the texts

This release has no texts of documents. It has their docnos, in `documents.txt`: {documents} in all.
Its labels, pools and ratings are complete, and score runs as they are. To run a retriever of your
own, you need the texts.

## Sources

{sources}

## Fill the release

1. Get the documents from the source, under its terms.
2. Write them to a file, one JSON object a line. `docno` must be the docnos of `documents.txt`:

   ```json
   {{"docno": "d1", "title": "A title", "abstract": ["First.", "Second."], "labels": ["a", "b"]}}
   ```

   `abstract` may also be one text, and `labels` may be missing. Then a query under a facet gets the
   whole abstract, because the sentences of the facet are not known.
3. Run the script in this folder:

   ```sh
   python get_texts.py documents.jsonl
   ```

It writes `beir/corpus.jsonl` and `beir/queries.jsonl`, and prints which documents it did not find.
"""
NO_SOURCE = "No import of documents is recorded. Ask the publisher where the documents come from."


def write(folder: DraftFolder, content: Content) -> Files:
    snapshot = content.snapshot
    if snapshot.options.texts.included:
        return {}
    return {
        INSTRUCTIONS: ABOUT.format(
            documents=len(snapshot.documents), sources=_sources(snapshot.corpus_imports)
        ).encode(),
        DOCNOS: folder.write(f"{document.docno}\n".encode() for document in snapshot.documents),
        SCRIPT: bundled(SCRIPT),
        QUERIES: formats.write_json(list(_queries(snapshot))),
    }


def _sources(imports: tuple[ReleasedCorpusImport, ...]) -> str:
    lines = dict.fromkeys(f"- `{row.source}`, read as `{row.format}`" for row in imports)
    return "\n".join(lines) or NO_SOURCE


def _queries(snapshot: Snapshot) -> Iterator[dict[str, Any]]:
    """The queries of papers: which sentences each has, by their labels or numbers."""
    labels = {facet.key: facet.labels for facet in snapshot.collection.facets}
    for query in snapshot.queries:
        if not query.is_topic:
            yield {
                "_id": query.name,
                "query_paper": query.query_paper,
                "facet": query.facet,
                "labels": labels[query.facet],
                "sentences": query.sentences,
            }

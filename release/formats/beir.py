"""`beir/`: corpus, queries and qrels as BEIR's GenericDataLoader reads them."""

from __future__ import annotations

from release.formats import Files, json_lines, release_format
from release.tables import Row, Tables


@release_format("beir")
def beir(tables: Tables) -> Files:
    lines = [f"{label['query']}\t{label['docno']}\t{label['grade']}\n" for label in tables.qrels]
    files = {"beir/qrels/test.tsv": "".join(["query-id\tcorpus-id\tscore\n", *lines]).encode()}
    if any(query["text"] for query in tables.queries):
        files["beir/queries.jsonl"] = json_lines(query_line(query) for query in tables.queries if query["text"])
    if tables.with_texts:
        files["beir/corpus.jsonl"] = json_lines(map(document_line, tables.documents))
    return files


def query_line(query: Row) -> Row:
    metadata = {
        "facet": query["facet"],
        "query_paper": query["docno"],
        "title": query["title"],
        "sentences": query["sentences"],
        "narrative": query["narrative"],
    }
    return {"_id": query["name"], "text": query["text"], "metadata": metadata}


def document_line(document: Row) -> Row:
    """With the sentences as they were shown, and what an import of documents knows predicted labels by."""
    metadata = {key: document[key] for key in ("year", "venue", "authors", "sentences")}
    if document["labels"]:
        metadata["pred_labels" if document["labels_predicted"] else "labels"] = document["labels"]
    return {
        "_id": document["docno"],
        "title": document["title"],
        "text": " ".join(document["sentences"]),
        "metadata": metadata,
    }

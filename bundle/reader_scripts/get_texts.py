"""Fill this release with the texts of its documents, from a file that you have.

    python get_texts.py documents.jsonl

Each line of the file is a document: {"docno": "…", "title": "…", "abstract": "…"}. `_id`, `id` or
`paper_id` can stand for `docno`, and `text` for `abstract`. The abstract is a text or a list of
sentences. With a list and as many `labels`, a query under a facet gets the sentences of the facet.

It writes beir/corpus.jsonl and beir/queries.jsonl, as a release with texts has them.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parent
BEIR = FOLDER / "beir"
Document = dict[str, Any]


def first_of(line: Document, *names: str) -> Any:
    return next((line[name] for name in names if line.get(name) is not None), "")


def read_documents(path: Path, wanted: set[str]) -> dict[str, Document]:
    """Of the wanted documents: title, sentences, labels and metadata, by docno."""
    found = {}
    with path.open(encoding="utf-8") as lines:
        for line in map(json.loads, lines):
            docno = str(first_of(line, "docno", "_id", "id", "paper_id"))
            if docno in wanted:
                found[docno] = as_document(line)
    return found


def as_document(line: Document) -> Document:
    abstract = first_of(line, "abstract", "text")
    sentences = abstract if isinstance(abstract, list) else [abstract]
    labels = line.get("labels") or line.get("pred_labels") or []
    return {
        "title": first_of(line, "title"),
        "sentences": [" ".join(sentence.split()) for sentence in sentences],
        "labels": labels if isinstance(abstract, list) else [],
        "year": line.get("year"),
    }


def write_lines(name: str, lines: Iterator[Document]) -> None:
    with (BEIR / name).open("w", encoding="utf-8", newline="\n") as file:
        for line in lines:
            file.write(json.dumps(line, ensure_ascii=False) + "\n")


def corpus_line(docno: str, document: Document) -> Document:
    return {
        "_id": docno,
        "title": document["title"],
        "text": " ".join(document["sentences"]),
        "metadata": {"year": document["year"], "labels": document["labels"]},
    }


def query_line(query: Document, paper: Document) -> Document:
    sentences = sentences_of(query, paper)
    return {
        "_id": query["_id"],
        "text": " ".join(f"{paper['title']} {' '.join(sentences)}".split()),
        "metadata": {
            "facet": query["facet"],
            "query_paper": query["query_paper"],
            "title": paper["title"],
            "sentences": sentences,
        },
    }


def sentences_of(query: Document, paper: Document) -> list[str]:
    """Those of the query; the whole abstract if it comes as one text, or without labels."""
    sentences = paper["sentences"]
    if query["sentences"] and len(sentences) >= max(query["sentences"]):
        return [sentences[number - 1] for number in query["sentences"]]
    if query["facet"] and len(paper["labels"]) == len(sentences) and not query["sentences"]:
        labelled = zip(sentences, paper["labels"], strict=True)
        return [sentence for sentence, label in labelled if label in query["labels"]]
    return list(sentences)


def main(path: Path) -> None:
    docnos = (FOLDER / "documents.txt").read_text(encoding="utf-8").splitlines()
    queries = json.loads((FOLDER / "get_texts.json").read_text(encoding="utf-8"))
    documents = read_documents(path, set(docnos))
    kept = []
    if (BEIR / "queries.jsonl").exists():
        with (BEIR / "queries.jsonl").open(encoding="utf-8") as lines:
            kept = [json.loads(line) for line in lines]
    papers = {query["_id"] for query in queries}
    topics = [line for line in kept if line["_id"] not in papers]
    filled = [
        query_line(query, documents[query["query_paper"]])
        for query in queries
        if query["query_paper"] in documents
    ]
    found = [docno for docno in docnos if docno in documents]
    write_lines("corpus.jsonl", (corpus_line(docno, documents[docno]) for docno in found))
    write_lines("queries.jsonl", iter(sorted([*topics, *filled], key=lambda line: line["_id"])))
    print(f"Documents with a text: {len(found)} of {len(docnos)}.")
    print(f"Queries with a text: {len(topics) + len(filled)} of {len(topics) + len(queries)}.")
    for docno in [docno for docno in docnos if docno not in documents][:20]:
        print(f"Not found in {path.name}: {docno}")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("Usage: python get_texts.py documents.jsonl")
    main(Path(sys.argv[1]))

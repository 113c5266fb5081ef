"""`croissant.json`: the release as a data set in the words of MLCommons' Croissant 1.0, for search engines and loaders.

Every file with its SHA-256, and the labels as records. Only those: Croissant's own reader takes the ids of a CSV or of
JSON lines for numbers where it can (007 becomes 7), so the records are cut out of the lines of the TREC file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any

from release.tables import Row, Tables

QRELS = "trec/qrels.all.txt"
FORMATS = {
    ".csv": "text/csv",
    ".json": "application/json",
    ".jsonl": "application/jsonlines",
    ".md": "text/markdown",
    ".py": "text/x-python",
    ".tsv": "text/tab-separated-values",
    ".txt": "text/plain",
    ".xml": "application/xml",
}
TERMS = [  # of Croissant itself
    *("citeAs", "column", "equivalentProperty", "extract", "field", "fileObject", "fileProperty", "fileSet", "format"),
    *("includes", "isLiveDataset", "jsonPath", "key", "md5", "parentField", "path", "recordSet", "references", "regex"),
    *("repeated", "replace", "samplingRate", "separator", "source", "subField", "transform"),
]
CONTEXT: Row = {term: f"cr:{term}" for term in TERMS} | {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
}
FIELDS = (
    ("query", "sc:Text", r"^(\S+) "),
    ("docno", "sc:Text", r"^\S+ 0 (\S+) "),
    ("grade", "sc:Integer", r"^\S+ 0 \S+ (\d+)$"),
)


def croissant(tables: Tables, manifest: Mapping[str, Any], files: Mapping[str, bytes]) -> Row:
    collection = tables.collection
    # Its reader splits a line at commas, too.
    is_plain = not any(mark in f"{row['query']}{row['docno']}" for row in tables.qrels for mark in ',"')
    return {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": "http://mlcommons.org/croissant/1.0",
        "name": collection.slug,
        "alternateName": collection.name,
        "description": collection.description or f"Relevance judgments of {collection.name}.",
        "version": manifest["version"],
        "license": collection.licence or "unknown",
        "citeAs": tables.datasheet.get("citation") or f"{collection.name}, version {manifest['version']}.",
        "distribution": [file_object(name, files[name]) for name in sorted(files)],
        "recordSet": [{"@type": "cr:RecordSet", "@id": "qrels", "name": "qrels", "field": fields()}] * is_plain,
    }


def file_object(name: str, content: bytes) -> Row:
    return {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "contentUrl": name,
        "contentSize": f"{len(content)} B",
        "encodingFormat": FORMATS.get(PurePath(name).suffix, "application/octet-stream"),
        "sha256": hashlib.sha256(content).hexdigest(),
    }


def fields() -> list[Row]:
    lines = {"fileObject": {"@id": QRELS}, "extract": {"fileProperty": "lines"}}
    return [
        {
            "@type": "cr:Field",
            "@id": f"qrels/{name}",
            "name": name,
            "dataType": kind,
            "source": lines | {"transform": {"regex": regex}},
        }
        for name, kind, regex in FIELDS
    ]

"""`croissant.json`: the release for tools that read Croissant 1.1, with its RAI fields.

It names the other files with their sizes and checksums, so it is written after them. Record sets
are made of the files that exist: qrels, queries and documents.

https://docs.mlcommons.org/croissant/docs/croissant-spec-1.1.html and
https://docs.mlcommons.org/croissant/docs/croissant-rai-spec.html
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from bundle.content import Content, FileNote, Files
from bundle.datasheet.answers import Author, web_address_of
from bundle.datasheet.facts import BLINDNESS
from bundle.datasheet.pool_rounds import round_sentence
from bundle.formats import records as formats
from bundle.layouts import beir, model_labels
from bundle.layouts.citation import DESCRIPTION, authors_of, keywords
from bundle.licences import licence_url
from bundle.names import RATINGS
from bundle.options import LabelSource
from bundle.records import ReleasedModel
from bundle.snapshot import Snapshot
from bundle.zip.draft_files import DraftFolder
from bundle.zip.writing import digest_of, size_of

NAME = "croissant.json"
FILES = (FileNote(NAME, "the release for programs that read Croissant, with checksums and fields"),)
CONTEXT: dict[str, Any] = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "arrayShape": "cr:arrayShape",
    "citeAs": "cr:citeAs",
    "column": "cr:column",
    "conformsTo": "dct:conformsTo",
    "containedIn": "cr:containedIn",
    "cr": "http://mlcommons.org/croissant/",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "dct": "http://purl.org/dc/terms/",
    "description": {"@container": "@language"},
    "equivalentProperty": "cr:equivalentProperty",
    "examples": {"@id": "cr:examples", "@type": "@json"},
    "extract": "cr:extract",
    "field": "cr:field",
    "fileObject": "cr:fileObject",
    "fileProperty": "cr:fileProperty",
    "fileSet": "cr:fileSet",
    "format": "cr:format",
    "includes": "cr:includes",
    "isArray": "cr:isArray",
    "isLiveDataset": "cr:isLiveDataset",
    "jsonPath": "cr:jsonPath",
    "key": "cr:key",
    "md5": "cr:md5",
    "name": {"@container": "@language"},
    "parentField": "cr:parentField",
    "path": "cr:path",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "recordSet": "cr:recordSet",
    "references": "cr:references",
    "regex": "cr:regex",
    "repeated": "cr:repeated",
    "replace": "cr:replace",
    "samplingRate": "cr:samplingRate",
    "sc": "https://schema.org/",
    "separator": "cr:separator",
    "source": "cr:source",
    "subField": "cr:subField",
    "transform": "cr:transform",
}
MEDIA_TYPES = {
    "csv": "text/csv",
    "html": "text/html",
    "json": "application/json",
    "jsonl": "application/jsonlines",
    "md": "text/markdown",
    "parquet": "application/x-parquet",
    "py": "text/x-python",
    "svg": "image/svg+xml",
    "tsv": "text/tab-separated-values",
    "xml": "application/xml",
}
TEXT, INTEGER = "sc:Text", "sc:Integer"


class CroissantField(NamedTuple):
    """A field of a record set, and the column of its file that it is read from."""

    name: str
    description: str
    data_type: str = TEXT
    column: str = ""  # if it differs from the name


class RecordTable(NamedTuple):
    """A record set of one file."""

    name: str
    description: str
    file: str
    columns: tuple[CroissantField, ...]
    key: str = ""


TABLES = (
    RecordTable(
        "qrels",
        "The final labels.",
        beir.qrels_file(beir.TEST),
        (
            CroissantField("query_id", "The query.", column="query-id"),
            CroissantField("docno", "The document.", column="corpus-id"),
            CroissantField("grade", "The final label.", INTEGER, column="score"),
        ),
    ),
    RecordTable(
        "queries",
        "The queries.",
        beir.QUERIES,
        (
            CroissantField("query_id", "The id that the qrels have.", column="_id"),
            CroissantField("text", "The text of the query."),
        ),
        key="query_id",
    ),
    RecordTable(
        "documents",
        "The documents.",
        beir.CORPUS,
        (
            CroissantField("docno", "The id that the qrels have.", column="_id"),
            CroissantField("title", "The title."),
            CroissantField("text", "The abstract."),
        ),
        key="docno",
    ),
    RecordTable(
        "ratings",
        "What each annotator said of a pair of query and document.",
        RATINGS,
        (
            CroissantField("query_id", "The query.", column="query"),
            CroissantField("docno", "The document."),
            CroissantField("annotator", "A pseudonym."),
            CroissantField("grade", "Empty if the annotator could not judge the pair."),
            CroissantField("reason", "Why there is no grade."),
        ),
    ),
)


def write(folder: DraftFolder, content: Content, files: Files) -> Files:
    """`files` are all that were written before."""
    snapshot = content.snapshot
    answers = snapshot.datasheet.answers
    fields: dict[str, Any] = {
        "@context": CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": [
            "http://mlcommons.org/croissant/1.1",
            "http://mlcommons.org/croissant/RAI/1.0",
        ],
        "name": snapshot.collection.name,
        "description": snapshot.collection.description or DESCRIPTION,
        "version": content.version,
        "license": _licences(snapshot),
        "url": web_address_of(answers.get("address", "")),
        "citeAs": answers.get("paper", ""),
        "datePublished": answers.get("released_on", ""),
        "creator": [_creator(author) for author in authors_of(snapshot)],
        "keywords": keywords(snapshot),
        "isLiveDataset": False,
        **_responsible_ai(content),
        "distribution": [_file(name, what, files) for name, what in _noted(files, snapshot)],
        "recordSet": [
            _record_set(table)
            for table in (*TABLES, *map(_model_table, snapshot.models))
            if table.file in files
        ],
    }
    kept = {name: value for name, value in fields.items() if value not in ("", [], None)}
    return {NAME: formats.write_json(kept)}


def _model_table(model: ReleasedModel) -> RecordTable:
    return RecordTable(
        f"model_labels_{model.name}",
        f"Labels that the model {model.name} gave. They never count as labels.",
        model_labels.labels_file(model.name),
        (
            CroissantField("query_id", "The query.", column="query"),
            CroissantField("docno", "The document."),
            CroissantField("model_grade", "The grade that the model gave.", INTEGER),
        ),
    )


def _licences(snapshot: Snapshot) -> list[str]:
    collection = snapshot.collection
    stated = [collection.licence]
    if snapshot.options.texts.included:
        stated.append(collection.corpus_licence)
    return list(dict.fromkeys(licence_url(licence) or licence for licence in stated if licence))


def _creator(author: Author) -> dict[str, str]:
    if not author.given:
        return {"@type": "sc:Organization", "name": author.family}
    fields = {
        "@type": "sc:Person",
        "name": f"{author.given} {author.family}",
        "url": f"https://orcid.org/{author.orcid}" if author.orcid else "",
    }
    return {name: value for name, value in fields.items() if value}


def _responsible_ai(content: Content) -> dict[str, Any]:
    """The RAI fields that the database or the admin has an answer for."""
    snapshot = content.snapshot
    sheet = snapshot.datasheet
    judged = snapshot.options.labels is LabelSource.JUDGED
    days = [day for day in (sheet.first_day, sheet.last_day) if day]
    steps = [
        f"{step.name}: {step.removed:,} documents left out"
        for row in snapshot.corpus_imports
        for step in row.steps
        if step.removed
    ]
    people = [
        f"{field.label}: {group.label} {group.people}"
        for field in sheet.annotators
        for group in field.groups
    ]
    return {
        "rai:dataCollectionType": ["Manual Human Curator"] if judged else ["Others"],
        "rai:dataCollection": " ".join(map(round_sentence, snapshot.rounds)),
        "rai:dataCollectionTimeFrame": days if judged else [],
        "rai:dataPreprocessingProtocol": [*steps, *_answers(sheet.answers, "preprocessing")],
        "rai:dataAnnotationProtocol": [BLINDNESS] if judged and sheet.dates_known else [],
        "rai:dataAnnotationPlatform": ["Qrelsmith"] if judged and sheet.dates_known else [],
        "rai:annotationsPerItem": "2" if judged else "",
        "rai:annotatorDemographics": [*people, *_answers(sheet.answers, "annotators")],
        "rai:dataUseCases": _answers(sheet.answers, "recommended_uses"),
        "rai:dataLimitations": _answers(sheet.answers, "discouraged_uses", "representation"),
        "rai:dataBiases": [snapshot.supports] if snapshot.supports else [],
        "rai:personalSensitiveInformation": _answers(sheet.answers, "sensitive_content"),
        "rai:dataReleaseMaintenancePlan": "\n".join(
            _answers(sheet.answers, "maintainer", "erratum_policy", "updates")
        ),
    }


def _answers(answers: Mapping[str, str], *questions: str) -> list[str]:
    return [answers[question] for question in questions if question in answers]


def _noted(files: Files, snapshot: Snapshot) -> Iterator[tuple[str, str]]:
    """Every file with what it holds, by name."""
    from bundle.layouts import file_notes  # the registry, which knows this module

    notes = [(note.pattern, note.what_of(snapshot)) for note in file_notes()]
    for name in sorted(files):
        yield name, next((what for pattern, what in notes if pattern.fullmatch(name)), "")


def _file(name: str, what: str, files: Files) -> dict[str, str]:
    fields = {
        "@type": "cr:FileObject",
        "@id": name,
        "name": name,
        "description": what,
        "contentUrl": name,
        "contentSize": f"{size_of(files[name])} B",
        "encodingFormat": MEDIA_TYPES.get(name.rpartition(".")[2], "text/plain"),
        "sha256": digest_of(files[name]),
    }
    return {key: value for key, value in fields.items() if value}


def _record_set(table: RecordTable) -> dict[str, Any]:
    return {
        "@type": "cr:RecordSet",
        "@id": table.name,
        "name": table.name,
        "description": table.description,
        **({"key": {"@id": f"{table.name}/{table.key}"}} if table.key else {}),
        "field": [_field(table, column) for column in table.columns],
    }


def _field(table: RecordTable, column: CroissantField) -> dict[str, Any]:
    return {
        "@type": "cr:Field",
        "@id": f"{table.name}/{column.name}",
        "name": column.name,
        "description": column.description,
        "dataType": column.data_type,
        "source": {
            "fileObject": {"@id": table.file},
            "extract": {"column": column.column or column.name},
        },
    }

"""`collection/`: what `import_release` needs beside the other files, and nothing else needs.

Settings, guidelines and queries as they are stored. The manifest, `pools/`, `runs/`, `annotations/`
and `corpus.json` have the rest.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Iterator
from itertools import islice
from operator import attrgetter
from typing import Any

from bundle.content import Content, FileNote, Files
from bundle.formats import records as formats
from bundle.interchange import FoldSettings, Interchange, InterchangedPaper, InterchangedQuery
from bundle.names import DOCUMENTS, GUIDELINES, QUERY_PAPERS, SETTINGS
from bundle.records import ReleasedDocument
from bundle.snapshot import Snapshot
from bundle.zip.draft_files import DraftFolder

WRITTEN_TOGETHER = 500  # lines

FILES = (
    FileNote(
        SETTINGS,
        "for `import_release`: facets with their labels, pace of judging, answers of the datasheet",
    ),
    FileNote(GUIDELINES, "for `import_release`: every guideline in use, in full"),
    FileNote(
        QUERY_PAPERS,
        "for `import_release`: query papers and topics with their queries and what is open",
    ),
    FileNote(
        DOCUMENTS,
        "for `import_release`: the documents with all their fields; without texts, their ids only",
    ),
)


def write(folder: DraftFolder, content: Content) -> Files:
    snapshot = content.snapshot
    return {
        SETTINGS: formats.write_json(_settings(snapshot)),
        GUIDELINES: formats.write_json([row._asdict() for row in snapshot.interchange.guidelines]),
        QUERY_PAPERS: folder.write(_lines(map(_paper_line, snapshot.interchange.query_papers))),
        DOCUMENTS: folder.write(_lines(_document_lines(snapshot))),
    }


def _rule(interchange: Interchange) -> dict[str, Any]:
    """The rule by which queries are flagged, if there is one."""
    if not interchange.agreement_rule:
        return {}
    return {
        "agreement_rule": {
            "coefficient": interchange.agreement_rule,
            "threshold": interchange.agreement_threshold,
        }
    }


def _judging_rules(interchange: Interchange) -> dict[str, Any]:
    """The choices that differ from the default, if there are any."""
    chosen = dict(interchange.judging_rules.chosen)
    return {"judging_rules": chosen} if chosen else {}


def _owner_annotators(snapshot: Snapshot) -> dict[str, int]:
    number = snapshot.datasheet.owner_annotators
    return {"owner_annotators": number} if number else {}


def _consent(snapshot: Snapshot) -> dict[str, Any]:
    consent = snapshot.datasheet.consent.as_json()
    return {"consent": consent} if consent else {}


def _settings(snapshot: Snapshot) -> dict[str, Any]:
    """The settings that the manifest's `collection` does not have."""
    interchange = snapshot.interchange
    return {
        "highest_grade": interchange.highest_grade,
        "relevant_from": interchange.relevant_from,
        "analysis": interchange.analysis,
        "seconds_per_judgment": interchange.seconds_per_judgment,
        **_rule(interchange),
        **_judging_rules(interchange),
        "facets": [
            {"key": facet.key, "name": facet.name, "labels": list(facet.labels)}
            for facet in snapshot.collection.facets
        ],
        "retired_runs": [
            {"name": name, "sha256": sha256} for name, sha256 in interchange.retired_runs
        ],
        **({"folds": _folds(interchange.folds)} if interchange.folds else {}),
        "datasheet": {
            "answers": dict(snapshot.datasheet.answers),
            "first_day": snapshot.datasheet.first_day,
            "last_day": snapshot.datasheet.last_day,
            **_owner_annotators(snapshot),
            **_consent(snapshot),
            "annotators": [
                {"label": field.label, "groups": [group._asdict() for group in field.groups]}
                for field in snapshot.datasheet.annotators
            ],
        },
    }


def _folds(folds: FoldSettings) -> dict[str, str | int]:
    return {"imported_from": folds.imported_from} if folds.imported_from else {"made": folds.made}


def _paper_line(paper: InterchangedPaper) -> str:
    """Empty values are left out."""
    line = {
        "name": paper.name,
        "topic": paper.topic and paper.topic._asdict(),
        "metadata": dict(paper.metadata),
        "queries": [_query(query) for query in paper.queries],
    }
    return json.dumps(
        {key: value for key, value in line.items() if value or key == "queries"},
        ensure_ascii=False,
        sort_keys=True,
    )


def _query(query: InterchangedQuery) -> dict[str, Any]:
    line = {
        key: value
        for key, value in query._asdict().items()
        if value not in (None, ()) or key == "facet"
    }
    if query.referred:
        line["referred"] = [pair._asdict() for pair in query.referred]
    return line


def _document_lines(snapshot: Snapshot) -> Iterator[str]:
    """By docno: the documents of the release, and those that samples were drawn from."""
    from corpus.documents.export import document_line  # it needs Django

    documents: Iterable[ReleasedDocument] = heapq.merge(
        snapshot.documents, snapshot.interchange.other_documents, key=attrgetter("docno")
    )
    for document in documents:
        if snapshot.options.texts.included:
            yield document_line(document._asdict())
        else:
            yield json.dumps({"docno": document.docno}, ensure_ascii=False)


def _lines(lines: Iterator[str]) -> Iterator[bytes]:
    while some := list(islice(lines, WRITTEN_TOGETHER)):
        yield "".join(f"{line}\n" for line in some).encode()

"""`mdcr/`: candidates by field and by type, as the file that MDCR was released as.

`{field: {query: {type: [candidate, …]}}}`, where a type is `true` for the known positives, and
otherwise the run that drew a negative: in MDCR `bm25`, `scincl`, `specter`, `graph`, `most_cited`
and `random`. Medić & Šnajder (SDP 2022), section 4.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping
from itertools import groupby
from operator import attrgetter

from bundle.citation_labels import candidate_type, known_sources
from bundle.content import Content, FileNote, Files
from bundle.records import PooledDocument
from bundle.snapshot import Snapshot
from bundle.zip.draft_files import DraftFolder

CANDIDATES = "mdcr/candidates.json"
STRATEGY = "mdcr"
NO_FIELD = "no field"  # as in the evaluation by field

FILES = (
    FileNote(
        CANDIDATES,
        "the candidates by field, query paper and type, as MDCR's file: "
        "`{field: {query paper: {type: [docno, …]}}}`; `true` are the known positives",
    ),
)


def write(folder: DraftFolder, content: Content) -> Files:
    """Only if a pool was drawn by the strategy `mdcr`."""
    known = {
        paper: known_sources(build.manifest)
        for build in content.snapshot.builds
        if build.manifest.get("strategy") == STRATEGY
        for paper in build.query_papers
    }
    if not known:
        return {}
    return {CANDIDATES: folder.write(_json(_lines_by_field(content.snapshot, known)))}


def _lines_by_field(
    snapshot: Snapshot, known: Mapping[str, Container[str]]
) -> dict[str, list[bytes]]:
    """The entry of each query paper as bytes, about 12 for a candidate: 3 MB for MDCR itself."""
    fields = {query.query_paper: query.field or NO_FIELD for query in snapshot.queries}
    lines: dict[str, list[bytes]] = defaultdict(list)
    for paper, documents in groupby(snapshot.pools, attrgetter("query_paper")):
        if paper in known and paper in fields:
            types = _types(documents, known[paper])
            lines[fields[paper]].append(f"{_text(paper)}: {_text(types)}".encode())
    return lines


def _types(documents: Iterable[PooledDocument], known: Container[str]) -> dict[str, list[str]]:
    """The labelled candidates by type, each type in the order drawn."""
    types: dict[str, list[str]] = defaultdict(list)
    for document in documents:
        type_ = candidate_type(document, known)
        if type_ is not None:
            types[type_].append(document.docno)
    return types


def _json(lines: Mapping[str, list[bytes]]) -> Iterator[bytes]:
    yield b"{"
    for number, field in enumerate(sorted(lines)):
        yield b"%b\n %b: {\n  " % (b"," if number else b"", _text(field).encode())
        yield b",\n  ".join(lines[field])
        yield b"\n }"
    yield b"\n}\n"


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, sort_keys=True)

"""The bundle's file formats: records in, bytes out, always sorted. Pure.

Strings sort by code point, which is the order of their UTF-8 bytes and of `LC_ALL=C sort`.
"""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Sequence

from database.csv_cells import defused
from release.records import Adjudication, Label, PooledDocument, Rating, Source
from release.sampling import Member, Probable


class UnwritableId(ValueError):
    """A query id or docno that a TREC file cannot hold: empty, or with white space in it."""

    def __init__(self, identifier: str) -> None:
        super().__init__(f"a TREC file cannot hold the id {identifier!r}")
        self.identifier = identifier


def is_writable(identifier: str) -> bool:
    return identifier.split() == [identifier]


def write_qrels(labels: Iterable[Label]) -> bytes:
    """TREC qrels: `<query id> 0 <docno> <grade>`, by query id, then docno."""
    lines = [
        f"{_id(label.query)} 0 {_id(label.docno)} {label.grade}\n"
        for label in sorted(labels, key=lambda label: (label.query, label.docno))
    ]
    return "".join(lines).encode()


def write_prels(labels: Iterable[Probable]) -> bytes:
    """statAP's prels: `<query id> <docno> <grade> 1 <inclusion probability>`, sorted as qrels.

    Method 1 is a document that was drawn with the probability in the last column. Methods 0 and 2
    would have readers take the probability for 1.
    """
    lines = [
        f"{_id(one.query)} {_id(one.docno)} {one.grade} 1 {one.inclusion!r}\n"
        for one in sorted(labels, key=lambda one: (one.query, one.docno))
    ]
    return "".join(lines).encode()


def write_sampleval(members: Iterable[Member]) -> bytes:
    """sample_eval.pl's qrels: `<query id> 0 <docno> <stratum> <grade>`, sorted as qrels.

    The grade of a document that was not drawn, or got no final label, is -1.
    """
    lines = [
        f"{_id(one.query)} 0 {_id(one.docno)} {one.stratum} "
        f"{-1 if one.grade is None else one.grade}\n"
        for one in sorted(members, key=lambda one: (one.query, one.docno))
    ]
    return "".join(lines).encode()


def _id(identifier: str) -> str:
    if not is_writable(identifier):
        raise UnwritableId(identifier)
    return identifier


def write_pools(documents: Iterable[PooledDocument]) -> bytes:
    """JSON lines, one per pooled document, by query paper, then position."""
    ordered = sorted(documents, key=lambda document: (document.query_paper, document.position))
    return "".join(_json_line(_pool_line(document)) for document in ordered).encode()


def _pool_line(document: PooledDocument) -> dict[str, object]:
    return {
        "query_paper": document.query_paper,
        "docno": document.docno,
        "position": document.position,
        "drawn_by": document.drawn_by,
        "excluded": document.excluded,
        "inclusion": document.inclusion,
        "sources": [_source(source) for source in sorted(document.sources, key=_by_name)],
    }


def _by_name(source: Source) -> str:
    return source.source


def _source(source: Source) -> dict[str, object]:
    return source._asdict()


def _json_line(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False) + "\n"


def write_ratings(ratings: Iterable[Rating]) -> bytes:
    """CSV of the current judgments, by query, docno and slot."""
    ordered = sorted(ratings, key=lambda rating: (rating.query, rating.docno, rating.slot))
    return _csv(Rating._fields, ordered)


def write_adjudications(adjudications: Iterable[Adjudication]) -> bytes:
    """CSV of the standing decisions, by query and docno."""
    ordered = sorted(adjudications, key=lambda decision: (decision.query, decision.docno))
    return _csv(Adjudication._fields, ordered)


def _csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> bytes:
    """RFC 4180: header, CRLF, quotes where needed; None is an empty field, floats go by repr.

    Text that a spreadsheet would run as a formula gets an apostrophe before it.
    """
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\r\n")
    writer.writerow(header)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return text.getvalue().encode()


def _cell(value: object) -> object:
    return str(value).lower() if isinstance(value, bool) else defused(value)


def write_json(value: object) -> bytes:
    """Indented JSON with sorted keys: PostgreSQL keeps no order of keys, so none is relied on."""
    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode()

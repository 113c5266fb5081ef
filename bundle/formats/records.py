"""The bundle's file formats: records in, bytes out, always sorted. Pure.

The records can be those of a whole file or, where they are too many for memory, of one query of
it: a file is its queries one after the other, and in CSV only the first of them has the header.

Strings sort by code point, which is the order of their UTF-8 bytes and of `LC_ALL=C sort`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import chain
from operator import attrgetter
from xml.etree import ElementTree

from bundle.query_texts import ReleasedQueryText
from bundle.records import (
    Adjudication,
    Label,
    PooledDocument,
    Rating,
    ReleasedCorpusImport,
    ReleasedQuery,
)
from bundle.sampling import DeepMember, Probable
from corpus.text.query_facts import QueryFacts
from corpus.text.sentence_numbers import numbers_text
from web.tables.csv_cells import csv_lines

# XML 1.0 cannot hold these, not even escaped: its readers would refuse the whole file.
NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")


class UnwritableId(ValueError):
    """A query id or docno that a TREC file cannot hold: empty, or with white space in it."""

    def __init__(self, identifier: str) -> None:
        super().__init__(f"a TREC file cannot hold the id {identifier!r}")
        self.identifier = identifier


def is_writable(identifier: str) -> bool:
    return identifier.split() == [identifier]


def write_corpus(imports: Iterable[ReleasedCorpusImport]) -> bytes:
    """The history of the corpus as JSON with sorted keys: imports and the counts of their steps."""
    content = [
        {**row._asdict(), "steps": [step._asdict() for step in row.steps]} for row in imports
    ]
    text = json.dumps({"imports": content}, ensure_ascii=False, indent=1, sort_keys=True)
    return f"{text}\n".encode()


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
        f"{_id(label.query)} {_id(label.docno)} {label.grade} 1 {label.inclusion!r}\n"
        for label in sorted(labels, key=lambda label: (label.query, label.docno))
    ]
    return "".join(lines).encode()


def write_sampleval(members: Iterable[DeepMember]) -> bytes:
    """sample_eval.pl's qrels: `<query id> 0 <docno> <stratum> <grade>`, sorted as qrels.

    The grade of a document that was not drawn, or got no final label, is -1.
    """
    lines = [
        f"{_id(member.query)} 0 {_id(member.docno)} {member.stratum} "
        f"{-1 if member.grade is None else member.grade}\n"
        for member in sorted(members, key=lambda member: (member.query, member.docno))
    ]
    return "".join(lines).encode()


def write_queries(queries: Iterable[ReleasedQuery]) -> bytes:
    """TSV with a header: every query, its query paper and its facet, by query id.

    A fourth column has the numbers of sentences, as in 2,4-5, if a query is by sentences.
    """
    ordered = sorted(queries, key=attrgetter("name"))
    header = ["query", "query_paper", "facet"]
    rows = [[query.name, query.query_paper, query.facet] for query in ordered]
    if any(query.sentences for query in ordered):
        header.append("sentences")
        rows = [
            [*row, numbers_text(query.sentences)] for row, query in zip(rows, ordered, strict=True)
        ]
    return "".join("\t".join(row) + "\n" for row in [header, *rows]).encode()


def write_query_papers(queries: Iterable[ReleasedQuery]) -> bytes:
    """CSV with a header: every query of a paper with what is recorded about it, by query id."""
    rows = [
        (query.name, query.query_paper, query.facet, query.title, *query.facts)
        for query in sorted(queries, key=attrgetter("name"))
        if not query.is_topic
    ]
    return write_csv(("query", "query_paper", "facet", "title", *QueryFacts._fields), rows)


def _id(identifier: str) -> str:
    if not is_writable(identifier):
        raise UnwritableId(identifier)
    return identifier


def write_topics_tsv(texts: Iterable[ReleasedQueryText]) -> bytes:
    """`<query id><tab><title and description>`, by query id. Any white space is one space."""
    return "".join(f"{_id(query.query)}\t{query.text}\n" for query in sorted(texts)).encode()


def write_topics_xml(texts: Iterable[ReleasedQueryText]) -> bytes:
    """TREC topics as XML, by query id. Empty parts are left out."""
    root = ElementTree.Element("topics")
    for query in sorted(texts):
        element = ElementTree.SubElement(root, "topic", number=_id(query.query))
        for name in ("title", "description", "narrative"):
            if text := getattr(query, name):
                ElementTree.SubElement(element, name).text = NOT_IN_XML.sub(" ", text)
    ElementTree.indent(root)
    return b"%b\n" % ElementTree.tostring(root, encoding="UTF-8", xml_declaration=True)


def write_pools(documents: Iterable[PooledDocument], *, with_rounds: bool = False) -> bytes:
    """JSON lines, one per pooled document, by query paper, then position.

    `with_rounds` adds the pool round of each, in a collection that has more than the first.
    """
    ordered = sorted(documents, key=lambda document: (document.query_paper, document.position))
    lines = (
        _JSON_LINE.encode(_pool_line(document) | ({"round": document.round} if with_rounds else {}))
        for document in ordered
    )
    return "".join(f"{line}\n" for line in lines).encode()


# Made once, because json.dumps makes a new encoder for each call with other than default options.
_JSON_LINE = json.JSONEncoder(ensure_ascii=False, allow_nan=False)


def _pool_line(document: PooledDocument) -> dict[str, object]:
    by_name = attrgetter("source")
    return {
        "query_paper": document.query_paper,
        "docno": document.docno,
        "position": document.position,
        "drawn_by": document.drawn_by,
        "excluded": document.excluded,
        "inclusion": document.inclusion,
        "sources": [
            {"source": source, "rank": rank, "score": score, "drawn": drawn}
            for source, rank, score, drawn in sorted(document.sources, key=by_name)
        ],
    }


def write_ratings(
    ratings: Iterable[Rating], *, header: bool = True, with_rounds: bool = False
) -> bytes:
    """CSV of the current judgments, by query, docno and slot.

    `with_rounds` adds the column `pool_round`, which is the last one, as in `write_pools`.
    """
    ordered = sorted(ratings, key=lambda rating: (rating.query, rating.docno, rating.slot))
    columns = len(Rating._fields) - (not with_rounds)
    return write_csv(
        Rating._fields[:columns] if header else None, (rating[:columns] for rating in ordered)
    )


def write_adjudications(adjudications: Iterable[Adjudication], *, header: bool = True) -> bytes:
    """CSV of the standing decisions, by query and docno."""
    ordered = sorted(adjudications, key=lambda decision: (decision.query, decision.docno))
    return write_csv(Adjudication._fields if header else None, ordered)


def write_csv(header: Sequence[str] | None, rows: Iterable[Sequence[object]]) -> bytes:
    """RFC 4180: header, CRLF, quotes where needed; None is an empty field, floats go by repr.

    Text that a spreadsheet would run as a formula gets an apostrophe before it.
    """
    cells = (
        [str(value).lower() if isinstance(value, bool) else value for value in row] for row in rows
    )
    return "".join(csv_lines(chain([header] if header is not None else [], cells))).encode()


def write_sums(digests: Mapping[str, str]) -> bytes:
    """`<SHA-256>  <name>` by name, as `sha256sum --check` reads it."""
    return "".join(f"{digests[name]}  {name}\n" for name in sorted(digests)).encode()


def write_json(value: object) -> bytes:
    """Indented JSON with sorted keys: PostgreSQL keeps no order of keys, so none is relied on."""
    text = json.dumps(value, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False)
    return f"{text}\n".encode()

"""The columns of the downloads of tags."""

from __future__ import annotations

from evaluation.error_browser.models import ErrorTag
from evaluation.error_browser.services import TypeCount
from web.tables.columns import Column, Table

TAGS: Table[ErrorTag] = Table(
    "error-tags",
    [
        Column("system", "System", {"system": lambda tag: tag.system}),
        Column("query", "Query", {"query": lambda tag: tag.pair.query.name}),
        Column("facet", "Facet", {"facet": lambda tag: tag.pair.query.facet.key}),
        Column("docno", "Document", {"docno": lambda tag: tag.pair.candidate.document.docno}),
        Column("kind", "Error", {"error": lambda tag: tag.get_kind_display()}),
        Column("rank", "Rank", {"rank": lambda tag: "" if tag.rank is None else tag.rank}),
        Column("grade", "Grade", {"grade": lambda tag: tag.grade}),
        Column("type", "Type", {"type": lambda tag: tag.type}),
        Column("note", "Note", {"note": lambda tag: tag.note}),
        Column("by", "By", {"by": lambda tag: tag.tagged_by.username if tag.tagged_by else ""}),
        Column("at", "At", {"at": lambda tag: tag.tagged_at.isoformat(timespec="seconds")}),
    ],
)
COUNTS: Table[TypeCount] = Table(
    "error-counts",
    [
        Column("system", "System", {"system": lambda count: count.system}),
        Column("type", "Type", {"type": lambda count: count.type}),
        Column("kind", "False positives", {"false_positives": lambda c: c.false_positives}),
        Column("misses", "Misses", {"misses": lambda count: count.misses}),
        Column("total", "Total", {"total": lambda count: count.total}),
    ],
)

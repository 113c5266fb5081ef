"""The decided cases of a query as a table, without the ids of candidates and without names."""

from __future__ import annotations

from adjudication.queue import DecidedCase
from web.tables.columns import Column, Table

DECIDED_CASES: Table[DecidedCase] = Table(
    "decided-cases",
    [
        Column("title", "Candidate", {"title": lambda case: case.title}),
        Column("a", "A", {"a": lambda case: case.grades[0]}),
        Column("b", "B", {"b": lambda case: case.grades[1]}),
        Column("final", "Final", {"final": lambda case: case.final}),
        Column("reason", "Cannot judge", {"reason": lambda case: case.reason_text}),
        Column("note", "Note", {"note": lambda case: case.note}),
        Column("own", "Your decision", {"own": lambda case: "yes" if case.is_own else "no"}),
    ],
)

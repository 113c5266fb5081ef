"""An annotator's own judgments on a query as a table, without the ids of candidates."""

from __future__ import annotations

from annotation.queue import OwnJudgment
from web.tables.columns import Column, Table

OWN_JUDGMENTS: Table[OwnJudgment] = Table(
    "my-judgments",
    [
        Column("title", "Candidate", {"title": lambda judgment: judgment.title}),
        Column("grade", "Grade", {"grade": lambda judgment: judgment.grade}),
        Column("reason", "Cannot judge", {"reason": lambda judgment: judgment.reason}),
        Column("note", "Note", {"note": lambda judgment: judgment.note}),
    ],
)

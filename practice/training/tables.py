"""The columns of the tables about training sets."""

from __future__ import annotations

from practice.models import TrainingResult
from practice.training.results import MissedPair
from web.tables.columns import Column, Table

TRAINING_RESULTS: Table[TrainingResult] = Table(
    "training-results",
    [
        Column(
            "person",
            "Person",
            {
                "set": lambda row: row.member.practice_set.name,
                "name": lambda row: row.member.annotator.shown_name,
                "username": lambda row: row.member.annotator.username,
            },
        ),
        Column(
            "rho",
            "ρ",
            {
                "rho": lambda row: row.rho,
                "undefined": lambda row: row.undefined,
                "threshold": lambda row: row.threshold,
                "passed": lambda row: "yes" if row.passed else "no",
            },
        ),
        Column(
            "pairs", "Pairs", {"pairs": lambda row: row.pairs, "graded": lambda row: row.graded}
        ),
        Column("finished", "Finished", {"finished_at": lambda row: row.created_at.isoformat()}),
    ],
)
TRAINING_PAIRS: Table[MissedPair] = Table(
    "training-pairs",
    [
        Column(
            "pair",
            "Pair",
            {
                "query": lambda row: row.query,
                "docno": lambda row: row.docno,
                "title": lambda row: row.title,
            },
        ),
        Column("gold", "Gold", {"gold": lambda row: row.gold}),
        Column(
            "missed",
            "Missed by",
            {"judged": lambda row: row.judged, "missed": lambda row: row.missed},
        ),
        Column("explanation", "Explanation", {"explanation": lambda row: row.explanation}),
    ],
)

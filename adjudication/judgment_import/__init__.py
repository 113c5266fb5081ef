"""Importing judgments and decisions that were made elsewhere.

`service` is the way in. It reads the files, then `records` finds their queries and documents,
`pools` creates the pools that are missing, `judgments` fills slots, and `decisions` comes last.
"""

from adjudication.judgment_import.context import (
    ImportOptions,
    JudgmentImportReport,
    JudgmentsRefused,
)
from adjudication.judgment_import.people import seats_of
from adjudication.judgment_import.service import import_judgments

__all__ = [
    "ImportOptions",
    "JudgmentImportReport",
    "JudgmentsRefused",
    "import_judgments",
    "seats_of",
]

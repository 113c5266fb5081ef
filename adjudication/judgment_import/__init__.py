"""Importing judgments and decisions that were made elsewhere.

`service` is the way in. It reads the files, then `records` finds their queries and documents,
`pools` decides which pools are missing, `judgments` fills slots, and `decisions` comes last.
"""

from adjudication.judgment_import.context import (
    ImportOptions as ImportOptions,
)
from adjudication.judgment_import.context import (
    ImportReport as ImportReport,
)
from adjudication.judgment_import.context import (
    JudgmentsRefused as JudgmentsRefused,
)
from adjudication.judgment_import.people import seats_of as seats_of
from adjudication.judgment_import.service import import_judgments as import_judgments

"""The rules of the database about judging.

A judgment is appended and never changed. What it is about stays: its slot, its pair, and all that
was shown with it. `judgments`, `people`, `questions` and `repeats` refuse, `counts` and `marks`
keep other rows up to date. Only `database` and the rules of rooms below are imported, never models.
Those of `proposals`, `help_requests`, `deadlines` and `consent` have migrations of their own.
"""

from __future__ import annotations

from annotation.rules.counts import COUNTS
from annotation.rules.judgments import JUDGMENTS, OPENED, SLOTS
from annotation.rules.marks import MARKS
from annotation.rules.people import PEOPLE
from annotation.rules.questions import QUESTIONS
from annotation.rules.repeats import REPEATS

RULES = [*JUDGMENTS, *SLOTS, *OPENED, *PEOPLE, *QUESTIONS, *COUNTS, *MARKS, *REPEATS]

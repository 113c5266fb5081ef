"""The rules of the database about decisions and referrals, and the counts of cases.

A referral sends a pair to the adjudicator, or opens it for two judges again. A decision stands
while both slots of its pair show the judgments that it is on, and the pair was referred as often as
when it was made. While a question to its judges is open, a case is neither due nor decided.
`decisions`, `questions` and `blind` refuse, `counts`, `questions` and `spot_checks` keep other rows
up to date. Only `database` and the rules of rooms below are imported, never models. The rule of
`help_examples` has a migration of its own.
"""

from __future__ import annotations

from adjudication.rules.blind import BLIND_RATINGS
from adjudication.rules.counts import DUE_COUNTS, SETTLED_COUNTS
from adjudication.rules.decisions import DECISIONS, REFERRALS, SLOTS
from adjudication.rules.people import PEOPLE
from adjudication.rules.questions import QUESTION_COUNTS, QUESTIONS
from adjudication.rules.spot_checks import SPOT_CHECK_COUNTS

RULES = [
    *DECISIONS,
    *REFERRALS,
    *SLOTS,
    *BLIND_RATINGS,
    *QUESTIONS,
    *SETTLED_COUNTS,
    *DUE_COUNTS,
    *QUESTION_COUNTS,
    *SPOT_CHECK_COUNTS,
    *PEOPLE,
]

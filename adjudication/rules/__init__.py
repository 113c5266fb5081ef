"""The rules of the database about decisions and referrals, and the counts of cases.

A referral sends a pair to the adjudicator, or opens it for two judges again. A decision stands
while both slots of its pair show the judgments that it is on, and the pair was referred as often as
when it was made. `decisions` and `blind` refuse, `counts` and `spot_checks` keep other rows up to
date. Only `database` and the rules of rooms below are imported, never models.
"""

from __future__ import annotations

from adjudication.rules.blind import BLIND_RATINGS
from adjudication.rules.counts import DUE_COUNTS, SETTLED_COUNTS
from adjudication.rules.decisions import DECISIONS, REFERRALS, SLOTS
from adjudication.rules.people import PEOPLE
from adjudication.rules.spot_checks import SPOT_CHECK_COUNTS

RULES = [
    *DECISIONS,
    *REFERRALS,
    *SLOTS,
    *BLIND_RATINGS,
    *SETTLED_COUNTS,
    *DUE_COUNTS,
    *SPOT_CHECK_COUNTS,
    *PEOPLE,
]

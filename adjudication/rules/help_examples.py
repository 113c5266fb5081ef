"""No guideline shows a pair of a help request as an example before it is decided."""

from __future__ import annotations

from adjudication.rules.counts import STANDS
from database.triggers import reject

AGREED = (
    "EXISTS (SELECT 1 FROM annotation_slot a JOIN annotation_slot b ON b.pair_id = a.pair_id "
    "AND a.number = 1 AND b.number = 2 JOIN annotation_judgment one ON one.id = a.judgment_id "
    "JOIN annotation_judgment two ON two.id = b.judgment_id AND two.grade = one.grade "
    "JOIN annotation_pair p ON p.id = a.pair_id AND p.referral_count = 0 WHERE a.pair_id = {pair})"
)
PAIR = "(SELECT h.pair_id FROM annotation_helprequest h WHERE h.id = NEW.request_id)"
# Both judges and the adjudicator read the guideline, and an example tells the grade.
HELP_EXAMPLES = [
    reject(
        "help_example_of_a_decided_pair",
        table="annotation_helpexample",
        event="INSERT",
        when=(
            f"NEW.shows_pair AND NOT {AGREED.format(pair=PAIR)} "
            f"AND NOT EXISTS (SELECT 1 {STANDS} AND d.pair_id = {PAIR})"
        ),
    ),
]

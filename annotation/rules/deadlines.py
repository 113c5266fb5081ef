"""The rule about deadlines. The migration of their table makes it."""

from __future__ import annotations

from accounts.rules import JUDGES_SQL
from database.triggers import reject_each

DEADLINE = "annotation_deadline"
DEADLINES = reject_each(
    "deadline_of_a_judge",
    table=DEADLINE,
    # The role may be removed later. Then the date means nothing, and can still be removed.
    when="NEW.annotator_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM accounts_membership m "
    "WHERE m.collection_id = NEW.collection_id AND m.user_id = NEW.annotator_id "
    f"AND m.role IN {JUDGES_SQL})",
    events={"INSERT": "", "UPDATE": "collection_id, annotator_id"},
)

"""Rules about repeats: a judgment of one is kept, and never reaches a slot or a count.

The rules that drop repeats delete only those without a judgment.
"""

from __future__ import annotations

from accounts.rules import kept_rows, not_being_deleted
from database.triggers import changed, keep, reject

REPEAT, JUDGMENT = "annotation_repeat", "annotation_repeatjudgment"
COLUMNS = ("slot_id", "query_id", "annotator_id", "round", "pool_round", "token")
COLLECTION_OF_REPEAT = "(SELECT q.collection_id FROM corpus_query q WHERE q.id = OLD.query_id)"
COLLECTION_OF_JUDGMENT = (
    "(SELECT q.collection_id FROM annotation_repeat r JOIN corpus_query q ON q.id = r.query_id "
    "WHERE r.id = OLD.repeat_id)"
)
# Among the pairs of a pool round, also a pair that another person judged, and this one never did.
OF_ANOTHER_SLOT = (
    "NOT EXISTS (SELECT 1 FROM annotation_slot s JOIN annotation_pair p ON p.id = s.pair_id "
    "JOIN annotation_opening o ON o.query_id = p.query_id WHERE s.id = NEW.slot_id "
    "AND p.query_id = NEW.query_id AND o.round = NEW.round "
    "AND (s.annotator_id = NEW.annotator_id OR (NEW.pool_round > 1 AND s.judgment_id IS NOT NULL "
    "AND NOT EXISTS (SELECT 1 FROM annotation_judgment j "
    "JOIN annotation_slot any_slot ON any_slot.id = j.slot_id "
    "WHERE any_slot.pair_id = p.id AND j.annotator_id = NEW.annotator_id))))"
)
OF_A_LATER_ROUND = (
    "NEW.pool_round > 1 AND NOT EXISTS (SELECT 1 FROM annotation_slot s "
    "JOIN annotation_pair p ON p.id = s.pair_id JOIN pooling_candidate c ON c.id = p.candidate_id "
    "WHERE s.id = NEW.slot_id AND c.round < NEW.pool_round)"
)
NOT_OF_THE_REPEAT = (
    "NOT EXISTS (SELECT 1 FROM annotation_repeat r "
    "JOIN annotation_opening o ON o.query_id = r.query_id "
    "JOIN annotation_guideline g ON g.id = o.guideline_id WHERE r.id = NEW.repeat_id "
    "AND r.annotator_id = NEW.annotator_id AND r.round = NEW.round AND o.round = NEW.round "
    "AND g.version >= NEW.guideline_version)"
)
NOT_ON_THE_SCALE = (
    "NEW.grade > 1 AND NEW.grade > (SELECT c.highest_grade FROM annotation_repeat r "
    "JOIN corpus_query q ON q.id = r.query_id JOIN accounts_collection c ON c.id = q.collection_id "
    "WHERE r.id = NEW.repeat_id)"
)
OF_ANOTHER_PAIR = (
    "NEW.compared_id IS NOT NULL AND NOT EXISTS (SELECT 1 FROM annotation_judgment j "
    "JOIN annotation_repeat r ON r.slot_id = j.slot_id "
    "WHERE j.id = NEW.compared_id AND r.id = NEW.repeat_id "
    "AND (j.annotator_id = NEW.annotator_id OR r.pool_round > 1) AND j.round = NEW.round)"
)
BY_AN_ADMIN = (
    "EXISTS (SELECT 1 FROM annotation_repeat r JOIN corpus_query q ON q.id = r.query_id "
    "JOIN accounts_givenrole g ON g.collection_id = q.collection_id "
    "WHERE r.id = NEW.repeat_id AND g.user_id = NEW.annotator_id AND g.role = 'admin')"
)
NOT_ITS_LATEST = (
    "NOT EXISTS (SELECT 1 FROM annotation_repeatjudgment j WHERE j.id = NEW.judgment_id "
    "AND j.repeat_id = NEW.id AND NOT EXISTS (SELECT 1 FROM annotation_repeatjudgment later "
    "WHERE later.repeat_id = NEW.id AND later.sequence > j.sequence))"
)
DROP = f"DELETE FROM {REPEAT} WHERE judgment_id IS NULL AND "

REPEATS = [
    reject("repeat_of_its_slot", table=REPEAT, event="INSERT", when=OF_ANOTHER_SLOT),
    reject("repeat_of_an_earlier_pool_round", table=REPEAT, event="INSERT", when=OF_A_LATER_ROUND),
    reject("repeat_begins_empty", table=REPEAT, event="INSERT", when="NEW.judgment_id IS NOT NULL"),
    reject(
        "repeat_never_edited",
        table=REPEAT,
        event="UPDATE",
        columns=", ".join(COLUMNS),
        when=changed(*COLUMNS),
    ),
    reject(
        "repeat_shows_its_latest_judgment",
        table=REPEAT,
        event="UPDATE",
        columns="judgment_id",
        when=NOT_ITS_LATEST,
    ),
    reject(
        "repeat_judged_never_deleted",
        table=REPEAT,
        event="DELETE",
        when=f"OLD.judgment_id IS NOT NULL AND {not_being_deleted(COLLECTION_OF_REPEAT)}",
    ),
    *kept_rows("repeat_judgment", table=JUDGMENT, collection=COLLECTION_OF_JUDGMENT),
    reject("repeat_judgment_of_its_repeat", table=JUDGMENT, event="INSERT", when=NOT_OF_THE_REPEAT),
    reject(
        "repeat_judgment_grade_on_the_scale", table=JUDGMENT, event="INSERT", when=NOT_ON_THE_SCALE
    ),
    reject(
        "repeat_judgment_compared_with_its_pair",
        table=JUDGMENT,
        event="INSERT",
        when=OF_ANOTHER_PAIR,
    ),
    reject("repeat_judgment_never_by_an_admin", table=JUDGMENT, event="INSERT", when=BY_AN_ADMIN),
    keep(
        "drop_repeats_of_an_emptied_slot",
        table="annotation_slot",
        event="UPDATE",
        columns="judgment_id",
        when="OLD.judgment_id IS NOT NULL AND NEW.judgment_id IS NULL",
        statements=[f"{DROP}slot_id = NEW.id"],
    ),
    keep(
        "drop_repeats_of_a_slot_handed_over",
        table="annotation_slot",
        event="UPDATE",
        columns="annotator_id",
        when="NEW.annotator_id <> OLD.annotator_id",
        statements=[f"{DROP}slot_id = NEW.id"],
    ),
    # Also those of pairs that the person judged: he or she has left the query.
    keep(
        "drop_repeats_of_a_seat_handed_over",
        table="annotation_seat",
        event="UPDATE",
        columns="annotator_id",
        when="NEW.annotator_id <> OLD.annotator_id",
        statements=[
            f"{DROP}annotator_id = OLD.annotator_id AND query_id = "
            "(SELECT o.query_id FROM annotation_opening o WHERE o.id = OLD.opening_id)"
        ],
    ),
    keep(
        "drop_repeats_of_an_earlier_round",
        table="annotation_guidelinechange",
        event="INSERT",
        statements=[
            f"{DROP}round < NEW.round AND query_id = "
            "(SELECT o.query_id FROM annotation_opening o WHERE o.id = NEW.opening_id)"
        ],
    ),
]

"""The rules of the database about practice.

A set stays as it was made, and its judgments are kept. A person who practised with a query never
judges a query of that query paper.
"""

from __future__ import annotations

from accounts.rules import JUDGES_SQL, kept_rows, not_being_deleted
from annotation.rules.consent import NO_CONSENT
from database.triggers import changed, reject

SET, GUIDELINE, PAIR, MEMBER, JUDGMENT = (
    f"practice_practice{name}" for name in ("set", "guideline", "pair", "member", "judgment")
)
COLLECTION_OF_SET = f"(SELECT s.collection_id FROM {SET} s WHERE s.id = {{row}}.practice_set_id)"
SETS = [
    reject(
        "practice_set_stays_as_made",
        table=SET,
        event="UPDATE",
        when=changed("collection_id", "kind", "number", "seed", "highest_grade", "created_at"),
    ),
    reject(
        "practice_set_stays_closed",
        table=SET,
        event="UPDATE",
        columns="closed_at",
        when="OLD.closed_at IS NOT NULL",
    ),
    reject("practice_guideline_never_edited", table=GUIDELINE, event="UPDATE"),
]

OF_ANOTHER_COLLECTION = (
    "(SELECT q.collection_id FROM corpus_query q WHERE q.id = NEW.query_id) "
    f"<> {COLLECTION_OF_SET.format(row='NEW')} "
    "OR (SELECT d.collection_id FROM corpus_document d WHERE d.id = NEW.document_id) "
    f"<> {COLLECTION_OF_SET.format(row='NEW')}"
)
# What is to be learned is known for every pair of a training set, and for none of a pilot round.
GOLD_OF_ANOTHER_KIND = (
    f"(NEW.gold IS NULL) = (SELECT s.kind = 'training' FROM {SET} s "
    "WHERE s.id = NEW.practice_set_id)"
)
GOLD_OFF_THE_SCALE = (
    f"NEW.gold > (SELECT s.highest_grade FROM {SET} s WHERE s.id = NEW.practice_set_id)"
)
# Live judgments stay unknown to all but their authors, so a meeting must not talk about the pair.
PILOT_OF_AN_OPEN_QUERY = (
    f"(SELECT s.kind FROM {SET} s WHERE s.id = NEW.practice_set_id) = 'pilot' "
    "AND EXISTS (SELECT 1 FROM annotation_opening o WHERE o.query_id = NEW.query_id)"
)
PAIRS = [
    reject("practice_pair_never_edited", table=PAIR, event="UPDATE"),
    reject(
        "practice_pair_of_its_collection", table=PAIR, event="INSERT", when=OF_ANOTHER_COLLECTION
    ),
    reject(
        "practice_pair_has_gold_for_training",
        table=PAIR,
        event="INSERT",
        when=GOLD_OF_ANOTHER_KIND,
    ),
    reject("practice_pair_gold_on_the_scale", table=PAIR, event="INSERT", when=GOLD_OFF_THE_SCALE),
    reject(
        "practice_pair_of_no_open_query",
        table=PAIR,
        event="INSERT",
        when=PILOT_OF_AN_OPEN_QUERY,
    ),
    # The rule about members looks at the pairs that are there.
    reject(
        "practice_pair_before_its_members",
        table=PAIR,
        event="INSERT",
        when=(f"EXISTS (SELECT 1 FROM {MEMBER} m WHERE m.practice_set_id = NEW.practice_set_id)"),
    ),
]

NO_ANNOTATOR = (
    "NOT EXISTS (SELECT 1 FROM accounts_membership m WHERE m.user_id = NEW.annotator_id "
    f"AND m.role IN {JUDGES_SQL} AND m.collection_id = {COLLECTION_OF_SET.format(row='NEW')})"
)
# An exclusion keeps its person from every seat; see `annotation/rules/people.py`.
NOT_EXCLUDED = (
    f"EXISTS (SELECT 1 FROM {PAIR} p JOIN corpus_query q ON q.id = p.query_id "
    "WHERE p.practice_set_id = NEW.practice_set_id AND NOT EXISTS "
    "(SELECT 1 FROM annotation_exclusion e WHERE e.query_paper_id = q.query_paper_id "
    "AND e.annotator_id = NEW.annotator_id))"
)
OF_THE_MEMBER = (
    f"EXISTS (SELECT 1 FROM {JUDGMENT} j JOIN {PAIR} p ON p.id = j.pair_id "
    "WHERE j.annotator_id = OLD.annotator_id AND p.practice_set_id = OLD.practice_set_id)"
)
PRACTISED = (
    f"EXISTS (SELECT 1 FROM {MEMBER} m JOIN {PAIR} p ON p.practice_set_id = m.practice_set_id "
    "JOIN corpus_query q ON q.id = p.query_id "
    "WHERE m.annotator_id = OLD.annotator_id AND q.query_paper_id = OLD.query_paper_id)"
)
COLLECTION_OF_EXCLUSION = (
    "(SELECT p.collection_id FROM corpus_querypaper p WHERE p.id = OLD.query_paper_id)"
)
MEMBERS = [
    reject("practice_member_annotates", table=MEMBER, event="INSERT", when=NO_ANNOTATOR),
    reject("practice_member_is_excluded", table=MEMBER, event="INSERT", when=NOT_EXCLUDED),
    reject(
        "practice_member_stays_in_the_set",
        table=MEMBER,
        event="UPDATE",
        columns="practice_set_id, annotator_id",
        when=changed("practice_set_id", "annotator_id"),
    ),
    reject(
        "practice_member_stays_finished",
        table=MEMBER,
        event="UPDATE",
        columns="finished_at",
        when="OLD.finished_at IS NOT NULL",
    ),
    reject(
        "practice_member_with_judgments_stays",
        table=MEMBER,
        event="DELETE",
        when=f"{OF_THE_MEMBER} AND {not_being_deleted(COLLECTION_OF_SET.format(row='OLD'))}",
    ),
    reject(
        "exclusion_after_practice_stays",
        table="annotation_exclusion",
        event="DELETE",
        when=f"{PRACTISED} AND {not_being_deleted(COLLECTION_OF_EXCLUSION)}",
    ),
]

SET_OF_JUDGMENT = (
    f"FROM {PAIR} p JOIN {SET} s ON s.id = p.practice_set_id WHERE p.id = {{row}}.pair_id"
)
NO_MEMBER = (
    f"NOT EXISTS (SELECT 1 FROM {PAIR} p JOIN {MEMBER} m "
    "ON m.practice_set_id = p.practice_set_id "
    "WHERE p.id = NEW.pair_id AND m.annotator_id = NEW.annotator_id)"
)
FINISHED = (
    f"EXISTS (SELECT 1 FROM {PAIR} p JOIN {MEMBER} m "
    "ON m.practice_set_id = p.practice_set_id "
    "WHERE p.id = NEW.pair_id AND m.annotator_id = NEW.annotator_id "
    "AND m.finished_at IS NOT NULL)"
)
BY_AN_ADMIN = (
    f"EXISTS (SELECT 1 FROM {PAIR} p JOIN {SET} s ON s.id = p.practice_set_id "
    "JOIN accounts_givenrole g ON g.collection_id = s.collection_id "
    "WHERE p.id = NEW.pair_id AND g.user_id = NEW.annotator_id AND g.role = 'admin')"
)
ANOTHER_GUIDELINE = (
    f"NOT EXISTS (SELECT 1 FROM {PAIR} p JOIN corpus_query q ON q.id = p.query_id "
    f"JOIN {GUIDELINE} u ON u.practice_set_id = p.practice_set_id "
    "JOIN annotation_guideline g ON g.id = u.guideline_id AND g.facet_id = q.facet_id "
    "WHERE p.id = NEW.pair_id AND g.version = NEW.guideline_version)"
)
JUDGMENTS = [
    *kept_rows(
        "practice_judgment",
        table=JUDGMENT,
        collection=f"(SELECT s.collection_id {SET_OF_JUDGMENT.format(row='OLD')})",
    ),
    reject("practice_judgment_by_a_member", table=JUDGMENT, event="INSERT", when=NO_MEMBER),
    reject("practice_judgment_never_by_an_admin", table=JUDGMENT, event="INSERT", when=BY_AN_ADMIN),
    reject(
        "practice_judgment_grade_on_the_scale",
        table=JUDGMENT,
        event="INSERT",
        when=f"NEW.grade > (SELECT s.highest_grade {SET_OF_JUDGMENT.format(row='NEW')})",
    ),
    reject(
        "practice_judgment_of_the_guideline",
        table=JUDGMENT,
        event="INSERT",
        when=ANOTHER_GUIDELINE,
    ),
    reject(
        "practice_judgment_before_the_end",
        table=JUDGMENT,
        event="INSERT",
        when=f"(SELECT s.closed_at {SET_OF_JUDGMENT.format(row='NEW')}) IS NOT NULL",
    ),
    reject(
        "practice_judgment_before_the_member_finished",
        table=JUDGMENT,
        event="INSERT",
        when=FINISHED,
    ),
]

RESULT = "practice_trainingresult"
COLLECTION_OF_RESULT = (
    f"(SELECT s.collection_id FROM {MEMBER} m JOIN {SET} s ON s.id = m.practice_set_id "
    "WHERE m.id = OLD.member_id)"
)
NOT_AT_THE_END = (
    f"EXISTS (SELECT 1 FROM {MEMBER} m JOIN {SET} s ON s.id = m.practice_set_id "
    "WHERE m.id = NEW.member_id AND (m.finished_at IS NULL OR s.kind <> 'training' "
    f"OR EXISTS (SELECT 1 FROM {PAIR} p WHERE p.practice_set_id = s.id AND NOT EXISTS "
    f"(SELECT 1 FROM {JUDGMENT} j WHERE j.pair_id = p.id AND j.annotator_id = m.annotator_id))))"
)
RESULTS = [
    *kept_rows("training_result", table=RESULT, collection=COLLECTION_OF_RESULT),
    # A result is what lets pages show gold, so no earlier answer can change any more.
    reject("training_result_after_all_pairs", table=RESULT, event="INSERT", when=NOT_AT_THE_END),
]

RULES = [*SETS, *PAIRS, *MEMBERS, *JUDGMENTS, *RESULTS]

# 0003_consent_before_practice makes these.
CONSENT_BEFORE_PRACTICE = [
    reject(
        "practice_judgment_after_consent",
        table=JUDGMENT,
        event="INSERT",
        when=(
            f"EXISTS (SELECT 1 FROM {PAIR} p JOIN {SET} s ON s.id = p.practice_set_id "
            "JOIN accounts_collection c ON c.id = s.collection_id "
            f"WHERE p.id = NEW.pair_id AND {NO_CONSENT.format(person='NEW.annotator_id')})"
        ),
    ),
]

"""The rules of the database about full-text studies.

A study stays as it was made, its full texts stay as they were shown, and ratings are kept. What a
rater reads in a full text never comes into the judgments of abstracts.
"""

from __future__ import annotations

from accounts.rules import kept_rows
from annotation.rules.consent import NO_CONSENT
from annotation.rules.judgments import COLLECTION_OF_PAIR
from database.triggers import changed, reject

STUDY, PAIR, RATING = "studies_study", "studies_studypair", "studies_studyrating"

NO_RATER = (
    "NOT EXISTS (SELECT 1 FROM accounts_membership m WHERE m.collection_id = NEW.collection_id "
    "AND m.user_id = NEW.rater_id AND m.role = 'annotator') "
    "OR EXISTS (SELECT 1 FROM accounts_membership m WHERE m.collection_id = NEW.collection_id "
    "AND m.user_id = NEW.rater_id AND m.role <> 'annotator')"
)
# A person who was ever an admin or adjudicator of the collection rates no full texts in it.
SAW_GRADES = "g.role IN ('admin', 'adjudicator')"
STUDIES = [
    reject("study_rater_only_annotates", table=STUDY, event="INSERT", when=NO_RATER),
    reject(
        "study_stays_as_made",
        table=STUDY,
        event="UPDATE",
        when=changed("collection_id", "name", "rater_id", "seed", "created_at"),
    ),
    reject(
        "study_stays_ended",
        table=STUDY,
        event="UPDATE",
        columns="ended_at",
        when="OLD.ended_at IS NOT NULL",
    ),
    reject(
        "study_rater_saw_no_grades",
        table=STUDY,
        event="INSERT",
        when=(
            "EXISTS (SELECT 1 FROM accounts_givenrole g WHERE g.user_id = NEW.rater_id "
            f"AND g.collection_id = NEW.collection_id AND {SAW_GRADES})"
        ),
    ),
]

OF_ANOTHER_COLLECTION = (
    "(SELECT s.collection_id FROM studies_study s WHERE s.id = NEW.study_id) <> "
    + COLLECTION_OF_PAIR.format(row="NEW")
)
NOT_JUDGED_TWICE = (
    "(SELECT COUNT(*) FROM annotation_slot s "
    "WHERE s.pair_id = NEW.pair_id AND s.judgment_id IS NOT NULL) < 2"
)
# Without a full text, a join finds no row.
NO_FULL_TEXTS = (
    "NOT EXISTS (SELECT 1 FROM annotation_pair p "
    "JOIN corpus_query q ON q.id = p.query_id "
    "JOIN corpus_querypaper r ON r.id = q.query_paper_id "
    "JOIN corpus_fulltext f ON f.document_id = r.document_id "
    "JOIN pooling_candidate c ON c.id = p.candidate_id "
    "JOIN corpus_fulltext g ON g.document_id = c.document_id WHERE p.id = NEW.pair_id)"
)
PAIRS = [
    reject("study_pair_never_edited", table=PAIR, event="UPDATE"),
    reject("study_pair_of_its_collection", table=PAIR, event="INSERT", when=OF_ANOTHER_COLLECTION),
    reject("study_pair_judged_twice", table=PAIR, event="INSERT", when=NOT_JUDGED_TWICE),
    reject("study_pair_has_full_texts", table=PAIR, event="INSERT", when=NO_FULL_TEXTS),
]

COLLECTION_OF_RATING = (
    "(SELECT s.collection_id FROM studies_studypair t JOIN studies_study s ON s.id = t.study_id "
    "WHERE t.id = OLD.study_pair_id)"
)
OFF_THE_SCALE = (
    "NEW.grade > (SELECT c.highest_grade FROM studies_studypair t "
    "JOIN studies_study s ON s.id = t.study_id "
    "JOIN accounts_collection c ON c.id = s.collection_id WHERE t.id = NEW.study_pair_id)"
)
ENDED = (
    "(SELECT s.ended_at FROM studies_study s JOIN studies_studypair t ON t.study_id = s.id "
    "WHERE t.id = NEW.study_pair_id) IS NOT NULL"
)
RATINGS = [
    *kept_rows("study_rating", table=RATING, collection=COLLECTION_OF_RATING),
    reject("study_rating_grade_on_the_scale", table=RATING, event="INSERT", when=OFF_THE_SCALE),
    reject("study_rating_before_the_end", table=RATING, event="INSERT", when=ENDED),
    reject(
        "study_rating_rater_saw_no_grades",
        table=RATING,
        event="INSERT",
        when=(
            "EXISTS (SELECT 1 FROM studies_studypair t "
            "JOIN studies_study s ON s.id = t.study_id "
            "JOIN accounts_givenrole g ON g.user_id = s.rater_id "
            "AND g.collection_id = s.collection_id "
            f"WHERE t.id = NEW.study_pair_id AND {SAW_GRADES})"
        ),
    ),
]

READ_IN_FULL = (
    "EXISTS (SELECT 1 FROM studies_studypair t JOIN studies_study s ON s.id = t.study_id "
    "JOIN annotation_slot l ON l.pair_id = t.pair_id "
    "WHERE l.id = NEW.slot_id AND s.rater_id = NEW.annotator_id)"
)
JUDGMENTS = [
    reject(
        "judgment_before_full_text",
        table="annotation_judgment",
        event="INSERT",
        when=READ_IN_FULL,
    ),
    reject(
        "new_round_of_a_query_in_a_study",
        table="annotation_guidelinechange",
        event="INSERT",
        when=(
            "EXISTS (SELECT 1 FROM studies_studypair t JOIN annotation_pair p ON p.id = t.pair_id "
            "JOIN annotation_opening o ON o.query_id = p.query_id "
            "WHERE o.id = NEW.opening_id AND NEW.round > o.round)"
        ),
    ),
    reject(
        "question_on_a_pair_in_a_study",
        table="annotation_pairquestion",
        event="INSERT",
        when=(
            "EXISTS (SELECT 1 FROM studies_studypair t JOIN studies_study s ON s.id = t.study_id "
            "JOIN annotation_slot l ON l.pair_id = t.pair_id AND l.annotator_id = s.rater_id "
            "WHERE t.pair_id = NEW.pair_id)"
        ),
    ),
    # Its rater may be one of the two blind judges.
    reject(
        "referral_of_a_pair_in_a_study",
        table="adjudication_referral",
        event="INSERT",
        when=(
            "NEW.recipient = 'judges' AND EXISTS "
            "(SELECT 1 FROM studies_studypair t WHERE t.pair_id = NEW.pair_id)"
        ),
    ),
]

STUDIED = (
    "EXISTS (SELECT 1 FROM studies_studypair t "
    "JOIN annotation_pair p ON p.id = t.pair_id "
    "JOIN corpus_query q ON q.id = p.query_id "
    "JOIN corpus_querypaper r ON r.id = q.query_paper_id "
    "JOIN pooling_candidate c ON c.id = p.candidate_id "
    "WHERE r.document_id = OLD.document_id OR c.document_id = OLD.document_id)"
)
FULL_TEXTS = [
    reject(
        "full_text_stays_in_study",
        table="corpus_fulltext",
        event="UPDATE",
        columns="sections, pdf_url, digest, document_id",
        when=STUDIED,
    ),
    reject(
        "full_text_in_study_never_deleted", table="corpus_fulltext", event="DELETE", when=STUDIED
    ),
]

RULES = [*STUDIES, *PAIRS, *RATINGS, *JUDGMENTS, *FULL_TEXTS]

# 0003_consent_before_rating makes these.
CONSENT_BEFORE_RATING = [
    reject(
        "study_rating_after_consent",
        table=RATING,
        event="INSERT",
        when=(
            "EXISTS (SELECT 1 FROM studies_studypair r JOIN studies_study s ON s.id = r.study_id "
            "JOIN accounts_collection c ON c.id = s.collection_id "
            f"WHERE r.id = NEW.study_pair_id AND {NO_CONSENT.format(person='s.rater_id')})"
        ),
    ),
]

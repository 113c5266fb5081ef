"""A study stays as it was made, its full texts stay as they were shown, and ratings are kept.

Ratings go with their collection once it is marked as being deleted (docs/adr/0028).
"""

from django.db import migrations

from database.triggers import reject

NO_RATER = (
    "NOT EXISTS (SELECT 1 FROM accounts_membership m WHERE m.collection_id = NEW.collection_id "
    "AND m.user_id = NEW.rater_id AND m.role = 'annotator') "
    "OR EXISTS (SELECT 1 FROM accounts_membership m WHERE m.collection_id = NEW.collection_id "
    "AND m.user_id = NEW.rater_id AND m.role <> 'annotator')"
)
STUDY_COLUMNS = ("collection_id", "name", "rater_id", "seed", "created_at")
STUDY_CHANGES = " OR ".join(f"NEW.{name} <> OLD.{name}" for name in STUDY_COLUMNS)
OF_ANOTHER_COLLECTION = (
    "(SELECT s.collection_id FROM studies_study s WHERE s.id = NEW.study_id) <> "
    "(SELECT q.collection_id FROM annotation_pair p JOIN corpus_query q ON q.id = p.query_id "
    "WHERE p.id = NEW.pair_id)"
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
STUDIED = (
    "EXISTS (SELECT 1 FROM studies_studypair t "
    "JOIN annotation_pair p ON p.id = t.pair_id "
    "JOIN corpus_query q ON q.id = p.query_id "
    "JOIN corpus_querypaper r ON r.id = q.query_paper_id "
    "JOIN pooling_candidate c ON c.id = p.candidate_id "
    "WHERE r.document_id = OLD.document_id OR c.document_id = OLD.document_id)"
)
NOT_BEING_DELETED = (
    "NOT EXISTS (SELECT 1 FROM studies_studypair t JOIN studies_study s ON s.id = t.study_id "
    "JOIN accounts_collection c ON c.id = s.collection_id "
    "WHERE t.id = OLD.study_pair_id AND c.deletion_began_at IS NOT NULL)"
)
ENDED = (
    "(SELECT s.ended_at FROM studies_study s JOIN studies_studypair t ON t.study_id = s.id "
    "WHERE t.id = NEW.study_pair_id) IS NOT NULL"
)
OFF_THE_SCALE = (
    "NEW.grade > (SELECT c.highest_grade FROM studies_studypair t "
    "JOIN studies_study s ON s.id = t.study_id "
    "JOIN accounts_collection c ON c.id = s.collection_id WHERE t.id = NEW.study_pair_id)"
)
# Else what a rater read in a full text could come into the judgments of abstracts.
READ_IN_FULL = (
    "EXISTS (SELECT 1 FROM studies_studypair t JOIN studies_study s ON s.id = t.study_id "
    "JOIN annotation_slot l ON l.pair_id = t.pair_id "
    "WHERE l.id = NEW.slot_id AND s.rater_id = NEW.annotator_id)"
)

STUDIES = [
    reject("study_rater_only_annotates", table="studies_study", event="INSERT", when=NO_RATER),
    reject("study_stays_as_made", table="studies_study", event="UPDATE", when=STUDY_CHANGES),
    reject(
        "study_stays_ended",
        table="studies_study",
        event="UPDATE",
        columns="ended_at",
        when="OLD.ended_at IS NOT NULL",
    ),
]
PAIRS = [
    reject("study_pair_never_edited", table="studies_studypair", event="UPDATE"),
    reject(
        "study_pair_of_its_collection",
        table="studies_studypair",
        event="INSERT",
        when=OF_ANOTHER_COLLECTION,
    ),
    reject(
        "study_pair_judged_twice", table="studies_studypair", event="INSERT", when=NOT_JUDGED_TWICE
    ),
    reject(
        "study_pair_has_full_texts", table="studies_studypair", event="INSERT", when=NO_FULL_TEXTS
    ),
]
RATINGS = [
    reject("study_rating_never_edited", table="studies_studyrating", event="UPDATE"),
    reject(
        "study_rating_never_deleted",
        table="studies_studyrating",
        event="DELETE",
        when=NOT_BEING_DELETED,
    ),
    reject(
        "study_rating_grade_on_the_scale",
        table="studies_studyrating",
        event="INSERT",
        when=OFF_THE_SCALE,
    ),
    reject("study_rating_before_the_end", table="studies_studyrating", event="INSERT", when=ENDED),
]
JUDGMENTS = [
    reject(
        "judgment_before_full_text",
        table="annotation_judgment",
        event="INSERT",
        when=READ_IN_FULL,
    )
]
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


class Migration(migrations.Migration):
    dependencies = [
        ("studies", "0001_initial"),
        ("accounts", "0004_archive"),
        ("annotation", "0002_rules"),
        ("corpus", "0008_full_text"),
        ("pooling", "0002_rules"),
    ]

    operations = [*STUDIES, *PAIRS, *RATINGS, *JUDGMENTS, *FULL_TEXTS]

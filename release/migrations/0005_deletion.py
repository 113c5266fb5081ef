"""Rows that are never deleted go with their collection, once it is marked as being deleted.

The condition is in each rule, so no code can lift a rule for other collections. Rows are deleted
before the rows that they refer to, so a row's collection can always be found. All rules are
replaced here, because this app knows the tables of all the others.
"""

from django.db import migrations

from database.triggers import Rule, dropped, reject

COLLECTION = "SELECT OLD.collection_id"
OF_SLOT = (
    "SELECT q.collection_id FROM annotation_slot s JOIN annotation_pair p ON p.id = s.pair_id "
    "JOIN corpus_query q ON q.id = p.query_id WHERE s.id = OLD.slot_id"
)
OF_PAIR = (
    "SELECT q.collection_id FROM annotation_pair p JOIN corpus_query q ON q.id = p.query_id "
    "WHERE p.id = OLD.pair_id"
)
OF_BUILD = "SELECT b.collection_id FROM pooling_poolbuild b WHERE b.id = OLD.build_id"
OF_POOL = (
    "SELECT b.collection_id FROM pooling_pool p JOIN pooling_poolbuild b ON b.id = p.build_id "
    "WHERE p.id = OLD.pool_id"
)
OF_CANDIDATE = (
    "SELECT b.collection_id FROM pooling_candidate c JOIN pooling_pool p ON p.id = c.pool_id "
    "JOIN pooling_poolbuild b ON b.id = p.build_id WHERE c.id = OLD.candidate_id"
)
OF_RELEASE = "SELECT r.collection_id FROM release_release r WHERE r.id = OLD.release_id"

FROZEN_POOL = "(SELECT frozen_at FROM pooling_pool WHERE id = OLD.pool_id) IS NOT NULL"
FROZEN_CANDIDATE = (
    "(SELECT p.frozen_at FROM pooling_pool p JOIN pooling_candidate c ON c.pool_id = p.id "
    "WHERE c.id = OLD.candidate_id) IS NOT NULL"
)
# The rule, its table, the rows that it is about ("" for all), and the collection of a row.
RULES = [
    ("annotation_judgment_never_deleted", "annotation_judgment", "", OF_SLOT),
    ("slot_judged_never_deleted", "annotation_slot", "OLD.judgment_id IS NOT NULL", OF_PAIR),
    ("adjudication_decision_never_deleted", "adjudication_decision", "", OF_PAIR),
    ("pool_frozen_never_deleted", "pooling_pool", "OLD.frozen_at IS NOT NULL", OF_BUILD),
    ("candidate_of_frozen_pool_delete", "pooling_candidate", FROZEN_POOL, OF_POOL),
    ("contribution_of_frozen_pool_delete", "pooling_contribution", FROZEN_CANDIDATE, OF_CANDIDATE),
    ("agreement_report_never_deleted", "agreement_report", "", COLLECTION),
    ("public_period_never_deleted", "release_publicperiod", "", OF_RELEASE),
    ("release_release_never_deleted", "release_release", "", COLLECTION),
]


def replaced(name: str, table: str, rows: str, collection: str) -> list[Rule]:
    not_being_deleted = (
        f"NOT EXISTS (SELECT 1 FROM accounts_collection c WHERE c.id = ({collection}) "
        "AND c.deletion_began_at IS NOT NULL)"
    )
    when = f"{rows} AND {not_being_deleted}" if rows else not_being_deleted
    return [
        dropped(reject(name, table=table, event="DELETE", when=rows)),
        reject(name, table=table, event="DELETE", when=when),
    ]


class Migration(migrations.Migration):
    dependencies = [
        ("release", "0004_public_periods"),
        ("accounts", "0004_archive"),
        ("adjudication", "0002_rules"),
        ("agreement", "0002_rules"),
        ("annotation", "0002_rules"),
        ("pooling", "0002_rules"),
    ]

    operations = [operation for rule in RULES for operation in replaced(*rule)]

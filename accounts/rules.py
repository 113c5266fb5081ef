"""The rules of the database about collections and roles.

Every role that a person was ever given is kept, so that a former admin never annotates: an admin
has seen where candidates come from, and grades.
"""

from __future__ import annotations

from database.triggers import Rule, keep, reject, reject_each

MEMBERSHIP, GIVEN_ROLE = "accounts_membership", "accounts_givenrole"
JUDGES_SQL = "('annotator', 'owner-annotator')"  # accounts.models.JUDGES; a test compares them


def not_being_deleted(collection: str) -> str:
    """SQL that is true unless the collection, SQL for its id, is marked as being deleted.

    It is the condition of every rule that keeps rows, so no code can lift such a rule for other
    collections. Rows are deleted before the rows that they refer to, so a row's collection can
    always be found.
    """
    return (
        f"NOT EXISTS (SELECT 1 FROM accounts_collection c WHERE c.id = {collection} "
        "AND c.deletion_began_at IS NOT NULL)"
    )


def kept_rows(name: str, *, table: str, collection: str) -> list[Rule]:
    """Reject every update of rows, and every delete unless their collection is being deleted."""
    return [
        reject(f"{name}_never_edited", table=table, event="UPDATE"),
        reject(
            f"{name}_never_deleted",
            table=table,
            event="DELETE",
            when=not_being_deleted(collection),
        ),
    ]


RECORD_ROLE = (
    f"INSERT INTO {GIVEN_ROLE} (collection_id, user_id, role) "
    "SELECT NEW.collection_id, NEW.user_id, NEW.role WHERE NOT EXISTS "
    f"(SELECT 1 FROM {GIVEN_ROLE} g WHERE g.user_id = NEW.user_id "
    "AND g.collection_id = NEW.collection_id AND g.role = NEW.role)"
)
WAS_GIVEN = (
    f"EXISTS (SELECT 1 FROM {GIVEN_ROLE} g WHERE g.user_id = NEW.user_id "
    "AND g.collection_id = NEW.collection_id AND g.role = '{role}')"
)
# The index `membership_admin_never_annotator` refuses the other two roles.
OWNER_ANNOTATOR_AND_MORE = (
    f"EXISTS (SELECT 1 FROM {MEMBERSHIP} m WHERE m.user_id = NEW.user_id "
    "AND m.collection_id = NEW.collection_id AND m.id <> NEW.id "
    "AND (NEW.role = 'owner-annotator' AND m.role IN ('adjudicator', 'curator') "
    "OR m.role = 'owner-annotator' AND NEW.role IN ('adjudicator', 'curator')))"
)
FORMER_ADMIN = f"NEW.role IN {JUDGES_SQL} AND {WAS_GIVEN.format(role='admin')}"
FORMER_ADJUDICATOR = f"NEW.role = 'owner-annotator' AND {WAS_GIVEN.format(role='adjudicator')}"

RULES = [
    reject(
        "collection_deletion_never_undone",
        table="accounts_collection",
        event="UPDATE",
        columns="deletion_began_at",
        # Some of its rows may be gone already.
        when="OLD.deletion_began_at IS NOT NULL AND NEW.deletion_began_at IS NULL",
    ),
    keep("mark_given_role", table=MEMBERSHIP, event="INSERT", statements=[RECORD_ROLE]),
    keep("mark_changed_role", table=MEMBERSHIP, event="UPDATE", statements=[RECORD_ROLE]),
    *kept_rows("given_role", table=GIVEN_ROLE, collection="OLD.collection_id"),
    *reject_each(
        "membership_former_admin_never_annotator",
        table=MEMBERSHIP,
        when=FORMER_ADMIN,
        events={"INSERT": "", "UPDATE": ""},
    ),
    *reject_each(
        "membership_owner_annotator_alone",
        table=MEMBERSHIP,
        when=OWNER_ANNOTATOR_AND_MORE,
        events={"INSERT": "", "UPDATE": ""},
    ),
    # An adjudicator has seen the grades of others.
    *reject_each(
        "membership_former_adjudicator_never_owner_annotator",
        table=MEMBERSHIP,
        when=FORMER_ADJUDICATOR,
        events={"INSERT": "", "UPDATE": ""},
    ),
]

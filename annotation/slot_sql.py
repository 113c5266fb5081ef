"""The SQL of a saved judgment, which is the most frequent write. Its statements are written here.

Django builds the SQL of a queryset anew for each use. For a judgment this took more than half of
the server's time, and on SQLite the write lock was held meanwhile.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from django.db import connection

from accounts.rules import JUDGES_SQL
from annotation.models import Judgment

_OWN_SLOT = f"""
    SELECT s.id, p.query_id
    FROM accounts_collection c
    JOIN accounts_membership m
        ON m.collection_id = c.id AND m.user_id = %s AND m.role IN {JUDGES_SQL}
    JOIN corpus_query q ON q.collection_id = c.id AND q.name = %s
    JOIN annotation_pair p ON p.query_id = q.id AND p.token = %s
    JOIN annotation_slot s ON s.pair_id = p.id AND s.annotator_id = m.user_id
    WHERE c.slug = %s
"""
_SLOT = """
    SELECT s.id, s.annotator_id, s.judgment_id,
        (SELECT MAX(j.sequence) FROM annotation_judgment j WHERE j.slot_id = s.id),
        p.id, p.query_id, p.presentation_digest, p.text_changed, o.round, g.version,
        g.version > 1 AND NOT EXISTS (SELECT 1 FROM annotation_guidelinereading r
            WHERE r.guideline_id = g.id AND r.reader_id = s.annotator_id),
        c.id, c.highest_grade, c.archived_at IS NOT NULL
    FROM annotation_slot s
    JOIN annotation_pair p ON p.id = s.pair_id
    JOIN annotation_opening o ON o.query_id = p.query_id
    JOIN annotation_guideline g ON g.id = o.guideline_id
    JOIN corpus_query q ON q.id = p.query_id
    JOIN accounts_collection c ON c.id = q.collection_id
    WHERE s.id = %s
"""
_SHOW = """
    UPDATE annotation_slot SET judgment_id = %s WHERE id = %s AND EXISTS
        (SELECT 1 FROM accounts_collection c WHERE c.id = %s AND c.archived_at IS NULL)
    AND EXISTS (SELECT 1 FROM annotation_opening o JOIN annotation_guideline g
        ON g.id = o.guideline_id WHERE o.query_id = %s AND o.round = %s AND g.version = %s)
"""
_PROGRESS = """
    SELECT COALESCE(SUM(total), 0), COALESCE(SUM(judged), 0), COALESCE(SUM(postponed), 0),
        COALESCE(SUM(ungraded), 0)
    FROM annotation_slotcount WHERE query_id = %s AND annotator_id = %s
"""


class LockedSlot(NamedTuple):
    """A slot with what a new judgment is checked against.

    `last_sequence` is of its last judgment, for a pair that was opened again: its slots are empty,
    and keep the judgments from before. With `must_read`, the annotator has not read this version of
    the guideline, which is not the first.
    """

    pk: int
    annotator_id: int
    judgment_id: int | None
    last_sequence: int | None
    pair_id: int
    query_id: int
    presentation_digest: str
    text_changed: bool
    round: int
    guideline_version: int
    must_read: bool
    collection_id: int
    highest_grade: int
    is_archived: bool


def find_own_slot(slug: str, annotator_id: int, query: str, token: str) -> tuple[int, int] | None:
    """Ids of the slot and of its query, for an annotator of the collection with that slug."""
    row: tuple[int, int] | None = _first(_OWN_SLOT, (annotator_id, query, token, slug))
    return row


def lock_slot(slot_id: int) -> LockedSlot | None:
    """Lock the slot until the transaction ends. Other rows stay free for other people.

    Its judgment must be read afterwards. PostgreSQL reads only the locked row again when the lock
    is free; a judgment joined here could be missing though the slot has one by then.
    """
    locking = "FOR UPDATE OF s" if connection.features.has_select_for_update_of else ""
    row = _first(_SLOT + locking, (slot_id,))
    return LockedSlot._make(row) if row else None


def insert_judgment(**values: Any) -> Judgment:
    """Insert a judgment with these values, by column. Constraints and triggers apply."""
    field = Judgment._meta.get_field
    prepared = [
        field(column).get_db_prep_save(value, connection)  # type: ignore[union-attr]
        for column, value in values.items()
    ]
    insert = (
        f"INSERT INTO annotation_judgment ({', '.join(values)}) "
        f"VALUES ({', '.join(['%s'] * len(values))})"
    )
    with connection.cursor() as cursor:
        if connection.features.can_return_columns_from_insert:
            cursor.execute(f"{insert} RETURNING id", prepared)
            pk = cursor.fetchone()[0]
        else:
            cursor.execute(insert, prepared)
            pk = cursor.lastrowid
    return Judgment.from_db(connection.alias, ["id", *values], [pk, *values.values()])


def show_judgment(slot: LockedSlot, judgment_id: int) -> bool:
    """Let the slot show this judgment.

    False if the collection is archived, or the query has another guideline or round. Asked after
    the lock, because this may have happened meanwhile (ADR 28).
    """
    seen = (slot.collection_id, slot.query_id, slot.round, slot.guideline_version)
    with connection.cursor() as cursor:
        cursor.execute(_SHOW, (judgment_id, slot.pk, *seen))
        return bool(cursor.rowcount)


def count_progress(query_id: int, annotator_id: int) -> tuple[int, int, int, int]:
    """The annotator's slots of the query: all, judged, postponed, judged without a grade."""
    total, judged, postponed, ungraded = _first(_PROGRESS, (query_id, annotator_id))
    return total, judged, postponed, ungraded


def _first(statement: str, values: tuple[int | str, ...]) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchone()

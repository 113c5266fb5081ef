"""The SQL of a saved judgment, which is the most frequent write. Its statements are written here.

Django builds the SQL of a queryset anew for each use. For a judgment this took more than half of
the server's time, and on SQLite the write lock was held meanwhile.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

from django.db import connection

from accounts.rules import JUDGES_SQL
from annotation.models import Judgment, RepeatJudgment

GivenJudgment: TypeAlias = Judgment | RepeatJudgment


class JudgedRows(NamedTuple):
    """The rows that judgments are given to: slots, or repeats. Their columns have the same names.

    `pair` joins the pair to a row `s`. `model` has the judgments, whose column `owner` names the
    row. `is_open` is true of the rows that can be judged now; `o` is the opening.
    """

    table: str
    pair: str
    model: type[GivenJudgment]
    owner: str
    is_open: str

    @property
    def judgments(self) -> str:
        return self.model._meta.db_table


SLOTS = JudgedRows(
    "annotation_slot", "JOIN annotation_pair p ON p.id = s.pair_id", Judgment, "slot_id", "TRUE"
)
REPEATS = JudgedRows(
    "annotation_repeat",
    "JOIN annotation_slot original ON original.id = s.slot_id "
    "JOIN annotation_pair p ON p.id = original.pair_id",
    RepeatJudgment,
    "repeat_id",
    "o.round = s.round",
)

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
_OWN_REPEAT = f"""
    SELECT r.id, r.query_id
    FROM accounts_collection c
    JOIN accounts_membership m
        ON m.collection_id = c.id AND m.user_id = %s AND m.role IN {JUDGES_SQL}
    JOIN corpus_query q ON q.collection_id = c.id AND q.name = %s
    JOIN annotation_opening o ON o.query_id = q.id
    JOIN annotation_repeat r ON r.query_id = q.id AND r.token = %s
        AND r.annotator_id = m.user_id AND r.round = o.round
    JOIN annotation_slot s ON s.id = r.slot_id
    LEFT JOIN annotation_repeatjudgment j ON j.id = r.judgment_id
    WHERE c.slug = %s AND (s.judgment_id IS NOT NULL OR j.compared_id IS NULL)
"""
_ROW = """
    SELECT s.id, s.annotator_id, s.judgment_id,
        (SELECT MAX(j.sequence) FROM {judgments} j WHERE j.{owner} = s.id),
        p.id, p.query_id, p.presentation_digest, p.text_changed, o.round, g.version,
        g.version > 1 AND NOT EXISTS (SELECT 1 FROM annotation_guidelinereading r
            WHERE r.guideline_id = g.id AND r.reader_id = s.annotator_id),
        c.qualifying_rho IS NOT NULL AND COALESCE((SELECT u.basis FROM annotation_qualification u
            WHERE u.collection_id = c.id AND u.person_id = s.annotator_id
            AND u.level = 'judge' ORDER BY u.id DESC LIMIT 1), 'withdrawal') = 'withdrawal',
        c.consent_version > 0 AND NOT EXISTS (SELECT 1 FROM annotation_consent a
            JOIN annotation_consenttext t ON t.id = a.text_id WHERE t.collection_id = c.id
            AND t.version = c.consent_version AND a.person_id = s.annotator_id
            AND a.withdrawn_at IS NULL),
        c.id, c.highest_grade, c.marks_aspects OR o.proposal_steps IS NOT NULL, o.proposal_steps,
        c.archived_at IS NOT NULL
    FROM {table} s
    {pair}
    JOIN annotation_opening o ON o.query_id = p.query_id
    JOIN annotation_guideline g ON g.id = o.guideline_id
    JOIN corpus_query q ON q.id = p.query_id
    JOIN accounts_collection c ON c.id = q.collection_id
    WHERE s.id = %s AND {is_open}
"""
_SHOW = """
    UPDATE {table} SET judgment_id = %s WHERE id = %s AND EXISTS
        (SELECT 1 FROM accounts_collection c WHERE c.id = %s AND c.archived_at IS NULL)
    AND EXISTS (SELECT 1 FROM annotation_opening o JOIN annotation_guideline g
        ON g.id = o.guideline_id WHERE o.query_id = %s AND o.round = %s AND g.version = %s)
"""
_PROGRESS = """
    SELECT COALESCE(SUM(total), 0), COALESCE(SUM(judged), 0), COALESCE(SUM(postponed), 0),
        COALESCE(SUM(ungraded), 0)
    FROM (
        SELECT total, judged, postponed, ungraded
        FROM annotation_slotcount WHERE query_id = %s AND annotator_id = %s
        UNION ALL
        SELECT 1, CASE WHEN r.judgment_id IS NULL THEN 0 ELSE 1 END,
            CASE WHEN r.judgment_id IS NULL AND r.postponed_at IS NOT NULL THEN 1 ELSE 0 END,
            CASE WHEN j.id IS NOT NULL AND j.grade IS NULL THEN 1 ELSE 0 END
        FROM annotation_repeat r
        JOIN annotation_opening o ON o.query_id = r.query_id AND o.round = r.round
        JOIN annotation_slot s ON s.id = r.slot_id
        LEFT JOIN annotation_repeatjudgment j ON j.id = r.judgment_id
        WHERE r.query_id = %s AND r.annotator_id = %s
            AND (s.judgment_id IS NOT NULL OR j.compared_id IS NULL)
    ) own
"""
# What a repeat is compared with: the judgment that its slot shows, and the answers since.
_COMPARED = """
    SELECT now.id,
        (SELECT COUNT(*) FROM annotation_slot s JOIN annotation_pair p ON p.id = s.pair_id
            WHERE s.annotator_id = %s AND p.query_id = %s AND s.judgment_id > now.id)
        + (SELECT COUNT(*) FROM annotation_repeat r
            JOIN annotation_repeatjudgment j ON j.id = r.judgment_id
            WHERE r.annotator_id = %s AND r.query_id = %s AND r.id <> %s
            AND j.created_at > now.created_at)
    FROM annotation_repeat this
    JOIN annotation_slot own ON own.id = this.slot_id
        AND (own.annotator_id = this.annotator_id OR this.pool_round > 1)
    JOIN annotation_judgment now ON now.id = own.judgment_id
    WHERE this.id = %s
"""


class LockedSlot(NamedTuple):
    """A slot, or a repeat, with what a new judgment is checked against.

    `last_sequence` is of its last judgment, for a pair that was opened again: its slots are empty,
    and keep the judgments from before. With `must_read`, the annotator has not read this version of
    the guideline, which is not the first. With `must_qualify`, the collection asks annotators to
    qualify first, and this one has not. With `must_consent`, it asks for a consent that this one
    has not given. A grade is proposed from `proposal_steps`, if it has any.
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
    must_qualify: bool
    must_consent: bool
    collection_id: int
    highest_grade: int
    marks_aspects: bool
    proposal_steps: int | None
    is_archived: bool


class OwnSlot(NamedTuple):
    """Ids of one of the annotator's slots or repeats, `rows` of which it is, and of its query."""

    pk: int
    query: int
    rows: JudgedRows = SLOTS


def find_own_slot(slug: str, annotator_id: int, query: str, token: str) -> OwnSlot | None:
    """The slot or repeat of that name, for an annotator of the collection with that slug."""
    values = (annotator_id, query, token, slug)
    for statement, rows in ((_OWN_SLOT, SLOTS), (_OWN_REPEAT, REPEATS)):
        if row := _first(statement, values):
            pk, query_id = row
            return OwnSlot(pk, query_id, rows)
    return None


def lock_slot(slot_id: int, rows: JudgedRows = SLOTS) -> LockedSlot | None:
    """Lock the slot until the transaction ends. Other rows stay free for other people.

    Its judgment must be read afterwards. PostgreSQL reads only the locked row again when the lock
    is free; a judgment joined here could be missing though the slot has one by then.
    """
    locking = "FOR UPDATE OF s" if connection.features.has_select_for_update_of else ""
    row = _first(_in(rows, _ROW) + locking, (slot_id,))
    return LockedSlot._make(row) if row else None


def compared_by(repeat: LockedSlot) -> tuple[int | None, int | None]:
    """The judgment that an answer to the repeat is compared with now, and how many lie between."""
    own = (repeat.annotator_id, repeat.query_id)
    found = _first(_COMPARED, (*own, *own, repeat.pk, repeat.pk))
    return found or (None, None)


def insert_judgment(rows: JudgedRows = SLOTS, **values: Any) -> GivenJudgment:
    """Insert a judgment with these values, by column, in the order of the model's columns.

    Constraints and triggers apply.
    """
    field = rows.model._meta.get_field
    prepared = [
        field(column).get_db_prep_save(value, connection)  # type: ignore[union-attr]
        for column, value in values.items()
    ]
    insert = (
        f"INSERT INTO {rows.judgments} ({', '.join(values)}) "
        f"VALUES ({', '.join(['%s'] * len(values))})"
    )
    with connection.cursor() as cursor:
        if connection.features.can_return_columns_from_insert:
            cursor.execute(f"{insert} RETURNING id", prepared)
            pk = cursor.fetchone()[0]
        else:
            cursor.execute(insert, prepared)
            pk = cursor.lastrowid
    return rows.model.from_db(connection.alias, ["id", *values], [pk, *values.values()])


def show_judgment(slot: LockedSlot, judgment_id: int, rows: JudgedRows = SLOTS) -> bool:
    """Let the slot show this judgment.

    False if the collection is archived, or the query has another guideline or round. Asked after
    the lock, because this may have happened meanwhile (ADR 28).
    """
    seen = (slot.collection_id, slot.query_id, slot.round, slot.guideline_version)
    with connection.cursor() as cursor:
        cursor.execute(_in(rows, _SHOW), (judgment_id, slot.pk, *seen))
        return bool(cursor.rowcount)


def count_progress(query_id: int, annotator_id: int) -> tuple[int, int, int, int]:
    """The annotator's slots and repeats of the query: all, judged, postponed, without a grade."""
    own = (query_id, annotator_id)
    total, judged, postponed, ungraded = _first(_PROGRESS, (*own, *own))
    return total, judged, postponed, ungraded


def _in(rows: JudgedRows, statement: str) -> str:
    """The statement about rows of this kind."""
    return statement.format(
        table=rows.table,
        pair=rows.pair,
        judgments=rows.judgments,
        owner=rows.owner,
        is_open=rows.is_open,
    )


def _first(statement: str, values: tuple[int | str, ...]) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchone()

"""Reasons become codes, because a release holds them and must not follow the words of a page.

Decisions and candidates of frozen pools cannot be changed, so their rules are lifted meanwhile.
"""

from collections.abc import Mapping

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from database.triggers import reject, suspended

REASONS = {
    "The text is garbled or cut off": "garbled",
    "It is in a language I do not read": "language",
    "Something else (say what in the note)": "other",
    "Missing in the imported data": "source",
}
EXCLUSIONS = {
    "no text in the corpus": "no-text",
    "no text in the import": "no-text",
    "pooled but never judged in the release": "never-judged",
}
CODES = "'', 'garbled', 'language', 'other', 'source'"  # empty where there is a grade
NO_CODE = f"{{row}}grade IS NULL AND {{row}}reason NOT IN ({CODES})"
NO_EXCLUSION = "excluded NOT IN ('', 'no-text', 'never-judged')"
DRAFT = "(SELECT frozen_at FROM pooling_pool WHERE id = NEW.pool_id) IS NULL"


def code_decisions(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    """An adjudicator's own words were the reason itself; they go before the note."""
    table = "adjudication_decision"
    with suspended(f"{table}_never_edited", table=table, schema_editor=schema_editor):
        _replace(schema_editor, table, "reason", REASONS)
        schema_editor.execute(
            f"UPDATE {table} SET reason = 'other', note = CASE "
            "WHEN note = '' THEN reason ELSE reason || '\n' || note END "
            f"WHERE {NO_CODE.format(row='')}"
        )


def code_exclusions(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    table, rule = "pooling_candidate", "candidate_of_frozen_pool_update"
    with suspended(rule, table=table, schema_editor=schema_editor):
        _replace(schema_editor, table, "excluded", EXCLUSIONS)


def _replace(
    schema_editor: BaseDatabaseSchemaEditor, table: str, column: str, codes: Mapping[str, str]
) -> None:
    cases = " ".join(f"WHEN '{words}' THEN '{code}'" for words, code in codes.items())
    known = ", ".join(f"'{words}'" for words in codes)
    schema_editor.execute(
        f"UPDATE {table} SET {column} = CASE {column} {cases} END WHERE {column} IN ({known})"
    )


class Migration(migrations.Migration):
    dependencies = [
        ("release", "0002_rules"),
        ("adjudication", "0002_rules"),
        ("pooling", "0004_build_runs"),
    ]

    operations = [
        migrations.RunPython(code_decisions, migrations.RunPython.noop),
        migrations.RunPython(code_exclusions, migrations.RunPython.noop),
        reject(
            "decision_reason_is_a_code",
            table="adjudication_decision",
            event="INSERT",
            when=NO_CODE.format(row="NEW."),
        ),
        reject(
            "candidate_exclusion_is_a_code_insert",
            table="pooling_candidate",
            event="INSERT",
            when=f"NEW.{NO_EXCLUSION}",
        ),
        reject(
            "candidate_exclusion_is_a_code_update",
            table="pooling_candidate",
            event="UPDATE",
            columns="excluded",
            # Candidates of frozen pools have a rule of their own that refuses any change.
            when=f"NEW.{NO_EXCLUSION} AND {DRAFT}",
        ),
    ]

"""The natural order of documents and queries by their ids."""

from django.db import migrations, models
from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import StateApps

from database.natural_order import NaturalKeyField, natural_key

BATCH = 2_000


def fill(apps: StateApps, schema_editor: BaseDatabaseSchemaEditor) -> None:
    fill_keys(schema_editor.connection)


def fill_keys(connection: BaseDatabaseWrapper) -> None:
    _fill(connection, "corpus_document", "docno")
    _fill(connection, "corpus_query", "name")


def _fill(connection: BaseDatabaseWrapper, table: str, column: str) -> None:
    """In batches of ids, so that the rows are never all in memory."""
    last = 0
    with connection.cursor() as cursor:
        while True:
            cursor.execute(
                f"SELECT id, {column} FROM {table} WHERE id > %s ORDER BY id LIMIT {BATCH}", [last]
            )
            rows = cursor.fetchall()
            if not rows:
                return
            cursor.executemany(
                f"UPDATE {table} SET {column}_order = %s WHERE id = %s",
                [(natural_key(text), pk) for pk, text in rows],
            )
            last = rows[-1][0]


class Migration(migrations.Migration):
    dependencies = [("corpus", "0001_initial")]

    operations = [
        migrations.AddField(
            model_name="document",
            name="docno_order",
            field=NaturalKeyField(editable=False, max_length=401, null=True, of="docno"),
        ),
        migrations.AddField(
            model_name="query",
            name="name_order",
            field=NaturalKeyField(editable=False, max_length=481, null=True, of="name"),
        ),
        migrations.RunPython(fill, migrations.RunPython.noop),
        migrations.AddIndex(
            model_name="document",
            index=models.Index(fields=["collection", "docno_order"], name="document_natural_order"),
        ),
    ]

"""Adding a column without building the table anew.

On SQLite, Django adds a column that is never NULL by copying the table and dropping the old one.
That takes minutes for a million rows and drops the triggers of the table, with the rules they keep.
"""

from __future__ import annotations

from django.db import migrations
from django.db.backends.base.schema import BaseDatabaseSchemaEditor
from django.db.migrations.state import ProjectState


class AddColumn(migrations.AddField):
    """`AddField`, in place on SQLite too: for a field that is not unique and refers to nothing."""

    def database_forwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        if schema_editor.connection.vendor != "sqlite":
            super().database_forwards(app_label, schema_editor, from_state, to_state)
            return
        model = to_state.apps.get_model(app_label, self.model_name)
        field = model._meta.get_field(self.name)
        column = schema_editor.quote_name(field.column)
        parameters = field.db_parameters(schema_editor.connection)
        default = schema_editor.quote_value(schema_editor.effective_default(field))
        check = f" CHECK ({parameters['check']})" if parameters["check"] else ""
        schema_editor.execute(
            f"ALTER TABLE {schema_editor.quote_name(model._meta.db_table)} ADD COLUMN {column} "
            f"{parameters['type']} NOT NULL DEFAULT {default}{check}"
        )

    def database_backwards(
        self,
        app_label: str,
        schema_editor: BaseDatabaseSchemaEditor,
        from_state: ProjectState,
        to_state: ProjectState,
    ) -> None:
        if schema_editor.connection.vendor != "sqlite":
            super().database_backwards(app_label, schema_editor, from_state, to_state)
            return
        model = from_state.apps.get_model(app_label, self.model_name)
        column = schema_editor.quote_name(model._meta.get_field(self.name).column)
        table = schema_editor.quote_name(model._meta.db_table)
        schema_editor.execute(f"ALTER TABLE {table} DROP COLUMN {column}")

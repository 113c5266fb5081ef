"""Ids with white space in them, as the database finds them by an index.

A database uses the index only where a query has the very condition of the index, so both take it
from the rules of this room.
"""

from __future__ import annotations

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, Func
from django.db.models.sql.compiler import SQLCompiler

from release.rules import HAS_WHITE_SPACE


class HasWhiteSpace(Func):
    """True if a text has white space anywhere in it."""

    arity = 1
    output_field = BooleanField()

    def as_sqlite(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **_: Any
    ) -> tuple[str, tuple[Any, ...]]:
        column, parameters = compiler.compile(self.source_expressions[0])
        return HAS_WHITE_SPACE[connection.vendor].format(column=column), tuple(parameters)

    as_postgresql = as_sqlite

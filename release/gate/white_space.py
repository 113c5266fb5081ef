"""Ids with white space in them, as the database finds them by an index.

The index is made in the migrations of this room. A database uses it only where a query has the
very condition of the index, so both take it from here.
"""

from __future__ import annotations

from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper
from django.db.models import BooleanField, Func
from django.db.models.sql.compiler import SQLCompiler

# Whatever str.split() splits at, because `formats.is_writable` does.
WHITE_SPACE = (
    "\t\n\v\f\r\x1c\x1d\x1e\x1f \x85\xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007"
    "\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000"
)
CONDITION = {
    "sqlite": f"{{column}} GLOB '*[{WHITE_SPACE}]*'",
    "postgresql": f"{{column}} ~ '[{WHITE_SPACE}]'",
}


class HasWhiteSpace(Func):
    """True if a text has white space anywhere in it."""

    arity = 1
    output_field = BooleanField()

    def as_sqlite(
        self, compiler: SQLCompiler, connection: BaseDatabaseWrapper, **_: Any
    ) -> tuple[str, tuple[Any, ...]]:
        column, parameters = compiler.compile(self.source_expressions[0])
        return CONDITION[connection.vendor].format(column=column), tuple(parameters)

    as_postgresql = as_sqlite

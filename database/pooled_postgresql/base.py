"""Django's backend for a PostgreSQL behind PgBouncer in transaction mode. ADR 89.

Each transaction may have another connection to the server. So what belongs to a connection and
outlives a transaction must not be used: here, a cursor at the server.
"""

from __future__ import annotations

from typing import Any

from django.db.backends.postgresql import base


class PooledConnection(base.DatabaseWrapper):
    def chunked_cursor(self) -> Any:
        """A cursor for many rows. Outside of a transaction, all of them are fetched at once."""
        return self.cursor() if self.get_autocommit() else super().chunked_cursor()


DatabaseWrapper = PooledConnection  # the name that Django looks for

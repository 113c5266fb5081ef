"""End sessions whose client froze in the middle of a COPY. PostgreSQL has no timeout for them."""

from __future__ import annotations

import logging
import time

from django.conf import settings
from django.db import connection

logger = logging.getLogger(__name__)

# The name is set in config/settings.py, so sessions of pg_restore or psql are left alone.
_WAITING = """
    SELECT pid, query_start::text, bytes_processed
    FROM pg_stat_progress_copy JOIN pg_stat_activity USING (pid, datid, datname)
    WHERE datname = current_database() AND usename = current_user
      AND application_name = 'qrelsmith' AND command = 'COPY FROM' AND wait_event = 'ClientRead'
"""


class StuckCopies:
    """Ends sessions whose COPY received no byte for DATABASE_IDLE_SECONDS.

    `idle_in_transaction_session_timeout` ends a session whose client is frozen between two
    statements. In the middle of a COPY, PostgreSQL checks neither it nor `statement_timeout`
    (version 16, ProcessClientReadInterrupt), so the frozen client would keep its locks.
    """

    def __init__(self) -> None:
        self._since: dict[tuple[int, str, int], float] = {}

    def end(self) -> int:
        """Check the COPYs in progress. Returns how many sessions were ended."""
        if connection.vendor != "postgresql":
            return 0
        now = time.monotonic()
        with connection.cursor() as cursor:
            cursor.execute(_WAITING)
            self._since = {copy: self._since.get(copy, now) for copy in cursor.fetchall()}
            frozen = [
                pid
                for (pid, *_), since in self._since.items()
                if now - since > settings.DATABASE_IDLE_SECONDS
            ]
            for pid in frozen:
                logger.warning("ending database session %s: its COPY receives nothing", pid)
                cursor.execute("SELECT pg_terminate_backend(%s)", [pid])
        return len(frozen)

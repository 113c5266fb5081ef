"""The progress of an import's reading, and the limit on what it may unpack."""

from __future__ import annotations

from django.conf import settings

from corpus.formats.decompression import MEGABYTE, Meter
from jobs.context import JobContext


def meter_for(work: JobContext, *, size: int | None, note: str, limit: int | None = None) -> Meter:
    """A meter that reports to the work, and so hears of its cancellation.

    `limit` is the format's own, in bytes; a lower IMPORT_LIMIT_MB comes before it.
    """
    allowed = settings.IMPORT_LIMIT_MB * MEGABYTE
    advice = "import it in parts, or have the setting IMPORT_LIMIT_MB raised on the server"
    if limit is not None and limit < allowed:
        allowed, advice = limit, "split the file"

    def on_read(bytes_read: int) -> None:
        # The last report is the caller's: this one is throttled unless the work looks complete.
        work.progress(min(bytes_read, size - 1) if size else bytes_read, size, note)

    return Meter(on_read=on_read, limit=allowed, advice=advice)

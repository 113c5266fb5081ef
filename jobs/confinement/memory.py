"""A limit on the memory of this process, so that a hostile file ends only an import."""

from __future__ import annotations

import resource
from collections.abc import Iterator
from contextlib import contextmanager

from django.conf import settings

from web.errors import UserFacingError

MEGABYTE = 1024 * 1024


class OutOfMemory(UserFacingError):
    """An import needs more memory than it may use."""

    def __init__(self) -> None:
        super().__init__(
            f"This import needs more than {settings.IMPORT_MEMORY_MB:,} MB of memory, which is the "
            "limit. Check that the file is what its name says. Split it, or have the setting "
            "IMPORT_MEMORY_MB raised on the server."
        )


@contextmanager
def limited_memory() -> Iterator[None]:
    """Limit the memory of this process to IMPORT_MEMORY_MB inside the block.

    Linux counts all private writable memory, of libraries and threads too. Other systems may not
    enforce the limit.

    Raises:
        OutOfMemory: the block got no more memory. The limit is lifted, so it can be reported.
    """
    before, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limit = settings.IMPORT_MEMORY_MB * MEGABYTE
    if hard != resource.RLIM_INFINITY:
        limit = min(limit, hard)
    resource.setrlimit(resource.RLIMIT_DATA, (limit, hard))
    exhausted = False
    try:
        yield
    except MemoryError:
        exhausted = True  # Raised below, where the frames of this error hold no memory any more.
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (before, hard))
    if exhausted:
        raise OutOfMemory

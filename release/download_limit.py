"""The limit on downloads of public releases: per address, because no login is needed."""

from __future__ import annotations

import hashlib
import logging

from django.conf import settings
from django.http import HttpRequest

from accounts.login_limits import Count, cache_failures, client_address

log = logging.getLogger(__name__)


def is_within_limit(request: HttpRequest) -> bool:
    """Count one download, and return whether its address may have it.

    Every download reads the whole file to compare its checksum. If the cache fails, the download
    is allowed: only this limit needs the cache.
    """
    address = hashlib.sha256(client_address(request).encode()).hexdigest()
    try:
        return Count(f"download:{address}", settings.DOWNLOADS_PER_ADDRESS).is_within_limit()
    except cache_failures() as error:
        log.error("The cache failed, so this download is not counted: %s", error)
        return True

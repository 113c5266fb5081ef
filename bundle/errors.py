"""The errors of files of a release. Every message is for the person who publishes."""

from __future__ import annotations

from web.errors import UserFacingError


class ReleaseError(UserFacingError):
    """Something asked of a release cannot be done."""

"""Errors about pools."""

from web.errors import UserFacingError


class PoolingError(UserFacingError):
    """A plan is invalid, or a pool cannot be built, frozen or rebuilt."""

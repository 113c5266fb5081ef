"""The errors that stop a backup or a restore, in words for a system administrator."""

from __future__ import annotations

from web.errors import UserFacingError


class BackupFailed(UserFacingError):
    """The backup could not be made. No file of it remains."""


class BackupIncomplete(UserFacingError):
    """The backup was made, but files that rows name are missing on the server or are damaged."""


class BackupCancelled(UserFacingError):
    """The command was ended by a signal."""


class BackupDamaged(UserFacingError):
    """The file is not what was written as a backup."""


class RestoreRefused(UserFacingError):
    """The backup cannot be restored here. Nothing was changed."""


class FilesNotShared(UserFacingError):
    """The backup is restored, but its files did not get into the shared storage."""

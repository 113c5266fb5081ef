"""The reasons why a report of an error cannot be stored or answered."""

from __future__ import annotations

from typing import ClassVar

from web.errors import UserFacingError


class ErratumError(UserFacingError):
    """A report that cannot be stored or answered. The message is for the person who sent it."""


class NotInVersion(ErratumError):
    """The version has no such query, or the query has no such document. `field` names which."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


class AlreadySettled(ErratumError):
    status: ClassVar[int] = 409

    def __init__(self, erratum: object) -> None:
        super().__init__(
            f"Report {erratum} is answered already and cannot change. Open it to see the answer."
        )


class TooManyReports(ErratumError):
    status: ClassVar[int] = 409

    def __init__(self, version: str, most: int) -> None:
        super().__init__(
            f"Your network has {most:,} open reports about version {version}, which is the most a "
            "network can have. Your report was not saved. Send it from another network, or try "
            "again once the publisher has answered some."
        )


class NotPublic(ErratumError):
    status: ClassVar[int] = 404

    def __init__(self, version: str) -> None:
        super().__init__(f"Version {version} is not public, so nothing was saved.")


class CannotBeChecked(ErratumError):
    status: ClassVar[int] = 503

    def __init__(self) -> None:
        super().__init__(
            "The file of this version is missing or damaged on the server, so the ids cannot be "
            "checked. Nothing was saved. Try again later."
        )

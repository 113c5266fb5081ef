"""The errors of releases; every message is for the person who publishes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bundle.errors import ReleaseError
from bundle.findings import Finding

if TYPE_CHECKING:
    from release.models import Release


class BadVersion(ReleaseError):
    def __init__(self, version: str) -> None:
        super().__init__(
            f"Invalid version {version!r}. Use up to 40 letters, digits, dots, dashes and "
            "underscores, starting with a letter or a digit, like 1.0 or v1.0.0."
        )
        self.version = version


class VersionTaken(ReleaseError):
    status = 409

    def __init__(self, version: str) -> None:
        super().__init__(
            f"Version {version} is published already and cannot change. "
            "Publish under a new version."
        )
        self.version = version


class CannotKeep(ReleaseError):
    """The release folder is full or cannot be written."""

    status = 507

    def __init__(self, folder: Path, error: OSError) -> None:
        super().__init__(
            f"Nothing was published, because the release folder cannot be written ({folder}: "
            f"{error.strerror}). Ask the server's administrator to make room or to allow writing "
            "there, then publish again."
        )


class NotWritten(ReleaseError):
    """The zip was read back from the disk, and is not what was written."""

    status = 500

    def __init__(self, path: Path, error: Exception) -> None:
        super().__init__(
            f"Nothing was published, because the disk of the release folder is not reliable: the "
            f"zip was read back and compared, and {error}. Ask the server's administrator to check "
            f"the disk of {path.parent.parent}, then publish again."
        )


class UnknownCheck(ReleaseError):
    def __init__(self, check: str, acceptable: Sequence[str]) -> None:
        super().__init__(f"Unknown check {check!r} to accept. Use one of {', '.join(acceptable)}.")
        self.check = check


class BadReason(ReleaseError):
    def __init__(self, check: str, length: int, longest: int) -> None:
        super().__init__(
            f"The reason to accept {check!r} has {length:,} characters. Write at most {longest:,}."
            if length
            else f"The reason to accept {check!r} is missing. Write why you publish in spite of it."
        )
        self.check = check


class GateClosed(ReleaseError):
    """Checks have findings that were not accepted; they are in `findings`."""

    status = 409

    def __init__(self, findings: Sequence[Finding]) -> None:
        lines = [
            f"- {finding.check}: {finding.message} {_how_to_fix(finding)}" for finding in findings
        ]
        super().__init__("\n".join(["Nothing was published. Fix these findings first:", *lines]))
        self.findings = tuple(findings)

    def details(self) -> dict[str, Any]:
        return {"findings": [asdict(finding) for finding in self.findings]}


def _how_to_fix(finding: Finding) -> str:
    named = f"({', '.join(finding.items)}{' …' if finding.count > len(finding.items) else ''}) "
    accept = f" Or accept `{finding.check}` and say why." if finding.can_accept else ""
    return (named if finding.items else "") + finding.how_to_fix + accept


class ReleaseDamaged(ReleaseError):
    """The file of a published version is missing or is not what was published.

    `what` says which of the two.
    """

    status = 500

    def __init__(self, release: Release, path: Path, what: str) -> None:
        slug, version = release.collection.slug, release.version
        super().__init__(
            f"The file of {slug} {version} {what} ({path.name} in the release folder), so it was "
            f"not handed out. Restore {version}.zip from a backup of the release folder; its "
            f"SHA-256 must be {release.sha256}. Or publish the collection as it is now under a new "
            "version."
        )
        self.release = release
        self.path = path
        self.what = what

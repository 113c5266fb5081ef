"""What can stand in the way of a release; every message is for the person who tried."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from release.gate import Finding
    from release.models import Release


class ReleaseError(Exception):
    """Something asked of a release cannot be done."""

    is_for_people = True


class BadVersion(ReleaseError):
    def __init__(self, version: str) -> None:
        super().__init__(
            f"{version!r} is no version: take up to 40 letters, digits, dots, dashes and "
            "underscores, beginning with a letter or a digit, like 1.0 or v1.0.0."
        )
        self.version = version


class VersionTaken(ReleaseError):
    def __init__(self, version: str, why: str = "") -> None:
        super().__init__(
            f"Version {version} is published{why}. A published version never changes; "
            "publish under a new one."
        )
        self.version = version


class UnknownCheck(ReleaseError):
    def __init__(self, check: str, acceptable: Sequence[str]) -> None:
        super().__init__(f"Nothing called {check!r} can be accepted; only {', '.join(acceptable)}.")
        self.check = check


class GateClosed(ReleaseError):
    """Checks found what nobody accepted; `findings` are these."""

    def __init__(self, findings: Sequence[Finding]) -> None:
        lines = [f"- {finding.check}: {finding.message} {_mend(finding)}" for finding in findings]
        super().__init__("\n".join(["Nothing was published. To be mended first:", *lines]))
        self.findings = tuple(findings)


def _mend(finding: Finding) -> str:
    named = f"({', '.join(finding.items)}{' …' if finding.count > len(finding.items) else ''}) "
    accept = f" Or accept it as `{finding.check}`." if finding.can_accept else ""
    return (named if finding.items else "") + finding.how_to_mend + accept


class ReleaseDamaged(ReleaseError):
    """The file of a published version is gone or is not what was published."""

    def __init__(self, release: Release, path: Path, what: str) -> None:
        super().__init__(
            f"The file of {release.collection.slug} {release.version} {what} ({path.name} in the "
            "release folder). Its checksum is known, so nothing wrong was handed out. Restore the "
            "file from a backup, or run the `release` command for this version again: "
            "it puts the file back if the database still gives the same bytes."
        )
        self.release = release
        self.path = path

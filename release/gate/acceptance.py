"""The reasons with which an admin publishes against findings of the gate. Pure."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from bundle.findings import AcceptedFinding, Finding
from release.errors import BadReason, UnknownCheck

LONGEST_REASON = 500  # characters
Reasons = Mapping[str, str]  # a check that is accepted, and why
NONE_ACCEPTED: Reasons = {}


def accept_findings(findings: Sequence[Finding], reasons: Reasons) -> tuple[AcceptedFinding, ...]:
    """The findings that are not in order, each with its reason."""
    return tuple(
        AcceptedFinding(finding.check, finding.count, finding.items, reasons[finding.check])
        for finding in findings
        if not finding.ok
    )


def checked_reasons(accept: Mapping[str, str], acceptable: Sequence[str]) -> dict[str, str]:
    """The reasons on one line each, by check.

    Raises:
        UnknownCheck: a check does not exist or can never be accepted.
        BadReason: a reason is empty or too long.
    """
    return {check: _reason(check, accept[check], acceptable) for check in sorted(accept)}


def _reason(check: str, reason: str, acceptable: Sequence[str]) -> str:
    if check not in acceptable:
        raise UnknownCheck(check, acceptable)
    line = " ".join(reason.split())  # the README has it as an item of a list
    if not line or len(line) > LONGEST_REASON:
        raise BadReason(check, len(line), LONGEST_REASON)
    return line

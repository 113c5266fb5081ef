"""Every exception that a release can be published with, for tests of other things."""

from __future__ import annotations

from collections.abc import Iterable

from release.gate.checks import ACCEPTABLE, CHECKS

REASON = "Tried in a test."


def accepting(checks: Iterable[str]) -> dict[str, str]:
    return dict.fromkeys(checks, REASON)


EVERY_EXCEPTION = accepting(ACCEPTABLE)


# Without that of the labels of models, which is made only where some are chosen.
USUAL_CHECKS = [check for check in CHECKS if check != "model-labels"]

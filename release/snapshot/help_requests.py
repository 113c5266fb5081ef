"""Judgments that were made after an admin's answer about their pair."""

from __future__ import annotations

from accounts.models import Collection
from annotation.help_requests.advised import advised_slots
from bundle.records import AdvisedJudgment


def advised_judgments(collection: Collection) -> tuple[AdvisedJudgment, ...]:
    return tuple(AdvisedJudgment(*row) for row in advised_slots(collection))

"""When personal data past its time was last cleared, by any worker or command."""

from __future__ import annotations

from django.db import models


class RetentionRun(models.Model):
    """The last time. It is a single row, which the doctor reads."""

    cleared_at = models.DateTimeField()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(pk=1), name="retention_run_is_one_row")
        ]

    def __str__(self) -> str:
        return f"cleared at {self.cleared_at}"

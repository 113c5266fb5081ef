"""The stored report on a collection's pools."""

from __future__ import annotations

from typing import Any

from django.db import models

from accounts.models import Collection
from agreement.models import JSONText


class PoolBiasReport(models.Model):
    """The output of `pool_bias --format json`. A job computes it again in place of the last one.

    `state` has a digest of each input of the computation; if it differs from the present one, the
    report is out of date. `leave_out` are the sources that were left out together.
    """

    collection = models.OneToOneField(Collection, models.CASCADE, related_name="pool_bias_report")
    state = models.CharField(max_length=64)
    leave_out = models.JSONField(default=list)
    paragraph = models.TextField(help_text="What the collection supports.")
    computed_at = models.DateTimeField()
    # Last: SQLite reads all of it to get at a column behind it.
    payload: Any = JSONText()

    def __str__(self) -> str:
        return f"pool bias of {self.collection}"

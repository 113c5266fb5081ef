"""The stored reports of all rooms."""

from __future__ import annotations

import json
from typing import Any

from django.db import models

from accounts.models import Collection


class JSONText(models.TextField):  # type: ignore[type-arg]  # no subscript at run time
    """JSON that is stored and read as a whole, and never searched.

    PostgreSQL's jsonb takes longer to write megabytes out again than Python takes to read them.
    """

    _pyi_private_set_type: Any
    _pyi_private_get_type: Any

    def from_db_value(self, value: str | None, expression: object, connection: object) -> Any:
        return None if value is None else json.loads(value)

    def to_python(self, value: Any) -> Any:
        return json.loads(value) if isinstance(value, str) else value

    def get_prep_value(self, value: Any) -> str:
        return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


class StoredReport(models.Model):
    """The report of a kind about a collection, as `reports.services.compute_report` stored it.

    `parameters` are those of its kind, and `key` distinguishes the reports of one kind. `version`
    is that of the computation, and `state` has a digest of each input. If the state differs from
    the present one, the report is out of date. `summary` is what is read without the payload.

    A report is replaced when it is computed again, unless it has a `digest` of the rows that it was
    computed from. One with a digest is never edited or deleted. Only `state` and `checked_at`
    change, when the same rows are found in a later state, such as after a judgment is revised back.
    """

    # No index of its own, because the constraint's index begins with this column.
    collection = models.ForeignKey(
        Collection, models.CASCADE, related_name="stored_reports", db_index=False
    )
    kind = models.CharField(max_length=40, help_text="The kind of the job that computes it.")
    key = models.CharField(max_length=150, blank=True)
    parameters: Any = models.JSONField(default=dict, blank=True)
    digest = models.CharField(max_length=64, blank=True)
    version = models.PositiveSmallIntegerField()
    state = models.CharField(max_length=128)
    computed_at = models.DateTimeField(help_text="It holds everything that was committed before.")
    checked_at = models.DateTimeField(help_text="When its state was last the present one.")
    seconds = models.FloatField(help_text="How long it took to compute.")
    summary: Any = models.JSONField(default=dict, blank=True)
    # Last: SQLite reads all of it to get at a column behind it.
    payload: Any = JSONText()

    class Meta:
        ordering = ["collection_id", "kind", "key", "-checked_at", "-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "kind", "key", "digest"], name="stored_report_once"
            )
        ]
        indexes = [
            models.Index(
                fields=["collection", "kind", "key", "-checked_at", "-id"],
                name="stored_report_latest",
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} of {self.collection} {self.key}".strip()

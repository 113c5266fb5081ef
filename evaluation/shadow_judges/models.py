"""Labels that a model gave to pairs. They are compared with people's, and never count as labels.

Nothing that makes final labels, agreement reports or releases reads these tables: see
docs/shadow_judges.md.
"""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.models import HIGHEST_GRADE, Collection
from annotation.models import Pair


class ShadowJudge(models.Model):
    """A model that labelled pairs, and the file that its labels came from.

    `omitted` counts the lines without a stored label by reason, with a few ids as examples.
    `sha256` is a digest of the stored labels.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="shadow_judges")
    name = models.CharField(max_length=60)
    description = models.TextField(blank=True)
    model = models.CharField(max_length=200, blank=True, help_text="The model and its version.")
    prompt = models.TextField(blank=True)
    family = models.CharField(
        max_length=60, blank=True, help_text="Of the retrievers that are made like the model."
    )
    labelled_on = models.DateField(null=True, blank=True)
    filename = models.CharField(max_length=300)
    labels_count = models.PositiveIntegerField(help_text="Stored labels.")
    omitted: Any = models.JSONField(default=dict, blank=True)
    sha256 = models.CharField(max_length=64)
    imported_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "name"], name="shadow_judge_name_once"),
            models.CheckConstraint(condition=~Q(name=""), name="shadow_judge_has_name"),
        ]

    def __str__(self) -> str:
        return self.name


class ShadowLabel(models.Model):
    """A model's grade of a pair. Triggers keep it on the scale, of its collection, and unedited."""

    # No index of its own, because the constraint's index begins with this column.
    shadow_judge = models.ForeignKey(
        ShadowJudge, models.CASCADE, related_name="labels", db_index=False
    )
    pair = models.ForeignKey(Pair, models.CASCADE, related_name="+")
    grade = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["shadow_judge", "pair"]
        constraints = [
            models.UniqueConstraint(
                fields=["shadow_judge", "pair"], name="shadow_label_once_per_pair"
            ),
            models.CheckConstraint(
                condition=Q(grade__lte=HIGHEST_GRADE), name="shadow_label_is_a_grade"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.shadow_judge} on {self.pair}"

"""Tags on errors of systems."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from accounts.models import HIGHEST_GRADE
from annotation.models import Pair
from evaluation.error_browser.finding import ErrorKind

LONGEST_TYPE = 60


class ErrorTag(models.Model):
    """A type of error that an admin gave to a pair which a system ranks wrongly.

    `system` is a name. So the tags stay if a run is imported again or a baseline is made again.
    `grade` and `rank` are those of the moment. `rank` is NULL if the document was not in the list.
    """

    system = models.CharField(max_length=60)
    pair = models.ForeignKey(Pair, models.CASCADE, related_name="error_tags")
    kind = models.CharField(max_length=20, choices=[(kind.value, kind.label) for kind in ErrorKind])
    type = models.CharField(max_length=LONGEST_TYPE)
    note = models.TextField(blank=True)
    rank = models.PositiveIntegerField(null=True, blank=True)
    grade = models.PositiveSmallIntegerField()
    tagged_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    tagged_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["pair", "system", "type"], name="error_tag_type_once_per_system_and_pair"
            ),
            models.CheckConstraint(
                condition=models.Q(kind__in=[kind.value for kind in ErrorKind]),
                name="error_tag_kind_known",
            ),
            models.CheckConstraint(
                condition=~models.Q(type="") & ~models.Q(system=""),
                name="error_tag_has_type_and_system",
            ),
            models.CheckConstraint(
                condition=models.Q(rank__isnull=True) | models.Q(rank__gte=1),
                name="error_tag_rank_from_one",
            ),
            models.CheckConstraint(
                condition=models.Q(grade__lte=HIGHEST_GRADE), name="error_tag_grade_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.type}: {self.pair} by {self.system}"

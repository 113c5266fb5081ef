"""The result of a person's training in a set."""

from __future__ import annotations

from django.db import models
from django.db.models import F, Q


class TrainingResult(models.Model):
    """A member's result in a training set, written with the last answer. Then gold is shown.

    `threshold` is what the collection asked for then, NULL if nothing. `undefined` is why there is
    no rho.
    """

    member = models.OneToOneField(
        "practice.PracticeMember", models.CASCADE, related_name="training_result"
    )
    pairs = models.PositiveSmallIntegerField()
    graded = models.PositiveSmallIntegerField(help_text="Those that got a grade.")
    rho = models.FloatField(null=True, blank=True, help_text="Spearman's, over the graded pairs.")
    undefined = models.CharField(max_length=40, blank=True)
    threshold = models.FloatField(null=True, blank=True)
    passed = models.BooleanField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(rho__isnull=False, undefined="") | Q(~Q(undefined=""), rho=None),
                name="training_result_has_rho_or_reason",
            ),
            models.CheckConstraint(
                condition=Q(passed=False)
                | Q(rho__isnull=False, threshold__isnull=False, rho__gte=F("threshold")),
                name="training_result_passed_by_rho",
            ),
        ]

    def __str__(self) -> str:
        return f"result of {self.member}"

    @property
    def is_left_incomplete(self) -> bool:
        """Too few pairs got a grade to pass, whatever the rho."""
        return self.graded < fewest_graded(self.pairs)


def fewest_graded(pairs: int) -> int:
    """The pairs of a set that must get a grade: nine in ten. Gold says that each can be judged."""
    return -(-pairs * 9 // 10)

"""Full-text studies: one person rates pairs again, from full texts instead of abstracts.

Ratings stand beside judgments and never count as such: see docs/adr/0031-full-text-ratings.md.
"""

from __future__ import annotations

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q

from accounts.models import HIGHEST_GRADE, SEE_GRADES, Collection, Role, User
from annotation.models import AppendedAnswer, Pair, grade_or_reason

NAME = r"[a-z0-9][a-z0-9-]*"


class StudyQuerySet(models.QuerySet["Study"]):
    def with_progress(self) -> StudyQuerySet:
        """With `total`, the number of pairs, and `rated`, how many of them have a rating."""
        return self.annotate(
            total=models.Count("pairs", distinct=True),
            rated=models.Count("pairs__ratings__study_pair", distinct=True),
        )

    def for_rater(self, user: User) -> StudyQuerySet:
        """Those that the person may rate in now: as an annotator who sees no judgments of others.

        An adjudicator reads earlier grades on other pages, so one who was it at any time has no
        study.
        """
        roles = user.memberships.filter(collection=models.OuterRef("collection"))
        given = user.given_roles.filter(collection=models.OuterRef("collection"))
        return self.filter(
            models.Exists(roles.filter(role=Role.ANNOTATOR)),
            ~models.Exists(roles.exclude(role=Role.ANNOTATOR)),
            ~models.Exists(given.filter(role__in=SEE_GRADES)),
            rater=user,
        )


class Study(models.Model):
    """A choice of pairs with final labels, for one rater. It stays as it was made.

    `parameters` are those of the choice, `left_out` the pairs that could not be chosen, by reason.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="studies")
    name = models.CharField(max_length=40, validators=[RegexValidator(rf"^{NAME}$")])
    rater = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="studies")
    seed = models.CharField(max_length=80)
    parameters = models.JSONField(default=dict)
    left_out = models.JSONField(default=dict)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    created_at = models.DateTimeField(auto_now_add=True)
    ended_at = models.DateTimeField(null=True, blank=True)

    objects = StudyQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        verbose_name_plural = "studies"
        constraints = [
            models.UniqueConstraint(fields=["collection", "name"], name="study_name_once"),
            models.CheckConstraint(condition=~Q(name=""), name="study_has_name"),
        ]

    def __str__(self) -> str:
        return self.name


class StudyPair(models.Model):
    """A pair of a study. `label` is the final label for which it was chosen.

    `token` names it in addresses and reveals nothing; `position` is its place in the study's own
    order, from 1.
    """

    study = models.ForeignKey(Study, models.CASCADE, related_name="pairs")
    pair = models.ForeignKey(Pair, models.PROTECT, related_name="study_pairs")
    position = models.PositiveIntegerField()
    token = models.CharField(max_length=32)
    label = models.PositiveSmallIntegerField()

    class Meta:
        ordering = ["study", "position"]
        constraints = [
            models.UniqueConstraint(fields=["study", "pair"], name="study_pair_once"),
            models.UniqueConstraint(fields=["study", "position"], name="study_pair_position_once"),
            models.UniqueConstraint(fields=["study", "token"], name="study_pair_token_once"),
            models.CheckConstraint(
                condition=Q(label__lte=HIGHEST_GRADE), name="study_pair_label_is_a_grade"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.pair} in {self.study}"


class StudyRating(AppendedAnswer):
    """A rater's answer about a pair of full texts. Its seconds are those of the visible page."""

    study_pair = models.ForeignKey(StudyPair, models.PROTECT, related_name="ratings")

    class Meta:
        ordering = ["study_pair", "sequence"]
        constraints = [
            models.UniqueConstraint(
                fields=["study_pair", "sequence"], name="study_rating_sequence_once"
            ),
            grade_or_reason("study_rating_grade_or_reason"),
        ]

    def __str__(self) -> str:
        return f"rating {self.sequence} of {self.study_pair}"

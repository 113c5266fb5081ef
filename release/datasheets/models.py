"""The answers of a datasheet, and what annotators say of themselves."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q

from accounts.models import Collection
from bundle.datasheet.profiles import DEFAULT_LEAST, FIELDS, LEAST
from bundle.datasheet.questions import QUESTIONS

VALUES = {field.key: [value for value, _ in field.choices] for field in FIELDS}


class DatasheetAnswer(models.Model):
    """The answer to a question of the datasheet. A question without an answer has no row."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="datasheet_answers")
    question = models.CharField(max_length=40)
    text = models.TextField()
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+"
    )
    answered_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["collection", "question"]
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "question"], name="datasheet_question_answered_once"
            ),
            models.CheckConstraint(
                condition=Q(question__in=sorted(QUESTIONS)), name="datasheet_question_known"
            ),
            models.CheckConstraint(condition=~Q(text=""), name="datasheet_answer_has_text"),
        ]

    def __str__(self) -> str:
        return f"{self.question} of {self.collection}"


class ProfileThreshold(models.Model):
    """The smallest group of annotators that a release shows. Without a row it is the default."""

    collection = models.OneToOneField(Collection, models.CASCADE, related_name="profile_threshold")
    least_people = models.PositiveSmallIntegerField(default=DEFAULT_LEAST)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(least_people__gte=LEAST), name="profile_threshold_hides_one_person"
            )
        ]

    def __str__(self) -> str:
        return f"{self.least_people} people in {self.collection}"


def _profile_field(key: str) -> models.CharField[str, str]:
    choices = next(field.choices for field in FIELDS if field.key == key)
    return models.CharField(max_length=20, blank=True, default="", choices=choices)


class AnnotatorProfile(models.Model):
    """A person's statements about himself or herself in a collection. The row is the consent.

    Revoking it deletes the row; no copy is kept, and no export contains it.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="annotator_profiles")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, related_name="annotator_profiles"
    )
    expertise = _profile_field("expertise")
    experience = _profile_field("experience")
    degree = _profile_field("degree")
    english = _profile_field("english")

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "user"], name="annotator_profile_once_per_person"
            ),
            models.CheckConstraint(
                condition=Q(
                    *(Q(**{f"{key}__in": ["", *values]}) for key, values in VALUES.items())
                ),
                name="annotator_profile_values_known",
            ),
            models.CheckConstraint(
                condition=~Q(**dict.fromkeys(VALUES, "")), name="annotator_profile_has_a_value"
            ),
        ]

    def __str__(self) -> str:
        return f"a profile in {self.collection}"

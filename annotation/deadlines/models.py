"""The date of a collection, and the dates of single annotators, which take precedence."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, OuterRef, Q, Subquery

from accounts.models import Collection, User


class DeadlineQuerySet(models.QuerySet["Deadline"]):
    def for_annotator(self, annotator: User) -> DeadlineQuerySet:
        """The annotator's own date before that of the collection; no date of another person."""
        own = self.filter(Q(annotator=annotator) | Q(annotator=None))
        return own.order_by(F("annotator").asc(nulls_last=True))


class Deadline(models.Model):
    """The last day for judging: of an annotator's pairs, or of all pairs if it names none."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="deadlines")
    annotator = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.CASCADE, null=True, blank=True, related_name="+"
    )
    due_on = models.DateField()

    objects = DeadlineQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["collection"],
                condition=Q(annotator=None),
                name="deadline_of_collection_once",
            ),
            models.UniqueConstraint(
                fields=["collection", "annotator"],
                condition=Q(annotator__isnull=False),
                name="deadline_of_annotator_once",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.collection} by {self.due_on}"


def due_on_of(annotator: User, collection: str) -> Subquery:
    """The date that holds for the annotator; `collection` is the outer query's lookup of it."""
    dates = Deadline.objects.for_annotator(annotator).filter(collection=OuterRef(collection))
    return Subquery(dates.values("due_on")[:1])

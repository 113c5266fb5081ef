"""The rows of the record. Triggers keep them as they are (`rules.py`)."""

from __future__ import annotations

from datetime import datetime
from typing import NamedTuple

from django.db import models
from django.db.models import Q

from accounts.actions.kinds import ActionKind, ActionWay, SubjectKind


class ActionPlace(NamedTuple):
    """The place of an action in the record, which is ordered by time."""

    at: datetime
    id: int


class RecordedActionQuerySet(models.QuerySet["RecordedAction"]):
    def newest_first(self) -> RecordedActionQuerySet:
        return self.order_by("-at", "-pk")

    def before(self, place: ActionPlace) -> RecordedActionQuerySet:
        # The first condition alone bounds the part of the index that is read.
        return self.filter(at__lte=place.at).filter(Q(at__lt=place.at) | Q(pk__lt=place.id))

    def with_address(self) -> RecordedActionQuerySet:
        return self.exclude(address="")


class RecordedAction(models.Model):
    """An action: who did what to what, when, in which way, and from where.

    Names of people are only in their accounts, to which `person` and `about` refer. So a person
    whose account gets a pseudonym has the pseudonym here, too. A row outlives its collection,
    whose short name it keeps.
    """

    at = models.DateTimeField()
    kind = models.CharField(max_length=32, choices=ActionKind)
    # Without a constraint, because the row stays as it is when the collection is deleted.
    collection = models.ForeignKey(
        "accounts.Collection",
        models.DO_NOTHING,
        null=True,
        blank=True,
        db_constraint=False,
        db_index=False,
        related_name="actions",
    )
    collection_slug = models.CharField(max_length=60, blank=True)
    person = models.ForeignKey(
        "accounts.User",
        models.PROTECT,
        null=True,
        blank=True,
        db_index=False,
        related_name="actions",
        help_text="NULL for a command, the server and people without a login.",
    )
    subject_kind = models.CharField(max_length=16, choices=SubjectKind, blank=True)
    subject_id = models.CharField(max_length=64, blank=True)
    subject_label = models.CharField(max_length=160, blank=True)
    about = models.ForeignKey(
        "accounts.User",
        models.PROTECT,
        null=True,
        blank=True,
        related_name="+",
        help_text="The person whom it was about.",
    )
    details = models.JSONField(default=dict, blank=True)
    way = models.CharField(max_length=8, choices=ActionWay)
    tool = models.CharField(
        max_length=64, blank=True, help_text="The API token, the command or the kind of job."
    )
    address = models.CharField(
        max_length=64, blank=True, help_text="Of the client. An IPv6 address is its /64 network."
    )
    agent = models.CharField(max_length=120, blank=True, help_text="The client's program.")
    once = models.CharField(
        max_length=160, blank=True, help_text="The hour and what is recorded once in it, if it is."
    )

    objects = RecordedActionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["once"], condition=~Q(once=""), name="action_recorded_once"
            ),
            models.CheckConstraint(
                condition=Q(kind__in=ActionKind.values), name="action_kind_known"
            ),
            models.CheckConstraint(condition=Q(way__in=ActionWay.values), name="action_way_known"),
            models.CheckConstraint(
                condition=Q(subject_kind__in=SubjectKind.values), name="action_subject_known"
            ),
            models.CheckConstraint(
                condition=~Q(collection=None) | Q(collection_slug=""), name="action_slug_of_one"
            ),
        ]
        # Each gives a page of the record, in order, whatever the number of rows.
        indexes = [
            models.Index(fields=["collection", "at", "id"], name="action_of_collection"),
            models.Index(fields=["kind", "at", "id"], name="action_of_kind"),
            models.Index(fields=["person", "at", "id"], name="action_of_person"),
            models.Index(fields=["way", "at", "id"], name="action_of_way"),
            models.Index(fields=["at", "id"], name="action_in_order"),
            models.Index(fields=["at"], condition=~Q(address=""), name="action_with_address"),
        ]

    def __str__(self) -> str:
        return f"{self.get_kind_display()}, {self.at:%Y-%m-%d %H:%M}"

    @property
    def place(self) -> ActionPlace:
        return ActionPlace(self.at, self.pk)

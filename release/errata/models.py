"""Readers' reports of errors in published versions."""

from __future__ import annotations

from typing import Any

from django.conf import settings
from django.db import models
from django.db.models import Q

LONGEST_ID = 240  # of a query: its paper, its facet and its name
LONGEST_TEXT = 4_000


class ErratumState(models.TextChoices):
    OPEN = "open", "open"
    ACCEPTED = "accepted", "accepted"
    DECLINED = "declined", "declined"


class ErratumQuerySet(models.QuerySet["Erratum"]):
    def open(self) -> ErratumQuerySet:
        return self.filter(state=ErratumState.OPEN)

    def settled(self) -> ErratumQuerySet:
        return self.exclude(state=ErratumState.OPEN)

    def of(self, collection: Any) -> ErratumQuerySet:
        return self.filter(release__collection=collection)

    def matching(self, *, version: str = "", network: str = "", words: str = "") -> ErratumQuerySet:
        """Of this version and network, with every word in the ids or the text; "" means any."""
        rows = self
        if version:
            rows = rows.filter(release__version=version)
        if network:
            rows = rows.filter(network=network)
        for word in words.split():
            rows = rows.filter(
                Q(problem__icontains=word) | Q(query__icontains=word) | Q(docno__icontains=word)
            )
        return rows

    def in_order(self) -> ErratumQuerySet:
        """Open reports first, then by version and number, the newest first."""
        is_settled = models.Case(models.When(state=ErratumState.OPEN, then=0), default=1)
        return self.annotate(is_settled=is_settled).order_by("is_settled", "-pk")


class Erratum(models.Model):
    """A reader's report about a version, and an admin's answer.

    Only `query`, `docno`, `state` and `answer` are published. The reader's words, address and name
    are for admins. Triggers keep the report as it was sent, and the answer once it is given.
    """

    release = models.ForeignKey("release.Release", models.PROTECT, related_name="errata")
    number = models.PositiveIntegerField(help_text="From 1, among the reports of the version.")
    query = models.CharField(max_length=LONGEST_ID)
    docno = models.CharField(max_length=200, blank=True, help_text="Empty: the whole query.")
    problem = models.TextField(help_text="In the reader's words. Never published.")
    email = models.EmailField(blank=True, help_text="Of the reader. Never published.")
    network = models.CharField(
        max_length=12,
        blank=True,
        help_text="A keyed digest of the reader's network. Empty for a report of an admin.",
    )
    reported_at = models.DateTimeField(auto_now_add=True)
    reported_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )
    state = models.CharField(max_length=10, choices=ErratumState, default=ErratumState.OPEN)
    answer = models.TextField(blank=True, help_text="The outcome or the reason. It is published.")
    settled_at = models.DateTimeField(null=True, blank=True)
    settled_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="+"
    )

    objects = ErratumQuerySet.as_manager()

    class Meta:
        ordering = ["-pk"]
        indexes = [
            # Open reports have no common limit, so what each new one is compared with is looked up.
            models.Index(
                fields=["release", "network"], condition=Q(state="open"), name="erratum_of_network"
            ),
            models.Index(
                fields=["release", "query", "docno"],
                condition=Q(state="open"),
                name="erratum_of_query",
            ),
        ]
        constraints = [
            models.UniqueConstraint(fields=["release", "number"], name="erratum_number_once"),
            models.CheckConstraint(
                condition=~Q(query="") & ~Q(problem=""), name="erratum_names_query_and_problem"
            ),
            models.CheckConstraint(
                condition=Q(state="open", answer="", settled_at=None, settled_by=None)
                | (Q(state__in=["accepted", "declined"], settled_at__isnull=False) & ~Q(answer="")),
                name="erratum_settled_with_answer",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.release.version}-{self.number}"

    @property
    def is_open(self) -> bool:
        return self.state == ErratumState.OPEN

    @property
    def is_accepted(self) -> bool:
        return self.state == ErratumState.ACCEPTED

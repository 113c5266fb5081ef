"""Invitations. A row stays when it was used or revoked."""

from __future__ import annotations

from datetime import datetime

from django.conf import settings
from django.db import models
from django.utils import timezone

from accounts.models import Collection, Role

LONGEST_EMAIL = 254


class InvitationQuerySet(models.QuerySet["Invitation"]):
    def open(self) -> InvitationQuerySet:
        """Neither accepted nor revoked. It may have expired, and can then be sent again."""
        return self.filter(accepted_at=None, revoked_at=None)

    def usable(self, now: datetime) -> InvitationQuerySet:
        return self.open().filter(expires_at__gt=now)


class Invitation(models.Model):
    """A role in a collection for the holder of the link. Of the link only a digest is stored."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="invitations")
    email = models.EmailField(max_length=LONGEST_EMAIL, help_text="In lower case.")
    name = models.CharField(max_length=150, blank=True, default="")
    role = models.CharField(max_length=16, choices=Role)
    token_digest = models.CharField(max_length=64, unique=True, help_text="SHA-256, hexadecimal.")
    expires_at = models.DateTimeField()
    invited_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    sent_count = models.PositiveIntegerField(default=0)
    last_sent_at = models.DateTimeField(null=True, blank=True)
    accepted_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    accepted_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = InvitationQuerySet.as_manager()

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "email", "role"],
                condition=models.Q(accepted_at=None, revoked_at=None),
                name="invitation_open_once",
            ),
            models.CheckConstraint(
                condition=models.Q(role__in=Role.values), name="invitation_role_known"
            ),
            models.CheckConstraint(
                condition=models.Q(accepted_at=None, accepted_by=None)
                | models.Q(accepted_at__isnull=False, accepted_by__isnull=False),
                name="invitation_accepted_by_a_person",
            ),
            models.CheckConstraint(
                condition=models.Q(accepted_at=None) | models.Q(revoked_at=None),
                name="invitation_accepted_or_revoked",
            ),
            models.CheckConstraint(
                condition=models.Q(accepted_at=None)
                | models.Q(accepted_at__lt=models.F("expires_at")),
                name="invitation_accepted_in_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.email} as {self.role} of {self.collection}"

    @property
    def has_expired(self) -> bool:
        return self.expires_at <= timezone.now()

    @property
    def state(self) -> str:
        if self.accepted_at:
            return "accepted"
        if self.revoked_at:
            return "revoked"
        return "expired" if self.has_expired else "open"

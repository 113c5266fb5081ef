"""A token of the API. The token itself is not stored, only its hash."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone

from accounts.tokens.scopes import TokenScope

LONGEST_NAME = 60
PREFIX = "qrelsmith_"  # scanners for secrets in files look for such a word
# Of the 256 random bits, 24 are stored, so that a person recognizes the token in a file.
START_LENGTH = len(PREFIX) + 6
WARNED_FROM = timedelta(days=7)


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def valid(self, now: datetime) -> ApiTokenQuerySet:
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=now), revoked_at=None)

    def unrevoked(self) -> ApiTokenQuerySet:
        return self.filter(revoked_at=None)

    def not_used_since(self, moment: datetime) -> ApiTokenQuerySet:
        return self.filter(Q(last_used_at=None) | Q(last_used_at__lt=moment))


class ApiToken(models.Model):
    """Lets a program act for a person. It stays as a row when it is revoked."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=LONGEST_NAME)
    scope = models.CharField(max_length=8, choices=TokenScope)
    digest = models.CharField(max_length=64, help_text="SHA-256 of the token, in hexadecimal.")
    start = models.CharField(max_length=START_LENGTH, help_text="Its first characters.")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(null=True, blank=True)
    last_used_at = models.DateTimeField(
        null=True, blank=True, help_text="Written at most once a minute."
    )
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(fields=["digest"], name="api_token_digest_once"),
            models.CheckConstraint(
                condition=Q(scope__in=TokenScope.values), name="api_token_scope_known"
            ),
            models.CheckConstraint(
                condition=Q(expires_at=None) | Q(expires_at__gt=F("created_at")),
                name="api_token_expires_after_creation",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} ({self.scope})"

    @property
    def is_old_key(self) -> bool:
        """Return whether it was the key of a person, before there were tokens with a scope."""
        return not self.start.startswith(PREFIX)

    @property
    def is_expired(self) -> bool:
        return self.expires_at is not None and self.expires_at <= timezone.now()

    @property
    def expires_soon(self) -> bool:
        return (
            self.expires_at is not None
            and not self.is_expired
            and self.expires_at <= timezone.now() + WARNED_FROM
        )

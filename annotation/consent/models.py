"""Texts to which judges agree, and their agreements. Triggers keep both (`annotation/rules/`)."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import F, Q

from accounts.models import Collection

LONGEST_CONSENT_TEXT = 20_000


class ConsentText(models.Model):
    """A version of what judges agree to, as Markdown, in any language."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="consent_texts")
    version = models.PositiveIntegerField(help_text="1, 2, … in the collection.")
    text = models.TextField()
    written_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="+", null=True, blank=True
    )
    written_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["collection", "-version"]
        constraints = [
            models.UniqueConstraint(
                fields=["collection", "version"], name="consent_text_version_once"
            ),
            models.CheckConstraint(
                condition=Q(version__gte=1) & ~Q(text=""), name="consent_text_has_text"
            ),
        ]

    def __str__(self) -> str:
        return f"consent text {self.version} of {self.collection}"


class ConsentQuerySet(models.QuerySet["Consent"]):
    def standing(self) -> ConsentQuerySet:
        return self.filter(withdrawn_at=None)


class Consent(models.Model):
    """A person's agreement to a version of the text. It can be withdrawn, and given anew."""

    text = models.ForeignKey(ConsentText, models.CASCADE, related_name="consents")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.PROTECT, related_name="+")
    agreed_at = models.DateTimeField()
    withdrawn_at = models.DateTimeField(null=True, blank=True)

    objects = ConsentQuerySet.as_manager()

    class Meta:
        ordering = ["text", "agreed_at"]
        constraints = [
            models.UniqueConstraint(
                fields=["text", "person"],
                condition=Q(withdrawn_at=None),
                name="consent_stands_once",
            ),
            models.CheckConstraint(
                condition=Q(withdrawn_at=None) | Q(withdrawn_at__gte=F("agreed_at")),
                name="consent_withdrawn_after_it_was_given",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.person} agreed to {self.text}"

"""Samples of the corpus, and what screeners say of their papers."""

from __future__ import annotations

from django.conf import settings
from django.db import models

from accounts.models import Collection
from corpus.models import Document

LOWEST_RATING, HIGHEST_RATING = 1, 5


class PaperType(models.Model):
    """A type of paper, such as empirical or theoretical. Screeners choose one for each paper."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="paper_types")
    key = models.SlugField(max_length=30)
    name = models.CharField(max_length=60)
    position = models.PositiveSmallIntegerField()
    is_excluded = models.BooleanField(
        default=False, help_text="Papers of this type cannot become query papers by a choice."
    )

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "key"], name="paper_type_key_once"),
            models.UniqueConstraint(
                fields=["collection", "position"], name="paper_type_position_once"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Sample(models.Model):
    """Papers drawn at random from the strata of a corpus, to be screened.

    `strata` are the names of what divides the corpus, such as ["period", "field"]. `periods` is a
    list of [first year, last year]. `counts` holds how many documents were left out, by reason, and
    how many each stratum had.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="samples")
    name = models.SlugField(max_length=60)
    strata = models.JSONField(default=list)
    periods = models.JSONField(default=list)
    per_stratum = models.PositiveIntegerField()
    seed = models.CharField(max_length=64)
    counts = models.JSONField(default=dict)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, null=True, blank=True, related_name="samples"
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["created_at", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "name"], name="sample_name_once"),
            models.CheckConstraint(condition=~models.Q(name=""), name="sample_has_name"),
        ]

    def __str__(self) -> str:
        return self.name


class SampledPaper(models.Model):
    """A document in a sample. `stratum` has its values, such as {"period": "1995–1999"}."""

    sample = models.ForeignKey(Sample, models.CASCADE, related_name="papers")
    document = models.ForeignKey(Document, models.PROTECT, related_name="sampled_papers")
    stratum = models.JSONField(default=dict)
    position = models.PositiveIntegerField(help_text="Its place in the order of screening.")

    class Meta:
        ordering = ["sample", "position"]
        constraints = [
            models.UniqueConstraint(fields=["sample", "document"], name="sampled_paper_once"),
            models.UniqueConstraint(
                fields=["sample", "position"], name="sampled_paper_position_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.document} in {self.sample}"


class Screening(models.Model):
    """A screener's answer about a sampled paper. Saving again replaces it.

    `facets` are the keys of the facets with substantial content.
    """

    paper = models.ForeignKey(SampledPaper, models.CASCADE, related_name="screenings")
    screener = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.PROTECT, related_name="screenings"
    )
    paper_type = models.ForeignKey(PaperType, models.PROTECT, related_name="screenings")
    facets = models.JSONField(default=list)
    rating = models.PositiveSmallIntegerField()
    reason = models.CharField(max_length=200, blank=True)
    screened_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["paper", "screener"]
        constraints = [
            models.UniqueConstraint(fields=["paper", "screener"], name="screening_once"),
            models.CheckConstraint(
                condition=models.Q(rating__range=(LOWEST_RATING, HIGHEST_RATING)),
                name="screening_rating_is_1_to_5",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.screener} on {self.paper}"

"""Documents, and the queries that are asked of them."""

from __future__ import annotations

from collections.abc import Sequence

from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator, RegexValidator
from django.db import models
from django.db.models import Q
from django.utils import timezone

from accounts.models import Collection, User
from corpus.digests import json_digest


class DocumentQuerySet(models.QuerySet["Document"]):
    def for_lists(self) -> DocumentQuerySet:
        """Without the long columns."""
        return self.defer("sentences", "labels", "certainties", "cites", "authors", "extra")

    def unchecked(self) -> DocumentQuerySet:
        """With labels that were predicted and that nobody looked at yet."""
        return self.filter(labels_predicted=True)

    def not_opened(self) -> DocumentQuerySet:
        """Neither paper nor candidate of a query that was opened: judges saw what their labels mark, so it stays.

        Pairs and openings belong to apps above this one, so they are named by their relations.
        """
        return self.exclude(pairs__isnull=False).exclude(queries__openings__isnull=False)


class Document(models.Model):
    """A title and an abstract as ordered sentences, each with a facet label or "".

    What annotators never see (authors, venue, year, citations) is here too, so no view of theirs renders a Document:
    they get a Presentation (annotation/presentation.py). `docno` and `cites` are strings, as given. `text_digest`
    finds documents with the same text, whatever their labels.

    Labels are as given or checked, or `labels_predicted` and not checked yet: `certainties` are their probabilities
    then, and `certainty` is the least of them; empty and NULL where the labels came predicted.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="documents")
    docno = models.CharField("Id", max_length=200)
    title = models.TextField(blank=True)
    sentences = models.JSONField(default=list)
    labels = models.JSONField(default=list)
    labels_predicted = models.BooleanField(default=False)
    certainties = models.JSONField(default=list, blank=True)
    certainty = models.FloatField(null=True, blank=True)
    year = models.SmallIntegerField(null=True, blank=True)
    venue = models.CharField(max_length=300, blank=True)
    authors = models.JSONField(default=list, blank=True)
    fields = models.JSONField(default=list, blank=True)
    cites = models.JSONField(default=list, blank=True)
    extra = models.JSONField(default=dict, blank=True)
    text_digest = models.CharField(max_length=64, db_index=True)
    import_job = models.UUIDField(null=True, editable=False, db_index=True)

    objects = DocumentQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["collection", "docno"], name="docno_once_in_a_collection")]
        indexes = [
            models.Index(fields=["collection", "year"]),  # the filter's years, without reading the texts
            models.Index(
                fields=["collection", "certainty"], condition=Q(labels_predicted=True), name="least_certain_first"
            ),
        ]

    def __str__(self) -> str:
        return self.docno

    @property
    def abstract(self) -> str:
        return " ".join(self.sentences)

    @property
    def shown_title(self) -> str:
        """The title, or the first words of the text where there is none."""
        if self.title or not self.sentences:
            return self.title
        words = self.abstract.split()
        return " ".join(words[:12]) + (" …" if len(words) > 12 else "")

    def labelled_sentences(self) -> list[tuple[str, str]]:
        return list(zip(self.sentences, [*self.labels, *[""] * (len(self.sentences) - len(self.labels))], strict=False))


def text_digest(title: str, sentences: Sequence[str]) -> str:
    """SHA-256 (hex) of the text. Labels may be predicted and checked later, so they are not part of it."""
    return json_digest([title, list(sentences)])


class QueryQuerySet(models.QuerySet["Query"]):
    def in_order(self) -> QueryQuerySet:
        return self.order_by("facet", "name")

    def with_unchecked_labels(self) -> QueryQuerySet:
        """Those whose sentences are chosen by predicted labels that nobody checked yet."""
        return self.filter(document__labels_predicted=True, sentence_numbers=[]).exclude(facet="")


class Query(models.Model):
    """What is asked: a query paper under a facet, a whole paper, chosen sentences of one, or an ordinary topic.

    `name` is `<docno>_<facet>` of a query paper under a facet, and else the paper's or topic's own id. A topic has no
    document: its title, description and narrative are its text. `sentence_numbers` (from 1) are chosen sentences;
    empty, the facet's labels choose them. `fold` is the evaluation fold, where folds were imported or made. `field` is
    the one that published pools name.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="queries")
    name = models.CharField("Id", max_length=250)
    document = models.ForeignKey(Document, models.PROTECT, null=True, blank=True, related_name="queries")
    facet = models.CharField(max_length=50, blank=True)
    sentence_numbers = models.JSONField(default=list, blank=True)
    title = models.TextField(blank=True)
    description = models.TextField(blank=True)
    narrative = models.TextField(blank=True)
    paper_type = models.CharField(max_length=100, blank=True)
    field = models.CharField(max_length=40, blank=True)
    fold = models.PositiveSmallIntegerField(null=True, blank=True)
    created_at = models.DateTimeField(default=timezone.now)

    objects = QueryQuerySet.as_manager()

    class Meta:
        verbose_name_plural = "queries"
        constraints = [models.UniqueConstraint(fields=["collection", "name"], name="query_once_in_a_collection")]

    def __str__(self) -> str:
        return self.name

    @property
    def is_topic(self) -> bool:
        return self.document_id is None

    @property
    def shown_title(self) -> str:
        if self.document is not None:
            return self.document.shown_title
        return self.title or self.description

    @property
    def own_docno(self) -> str:
        """The query paper's own document, which is never pooled; "" for a topic."""
        return self.document.docno if self.document is not None else ""

    @property
    def main_field(self) -> str:
        """The field whose mean it counts in: that of its published pool, or the paper's first; "" for none."""
        return self.field or next(iter(self.document.fields if self.document else []), "")

    def marked_sentences(self) -> list[tuple[str, bool]]:
        """The query's sentences, and whether each is what is asked for."""
        if self.document is None:
            return [(self.description, True)] if self.description else []
        sentences = self.document.labelled_sentences()
        if self.sentence_numbers:
            return [(text, number in self.sentence_numbers) for number, (text, _) in enumerate(sentences, 1)]
        if not self.facet:
            return [(text, False) for text, _ in sentences]
        wanted = self.collection.labels_of(self.facet)
        return [(text, label in wanted) for text, label in sentences]

    def search_text(self) -> str:
        """What retrievers search with: the chosen sentences, or title and text where nothing is chosen."""
        marked = self.marked_sentences()
        chosen = [text for text, is_chosen in marked if is_chosen]
        if self.document is not None and chosen:
            return " ".join(chosen)
        return " ".join([self.document.title if self.document else self.title, *(text for text, _ in marked)]).strip()


class Sample(models.Model):
    """Papers drawn at random from periods of a collection, to be screened before some become queries.

    Without a first and a last year, years do not matter. `docnos` are in the order of screening.
    """

    collection = models.OneToOneField(Collection, models.CASCADE, related_name="sample")
    first_year = models.SmallIntegerField(null=True, blank=True)
    last_year = models.SmallIntegerField(null=True, blank=True, help_text="Leave both empty if years do not matter.")
    years = models.PositiveSmallIntegerField("Years in a period", default=5, validators=[MinValueValidator(1)])
    per_period = models.PositiveIntegerField("Papers of each period", default=20, validators=[MinValueValidator(1)])
    least_cited = models.PositiveIntegerField("Minimum cited documents", default=0)
    seed = models.CharField(max_length=200, validators=[RegexValidator(r"^[^|]+$", "A seed has no |.")])
    docnos = models.JSONField(default=list, editable=False)

    def __str__(self) -> str:
        return f"sample of {self.collection}"

    def clean(self) -> None:
        first, last = self.first_year, self.last_year
        if (first is None) != (last is None) or (first or 0) > (last or 0):
            raise ValidationError("Enter a first and a last year, or neither.")

    @property
    def periods(self) -> list[str]:
        if self.first_year is None or self.last_year is None:
            return [self.period_of(None)]
        return [self.period_of(year) for year in range(self.first_year, self.last_year + 1, self.years)]

    def period_of(self, year: int | None) -> str:
        """Such as "1995–1999"; "" for a document that is from no period."""
        if self.first_year is None or self.last_year is None:
            return "any year"
        if year is None or not self.first_year <= year <= self.last_year:
            return ""
        start = year - (year - self.first_year) % self.years
        return f"{start}–{min(start + self.years - 1, self.last_year)}"


class Kind(models.TextChoices):
    """The type of a paper, in the words of CSFCube's release, or why it cannot be a query."""

    APPLICATION = "application/tool", "Application or tool"
    DATA = "data-driven approach", "Data-driven approach"
    RESOURCES = "resources/evaluation", "Resources or evaluation"
    THEORY = "theoretical", "Theoretical"
    SURVEY = "survey", "A survey"
    CITED = "cited", "It depends on one cited paper"
    OTHER = "other", "No type fits, or the text is broken"


UNFIT = (Kind.SURVEY, Kind.CITED, Kind.OTHER)


class Screening(models.Model):
    """What a screener said of a paper: its kind, and from 1 to 5 how much it says on each facet.

    Without facets, the rating of "" is of the paper as a whole. What is unfit has no ratings.
    """

    document = models.ForeignKey(Document, models.CASCADE, related_name="screenings")
    screener = models.ForeignKey(User, models.PROTECT, related_name="screenings")
    kind = models.CharField(max_length=20, choices=Kind)
    ratings = models.JSONField(default=dict)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["document", "screener"], name="screened_once_by_a_person")]

    def __str__(self) -> str:
        return f"{self.screener} on {self.document}"

    @property
    def is_unfit(self) -> bool:
        return self.kind in UNFIT

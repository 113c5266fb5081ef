"""What comes from outside: documents, the facets to judge on, query papers and queries."""

from __future__ import annotations

from typing import NamedTuple

from django.db import models

from accounts.models import Collection
from corpus.digests import text_digest


class Facet(models.Model):
    """What similarity is judged on. `labels` are the sentence labels that belong to it."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="facets")
    key = models.SlugField(max_length=30)
    name = models.CharField(max_length=60)
    position = models.PositiveSmallIntegerField()
    labels = models.JSONField(default=list)

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "key"], name="facet_key_once"),
            models.UniqueConstraint(fields=["collection", "position"], name="facet_position_once"),
        ]

    def __str__(self) -> str:
        return self.name


class DocumentText(NamedTuple):
    """All of a document that a judge ever sees, and all that a retriever reads."""

    docno: str
    title: str
    sentences: list[str]
    labels: list[str]


class DocumentQuerySet(models.QuerySet["Document"]):
    def with_text(self) -> DocumentQuerySet:
        """Papers that have a text: what retrievers index, and so what is pooled."""
        return self.papers().exclude(sentences=[])

    def papers(self) -> DocumentQuerySet:
        """Without topics."""
        return self.filter(is_topic=False)

    def without_text(self) -> DocumentQuerySet:
        return self.filter(sentences=[])


class Document(models.Model):
    """A paper. Title, sentences and labels are its text; the rest is never shown to a judge."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="documents")
    docno = models.CharField(max_length=200)
    title = models.TextField(blank=True)
    sentences = models.JSONField(default=list)
    labels = models.JSONField(default=list)
    digest = models.CharField(max_length=64, editable=False, help_text="SHA-256 of the text.")
    year = models.SmallIntegerField(null=True, blank=True)
    venue = models.TextField(blank=True)
    authors = models.JSONField(default=list)
    references = models.JSONField(default=list, help_text="Docnos it cites.")
    fields = models.JSONField(default=list, help_text="Fields of study.")
    is_topic = models.BooleanField(
        default=False, help_text="Stands for a short query; never a candidate itself."
    )

    objects = DocumentQuerySet.as_manager()

    class Meta:
        ordering = ["docno"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "docno"], name="document_docno_once"),
            models.CheckConstraint(condition=~models.Q(docno=""), name="document_has_docno"),
        ]

    def __str__(self) -> str:
        return self.docno

    @property
    def text(self) -> DocumentText:
        return DocumentText(self.docno, self.title, self.sentences, self.labels)

    @property
    def abstract(self) -> str:
        return " ".join(self.sentences)

    def sentences_of(self, facet: Facet) -> list[str]:
        """The sentences whose label belongs to the facet."""
        pairs = zip(self.sentences, self.labels, strict=False)
        return [sentence for sentence, label in pairs if label in facet.labels]

    def text_digest(self) -> str:
        return text_digest(self.title, self.sentences, self.labels)


class QueryPaper(models.Model):
    """A document used as a query; its queries share one pool."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="query_papers")
    document = models.OneToOneField(Document, models.PROTECT, related_name="query_paper")
    metadata = models.JSONField(default=dict, blank=True)

    class Meta:
        ordering = ["document__docno"]

    def __str__(self) -> str:
        return self.document.docno


class QueryQuerySet(models.QuerySet["Query"]):
    def with_titles(self) -> QueryQuerySet:
        """Load facet, docno and title of each query, and no other column of its document."""
        document = "query_paper__document"
        return self.select_related("facet", document).only(
            *(field.attname for field in Query._meta.concrete_fields),
            *(f"facet__{field.attname}" for field in Facet._meta.concrete_fields),
            "query_paper__collection_id",
            f"{document}__collection_id",
            f"{document}__docno",
            f"{document}__title",
        )


class Query(models.Model):
    """A query paper seen under one facet; `name` is its id in every file: `<docno>_<facet>`."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="queries")
    query_paper = models.ForeignKey(QueryPaper, models.CASCADE, related_name="queries")
    facet = models.ForeignKey(Facet, models.PROTECT, related_name="queries")
    name = models.CharField(max_length=240)

    objects = QueryQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "queries"
        constraints = [
            models.UniqueConstraint(fields=["collection", "name"], name="query_name_once"),
            models.UniqueConstraint(fields=["query_paper", "facet"], name="query_facet_once"),
        ]

    def __str__(self) -> str:
        return self.name

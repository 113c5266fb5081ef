"""Data from outside: documents, the facets to judge on, query papers and queries."""

from __future__ import annotations

from typing import NamedTuple

from django.db import models
from django.db.models.functions import Coalesce

from accounts.models import Collection
from corpus.digests import text_digest
from corpus.text.sentence_numbers import numbers_text
from database.natural_order import NaturalKeyField, natural_key
from web.tables.paging import Order

DOCNO_ORDER = Order("docno_order", natural_key)
NAME_ORDER = Order("name_order", natural_key)
WHOLE_SLUG = "relevance"


class Facet(models.Model):
    """An aspect that similarity is judged on. `labels` are the sentence labels that belong to it.

    A collection without facets has a single one: its key is empty, and it stands for the whole
    document. A trigger lets no other facet be beside it.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="facets")
    key = models.SlugField(max_length=30, blank=True)
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

    @property
    def is_whole(self) -> bool:
        """True if documents are judged as a whole: ordinary relevance, without facets."""
        return not self.key

    @property
    def slug(self) -> str:
        """Names it in addresses, where a key cannot be empty."""
        return self.key or WHOLE_SLUG

    def query_name(self, paper: str, suffix: str = "") -> str:
        """The id of the query that a query paper has under this facet.

        A query by sentences has the suffix after a hyphen, as in `3264891_method-2`.
        """
        name = f"{paper}_{self.key}" if self.key else paper
        return f"{name}-{suffix}" if suffix else name


class DocumentText(NamedTuple):
    """All of a document that a judge ever sees, and all that a retriever reads."""

    docno: str
    title: str
    sentences: list[str]
    labels: list[str]


class DocumentQuerySet(models.QuerySet["Document"]):
    def with_text(self) -> DocumentQuerySet:
        """Documents that have a text: retrievers index these, so only these are pooled."""
        return self.exclude(sentences=[])

    def without_text(self) -> DocumentQuerySet:
        return self.filter(sentences=[])

    def matching(self, words: str) -> DocumentQuerySet:
        """Those whose title contains the words, or whose docno begins with them."""
        if not words:
            return self
        return self.filter(models.Q(title__icontains=words) | models.Q(docno__istartswith=words))


class Document(models.Model):
    """A paper. Title, sentences and labels are its text; the rest is never shown to a judge."""

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="documents")
    docno = models.CharField(max_length=200)
    docno_order = NaturalKeyField(of="docno", max_length=401)
    title = models.TextField(blank=True)
    sentences = models.JSONField(default=list)
    labels = models.JSONField(default=list)
    digest = models.CharField(max_length=64, editable=False, help_text="SHA-256 of the text.")
    year = models.SmallIntegerField(null=True, blank=True)
    venue = models.TextField(blank=True)
    authors = models.JSONField(default=list)
    references = models.JSONField(default=list, help_text="Docnos it cites.")
    fields = models.JSONField(default=list, help_text="Fields of study.")

    objects = DocumentQuerySet.as_manager()

    class Meta:
        ordering = ["docno"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "docno"], name="document_docno_once"),
            models.CheckConstraint(condition=~models.Q(docno=""), name="document_has_docno"),
        ]
        indexes = [
            models.Index(fields=["collection", "docno_order"], name="document_natural_order")
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
        """The sentences whose label belongs to the facet; without facets, all of them."""
        if facet.is_whole:
            return list(self.sentences)
        return [self.sentences[number - 1] for number in self.sentence_numbers_of(facet)]

    def sentence_numbers_of(self, facet: Facet) -> list[int]:
        """The numbers, from 1, of the sentences whose label belongs to the facet."""
        labels = self.labels[: len(self.sentences)]
        return [number for number, label in enumerate(labels, start=1) if label in facet.labels]

    def speaks_of(self, facet: Facet) -> bool:
        """Return whether a sentence is on the facet; True in a collection without facets."""
        return facet.is_whole or not set(facet.labels).isdisjoint(self.labels)

    def text_digest(self) -> str:
        return text_digest(self.title, self.sentences, self.labels)


class FullText(models.Model):
    """The full text of a document. Judges of abstracts never see it, and no retriever reads it.

    `sections` is a list with {"heading", "paragraphs"}. `pdf_url` is a link that only a person's
    browser follows. At least one of both is there.
    """

    document = models.OneToOneField(Document, models.CASCADE, related_name="full_text")
    sections = models.JSONField(default=list)
    pdf_url = models.TextField(blank=True)
    digest = models.CharField(max_length=64, editable=False, help_text="SHA-256 of both.")
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["document"]
        constraints = [
            models.CheckConstraint(
                condition=~models.Q(sections=[]) | ~models.Q(pdf_url=""),
                name="full_text_has_sections_or_link",
            ),
            models.CheckConstraint(
                condition=models.Q(pdf_url="") | models.Q(pdf_url__startswith="https://"),
                name="full_text_link_is_https",
            ),
        ]

    def __str__(self) -> str:
        return f"full text of {self.document}"


class DocumentImport(models.Model):
    """An import of documents: what was read, by which recipe, and what it changed.

    `recipe` has what differs from an import that keeps everything, as `corpus.documents.history`
    writes it. Its steps say how many documents each rule left out. Rows are never edited.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="document_imports")
    source = models.TextField(help_text="The name of the file, folder or data set.")
    format_name = models.CharField(max_length=200)
    recipe = models.JSONField(default=dict)
    read = models.PositiveIntegerField(help_text="Documents and invalid lines that were read.")
    created = models.PositiveIntegerField()
    updated = models.PositiveIntegerField()
    unchanged = models.PositiveIntegerField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(
                    read__gte=models.F("created") + models.F("updated") + models.F("unchanged")
                ),
                name="import_keeps_what_it_read",
            )
        ]

    def __str__(self) -> str:
        return self.source

    @property
    def kept(self) -> int:
        return self.created + self.updated + self.unchanged


class ImportStep(models.Model):
    """A step of an import: what it left out, and how many documents remained after it.

    Step 0 is the reading. A trigger compares every other step with the one before.
    """

    document_import = models.ForeignKey(DocumentImport, models.CASCADE, related_name="steps")
    position = models.PositiveSmallIntegerField()
    name = models.TextField(help_text="What was left out, in words.")
    removed = models.PositiveIntegerField()
    remaining = models.PositiveIntegerField()

    class Meta:
        ordering = ["position"]
        constraints = [
            models.UniqueConstraint(
                fields=["document_import", "position"], name="import_step_position_once"
            )
        ]

    def __str__(self) -> str:
        return self.name


class Topic(models.Model):
    """A short query that is not a document. Its id may be the docno of a document.

    `sentences` are those of the description, or of the title if there is no description. They are
    stored, because digests of what judges saw depend on how they were split.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="topics")
    name = models.CharField(max_length=200, help_text="The id in the topic file, with its prefix.")
    name_order = NaturalKeyField(of="name", max_length=401)
    title = models.TextField(blank=True)
    description = models.TextField(blank=True)
    narrative = models.TextField(blank=True)
    sentences = models.JSONField(default=list)
    narrative_is_shown = models.BooleanField(
        default=True,
        help_text="False where judging began before narratives were shown to judges.",
    )
    digest = models.CharField(max_length=64, editable=False, help_text="SHA-256 of the text.")

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "name"], name="topic_name_once"),
            models.CheckConstraint(condition=~models.Q(name=""), name="topic_has_name"),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def abstract(self) -> str:
        """The text that retrievers read beside the title."""
        return " ".join(self.sentences)

    @property
    def shown_narrative(self) -> str:
        return self.narrative if self.narrative_is_shown else ""


class QueryPaperQuerySet(models.QuerySet["QueryPaper"]):
    def with_source(self) -> QueryPaperQuerySet:
        """Load the document or the topic with each query paper."""
        return self.select_related("document", "topic")


class QueryPaper(models.Model):
    """A document or a topic used as a query; its queries share one pool.

    `name` is the docno or the topic's id. It is unique, so a document and a topic with the same id
    cannot both be query papers of a collection.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="query_papers")
    document = models.OneToOneField(
        Document, models.PROTECT, related_name="query_paper", null=True, blank=True
    )
    topic = models.OneToOneField(
        Topic, models.PROTECT, related_name="query_paper", null=True, blank=True
    )
    name = models.CharField(max_length=200)
    name_order = NaturalKeyField(of="name", max_length=401)
    metadata = models.JSONField(default=dict, blank=True)

    objects = QueryPaperQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        constraints = [
            models.UniqueConstraint(fields=["collection", "name"], name="query_paper_name_once"),
            models.CheckConstraint(
                condition=models.Q(document__isnull=False, topic__isnull=True)
                | models.Q(document__isnull=True, topic__isnull=False),
                name="query_paper_is_document_or_topic",
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_topic(self) -> bool:
        return self.topic_id is not None

    @property
    def source(self) -> Document | Topic:
        """The document or topic. Both must be loaded, as by `with_source`."""
        source = self.topic or self.document
        assert source is not None, "the constraint query_paper_is_document_or_topic"
        return source

    @property
    def title(self) -> str:
        return self.source.title

    @property
    def page(self) -> str:
        """The name of the address of its page, which takes its name."""
        return "topic" if self.is_topic else "document"

    @property
    def references(self) -> list[str]:
        """The docnos it cites. A topic cites nothing."""
        return self.document.references if self.document else []

    def speaks_of(self, facet: Facet) -> bool:
        """Return whether a sentence is on the facet. A topic is on each of its queries' facets."""
        return self.document is None or self.document.speaks_of(facet)


SOURCES = ("query_paper__document", "query_paper__topic")


def title_of(query_paper: str = "query_paper") -> Coalesce:
    """The title of a query paper in SQL. `query_paper` is the path to it."""
    return Coalesce(f"{query_paper}__document__title", f"{query_paper}__topic__title")


class QueryQuerySet(models.QuerySet["Query"]):
    def matching(self, words: str) -> QueryQuerySet:
        """Those whose id or title contains the words."""
        if not words:
            return self
        return self.filter(
            models.Q(name__icontains=words)
            | models.Q(query_paper__document__title__icontains=words)
            | models.Q(query_paper__topic__title__icontains=words)
        )

    def names_beside(self, query: Query) -> tuple[str | None, str | None]:
        """The names of those before and after the query, in the order of names."""
        names = self.values_list("name", flat=True)
        return (
            names.filter(name_order__lt=query.name_order).order_by("-name_order").first(),
            names.filter(name_order__gt=query.name_order).order_by("name_order").first(),
        )

    def with_titles(self) -> QueryQuerySet:
        """Load facet, query paper and title of each query, and no other column of its text."""
        return self.select_related("facet", *SOURCES).only(
            *(field.attname for field in Query._meta.concrete_fields),
            *(f"facet__{field.attname}" for field in Facet._meta.concrete_fields),
            *(f"query_paper__{field.attname}" for field in QueryPaper._meta.concrete_fields),
            *(f"{source}__title" for source in SOURCES),
        )


class Query(models.Model):
    """A query paper seen under one facet; `name` is its id in every file.

    It is `<name of the query paper>_<facet>`, or that name alone in a collection without facets.
    A query by sentences names sentences of its query paper, which a person chose, instead of the
    whole facet. Its name ends in a hyphen and a word.
    """

    collection = models.ForeignKey(Collection, models.CASCADE, related_name="queries")
    query_paper = models.ForeignKey(QueryPaper, models.CASCADE, related_name="queries")
    facet = models.ForeignKey(Facet, models.PROTECT, related_name="queries")
    name = models.CharField(max_length=240)
    name_order = NaturalKeyField(of="name", max_length=481)
    sentence_numbers = models.JSONField(
        null=True,
        blank=True,
        help_text="Numbers of its sentences from 1, in order; NULL for the whole facet.",
    )
    aspect_names: models.JSONField[list[str], list[str]] = models.JSONField(
        default=list,
        blank=True,
        help_text="What a match can be about, by number from 1, if it is not its sentences.",
    )

    objects = QueryQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        verbose_name_plural = "queries"
        constraints = [
            models.UniqueConstraint(fields=["collection", "name"], name="query_name_once"),
            models.UniqueConstraint(
                fields=["query_paper", "facet"],
                condition=models.Q(sentence_numbers__isnull=True),
                name="query_facet_once",
            ),
            models.UniqueConstraint(
                fields=["query_paper", "facet", "sentence_numbers"], name="query_sentences_once"
            ),
        ]

    def __str__(self) -> str:
        return self.name

    @property
    def is_by_sentences(self) -> bool:
        """True if the query names its own sentences instead of the whole facet."""
        return self.sentence_numbers is not None

    @property
    def sentences_text(self) -> str:
        """The numbers of its sentences, as in "2,4-5"; "" for the whole facet."""
        return numbers_text(self.sentence_numbers or ())

    @property
    def has_text_to_compare(self) -> bool:
        """True if a sentence is its own or on its facet. Query paper and facet must be loaded."""
        return self.is_by_sentences or self.query_paper.speaks_of(self.facet)

    @property
    def text_to_compare(self) -> list[str]:
        """Its sentences. Query paper and facet must be loaded; all of a topic is on its facet."""
        source = self.query_paper.source
        if self.sentence_numbers is not None:
            return [source.sentences[number - 1] for number in self.sentence_numbers]
        return source.sentences if isinstance(source, Topic) else source.sentences_of(self.facet)

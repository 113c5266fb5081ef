"""Everything that writes collections, documents and queries."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from django.core.exceptions import ValidationError
from django.core.validators import MaxLengthValidator, validate_slug
from django.db import IntegrityError, models, transaction

from accounts.locking import lock_collection
from accounts.models import Collection, Role, User
from accounts.services import add_membership
from corpus.models import Document, Facet, Query, QueryPaper


class CorpusError(Exception):
    """Something asked of the corpus cannot be done; the message is for the person who asked."""

    is_for_people = True


@dataclass(frozen=True)
class FacetPlan:
    """A facet to create: its key, its name, and the sentence labels that belong to it."""

    key: str
    name: str
    labels: tuple[str, ...]


DEFAULT_FACETS = (
    FacetPlan("background", "Background", ("background", "objective")),
    FacetPlan("method", "Method", ("method",)),
    FacetPlan("result", "Result", ("result",)),
)


def create_collection(
    *,
    slug: str,
    name: str,
    owner: User | None = None,
    description: str = "",
    licence: str = "",
    seed: str = "",
    facets: tuple[FacetPlan, ...] = DEFAULT_FACETS,
) -> Collection:
    """Create a collection with its facets; `owner` becomes its first admin.

    Raises:
        CorpusError: a collection of that slug exists, or it cannot be a slug.
    """
    _check_slug(slug)
    try:
        with transaction.atomic():
            collection = Collection(slug=slug, name=name, description=description, licence=licence)
            if seed:
                collection.seed = seed
            collection.save()
            for position, plan in enumerate(facets):
                collection.facets.create(
                    key=plan.key, name=plan.name, labels=list(plan.labels), position=position
                )
            if owner is not None:
                add_membership(collection=collection, user=owner, role=Role.ADMIN)
    except IntegrityError as error:
        raise CorpusError(
            f"A collection called {slug!r} exists; choose another short name."
        ) from error
    return collection


def _check_slug(slug: str) -> None:
    try:
        validate_slug(slug)
        MaxLengthValidator(Collection._meta.get_field("slug").max_length)(slug)
    except ValidationError as error:
        raise CorpusError(
            f"{slug!r} cannot be a short name: use at most 60 letters, digits, hyphens and "
            "underscores."
        ) from error


def facet_named(collection: Collection, key: str) -> Facet:
    """Raises CorpusError, naming those there are, when the collection has no such facet."""
    facet = collection.facets.filter(key=key).first()
    if facet is None:
        known = ", ".join(collection.facets.values_list("key", flat=True))
        raise CorpusError(f"No facet {key!r} in {collection.slug}; it has {known}.")
    return facet


def create_query(
    *, collection: Collection, docno: str, facet_key: str, metadata: dict[str, str] | None = None
) -> Query:
    """Make the document a query paper, if it is none yet, and a query under the facet.

    Asking for a query that exists returns it.

    Raises:
        CorpusError: no such document, no such facet, or the document says nothing on the facet.
    """
    with transaction.atomic():
        lock_collection(collection)
        document = _document_to_query(collection, docno)
        facet = facet_named(collection, facet_key)
        if document.sentences and not speaks_of(document, facet):
            raise CorpusError(
                f"{docno} has no sentence labelled {' or '.join(facet.labels)}, so it cannot be a "
                f"{facet.key} query. Label its sentences, or choose another facet."
            )
        paper, _ = QueryPaper.objects.get_or_create(
            collection=collection, document=document, defaults={"metadata": metadata or {}}
        )
        query, _ = Query.objects.get_or_create(
            collection=collection,
            query_paper=paper,
            facet=facet,
            defaults={"name": f"{docno}_{facet.key}"},
        )
    return query


def _document_to_query(collection: Collection, docno: str) -> Document:
    document = collection.documents.filter(docno=docno).first()
    if document is None:
        raise CorpusError(f"No document {docno!r} in {collection.slug}; import it first.")
    return document


def label_sentences(*, document: Document, labels: Sequence[str]) -> None:
    """Say which facet each sentence is about: one label a sentence, "" for none.

    Raises:
        CorpusError: the labels do not fit, the document is a topic, or a frozen pool holds it.
    """
    try:
        with transaction.atomic():
            collection = lock_collection(document.collection)
            document.refresh_from_db(fields=["title", "sentences", "is_topic"])
            _check_labels(collection, document, labels)
            document.labels = list(labels)
            document.digest = document.text_digest()
            document.save(update_fields=["labels", "digest"])
            note_documents_changed(collection)
    except IntegrityError as error:
        raise CorpusError(
            f"{document.docno} is in a frozen pool, so its labels stay as the annotators see them."
        ) from error


def _check_labels(collection: Collection, document: Document, labels: Sequence[str]) -> None:
    if document.is_topic:
        raise CorpusError(f"{document.docno} is a topic: all of it is about the facet it came for.")
    if len(labels) != len(document.sentences):
        raise CorpusError(
            f"{document.docno} has {len(document.sentences)} sentences, but "
            f"{len(labels)} labels came."
        )
    unknown = set(labels) - {*labels_in(collection), ""}
    if unknown:
        raise CorpusError(f"No facet has the label {min(unknown)!r}.")


def note_documents_changed(collection: Collection) -> None:
    """Raise the version of the corpus, under the collection's lock.

    Whoever computed something from the documents then sees that it is out of date.
    """
    changed = models.F("corpus_version") + 1
    Collection.objects.filter(pk=collection.pk).update(corpus_version=changed)


def labels_in(collection: Collection) -> list[str]:
    """Every sentence label that means something in the collection, and "other"."""
    known = [label for facet in collection.facets.all() for label in facet.labels]
    return [*dict.fromkeys(known), "other"]


def speaks_of(document: Document, facet: Facet) -> bool:
    return not set(facet.labels).isdisjoint(document.labels)

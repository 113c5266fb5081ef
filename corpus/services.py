"""Services that write collections, documents and queries."""

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
from web.errors import UserFacingError
from web.words import count_noun


class CorpusError(UserFacingError):
    """A change of the corpus that cannot be made. The message is shown to the person."""


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
        CorpusError: the slug is invalid, or a collection with it exists.
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
            f"The short name {slug!r} exists already. Choose another short name."
        ) from error
    return collection


def _check_slug(slug: str) -> None:
    try:
        validate_slug(slug)
        MaxLengthValidator(Collection._meta.get_field("slug").max_length)(slug)
    except ValidationError as error:
        raise CorpusError(
            f"The short name {slug!r} is invalid. Use at most 60 letters, digits, hyphens and "
            "underscores."
        ) from error


def facet_named(collection: Collection, key: str) -> Facet:
    """The facet with that key. Raises CorpusError, with the existing keys, if there is none."""
    facet = collection.facets.filter(key=key).first()
    if facet is None:
        keys = ", ".join(collection.facets.values_list("key", flat=True))
        raise CorpusError(f"Unknown facet {key!r} in {collection.slug}. Use one of {keys}.")
    return facet


def create_query(
    *, collection: Collection, docno: str, facet_key: str, metadata: dict[str, str] | None = None
) -> Query:
    """Make the document a query under the facet, and a query paper if it is not one yet.

    If the query exists already, it is returned.

    Raises:
        CorpusError: the document or facet does not exist, or no sentence is on the facet.
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
        raise CorpusError(f"No document {docno!r} in {collection.slug}. Import it first.")
    return document


def label_sentences(*, document: Document, labels: Sequence[str]) -> None:
    """Save the label of each sentence; "" is no label.

    Raises:
        CorpusError: the labels are invalid, or the document is a topic or in a frozen pool.
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
            f"{document.docno} is in a frozen pool, so its labels cannot change."
        ) from error


def _check_labels(collection: Collection, document: Document, labels: Sequence[str]) -> None:
    if document.is_topic:
        raise CorpusError(f"{document.docno} is a topic, so its labels cannot change.")
    if len(labels) != len(document.sentences):
        raise CorpusError(
            f"{document.docno} has {count_noun(len(document.sentences), 'sentence')}, "
            f"got {count_noun(len(labels), 'label')}."
        )
    unknown = set(labels) - {*labels_in(collection), ""}
    if unknown:
        raise CorpusError(f"Unknown label {min(unknown)!r}. Use a label of a facet.")


def note_documents_changed(collection: Collection) -> None:
    """Increase the version of the corpus, under the collection's lock.

    Values that were computed from the documents are out of date then.
    """
    next_version = models.F("corpus_version") + 1
    Collection.objects.filter(pk=collection.pk).update(corpus_version=next_version)


def labels_in(collection: Collection) -> list[str]:
    """Every sentence label of the collection's facets, and "other"."""
    labels = [label for facet in collection.facets.all() for label in facet.labels]
    return [*dict.fromkeys(labels), "other"]


def speaks_of(document: Document, facet: Facet) -> bool:
    return not set(facet.labels).isdisjoint(document.labels)

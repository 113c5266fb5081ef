"""Services that write collections, documents and queries."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from django.db import IntegrityError, models, transaction

from accounts.actions.kinds import ActionKind, SubjectKind
from accounts.actions.services import record_action
from accounts.actions.subjects import NOTHING, about
from accounts.locking import lock_collection
from accounts.models import HIGHEST_GRADE, Collection, Role, User
from accounts.services import add_membership
from corpus.facets import DEFAULT_FACETS, FacetPlan, check_facets
from corpus.models import Document, Facet, Query, QueryPaper
from corpus.scale import Scale
from corpus.text.languages import guess_analysis
from corpus.text.sentence_numbers import Numbers, check_name, check_numbers, next_name, numbers_text
from web.errors import UserFacingError

SHORT_NAME = re.compile(r"[-a-zA-Z0-9_]{1,60}")  # as a SlugField
LANGUAGE_SAMPLE = 300  # documents that show the language of a corpus


class CorpusError(UserFacingError):
    """A change of the corpus that cannot be made. The message is shown to the person."""


def create_collection(
    *,
    slug: str,
    name: str,
    owner: User | None = None,
    owner_role: str = Role.ADMIN,
    description: str = "",
    licence: str = "",
    corpus_licence: str = "",
    seed: str = "",
    analysis: str = "",
    facets: Sequence[FacetPlan] = DEFAULT_FACETS,
    highest_grade: int = 3,
    relevant_from: int | None = None,
) -> Collection:
    """Create a collection with its facets and its scale; `owner` gets `owner_role` in it.

    That is admin, or owner-annotator for an owner who judges: a former admin can never judge.

    `relevant_from` is 2 if it is not given, or 1 on a scale of two grades.

    Without an `analysis`, the first documents show their language (`note_language`).

    Raises:
        CorpusError: the slug or the scale is invalid, or a collection with the slug exists.
        FacetError: a collection cannot have these facets.
    """
    check_slug(slug)
    check_facets(facets)
    scale = scale_of(highest_grade, relevant_from)
    try:
        with transaction.atomic():
            collection = Collection(
                slug=slug,
                name=name,
                description=description,
                licence=licence,
                corpus_licence=corpus_licence,
                **scale._asdict(),
            )
            if seed:
                collection.seed = seed
            collection.analysis = analysis
            collection.save()
            for position, plan in enumerate(facets):
                collection.facets.create(
                    key=plan.key, name=plan.name, labels=list(plan.labels), position=position
                )
            record_action(kind=ActionKind.COLLECTION_CREATED, collection=collection, by=owner)
            if owner is not None:
                add_membership(collection=collection, user=owner, role=owner_role)
    except IntegrityError as error:
        raise CorpusError(
            f"The short name {slug!r} exists already. Choose another short name."
        ) from error
    return collection


def scale_of(highest_grade: int, relevant_from: int | None = None) -> Scale:
    """The scale, with the default for `relevant_from`. Raises CorpusError if it is invalid."""
    if not 1 <= highest_grade <= HIGHEST_GRADE:
        raise CorpusError(
            f"The highest grade is {highest_grade}. A scale has 2 to {HIGHEST_GRADE + 1} grades "
            f"from 0, so use a number from 1 to {HIGHEST_GRADE}."
        )
    if relevant_from is None:
        relevant_from = min(2, highest_grade)
    if not 1 <= relevant_from <= highest_grade:
        raise CorpusError(
            f"Relevant from grade {relevant_from} does not fit the scale 0 to {highest_grade}. Use "
            f"{f'a number from 1 to {highest_grade}' if highest_grade > 1 else '1'}."
        )
    return Scale(highest_grade, relevant_from)


def check_slug(slug: str) -> None:
    """Raise CorpusError unless a collection can have this short name."""
    if not SHORT_NAME.fullmatch(slug):
        raise CorpusError(
            f"The short name {slug!r} is invalid. Use at most 60 letters, digits, hyphens and "
            "underscores."
        )


def facet_named(collection: Collection, key: str) -> Facet:
    """The facet with that key. Raises CorpusError, with the existing keys, if there is none."""
    facet = collection.facets.filter(key=key).first()
    if facet is None:
        raise CorpusError(_unknown_facet(collection, key))
    return facet


def _unknown_facet(collection: Collection, key: str) -> str:
    keys = ", ".join(collection.facets.values_list("key", flat=True))
    if not keys:
        return f"{collection.slug} has no facets, so leave out the facet {key!r}."
    if not key:
        return f"The facet is missing. Use one of the facets of {collection.slug}: {keys}."
    return f"Unknown facet {key!r} in {collection.slug}. Use one of {keys}."


def facet_of_topics(collection: Collection, key: str) -> Facet:
    """The facet with that key, or the only one if the key is "".

    Raises:
        CorpusError: there is no such facet, or the key is "" and there are several.
    """
    if key:
        return facet_named(collection, key)
    facets = list(collection.facets.all())
    if len(facets) != 1:
        keys = ", ".join(facet.key for facet in facets)
        raise CorpusError(
            f"The facet is missing. {collection.slug} has several facets. Choose one of {keys}."
        )
    return facets[0]


def create_query(
    *,
    collection: Collection,
    docno: str,
    facet_key: str,
    metadata: dict[str, str] | None = None,
    sentences: Iterable[int] | None = None,
    name: str = "",
) -> Query:
    """Make the document a query under the facet, and a query paper if it is not one yet.

    `facet_key` is empty in a collection without facets. With `sentences`, numbers from 1, the query
    is about these instead of the whole facet, and its id ends in `name`, or in the next free
    number. A query that exists already is returned.

    Raises:
        CorpusError: the document or facet does not exist, no sentence is on the facet, the id is in
            use, or a topic with queries has the same id.
        SentenceNumberError: a number or the name is invalid.
    """
    with transaction.atomic():
        query, is_new = add_query(
            collection=collection,
            docno=docno,
            facet_key=facet_key,
            metadata=metadata,
            sentences=sentences,
            name=name,
        )
        record_added_queries(collection, [query.name] if is_new else [])
    return query


def record_added_queries(collection: Collection, names: Sequence[str]) -> None:
    """Record together what a service added. The caller has the lock."""
    if names:
        record_action(
            kind=ActionKind.QUERIES_ADDED,
            collection=collection,
            subject=about(SubjectKind.QUERY, label=names[0]) if len(names) == 1 else NOTHING,
            details={"queries": len(names)},
        )


def add_query(
    *,
    collection: Collection,
    docno: str,
    facet_key: str,
    metadata: dict[str, str] | None = None,
    sentences: Iterable[int] | None = None,
    name: str = "",
) -> tuple[Query, bool]:
    """The query and whether it is new. As `create_query`, for services that add several.

    They record what they added.
    """
    numbers = None if sentences is None else tuple(sorted(set(sentences)))
    if numbers is None and name:
        raise CorpusError(
            f'The name "{name}" is for a query by sentences. Give its sentences, such as 2,4-5.'
        )
    with transaction.atomic():
        lock_collection(collection)
        document = _document_to_query(collection, docno)
        facet = facet_named(collection, facet_key)
        if numbers is not None:
            check_numbers(numbers, len(document.sentences), docno)
        elif document.sentences and not document.speaks_of(facet):
            raise CorpusError(
                f"{docno} has no sentence labelled {' or '.join(facet.labels)}, so it cannot be a "
                f"{facet.key} query. Label its sentences, or choose another facet."
            )
        _check_name_is_free(collection, document)
        paper, _ = QueryPaper.objects.get_or_create(
            collection=collection,
            document=document,
            defaults={"name": document.docno, "metadata": metadata or {}},
        )
        return _get_or_create_query(paper, facet, numbers, name)


def _get_or_create_query(
    paper: QueryPaper, facet: Facet, numbers: Numbers | None, suffix: str
) -> tuple[Query, bool]:
    """The query of the paper and facet, and whether it is new. The caller has the lock."""
    collection = paper.collection
    others = list(paper.queries.filter(facet=facet))
    for query in others:
        if query.sentence_numbers == (numbers if numbers is None else list(numbers)):
            if suffix and query.name != facet.query_name(paper.name, suffix):
                raise CorpusError(
                    f"{query.name} has the same sentences, {query.sentences_text}. Choose other "
                    "sentences, or leave out the name."
                )
            return query, False
    _check_differs(paper, facet, numbers, others)
    if numbers is None:
        name = facet.query_name(paper.name)
    else:
        suffix = suffix or next_name(_suffixes(collection, facet.query_name(paper.name)))
        check_name(suffix)
        name = facet.query_name(paper.name, suffix)
    _check_id_is_free(collection, name)
    query = collection.queries.create(
        query_paper=paper,
        facet=facet,
        name=name,
        sentence_numbers=None if numbers is None else list(numbers),
    )
    return query, True


def _check_differs(
    paper: QueryPaper, facet: Facet, numbers: Numbers | None, others: Sequence[Query]
) -> None:
    """Check that judges would not see the same bold sentences under two queries of a facet."""
    if facet.is_whole or paper.document is None:
        return
    of_facet = paper.document.sentence_numbers_of(facet)
    for query in others:
        same = of_facet in (list(numbers or ()), query.sentence_numbers)
        if same and query.is_by_sentences != (numbers is not None):
            raise CorpusError(
                f"{query.name} has the same sentences, {numbers_text(of_facet)}: all that are "
                f"labelled {' or '.join(facet.labels)}. Choose other sentences, or use this query."
            )


def _suffixes(collection: Collection, name: str) -> list[str]:
    """The endings of the query names that begin with this name and a hyphen."""
    rows = collection.queries.filter(name__startswith=f"{name}-").values_list("name", flat=True)
    return [found.removeprefix(f"{name}-") for found in rows]


def _check_id_is_free(collection: Collection, name: str) -> None:
    longest = Query._meta.get_field("name").max_length
    if longest is not None and len(name) > longest:
        raise CorpusError(
            f"The id {name} has {len(name)} characters. A query id has at most {longest}. Use a "
            "shorter name."
        )
    if collection.queries.filter(name=name).exists():
        raise CorpusError(
            f"The id {name} is in use by another query of {collection.slug}. Choose another name."
        )


def _check_name_is_free(collection: Collection, document: Document) -> None:
    if collection.query_papers.filter(name=document.docno, topic__isnull=False).exists():
        raise CorpusError(
            f"{document.docno} is a topic with queries in {collection.slug}, so the document with "
            "the same id cannot be a query. Remove the topic's queries and import the topics with "
            "a prefix."
        )


def _document_to_query(collection: Collection, docno: str) -> Document:
    document = collection.documents.filter(docno=docno).first()
    if document is None:
        raise CorpusError(f"No document {docno!r} in {collection.slug}. Import it first.")
    return document


def note_documents_changed(collection: Collection) -> None:
    """Increase the version of the corpus, under the collection's lock.

    Values that were computed from the documents are out of date then.
    """
    next_version = models.F("corpus_version") + 1
    Collection.objects.filter(pk=collection.pk).update(corpus_version=next_version)


def note_language(collection: Collection) -> None:
    """Choose the analysis of a collection without one by the language of its documents.

    If the documents show no language, the next import asks again. The caller has the lock.
    """
    if collection.analysis:
        return
    rows = collection.documents.order_by("pk").values_list("title", "sentences")
    texts = (f"{title} {' '.join(sentences)}" for title, sentences in rows[:LANGUAGE_SAMPLE])
    collection.analysis = guess_analysis(texts)
    Collection.objects.filter(pk=collection.pk, analysis="").update(analysis=collection.analysis)


def labels_in(collection: Collection) -> list[str]:
    """Every sentence label of the collection's facets, and "other"."""
    labels = [label for facet in collection.facets.all() for label in facet.labels]
    return [*dict.fromkeys(labels), "other"]

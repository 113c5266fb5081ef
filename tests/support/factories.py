"""Small real objects for tests, made through the services, or as rows where that is much faster."""

from __future__ import annotations

from collections.abc import Sequence

import factory
from django.apps import apps
from django.contrib.auth.hashers import make_password
from django.db.models import Max

from accounts.models import Collection, Membership, Role, User
from annotation.models import Opening
from annotation.services import open_query, set_up_collection
from corpus.digests import text_digest, topic_digest
from corpus.models import Document, Query, QueryPaper, Topic
from corpus.services import create_query
from corpus.text.sentences import split_sentences
from pooling.models import Candidate, Contribution, Pool, PoolBuild

PASSWORD = "correct horse battery"


class UserFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = User

    username = factory.Sequence(lambda n: f"person{n}")

    password = factory.LazyAttribute(lambda _: make_password(PASSWORD))


class DocumentFactory(factory.django.DjangoModelFactory):
    class Meta:
        model = Document

    docno = factory.Sequence(lambda n: f"d{n:03}")
    title = factory.LazyAttribute(lambda d: f"Title of {d.docno}")
    sentences = factory.LazyAttribute(
        lambda d: [
            f"Background of {d.docno}.",
            f"Method of {d.docno}.",
            f"Result of {d.docno}.",
        ]
    )
    labels = ["background", "method", "result"]
    digest = factory.LazyAttribute(lambda d: text_digest(d.title, d.sentences, d.labels))
    year = 1987
    venue = "Secret Venue"
    authors = ["Hidden Author"]
    references = factory.LazyFunction(list)


FACTORIES = (UserFactory, DocumentFactory)


def next_numbers() -> list[int]:
    """The numbers that the factories give next, and still give next afterwards."""
    numbers = [each._meta.next_sequence() for each in FACTORIES]
    go_on_from(numbers)
    return numbers


def go_on_from(numbers: Sequence[int]) -> None:
    for each, number in zip(FACTORIES, numbers, strict=True):
        each.reset_sequence(number)


def a_topic(
    collection: Collection,
    name: str = "t1",
    title: str = "Ranking papers",
    description: str = "How are papers ranked? Find methods.",
    narrative: str = "",
    facet: str = "method",
) -> Query:
    """A query that is a topic, not a document."""
    topic = Topic.objects.create(
        collection=collection,
        name=name,
        title=title,
        description=description,
        narrative=narrative,
        sentences=split_sentences(description or title),
        digest=topic_digest(title, description, narrative),
    )
    paper = QueryPaper.objects.create(collection=collection, topic=topic, name=name)
    return paper.queries.create(
        collection=collection,
        facet=(chosen := collection.facets.get(key=facet)),
        name=chosen.query_name(name),
    )


def an_open_topic(collection: Collection, size: int = 3, **topic: str) -> Opening:
    """A topic with a pool, open for judging."""
    query = a_topic(collection, **topic)
    a_pool(query.query_paper, DocumentFactory.create_batch(size, collection=collection))
    return open_query(query=query, annotators=annotators(collection), opened_by=None)


def member(collection: Collection, role: str, username: str) -> User:
    user = User.objects.filter(username=username).first() or UserFactory(username=username)
    Membership.objects.get_or_create(collection=collection, user=user, role=role)
    return user


def a_collection(slug: str = "small", seed: str = "seed", **settings) -> Collection:
    """An empty collection with an admin, two annotators and an adjudicator."""
    owner = User.objects.filter(username="admin").first() or UserFactory(username="admin")
    settings.setdefault("analysis", "plain")
    settings.setdefault("corpus_licence", "CC-BY-4.0")
    collection = set_up_collection(slug=slug, name=slug.title(), owner=owner, seed=seed, **settings)
    # Together, because thousands of tests begin with it.
    roles = {"ann1": Role.ANNOTATOR, "ann2": Role.ANNOTATOR, "adju": Role.ADJUDICATOR}
    known = User.objects.in_bulk(roles, field_name="username")
    people = {name: known.get(name) or UserFactory(username=name) for name in roles}
    Membership.objects.bulk_create(
        Membership(collection=collection, user=people[name], role=role)
        for name, role in roles.items()
    )
    return collection


def a_pool(query_paper: QueryPaper, candidates: list[Document], drawer: str = "bm25_title") -> Pool:
    """A pool as if one retriever had drawn the candidates in this order."""
    build = PoolBuild.objects.create(
        collection=query_paper.collection, manifest={"mode": "interleaved", "n": len(candidates)}
    )
    pool = Pool.objects.create(
        query_paper=query_paper,
        build=build,
        drawn={drawer: len(candidates)},
        depth={drawer: len(candidates)} if candidates else {},
        size=len(candidates),
        to_judge=len(candidates),
        deepest=len(candidates) or None,
    )
    pooled = Candidate.objects.bulk_create(
        Candidate(pool=pool, document=document, position=position)
        for position, document in enumerate(candidates, start=1)
    )
    Contribution.objects.bulk_create(
        Contribution(
            candidate=candidate,
            source=drawer,
            rank=candidate.position,
            score=10.0 - candidate.position,
            drawn=True,
        )
        for candidate in pooled
    )
    return pool


def a_query(collection: Collection, size: int = 3, facet: str = "method") -> Query:
    """A query with a pool of `size` candidates, not yet open."""
    paper = DocumentFactory(collection=collection)
    query = create_query(collection=collection, docno=paper.docno, facet_key=facet)
    a_pool(query.query_paper, DocumentFactory.create_batch(size, collection=collection))
    return query


def annotators(collection: Collection) -> tuple[User, User]:
    first, second = User.objects.filter(
        memberships__collection=collection, memberships__role=Role.ANNOTATOR
    ).order_by("username")[:2]
    return first, second


def an_open_query(collection: Collection, size: int = 3, facet: str = "method") -> Opening:
    query = a_query(collection, size, facet)
    return open_query(query=query, annotators=annotators(collection), opened_by=None)


def everything() -> dict[str, tuple[int, int | None]]:
    """How many rows every table has, and the highest id."""
    return {
        model._meta.label: (
            model._default_manager.count(),
            model._default_manager.aggregate(highest=Max("pk"))["highest"],
        )
        for model in apps.get_models()
        if model._meta.pk.get_internal_type() == "BigAutoField"
    }

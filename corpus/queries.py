"""Add queries, and remove queries that are not open for judging."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from django.db import transaction
from django.db.models import ProtectedError

from accounts.locking import lock_collection
from accounts.models import Collection
from corpus.models import Document, Facet, Query, QueryPaper
from corpus.services import CorpusError, create_query
from web.words import count_noun

_LINE = re.compile(r"(?P<docno>.*\S)[\s,;]+(?P<facet>\S+)")


class QueryLine(NamedTuple):
    number: int
    docno: str
    facet: str


class LineProblem(NamedTuple):
    number: int
    reason: str


class BadQueryList(CorpusError):
    """Lines of a list of queries are invalid, so no query was added."""

    def __init__(self, problems: list[LineProblem]) -> None:
        self.problems = problems
        super().__init__(
            f"{count_noun(len(problems), 'invalid line')}, so no query was added. "
            "Correct the list and add it again."
        )


class QueryInUse(CorpusError):
    def __init__(self, query: Query) -> None:
        super().__init__(
            f"{query.name} is open for judging, so it cannot be removed. "
            "Judgments are never deleted."
        )


class FacetChoice(NamedTuple):
    """A facet for a new query of a document, with the number of its sentences on the facet."""

    facet: Facet
    sentences: int
    has_query: bool

    @property
    def possible(self) -> bool:
        return self.sentences > 0 and not self.has_query


def facet_choices(document: Document, facets: Iterable[Facet]) -> list[FacetChoice]:
    used_facets = set(
        Query.objects.filter(query_paper__document=document).values_list("facet_id", flat=True)
    )
    return [
        FacetChoice(
            facet,
            len(document.sentences_of(facet)),
            facet.pk in used_facets,
        )
        for facet in facets
    ]


def parse_query_list(
    text: str, *, has_facets: bool = True
) -> tuple[list[QueryLine], list[LineProblem]]:
    """Parse lines of a docno and a facet, separated by spaces, a tab, a comma or a semicolon.

    In a collection without facets, a line is a docno. Returns the valid lines and the problems of
    the others. Numbers count from 1, and blank lines are skipped.
    """
    lines, problems = [], []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        if not has_facets:
            lines.append(QueryLine(number, line.strip().rstrip(",; \t"), ""))
            continue
        match = _LINE.fullmatch(line.strip())
        if match is None:
            reason = f"“{line.strip()}” is one word. Write a docno, a space and a facet."
            problems.append(LineProblem(number, reason))
        else:
            lines.append(QueryLine(number, match["docno"].rstrip(",; \t"), match["facet"]))
    return lines, problems


def add_queries(*, collection: Collection, docno: str, facet_keys: Iterable[str]) -> list[Query]:
    """Make the document a query under all of the facets, or under none of them.

    Raises:
        CorpusError: the document or a facet does not exist, or no sentence is on the facet.
    """
    with transaction.atomic():
        lock_collection(collection)
        queries = [_add(collection, docno, key) for key in facet_keys]
    if not queries:
        raise CorpusError("Choose at least one facet.")
    return queries


def add_query_list(*, collection: Collection, text: str) -> int:
    """Add every query of the list. Returns how many are new; existing ones are skipped.

    Raises:
        BadQueryList: lines are invalid. It lists all of them, and nothing is added.
    """
    with transaction.atomic():
        lock_collection(collection)
        has_facets = not collection.facets.filter(key="").exists()
        lines, problems = parse_query_list(text, has_facets=has_facets)
        before = collection.queries.count()
        for line in lines:
            try:
                _add(collection, line.docno, line.facet)
            except CorpusError as error:
                problems.append(LineProblem(line.number, str(error)))
        if not lines and not problems:
            problems.append(LineProblem(1, "The list is empty."))
        if problems:
            raise BadQueryList(sorted(problems))
        return collection.queries.count() - before


def _add(collection: Collection, docno: str, facet_key: str) -> Query:
    if collection.documents.without_text().filter(docno=docno).exists():
        raise CorpusError(
            f"{docno} has no text, so documents cannot be compared with it. "
            "Import its abstract first."
        )
    return create_query(collection=collection, docno=docno, facet_key=facet_key)


def remove_query(*, query: Query) -> None:
    """Remove a query, and its query paper, with its topic, if no other row refers to that.

    Raises:
        QueryInUse: the query is open for judging.
    """
    try:
        with transaction.atomic():
            lock_collection(query.collection)
            query.delete()
            papers = QueryPaper.objects.select_related("topic")
            paper = papers.filter(pk=query.query_paper_id).first()
            if paper is not None and not _is_used(paper):
                paper.delete()
                if paper.topic is not None:
                    paper.topic.delete()
    except ProtectedError as error:
        raise QueryInUse(query) from error


def _is_used(paper: QueryPaper) -> bool:
    """Whether a row of any app refers to the paper: another query, a pool or a ranked list."""
    return any(
        relation.related_model._default_manager.filter(**{relation.field.name: paper}).exists()
        for relation in QueryPaper._meta.related_objects
        if not isinstance(relation.related_model, str)
    )

"""Queries: query papers under facets, whole abstracts, chosen sentences, and topics."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import count
from pathlib import PurePath
from typing import Any

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import ProtectedError

from accounts.models import Collection, Verb
from accounts.record import record
from accounts.services import lock_collection
from corpus.formats.reading import MOST_REASONS, BadLines, first_rows
from corpus.formats.topics import read_topics
from corpus.models import Document, Query
from corpus.uploads import discard_upload
from web.errors import BadInput, Conflict
from web.templatetags.ui import plural

NUMBERS = re.compile(r"\d{1,4}(-\d{1,4})?(,\d{1,4}(-\d{1,4})?)*", re.ASCII)
LONGEST_NAME = 250  # characters, as in the database
Wanted = tuple[str, str, list[int]]  # docno, facet ("" is the whole abstract), numbers of chosen sentences


def parse_wanted(text: str, *, collection: Collection, facets: Sequence[str] = ()) -> list[Wanted]:
    """Lines of `docno`, `docno facet`, `docno 2,4-5` or `docno facet 2,4-5`.

    A line without a facet is meant under each of `facets`, in which "" is the whole abstract.
    """
    wanted: list[Wanted] = []
    problems = []
    for line, words in enumerate((each.split() for each in text.splitlines()), 1):
        if not words:
            continue
        docno, *rest = words
        numbers = numbers_of(rest.pop()) if rest and NUMBERS.fullmatch(rest[-1]) else []
        under = rest or list(facets)
        if len(rest) > 1 or any(facet and facet not in collection.facets for facet in under):
            after = f"a facet ({', '.join(collection.facets)})" if collection.facets else "numbers of sentences"
            problems.append(f"Line {line}: write a docno and {after}, got “{' '.join(words)}”.")
        elif not under:
            problems.append(f"Line {line}: choose a facet for {docno}.")
        wanted += [(docno, facet, numbers) for facet in under]
    raise_all(problems)
    if not wanted:
        raise BadInput("Choose at least one document.")
    return wanted


def numbers_of(text: str) -> list[int]:
    """[2, 4, 5] of "2,4-5"."""
    numbers: set[int] = set()
    for part in text.split(","):
        first, _, last = part.partition("-")
        numbers.update(range(int(first), int(last or first) + 1))
    return sorted(numbers)


def raise_all(problems: Sequence[str]) -> None:
    if problems:
        more = f" And {len(problems) - MOST_REASONS:,} more." if len(problems) > MOST_REASONS else ""
        raise BadInput(" ".join(problems[:MOST_REASONS]) + more)


@transaction.atomic
def add_query_papers(
    *, collection: Collection, wanted: Sequence[Wanted], types: Mapping[str, str] | None = None
) -> tuple[int, int]:
    """Make documents queries: all of them, or none. Returns how many are new, and how many were there.

    `types` are the types of papers by docno, where they are known.
    """
    lock_collection(collection)
    asked = collection.documents.filter(docno__in={docno for docno, _, _ in wanted})
    documents = {each.docno: each for each in asked.select_related("collection")}
    problems = []
    new = 0
    for docno, facet, numbers in wanted:
        document = documents.get(docno)
        if document is None:
            problems.append(f"There is no document {docno}.")
        elif reason := _why_not(document, facet, numbers):
            problems.append(reason)
        else:
            try:
                new += _add_query(document, facet, numbers, (types or {}).get(docno, ""))
            except BadInput as error:
                problems.append(str(error))
    raise_all(problems)
    record(Verb.ADDED, collection=collection, object=plural(new, "query,queries"))
    return new, len(wanted) - new


def _why_not(document: Document, facet: str, numbers: list[int]) -> str:
    if outside := [number for number in numbers if not 1 <= number <= len(document.sentences)]:
        return f"{document} has {len(document.sentences)} sentences, so no sentence {outside[0]}."
    if not facet:
        return ""
    labels = document.collection.labels_of(facet)
    labelled = {number for number, label in enumerate(document.labels, 1) if label in labels}
    if not numbers and not labelled:
        return f"{document} has no sentence labelled {facet}. Label its sentences, or choose some by number."
    if numbers and set(numbers) == labelled:
        return f"The sentences {', '.join(map(str, numbers))} are all of {document} on {facet}: leave the numbers out."
    return ""


def _add_query(document: Document, facet: str, numbers: list[int], paper_type: str) -> bool:
    """Whether the query is new. Chosen sentences add -2, -3, … to the name: without them it is the whole facet's."""
    queries = document.collection.queries
    if queries.filter(document=document, facet=facet, sentence_numbers=numbers).exists():
        return False
    name = f"{document}_{facet}" if facet else str(document)
    if numbers:
        taken = set(queries.filter(name__startswith=f"{name}-").values_list("name", flat=True))
        name = next(each for number in count(2) if (each := f"{name}-{number}") not in taken)
    if len(name) > LONGEST_NAME:
        raise BadInput(f"The id {name} has {len(name)} characters. A query's id has at most {LONGEST_NAME}.")
    if queries.filter(name=name).exists():
        raise BadInput(f"The id {name} is another query's.")
    queries.create(name=name, document=document, facet=facet, sentence_numbers=numbers, paper_type=paper_type)
    return True


def preview_topics(path: str) -> dict[str, Any]:
    """The first topics of an upload, and the bad lines before them."""
    bad_lines = BadLines(allowed=100)
    with default_storage.open(path) as stored:
        topics = read_topics(stored, PurePath(path).name, bad_lines=bad_lines, limit=settings.UPLOAD_MAX_BYTES)
        return {"rows": [topic for _, topic in first_rows(topics, bad_lines)], "bad": bad_lines.reasons}


@transaction.atomic
def import_topics(*, collection: Collection, path: str, skip: int = 0) -> dict[str, Any]:
    """Make every topic of an upload a query. One that is there with the same text stays as it is."""
    lock_collection(collection)
    bad_lines = BadLines(skip)
    there = {query.name: query for query in collection.queries.defer("sentence_numbers")}
    new: list[Query] = []
    unchanged = 0
    with default_storage.open(path) as stored:
        topics = read_topics(stored, PurePath(path).name, bad_lines=bad_lines, limit=settings.UPLOAD_MAX_BYTES)
        for place, topic in topics:
            known = there.get(topic["name"])
            if known is None:
                new.append(Query(collection=collection, **topic))
                there[topic["name"]] = new[-1]
            elif known.is_topic and all(getattr(known, field) == text for field, text in topic.items()):
                unchanged += 1
            else:
                bad_lines.add(place, f"the id {topic['name']} is another query's.")
    Query.objects.bulk_create(new, batch_size=1_000)
    record(Verb.IMPORTED, collection=collection, object=plural(len(new), "topic,topics"))
    transaction.on_commit(lambda: discard_upload(path))
    return {"added": len(new), "unchanged": unchanged, "skipped": bad_lines.count, "reasons": bad_lines.reasons}


@transaction.atomic
def delete_query(*, query: Query) -> None:
    """Remove a query that was never pooled, with its ranked lists. What was pooled stays."""
    lock_collection(query.collection)
    record(Verb.DELETED, collection=query.collection, object=f"query {query.name}")
    try:
        query.delete()
    except ProtectedError as error:
        raise Conflict(f"{query} has a pool, so it stays. Delete its draft pool first.") from error

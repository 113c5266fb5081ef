"""TREC run files: topic, "Q0", docno, rank, score, tag. Reading them as runs, and writing them."""

from __future__ import annotations

import math
import re
from array import array
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import IO

from django.conf import settings
from django.db import transaction

from accounts.models import Collection, Verb
from accounts.record import record
from accounts.services import lock_collection
from corpus.formats.reading import LONGEST_ID, BadLines, text_files
from corpus.matching import but_for_leading_zeros
from corpus.models import Query
from retrieval.building import insert_lists
from retrieval.citations import CITED
from retrieval.lists import Ranking, best_first
from retrieval.models import JUDGMENTS, QRELS, RankedList, Run
from retrieval.retrievers import RETRIEVERS
from web.errors import BadInput, Conflict

NAME = re.compile(r"[A-Za-z0-9._-]{1,100}")
NAMED = 20  # unknown ids that a run remembers


@dataclass
class Lines:
    """The lines of a topic in columns, as the file has them. `ranks` only serve to warn."""

    docnos: list[str] = field(default_factory=list)
    ranks: array[int] = field(default_factory=lambda: array("q"))
    scores: array[float] = field(default_factory=lambda: array("d"))


def read_run(file: IO[bytes], filename: str) -> dict[str, Lines]:
    """The lines of a run file, plain or gz, by topic. A line that is none raises BadInput with file and line."""
    topics: defaultdict[str, Lines] = defaultdict(Lines)
    docnos: dict[str, str] = {}  # each is held once
    for text in text_files(file, filename, BadLines(), settings.UPLOAD_MAX_BYTES, ""):
        if topics:
            raise BadInput(f"{filename} holds more than one file. Import one run at a time.")
        for number, line in text.lines():
            columns = line.split()
            if not columns:
                continue
            if len(columns) != 6:
                text.bad(number, f"a run has 6 columns (topic Q0 docno rank score tag), got {len(columns)}.")
            topic, _, docno, rank, score, _ = columns
            if max(len(topic), len(docno)) > LONGEST_ID:
                text.bad(number, f"an id must have at most {LONGEST_ID} characters.")
            lines = topics[topic]
            lines.docnos.append(docnos.setdefault(docno, docno))
            lines.ranks.append(int(rank) if rank.isdecimal() and len(rank) < 19 else 0)
            lines.scores.append(_score(score))
            if not math.isfinite(lines.scores[-1]):
                text.bad(number, f"the score must be a finite number, got {score!r}.")
    if not topics:
        raise BadInput(f"{filename} has no lines. A run has one for each ranked document.")
    return dict(topics)


def _score(text: str) -> float:
    try:
        # float() also takes "1_000", which other tools do not. −0 becomes 0, because PostgreSQL stores no −0.
        return float(text) + 0.0 if "_" not in text else math.nan
    except ValueError:
        return math.nan


def import_run(
    *, collection: Collection, file: IO[bytes], filename: str, name: str, match_leading_zeros: bool = False
) -> Run:
    """The run file as a run. A topic is a query's id, or the docno of a query paper for all its queries.

    The query paper itself, duplicates, documents outside the corpus and unknown topics are left out and counted.
    """
    topics = read_run(file, filename)
    asked = _queries_asked(collection, list(topics), filename, match_leading_zeros)
    in_file = {docno for topic in asked for docno in topics[topic].docnos}
    corpus = {docno for docno in collection.documents.values_list("docno", flat=True).iterator() if docno in in_file}

    rankings: list[tuple[Query, Ranking]] = []
    duplicates = own = 0
    for topic, queries in asked.items():
        best: dict[str, float] = {}
        for docno, score in zip(topics[topic].docnos, topics[topic].scores, strict=True):
            if docno in corpus:
                duplicates += docno in best
                best[docno] = max(score, best.get(docno, score))
        own += best.pop(queries[0].own_docno, None) is not None
        if best:
            ranking = best_first(list(best), list(best.values()))
            rankings += [(query, ranking) for query in queries]
    outside = list(dict.fromkeys(d for topic in asked for d in topics[topic].docnos if d not in corpus))
    if not rankings:
        example = f" The first is {outside[0]!r}." if outside else ""
        raise BadInput(f"{filename}: none of its documents is in the corpus of {collection}.{example}")

    run = Run(collection=collection, name=name, kind="file", settings={"file": filename})
    run.depth = max(len(docnos) for _, (docnos, _) in rankings)
    unknown = [topic for topic in topics if topic not in asked]
    skipped = {
        "documents outside the corpus": (len(outside), outside),
        "duplicate lines": (duplicates, []),
        "lines of the query paper itself": (own, []),
        "unknown topics": (len(unknown), unknown),
    }
    run.skipped = {why: {"number": n, "named": named[:NAMED]} for why, (n, named) in skipped.items() if n}
    run.warnings = _warnings([topics[topic] for topic in asked])
    with transaction.atomic():
        check_name(lock_collection(collection), name)
        run.save()
        insert_lists(run, rankings)
        record(Verb.IMPORTED, collection=collection, object=f"run {name}")
    return run


def check_name(collection: Collection, name: str) -> None:
    if not NAME.fullmatch(name):
        raise BadInput(f"A run's name is letters, digits, “-”, “_” and “.”, at most 100, got {name!r}.")
    if name in RETRIEVERS or name in (CITED, QRELS, JUDGMENTS):
        raise BadInput(f"{name!r} is the name of a built-in source. Choose another name.")
    if collection.runs.filter(name=name).exists():
        raise Conflict(f"There is a run {name} already. Choose another name, or delete that run first.")


def _queries_asked(
    collection: Collection, topics: Sequence[str], filename: str, match_leading_zeros: bool
) -> dict[str, list[Query]]:
    """The queries of each topic that has some."""
    queries = list(collection.queries.select_related("document").only("name", "document__docno"))
    by_name: dict[str, list[Query]] = {}
    for query in queries:
        if not query.is_topic:
            by_name.setdefault(query.own_docno, []).append(query)
    by_name |= {query.name: [query] for query in queries}
    asked = {topic: by_name[topic] for topic in topics if topic in by_name}

    near = but_for_leading_zeros((topic for topic in topics if topic not in asked), by_name)
    if near and not match_leading_zeros:
        topic, name = next(iter(near.items()))
        raise BadInput(
            f"{filename}: {len(near):,} of {len(topics):,} topics match a query only without leading zeros, such as "
            f"{topic!r} for {name!r}. If they are the same, choose “Match leading zeros”."
        )
    asked |= {topic: by_name[name] for topic, name in near.items()}
    if not asked:
        raise BadInput(f"{filename}: none of its topics is a query of {collection}. The first is {topics[0]!r}.")

    topic_of: dict[int, str] = {}
    for topic, found in asked.items():
        for query in found:
            if query.pk in topic_of:
                both = f"{topic_of[query.pk]!r} and {topic!r}"
                raise BadInput(f"{filename}: topics {both} are both the query {query.name}. Keep one of them.")
            topic_of[query.pk] = topic
    return asked


def _warnings(lists: Sequence[Lines]) -> list[str]:
    """Signs that the scores do not say what the file's maker meant."""
    contradicted = even = 0
    for lines in lists:
        scores = array("f", lines.scores)
        by_rank = sorted(zip(lines.ranks, (-score for score in scores), strict=True))
        contradicted += any(a[0] < b[0] and a[1] > b[1] for a, b in pairwise(by_rank))
        even += len(scores) > 1 and len(set(scores)) == 1
    warnings = []
    if contradicted:
        warnings.append(
            f"In {contradicted:,} of {len(lists):,} lists, the rank column orders documents otherwise than the "
            "scores. The scores count. If they are distances, import the file with minus signs before them."
        )
    if even:
        warnings.append(
            f"In {even:,} of {len(lists):,} lists, all scores are equal, so documents are in the order of their ids."
        )
    return warnings


def run_lines(run: Run) -> Iterator[str]:
    """The run as a TREC file, a query's lines at a time, queries by id. Reading it gives the same lists."""
    # Sorted here: the order of a database depends on its collation.
    for query, pk in sorted(run.lists.values_list("query__name", "pk")):
        each = RankedList.objects.get(pk=pk)
        yield "".join(
            f"{query} Q0 {docno} {rank} {float(score)!r} {run.name}\n"
            for rank, (docno, score) in enumerate(zip(each.docnos, each.scores, strict=True), 1)
        )

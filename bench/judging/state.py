"""A collection in the middle of its judging, of any size: the same rows for the same seed.

At the full size: 3,800 queries with 66 candidates each, and 462,000 judgments. In the order of
their numbers, the first 85 % of the queries are judged by both annotators, the others in part, so
that every annotator has pairs left. About 20 % of the judged pairs are disputed. The first cases
are decided, then some, then none.

Documents, runs and pools are made by the services. Openings, judgments and decisions are inserted
in bulk, as the services would make them: with the digest of the text that is shown, and under all
triggers.
"""

from __future__ import annotations

import argparse
import hashlib
import io
import json
import os
import sys
import tempfile
import time
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar

import numpy as np

if TYPE_CHECKING:
    from accounts.models import Collection, User
    from annotation.models import Opening, Pair
    from corpus.models import Query, QueryPaper
    from pooling.services import PoolPlan

Row = TypeVar("Row")

SLUG, NAME, SEED = "large", "Half a million judgments", 7
QUERIES = 3_800
CANDIDATES, RUNS, DEPTH = 66, 7, 60
DOCUMENTS_PER_QUERY = 5
ANNOTATORS, ADMINS, ADJUDICATORS = 50, 2, 2
# Every account has it. The state is for measuring on one's own machine, behind no public address.
PASSWORD = "bench-bench-bench"
FACETS = ("background", "method", "result")

COMPLETE = 0.85  # of the queries, judged by both
# Shares of the pairs that the two annotators of the other queries have judged, in turn.
PARTIAL = ((1.0, 0.6), (0.8, 0.4), (0.5, 0.2), (0.3, 0.0))
GRADES = (0.55, 0.25, 0.14, 0.06)  # of the first annotator, from 0 to 3
STRAY, UNGRADED = 0.185, 0.006  # the second differs by one grade; a slot has no grade
# Shares of the complete queries: up to the first all cases are decided, up to the second half.
DECIDED, HALF_DECIDED = 0.5, 0.75

BEGINNING = datetime(2026, 1, 5, 8, tzinfo=UTC)
BATCH = 50  # queries in a transaction


class Judged(NamedTuple):
    """One judgment to insert: the slot, and the answer in it."""

    slot: int
    annotator: int
    grade: int | None
    digest: str


def make_state(
    *,
    queries: int = QUERIES,
    seed: int = SEED,
    report: bool = True,
    out: io.TextIOBase | Any = None,
) -> Collection:
    """Make the collection in the database of the environment, which must be migrated.

    With `report`, an agreement report is stored as well. Needs a corpus of 5 documents a query,
    which is made up in a temporary file.
    """
    say = _Steps(out or io.StringIO())
    with say.step("people"):
        collection, people = _people(f"{seed}")
    with say.step("documents"):
        make_documents(collection, queries, seed)
    with say.step("queries and runs"):
        asked = make_queries(collection, queries)
        make_runs(collection, [query.query_paper for query in asked], seed)
    with say.step("pools"):
        make_pools(collection)
    with say.step("openings"):
        openings = _open(collection, asked, people)
    with say.step("judgments"):
        _judge(openings, seed)
    with say.step("decisions"):
        _decide(openings, people["adjudicator"], seed)
    if report:
        with say.step("agreement report"):
            _report(collection)
    return collection


class _Steps:
    """Says how long each step took, and renews what the database knows of its tables."""

    def __init__(self, out: Any) -> None:
        self.out = out

    @contextmanager
    def step(self, name: str) -> Iterator[None]:
        start = time.perf_counter()
        yield
        _analyze()
        self.out.write(f"{name}: {time.perf_counter() - start:.1f} s\n")
        self.out.flush()


def usernames() -> dict[str, list[str]]:
    """Every account of the state, by role."""
    return {
        "admin": [f"admin{number}" for number in range(1, ADMINS + 1)],
        "annotator": [f"annotator{number:02}" for number in range(1, ANNOTATORS + 1)],
        "adjudicator": [f"adjudicator{number}" for number in range(1, ADJUDICATORS + 1)],
    }


def _people(seed: str) -> tuple[Collection, dict[str, list[User]]]:
    from django.contrib.auth.hashers import make_password

    from accounts.models import Membership, Role, User
    from annotation.services import set_up_collection

    collection = set_up_collection(slug=SLUG, name=NAME, seed=seed, licence="CC0-1.0")
    # One hash for all, because each takes a third of a second.
    password = make_password(PASSWORD, salt="bench")
    people = {
        role: User.objects.bulk_create(
            # Staff keep their home page even while it has a single collection.
            User(username=name, password=password, is_staff=role == Role.ADMIN)
            for name in names
        )
        for role, names in usernames().items()
    }
    Membership.objects.bulk_create(
        Membership(collection=collection, user=user, role=role)
        for role, users in people.items()
        for user in users
    )
    return collection, people


def make_documents(collection: Collection, queries: int, seed: int) -> None:
    """Five for each query, at least 200."""
    from bench.corpus import write_corpus
    from corpus.document_import import import_documents

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "corpus.jsonl.gz"
        write_corpus(path, max(200, queries * DOCUMENTS_PER_QUERY), seed)
        import_documents(collection=collection, path=path, work=_work())


def make_queries(collection: Collection, count: int) -> list[Query]:
    """One query for each query paper, under the facets in turn."""
    from corpus.models import Query, QueryPaper

    facets = [collection.facets.get(key=key) for key in FACETS]
    papers = QueryPaper.objects.bulk_create(
        QueryPaper(collection=collection, document=document, name=document.docno)
        for document in collection.documents.order_by("pk")[:count]
    )
    return Query.objects.bulk_create(
        Query(
            collection=collection,
            query_paper=paper,
            facet=facets[number % len(facets)],
            name=f"{paper}_{facets[number % len(facets)].key}",
        )
        for number, paper in enumerate(papers)
    )


def make_runs(collection: Collection, papers: Sequence[QueryPaper], seed: int) -> None:
    """Runs that overlap as those of good retrievers do: each orders the same near documents."""
    from retrieval.models import Ranking, Run
    from retrieval.services import run_lines

    docnos = list(collection.documents.order_by("pk").values_list("docno", flat=True))
    runs = [
        Run.objects.create(collection=collection, name=name, kind="file", depth=DEPTH, sha256="")
        for name in run_names()
    ]
    scores = np.linspace(30, 5, DEPTH).round(4).tolist()
    near = DEPTH * 5 // 2
    for batch in _batches(enumerate(papers), 200):
        rankings = []
        for number, paper in batch:
            rng = np.random.default_rng([seed, 1, number])
            found = rng.choice(len(docnos), near + 1, replace=False, shuffle=False)
            others = [docnos[place] for place in found if docnos[place] != str(paper)][:near]
            for run in runs:
                order = rng.permutation(near)[:DEPTH].tolist()
                ranked = [others[place] for place in order]
                rankings.append(Ranking(run=run, query_paper=paper, docnos=ranked, scores=scores))
        Ranking.objects.bulk_create(rankings, batch_size=500)
    for run in runs:
        lines = hashlib.sha256()
        for line in run_lines(run):
            lines.update(line.encode())
        run.sha256 = lines.hexdigest()
        run.save(update_fields=["sha256"])


def run_names() -> tuple[str, ...]:
    """The runs that the pools are drawn from."""
    return tuple(f"invented_{number}" for number in range(1, RUNS + 1))


def plan_of_pools() -> PoolPlan:
    """66 candidates for each query paper, drawn by rank over all lists."""
    from pooling.services import PoolPlan

    return PoolPlan(
        strategy="take_b",
        parameters={"size": CANDIDATES},
        forced=(),
        runs=run_names(),
        depth=DEPTH,
    )


def make_pools(collection: Collection) -> None:
    from pooling.services import build_pools

    build_pools(collection=collection, plan=plan_of_pools(), work=_work())


def _open(
    collection: Collection, queries: Sequence[Query], people: dict[str, list[User]]
) -> list[Opening]:
    """Open every query, with the rows that `open_query` makes, which takes longer for each."""
    from django.db import transaction

    from annotation.models import Opening, Seat
    from pooling.services import freeze_pools

    freeze_pools(collection=collection)
    guidelines = {facet.pk: facet.guidelines.first() for facet in collection.facets.all()}
    annotators, admin = people["annotator"], people["admin"][0]
    openings = []
    for batch in _analyzed(_batches(enumerate(queries), BATCH)):
        seats = {query.pk: [annotators[seat] for seat in seats_of(n)] for n, query in batch}
        with transaction.atomic():
            opened = Opening.objects.bulk_create(
                Opening(query=query, guideline=guidelines[query.facet_id], opened_by=admin)
                for _, query in batch
            )
            Seat.objects.bulk_create(
                Seat(opening=opening, number=number, annotator=annotator)
                for opening in opened
                for number, annotator in enumerate(seats[opening.query_id], start=1)
            )
            _insert_slots(collection, opened, seats)
        openings += opened
    return openings


def _insert_slots(
    collection: Collection, openings: Sequence[Opening], seats: dict[int, list[User]]
) -> None:
    """Insert the pairs and slots of some queries. Needs a transaction."""
    from annotation.models import Pair, Slot
    from corpus.ordering import order_key
    from database.bulk import insert_rows

    new_pairs = [
        (pair.query_id, pair.candidate_id, pair.token, pair.presentation_digest, False)
        for pair in _pairs(collection, openings)
    ]
    fields = ("query", "candidate", "token", "presentation_digest", "text_changed")
    insert_rows(Pair, fields, new_pairs)
    names = {opening.query_id: opening.query.name for opening in openings}
    pairs: dict[int, list[tuple[int, str]]] = {}
    for query_id, pair, docno in Pair.objects.filter(query__in=names).values_list(
        "query", "pk", "candidate__document__docno"
    ):
        pairs.setdefault(query_id, []).append((pair, docno))
    rows = []
    for query_id, of_query in pairs.items():
        for number, annotator in enumerate(seats[query_id], start=1):
            key = partial(order_key, collection.seed, f"presentation:{annotator.username}")
            ordered = sorted((key(names[query_id], docno), pair) for pair, docno in of_query)
            rows += [
                (pair, number, annotator.pk, position)
                for position, (_, pair) in enumerate(ordered, start=1)
            ]
    insert_rows(Slot, ("pair", "number", "annotator", "position"), rows)


def _pairs(collection: Collection, openings: Sequence[Opening]) -> Iterator[Pair]:
    """The pairs of some queries, not saved, with the digest of what is shown."""
    from annotation.models import Pair
    from annotation.services import presentation_of
    from corpus.ordering import order_key
    from pooling.models import Candidate

    opened = {opening.query.query_paper_id: opening for opening in openings}
    pooled = Candidate.objects.to_judge().filter(pool__query_paper__in=opened)
    for candidate in pooled.select_related("document", "pool").order_by("pool", "position"):
        query_paper = candidate.pool.query_paper_id
        assert query_paper is not None  # only a hidden pool has none
        opening = opened[query_paper]
        key = order_key(collection.seed, "pair", opening.query.name, candidate.document.docno)
        pair = Pair(query=opening.query, candidate=candidate, token=key[:16])
        pair.presentation_digest = presentation_of(pair, opening.guideline.version).digest
        yield pair


def seats_of(number: int) -> tuple[int, int]:
    """The two annotators, from 0, of the query of that number."""
    first = number % ANNOTATORS
    return first, (first + 1 + number // ANNOTATORS % (ANNOTATORS - 1)) % ANNOTATORS


def shares_of(number: int, queries: int) -> tuple[float, float]:
    """How much of the query of that number its two annotators have judged."""
    complete = round(COMPLETE * queries)
    return (1.0, 1.0) if number < complete else PARTIAL[(number - complete) % len(PARTIAL)]


def _judge(openings: Sequence[Opening], seed: int) -> None:
    from django.db import transaction

    clock = _Times()
    for batch in _analyzed(_batches(enumerate(openings), BATCH)):
        with transaction.atomic():
            judged = [
                judgment
                for number, opening in batch
                for judgment in _judgments(opening, shares_of(number, len(openings)), number, seed)
            ]
            _insert_judgments(judged, clock, np.random.default_rng([seed, 2, batch[0][0]]))


def _judgments(
    opening: Opening, shares: tuple[float, float], number: int, seed: int
) -> Iterator[Judged]:
    """What the annotators of one query say, each in the own order of presentation."""
    from annotation.models import Pair, Slot

    pairs = Pair.objects.filter(query=opening.query).order_by("token")
    digests = dict(pairs.values_list("pk", "presentation_digest"))
    places = {pk: place for place, pk in enumerate(digests)}
    answers = _answers(len(places), np.random.default_rng([seed, 3, number]))
    slots = Slot.objects.filter(pair__query=opening.query).order_by("number", "position")
    for slot in slots:
        share = shares[slot.number - 1]
        if slot.position <= round(share * len(places)):
            grade = answers[slot.number - 1][places[slot.pair_id]]
            yield Judged(slot.pk, slot.annotator_id, grade, digests[slot.pair_id])


def _answers(pairs: int, rng: np.random.Generator) -> list[list[int | None]]:
    """The grades of both annotators for each pair; None where one cannot judge."""
    first = rng.choice(len(GRADES), pairs, p=GRADES)
    step = np.where(first == 0, 1, np.where(first == 3, -1, rng.choice([-1, 1], pairs)))
    second = np.where(rng.random(pairs) < STRAY, first + step, first)
    ungraded = rng.random((2, pairs)) < UNGRADED
    return [
        [None if missing else grade for grade, missing in zip(grades.tolist(), gone, strict=True)]
        for grades, gone in zip((first, second), ungraded.tolist(), strict=True)
    ]


class _Times:
    """The next time of a row, as both databases read it."""

    def __init__(self) -> None:
        self.now = BEGINNING

    def tick(self, seconds: float) -> str:
        self.now += timedelta(seconds=seconds)
        return f"{self.now:%Y-%m-%d %H:%M:%S.%f}"


def _insert_judgments(judged: Sequence[Judged], clock: _Times, rng: np.random.Generator) -> None:
    """Insert the judgments and show each in its slot. Needs a transaction."""
    from django.db import connection

    from annotation.models import Judgment, Reason
    from database.bulk import insert_rows

    seconds = rng.gamma(3, 5, len(judged)).round(1).tolist()
    fields = ("slot", "sequence", "annotator", "grade", "reason", "note", "presentation_digest",
              "key", "seconds", "created_at")  # fmt: skip
    insert_rows(
        Judgment,
        fields,
        (
            (
                row.slot,
                1,
                row.annotator,
                row.grade,
                "" if row.grade is not None else Reason.GARBLED.value,
                "" if row.grade is not None else "The last sentence breaks off.",
                row.digest,
                key,
                spent,
                clock.tick(0.05),
            )
            for row, key, spent in zip(judged, _keys(len(judged), rng), seconds, strict=True)
        ),
    )
    with connection.cursor() as cursor:
        for part in _batches((row.slot for row in judged), 500):
            cursor.execute(
                "UPDATE annotation_slot SET judgment_id = (SELECT j.id FROM annotation_judgment j "
                f"WHERE j.slot_id = annotation_slot.id) WHERE id IN ({_numbers(part)})"
            )


def _numbers(keys: Iterable[int]) -> str:
    """Primary keys for SQL. They come from the database and are whole numbers."""
    return ", ".join(f"{key:d}" for key in keys)


def _keys(count: int, rng: np.random.Generator) -> list[str]:
    """UUIDs in hexadecimal."""
    drawn = rng.bytes(16 * count).hex()
    return [drawn[start : start + 32] for start in range(0, len(drawn), 32)]


def _decide(openings: Sequence[Opening], adjudicators: Sequence[User], seed: int) -> None:
    """Decisions in the first of the complete queries, as the higher of the two grades."""
    from django.db import transaction

    complete = round(COMPLETE * len(openings))
    clock = _Times()
    numbered = enumerate(openings[: round(HALF_DECIDED * complete)])
    for batch in _batches(numbered, BATCH):
        with transaction.atomic():
            rng = np.random.default_rng([seed, 4, batch[0][0]])
            for number, opening in batch:
                half = number >= round(DECIDED * complete)
                adjudicator = adjudicators[number % len(adjudicators)]
                _decide_query(opening.query, adjudicator, 2 if half else 1, clock, rng)


def _decide_query(
    query: Query, adjudicator: User, every: int, clock: _Times, rng: np.random.Generator
) -> None:
    from adjudication.models import Case, Decision
    from annotation.models import Reason
    from database.bulk import insert_rows

    cases = Case.objects.disputed().filter(query=query).order_by("token")
    fields = ("pair", "sequence", "adjudicator", "first", "second", "grade", "reason", "note",
              "key", "created_at")  # fmt: skip
    decided = []
    chosen = list(cases)[::every]
    for case, key in zip(chosen, _keys(len(chosen), rng), strict=True):
        given = [grade for grade in (case.first_grade, case.second_grade) if grade is not None]
        grade = max(given, default=None)
        reason = Reason.GARBLED.value if grade is None else ""
        seen = (case.first, case.second)
        decided.append((case.pk, 1, adjudicator.pk, *seen, grade, reason, "", key, clock.tick(1)))
    insert_rows(Decision, fields, decided)


def _analyze() -> None:
    """PostgreSQL does this by itself, but too late here. On SQLite, Qrelsmith never does it."""
    _on_all_tables("ANALYZE")


def _reclaim_space() -> None:
    """Drop dead rows on PostgreSQL, outside a transaction.

    The rows of this state come from a few large transactions, which leave a table of counts 60
    times its size. Single judgments reuse the space of dead rows.
    """
    _on_all_tables("VACUUM FULL ANALYZE")


def _on_all_tables(statement: str) -> None:
    from django.db import connection

    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            # Without names it would also lock the catalogs that all databases share.
            tables = connection.introspection.django_table_names(only_existing=True)
            names = ", ".join(map(connection.ops.quote_name, tables))
            cursor.execute(f"{statement} {names}")


def _report(collection: Collection) -> None:
    from agreement.services import compute_report

    compute_report(collection=collection, missing="exclude", work=_work())


def _work() -> Any:
    from jobs.context import DirectRun

    return DirectRun(io.StringIO())


def _batches(rows: Iterable[Row], size: int) -> Iterator[tuple[Row, ...]]:
    """`itertools.batched`, which Python 3.11 has not."""
    left = iter(rows)
    while batch := tuple(islice(left, size)):
        yield batch


def _analyzed(batches: Iterable[Row]) -> Iterator[Row]:
    """The batches, with statistics renewed after the first and the eighth.

    The triggers' plans on PostgreSQL were made for empty tables, so they would read whole ones.
    """
    for number, batch in enumerate(batches):
        if number in (1, 8):
            _analyze()
        yield batch


def sizes(collection: Collection) -> dict[str, int]:
    """What the collection holds, counted row by row."""
    from adjudication.models import Case, Decision
    from annotation.models import Judgment, Pair, Slot
    from pooling.models import Contribution

    of_collection = {"pair__query__collection": collection}
    return {
        "documents": collection.documents.count(),
        "queries": collection.queries.count(),
        "pairs": Pair.objects.of(collection).count(),
        "contributions": Contribution.objects.filter(
            candidate__pool__query_paper__collection=collection
        ).count(),
        "judgments": Judgment.objects.filter(slot__pair__query__collection=collection).count(),
        "slots left": Slot.objects.of(collection).unjudged().count(),
        "disputed": Case.objects.disputed().filter(query__collection=collection).count(),
        "decisions": Decision.objects.filter(**of_collection).count(),
    }


def main() -> None:
    """`DATA_DIR=folder python -m bench.judging.state --queries 100` makes and migrates it."""
    import django

    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--queries", type=int, default=QUERIES)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--no-report", action="store_true", help="store no agreement report")
    given = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
    django.setup()
    from django.conf import settings
    from django.core.management import call_command

    if settings.PRODUCTION:
        raise SystemExit("The passwords are in the source. Unset QRELSMITH_MODE=production.")
    start = time.perf_counter()
    call_command("migrate", verbosity=0)
    collection = make_state(
        queries=given.queries, seed=given.seed, report=not given.no_report, out=sys.stderr
    )
    _reclaim_space()
    made = {**sizes(collection), "seconds": round(time.perf_counter() - start, 1)}
    sys.stdout.write(json.dumps(made) + "\n")


if __name__ == "__main__":
    main()

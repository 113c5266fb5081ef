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
import io
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from bench.judging.state_judgments import ANNOTATORS, decide, judge, open_queries
from bench.judging.state_pools import make_documents, make_pools, make_queries, make_runs
from bench.judging.state_rows import analyze, reclaim_space, work
from bench.step_commands import set_up_django, write_json

if TYPE_CHECKING:
    from accounts.models import Collection, User


SLUG, NAME, SEED = "large", "Half a million judgments", 7
QUERIES = 3_800
ADMINS, ADJUDICATORS = 2, 2
# Every account has it. The state is for measuring on one's own machine, behind no public address.
PASSWORD = "bench-bench-bench"


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
        openings = open_queries(collection, asked, people)
    with say.step("judgments"):
        judge(openings, seed)
    with say.step("decisions"):
        decide(openings, people["adjudicator"], seed)
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
        analyze()
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


def _report(collection: Collection) -> None:
    from agreement.services import AgreementReport
    from reports.services import compute_report

    compute_report(AgreementReport("exclude"), collection=collection, work=work())


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
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("--queries", type=int, default=QUERIES)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--no-report", action="store_true", help="store no agreement report")
    given = parser.parse_args()
    set_up_django()
    from django.conf import settings
    from django.core.management import call_command

    if settings.PRODUCTION:
        raise SystemExit("The passwords are in the source. Unset QRELSMITH_MODE=production.")
    start = time.perf_counter()
    call_command("migrate", verbosity=0)
    collection = make_state(
        queries=given.queries, seed=given.seed, report=not given.no_report, out=sys.stderr
    )
    reclaim_space()
    made = {**sizes(collection), "seconds": round(time.perf_counter() - start, 1)}
    write_json(made)


if __name__ == "__main__":
    main()

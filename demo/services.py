"""The demo collection: invented texts, real pools, and some judgments that a rule made."""

from __future__ import annotations

import json
import os
import secrets
import uuid
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.db import transaction

from accounts.models import Collection, Role, User
from accounts.services import add_membership
from adjudication.models import Case
from adjudication.services import Ruling, decide
from annotation.models import Opening, Reason, Slot
from annotation.services import (
    Answer,
    open_query,
    set_up_collection,
    submit_judgment,
)
from corpus.documents.importing import import_documents
from corpus.models import Query
from corpus.ordering import order_key
from demo.datasheet import answer_datasheet
from demo.sample import DOCUMENTS, PLAN, add_sample_queries
from jobs.context import DirectRun
from pooling.models import Candidate
from pooling.services import build_pools

SLUG = "demo"
SEED = "demo"
PEOPLE = {
    "admin": Role.ADMIN,
    "annotator": Role.ANNOTATOR,
    "annotator2": Role.ANNOTATOR,
    "adjudicator": Role.ADJUDICATOR,
}


@dataclass(frozen=True)
class DemoAccount:
    role: str
    username: str
    password: str


@dataclass(frozen=True)
class DemoShare:
    """The shares of a query's pairs that the demo has already judged and settled."""

    first: float
    second: float
    settled: float = 0.0


# One query for every state of the work; the last is not open yet.
SHARES = (
    DemoShare(first=1.0, second=1.0, settled=1.0),
    DemoShare(first=1.0, second=1.0, settled=0.4),
    DemoShare(first=1.0, second=1.0),
    DemoShare(first=0.6, second=0.8),
    DemoShare(first=0.0, second=0.3),
)


def accounts_file() -> Path:
    return settings.DATA_DIR / "demo-accounts.json"


def demo_accounts() -> list[DemoAccount]:
    """The demo's accounts and passwords, as they were created when it was loaded."""
    return [DemoAccount(**account) for account in json.loads(accounts_file().read_text())]


def is_loaded() -> bool:
    return Collection.objects.filter(slug=SLUG).exists() and accounts_file().exists()


def load_demo(*, progress: Callable[[str], None] = lambda _: None) -> list[DemoAccount]:
    """Load the demo collection once. A second call changes nothing.

    The random passwords are in a file of the data folder that only its owner can read.
    """
    if is_loaded():
        return demo_accounts()
    with transaction.atomic():
        accounts = [_make_account(username, role) for username, role in PEOPLE.items()]
        collection = _make_collection(progress)
        progress("judging some pairs")
        _do_some_work(collection)
        _keep_accounts(accounts)
    return accounts


def _make_account(username: str, role: str) -> DemoAccount:
    password = secrets.token_urlsafe(9)
    user, _ = User.objects.get_or_create(username=username)
    user.is_staff = role == Role.ADMIN
    user.set_password(password)
    user.save()
    return DemoAccount(role=role, username=username, password=password)


def _keep_accounts(accounts: list[DemoAccount]) -> None:
    path = accounts_file()
    path.parent.mkdir(parents=True, exist_ok=True)
    path.unlink(missing_ok=True)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump([vars(account) for account in accounts], file, indent=1)


def _make_collection(progress: Callable[[str], None]) -> Collection:
    collection = set_up_collection(
        slug=SLUG,
        name="Demo",
        seed=SEED,
        analysis="plain",  # so the demo's pools stay as they are
        licence="CC0-1.0",
        corpus_licence="CC0-1.0",
        description=(
            "76 abstracts invented for this demo, in five research topics. Part of the judging was "
            "done by a rule, so that every page has something to show; none of it is research data."
        ),
    )
    for username, role in PEOPLE.items():
        add_membership(collection=collection, user=User.objects.get(username=username), role=role)
    answer_datasheet(collection)
    progress("importing documents")
    import_documents(collection=collection, path=DOCUMENTS, work=DirectRun())
    add_sample_queries(collection)
    progress("building pools")
    build_pools(collection=collection, plan=PLAN, work=DirectRun())
    return collection


def _do_some_work(collection: Collection) -> None:
    people = {name: User.objects.get(username=name) for name in PEOPLE}
    for query, share in zip(collection.queries.order_by("name"), SHARES, strict=False):
        opening = open_query(
            query=query,
            annotators=(people["annotator"], people["annotator2"]),
            opened_by=people["admin"],
        )
        _judge(opening, 1, share.first)
        _judge(opening, 2, share.second)
        _settle(query, people["adjudicator"], share.settled)


def _judge(opening: Opening, number: int, share: float) -> None:
    slots = list(
        Slot.objects.filter(pair__query=opening.query, number=number)
        .select_related("pair__query__facet", "pair__query__query_paper")
        .select_related("pair__candidate__document", "annotator")
        .order_by("position")
    )
    for slot in slots[: round(share * len(slots))]:
        submit_judgment(
            slot_id=slot.pk,
            annotator=slot.annotator,
            answer=_answer(slot),
            presentation_digest=slot.pair.presentation_digest,
            key=uuid.uuid5(uuid.NAMESPACE_OID, f"demo|{slot.pk}"),
            supersedes=None,
            seconds=9 + _chance(slot, "seconds") * 14,
        )


def _chance(slot: Slot, purpose: str) -> float:
    """A number in [0, 1) that follows from the seed, the query, the candidate and the slot."""
    item = f"{slot.pair.candidate.document.docno}|{slot.number}"
    return int(order_key(SEED, purpose, slot.pair.query.name, item)[:8], 16) / 16**8


def _answer(slot: Slot) -> Answer:
    """More sources give a higher grade. One in three differs by 1; one in forty has no grade."""
    if _chance(slot, "missing") < 0.025:
        return Answer(reason=Reason.GARBLED, note="The last sentence breaks off.")
    grade = _base_grade(slot.pair.candidate)
    stray = _chance(slot, "stray")
    if stray < 0.33:
        grade += 1 if stray < 0.15 else -1
    return Answer(grade=min(max(grade, 0), 3))


def _base_grade(candidate: Candidate) -> int:
    near = sum(
        1 if source.rank is None or source.rank <= 5 else 0.4
        for source in candidate.contributions.all()
    )
    return min(3, round(near * 0.75 - 0.3))


def _settle(query: Query, adjudicator: User, share: float) -> None:
    cases = list(Case.objects.due().filter(query=query).order_by("token"))
    for case in cases[: round(share * len(cases))]:
        grades = [grade for grade in (case.first_grade, case.second_grade) if grade is not None]
        decide(
            pair_id=case.pk,
            adjudicator=adjudicator,
            ruling=Ruling(grade=max(grades, default=0)),
            judgment_ids=(case.first, case.second),  # type: ignore[arg-type]  # both are in
            key=uuid.uuid5(uuid.NAMESPACE_OID, f"demo|{case.pk}"),
            seconds=20 + int(case.token[:4], 16) % 300 / 10,
        )

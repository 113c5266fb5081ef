"""The demo collection: invented texts, real pools, and some judgments that a rule made."""

from __future__ import annotations

import json
import os
import secrets
import uuid
from collections.abc import Callable
from pathlib import Path

from django.conf import settings
from django.core.files.base import File

from accounts.models import ADJUDICATOR, ADMIN, ANNOTATOR, Collection, User
from accounts.services import add_member, create_collection
from adjudication.decisions import decide, judgment_of
from annotation.default_guideline import default_guideline
from annotation.guidelines import save_guideline, version_in_force
from annotation.judging import submit_judgment
from annotation.models import PairState, Slot
from annotation.openings import open_queries
from annotation.presentation import present
from corpus.models import Query
from corpus.ordering import order_key
from corpus.queries import add_query_papers
from corpus.uploads import find_upload, keep_upload
from jobs.work import run_now
from pooling.building import freeze_pools
from pooling.models import Candidate
from release.datasheet import save_answers
from web.errors import Conflict

SLUG = SEED = "demo"
PEOPLE = {"admin": ADMIN, "annotator": ANNOTATOR, "annotator2": ANNOTATOR, "adjudicator": ADJUDICATOR}
DATA = Path(__file__).parent / "data"
PLAN = {
    "strategy": "interleaved",
    "n": 4,
    "sources": ["bm25", "tfidf"],
    "forced": ["cited"],
    "depths": {},
    "queries": [],
}
# One query for every state of the work: what each judge has judged, and what is decided of the cases. The last
# query is not open yet.
SHARES = [(1.0, 1.0, 1.0), (1.0, 1.0, 0.4), (1.0, 1.0, 0.0), (0.6, 0.8, 0.0), (0.0, 0.3, 0.0)]
DESCRIPTION = (
    "76 abstracts invented for this demo, in five research topics. A part of the judging was done by a rule, so that "
    "every page has something to show. None of it is research data."
)
DATASHEET = {
    "purpose": "To show how Qrelsmith works.",
    "creators": "The developers of Qrelsmith.",
    "funding": "No funding.",
    "language": "English.",
    "sensitive": "None. The abstracts are invented and name no people.",
    "pay": "Nothing: nobody judged.",
    "consent": "No people took part.",
    "ethics": "None was needed, because no people took part and the texts are invented.",
    "rights": "The developers of Qrelsmith, who put them under CC0.",
    "contact": "Whoever runs this server.",
    "errors": "Nothing: it is a demo.",
    "documents": "Invented abstracts in five research topics.",
    "queries": "Four of the invented papers, under one or two facets.",
    "annotators": "Nobody: a rule made the judgments.",
    "uses": "Trying out Qrelsmith.",
    "misuses": "Any conclusion about retrieval.",
}


def load_demo(*, say: Callable[[str], None]) -> dict[str, str]:
    """Load the demo once; returns the passwords, which are kept in a file that only its owner can read."""
    path = settings.DATA_DIR / "demo-accounts.json"
    if path.exists():
        passwords: dict[str, str] = json.loads(path.read_text())
        return passwords
    if Collection.objects.filter(slug=SLUG).exists():
        raise Conflict(f"The demo was not loaded to its end. Remove {settings.DATA_DIR} and start it again.")
    say("Loading the demo collection")
    passwords = {name: secrets.token_urlsafe(9) for name in PEOPLE}
    people = {name: make_person(name, passwords[name]) for name in PEOPLE}
    collection = make_collection(people)
    for query, shares in zip(collection.queries.order_by("name"), SHARES, strict=False):
        work_on(query, people, shares)
    run_now("compute_agreement", collection=collection)
    with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
        json.dump(passwords, file)
    return passwords


def make_person(username: str, password: str) -> User:
    person, _ = User.objects.get_or_create(username=username, defaults={"email": f"{username}@example.org"})
    person.set_password(password)
    person.save()
    return person


def make_collection(people: dict[str, User]) -> Collection:
    facets = ["background", "method", "result"]
    about = {"name": "Demo", "description": DESCRIPTION, "licence": "CC0-1.0", "facets": facets, "seed": SEED}
    collection = create_collection(by=people["admin"], slug=SLUG, **about)
    for name, role in PEOPLE.items():
        add_member(collection=collection, user=people[name], roles=[role])
    for facet in facets:
        save_guideline(collection=collection, facet=facet, change="", by=people["admin"], **default_guideline(facet))
    save_answers(collection=collection, answers=DATASHEET)
    with (DATA / "documents.jsonl").open("rb") as stream:
        upload = find_upload(collection, keep_upload(collection, File(stream), "documents.jsonl"))
    run_now("import_documents", collection=collection, files=[upload])
    asked = json.loads((DATA / "queries.json").read_text())
    add_query_papers(collection=collection, wanted=[(each["docno"], each["facet"], []) for each in asked])
    run_now("build_runs", collection=collection, names=["bm25", "tfidf"])
    run_now("build_pools", collection=collection, plan=PLAN)
    freeze_pools(collection=collection, pk=collection.pool_sets.get().pk)
    return collection


def work_on(query: Query, people: dict[str, User], shares: tuple[float, float, float]) -> None:
    couple = (people["annotator"], people["annotator2"])
    open_queries(collection=query.collection, queries=[query], couples={query.pk: couple}, by=people["admin"])
    version = version_in_force(query.collection, query.facet)
    for number, share in zip((1, 2), shares, strict=False):
        slots = Slot.objects.filter(pair__query=query, number=number).with_texts().order_by("position")
        for slot in slots[: round(share * len(slots))]:
            grade = grade_of(query, slot)
            submit_judgment(
                judge=slot.judge,
                query=query,
                token=slot.pair.token,
                grade=grade,
                reason="" if grade is not None else "text",
                note="" if grade is not None else "The last sentence breaks off.",
                key=uuid.uuid5(uuid.NAMESPACE_OID, f"demo|{slot.pk}"),
                replaces=None,
                digest=present(query, slot.pair.document, version).digest,
                seconds=9 + 14 * chance(query, slot, "seconds"),
            )
    settle_cases(query, people["adjudicator"], shares[2])


def chance(query: Query, slot: Slot, purpose: str) -> float:
    """A number from 0 to below 1, from the first 52 bits of the order key."""
    key = order_key(SEED, purpose, query.name, f"{slot.pair.document.docno}|{slot.number}")
    return int(key[:13], 16) / 16**13


def grade_of(query: Query, slot: Slot) -> int | None:
    """The more sources found it, the higher. One in three differs by 1; one in forty has no grade."""
    if chance(query, slot, "missing") < 0.025:
        return None
    candidate = Candidate.objects.get(pool__query=query, document=slot.pair.document)
    near = sum(1.0 if (each.rank or 99) <= 5 else 0.4 for each in candidate.contributions.all()) + (
        candidate.source == "cited"
    )
    stray = chance(query, slot, "stray")
    step = 1 if stray < 0.15 else -1 if stray < 0.33 else 0
    return min(max(round(near - 0.6) + step, 0), 3)


def settle_cases(query: Query, adjudicator: User, share: float) -> None:
    cases = list(query.pairs.filter(state=PairState.CASE).order_by("token"))
    for pair in cases[: round(share * len(cases))]:
        judgments = [judgment_of(slot) for slot in pair.slots.select_related("judgment")]
        decide(
            adjudicator=adjudicator,
            query=query,
            token=pair.token,
            grade=max((each.grade for each in judgments if each.grade is not None), default=0),
            note="",
            key=uuid.uuid5(uuid.NAMESPACE_OID, f"demo|{pair.pk}"),
            judgments={each.key for each in judgments},
            replaces=None,
            seconds=25.0,
        )

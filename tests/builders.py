"""Plain functions that build what tests need. They use the product's own services where there are any."""

from __future__ import annotations

import uuid
from collections.abc import Sequence

from django.utils import timezone

from accounts.models import Collection, User
from accounts.services import add_member, create_collection
from adjudication import decisions
from adjudication.decisions import current_decision
from adjudication.models import Decision
from annotation import openings
from annotation.judging import shown_pair, submit_judgment
from annotation.models import Judgment, Pair, Slot
from corpus.models import Document, Query, text_digest
from pooling.models import Candidate, Pool, PoolSet
from retrieval.models import RankedList, Run


def person(username: str, collection: Collection | None = None, *roles: str) -> User:
    user, _ = User.objects.get_or_create(username=username, defaults={"email": f"{username}@example.org"})
    if collection and roles:
        add_member(collection=collection, user=user, roles=list(roles))
    return user


def collection(slug: str = "papers", **fields: object) -> Collection:
    defaults = {"name": slug.title(), "facets": ["background", "method", "result"], "seed": "seed"}
    return create_collection(by=person("admin"), slug=slug, **defaults | fields)


def document(into: Collection, docno: str, title: str = "", **fields: object) -> Document:
    sentences = fields.pop("sentences", [f"Why {docno} matters.", f"How {docno} works.", f"What {docno} found."])
    labels = fields.pop("labels", ["background", "method", "result"][: len(sentences)])
    title = title or f"On {docno}"
    digest = text_digest(title, sentences)
    return Document.objects.create(
        collection=into,
        docno=docno,
        title=title,
        sentences=sentences,
        labels=labels,
        text_digest=digest,
        **fields,
    )


def query(into: Collection, paper: Document, facet: str = "method") -> Query:
    name = f"{paper.docno}_{facet}" if facet else paper.docno
    return Query.objects.create(collection=into, name=name, document=paper, facet=facet)


def topic(into: Collection, name: str, title: str, **fields: object) -> Query:
    return Query.objects.create(collection=into, name=name, title=title, **fields)


def run(into: Collection, name: str, lists: dict[Query, Sequence[str]], **fields: object) -> Run:
    """A run with these docnos, best first, for each query."""
    made = Run.objects.create(collection=into, name=name, **{"kind": "file"} | fields)
    for of, docnos in lists.items():
        scores = [float(score) for score in range(len(docnos), 0, -1)]
        RankedList.objects.create(run=made, query=of, docnos=list(docnos), scores=scores)
    return made


def frozen_pool(of: Query, documents: Sequence[Document], round_number: int = 1) -> PoolSet:
    made = PoolSet.objects.create(collection=of.collection, plan={}, round=round_number)
    pool = Pool.objects.create(pool_set=made, query=of)
    for position, each in enumerate(documents, 1):
        Candidate.objects.create(pool=pool, document=each, position=position, source="cited")
    PoolSet.objects.filter(pk=made.pk).update(frozen_at=timezone.now())
    return made


def opened(of: Query, documents: Sequence[Document], first: User, second: User) -> None:
    frozen_pool(of, documents)
    openings.open_queries(collection=of.collection, queries=[of], couples={of.pk: (first, second)}, by=None)


def judge(pair: Pair, judge: User, grade: int | None, **fields: object) -> Judgment:
    """As the page does it: shown, then submitted with what was shown."""
    shown = shown_pair(judge, pair.query, pair.token)
    values = {
        "reason": "" if grade is not None else "text",
        "note": "",
        "key": uuid.uuid4(),
        "replaces": shown.judgment.key if shown.judgment else None,
        "digest": shown.presentation.digest,
        "seconds": 5.0,
    }
    return submit_judgment(judge=judge, query=pair.query, token=pair.token, grade=grade, **values | fields)


def judge_all(of: Query, grades: dict[str, tuple[int | None, int | None]]) -> None:
    """Both judges of each pair, by docno."""
    for slot in Slot.objects.filter(pair__query=of).select_related("pair__document", "judge").order_by("pk"):
        judge(slot.pair, slot.judge, grades[slot.pair.document.docno][slot.number - 1])


def decide(pair: Pair, adjudicator: User, grade: int | None, **fields: object) -> Decision:
    """With both judgments and the decision as they are now: what the page would show."""
    pair.refresh_from_db()
    current = current_decision(pair)
    values = {
        "query": pair.query,
        "token": pair.token,
        "note": "",
        "key": uuid.uuid4(),
        "judgments": set(pair.slots.values_list("judgment__key", flat=True)),
        "replaces": current.key if current else None,
        "seconds": 9.0,
    }
    return decisions.decide(adjudicator=adjudicator, grade=grade, **values | fields)

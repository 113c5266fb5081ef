"""A made collection of any size: words drawn by a Zipf law, pools, two judges, most pairs judged."""

from __future__ import annotations

import random
import uuid

from django.utils import timezone

from accounts.models import Collection, User
from accounts.services import add_member, create_collection
from annotation import openings
from annotation.judging import state_of
from annotation.models import Judgment, Pair, Slot
from annotation.presentation import present
from bench.texts import SENTENCES, abstracts
from corpus.models import Document, Query, text_digest
from pooling.models import Candidate, Pool, PoolSet
from retrieval.models import RankedList, Run


def make_collection(slug: str, *, queries: int, candidates: int, documents: int, judged: float) -> Collection:
    """`judged` is the share of the slots of each query that have a judgment; both judges agree in two of three."""
    admin, _ = User.objects.get_or_create(username="admin", defaults={"is_superuser": True})
    facets = ["background", "method", "result"]
    made = create_collection(by=admin, slug=slug, name=slug, facets=facets, seed="bench", licence="CC0")
    people = [User.objects.get_or_create(username=f"judge{number}")[0] for number in range(8)]
    for person in people:
        add_member(collection=made, user=person, roles=["annotator"])
    rows = [
        Document(
            collection=made,
            docno=docno,
            title=title,
            sentences=sentences,
            labels=list(SENTENCES),
            year=2000 + number % 20,
            text_digest=text_digest(title, sentences),
        )
        for number, (docno, title, sentences) in enumerate(abstracts(documents))
    ]
    rows = Document.objects.bulk_create(rows, batch_size=1000)
    asked = [
        Query(collection=made, name=f"{rows[n].docno}_{facets[n % 3]}", document=rows[n], facet=facets[n % 3])
        for n in range(queries)
    ]
    asked = Query.objects.bulk_create(asked)
    pool_set = PoolSet.objects.create(collection=made, plan={})
    for number, query in enumerate(asked):
        pool = Pool.objects.create(pool_set=pool_set, query=query)
        chosen = random.Random(number).sample(rows[queries:], candidates)
        Candidate.objects.bulk_create(
            Candidate(pool=pool, document=document, position=position, source="cited")
            for position, document in enumerate(chosen, 1)
        )
    PoolSet.objects.filter(pk=pool_set.pk).update(frozen_at=timezone.now())
    couples = {query.pk: (people[2 * (n % 4)], people[2 * (n % 4) + 1]) for n, query in enumerate(asked)}
    openings.open_queries(collection=made, queries=asked, couples=couples, by=admin)
    judge_share(made, judged)
    return made


def add_systems(made: Collection, number: int) -> None:
    """Each ranks the pool of each query, and twice as many other documents, by noise around the grades."""
    draw = random.Random(number)
    corpus = list(made.documents.values_list("docno", flat=True))
    runs = Run.objects.bulk_create(Run(collection=made, name=f"system-{n}", kind="file") for n in range(number))
    for query in made.queries.all():
        grades = dict(query.pairs.values_list("document__docno", "final"))
        grades |= dict.fromkeys(draw.sample(corpus, 2 * len(grades)), None) | grades
        for place, run in enumerate(runs):
            noise = {docno: (grade or 0) + draw.gauss(0, 1 + place / 4) for docno, grade in grades.items()}
            docnos = sorted(noise, key=noise.__getitem__, reverse=True)
            scores = [noise[docno] for docno in docnos]
            RankedList.objects.create(run=run, query=query, docnos=docnos, scores=scores)


def judge_share(made: Collection, judged: float) -> None:
    """Write judgments as the service would, in bulk."""
    draw = random.Random(made.slug)
    for query in made.queries.select_related("document__collection", "collection"):
        slots = list(Slot.objects.filter(pair__query=query).select_related("pair__document").order_by("position"))
        chosen = slots[: round(judged * len(slots))]
        base = {slot.pair_id: draw.choices(range(4), (60, 20, 14, 6))[0] for slot in slots}
        judgments = Judgment.objects.bulk_create(
            Judgment(
                collection=made,
                slot=slot,
                judge_id=slot.judge_id,
                grade=base[slot.pair_id] if draw.random() < 0.8 else draw.randrange(4),
                key=uuid.UUID(int=draw.getrandbits(128)),
                digest=present(query, slot.pair.document, 0).digest,
                seconds=draw.uniform(4, 30),
            )
            for slot in chosen
        )
        by_slot = {judgment.slot_id: judgment for judgment in judgments}
        for slot in slots:
            slot.judgment = by_slot.get(slot.pk)
        Slot.objects.bulk_update(chosen, ["judgment"], batch_size=500)
        by_pair: dict[int, list[Slot]] = {}
        for slot in slots:
            by_pair.setdefault(slot.pair_id, []).append(slot)
        pairs = []
        for each in by_pair.values():
            pair = each[0].pair
            pair.state, pair.final = state_of([slot.judgment for slot in each], referred=False)
            pairs.append(pair)
        Pair.objects.bulk_update(pairs, ["state", "final"], batch_size=500)

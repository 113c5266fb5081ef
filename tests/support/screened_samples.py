"""A sample of a collection, screened, as rows."""

from __future__ import annotations

import random

from accounts.models import Collection, Role
from corpus.models import Document
from curation.choice.plan import ChoicePlan
from curation.models import QueryChoice, Sample, Screening
from tests.support.factories import DocumentFactory, member

TYPES = {"data": "Data-driven", "theory": "Theoretical", "survey": "Survey"}
PERIODS = ("1995–1999", "2000–2004", "2005–2009")


def a_screened_sample(collection: Collection, papers: int = 24, seed: int = 1) -> Sample:
    """Papers p0, p1 … over three periods; every eighth is a survey, which is excluded.

    Every paper has sentences on three facets, and substantial content in two or three of them.
    """
    documents = [
        DocumentFactory(collection=collection, docno=f"p{number}", year=1995 + 5 * (number % 3))
        for number in range(papers)
    ]
    return screen(collection, documents, list(PERIODS), seed)


def screen(
    collection: Collection, documents: list[Document], periods: list[str], seed: int
) -> Sample:
    """The documents as a sample, in turn from the periods, with made-up screenings."""
    draw = random.Random(seed)
    curator = member(collection, Role.CURATOR, "curator")
    types = [
        collection.paper_types.create(
            key=key, name=name, position=position, is_excluded=key == "survey"
        )
        for position, (key, name) in enumerate(TYPES.items())
    ]
    facets = list(collection.facets.values_list("key", flat=True))
    sample = collection.samples.create(name="first", per_stratum=8, seed="s", strata=["period"])
    for position, document in enumerate(documents):
        paper = sample.papers.create(
            document=document,
            stratum={"period": periods[position % len(periods)]},
            position=position,
        )
        kind = types[2] if position % 8 == 7 else types[draw.randrange(2)]
        able = [key for key in facets if draw.random() < 0.8] or facets[:1]
        Screening.objects.create(
            paper=paper,
            screener=curator,
            paper_type=kind,
            facets=able,
            rating=draw.choice([2, 3, 3, 4, 5]),
        )
    return sample


def a_choice(collection: Collection) -> QueryChoice:
    """A choice of no paper, as a row. The collection has one sample."""
    sample = collection.samples.get()
    plan = ChoicePlan(sample=sample.name, numbers=(1,), least_rating=3, seed="s")
    return collection.query_choices.create(
        sample=sample,
        plan=plan.as_json(),
        inputs="0" * 64,
        result={
            "candidates": 0,
            "papers": [],
            "periods": [],
            "types": [],
            "facets": [],
            "unevenness": [],
        },
        digest="0" * 64,
    )

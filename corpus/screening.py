"""Screening: papers drawn at random from each period, rated by one or more people, and what they say together.

So CSFCube's queries were chosen (Mysore et al., NeurIPS D&B 2021, section 3): twenty papers of each of five periods,
each classed by its type and rated from 1 to 5; those rated 3 or higher could become queries.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from statistics import mean
from typing import Any

from django.db import transaction
from django.db.models import Max, Min

from accounts.models import Collection, User
from accounts.services import lock_collection
from corpus.choosing import Paper, suggest
from corpus.models import Document, Sample, Screening
from corpus.ordering import order_key, shuffled
from corpus.queries import Wanted, add_query_papers
from web.errors import BadInput

GOOD = 3  # the mean rating from which a paper may be asked under a facet
APART = 2  # ratings that differ by so much are shown
MOST_PAPERS = 5_000


def new_sample(collection: Collection) -> Sample:
    """A plan, not saved, whose periods of five years cover the documents."""
    years = collection.documents.exclude(sentences=[]).aggregate(first=Min("year"), last=Max("year"))
    sample = Sample(collection=collection, seed=collection.seed, last_year=years["last"])
    if years["first"] is not None:
        sample.first_year = years["first"] - years["first"] % sample.years
    return sample


def papers_by_period(sample: Sample) -> dict[str, list[str]]:
    """The docnos that may be drawn: documents with an abstract that cite enough."""
    found: dict[str, list[str]] = {period: [] for period in sample.periods}
    columns = ["docno", "year", *(["cites"] if sample.least_cited else [])]
    documents = sample.collection.documents.exclude(sentences=[])
    for docno, year, *cites in documents.values_list(*columns).iterator(chunk_size=2000):
        period = sample.period_of(year)
        if period and (not cites or len(cites[0]) >= sample.least_cited):
            found[period].append(docno)
    return found


def draw(papers: Mapping[str, Iterable[str]], *, number: int, seed: str) -> list[str]:
    """`number` docnos of each period, or all it has, in the order of screening: one of each period in every round.

    With the same seed, a smaller sample is the beginning of a larger one.
    """
    drawn = [
        (turn, order_key(seed, "screening", period, docno), docno)
        for period, docnos in papers.items()
        for turn, docno in enumerate(shuffled(docnos, seed=seed, purpose="sample", query=period)[:number])
    ]
    return [docno for *_, docno in sorted(drawn)]


@transaction.atomic
def draw_sample(*, sample: Sample) -> Sample:
    """Draw the papers to screen, in place of those drawn before. Papers that are drawn again keep their screenings."""
    lock_collection(sample.collection)
    sample.docnos = draw(papers_by_period(sample), number=sample.per_period, seed=sample.seed)
    if not sample.docnos:
        raise BadInput("No document with an abstract is from these years and cites so many others.")
    if len(sample.docnos) > MOST_PAPERS:
        raise BadInput(
            f"A sample has at most {MOST_PAPERS:,} papers, got {len(sample.docnos):,}. Draw fewer of each period."
        )
    sample.save()
    return sample


def papers_to_screen(sample: Sample, screener: User) -> tuple[list[int], set[int]]:
    """The keys of the sample's documents in the order of screening, and of those that the person has screened."""
    keys = dict(sample.collection.documents.filter(docno__in=sample.docnos).values_list("docno", "pk"))
    order = [keys[docno] for docno in sample.docnos if docno in keys]
    own = Screening.objects.filter(screener=screener, document__collection=sample.collection)
    return order, set(own.values_list("document", flat=True)) & set(order)


def screened_papers(sample: Sample, keys: Iterable[int]) -> list[dict[str, Any]]:
    """What the screeners say together of each of these documents: by year, with ratings and queries under each facet.

    A type is the most frequent one, and of equally frequent ones the first; a rating is the mean; who calls a paper
    unfit prevails.
    """
    collection = sample.collection
    screenings = defaultdict(list)
    for screening in Screening.objects.filter(document__in=keys).order_by("pk"):
        screenings[screening.document_id].append(screening)
    asked = set(collection.queries.filter(document__in=screenings).values_list("document", "facet"))
    documents = collection.documents.filter(pk__in=screenings).defer("cites", "authors", "extra")
    papers = []
    for document in documents.order_by("year", "pk"):
        said = screenings[document.pk]
        types = [each.kind for each in said if not each.is_unfit]
        facets = [
            rated_facet(document, facet, said, is_asked=(document.pk, facet) in asked)
            for facet in collection.facets or [""]
        ]
        papers.append(
            {
                "document": document,
                "period": sample.period_of(document.year),
                "type": max(types, key=types.count, default=""),
                "types": list(dict.fromkeys(types)),
                "is_disputed": 0 < len(types) < len(said),
                "facets": facets,
                "qualifies": len(types) == len(said) and any(each["is_good"] or each["is_asked"] for each in facets),
            }
        )
    return papers


def rated_facet(document: Document, facet: str, screenings: list[Screening], *, is_asked: bool) -> dict[str, Any]:
    """What is said of a paper's facet. It is open to be chosen if it is rated well, labelled, and not a query yet."""
    ratings = [each.ratings[facet] for each in screenings if facet in each.ratings]
    is_good = bool(ratings) and mean(ratings) >= GOOD
    is_labelled = not facet or bool(document.collection.labels_of(facet) & {*document.labels})
    return {
        "name": facet,
        "value": f"{document} {facet}",
        "rating": mean(ratings) if ratings else None,
        "ratings": ratings,
        "are_apart": bool(ratings) and max(ratings) - min(ratings) >= APART,
        "is_good": is_good,
        "is_asked": is_asked,
        "is_open": is_good and is_labelled and not is_asked,
    }


def suggest_ticks(papers: Iterable[dict[str, Any]], *, queries: int, from_papers: int | None, seed: str) -> list[str]:
    """An even choice. What is a query already stays one, and counts."""
    rated = []
    for paper in papers:
        ratings = {each["name"]: each["rating"] for each in paper["facets"] if each["is_open"]}
        asked = tuple(each["name"] for each in paper["facets"] if each["is_asked"])
        rated.append(Paper(paper["document"].docno, paper["period"], paper["type"], ratings, asked))
    found = suggest(rated, queries=queries, from_papers=from_papers, seed=seed)
    return [f"{docno} {facet}" for docno, facets in found.items() for facet in facets]


def add_ticked(*, collection: Collection, ticked: Iterable[str], types: Mapping[str, str]) -> int:
    """Make queries of ticked facets, with the types of their papers. Returns how many are new."""
    wanted: list[Wanted] = [(docno, facet, []) for docno, _, facet in (value.rpartition(" ") for value in ticked)]
    if not wanted:
        raise BadInput("Tick at least one facet of a paper.")
    new, _ = add_query_papers(collection=collection, wanted=wanted, types=types)
    return new

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
from django.db.models import Max, Min, QuerySet

from accounts.models import Collection, User
from accounts.services import lock_collection
from corpus.choosing import Paper, suggest
from corpus.models import Document, Sample, Screening
from corpus.ordering import order_key, shuffled
from corpus.queries import Wanted, add_query_papers
from web.errors import BadInput

YEARS = 5  # of a period
GOOD = 3  # the mean rating from which a paper may be asked under a facet
APART = 2  # ratings that differ by so much are shown
MOST_PAPERS = 5_000
ANY_YEAR = "any year"


def with_abstract(collection: Collection) -> QuerySet[Document]:
    return collection.documents.exclude(sentences=[])


def usual_periods(collection: Collection) -> list[list[int]]:
    """Periods of five years that cover the documents."""
    years = with_abstract(collection).aggregate(first=Min("year"), last=Max("year"))
    if years["first"] is None:
        return []
    start = years["first"] // YEARS * YEARS
    return [[year, year + YEARS - 1] for year in range(start, years["last"] + 1, YEARS)]


def period_name(period: list[int]) -> str:
    first, last = period
    return str(first) if first == last else f"{first}–{last}"


def period_of(year: int | None, periods: list[list[int]]) -> str:
    """The name of the year's period, "" for none."""
    if not periods:
        return ANY_YEAR
    found = (period for period in periods if year is not None and period[0] <= year <= period[1])
    return next(map(period_name, found), "")


def papers_by_period(sample: Sample) -> dict[str, list[str]]:
    """The docnos that may be drawn: documents with an abstract that cite enough."""
    found: dict[str, list[str]] = {period_name(period): [] for period in sample.periods} or {ANY_YEAR: []}
    columns = ["docno", "year", *(["cites"] if sample.least_cited else [])]
    for docno, year, *cites in with_abstract(sample.collection).values_list(*columns).iterator(chunk_size=2000):
        period = period_of(year, sample.periods)
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
        types = [each.paper_type for each in said if each.paper_type]
        unfit = sum(bool(each.unfit) for each in said)
        facets = [
            rated_facet(document, facet, said, is_asked=(document.pk, facet) in asked)
            for facet in collection.facets or [""]
        ]
        papers.append(
            {
                "document": document,
                "period": period_of(document.year, sample.periods),
                "type": max(types, key=types.count, default=""),
                "types": list(dict.fromkeys(types)),
                "is_unfit": unfit > 0,
                "is_disputed": 0 < unfit < len(said),
                "facets": facets,
                "qualifies": not unfit and any(each["is_good"] or each["is_asked"] for each in facets),
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
        "value": f"{document.pk} {facet}",
        "rating": mean(ratings) if ratings else None,
        "ratings": ratings,
        "are_apart": bool(ratings) and max(ratings) - min(ratings) >= APART,
        "is_good": is_good,
        "is_unlabelled": is_good and not is_labelled,
        "is_asked": is_asked,
        "is_open": is_good and is_labelled and not is_asked,
    }


def suggest_ticks(
    papers: Iterable[dict[str, Any]], *, ticked: set[str], keep: bool, queries: int, from_papers: int | None, seed: str
) -> set[str]:
    """The values of an even choice. What is a query already counts, and what is ticked if it is to be kept."""
    rated = []
    for paper in papers:
        ratings = {facet["name"]: facet["rating"] for facet in paper["facets"] if facet["is_open"]}
        kept = (each["name"] for each in paper["facets"] if each["is_asked"] or (keep and each["value"] in ticked))
        rated.append(Paper(paper["document"].docno, paper["period"], paper["type"], ratings, tuple(kept)))
    found = suggest(rated, queries=queries, from_papers=from_papers, seed=seed)
    return {
        facet["value"]
        for paper in papers
        for facet in paper["facets"]
        if facet["is_open"] and facet["name"] in found.get(paper["document"].docno, ())
    }


def add_ticked(*, collection: Collection, papers: Iterable[dict[str, Any]], ticked: set[str]) -> int:
    """Make queries of the ticked facets, with the papers' types. Returns how many are new."""
    wanted: list[Wanted] = []
    types = {}
    for paper in papers:
        docno = paper["document"].docno
        types[docno] = paper["type"]
        wanted += [(docno, facet["name"], []) for facet in paper["facets"] if facet["value"] in ticked]
    if not wanted:
        raise BadInput("Tick at least one facet of a paper.")
    new, _ = add_query_papers(collection=collection, wanted=wanted, types=types)
    return new

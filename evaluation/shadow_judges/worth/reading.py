"""Reads the facts about the candidates of judged pairs: length, year and sources."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain

from accounts.models import Collection
from corpus.models import Document
from curation.samples.strata import Period, cut_evenly
from evaluation.pool_bias.reading import sourced_pools
from evaluation.shadow_judges.models import ShadowJudge
from evaluation.shadow_judges.worth.pairs import CandidateFacts, Facts
from evaluation.shadow_judges.worth.repeated_answers import ModelGrade
from pooling.models import Pool

ANSWERS_TOGETHER = 10_000
READ_TOGETHER = 2_000  # documents, with their abstracts
MOST_PERIODS = 5  # as many as CSFCube has


def candidate_facts(collection: Collection) -> Facts:
    """The facts about each pooled document, by query and docno."""
    texts = _lengths_and_years(collection)
    facts: dict[tuple[str, str], CandidateFacts] = {}
    kept: dict[frozenset[str], frozenset[str]] = {}  # each set once: 250,000 equal ones take 50 MB
    for pool in sourced_pools(collection):
        for document in pool.documents:
            words, year = texts[document.docno]
            finders = kept.setdefault(document.finders, document.finders)
            known = CandidateFacts(words, year, document.drawer, finders)
            for query in pool.queries:
                facts[query, document.docno] = known
    return facts


def _lengths_and_years(collection: Collection) -> dict[str, tuple[int, int | None]]:
    """The words of title and abstract, and the year, of each pooled document."""
    rows = (
        Document.objects.filter(collection=collection, candidacies__isnull=False)
        .order_by()
        .distinct()
        .values_list("docno", "title", "sentences", "year")
    )
    return {
        docno: (sum(len(text.split()) for text in (title, *sentences)), year)
        for docno, title, sentences, year in rows.iterator(READ_TOGETHER)
    }


def periods_of(collection: Collection, facts: Facts) -> Sequence[Period]:
    """The periods of the newest sample that has some; else equal parts of the candidates' years."""
    newest = collection.samples.exclude(periods=[]).order_by("-created_at", "-pk").first()
    if newest is not None:
        return [Period(*years) for years in newest.periods]
    years = [each.year for each in facts.values() if each.year is not None]
    if not years:
        return ()
    span = Period(min(years), max(years))
    return cut_evenly(span, min(MOST_PERIODS, span.last - span.first + 1))


def sources_of(facts: Facts) -> set[str]:
    return set(chain.from_iterable(each.found for each in facts.values()))


def answers_of(judge: ShadowJudge) -> Iterator[ModelGrade]:
    """The answers of a model that was asked, pair by pair; none of an imported one."""
    rows = judge.answers.order_by("pair", "repetition", "swapped").values_list(
        "pair__query__name", "pair", "repetition", "swapped", "grade", "problem"
    )
    return (ModelGrade(*row) for row in rows.iterator(ANSWERS_TOGETHER))


def drawing_sources(collection: Collection) -> list[str]:
    """The sources that drew documents into pools, by name."""
    drawn = Pool.objects.filter(query_paper__collection=collection).order_by()
    return sorted(set(chain.from_iterable(drawn.values_list("drawn", flat=True))))

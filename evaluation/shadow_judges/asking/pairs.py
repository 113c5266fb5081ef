"""The pairs that a model is asked about, and the prompt of each."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from django.db.models import Exists, OuterRef, Sum

from accounts.models import Collection
from annotation.models import Pair, PairCount, PairQuerySet
from annotation.services import CandidateText, presentation_with, shown_query
from corpus.models import SOURCES, Query, QueryQuerySet
from corpus.ordering import order_key
from evaluation.shadow_judges.asking.models import AskedPairs, Asking, ModelAnswer
from evaluation.shadow_judges.asking.prompts import Prompt, PromptTemplate, prompt_of, templates

SAMPLED_QUERIES, SAMPLED_PAIRS = 50, 2  # of which an estimate takes the mean


class PairRequest(NamedTuple):
    """A prompt about a pair. `repetition` counts from 1."""

    pair: int
    query: str
    docno: str
    prompt: Prompt
    repetition: int
    swapped: bool

    @property
    def is_label(self) -> bool:
        """True if the grade of its answer is the label of the pair."""
        return self.repetition == 1 and not self.swapped


def template_of(asking: Asking) -> PromptTemplate | None:
    """Its version of the template; None if the program no longer has that text."""
    template = templates().get((asking.template, asking.template_version))
    return template if template and template.sha256 == asking.template_sha256 else None


def variants(asking: Asking) -> list[tuple[int, bool]]:
    """(repetition, swapped) in the order in which all pairs are asked: the labels come first."""
    orders = (False, True) if asking.swaps else (False,)
    return [
        (repetition, swapped)
        for repetition in range(1, asking.repetitions + 1)
        for swapped in orders
    ]


def asked_queries(collection: Collection, asking: Asking) -> QueryQuerySet:
    queries = collection.queries.filter(opening__isnull=False)
    return queries.filter(facet__key__in=asking.facets) if asking.facets else queries


def count_pairs(collection: Collection, asking: Asking) -> int:
    """From the kept counts of each query."""
    counted = "judged" if asking.pairs == AskedPairs.JUDGED else "total"
    counts = PairCount.objects.filter(query__in=asked_queries(collection, asking).order_by())
    return int(counts.aggregate(sum=Sum(counted))["sum"] or 0)


def requests_without_answer(
    collection: Collection, asking: Asking, template: PromptTemplate
) -> Iterator[PairRequest]:
    """All that is left to ask, by query. The texts of one query are in memory at a time."""
    names = list(asked_queries(collection, asking).order_by("name_order").values_list("pk"))
    for repetition, swapped in variants(asking):
        answered = ModelAnswer.objects.filter(
            shadow_judge=asking.pk, pair=OuterRef("pk"), repetition=repetition, swapped=swapped
        )
        for (pk,) in names:
            pairs = _asked_pairs(asking, pk).exclude(Exists(answered.order_by()))
            yield from _requests(_query(pk), pairs, template, repetition, swapped)


def sampled_requests(
    collection: Collection, asking: Asking, template: PromptTemplate
) -> Iterator[PairRequest]:
    """Two pairs of each of up to 50 queries, in the random order of the collection's seed."""
    names = dict(asked_queries(collection, asking).order_by().values_list("name", "pk"))
    order = sorted(names, key=lambda name: order_key(collection.seed, "ask a model", name, ""))
    for name in order[:SAMPLED_QUERIES]:
        pairs = _asked_pairs(asking, names[name])[:SAMPLED_PAIRS]
        yield from _requests(_query(names[name]), pairs, template, 1, False)


def _query(pk: int) -> Query:
    queries = Query.objects.select_related("facet", "opening__guideline", *SOURCES)
    return queries.get(pk=pk)


def _asked_pairs(asking: Asking, query: int) -> PairQuerySet:
    pairs = Pair.objects.all()
    if asking.pairs == AskedPairs.JUDGED:
        pairs = pairs.judged()
    return pairs.filter(query=query).order_by("token")


def _requests(
    query: Query,
    pairs: PairQuerySet,
    template: PromptTemplate,
    repetition: int,
    swapped: bool,
) -> Iterator[PairRequest]:
    shown, guideline = shown_query(query), query.opening.guideline
    facet = "" if query.facet.is_whole else query.facet.name
    texts = pairs.values_list(
        "pk",
        *(f"candidate__document__{name}" for name in ("docno", "title", "sentences", "labels")),
    )
    for pk, *text in list(texts):
        candidate = CandidateText(pk, *text)
        prompt = prompt_of(
            template,
            presentation_with(query, shown, candidate, guideline.version),
            facet=facet,
            guideline={"instructions": guideline.instructions, "grades": guideline.grades},
            swapped=swapped,
        )
        yield PairRequest(pk, query.name, candidate.docno, prompt, repetition, swapped)

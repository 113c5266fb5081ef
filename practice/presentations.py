"""The text of a pair as a member sees it: as in live judging, by the guideline of the set."""

from __future__ import annotations

from collections.abc import Sequence

from annotation.models import Guideline
from annotation.presentation import Presentation
from annotation.services import CandidateText, presentation_with, shown_query
from corpus.models import SOURCES, Document, Query
from practice.models import PracticePair, PracticeSet


def guideline_of(practice_set: PracticeSet, facet_id: int) -> Guideline:
    """The version of the facet's guideline that the set is judged by."""
    uses = practice_set.guidelines.select_related("guideline__facet")
    return uses.get(guideline__facet=facet_id).guideline


def presentation_of_pair(pair: PracticePair) -> tuple[Guideline, Presentation]:
    """The pair as it is shown now, and the guideline beside it."""
    query = Query.objects.select_related("facet", *SOURCES).get(pk=pair.query_id)
    guideline = guideline_of(pair.practice_set, query.facet_id)
    return guideline, _presentation(query, pair.document, guideline.version)


def presentations_of(practice_set: PracticeSet, pairs: Sequence[int]) -> dict[int, Presentation]:
    """The same for several pairs of a set, by id."""
    versions = dict(practice_set.guidelines.values_list("guideline__facet", "guideline__version"))
    sources = (f"query__{source}" for source in SOURCES)
    rows = practice_set.pairs.filter(pk__in=pairs).order_by()
    return {
        pair.pk: _presentation(pair.query, pair.document, versions[pair.query.facet_id])
        for pair in rows.select_related("query__facet", *sources, "document")
    }


def _presentation(query: Query, document: Document, version: int) -> Presentation:
    candidate = CandidateText(
        document.pk, document.docno, document.title, document.sentences, document.labels
    )
    return presentation_with(query, shown_query(query), candidate, version)

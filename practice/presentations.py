"""What a member is shown of a pair: the same as in live judging, by the guideline of the set."""

from __future__ import annotations

from annotation.models import Guideline
from annotation.presentation import Presentation
from annotation.services import CandidateText, presentation_with, shown_query
from corpus.models import SOURCES, Query
from practice.models import PracticePair, PracticeSet


def guideline_of(practice_set: PracticeSet, facet_id: int) -> Guideline:
    """The version of the facet's guideline that the set is judged by."""
    uses = practice_set.guidelines.select_related("guideline__facet")
    return uses.get(guideline__facet=facet_id).guideline


def presentation_of_pair(pair: PracticePair) -> tuple[Guideline, Presentation]:
    """The pair as it is shown now, and the guideline beside it."""
    query = Query.objects.select_related("facet", *SOURCES).get(pk=pair.query_id)
    document = pair.document
    candidate = CandidateText(
        document.pk, document.docno, document.title, document.sentences, document.labels
    )
    guideline = guideline_of(pair.practice_set, query.facet_id)
    return guideline, presentation_with(query, shown_query(query), candidate, guideline.version)

"""A shadow judge's labels beside people's, and their effect on a ranking."""

from __future__ import annotations

from accounts.models import Collection
from adjudication.labels import labelled_pairs
from adjudication.standing import Standing
from evaluation.label_effects.rankings import MODEL, compared_rankings
from evaluation.shadow_judges.agreement import ComparedPair, compare
from evaluation.shadow_judges.models import ShadowJudge, ShadowLabel
from jobs.context import JobContext
from scoring.labels import qrels_by_source

HUMAN_SOURCES = ("final", "slot1", "slot2")
READ_TOGETHER = 5_000


def shadow_comparison(
    collection: Collection, judge: ShadowJudge, measure: str, work: JobContext
) -> dict[str, object]:
    """The agreement with the judges and the final labels, and the ranking of the systems.

    Only pairs with both judgments take part, so that no single judgment is told.
    """
    work.progress(0, None, "comparing labels")
    judged = [pair for pair in labelled_pairs(collection) if pair.judged]
    given = given_labels(judge)
    pairs = [
        ComparedPair(
            pair.query,
            pair.facet,
            given.get(pair.query, {}).get(pair.docno),
            pair.first,
            pair.second,
            pair.final,
            pair.standing is Standing.SET_ASIDE,
        )
        for pair in judged
    ]
    facets = list(collection.facets.values_list("key", flat=True))
    agreement = compare(pairs, facets=facets, grades=collection.grades)
    not_judged = judge.labels_count - sum(pair.model is not None for pair in pairs)
    labels = {**qrels_by_source(judged, HUMAN_SOURCES), MODEL: given}
    return {
        "agreement": {**agreement, "not_judged_yet": not_judged},
        **compared_rankings(collection, labels, measure, work),
    }


def given_labels(judge: ShadowJudge) -> dict[str, dict[str, int]]:
    """The model's labels: query name to docno to grade."""
    rows = (
        ShadowLabel.objects.filter(shadow_judge=judge)
        .order_by()
        .values_list("pair__query__name", "pair__candidate__document__docno", "grade")
    )
    labels: dict[str, dict[str, int]] = {}
    for query, docno, grade in rows.iterator(READ_TOGETHER):
        labels.setdefault(query, {})[docno] = grade
    return labels

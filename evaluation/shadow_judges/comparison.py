"""A shadow judge's labels beside people's, and their effect on a ranking."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from accounts.models import Collection
from adjudication.labels import labelled_pairs
from adjudication.standing import Standing
from agreement.consistency.reading import comparable_repeats
from agreement.consistency.repeated import consistency_of
from corpus.scale import Scale
from evaluation.label_effects.rankings import FINAL, MODEL, scored_labels
from evaluation.shadow_judges.agreement import ComparedPair, compare
from evaluation.shadow_judges.models import ShadowJudge, ShadowLabel
from evaluation.shadow_judges.worth.decisions import decisions
from evaluation.shadow_judges.worth.grades import mean_differences, recalls
from evaluation.shadow_judges.worth.pairs import CandidateFacts, ComparedPairs
from evaluation.shadow_judges.worth.preference import preferences
from evaluation.shadow_judges.worth.reading import (
    answers_of,
    candidate_facts,
    periods_of,
    sources_of,
)
from evaluation.shadow_judges.worth.repeated_answers import repeated_answers
from evaluation.shadow_judges.worth.resamples import QueryResamples
from evaluation.shadow_judges.worth.slices import agreement_by_slice
from jobs.context import JobContext
from retrieval.families import CITATION, DENSE, LEXICAL, names_by_family
from retrieval.models import Run
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
            *pair.blind,
            pair.final,
            pair.standing is Standing.SET_ASIDE,
        )
        for pair in judged
    ]
    facets = list(collection.facets.values_list("key", flat=True))
    agreement = compare(pairs, facets=facets, grades=collection.grades, seed=collection.seed)
    not_judged = judge.labels_count - sum(pair.model is not None for pair in pairs)
    work.progress(0, None, "comparing parts of the pairs")
    worth = _worth(collection, pairs, [pair.docno for pair in judged])
    labels = {**qrels_by_source(judged, HUMAN_SOURCES), MODEL: given}
    scored = scored_labels(collection, labels, measure, work)
    return {
        "agreement": {**agreement, "not_judged_yet": not_judged},
        "worth": worth,
        "self_consistency": _self_consistency(collection, judge),
        "decisions": decisions(scored.scores, reference=FINAL),
        **scored.rankings,
    }


def _worth(
    collection: Collection, pairs: Sequence[ComparedPair], docnos: Sequence[str]
) -> dict[str, object]:
    """Everything about parts of the pairs; all lists are empty without a compared pair."""
    facts = candidate_facts(collection)
    known = (
        facts.get((pair.query, docno), CandidateFacts())
        for pair, docno in zip(pairs, docnos, strict=True)
    )
    compared = ComparedPairs.of(zip(pairs, known, strict=True), len(collection.grades))
    if not compared:
        return {"slices": [], "recalls": [], "mean_differences": {}, "preferences": []}
    resamples = QueryResamples(len(compared.queries), collection.seed)
    kinds = dict(Run.with_retired.filter(collection=collection).values_list("name", "kind"))
    families = families_and_sources(sources_of(facts), kinds)
    return {
        "unfinished": compared.unfinished,
        "slices": agreement_by_slice(compared, periods_of(collection, facts), resamples),
        "recalls": recalls(compared, resamples),
        "mean_differences": mean_differences(compared, resamples),
        "preferences": preferences(compared, families, resamples),
    }


def families_and_sources(
    sources: Iterable[str], kinds: Mapping[str, str]
) -> dict[str, frozenset[str]]:
    """The sources of each known family, and then each source alone, by its name."""
    found = names_by_family(sources, kinds)
    families = {family: found[family] for family in (LEXICAL, DENSE, CITATION) if family in found}
    alone = {name: (name,) for name in sorted(sources) if name not in families}
    return {family: frozenset(members) for family, members in {**families, **alone}.items()}


def _self_consistency(collection: Collection, judge: ShadowJudge) -> dict[str, object] | None:
    """Repeated answers of the model, and hidden repeats of annotators; None if it was not asked."""
    grades, seed = len(collection.grades), collection.seed
    of_model = repeated_answers(answers_of(judge), grades, seed)
    if not of_model["answers"]:
        return None
    scale = Scale(collection.highest_grade, collection.relevant_from)
    of_people = consistency_of(comparable_repeats(collection)[1].repeats, seed, scale)
    return {"model": of_model, "people": of_people}


def given_labels(judge: ShadowJudge) -> dict[str, dict[str, int]]:
    """The model's labels: query name to docno to grade."""
    rows = (
        ShadowLabel.objects.filter(shadow_judge=judge)
        .order_by()
        .values_list("pair__query__name", "pair__candidate__document__docno", "grade")
    )
    labels: dict[str, dict[str, int]] = {}
    docnos: dict[str, str] = {}  # each id once, because a document is in many pools
    for query, docno, grade in rows.iterator(READ_TOGETHER):
        labels.setdefault(query, {})[docnos.setdefault(docno, docno)] = grade
    return labels

"""The questions of the gate to the database, answered from kept counts and small queries.

The number of queries is the same for any size of the collection. What they read grows with the
number of queries of the collection, and with the number of faults; see docs/adr/0018-counts.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from typing import Any

from django.db.models import Count, F, Max, OuterRef, Q, Subquery
from django.db.models.functions import Coalesce

from accounts.models import OWNERS, Collection, Role
from adjudication.labels import labelled_pairs
from adjudication.standing import LabelledPair, Standing
from annotation.models import Pair, PairCount
from annotation.stale_presentations import pairs_shown_otherwise
from annotation.team import waiting_pairs
from bundle.layouts.model_labels import are_copies
from bundle.options import LabelSource, Texts
from corpus.models import Query
from database.consistent_reads import batched, by_code_point
from evaluation.models import ShadowLabel
from pooling.models import Candidate
from release.datasheets.current import dates_known, missing_answers
from release.gate.answers import SHOWN, Faults, faults, name_of, unwritable
from release.gate.context import GateContext
from release.gate.pair_counts import UNDECIDED, UNJUDGED, standing_decisions
from release.gate.white_space import HasWhiteSpace
from release.models import DuplicateCandidate, UnsourcedPair
from scoring.models import FoldPlan

TOGETHER = 5000  # keys in a query, which both databases take


def final_labels(gate: GateContext) -> Faults:
    return Faults(are_some=not gate.labels, words={"labels": f"{gate.labels:,}"})


def people_with_labels_of_models(gate: GateContext) -> Faults:
    """Annotators whose grades are all those of a model in the release: labels of a model came in.

    Only pairs with both judgments are compared, as in the release.
    """
    judged = Pair.objects.of(gate.collection).judged().order_by().values("pk")
    label = Q(pair__slots__judgment__grade__isnull=False, pair__in=judged)
    rows = (
        ShadowLabel.objects.filter(label, shadow_judge__name__in=gate.options.model_labels)
        .filter(shadow_judge__collection=gate.collection)
        .order_by()
        .values_list("pair__slots__judgment__annotator__username", "shadow_judge__name")
        .annotate(
            compared=Count("pk"),
            same=Count("pk", filter=Q(grade=F("pair__slots__judgment__grade"))),
            kinds=Count("grade", distinct=True),
        )
    )
    copies = sorted((user, model) for user, model, *counts in rows if are_copies(*counts))
    return faults(f"{user} and {model}" for user, model in copies)


def licence(gate: GateContext) -> Faults:
    stated = gate.collection.licence.strip()
    return Faults(are_some=not stated, words={"licence": stated})


def owners_who_still_judge(gate: GateContext) -> Faults:
    """The owner-annotators of a collection that has no admin. They must not see what it holds."""
    owners = gate.collection.memberships.filter(role__in=OWNERS).order_by("user__username")
    people = list(owners.values_list("user__username", "role"))
    if any(role == Role.ADMIN for _, role in people):
        return Faults()
    return faults(username for username, _ in people)


def corpus_licence(gate: GateContext) -> Faults:
    """It says which texts are in the release, too: that is the publisher's choice, never ours."""
    texts = gate.options.texts
    if not texts.included:
        contents = "The release contains document ids only, no titles and abstracts"
        return Faults(words={"contents": contents})
    which = "all documents" if texts is Texts.CORPUS else "the queries and candidates"
    contents = f"The release contains the titles and abstracts of {which}"
    if stated := gate.collection.corpus_licence.strip():
        return Faults(words={"contents": f"{contents}, licence {stated}"})
    return Faults(are_some=True, words={"contents": contents})


def undecided_pairs(gate: GateContext) -> Faults:
    return _standing(gate.collection, Standing.DUE, gate.pair_counts.due, UNDECIDED)


def unjudged_pairs(gate: GateContext) -> Faults:
    unjudged = gate.pair_counts.total - gate.pair_counts.judged
    return _standing(gate.collection, Standing.UNJUDGED, unjudged, UNJUDGED)


def reports_of_earlier_labels(gate: GateContext) -> Faults:
    return faults(report.name for report in gate.old_reports if report.stops_release)


def unanswered_questions(gate: GateContext) -> Faults:
    judged = gate.options.labels is LabelSource.JUDGED
    return faults(missing_answers(gate.collection, judged=judged))


def made_folds(gate: GateContext) -> Faults:
    """Folds that are made here give other figures than those of a publication.

    Without a plan, folds are made. A release without labels has no folds.
    """
    if not gate.labels:
        return Faults()
    plan = FoldPlan.objects.filter(collection=gate.collection).first()
    if plan is not None and (plan.imported_from or not plan.made):
        return Faults()
    return Faults(count=int(not dates_known(gate.collection)))


def _standing(collection: Collection, standing: Standing, count: int, number: Any) -> Faults:
    """The first pairs of a standing, from the first queries that have any.

    `number` is how many a row of `PairCount` has, and `count` their sum.
    """
    if not count:
        return Faults()
    rows = (
        PairCount.objects.filter(query__collection=collection)
        .annotate(number=number)
        .filter(number__gt=0)
        .order_by(by_code_point("query__name"))
        .values_list("query", "number")[:SHOWN]
    )
    queries, numbers = zip(*rows, strict=True)
    enough = sum(so_far < SHOWN for so_far in accumulate(numbers)) + 1
    pairs = labelled_pairs(collection, Pair.objects.filter(query__in=queries[:enough]))
    names = (name_of(pair) for pair in pairs if pair.standing is standing)
    return Faults(count, faults(names).items)


def unopened_queries(gate: GateContext) -> Faults:
    unopened = Query.objects.filter(collection=gate.collection, opening=None)
    names = unopened.order_by(by_code_point("name")).values_list("name", flat=True)
    return Faults(unopened.count(), tuple(names[:SHOWN]))


def unopened_candidates(gate: GateContext) -> Faults:
    """Open queries with candidates of later pool rounds that were not opened for judging."""
    waiting = waiting_pairs(gate.collection)
    names = sorted(waiting)
    return Faults(sum(waiting.values()), tuple(names[:SHOWN]))


def unwritable_names(gate: GateContext) -> Faults:
    """Ids with white space that a label has. An index holds the few such documents."""
    documents = gate.collection.documents.filter(HasWhiteSpace("docno")).order_by()
    queries = gate.collection.queries.filter(HasWhiteSpace("name") | Q(name="")).order_by()
    labelled = [
        *_labelled(gate.collection, "candidate__document", documents.values_list("pk", flat=True)),
        *_labelled(gate.collection, "query", queries.values_list("pk", flat=True)),
    ]
    ids = (name for pair in labelled for name in (pair.query, pair.docno))
    return unwritable(ids, gate.collection.facets.values_list("key", flat=True))


def queries_without_relevant(gate: GateContext) -> Faults:
    """Queries with labels, none of which is relevant.

    Queries with a pair that both judges call relevant are left out by their counts. What is left
    are few queries, whose standing decisions are read.
    """
    rows = (
        PairCount.objects.filter(query__collection=gate.collection)
        .annotate(
            agreed=F("judged") - F("disputed"),
            settled=Coalesce(F("query__case_count__settled"), 0),
            relevant=Coalesce(F("query__relevant_count__agreed"), 0),
        )
        .filter(Q(agreed__gt=0) | Q(settled__gt=0), relevant=0)
        .values_list("query", "query__name", "agreed")
    )
    queries = {pk: (name, agreed) for pk, name, agreed in rows}
    best: dict[int, int] = {}
    for some in batched(list(queries), TOGETHER):
        # Their pairs by a subquery: joined, SQLite would begin with all decisions.
        pairs = Pair.objects.filter(query__in=some).order_by().values("pk")
        decided = standing_decisions(pair__in=pairs, grade__isnull=False)
        best |= dict(decided.values_list("pair__query").annotate(Max("grade")))
    return faults(
        sorted(
            name
            for pk, (name, agreed) in queries.items()
            if (agreed or pk in best) and best.get(pk, 0) < gate.collection.relevant_from
        )
    )


def duplicate_candidates(gate: GateContext) -> Faults:
    # Of all collections first, as with the unsourced pairs.
    keys = list(DuplicateCandidate.objects.values_list("pk", flat=True))
    columns = ("pool__query_paper__name", "document__docno")
    found: list[tuple[str, str]] = []
    for some in batched(keys, TOGETHER):
        rows = Candidate.objects.filter(
            pk__in=some, document__collection=gate.collection
        ).order_by()
        found += rows.values_list(*columns)
    return faults(f"{paper} {docno}" for paper, docno in sorted(found))


def self_retrieved(gate: GateContext) -> Faults:
    """Queries with a label for their own query paper; few pools have it."""
    # A subquery that gives a value is looked up for each query paper. Of a join, PostgreSQL would
    # read all candidates.
    own = Candidate.objects.filter(pool=OuterRef("pool"), document=OuterRef("document")).order_by()
    papers = gate.collection.query_papers.annotate(own=Subquery(own.values("pk")[:1])).order_by()
    pairs = _labelled(
        gate.collection, "candidate", papers.filter(own__isnull=False).values_list("own", flat=True)
    )
    return faults(pair.query for pair in pairs)


def pairs_without_source(gate: GateContext) -> Faults:
    # Of all collections: to join their pairs here would take longer than to leave others out later.
    unsourced = UnsourcedPair.objects.values_list("pk", flat=True)
    return faults(name_of(pair) for pair in _labelled(gate.collection, "pk", unsourced))


def pairs_with_changed_texts(gate: GateContext) -> Faults:
    """Each digest is computed again. Only pairs that the triggers marked should be among them."""
    marked = None if gate.compares_every_text else Pair.objects.filter(text_changed=True)
    changed = sorted(pairs_shown_otherwise(gate.collection, marked))
    return faults(f"{query} {docno}" for query, docno in changed)


def _labelled(collection: Collection, field: str, keys: Iterable[int]) -> list[LabelledPair]:
    """The pairs with a final label whose `field` has one of the keys, which are few or none."""
    found: list[LabelledPair] = []
    for some in batched(list(keys), TOGETHER):
        pairs = labelled_pairs(collection, Pair.objects.filter(**{f"{field}__in": some}))
        found += (pair for pair in pairs if pair.final is not None)
    return sorted(found, key=lambda pair: (pair.query, pair.docno))

"""The facts that the gate checks, asked of the database: from kept counts and small queries.

The number of queries is the same for any size of the collection. What they read grows with the
number of queries of the collection, and with the number of faults; see docs/adr/0018-counts.md.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import accumulate
from typing import Any

from django.db.models import Count, Exists, F, Max, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import Coalesce

from accounts.models import Collection
from adjudication.labels import labelled_pairs
from adjudication.models import Decision
from adjudication.standing import LabelledPair, Standing
from annotation.models import Pair, PairCount, Slot
from annotation.stale_presentations import pairs_shown_otherwise
from bundle.options import DEFAULT_OPTIONS, LabelSource, ReleaseOptions, Texts
from corpus.models import Query
from pooling.models import Candidate
from release.datasheets.current import missing_answers
from release.gate.current_citation_facts import citation_facts_now
from release.gate.facts import SHOWN, Facts, Faults, faults, name_of, unwritable
from release.gate.made_folds import has_made_folds
from release.gate.stored_reports import stale_reports
from release.gate.white_space import HasWhiteSpace
from release.models import DuplicateCandidate, UnsourcedPair
from release.snapshot.consistent_reads import batched, by_code_point, consistent_read

TOGETHER = 5000  # keys in a query, which both databases take
UNDECIDED = F("disputed") - Coalesce(F("query__case_count__settled"), 0)
UNJUDGED = F("total") - F("judged")


def facts_now(collection: Collection, options: ReleaseOptions = DEFAULT_OPTIONS) -> Facts:
    """The result of `facts_of` for a snapshot of this moment, without reading the pairs."""
    with consistent_read():
        collection = Collection.objects.get(pk=collection.pk)
        if options.labels is LabelSource.CITATIONS:
            return citation_facts_now(collection, options)
        counts = _counts(collection)
        labels = counts["judged"] - counts["due"] - _set_aside(collection)
        return Facts(
            options=options,
            labels=labels,
            licence=collection.licence.strip(),
            corpus_licence=collection.corpus_licence.strip(),
            unwritable=_unwritable(collection),
            unresolved=_standing(collection, Standing.DUE, counts["due"], UNDECIDED),
            unjudged=_standing(
                collection, Standing.UNJUDGED, counts["total"] - counts["judged"], UNJUDGED
            ),
            unopened=_unopened(collection),
            without_relevant=_without_relevant(collection),
            self_retrieved=_self_retrieved(collection),
            duplicates=_duplicates(collection),
            without_source=_without_source(collection),
            shown_otherwise=_shown_otherwise(collection),
            unanswered=faults(missing_answers(collection)),
            has_made_folds=bool(labels) and has_made_folds(collection),
            old_reports=faults(stale_reports(collection)),
        )


def count_documents(collection: Collection, texts: Texts) -> int:
    """The documents whose texts or ids are in a release.

    It looks at each document of the collection, which takes a tenth of a second for 100,000. So it
    is not a fact of the gate, whose page is opened often.
    """
    if texts is Texts.CORPUS:
        return collection.documents.count()
    frozen = Candidate.objects.filter(pool__frozen_at__isnull=False).order_by()
    pooled = collection.documents.filter(Exists(frozen.filter(document=OuterRef("pk"))))
    papers = collection.query_papers.filter(document__isnull=False).exclude(
        Exists(frozen.filter(document=OuterRef("document")))
    )
    return pooled.count() + papers.count()


def _counts(collection: Collection) -> dict[str, int]:
    """Pairs by state: `total`, `judged`, and those `due` for a decision."""
    sums = PairCount.objects.filter(query__collection=collection).aggregate(
        total=Coalesce(Sum("total"), 0),
        judged=Coalesce(Sum("judged"), 0),
        due=Coalesce(Sum(UNDECIDED), 0),
    )
    return dict(sums)


def _set_aside(collection: Collection) -> int:
    """The pairs whose standing decision gives no grade; an index holds the few such decisions."""
    # Not joined, and of all collections: otherwise SQLite goes through the collection's pairs.
    counted = (
        _standing_decisions(grade=None).values_list("pair__query__collection").annotate(Count("pk"))
    )
    counts: dict[int, int] = dict(counted)
    return counts.get(collection.pk, 0)


def _standing_decisions(**which: Any) -> QuerySet[Decision]:
    """Of these decisions, those on the judgments that both slots show, without a later one."""
    later = Decision.objects.filter(
        pair=OuterRef("pair"),
        first=OuterRef("first"),
        second=OuterRef("second"),
        sequence__gt=OuterRef("sequence"),
    )
    slots = Slot.objects.filter(pair=OuterRef("pair"))
    return (
        Decision.objects.filter(**which, referral_count=F("pair__referral_count"))
        .filter(Exists(slots.filter(number=1, judgment=OuterRef("first"))))
        .filter(Exists(slots.filter(number=2, judgment=OuterRef("second"))))
        .exclude(Exists(later))
        .order_by()
    )


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


def _unopened(collection: Collection) -> Faults:
    unopened = Query.objects.filter(collection=collection, opening=None)
    names = unopened.order_by(by_code_point("name")).values_list("name", flat=True)
    return Faults(unopened.count(), tuple(names[:SHOWN]))


def _unwritable(collection: Collection) -> Faults:
    """Ids with white space that a label has. An index holds the few such documents."""
    documents = collection.documents.filter(HasWhiteSpace("docno")).order_by()
    queries = collection.queries.filter(HasWhiteSpace("name") | Q(name="")).order_by()
    labelled = [
        *_labelled(collection, "candidate__document", documents.values_list("pk", flat=True)),
        *_labelled(collection, "query", queries.values_list("pk", flat=True)),
    ]
    ids = (name for pair in labelled for name in (pair.query, pair.docno))
    return unwritable(ids, collection.facets.values_list("key", flat=True))


def _without_relevant(collection: Collection) -> Faults:
    """Queries with labels, none of which is relevant.

    Queries with a pair that both judges call relevant are left out by their counts. What is left
    are few queries, whose standing decisions are read.
    """
    rows = (
        PairCount.objects.filter(query__collection=collection)
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
        decided = _standing_decisions(pair__in=pairs, grade__isnull=False)
        best |= dict(decided.values_list("pair__query").annotate(Max("grade")))
    return faults(
        sorted(
            name
            for pk, (name, agreed) in queries.items()
            if (agreed or pk in best) and best.get(pk, 0) < collection.relevant_from
        )
    )


def _duplicates(collection: Collection) -> Faults:
    # Of all collections first, as with the unsourced pairs.
    keys = list(DuplicateCandidate.objects.values_list("pk", flat=True))
    columns = ("pool__query_paper__name", "document__docno")
    found: list[tuple[str, str]] = []
    for some in batched(keys, TOGETHER):
        rows = Candidate.objects.filter(pk__in=some, document__collection=collection).order_by()
        found += rows.values_list(*columns)
    return faults(f"{paper} {docno}" for paper, docno in sorted(found))


def _self_retrieved(collection: Collection) -> Faults:
    """Queries with a label for their own query paper; few pools have it."""
    # A subquery that gives a value is looked up for each query paper. Of a join, PostgreSQL would
    # read all candidates.
    own = Candidate.objects.filter(pool=OuterRef("pool"), document=OuterRef("document")).order_by()
    papers = collection.query_papers.annotate(own=Subquery(own.values("pk")[:1])).order_by()
    pairs = _labelled(
        collection, "candidate", papers.filter(own__isnull=False).values_list("own", flat=True)
    )
    return faults(pair.query for pair in pairs)


def _without_source(collection: Collection) -> Faults:
    # Of all collections: to join their pairs here would take longer than to leave others out later.
    unsourced = UnsourcedPair.objects.values_list("pk", flat=True)
    return faults(name_of(pair) for pair in _labelled(collection, "pk", unsourced))


def _shown_otherwise(collection: Collection) -> Faults:
    """Only marked pairs can be among them; each one's digest is computed again."""
    marked = Pair.objects.filter(text_changed=True)
    changed = sorted(pairs_shown_otherwise(collection, marked))
    return faults(f"{query} {docno}" for query, docno in changed)


def _labelled(collection: Collection, field: str, keys: Iterable[int]) -> list[LabelledPair]:
    """The pairs with a final label whose `field` has one of the keys, which are few or none."""
    found: list[LabelledPair] = []
    for some in batched(list(keys), TOGETHER):
        pairs = labelled_pairs(collection, Pair.objects.filter(**{f"{field}__in": some}))
        found += (pair for pair in pairs if pair.final is not None)
    return sorted(found, key=lambda pair: (pair.query, pair.docno))

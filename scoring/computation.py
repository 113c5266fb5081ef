"""Scores a system's lists against labels, by profiles: the one way that every table is made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from accounts.models import Collection
from scoring.fields import qrels_by_type, query_fields
from scoring.folds import Folds, made_folds
from scoring.labels import GradedLabels, query_facets
from scoring.measures.judged_ranks import JudgedDocuments, JudgedRanks, Qrels
from scoring.measures.profiles import TREC, Profile, profile_of
from scoring.measures.sampled import SampledPools
from scoring.measures.scoring import ours, score, scored_queries
from scoring.models import Fold, FoldPlan
from scoring.sampled_pools import sampled_pools_of
from scoring.score_tables import ListCounts, MeansRow, QueryGroups, field_rows, summary_rows
from web.lazy import pandas as pd

Lists = Callable[[], Iterable[tuple[str, Sequence[str]]]]  # reads (query, docnos best first)


class ProfileScores(NamedTuple):
    """A system's values by one profile: a row for each scored query, and the leaderboard's rows."""

    profile: Profile
    table: pd.DataFrame
    rows: list[MeansRow]


class Scorer:
    """Scores systems against labels, which are read once.

    `count_empty`: queries without a relevant document count as 0, as in trec_eval, and are not left
    out. `sample_lost` is why inferred measures of sampled pools are missing, or "".
    """

    def __init__(
        self,
        labels: GradedLabels,
        queries: QueryGroups,
        profiles: Sequence[Profile],
        *,
        count_empty: bool,
        sampled: SampledPools | None,
        sample_lost: str,
        by_type: Mapping[str, Qrels],
    ) -> None:
        self.labels, self.queries, self.profiles = labels, queries, profiles
        self.count_empty = count_empty
        self.sampled, self.sample_lost = sampled, sample_lost
        measures = [measure for profile in profiles for measure in profile.measures]
        self._others = any(measure.compute is None for measure in measures)
        self.judged, *judged_by_type = [
            JudgedDocuments(scored_queries(qrels, measures, count_empty=count_empty))
            for qrels in (labels.qrels, *by_type.values())
        ]
        self._by_type = dict(zip(by_type, judged_by_type, strict=True))

    @classmethod
    def of(
        cls,
        collection: Collection,
        labels: GradedLabels,
        profiles: Sequence[Profile],
        *,
        folds: Folds | None = None,
        count_empty: bool = False,
    ) -> Scorer:
        """For the labels of a collection; `folds` replace those of the collection."""
        by_field = any(profile.by_field for profile in profiles)
        sampled, lost = None, ""
        if _has_sampled_measures(profiles, labels.relevant_from):
            sampled, lost = sampled_pools_of(collection, labels.qrels, labels.relevant_from)
        return cls(
            labels,
            labelled_queries(collection, labels.qrels, folds=folds),
            profiles,
            count_empty=count_empty,
            sampled=sampled,
            sample_lost=lost,
            by_type=qrels_by_type(collection, labels.qrels, labels.relevant_from)
            if by_field
            else {},
        )

    def scores(self, lists: Lists) -> list[ProfileScores]:
        """The values by each profile. `lists` is called once, or once more for a second reading."""
        whole = dict(lists()) if self._others else None
        restricted: dict[str, list[str]] = {}
        pairs = lists() if whole is None else whole.items()
        if self._by_type:
            pairs = _restricting(pairs, self.labels.qrels, restricted)
        ranks = self.judged.ranks_of(pairs)
        counts = ListCounts.of(ranks)
        inferred = self.sampled.scores(lists()) if self.sampled else None
        return [
            self._profile_scores(ranks, profile, counts, whole, restricted, inferred)
            for profile in self.profiles
        ]

    def _profile_scores(
        self,
        ranks: JudgedRanks,
        profile: Profile,
        counts: ListCounts,
        whole: Mapping[str, Sequence[str]] | None,
        restricted: Mapping[str, Sequence[str]],
        inferred: pd.DataFrame | None,
    ) -> ProfileScores:
        if whole is not None:
            table = score(ranks.judged, whole, profile.measures)
        else:
            table = pd.DataFrame(
                ours(ranks, profile.measures), index=pd.Index(ranks.judged.queries, name="query")
            )
        if self.count_empty:
            table = table.fillna(0.0)
        if inferred is not None and profile.name == TREC:
            table = table.join(inferred)
        if not profile.by_field:
            return ProfileScores(profile, table, summary_rows(table, self.queries, counts))
        rows = field_rows(table, self.queries, counts)
        return ProfileScores(profile, table, [*rows, *self._type_rows(profile, restricted)])

    def _type_rows(
        self, profile: Profile, lists: Mapping[str, Sequence[str]]
    ) -> Iterator[MeansRow]:
        for source, judged in self._by_type.items():
            known = {
                query: [docno for docno in lists[query] if docno in grades]
                for query, grades in zip(judged.queries, judged.grades, strict=True)
                if query in lists
            }
            table = score(judged, known, profile.measures)
            queries = self.queries.of_all(table.index)
            yield from field_rows(table, queries, ListCounts(), candidates=source)


def _restricting(
    lists: Iterable[tuple[str, Sequence[str]]], qrels: Qrels, restricted: dict[str, list[str]]
) -> Iterator[tuple[str, Sequence[str]]]:
    """The same lists; their labelled documents are kept in `restricted`."""
    for query, docnos in lists:
        grades = qrels.get(query)
        if grades is not None:
            restricted[query] = [docno for docno in docnos if docno in grades]
        yield query, docnos


def _has_sampled_measures(profiles: Iterable[Profile], relevant_from: int) -> bool:
    """Return whether one of the profiles is `trec` with its own measures."""
    trec = profile_of(TREC, relevant_from).names
    return any(profile.name == TREC and profile.names == trec for profile in profiles)


def labelled_queries(
    collection: Collection, qrels: Qrels, *, folds: Folds | None = None
) -> QueryGroups:
    """Facet, fold and field of each query with a label."""
    facets = query_facets(collection)
    labelled = {query: facets[query] for query in sorted(qrels)}
    if folds is None:
        folds = folds_of(collection, labelled)
    return QueryGroups(labelled, folds, query_fields(collection))


def folds_of(collection: Collection, facets: Mapping[str, str]) -> Folds:
    """The imported folds of a collection's queries, or those made of `facets` from its seed."""
    plan = FoldPlan.objects.filter(collection=collection).first()
    if plan is None:
        return made_folds(facets, collection.seed)
    if not plan.imported_from:
        return made_folds(facets, collection.seed, plan.made)
    imported = Fold.objects.filter(query__collection=collection)
    numbers = dict(imported.values_list("query__name", "number"))
    return Folds(numbers, plan.imported_from)

"""A collection at one moment, as a release has it. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from bundle.findings import Finding
from bundle.options import LabelSource, ReleaseOptions

if TYPE_CHECKING:
    from adjudication.standing import LabelledPair
    from bundle.query_texts import ReleasedQueryText
    from pooling.services.samples import StratifiedPool

from adjudication.blind.figures import NO_FIGURES, BlindFigures
from bundle.interchange import Interchange
from bundle.label_errors.records import JudgedSamples
from bundle.records import (
    NO_REPORTS,
    Adjudication,
    AdvisedJudgment,
    Label,
    PooledDocument,
    PreviousVersion,
    ProposedGrade,
    Rating,
    Records,
    ReleasedBuild,
    ReleasedCollection,
    ReleasedCorpusImport,
    ReleasedDatasheet,
    ReleasedDocument,
    ReleasedFolds,
    ReleasedGuideline,
    ReleasedGuidelineChange,
    ReleasedImport,
    ReleasedModel,
    ReleasedPilots,
    ReleasedQualifications,
    ReleasedQuery,
    ReleasedReferral,
    ReleasedReports,
    ReleasedRound,
    ReleasedRun,
    ReleasedScope,
    ReleasedTopic,
    RunLines,
    SettledErratum,
)


def names_differ(collection: ReleasedCollection, queries: Iterable[ReleasedQuery]) -> bool:
    """Return whether ids of queries differ from those of their papers or topics."""
    return collection.has_facets or any(query.sentences for query in queries)


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A collection at one moment. Of pairs that are not judged twice it holds no judgment.

    Documents, pairs, ratings, adjudications and pools are too many for memory. They lie on disk,
    documents by docno, the others by query id or query paper first, as their files have them.
    """

    options: ReleaseOptions
    collection: ReleasedCollection
    queries: tuple[ReleasedQuery, ...]
    folds: ReleasedFolds
    documents: Records[ReleasedDocument]
    pairs: Records[LabelledPair]
    ratings: Records[Rating]
    adjudications: Records[Adjudication]
    pools: Records[PooledDocument]
    builds: tuple[ReleasedBuild, ...]
    runs: tuple[ReleasedRun, ...]
    guidelines: tuple[ReleasedGuideline, ...]
    rounds: tuple[ReleasedRound, ...] = ()  # after the builds, by number
    samples: tuple[StratifiedPool, ...] = ()  # of the query papers with a label
    run_lines: Mapping[str, RunLines] = field(default_factory=dict)  # by file, also of rounds
    query_run_lines: Mapping[str, RunLines] = field(default_factory=dict)  # the same, by query
    findings: tuple[Finding, ...] = ()  # of every check of the gate, in order or not
    topics: tuple[ReleasedTopic, ...] = ()  # of all queries, by query id
    judgment_imports: tuple[ReleasedImport, ...] = ()
    corpus_imports: tuple[ReleasedCorpusImport, ...] = ()  # in their order
    judged_here: bool = True  # whether a judgment was made here, and not imported
    query_texts: tuple[
        ReleasedQueryText, ...
    ] = ()  # by query id; without texts those of topics only
    previous: PreviousVersion | None = None
    errata: tuple[SettledErratum, ...] = ()  # settled, and not in an earlier version's changelog
    referrals: tuple[ReleasedReferral, ...] = ()  # that are in no earlier version's changelog
    referrals_before: int = 0  # how many are
    guideline_changes: tuple[ReleasedGuidelineChange, ...] = ()  # in no earlier changelog
    guideline_changes_before: int = 0  # how many are
    scopes: tuple[ReleasedScope, ...] = ()  # how the lists of systems can be scored
    supports: str = ""  # what the collection supports, by an up-to-date report on pool bias
    datasheet: ReleasedDatasheet = field(default_factory=ReleasedDatasheet)
    interchange: Interchange = field(default_factory=Interchange)
    reports: ReleasedReports = NO_REPORTS
    pilots: ReleasedPilots = field(default_factory=ReleasedPilots)
    qualifications: ReleasedQualifications = field(default_factory=ReleasedQualifications)
    blind_ratings: BlindFigures = NO_FIGURES
    proposals: tuple[ProposedGrade, ...] = ()  # by query id, docno and slot
    advised: tuple[AdvisedJudgment, ...] = ()  # by query id, docno and slot
    models: tuple[ReleasedModel, ...] = ()  # those that the publisher chose, by name
    label_samples: JudgedSamples = field(default_factory=JudgedSamples)

    @property
    def has_sentence_queries(self) -> bool:
        return any(query.sentences for query in self.queries)

    @property
    def names_differ(self) -> bool:
        """True if ids of queries differ from those of their papers or topics."""
        return names_differ(self.collection, self.queries)

    @property
    def of_citations(self) -> bool:
        """True if the labels are citations; see `citation_labels`."""
        return self.options.labels is LabelSource.CITATIONS

    @property
    def labels(self) -> Iterator[Label]:
        """The final labels by query id, then docno."""
        for pair in self.pairs:
            if pair.final is not None:
                yield Label(pair.query, pair.facet, pair.docno, pair.final)

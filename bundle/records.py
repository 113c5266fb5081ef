"""The records of a release, as values. Pure.

They contain no names: people appear as pseudonyms like `annotator-2`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from typing import Any, NamedTuple, Protocol, TypeVar

from bundle.datasheet.profiles import PublishedField
from corpus.text.query_facts import QueryFacts
from scoring.folds import Folds

Record = TypeVar("Record", covariant=True)


class Label(NamedTuple):
    """A line of qrels: a final label."""

    query: str
    facet: str
    docno: str
    grade: int


class ModelLabel(NamedTuple):
    """A model's grade of a pair, which never counts as a label."""

    query: str
    docno: str
    grade: int


@dataclass(frozen=True, slots=True)
class ReleasedModel:
    """The labels of a model, by query and docno. `about` has what it was asked, as JSON types."""

    name: str
    about: Mapping[str, Any]
    labels: Records[ModelLabel]


class FoundBy(NamedTuple):
    """A source of a candidate. `rank` counts from 1, None for sources without ranks."""

    source: str
    rank: int | None
    score: float | None
    drawn: bool


class PooledDocument(NamedTuple):
    """A candidate of a query paper; `excluded` is the reason why it is not judged, or "".

    `inclusion` is the probability with which a sample drew it, None in a pool that is not a sample.
    `round` is the pool round that added it, 1 for the builds.
    """

    query_paper: str
    docno: str
    position: int
    excluded: str
    sources: tuple[FoundBy, ...]
    inclusion: float | None = None
    round: int = 1

    @property
    def drawn_by(self) -> str | None:
        return next((source.source for source in self.sources if source.drawn), None)


class Rating(NamedTuple):
    """The current judgment in one slot of a judged pair. `sequence` 2 is a first revision.

    `guideline` is the version that it was made under. `aspects` are what the match is about, as
    `annotation.aspects.aspects_cell` writes them. `pool_round` is that of the candidate.
    """

    query: str
    facet: str
    docno: str
    slot: int
    annotator: str
    grade: int | None
    reason: str
    sequence: int
    seconds: float | None
    presentation_digest: str
    guideline: int
    aspects: str = ""
    pool_round: int = 1


class ProposedGrade(NamedTuple):
    """A first judgment of a pair with two judgments, and the grade proposed after it.

    `aspects` are the shared steps, as `annotation.aspects.aspects_cell` writes them.
    """

    query: str
    docno: str
    slot: int
    first_grade: int
    aspects: str
    details_alike: bool
    proposed_grade: int


class AdvisedJudgment(NamedTuple):
    """A judgment that its judge made after an admin's answer about this pair."""

    query: str
    docno: str
    slot: int


class Adjudication(NamedTuple):
    """The standing decision on a case, beside the two grades it decides between."""

    query: str
    facet: str
    docno: str
    adjudicator: str
    grade: int | None
    reason: str
    first: int | None
    second: int | None
    overruled: bool


class ReleasedQuery(NamedTuple):
    """A query and whether it was opened for judging; `guideline` is the version it was under.

    `sentences` are the numbers, from 1, of a query by sentences. A whole facet has none.
    """

    name: str
    facet: str
    query_paper: str
    guideline: int | None
    is_topic: bool = False
    sentences: tuple[int, ...] = ()
    title: str = ""
    facts: QueryFacts = QueryFacts()
    field: str = ""  # the first field of the query paper

    @property
    def opened(self) -> bool:
        return self.guideline is not None


class ReleasedTopic(NamedTuple):
    """The topic of a query, under the id of the query, as qrels have it."""

    query: str
    title: str
    description: str
    narrative: str


class ReleasedDocument(NamedTuple):
    """A query paper, a candidate or another document of the corpus, as the judges saw its text.

    `labels[i]` is the label of `sentences[i]`. All but `docno` are empty in a release without
    texts.
    """

    docno: str
    title: str
    sentences: tuple[str, ...]
    labels: tuple[str, ...]
    year: int | None
    venue: str
    authors: tuple[str, ...]
    references: tuple[str, ...]
    fields: tuple[str, ...]


class ReleasedFolds(NamedTuple):
    """Folds of queries: `numbers` has the fold, from 1, that tests each query; 0 if none does.

    `imported_from` names the file of imported folds. Without it, they are made by `seed`, with
    every facet in all folds.
    """

    numbers: Mapping[str, int]
    imported_from: str
    seed: str

    @property
    def imported(self) -> bool:
        return bool(self.imported_from)

    @property
    def number(self) -> int:
        """The number of folds; 0 for none."""
        return max(self.numbers.values(), default=0)

    @property
    def origin(self) -> str:
        """The origin of the folds, to be read after "folds"; "" without folds."""
        return Folds(self.numbers, self.imported_from).origin

    @property
    def stated(self) -> dict[str, int | str]:
        """The manifest's entry about the folds, with the names of files of `collection/`."""
        if not self.number:
            return {"number": 0}
        from_where = "imported_from" if self.imported else "seed"
        return {"number": self.number, from_where: self.imported_from or self.seed}


class ReleasedScope(NamedTuple):
    """The support for a scope of scoring: `closed`, `open` or `condensed`, and the reason.

    `answer` is `supported`, `not supported` or `cannot be said`.
    """

    scope: str
    answer: str
    reason: str


class ReleasedGuideline(NamedTuple):
    """A guideline that queries were judged under. `grades` is as in `annotation.Guideline`."""

    facet: str
    version: int
    instructions: str
    grades: tuple[Mapping[str, Any], ...]


class ReleasedReports(NamedTuple):
    """Reports that the database has. `current` has their contents as JSON types, by their keys.

    `out_of_date` are the keys of reports that are out of date.
    """

    current: Mapping[str, Any] = {}
    out_of_date: tuple[str, ...] = ()


NO_REPORTS = ReleasedReports()
RunLines = Callable[[], Iterator[str]]  # the lines of a run's file, read when it is called


class ReleasedRun(NamedTuple):
    """A run. `file` is its name in the bundle, None if no released pool was drawn from it."""

    name: str
    kind: str
    parameters: Mapping[str, Any]
    depth: int | None
    sha256: str
    file: str | None = None


class ReleasedBuild(NamedTuple):
    """A build of pools: its manifest, and the query papers whose pools come from it."""

    manifest: Mapping[str, Any]
    query_papers: tuple[str, ...]


class ReleasedRound(NamedTuple):
    """A pool round after the builds: its manifest, and the files of its runs, by their names.

    `documents` were added to the pools of `query_papers` query papers. No person is named.
    """

    manifest: Mapping[str, Any]
    files: Mapping[str, str]
    documents: int
    query_papers: int

    @property
    def number(self) -> int:
        return int(self.manifest["round"])


class ReleasedImport(NamedTuple):
    """Files of judgments made elsewhere, with the SHA-256 of each, and what came from them."""

    files: Mapping[str, str]
    judgments: int
    decisions: int


class ReleasedStep(NamedTuple):
    """A step of a corpus import: what it left out, and how many documents remained after it."""

    name: str
    removed: int
    remaining: int


class ReleasedCorpusImport(NamedTuple):
    """An import of documents: its source, its recipe, its counts and its steps."""

    source: str
    format: str
    recipe: Mapping[str, Any]
    created: int
    updated: int
    unchanged: int
    steps: tuple[ReleasedStep, ...]


class ConsentVersion(NamedTuple):
    """A version of the consent text: how many judges agreed, and how many of them withdrew."""

    number: int
    agreed: int
    withdrawn: int


class ReleasedConsent(NamedTuple):
    """The consent of those who judged pairs of the release, in counts.

    `without` is how many of the `judges` agreed to no version. Without `versions`, the collection
    never asked.
    """

    versions: tuple[ConsentVersion, ...] = ()
    judges: int = 0
    without: int = 0

    def as_json(self) -> dict[str, Any] | None:
        """As `collection/settings.json` has it; None if the collection never asked."""
        if not self.versions:
            return None
        return {**self._asdict(), "versions": [version._asdict() for version in self.versions]}


class ReleasedDatasheet(NamedTuple):
    """The answers by question, and what is read from the database for the datasheet only.

    `first_day` and `last_day` are those of the released judgments, as ISO dates in UTC, or "".
    They are not known if judgments were imported. `annotators` has groups of people only.
    `owner_annotators` is how many of those who judged owned the collection meanwhile.
    """

    answers: Mapping[str, str] = {}
    dates_known: bool = True
    first_day: str = ""
    last_day: str = ""
    annotators: tuple[PublishedField, ...] = ()
    owner_annotators: int = 0
    consent: ReleasedConsent = ReleasedConsent()


class QualifiedPeople(NamedTuple):
    """The number of people who judged, or who decided, by their qualification.

    `excepted` have it from an admin. `others` judged or decided before the rule, or have lost it.
    """

    measured: int = 0
    excepted: int = 0
    others: int = 0


class ReleasedQualifications(NamedTuple):
    """The rules on who judges and who adjudicates, each with the people; None without the rule.

    `senior_seats` is how many seats a senior has, for a reason.
    """

    judges: tuple[float, QualifiedPeople] | None = None
    seniors: tuple[float, QualifiedPeople] | None = None
    senior_seats: int = 0


FileLines = Callable[[], Iterator[bytes]]  # the lines of a file, read when it is called


class PreviousVersion(NamedTuple):
    """The version that was published before, with two files of its bundle.

    Without its file, which is missing or damaged, both are None and nothing can be compared.
    """

    version: str
    sha256: str
    manifest: Mapping[str, Any]
    qrels: FileLines | None = None
    pools: FileLines | None = None


class ReleasedPilots(NamedTuple):
    """The pilot rounds with a judgment, their judged pairs, and the people who judged in them."""

    rounds: int = 0
    pairs: int = 0
    annotators: int = 0


class ReleasedReferral(NamedTuple):
    """A judged pair that an admin had settled again. `recipient`: "adjudicator" or "judges"."""

    query: str
    docno: str
    recipient: str
    reason: str


class ReleasedGuidelineChange(NamedTuple):
    """Another version of its guideline for an open query. In a new round, all is judged again."""

    query: str
    earlier: int
    version: int
    round: int
    is_new_round: bool
    reason: str


class SettledErratum(NamedTuple):
    """A reader's report about an earlier version with the publisher's answer. It names no reader.

    `docno` is empty for a report about a whole query.
    """

    version: str
    number: int
    query: str
    docno: str
    accepted: bool
    answer: str

    @property
    def name(self) -> str:
        return f"{self.version}-{self.number}"


class ReleasedFacet(NamedTuple):
    """A facet; `labels` are the labels of the sentences that belong to it."""

    key: str
    name: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ReleasedCollection:
    slug: str
    name: str
    description: str
    licence: str
    seed: str
    facets: tuple[ReleasedFacet, ...]
    highest_grade: int = 3
    relevant_from: int = 2
    corpus_licence: str = ""  # of the documents' texts; `licence` is that of the judgments

    def as_json(self) -> dict[str, Any]:
        """The collection in the manifest."""
        return asdict(self) | {"facets": [facet.key for facet in self.facets]}

    @property
    def grades(self) -> range:
        return range(self.highest_grade + 1)

    @property
    def has_facets(self) -> bool:
        """True if queries are papers under facets. Without facets, the only one has no key."""
        return any(facet.key for facet in self.facets)


class Records(Protocol[Record]):
    """Records in the order of their file, to be read any number of times; see `stored_records`."""

    def __iter__(self) -> Iterator[Record]: ...

    def __len__(self) -> int: ...

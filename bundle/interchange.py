"""The records that only an import needs, to make the collection of a release again. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    pass

from accounts.judging_rules import NO_RULES, JudgingRules
from bundle.records import Records, ReleasedDocument, ReleasedGuideline


class FoldSettings(NamedTuple):
    """The origin of a collection's folds: a file of this name, or `made` folds from the seed."""

    imported_from: str
    made: int


class InterchangedTopic(NamedTuple):
    """A topic as it is stored: `sentences` decide the digests of what judges saw."""

    title: str
    description: str
    narrative: str
    sentences: tuple[str, ...]
    narrative_is_shown: bool


class ReferredPair(NamedTuple):
    """The document of a pair that an admin sent to the adjudicator, and why."""

    docno: str
    reason: str


class InterchangedQuery(NamedTuple):
    """A query, and its opening: `guideline` is the version, None for a query that is not open.

    `fold` is the imported fold. `unjudged` are the documents of pairs without both judgments,
    `referred` the pairs for the adjudicator whatever their judgments are. `aspects` are its named
    aspects.
    """

    name: str
    facet: str
    sentences: tuple[int, ...]
    fold: int | None
    guideline: int | None
    labels_unchecked: bool | None
    unjudged: tuple[str, ...]
    referred: tuple[ReferredPair, ...] = ()
    aspects: tuple[str, ...] = ()


class InterchangedPaper(NamedTuple):
    """A query paper with its queries by name; `topic` is None for a document."""

    name: str
    topic: InterchangedTopic | None
    metadata: Mapping[str, Any]
    queries: tuple[InterchangedQuery, ...]


@dataclass(frozen=True, slots=True)
class Interchange:
    """The data that another server needs to make the collection again, and no other record has.

    `folds` are None if it was not decided how to get them. `agreement_rule` is "" without a rule.
    The scale is that of the collection. Labels that are citations have a scale of their own.
    `guidelines` are those in use and the latest of each facet. `retired_runs` are the names and
    digests of runs that a later run of the same retriever replaced. `other_documents` are not
    pooled, but in the ranked lists that sampled pools were drawn from.
    """

    highest_grade: int = 3
    relevant_from: int = 2
    analysis: str = ""
    seconds_per_judgment: float = 15.0
    agreement_rule: str = ""
    agreement_threshold: float = 0.0
    judging_rules: JudgingRules = NO_RULES
    guidelines: tuple[ReleasedGuideline, ...] = ()
    retired_runs: tuple[tuple[str, str], ...] = ()
    folds: FoldSettings | None = None
    query_papers: tuple[InterchangedPaper, ...] = ()
    other_documents: Records[ReleasedDocument] = ()

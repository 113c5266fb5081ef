"""Import openings, judgments and decisions, query by query."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from itertools import count
from typing import NamedTuple

from accounts.models import Role, User
from adjudication.judged_queries import (
    JudgedQuery,
    SourceDecision,
    SourceJudgment,
    write_judged_query,
)
from adjudication.models import JudgmentImport
from annotation.models import Guideline, Pair
from annotation.services import CandidateText, candidates_with_texts
from bundle.names import ADJUDICATIONS, QUERY_PAPERS, RATINGS
from bundle.reading.opened import BundleError
from bundle.reading.rows import read_adjudications, read_ratings
from bundle.records import Adjudication, InterchangedQuery, Rating
from corpus.models import Query
from pooling.models import Candidate
from release.importing.context import Groups, ReleaseImportContext, in_parts

Lines = Sequence[tuple[int, Rating]]
JUDGMENTS_TOGETHER = 250  # of whole queries, in one transaction
FIRST_SEATS = ("annotator-1", "annotator-2")  # of a query that has no judgment yet


class _Opened(NamedTuple):
    """An open query: what the release says of it, its row, and its lines."""

    opened: InterchangedQuery
    row: Query
    ratings: Lines
    decisions: Sequence[tuple[int, Adjudication]]

    def size(self) -> int:
        return 1 + len(self.ratings) + len(self.opened.unjudged)


def import_judgments(context: ReleaseImportContext) -> None:
    """Open the queries that were open, and fill the slots of their judged pairs."""
    importer = _ReleasedJudgments(context)
    ratings = Groups(RATINGS, read_ratings(context.bundle), lambda rating: rating.query)
    decisions = Groups(
        ADJUDICATIONS, read_adjudications(context.bundle), lambda decision: decision.query
    )
    queries = (
        _Opened(*context.opened[name], ratings.of(name), decisions.of(name))
        for name in sorted(context.opened)
    )
    for part in in_parts(queries, _Opened.size, JUDGMENTS_TOGETHER):
        with context.part():
            for query in part:
                importer.import_query(query)
        done = context.report.opened
        context.work.progress(done, len(context.opened), "judged queries imported")
    ratings.check_end()
    decisions.check_end()
    _note_imports(context)


class _ReleasedJudgments:
    def __init__(self, context: ReleaseImportContext) -> None:
        self.context, self.report = context, context.report
        self._paper: int | None = None
        self._pooled: list[CandidateText] = []  # of this paper
        # In order, because each transaction would write 250 pages of the index for 250 random keys.
        self._keys = count(uuid.uuid4().int)
        self._guidelines = {
            (guideline.facet.key, guideline.version): guideline
            for guideline in Guideline.objects.filter(
                facet__collection=context.collection
            ).select_related("facet")
        }

    def import_query(self, of_query: _Opened) -> None:
        opened, query, ratings, _ = of_query
        guideline = self._guidelines.get((opened.facet, opened.guideline or 0))
        if guideline is None:
            raise BundleError(
                QUERY_PAPERS,
                None,
                f"{opened.name} is open under version {opened.guideline} of the guideline, which "
                "the release does not have.",
            )
        judged = _by_pair(ratings)
        source = JudgedQuery(
            query=query,
            guideline=guideline,
            annotators=self._seats(ratings),
            candidates=self._candidates(query, [*judged, *opened.unjudged]),
            judgments={docno: self._source_pair(pair) for docno, pair in judged.items()},
            decisions=self._decisions(of_query, judged),
            referrals=_referrals(opened, judged),
            labels_unchecked=opened.labels_unchecked,
        )
        self.report.judgments += write_judged_query(source, self._new_key)
        self.report.opened += 1
        self.report.pairs += len(source.candidates)
        self.report.decisions += len(source.decisions)

    def _new_key(self, *_: object) -> uuid.UUID:
        return uuid.UUID(int=next(self._keys))

    def _source_pair(self, ratings: Mapping[int, Rating]) -> tuple[SourceJudgment, SourceJudgment]:
        first, second = (
            SourceJudgment(
                annotator=self.context.person(rating.annotator, Role.ANNOTATOR),
                grade=rating.grade,
                reason=rating.reason,
                presentation_digest=rating.presentation_digest,
                sequence=rating.sequence,
                seconds=rating.seconds,
            )
            for rating in (ratings[1], ratings[2])
        )
        return first, second

    def _decisions(
        self, of_query: _Opened, judged: Mapping[str, Mapping[int, Rating]]
    ) -> dict[str, SourceDecision]:
        """The decisions by docno.

        Raises:
            BundleError: a pair is not a case, or has a second decision.
        """
        referred = {pair.docno for pair in of_query.opened.referred}
        decisions: dict[str, SourceDecision] = {}
        for line, decision in of_query.decisions:
            docno = decision.docno
            if docno in decisions:
                raise BundleError(
                    ADJUDICATIONS, line, f"{decision.query} {docno} has a second decision."
                )
            _check_decision(line, decision, judged.get(docno), docno in referred)
            adjudicator = self.context.person(decision.adjudicator, Role.ADJUDICATOR)
            decisions[docno] = SourceDecision(adjudicator, decision.grade, decision.reason)
        return decisions

    def _seats(self, ratings: Lines) -> tuple[User, User]:
        """Those who judged most of the pairs in each slot; others for a seat without judgments."""
        seats: list[str] = []
        for number in (1, 2):
            counts = Counter(rating.annotator for _, rating in ratings if rating.slot == number)
            ordered = sorted(counts, key=lambda name: (-counts[name], name))
            seats.append(next(name for name in (*ordered, *FIRST_SEATS) if name not in seats))
        first, second = (self.context.person(name, Role.ANNOTATOR) for name in seats)
        return first, second

    def _candidates(self, query: Query, docnos: Iterable[str]) -> list[CandidateText]:
        """The candidates of the query's pairs, in the order of the pool."""
        wanted = set(docnos)
        found = [
            candidate
            for candidate in self._candidates_of(query.query_paper_id)
            if candidate.docno in wanted
        ]
        if missing := wanted - {candidate.docno for candidate in found}:
            raise BundleError(
                RATINGS,
                None,
                f"{min(missing)[:100]!r} has a pair of {query.name}, but is not among the "
                "documents to judge in its pool.",
            )
        return found

    def _candidates_of(self, paper: int) -> list[CandidateText]:
        """Those to judge. The queries of a paper come one after the other, so they are kept."""
        if paper != self._paper:
            rows = Candidate.objects.to_judge().filter(pool__query_paper=paper)
            self._paper = paper
            self._pooled = candidates_with_texts(rows.order_by("position"))
        return self._pooled


def _referrals(
    opened: InterchangedQuery, judged: Mapping[str, Mapping[int, Rating]]
) -> dict[str, str]:
    """The reasons of the pairs that were sent to the adjudicator, by docno."""
    for pair in opened.referred:
        if pair.docno not in judged:
            raise BundleError(
                QUERY_PAPERS,
                None,
                f"{pair.docno!r} is for the adjudicator, but has no two judgments.",
            )
    return {pair.docno: pair.reason for pair in opened.referred}


def _check_decision(
    line: int, decision: Adjudication, ratings: Mapping[int, Rating] | None, is_referred: bool
) -> None:
    name = f"{decision.query} {decision.docno}"
    if not ratings:
        raise BundleError(ADJUDICATIONS, line, f"{name} has a decision, but no judgments.")
    first, second = ratings[1], ratings[2]
    if first.grade is not None and first.grade == second.grade and not is_referred:
        raise BundleError(
            ADJUDICATIONS, line, f"both judgments of {name} are {first.grade}, so it is not a case."
        )


def _by_pair(ratings: Lines) -> dict[str, dict[int, Rating]]:
    """By docno, then slot. Raises BundleError unless two people judged each pair."""
    pairs: dict[str, dict[int, Rating]] = {}
    lines: dict[str, int] = {}
    for line, rating in ratings:
        slots = pairs.setdefault(rating.docno, {})
        lines[rating.docno] = line
        if rating.slot in slots:
            raise BundleError(
                RATINGS,
                line,
                f"{rating.query} {rating.docno} has a second judgment in slot {rating.slot}.",
            )
        slots[rating.slot] = rating
    for docno, slots in pairs.items():
        if len(slots) != 2 or slots[1].annotator == slots[2].annotator:
            raise BundleError(
                RATINGS,
                lines[docno],
                f"{ratings[0][1].query} {docno} does not have judgments of two people.",
            )
    return pairs


def _note_imports(context: ReleaseImportContext) -> None:
    """The judgments that had been imported before are not made in Qrelsmith here either."""
    with context.part():
        JudgmentImport.objects.bulk_create(
            JudgmentImport(
                collection=context.collection,
                files=dict(row.files),
                judgments=row.judgments,
                decisions=row.decisions,
            )
            for row in context.manifest.judgment_imports
        )
    context.report.changed_texts = (
        Pair.objects.of(context.collection).filter(text_changed=True).count()
    )

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
from annotation.aspects import parse_aspects
from annotation.models import Guideline, Pair
from annotation.services import CandidateText, candidates_with_texts
from bundle.interchange import InterchangedQuery
from bundle.names import ADJUDICATIONS, RATINGS
from bundle.reading.csv_rows import read_adjudications, read_ratings
from bundle.reading.opened import BundleError
from bundle.records import Adjudication, Rating
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
        self._guidelines: dict[tuple[str, int | None], Guideline] = {
            (guideline.facet.key, guideline.version): guideline
            for guideline in Guideline.objects.filter(
                facet__collection=context.collection
            ).select_related("facet")
        }

    def import_query(self, of_query: _Opened) -> None:
        opened, query, ratings, decisions = of_query
        judged: dict[str, dict[int, Rating]] = {}  # by docno, then slot
        for _, rating in ratings:
            judged.setdefault(rating.docno, {})[rating.slot] = rating
        source = JudgedQuery(
            query=query,
            guideline=self._guidelines[opened.facet, opened.guideline],
            annotators=self._seats(ratings),
            candidates=self._candidates(query, [*judged, *opened.unjudged]),
            judgments={docno: self._source_pair(pair) for docno, pair in judged.items()},
            decisions={
                row.docno: SourceDecision(
                    self.context.person(row.adjudicator, Role.ADJUDICATOR), row.grade, row.reason
                )
                for _, row in decisions
            },
            referrals={pair.docno: pair.reason for pair in opened.referred},
            labels_unchecked=opened.labels_unchecked,
        )
        self.report.judgments += write_judged_query(
            source, lambda *_: uuid.UUID(int=next(self._keys))
        )
        self.report.opened += 1
        self.report.pairs += len(source.candidates)
        self.report.decisions += len(source.decisions)

    def _source_pair(self, ratings: Mapping[int, Rating]) -> tuple[SourceJudgment, SourceJudgment]:
        first, second = (
            SourceJudgment(
                annotator=self.context.person(rating.annotator, Role.ANNOTATOR),
                grade=rating.grade,
                reason=rating.reason,
                presentation_digest=rating.presentation_digest,
                guideline_version=rating.guideline,
                sequence=rating.sequence,
                seconds=rating.seconds,
                aspects=parse_aspects(rating.aspects),
            )
            for rating in (ratings[1], ratings[2])
        )
        return first, second

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

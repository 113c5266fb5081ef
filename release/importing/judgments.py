"""Import openings, judgments and decisions, query by query."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import count
from typing import NamedTuple

from accounts.models import Role, User
from adjudication.models import Decision, JudgmentImport, Recipient, Referral
from annotation.models import Guideline, Opening, Pair, Seat
from annotation.services import (
    CandidateText,
    NewJudgment,
    NewSlot,
    candidates_with_texts,
    insert_judgments,
    make_slots,
)
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
        seats = self._seats(ratings)
        self._open(query, guideline, opened, seats)
        judged = _by_pair(ratings)
        slots = make_slots(
            query=query,
            candidates=self._candidates(query, [*judged, *opened.unjudged]),
            annotators=seats,
            guideline_version=guideline.version,
            others=self._others(judged, seats),
        )
        judgments = insert_judgments(self._judgments(slots, judged))
        self.report.opened += 1
        self.report.pairs += len(slots) // 2
        self.report.judgments += len(judgments)
        self._decide(slots, judgments, of_query, judged)

    def _seats(self, ratings: Lines) -> tuple[User, User]:
        """Those who judged most of the pairs in each slot; others for a seat without judgments."""
        seats: list[str] = []
        for number in (1, 2):
            counts = Counter(rating.annotator for _, rating in ratings if rating.slot == number)
            ordered = sorted(counts, key=lambda name: (-counts[name], name))
            seats.append(next(name for name in (*ordered, *FIRST_SEATS) if name not in seats))
        first, second = (self.context.person(name, Role.ANNOTATOR) for name in seats)
        return first, second

    def _open(
        self,
        query: Query,
        guideline: Guideline,
        opened: InterchangedQuery,
        seats: tuple[User, User],
    ) -> None:
        opening = Opening.objects.create(
            query=query, guideline=guideline, labels_unchecked=opened.labels_unchecked
        )
        Seat.objects.bulk_create(
            Seat(opening=opening, number=number, annotator=annotator)
            for number, annotator in enumerate(seats, start=1)
        )

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

    def _others(
        self, judged: Mapping[str, dict[int, Rating]], seats: tuple[User, User]
    ) -> dict[str, tuple[User, User]]:
        """The annotators of pairs that are not those of the seats, by docno."""
        others = {}
        for docno, ratings in judged.items():
            first, second = (
                self.context.person(ratings[number].annotator, Role.ANNOTATOR) for number in (1, 2)
            )
            if (first, second) != seats:
                others[docno] = first, second
        return others

    def _judgments(
        self, slots: Iterable[NewSlot], judged: Mapping[str, dict[int, Rating]]
    ) -> Iterator[NewJudgment]:
        for slot in slots:
            if slot.docno in judged:
                rating = judged[slot.docno][slot.number]
                yield NewJudgment(
                    slot=slot.pk,
                    annotator=slot.annotator_id,
                    grade=rating.grade,
                    reason=rating.reason,
                    presentation_digest=rating.presentation_digest,
                    key=f"{next(self._keys):032x}",
                    sequence=rating.sequence,
                    seconds=rating.seconds,
                )

    def _decide(
        self,
        slots: Iterable[NewSlot],
        judgments: Mapping[int, int],
        of_query: _Opened,
        judged: Mapping[str, dict[int, Rating]],
    ) -> None:
        """Import the referrals of pairs with both judgments, and the decisions on them."""
        both: dict[str, dict[int, NewSlot]] = {}
        for slot in slots:
            both.setdefault(slot.docno, {})[slot.number] = slot
        referrals = {}
        for pair in of_query.opened.referred:
            if pair.docno not in judged:
                raise BundleError(
                    QUERY_PAPERS,
                    None,
                    f"{pair.docno!r} is for the adjudicator, but has no two judgments.",
                )
            first, second = (both[pair.docno][number] for number in (1, 2))
            referrals[pair.docno] = Referral(
                pair_id=first.pair_id,
                recipient=Recipient.ADJUDICATOR,
                reason=pair.reason,
                first_id=judgments[first.pk],
                second_id=judgments[second.pk],
            )
        Referral.objects.bulk_create(referrals.values())
        rows = []
        for line, decision in of_query.decisions:
            is_referred = decision.docno in referrals
            _check_decision(line, decision, judged.get(decision.docno), is_referred)
            first, second = (both[decision.docno][number] for number in (1, 2))
            rows.append(
                Decision(
                    pair_id=first.pair_id,
                    sequence=1,
                    adjudicator=self.context.person(decision.adjudicator, Role.ADJUDICATOR),
                    first_id=judgments[first.pk],
                    second_id=judgments[second.pk],
                    grade=decision.grade,
                    reason=decision.reason,
                    key=uuid.UUID(int=next(self._keys)),
                    referral_count=int(is_referred),
                )
            )
        Decision.objects.bulk_create(rows)
        self.report.decisions += len(rows)


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

"""Import openings, judgments and decisions, query by query."""

from __future__ import annotations

import uuid
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence

from accounts.models import Role, User
from adjudication.models import Decision, JudgmentImport
from annotation.models import Guideline, Judgment, Opening, Pair, Seat, Slot
from annotation.services import insert_judgments, make_slots
from corpus.models import SOURCES, Query
from pooling.models import Candidate
from release.bundle_reading import (
    ADJUDICATIONS,
    QUERY_PAPERS,
    RATINGS,
    read_adjudications,
    read_ratings,
)
from release.importing.context import Groups, ImportContext
from release.opened_bundle import BundleError
from release.records import Adjudication, InterchangedQuery, Rating

Lines = Sequence[tuple[int, Rating]]
FIRST_SEATS = ("annotator-1", "annotator-2")  # of a query that has no judgment yet


def import_judgments(context: ImportContext) -> None:
    """Open the queries that were open, and fill the slots of their judged pairs."""
    importer = _Importer(context)
    ratings = Groups(RATINGS, read_ratings(context.bundle), lambda rating: rating.query)
    decisions = Groups(
        ADJUDICATIONS, read_adjudications(context.bundle), lambda decision: decision.query
    )
    for number, name in enumerate(sorted(context.opened), start=1):
        importer.import_query(context.opened[name], ratings.of(name), decisions.of(name))
        context.work.progress(number, len(context.opened), "judged queries imported")
    ratings.check_end()
    decisions.check_end()
    _note_imports(context)


class _Importer:
    def __init__(self, context: ImportContext) -> None:
        self.context, self.report = context, context.report
        self._guidelines = {
            (guideline.facet.key, guideline.version): guideline
            for guideline in Guideline.objects.filter(
                facet__collection=context.collection
            ).select_related("facet")
        }

    def import_query(
        self,
        opened: InterchangedQuery,
        ratings: Lines,
        decisions: Sequence[tuple[int, Adjudication]],
    ) -> None:
        query = self._query(opened.name)
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
        judgments = insert_judgments(query=query, judgments=self._judgments(slots, judged))
        self.report.opened += 1
        self.report.pairs += len(slots) // 2
        self.report.judgments += len(judgments)
        self._decide(judgments, decisions)

    def _query(self, name: str) -> Query:
        related = ("collection", "facet", *SOURCES)
        return self.context.collection.queries.select_related(*related).get(name=name)

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
        for number, annotator in enumerate(seats, start=1):
            Seat.objects.create(opening=opening, number=number, annotator=annotator)

    def _candidates(self, query: Query, docnos: Iterable[str]) -> list[Candidate]:
        """The candidates of the query's pairs, in the order of the pool."""
        wanted = set(docnos)
        rows = Candidate.objects.to_judge().filter(pool__query_paper=query.query_paper_id)
        found = [
            candidate
            for candidate in rows.select_related("document").order_by("position")
            if candidate.document.docno in wanted
        ]
        if missing := wanted - {candidate.document.docno for candidate in found}:
            raise BundleError(
                RATINGS,
                None,
                f"{min(missing)[:100]!r} has a pair of {query.name}, but is not among the "
                "documents to judge in its pool.",
            )
        return found

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
        self, slots: Iterable[Slot], judged: Mapping[str, dict[int, Rating]]
    ) -> Iterator[Judgment]:
        for slot in slots:
            docno = slot.pair.candidate.document.docno
            if docno in judged:
                rating = judged[docno][slot.number]
                yield Judgment(
                    slot=slot,
                    sequence=rating.sequence,
                    annotator_id=slot.annotator_id,
                    grade=rating.grade,
                    reason=rating.reason,
                    seconds=rating.seconds,
                    presentation_digest=rating.presentation_digest,
                    key=self._key("judgment", rating.query, docno, str(slot.number)),
                )

    def _decide(
        self, judgments: Iterable[Judgment], decisions: Iterable[tuple[int, Adjudication]]
    ) -> None:
        both: dict[str, dict[int, Judgment]] = {}
        for judgment in judgments:
            docno = judgment.slot.pair.candidate.document.docno
            both.setdefault(docno, {})[judgment.slot.number] = judgment
        rows = [
            self._decision(line, decision, both.get(decision.docno, {}))
            for line, decision in decisions
        ]
        Decision.objects.bulk_create(rows)
        self.report.decisions += len(rows)

    def _decision(
        self, line: int, decision: Adjudication, judgments: Mapping[int, Judgment]
    ) -> Decision:
        name = f"{decision.query} {decision.docno}"
        if not judgments:
            raise BundleError(ADJUDICATIONS, line, f"{name} has a decision, but no judgments.")
        first, second = judgments[1], judgments[2]
        if first.grade is not None and first.grade == second.grade:
            raise BundleError(
                ADJUDICATIONS,
                line,
                f"both judgments of {name} are {first.grade}, so it is no case.",
            )
        return Decision(
            pair_id=first.slot.pair_id,
            sequence=1,
            adjudicator=self.context.person(decision.adjudicator, Role.ADJUDICATOR),
            first=first,
            second=second,
            grade=decision.grade,
            reason=decision.reason,
            key=self._key("decision", decision.query, decision.docno),
        )

    def _key(self, *parts: str) -> uuid.UUID:
        """A key that no other import has: the number of a collection is used once."""
        name = "|".join(("release", str(self.context.collection.pk), *parts))
        return uuid.uuid5(uuid.NAMESPACE_URL, name)


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


def _note_imports(context: ImportContext) -> None:
    """The judgments that had been imported before are not made in Qrelsmith here either."""
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

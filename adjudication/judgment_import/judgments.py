"""Open queries and fill their slots with the judgments of the files."""

from __future__ import annotations

import json
from collections.abc import Collection as Group
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import NamedTuple

from accounts.models import Role, User
from adjudication.judgment_import.context import JudgmentImportContext, answer_of
from adjudication.judgment_import.files import Answered
from adjudication.judgment_import.people import ImportedPeople
from adjudication.judgment_import.records import ImportedRecords
from adjudication.models import Recipient, Referral
from annotation.aspects import InvalidAspects, parse_aspects
from annotation.models import Judgment, Opening, Slot
from annotation.queue import aspects_to_mark
from annotation.services import (
    CannotOpen,
    NewJudgment,
    insert_judgments,
    open_query,
    places,
    shown_query,
)
from corpus.models import Query
from database.natural_order import natural_key


def import_slots(
    context: JudgmentImportContext, people: ImportedPeople, records: ImportedRecords
) -> None:
    """Import the judgments query by query.

    Raises:
        JudgmentsRefused: a query cannot be opened, or a judgment has no slot.
    """
    by_query = records.judgments_by_query()
    importer = _JudgmentImporter(context, people)
    for number, (query, pairs) in enumerate(by_query.items(), start=1):
        importer.import_query(query, pairs)
        context.work.progress(number, len(by_query), "queries imported")
    context.stop_at_problems()


class _Place(NamedTuple):
    """A slot to fill, the record that fills it, and the account of its annotator."""

    slot: Slot
    record: Answered
    annotator: User

    @property
    def is_foreign(self) -> bool:
        return self.slot.annotator_id != self.annotator.pk


class _JudgmentImporter:
    def __init__(self, context: JudgmentImportContext, people: ImportedPeople) -> None:
        self.context, self.people, self.report = context, people, context.report

    def import_query(self, query: Query, pairs: Mapping[str, list[Answered]]) -> None:
        if not Opening.objects.filter(query=query).exists() and not self._open(query, pairs):
            return
        slots = _slots(query, pairs)
        self.context.secret.update(
            (query.name, docno) for docno, some in slots.items() if _is_secret(some)
        )
        self._check_opened_again(query, pairs)
        filled = [place for docno in pairs for place in self._places(pairs[docno], slots[docno])]
        self._take_over(query, [place for place in filled if place.is_foreign])
        known = aspects_to_mark(self.context.collection, query, shown_query(query))
        numbers = {aspect.number for aspect in known}
        insert_judgments(
            self._judgment(place, self._aspects(place.record, numbers)) for place in filled
        )
        self.report.judgments += len(filled)

    def _open(self, query: Query, pairs: Mapping[str, list[Answered]]) -> bool:
        """Open the query for the people who judged most of it; return whether it could be."""
        seats = self.people.seats(query, [record for some in pairs.values() for record in some])
        if seats is None:
            return False
        try:
            open_query(query=query, annotators=seats, opened_by=self.context.imported_by)
        except CannotOpen as error:
            self.context.problems.append(str(error))
            return False
        self.report.queries_opened += 1
        return True

    def _check_opened_again(self, query: Query, pairs: Mapping[str, list[Answered]]) -> None:
        """Judgments from before must not fill the slots of a pair that was opened again."""
        opened_again = Referral.objects.filter(pair__query=query, recipient=Recipient.JUDGES)
        docnos = opened_again.values_list("pair__candidate__document__docno", flat=True)
        for docno in sorted(pairs.keys() & set(docnos.order_by())):
            self.context.add_problem(
                pairs[docno][0],
                f"{query.name} {docno} was opened for two judges again, so it takes no imported "
                "judgments. Remove them from the files.",
            )

    def _places(self, records: Sequence[Answered], slots: Sequence[Slot]) -> Iterator[_Place]:
        """The slots that the records fill: a person's own slot, or else a free one."""
        free = {slot.number: slot for slot in slots if slot.judgment_id is None}
        own = {slot.annotator_id: slot for slot in slots}
        others = []
        for record in sorted(records, key=lambda record: natural_key(record.person)):
            annotator = self.people.account(record.person, Role.ANNOTATOR)
            slot = own.get(annotator.pk)
            if slot is None:
                others.append((record, annotator))
            elif slot.judgment is None:
                del free[slot.number]
                yield _Place(slot, record, annotator)
            else:
                self._compare(record, slot.judgment)
        for record, annotator in others:
            if not free:
                self.context.add_problem(
                    record,
                    f"both judgments of {record.query} {record.docno} exist already, "
                    f"so that of {record.person} was not added. Remove it from the files.",
                )
                continue
            number = record.slot if record.slot in free else min(free)
            yield _Place(free.pop(number), record, annotator)

    def _compare(self, record: Answered, judgment: Judgment) -> None:
        if (judgment.grade, judgment.reason) == answer_of(record):
            self.report.judgments_unchanged += 1
            return
        self.context.add_problem(
            record,
            f"{record.person} judged {record.query} {record.docno} with another answer in an "
            "earlier import. Judgments are never overwritten. Remove it from the files.",
        )

    def _take_over(self, query: Query, foreign: Sequence[_Place]) -> None:
        """Give unjudged slots of others to the people whose judgments fill them."""
        order: dict[int, dict[int, int]] = {}
        for place in foreign:
            slot, annotator = place.slot, place.annotator
            self.report.taken_over += slot.annotator.is_active
            if annotator.pk not in order:
                order[annotator.pk] = places(query, annotator)
            slot.annotator, slot.postponed_at = annotator, None
            slot.position = order[annotator.pk][slot.pair_id]
        Slot.objects.bulk_update(
            [place.slot for place in foreign],
            ["annotator", "position", "postponed_at"],
            batch_size=500,
        )

    def _aspects(self, record: Answered, known: Group[int]) -> list[int] | None:
        """The aspects of the record that the query has; None if the collection does not ask."""
        if not self.context.collection.marks_aspects:
            return None
        try:
            aspects = parse_aspects(record.aspects) or []
        except InvalidAspects as error:
            self.context.add_problem(record, f'"aspects" must be {error}, got {record.aspects!r}.')
            return []
        unknown = [number for number in aspects if number not in known]
        if unknown or (aspects and not record.grade):
            self.context.add_problem(
                record,
                f"{record.query} has no aspect {unknown[0]}. Remove it from the file."
                if unknown
                else '"aspects" go with a grade above 0. Remove them from the file.',
            )
            return []
        return aspects

    def _judgment(self, place: _Place, aspects: list[int] | None) -> NewJudgment:
        slot, record, annotator = place
        opening = slot.pair.query.opening
        return NewJudgment(
            slot=slot.pk,
            annotator=annotator.pk,
            grade=record.grade,
            reason=record.reason,
            note=record.note,
            seconds=record.seconds,
            presentation_digest=slot.pair.presentation_digest,
            guideline_version=opening.guideline.version,
            round=opening.round,
            key=self.context.key("judgment", str(slot.pk), record.person).hex,
            aspects=None if aspects is None else json.dumps(aspects),
        )


def _is_secret(slots: Sequence[Slot]) -> bool:
    """Return whether the pair's only judgment is by a person who can log in, and so is secret."""
    judges = [slot.annotator for slot in slots if slot.judgment_id is not None]
    return len(judges) == 1 and (judges[0].is_active or judges[0].has_usable_password())


def _slots(query: Query, docnos: Iterable[str]) -> dict[str, list[Slot]]:
    """The slots of these pairs by docno, locked until the end of the transaction."""
    slots: dict[str, list[Slot]] = {docno: [] for docno in docnos}
    rows = (
        Slot.objects.select_for_update(of=("self",))
        .filter(pair__query=query)
        .select_related("pair__candidate__document", "annotator")
        .order_by("pk")
    )
    for slot in rows:
        slot.pair.query = query  # so that its opening is read once
        if slot.pair.candidate.document.docno in slots:
            slots[slot.pair.candidate.document.docno].append(slot)
    judgments = Judgment.objects.in_bulk(
        [slot.judgment_id for some in slots.values() for slot in some if slot.judgment_id]
    )
    for slot in (slot for some in slots.values() for slot in some if slot.judgment_id):
        slot.judgment = judgments[slot.judgment_id]
    return slots

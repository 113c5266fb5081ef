"""Importing judgments and decisions that were made elsewhere."""

from __future__ import annotations

import uuid
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from django.db import IntegrityError, transaction
from django.db.models import OuterRef, Subquery

from accounts.locking import lock_collection
from accounts.models import Collection, Role, User
from accounts.services import AccountError, add_membership, imported_person, imported_username
from adjudication.judgment_files import (
    LARGEST,
    Answered,
    FieldNames,
    FileContent,
    Scale,
    read_judgment_file,
)
from adjudication.models import Decision, JudgmentImport
from annotation.models import Judgment, Opening, Pair, Reason, Slot
from annotation.services import CannotOpen, insert_judgments, open_query, places
from corpus.import_meter import meter_for
from corpus.models import SOURCES, Document, Query, QueryPaper
from database.natural_order import natural_key
from jobs.context import JobContext
from pooling.models import Pool
from pooling.services.drafts import delete_replaced
from pooling.services.imported import create_imported_pools
from web.errors import UserFacingError
from web.words import count_noun

LISTED = 100  # problems
NAMED = 20  # unknown ids
TOGETHER = 5_000  # docnos in a query, which both databases take


class JudgmentsRefused(UserFacingError):
    """Nothing of the files was imported. The message lists every problem with its place."""

    def __init__(self, problems: Sequence[str]) -> None:
        self.problems = tuple(problems)
        more = len(problems) - LISTED
        super().__init__(
            f"Nothing was imported. {count_noun(len(problems), 'problem')}:\n"
            + "\n".join(problems[:LISTED])
            + (f"\n… and {more:,} more" if more > 0 else "")
        )


@dataclass(frozen=True)
class ImportOptions:
    """How files are read and used.

    `second_annotator` gets the empty seat of queries that one person judged. With
    `replace_drafts`, a draft pool that lacks a judged document gives way to an imported pool.
    A `dry_run` checks and counts everything, and changes nothing.
    """

    names: FieldNames = field(default_factory=FieldNames)
    second_annotator: str = ""
    replace_drafts: bool = False
    dry_run: bool = False


@dataclass
class ImportReport:
    """What an import did. `taken_over` counts unjudged pairs that a person here had."""

    dry_run: bool
    judgments: int = 0
    judgments_unchanged: int = 0
    decisions: int = 0
    decisions_unchanged: int = 0
    agreed: int = 0
    skipped: int = 0
    people: int = 0
    queries_opened: int = 0
    pools_imported: int = 0
    taken_over: int = 0


def import_judgments(
    *,
    collection: Collection,
    files: Sequence[tuple[Path, str]],
    options: ImportOptions,
    work: JobContext,
    imported_by: User | None = None,
) -> ImportReport:
    """Import every judgment and decision of the files, each a path and a name, or none of them.

    People of the files become accounts that cannot log in. A query that is not open is opened. A
    pair without a pool gets an imported one. A second import of the same files changes nothing.

    Raises:
        JudgmentsRefused: a file, a record or an id is invalid, or a judgment would overwrite one.
    """
    scale = Scale(grades=collection.grades, reasons=Reason.values)
    contents = [_read(path, name, options.names, scale, work) for path, name in files]
    problems = [problem for content in contents for problem in content.problems]
    if problems:
        raise JudgmentsRefused(problems)
    try:
        with work.fenced():
            with transaction.atomic():
                importer = _Importer(lock_collection(collection), options, imported_by, work)
                report = importer.run(contents)
                transaction.set_rollback(options.dry_run)
            work.complete(asdict(report))
    except IntegrityError as error:
        raise JudgmentsRefused(
            [f"The database refused a row: {error}. Import the files again."]
        ) from error
    if report.pools_imported and not options.dry_run:
        delete_replaced(collection)
    return report


def _read(path: Path, name: str, names: FieldNames, scale: Scale, work: JobContext) -> FileContent:
    try:
        size = path.stat().st_size
        meter = meter_for(work, size=size, note=f"bytes of {name} read", limit=LARGEST)
        return read_judgment_file(path, name=name, names=names, scale=scale, meter=meter)
    except OSError as error:
        reason = f"{name} cannot be read: {error.strerror or error}."
        raise JudgmentsRefused([reason]) from error


class _PairKey(NamedTuple):
    query_id: int
    docno: str


class _Place(NamedTuple):
    """A slot to fill, the record that fills it, and the account of its annotator."""

    slot: Slot
    record: Answered
    annotator: User


class _Importer:
    """One import in its transaction. Problems are collected, so that all are reported at once."""

    def __init__(
        self, collection: Collection, options: ImportOptions, person: User | None, work: JobContext
    ) -> None:
        self.collection, self.options, self.person, self.work = collection, options, person, work
        self.problems: list[str] = []
        self.people: dict[tuple[str, str], User] = {}
        self.report = ImportReport(dry_run=options.dry_run)

    def run(self, contents: Sequence[FileContent]) -> ImportReport:
        self.report.skipped = sum(content.skipped for content in contents)
        judgments = [record for content in contents for record in content.judgments]
        decisions = [record for content in contents for record in content.decisions]
        self.queries = self._find_queries([*judgments, *decisions])
        self.documents = self._find_documents([*judgments, *decisions])
        self._stop_at_problems()
        pairs = self._by_pair(judgments)
        rulings = self._by_pair_decided(decisions)
        self._stop_at_problems()
        self._check_pools(pairs)
        self._stop_at_problems()
        files = _digests(contents)
        self._create_pools(pairs, files)
        by_query: dict[int, dict[str, list[Answered]]] = defaultdict(dict)
        for key, records in pairs.items():
            by_query[key.query_id][key.docno] = records
        named = {query.pk: query for query in self.queries.values()}
        in_order = sorted(by_query, key=lambda pk: natural_key(named[pk].name))
        for number, pk in enumerate(in_order, start=1):
            self._import_query(named[pk], by_query[pk])
            self.work.progress(number, len(in_order), "queries imported")
        self._stop_at_problems()
        self._import_decisions(named, rulings)
        self._stop_at_problems()
        self._note_import(files)
        return self.report

    def _stop_at_problems(self) -> None:
        if self.problems:
            raise JudgmentsRefused(self.problems)

    def _find_queries(self, records: Sequence[Answered]) -> dict[str, Query]:
        """The queries by the ids of the files: their own names, or the docno of a single query."""
        queries = list(
            self.collection.queries.select_related("collection", "facet", *SOURCES).order_by("name")
        )
        by_paper: dict[str, list[Query]] = defaultdict(list)
        for query in queries:
            by_paper[query.query_paper.name].append(query)
        single = {docno: some[0] for docno, some in by_paper.items() if len(some) == 1}
        found = {**single, **{query.name: query for query in queries}}
        self._report_unknown(
            [record for record in records if record.query not in found],
            lambda record: record.query,
            ("query", "queries"),
            "Add them first, or name the field of the query with --query-field.",
        )
        return found

    def _find_documents(self, records: Sequence[Answered]) -> dict[str, Document]:
        docnos = list(dict.fromkeys(record.docno for record in records))
        found: dict[str, Document] = {}
        for start in range(0, len(docnos), TOGETHER):
            rows = self.collection.documents.filter(docno__in=docnos[start : start + TOGETHER])
            rows = rows.only("pk", "docno")
            found |= {document.docno: document for document in rows}
        self._report_unknown(
            [record for record in records if record.docno not in found],
            lambda record: record.docno,
            ("document", "documents"),
            "Import them first, or name the field of the docno with --docno-field.",
        )
        return found

    def _report_unknown(
        self, records: Sequence[Answered], name: Any, nouns: tuple[str, str], remedy: str
    ) -> None:
        if not records:
            return
        names = list(dict.fromkeys(name(record) for record in records))
        more = f" and {len(names) - NAMED:,} more" if len(names) > NAMED else ""
        self.problems.append(
            f"{records[0].place}: {self.collection.slug} does not have "
            f"{count_noun(len(names), *nouns)} of the files: {', '.join(names[:NAMED])}{more}. "
            f"{remedy}"
        )

    def _by_pair(self, records: Iterable[Answered]) -> dict[_PairKey, list[Answered]]:
        """One record for each person of a pair; two people at most."""
        pairs: dict[_PairKey, dict[str, Answered]] = defaultdict(dict)
        for record in records:
            of_pair = pairs[_PairKey(self.queries[record.query].pk, record.docno)]
            earlier = of_pair.setdefault(record.person, record)
            if earlier is record:
                continue
            if _answer(earlier) != _answer(record):
                self.problems.append(
                    f"{record.place}: {record.person} judged {record.query} {record.docno} twice, "
                    f"first at {earlier.place}, with another answer. Keep one of the two."
                )
        for people in pairs.values():
            if len(people) > 2:
                record = list(people.values())[2]
                self.problems.append(
                    f"{record.place}: {record.query} {record.docno} has judgments of "
                    f"{', '.join(people)}. A pair has two. Remove the others from the files."
                )
        return {key: list(people.values()) for key, people in pairs.items()}

    def _by_pair_decided(self, records: Iterable[Answered]) -> dict[_PairKey, Answered]:
        pairs: dict[_PairKey, Answered] = {}
        for record in records:
            earlier = pairs.setdefault(
                _PairKey(self.queries[record.query].pk, record.docno), record
            )
            if _ruling(earlier) != _ruling(record):
                self.problems.append(
                    f"{record.place}: {record.query} {record.docno} has another decision at "
                    f"{earlier.place}. Keep one of the two."
                )
        return pairs

    def _check_pools(self, pairs: Iterable[_PairKey]) -> None:
        """Sort query papers into those whose pool stays and those that get an imported pool."""
        papers = {query.pk: query.query_paper for query in self.queries.values()}
        judged: dict[int, dict[str, None]] = defaultdict(dict)
        self.papers: dict[int, QueryPaper] = {}
        for key in pairs:
            paper = papers[key.query_id]
            self.papers[paper.pk] = paper
            judged[paper.pk][key.docno] = None
        self.new_pools: dict[int, list[str]] = {}
        pools = {
            pool.query_paper_id: pool for pool in Pool.objects.filter(query_paper__in=self.papers)
        }
        for pk, docnos in judged.items():
            pool = pools.get(pk)
            missing = self._missing(pool, docnos) if pool else {}
            if pool is None or (missing and not pool.is_frozen and self.options.replace_drafts):
                self.new_pools[pk] = sorted(docnos, key=natural_key)
            elif missing:
                self._report_missing(pool, self.papers[pk], list(missing))

    def _missing(self, pool: Pool, docnos: Iterable[str]) -> dict[str, None]:
        candidates = pool.candidates.to_judge().order_by()
        held = set(candidates.values_list("document__docno", flat=True))
        return {docno: None for docno in docnos if docno not in held}

    def _report_missing(self, pool: Pool, paper: QueryPaper, docnos: Sequence[str]) -> None:
        state = "frozen" if pool.is_frozen else "draft"
        remedy = (
            "A frozen pool cannot change. Remove these judgments from the files."
            if pool.is_frozen
            else "Build the pool with these documents, or use --replace-drafts to replace it."
        )
        more = f" and {len(docnos) - NAMED:,} more" if len(docnos) > NAMED else ""
        self.problems.append(
            f"The {state} pool of {paper.name} does not hold "
            f"{count_noun(len(docnos), 'judged document')} among those to judge: "
            f"{', '.join(docnos[:NAMED])}{more}. {remedy}"
        )

    def _create_pools(self, pairs: Iterable[_PairKey], files: Mapping[str, str]) -> None:
        self.report.pools_imported = create_imported_pools(
            collection=self.collection,
            documents={
                self.papers[pk]: [self.documents[docno] for docno in docnos]
                for pk, docnos in self.new_pools.items()
            },
            files=files,
            built_by=self.person,
        )

    def _user(self, name: str, role: str) -> User:
        """The account of a person of the files, with the role."""
        known = self.people.get((name, role))
        if known is not None:
            return known
        username = imported_username(self.collection, name)
        is_new = not User.objects.filter(username=username).exists()
        try:
            user = imported_person(username=username, name=name)
            add_membership(collection=self.collection, user=user, role=role)
        except AccountError as error:
            raise JudgmentsRefused([str(error)]) from error
        self.report.people += is_new
        self.people[name, role] = user
        return user

    def _import_query(self, query: Query, pairs: Mapping[str, list[Answered]]) -> None:
        if not Opening.objects.filter(query=query).exists() and not self._open(query, pairs):
            return
        slots = self._slots(query, pairs)
        filled = [place for docno in pairs for place in self._places(pairs[docno], slots[docno])]
        self._take_over(query, [place for place in filled if _is_foreign(place)])
        insert_judgments(query=query, judgments=[self._judgment(place) for place in filled])
        self.report.judgments += len(filled)

    def _open(self, query: Query, pairs: Mapping[str, list[Answered]]) -> bool:
        """Open the query for the people who judged most of it; return whether it could be."""
        seats = self._seats(query, pairs)
        if seats is None:
            return False
        try:
            open_query(query=query, annotators=seats, opened_by=self.person)
        except CannotOpen as error:
            self.problems.append(str(error))
            return False
        self.report.queries_opened += 1
        return True

    def _seats(self, query: Query, pairs: Mapping[str, list[Answered]]) -> tuple[User, User] | None:
        records = [record for some in pairs.values() for record in some]
        first, second = seats_of(records)
        if second:
            return self._user(first, Role.ANNOTATOR), self._user(second, Role.ANNOTATOR)
        username = self.options.second_annotator
        if not username:
            self.problems.append(
                f"{records[0].place}: all judgments of {query.name} in the files are by {first}. "
                "Name the annotator who judges its pairs a second time, with --second-annotator."
            )
            return None
        person = User.objects.filter(
            username=username,
            memberships__collection=self.collection,
            memberships__role=Role.ANNOTATOR,
        ).first()
        if person is None:
            raise JudgmentsRefused(
                [f"{username} is not an annotator of {self.collection}. Add the role first."]
            )
        return self._user(first, Role.ANNOTATOR), person

    def _slots(self, query: Query, docnos: Iterable[str]) -> dict[str, list[Slot]]:
        """The slots of these pairs by docno, locked until the end of the transaction."""
        wanted = set(docnos)
        rows = (
            Slot.objects.select_for_update(of=("self",))
            .filter(pair__query=query)
            .select_related("pair__candidate__document", "annotator")
            .order_by("pk")
        )
        slots: dict[str, list[Slot]] = {docno: [] for docno in wanted}
        for slot in rows:
            if slot.pair.candidate.document.docno in wanted:
                slots[slot.pair.candidate.document.docno].append(slot)
        judgments = Judgment.objects.in_bulk(
            [slot.judgment_id for some in slots.values() for slot in some if slot.judgment_id]
        )
        for slot in (slot for some in slots.values() for slot in some if slot.judgment_id):
            slot.judgment = judgments[slot.judgment_id]
        return slots

    def _places(self, records: Sequence[Answered], slots: Sequence[Slot]) -> Iterator[_Place]:
        """Which slots the records fill: a person's own slot, or else a free one."""
        free = {slot.number: slot for slot in slots if slot.judgment_id is None}
        own = {slot.annotator_id: slot for slot in slots}
        others = []
        for record in sorted(records, key=lambda record: natural_key(record.person)):
            annotator = self._user(record.person, Role.ANNOTATOR)
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
                self.problems.append(
                    f"{record.place}: both judgments of {record.query} {record.docno} exist "
                    f"already, so that of {record.person} was not added. Remove it from the files."
                )
                continue
            number = record.slot if record.slot in free else min(free)
            yield _Place(free.pop(number), record, annotator)

    def _compare(self, record: Answered, judgment: Judgment) -> None:
        if (judgment.grade, judgment.reason) == (record.grade, record.reason):
            self.report.judgments_unchanged += 1
            return
        self.problems.append(
            f"{record.place}: {record.person} judged {record.query} {record.docno} with another "
            "answer in an earlier import. Judgments are never overwritten. "
            "Remove it from the files."
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

    def _judgment(self, place: _Place) -> Judgment:
        slot, record, annotator = place
        return Judgment(
            slot=slot,
            sequence=1,
            annotator=annotator,
            grade=record.grade,
            reason=record.reason,
            note=record.note,
            seconds=record.seconds,
            presentation_digest=slot.pair.presentation_digest,
            key=self._key("judgment", str(slot.pk), record.person),
        )

    def _key(self, *parts: str) -> uuid.UUID:
        """A key that is equal in every import of the same judgment, and otherwise unique."""
        name = "|".join(("imported", self.collection.slug, *parts))
        return uuid.uuid5(uuid.NAMESPACE_URL, name)

    def _import_decisions(
        self, queries: Mapping[int, Query], rulings: Mapping[_PairKey, Answered]
    ) -> None:
        by_query: dict[int, dict[str, Answered]] = defaultdict(dict)
        for key, record in rulings.items():
            by_query[key.query_id][key.docno] = record
        for pk in sorted(by_query, key=lambda pk: natural_key(queries[pk].name)):
            pairs = self._judged_pairs(pk)
            rows = [
                decision
                for docno, record in by_query[pk].items()
                if (decision := self._decision(record, pairs.get(docno)))
            ]
            if not self.problems:
                Decision.objects.bulk_create(rows)
                self.report.decisions += len(rows)

    def _judged_pairs(self, query_id: int) -> dict[str, Any]:
        """The judged pairs by docno, each with its standing decision and number of decisions."""
        made = Decision.objects.filter(pair=OuterRef("pk")).order_by("-sequence")
        standing = made.filter(first=OuterRef("first"), second=OuterRef("second"))
        rows = (
            Pair.objects.filter(query=query_id)
            .judged()
            .annotate(
                standing=Subquery(standing.values("pk")[:1]),
                last_sequence=Subquery(made.values("sequence")[:1]),
            )
            .select_related("candidate__document")
        )
        return {pair.candidate.document.docno: pair for pair in rows}

    def _decision(self, record: Answered, pair: Any) -> Decision | None:
        """The decision to insert, None if there is nothing to insert."""
        if problem := self._why_not(record, pair):
            self.problems.append(f"{record.place}: {problem}")
            return None
        if pair.first_grade is not None and pair.first_grade == pair.second_grade:
            self.report.agreed += 1
            return None
        if pair.standing is not None:
            self.report.decisions_unchanged += 1
            return None
        return Decision(
            pair_id=pair.pk,
            sequence=(pair.last_sequence or 0) + 1,
            adjudicator=self._user(record.person, Role.ADJUDICATOR),
            first_id=pair.first,
            second_id=pair.second,
            grade=record.grade,
            reason=record.reason,
            note=record.note,
            key=self._key("decision", str(pair.first), str(pair.second), record.person),
        )

    def _why_not(self, record: Answered, pair: Any) -> str:
        """Why the decision cannot be imported; "" if it can."""
        name = f"{record.query} {record.docno}"
        if pair is None:
            return (
                f"{name} does not have two judgments, so it cannot have a decision. "
                "Import both judgments too, or remove the decision."
            )
        if pair.first_grade is not None and pair.first_grade == pair.second_grade:
            if record.grade == pair.first_grade:
                return ""
            return (
                f"both judgments of {name} are {pair.first_grade}, so the decision "
                f"{record.reason or record.grade} cannot be imported. "
                "Where two judges agree, their grade is final. Remove the decision."
            )
        if pair.standing is not None:
            decision = Decision.objects.get(pk=pair.standing)
            if _answer(record) == (decision.grade, decision.reason):
                return ""
            return (
                f"{name} has another decision already. Decisions are never overwritten. "
                "Remove it from the files."
            )
        username = imported_username(self.collection, record.person)
        if Slot.objects.filter(pair=pair, annotator__username=username).exists():
            return f"{record.person} judged {name}, so cannot decide it. Name another adjudicator."
        return ""

    def _note_import(self, files: Mapping[str, str]) -> None:
        """Release pages state imports. One that changed nothing is not among them."""
        if self.report.judgments or self.report.decisions:
            JudgmentImport.objects.create(
                collection=self.collection,
                files=dict(files),
                judgments=self.report.judgments,
                decisions=self.report.decisions,
                imported_by=self.person,
            )


def seats_of(records: Iterable[Answered]) -> tuple[str, str]:
    """The people for seats 1 and 2: those with most judgments; "" if one person made them all.

    The numbers of slots in the records decide which of the two gets which seat, or else the names.
    """
    totals: Counter[str] = Counter()
    lean: Counter[str] = Counter()  # towards slot 2
    for record in records:
        totals[record.person] += 1
        lean[record.person] += {1: -1, 2: 1}.get(record.slot, 0)
    most = sorted(totals, key=lambda name: (-totals[name], natural_key(name)))[:2]
    first, *second = sorted(most, key=lambda name: (lean[name], natural_key(name)))
    return first, second[0] if second else ""


def _digests(contents: Sequence[FileContent]) -> dict[str, str]:
    """The SHA-256 of each file by its name, without the folders of the server."""
    digests: dict[str, str] = {}
    for content in contents:
        name = PurePath(content.name).name
        digests[name if name not in digests else f"{name} ({len(digests) + 1})"] = content.sha256
    return digests


def _is_foreign(place: _Place) -> bool:
    return place.slot.annotator_id != place.annotator.pk


def _answer(record: Answered) -> tuple[int | None, str]:
    return record.grade, record.reason


def _ruling(record: Answered) -> tuple[int | None, str, str]:
    return record.grade, record.reason, record.person

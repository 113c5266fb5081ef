"""Judgments that two people gave elsewhere, from CSV: a row for each, or a row for each pair with a column a person.

The dry run and the import read a file by one function, `plan_import`: what the page says is what happens.
"""

from __future__ import annotations

import re
import uuid
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import PurePath
from typing import Any, NamedTuple

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import transaction
from django.db.models import OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Lower
from django.utils import timezone

from accounts.models import ANNOTATOR, Collection, User, Verb
from accounts.record import record
from accounts.services import add_member, lock_collection
from annotation.judging import state_of
from annotation.models import Judgment, Opening, Pair, PublishedLabel, Reason, Slot
from annotation.openings import Couple, give, make_pairs
from annotation.presentation import present
from corpus.formats.reading import only_file
from corpus.formats.records import csv_rows, format_of
from corpus.matching import known_ids
from corpus.models import Document, Query
from corpus.uploads import discard_upload
from jobs.models import Job
from jobs.work import Work, job
from pooling.building import freeze_given
from pooling.models import Candidate, Pool
from retrieval.models import JUDGMENTS
from web.errors import BadInput
from web.templatetags.ui import plural

KIND = "import_judgments"
COLUMNS = {  # by the names that files give them; "score" is none of a grade, it may be a retriever's
    "query": ("query", "query_id", "query-id", "qid", "topic", "topic_id"),
    "docno": ("docno", "doc_id", "docid", "doc", "document", "corpus-id", "paper_id", "candidate"),
    "judge": ("judge", "annotator", "assessor", "rater", "person"),
    "grade": ("grade", "relevance", "rating", "label"),
    "reason": ("reason",),
    "note": ("note", "comment"),
}
GRADE = re.compile(r"\d{1,3}(\.0)?", re.ASCII)  # a column with gaps is one of floats to pandas
NOT_IN_USERNAMES = re.compile(r"[^\w.@+-]+")
MISSING = {"", "-1", "-1.0", "na", "nan"}
NOT_GIVEN = "Missing in the imported file."
SHOWN = 10  # faults of a message
MOST_PEOPLE = 100  # of a file: more are ids of something else
Row = tuple[int, list[str]]  # line, cells
Named = tuple[str, str]  # query, docno


class Given(NamedTuple):
    """A judgment of the file. `name` is its judge's there."""

    line: int
    query: str
    docno: str
    name: str
    grade: int | None
    reason: str
    note: str


@dataclass
class Plan:
    """What an import does: nothing while it has `faults`.

    names: the rows of each person. who: the person's user, a new one without a key. pairs: both judgments. unpooled:
    pairs that get a frozen pool because they are in none. repeated: rows that say the same again. blank: rows of pairs
    that nobody judged. replaced: pairs whose published label goes.
    """

    names: Counter[str] = field(default_factory=Counter)
    who: dict[str, User] = field(default_factory=dict)
    pairs: dict[Named, tuple[Given, Given]] = field(default_factory=dict)
    unpooled: list[Named] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)
    repeated: int = 0
    blank: int = 0
    replaced: int = 0

    @property
    def cases(self) -> int:
        return sum(one.grade is None or one.grade != other.grade for one, other in self.pairs.values())

    @property
    def missing(self) -> int:
        return sum(each.grade is None for each in chain.from_iterable(self.pairs.values()))

    @property
    def alike(self) -> list[list[str]]:
        """Names that differ in capitals and spaces only."""
        by_key: dict[str, list[str]] = defaultdict(list)
        for name in self.names:
            by_key["".join(name.split()).casefold()].append(name)
        return [names for names in by_key.values() if len(names) > 1]


def read_table(path: str) -> tuple[list[str], list[Row]]:
    """The names of the columns, and the rows below them."""
    name, rows = PurePath(path).name, []
    with default_storage.open(path) as stored:
        for file in only_file(stored, name, settings.UPLOAD_MAX_BYTES):
            lines = ((number, text) for number, text in file.lines() if text.strip())
            first = next(lines, (1, ""))
            separator = format_of(first[1], name) if first[1] else ""
            if separator not in (",", ";", "\t"):
                raise BadInput(f"{name}:{first[0]}: the first line must name the columns: query,docno,judge,grade.")
            for line, row in csv_rows(file, chain([first], lines), separator):
                rows.append((line, [cell.strip() for cell in row]))
    (line, header), *rest = rows
    if twice := [each for each, number in Counter(header).items() if each and number > 1]:
        raise BadInput(f"{name}:{line}: two columns are called {twice[0]!r}. Rename one of them.")
    return header, rest


def guess(header: Sequence[str]) -> dict[str, Any]:
    """Which column is what. Without a judge and a grade, the columns that are nothing else are people."""
    lower = {name.lower(): name for name in reversed(header)}
    found: dict[str, Any] = {
        what: next((lower[name] for name in names if name in lower), "") for what, names in COLUMNS.items()
    }
    is_wide = not found["judge"] and not found["grade"]
    return found | {"people": [name for name in header if is_wide and name not in found.values()]}


def choose_columns(
    header: Sequence[str], chosen: Mapping[str, str], people: Sequence[str] | None = None
) -> dict[str, Any]:
    """As guessed, but for what was chosen. A column of judges, and there is none for each person."""
    named = [*filter(None, chosen.values()), *(people or [])]
    if unknown := next((name for name in named if name not in header), None):
        raise BadInput(f"There is no column {unknown!r}. The file has {', '.join(filter(None, header))}.")
    columns = guess(header) | dict(chosen)
    if people is not None:
        columns["people"] = [name for name in header if name in people]
    return columns | {"people": [] if columns["judge"] else columns["people"]}


def plan_import(
    collection: Collection,
    path: str,
    *,
    columns: Mapping[str, Any],
    people: Mapping[str, str],
    match_leading_zeros: bool,
) -> Plan:
    """`columns` as of `guess`. `people`: the key of the user that a name of the file is, or "" for a new account."""
    plan, name = Plan(), PurePath(path).name
    header, table = read_table(path)
    needed = ("query", "docno") if columns["people"] else ("query", "docno", "judge", "grade")
    if without := [key for key in needed if not columns[key]]:
        plan.faults.append(f"Which column has the {without[0]}? The file has {', '.join(filter(None, header))}.")
        return plan
    rows = list(_judgments(name, header, table, columns, collection.top_grade, plan))
    names = Counter(row.name for row in rows)
    if len(names) > MOST_PEOPLE:
        plan.faults = [f"{name} has {len(names):,} judges. Choose the column of the judges."]
        return plan
    plan.names = names
    _choose_people(collection, plan, people)
    here = {
        "query": set(collection.queries.values_list("name", flat=True)),
        "docno": set(collection.documents.values_list("docno", flat=True)),
    }
    known = {}
    for key, ids in here.items():
        first = {getattr(row, key): row.line for row in reversed(rows)}
        known[key], near = known_ids(first, ids, f"ids ({key})", match_leading_zeros=match_leading_zeros)
        unknown = sorted((line, each) for each, line in first.items() if each not in known[key])
        what = "query" if key == "query" else "document"
        plan.faults += near or [f"{name}:{line}: there is no {what} {each!r} here." for line, each in unknown]
    given: dict[Named, dict[str, Given]] = defaultdict(dict)
    for row in rows:
        if row.query in known["query"] and row.docno in known["docno"]:
            judged = given[known["query"][row.query], known["docno"][row.docno]]
            first_row = judged.setdefault(plan.who[row.name].username, row)
            if first_row is not row and first_row.grade == row.grade:
                plan.repeated += 1
            elif first_row is not row:
                one, other = ("no grade" if each.grade is None else each.grade for each in (row, first_row))
                what = f"{row.name} gave {row.query} {row.docno} {one}, and {other} on line {first_row.line}"
                plan.faults.append(f"{name}:{row.line}: {what}. Keep one of them.")
    taken = set(Pair.objects.of(collection).values_list("query__name", "document__docno"))
    order = [user.username for user in plan.who.values()]
    for pair, judged in given.items():
        both = [judged[username] for username in sorted(judged, key=order.index)]
        where = f"{name}:{both[-1].line}: {' '.join(pair)}"
        if pair in taken:
            plan.faults.append(f"{where} is given to judges here already. Remove its rows.")
        elif len(both) != 2:
            judges = ", ".join(row.name for row in both)
            plan.faults.append(f"{where} is judged by {len(both)} ({judges}). A pair needs two people.")
        else:
            plan.pairs[pair] = (both[0], both[1])
    frozen = Candidate.objects.filter(pool__pool_set__in=collection.pool_sets.frozen())
    plan.unpooled = sorted(plan.pairs.keys() - set(frozen.values_list("pool__query__name", "document__docno")))
    published = PublishedLabel.objects.of(collection).values_list("query__name", "document__docno")
    plan.replaced = len(plan.pairs.keys() & set(published))
    if not rows and not plan.faults:
        plan.faults.append(f"{name} has no judgments.")
    return plan


def _judgments(
    name: str, header: Sequence[str], table: Sequence[Row], columns: Mapping[str, Any], top: int, plan: Plan
) -> Iterator[Given]:
    """What is wrong with a row goes into the plan's faults."""
    judges = columns["people"]
    for line, row in table:
        if len(row) != len(header):
            plan.faults.append(f"{name}:{line}: the row must have {len(header)} columns, got {len(row)}.")
            continue
        cells = dict(zip(header, row, strict=True)) | {"": ""}
        query, docno, reason, note = (cells[columns[key]] for key in ("query", "docno", "reason", "note"))
        by_judge = {each: cells[each] for each in judges} or {cells[columns["judge"]]: cells[columns["grade"]]}
        if judges and not any(by_judge.values()):
            plan.blank += 1
            continue
        for judge, cell in by_judge.items():
            if len(judges) > 2 and not cell:
                continue  # somebody who did not get this pair
            about = line, query, docno, judge
            if not all(about):
                plan.faults.append(f"{name}:{line}: the query, the document or the judge is empty.")
            elif cell.lower() not in MISSING and not (GRADE.fullmatch(cell) and float(cell) <= top):
                plan.faults.append(f"{name}:{line}: a grade is 0 to {top}, or −1 where it is missing; got {cell!r}.")
            elif cell.lower() not in MISSING:
                yield Given(*about, int(float(cell)), "", note[:2000])
            elif reason in Reason.values and reason != Reason.OTHER:
                yield Given(*about, None, reason, note[:2000])
            else:
                said = " ".join(filter(None, (reason, note))) or NOT_GIVEN
                yield Given(*about, None, Reason.OTHER, said[:2000])


def people_to_choose(collection: Collection) -> QuerySet[User]:
    """Annotators, and the accounts of earlier imports."""
    imported = Q(user__password__startswith="!", user__email="")
    members = collection.memberships.filter(Q(left_at=None) | imported, is_annotator=True)
    return User.objects.filter(memberships__in=members).order_by("username")


def _choose_people(collection: Collection, plan: Plan, people: Mapping[str, str]) -> None:
    """Without a choice, whoever had this name in an earlier import, or has this username here. Else a new account."""
    choices = {str(user.pk): user for user in people_to_choose(collection)}
    usual = {user.username: key for key, user in choices.items()}
    usual |= {user.name: key for key, user in choices.items() if not user.email and not user.has_usable_password()}
    own = User.objects.filter(username__istartswith=f"{collection.slug}-")
    taken = set(own.values_list(Lower("username"), flat=True))
    for name in plan.names:
        username = base = f"{collection.slug}-{NOT_IN_USERNAMES.sub('-', name)}"[:140]
        chosen = people.get(name, usual.get(name[:100], ""))
        if chosen in choices:
            plan.who[name] = choices[chosen]
            continue
        number = 1
        while username.lower() in taken:
            number += 1
            username = f"{base}-{number}"
        taken.add(username.lower())
        plan.who[name] = User(username=username, name=name[:100])


@job(KIND)
def import_judgments(work: Work, *, path: str, **choices: Any) -> None:
    with work.commit() as result:
        plan = write_judgments(work.collection, path, **choices)
        pairs = plural(len(plan.pairs), "judged pair,judged pairs")
        record(Verb.IMPORTED, collection=work.collection, object=f"{pairs} of {PurePath(path).name}", by=work.by)
        transaction.on_commit(lambda: discard_upload(path))
        Job.objects.filter(pk=work.job_id).update(parameters={"path": path})  # the others have names of people
        result |= {"pairs": len(plan.pairs), "cases": plan.cases, "people": len({*plan.who.values()})}


@transaction.atomic
def write_judgments(collection: Collection, path: str, **choices: Any) -> Plan:
    """All of the file or nothing. What it opens it closes again, so that its judgments do not change."""
    collection = lock_collection(collection)
    plan = plan_import(collection, path, **choices)
    if plan.faults:
        raise BadInput(" ".join(plan.faults[:SHOWN]))
    for user in plan.who.values():
        if user.pk is None:
            user.set_unusable_password()
            user.save()
            member = add_member(collection=collection, user=user, roles=[ANNOTATOR])
            member.left_at = timezone.now()  # nobody gives this person work
            member.save()
    keys = dict(collection.documents.values_list("docno", "pk"))
    queries = {query.name: query for query in collection.queries.all()}
    unpooled: dict[Query, list[int]] = defaultdict(list)
    for query, docno in plan.unpooled:
        unpooled[queries[query]].append(keys[docno])
    freeze_given(collection=collection, documents=unpooled, source=JUDGMENTS)
    pooled = Candidate.objects.filter(pool__pool_set__in=collection.pool_sets.frozen())
    columns = ("pool__query__name", "document__docno", "pool")
    latest_first = pooled.order_by("-pool__pool_set__round").values_list(*columns)
    pool_of = {(query, docno): pool for query, docno, pool in latest_first}
    together: dict[int, list[Named]] = defaultdict(list)
    for pair in plan.pairs:
        together[pool_of[pair]].append(pair)
    for key, pairs in together.items():
        pool = Pool.objects.select_related("pool_set", "query__document", "query__collection").get(pk=key)
        candidates = pool.candidates.filter(document__docno__in=[docno for _, docno in pairs])
        documents = {each.document.docno: each.document for each in candidates.select_related("document")}
        opening, is_new = Opening.objects.get_or_create(query=pool.query, pool_set=pool.pool_set)
        Opening.objects.filter(pk=opening.pk).update(closed_at=None)  # or nothing could be written into it
        write_judged_pairs(
            opening,
            {
                documents[docno]: tuple(
                    Judgment(judge=plan.who[each.name], grade=each.grade, reason=each.reason, note=each.note)
                    for each in plan.pairs[query, docno]
                )
                for query, docno in pairs
            },
        )
        Opening.objects.filter(pk=opening.pk).update(closed_at=timezone.now() if is_new else opening.closed_at)
    return plan


def write_judged_pairs(opening: Opening, judged: Mapping[Document, tuple[Judgment, ...]]) -> list[Pair]:
    """Pairs with both judgments, which are not saved yet.

    They need judge, grade or reason. A digest that they lack becomes that of the texts as they are here.
    """
    couples: dict[Couple, list[Document]] = defaultdict(list)
    for document, (first, second) in judged.items():
        couples[first.judge, second.judge].append(document)
    made = []
    for couple, documents in couples.items():
        given = make_pairs(opening, documents)
        give(opening.query, given, couple)
        made += given
    pairs = {pair.pk: pair for pair in made}
    unjudged = Slot.objects.filter(pair__opening=opening, judgment=None)
    judgments = []
    for slot in unjudged:
        if pair := pairs.get(slot.pair_id):
            judgment = judged[pair.document][slot.number - 1]
            judgment.collection, judgment.slot, judgment.key = opening.query.collection, slot, uuid.uuid4()
            shown = present(opening.query, pair.document, judgment.guideline_version)
            judgment.digest = judgment.digest or shown.digest
            judgments.append(judgment)
    Judgment.objects.bulk_create(judgments, batch_size=500)
    unjudged.update(judgment=Subquery(Judgment.objects.filter(slot=OuterRef("pk")).values("pk")))
    settled: dict[tuple[str, int | None], list[int]] = defaultdict(list)
    for pair in made:
        pair.state, pair.final = state_of(judged[pair.document], pair.referred)
        settled[pair.state, pair.final].append(pair.pk)
    for (state, final), keys in settled.items():
        Pair.objects.filter(pk__in=keys).update(state=state, final=final)
    return made

"""A collection from what was published of one: its release's zip, or other files (release/csfcube.py)."""

from __future__ import annotations

import json
import math
import uuid
import zipfile
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from tempfile import TemporaryDirectory

from django.conf import settings
from django.db import DatabaseError, transaction
from django.utils import timezone

from accounts.forms import CollectionForm
from accounts.models import ADJUDICATOR, ADMIN, ANNOTATOR, Collection, User
from accounts.services import add_member
from adjudication.models import Decision
from annotation.importing import write_judged_pairs
from annotation.models import Guideline, Judgment, Opening, Pair, PairState, PublishedLabel, Qrels, Reason
from corpus.formats.documents import docno_of, read_documents
from corpus.formats.reading import DAMAGED, BadLines, Problem, refuse_unusual
from corpus.models import Document, Query, text_digest
from pooling.models import Candidate, Contribution, Pool, PoolSet
from release.models import Datasheet
from release.tables import Row
from release.verify import SHOWN, lines, rows, verify
from retrieval.models import Run
from web.csv import as_typed
from web.errors import AppError, BadInput, Conflict
from web.forms import cleaned

Named = tuple[str, str]  # query, docno
# What data of a wrong kind raise, wherever it is noticed.
WRONG_DATA = (
    Problem,
    DatabaseError,
    ArithmeticError,
    AttributeError,
    LookupError,
    RecursionError,
    TypeError,
    ValueError,
)


@dataclass(frozen=True)
class Content:
    """What a collection is made of; rows as in `release.tables.Tables`, where they are not values of a model's fields.

    about: values of CollectionForm. queries: with the docno of the query paper, or "". pool_sets: round, manifest and
    the names of queries. ratings: without a digest, that of the texts as they are here is taken. referred: pairs whose
    two equal grades do not settle them. published: labels as published.csv has them, each of one of the `qrels`.
    """

    about: Row
    documents: list[Row]
    queries: list[Row]
    runs: list[Row]
    pool_sets: list[Row]
    candidates: list[Row]
    ratings: list[Row]
    decisions: list[Row]
    guidelines: list[Row]
    merged_labels: dict[str, str] = field(default_factory=dict)
    datasheet: dict[str, str] = field(default_factory=dict)
    referred: frozenset[Named] = frozenset()
    judges_with_sources: int = 0
    qrels: list[Row] = field(default_factory=list)
    published: list[Row] = field(default_factory=list)


def import_release(*, file: Path, slug: str, admin: User | None) -> Collection:
    """A new collection from a release's zip, after the checks of verify.py."""
    with unpacked(file) as folder:
        try:
            if faults := verify(folder):
                raise BadInput("\n".join([f"{file.name} is not as it was published.", *faults[:SHOWN]]))
            return write_collection(read_release(folder), slug=slug, admin=admin)
        except AppError:
            raise
        except WRONG_DATA as error:
            raise BadInput(f"{file.name} contradicts itself ({type(error).__name__}: {error}).") from error


@contextmanager
def unpacked(file: Path) -> Iterator[Path]:
    """The files of a zip in a folder that is there meanwhile. Names that lead out of it lead into it."""
    with TemporaryDirectory() as folder:
        try:
            with zipfile.ZipFile(file) as archive:
                members = archive.infolist()
                refuse_unusual(members, file.name)
                # No more than a member's stated size is read of it.
                if sum(member.file_size for member in members) > settings.UPLOAD_MAX_BYTES:
                    raise BadInput(f"{file.name} is larger, unpacked, than this server allows (UPLOAD_MAX_MB).")
                archive.extractall(folder)
        except DAMAGED as error:
            raise BadInput(f"{file.name} cannot be unpacked: {error}.") from error
        yield Path(folder)


def read_release(folder: Path) -> Content:
    """The files of a verified release."""
    manifest, more = (json.loads((folder / name).read_bytes()) for name in ("MANIFEST.json", "collection.json"))
    texts = {line["_id"]: line["metadata"] for line in map(json.loads, lines(folder / "beir/queries.jsonl"))}
    queries = [query_of(row, texts.get(row["name"], {})) for row in rows(folder, "queries.csv")]
    candidates = list(candidates_of(rows(folder, "pools.csv")))
    documents: dict[str, Row] = {}
    if (folder / "beir/corpus.jsonl").exists():
        with (folder / "beir/corpus.jsonl").open("rb") as stream:
            found = read_documents(stream, "corpus.jsonl", bad_lines=BadLines(), limit=settings.UPLOAD_MAX_BYTES)
            documents = {values["docno"]: values for _, values in found}
    for docno in sorted({row["docno"] for row in [*queries, *candidates]} - {"", *documents}):
        documents[docno] = {"docno": docno_of(docno, "docno")}
    return Content(
        about=manifest["collection"] | {"description": more["description"]},
        documents=list(documents.values()),
        queries=queries,
        runs=manifest["runs"],
        pool_sets=manifest["pools"],
        candidates=candidates,
        ratings=[
            row
            | {key: whole(row[key]) for key in ("slot", "grade", "guideline")}
            | {"reason": row["reason"] and Reason(row["reason"]), "seconds": measured(row["seconds"])}
            for row in rows(folder, "ratings.csv")
        ],
        decisions=[row | {"grade": whole(row["grade"])} for row in rows(folder, "decisions.csv")],
        guidelines=more["guidelines"],
        merged_labels=dict(more["merged_labels"]),
        datasheet=dict(more["datasheet"]),
        referred=frozenset(
            (row["query"], row["docno"])
            for row in rows(folder, "labels.csv")
            if row["how"] != "agreed" and row["first"] == row["second"] != ""
        ),
        judges_with_sources=manifest["judges_with_sources"],
        qrels=manifest["qrels"],
        published=rows(folder, "published.csv") if manifest["qrels"] else [],
    )


def query_of(row: dict[str, str], text: Row) -> Row:
    """The text of a query paper is its document's."""
    is_topic = not row["docno"]
    return row | {
        "fold": whole(row["fold"]),
        "sentence_numbers": [int(number) for number in row["sentence_numbers"].split()],
        "paper_type": as_typed(row["paper_type"]),
        "title": text.get("title", "") if is_topic else "",
        "description": " ".join(text.get("sentences", [])) if is_topic else "",
        "narrative": text.get("narrative", ""),
    }


def candidates_of(table: Iterable[dict[str, str]]) -> Iterator[Row]:
    """A candidate's rows, one for each run that ranks it, follow each other."""
    for (query, number, position, docno), group in groupby(table, itemgetter("query", "round", "position", "docno")):
        found = list(group)
        yield {
            "query": query,
            "round": int(number),
            "position": int(position),
            "docno": docno,
            "source": as_typed(found[0]["source"]),
            "runs": [
                {
                    "run": as_typed(row["run"]),
                    "rank": whole(row["rank"]),
                    "score": measured(row["score"]),
                    "drawn": row["drawn"] == "True",
                }
                for row in found
                if row["run"]
            ],
        }


def whole(cell: str) -> int | None:
    return int(cell) if cell else None


def measured(cell: str) -> float | None:
    if cell and not math.isfinite(float(cell)):
        raise ValueError(f"{cell} is no number")
    return float(cell) if cell else None


@transaction.atomic
def write_collection(content: Content, *, slug: str, admin: User | None) -> Collection:
    """A new collection: all of the content or nothing.

    Those who judged and decided become accounts that nobody can log in to. The queries are closed. A candidate that
    nobody judged stays in its frozen pool and is no pair.
    """
    form = CollectionForm(content.about | {"slug": slug})
    cleaned(form)
    collection: Collection = form.save(commit=False)
    collection.merged_labels = content.merged_labels
    collection.save()
    if admin:
        add_member(collection=collection, user=admin, roles=[ADMIN])
    Guideline.objects.bulk_create(Guideline(collection=collection, **row) for row in content.guidelines)
    Datasheet.objects.create(collection=collection, answers=content.datasheet)
    documents = {document.docno: document for document in write_documents(collection, content.documents)}
    queries = {query.name: query for query in write_queries(collection, content.queries, documents)}
    candidates = write_pools(collection, content, queries, documents)
    write_published(collection, content, queries, documents)
    write_ratings(collection, content, candidates)
    Opening.objects.filter(query__collection=collection).update(closed_at=timezone.now())
    # They are listed with what they judged, and nobody can give them work.
    collection.memberships.exclude(user=admin).update(left_at=timezone.now())
    return collection


def write_documents(collection: Collection, values: Iterable[Row]) -> list[Document]:
    documents = [Document(collection=collection, **row) for row in values]
    for document in documents:
        document.text_digest = text_digest(document.title, document.sentences)
    return Document.objects.bulk_create(documents, batch_size=500)


def write_queries(collection: Collection, values: Iterable[Row], documents: dict[str, Document]) -> list[Query]:
    queries = []
    for row in values:
        if row["facet"] not in ("", *collection.facets):
            raise BadInput(f"{row['name']} is of the facet {row['facet']}, which the collection does not have.")
        document = documents[row["docno"]] if row["docno"] else None
        fields = {key: value for key, value in row.items() if key != "docno"}
        queries.append(Query(collection=collection, document=document, **fields))
    return Query.objects.bulk_create(queries, batch_size=500)


def write_pools(
    collection: Collection, content: Content, queries: dict[str, Query], documents: dict[str, Document]
) -> dict[Named, Candidate]:
    """The frozen pools; returns the candidate of each query and docno, that of the first round where there are more."""
    runs = {run.name: run for run in Run.objects.bulk_create(Run(collection=collection, **row) for row in content.runs)}
    drawn: dict[tuple[str, int], list[Row]] = defaultdict(list)
    for row in content.candidates:
        drawn[row["query"], row["round"]].append(row)
    pools: list[Pool] = []
    found: list[tuple[Candidate, Row]] = []
    for each in sorted(content.pool_sets, key=itemgetter("round")):
        values = {key: each[key] for key in ("round", "manifest")}
        pool_set = PoolSet.objects.create(collection=collection, plan={}, **values)
        for name in each["queries"]:
            pooled = drawn.pop((name, each["round"]), [])
            order = [source for source in dict.fromkeys(row["source"] for row in pooled) if source in runs]
            said = {"order": order, "shortfall": {}} | each["manifest"].get("pools", {}).get(name, {})
            fields = {"source_order": said["order"], "shortfall": said["shortfall"]}
            pools.append(Pool(pool_set=pool_set, query=queries[name], **fields))
            for row in pooled:
                values = {key: row[key] for key in ("position", "source")}
                found.append((Candidate(pool=pools[-1], document=documents[row["docno"]], **values), row))
    if drawn:
        name, number = min(drawn)
        raise BadInput(f"{name} has candidates in round {number}, but no pool there.")
    Pool.objects.bulk_create(pools, batch_size=500)
    Candidate.objects.bulk_create((candidate for candidate, _ in found), batch_size=1000)
    Contribution.objects.bulk_create(
        (
            Contribution(candidate=candidate, **each | {"run": runs[each["run"]]})
            for candidate, row in found
            for each in row["runs"]
        ),
        batch_size=1000,
    )
    collection.pool_sets.update(frozen_at=timezone.now())
    return {(row["query"], row["docno"]): candidate for candidate, row in reversed(found)}


def write_published(
    collection: Collection, content: Content, queries: dict[str, Query], documents: dict[str, Document]
) -> None:
    """Labels that were published elsewhere, with the origin that the release states."""
    files = {}
    for row in content.qrels:
        fields = {key: row[key] for key in ("sha256", "origin", "grades", "left_out")}
        files[str(row["number"])] = Qrels.objects.create(collection=collection, file_name=row["file"], **fields)
    labels = (
        PublishedLabel(
            qrels=files[row["qrels"]],
            query=queries[row["query"]],
            document=documents[row["docno"]],
            grade=int(row["grade"]),
        )
        for row in content.published
    )
    PublishedLabel.objects.bulk_create(labels, batch_size=1000)


def write_ratings(collection: Collection, content: Content, candidates: dict[Named, Candidate]) -> None:
    """Pairs with two judgments each, and the decisions on them."""
    given: dict[Named, list[Row]] = defaultdict(list)
    for row in sorted(content.ratings, key=itemgetter("query", "docno", "slot")):
        given[row["query"], row["docno"]].append(row)
    if unpooled := given.keys() - candidates.keys():
        raise BadInput(f"{' '.join(min(unpooled))} is judged, but is in no pool.")
    judges = people(collection, ANNOTATOR, {row["annotator"] for row in content.ratings})
    adjudicators = people(collection, ADJUDICATOR, {row["adjudicator"] for row in content.decisions})
    # The release says how many of the judges saw sources, not who; nothing but their number is ever said of it.
    with_sources = [judge.pk for judge in judges.values()][: content.judges_with_sources]
    collection.memberships.filter(user__in=with_sources).update(was_admin=True)
    judged: dict[Pool, dict[Document, tuple[Judgment, ...]]] = defaultdict(dict)
    for key, both in given.items():
        judged[candidates[key].pool][candidates[key].document] = tuple(
            Judgment(
                judge=judges[row["annotator"]],
                grade=row["grade"],
                reason=row["reason"],
                note=row.get("note", ""),
                digest=row["digest"],
                guideline_version=row["guideline"],
                seconds=row["seconds"],
            )
            for row in both
        )
    pairs: dict[Named, Pair] = {}
    for pool, of_pool in judged.items():
        opening = Opening.objects.create(query=pool.query, pool_set=pool.pool_set)
        pairs |= {(pool.query.name, pair.document.docno): pair for pair in write_judged_pairs(opening, of_pool)}
    for key in content.referred:
        pairs[key].referred, pairs[key].state, pairs[key].final = True, PairState.CASE, None
    decisions = []
    for row in content.decisions:
        key = row["query"], row["docno"]
        pair, (first, second) = pairs[key], judged[candidates[key].pool][candidates[key].document]
        pair.state, pair.final = PairState.DECIDED, row["grade"]
        adjudicator = adjudicators[row["adjudicator"]]
        about = {"collection": collection, "pair": pair, "adjudicator": adjudicator, "grade": row["grade"]}
        decisions.append(Decision(**about, first=first, second=second, key=uuid.uuid4()))
    Decision.objects.bulk_create(decisions, batch_size=500)
    changed = content.referred | {(row["query"], row["docno"]) for row in content.decisions}
    Pair.objects.bulk_update([pairs[key] for key in changed], ["state", "final", "referred"], batch_size=500)


def people(collection: Collection, role: str, names: set[str]) -> dict[str, User]:
    """Accounts that nobody can log in to, by the names of a release."""
    found = {}
    for name in sorted(names):
        username = f"{collection.slug}-{name}"
        if User.objects.filter(username__iexact=username).exists():
            raise Conflict(f"The account {username} belongs to someone. Import under another short name.")
        user = User(username=username)
        user.set_unusable_password()
        user.save()
        add_member(collection=collection, user=user, roles=[role])
        found[name] = user
    return found

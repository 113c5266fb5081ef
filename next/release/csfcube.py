"""The release of CSFCube (Mysore et al., 2021) as a collection: its files read and checked, then written at once."""

from __future__ import annotations

import csv
import io
import json
import re
import uuid
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import OuterRef, Subquery
from django.utils import timezone

from accounts.models import ADJUDICATOR, ADMIN, ANNOTATOR, FACETS, Collection, User
from accounts.services import add_member
from adjudication.models import Decision
from annotation.default_guideline import default_guideline
from annotation.guidelines import save_guideline
from annotation.judging import state_of
from annotation.models import Judgment, Opening, Pair, PairState, Reason, Slot
from annotation.openings import add_pairs
from annotation.presentation import present
from corpus.formats.documents import document_of, read_documents
from corpus.formats.reading import BadLines, Problem
from corpus.models import Document, Query, text_digest
from pooling.models import Candidate, Contribution, Pool, PoolSet
from retrieval.citations import CITED
from retrieval.models import Run
from web.errors import BadInput, Conflict

QUERIES = "queries-release.csv"
POOLS = "test-pid2pool-csfcube.json"
RATINGS = "test-pid2anns-csfcube-*.json"
SPLITS = "evaluation_splits.json"
ABSTRACTS = "abstracts-csfcube-preds.jsonl"
TEXTS = "readable_annotations/*.txt"  # have the same texts, of judged papers only
MISSING = -1
PAPER = re.compile(r"\s*paper_id: (\S+); YEAR: (\d+|None)\s*\n(?:(?!TITLE: ).*\n)*TITLE: (.*)\nABSTRACT: ((?s:.*))")

DESCRIPTION = "Faceted query by example in scientific papers (Mysore et al., NeurIPS Datasets and Benchmarks 2021)."
NOT_IN_RELEASE = "Missing in the published ratings."


@dataclass(frozen=True)
class Ratings:
    """Of a query: its two annotators as the file names them ("ann1"), and docno, both grades and label of each pair."""

    annotators: tuple[str, str]
    pairs: list[tuple[str, int | None, int | None, int | None]]


@dataclass(frozen=True)
class Release:
    """`papers`: fields of documents by docno. `pools`: docnos with their sources, who drew it first, by query paper.

    `queries`: rows of the list, by the query's id. Those in `ratings` were judged. `folds`: which fold tests a query.
    """

    papers: dict[str, dict[str, Any]]
    pools: dict[str, list[tuple[str, list[str]]]]
    queries: dict[str, dict[str, str]]
    ratings: dict[str, Ratings]
    folds: dict[str, int]


def read_release(folder: Path) -> Release:
    """A checkout of the release, whichever facets it holds. BadInput where its files are broken or contradict."""
    rows = csv.DictReader(io.StringIO(_text(folder, QUERIES), newline=""))
    queries = {f"{row.get('pid')}_{row.get('facet')}": row for row in rows}
    pools = {paper: _pool(paper, entry) for paper, entry in _json(folder, POOLS).items()}
    for name, row in queries.items():
        if row.get("pid") not in pools or not (row.get("year") or "").isdigit():
            raise BadInput(f"{QUERIES}: {name} needs a year, and a pool in {POOLS}.")
    ratings: dict[str, Ratings] = {}
    for path in sorted(folder.glob(RATINGS)):
        facet = path.stem.rpartition("-")[2]
        for paper, entry in _json(folder, path.name).items():
            ratings[f"{paper}_{facet}"] = _ratings(f"{path.name}: {paper}", entry)
    if not ratings:
        raise BadInput(f"{folder} has no file {RATINGS}. Give a checkout of CSFCube's release.")
    papers = {paper["docno"]: paper for paper in _papers(folder)}
    for name, rated in ratings.items():
        if name not in queries:
            raise BadInput(f"{name} has ratings, but {QUERIES} does not list it.")
        paper = queries[name]["pid"]
        rated_docnos = {docno for docno, *_ in rated.pairs}
        if without := ({paper} | rated_docnos) - {*papers}:
            raise BadInput(f"{min(without)} is judged for {name}, but has no text in {ABSTRACTS} or {TEXTS}.")
        if others := rated_docnos - {docno for docno, _ in pools[paper]}:
            raise BadInput(f"{min(others)} is rated for {name}, but is not in the pool of {paper} in {POOLS}.")
    splits = _json(folder, SPLITS) if (folder / SPLITS).exists() else {}
    folds = {
        name: int(key[4:-5])
        for sets in splits.values()
        for key, names in sets.items()
        if re.fullmatch(r"fold\d+_test", key)
        for name in names
    }
    return Release(papers, pools, queries, ratings, folds)


def _text(folder: Path, name: str) -> str:
    try:
        return (folder / name).read_text("utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"{folder / name} cannot be read: {error}.") from error


def _json(folder: Path, name: str) -> dict[str, Any]:
    try:
        content = json.loads(_text(folder, name))
    except ValueError as error:
        raise BadInput(f"{name} is not JSON: {error}.") from error
    if not isinstance(content, dict) or not all(isinstance(entry, dict) for entry in content.values()):
        raise BadInput(f"{name} must have an object for each paper.")
    return content


def _lists(place: str, entry: dict[str, Any], names: list[str]) -> Iterator[tuple[Any, ...]]:
    """The rows of lists that belong together; the first one has docnos, each once."""
    lists = [entry[name] for name in names if isinstance(entry.get(name), list)]
    if len(lists) < len(names) or len(set(map(len, lists))) > 1:
        raise BadInput(f"{place} needs the lists {', '.join(names)}, all of one length.")
    if len(set(lists[0])) < len(lists[0]):
        raise BadInput(f"{place}: a candidate is there twice.")
    return zip(*lists, strict=True)


def _pool(paper: str, entry: dict[str, Any]) -> list[tuple[str, list[str]]]:
    rows = list(_lists(f"{POOLS}: {paper}", entry, ["cands", "cand_source"]))
    if without := next((docno for docno, sources in rows if not sources), None):
        raise BadInput(f"{POOLS}: {paper}: {without} has no source.")
    return rows


def _ratings(place: str, entry: dict[str, Any]) -> Ratings:
    judges = sorted(name for name in entry if name.startswith("relevance_ann"))
    if len(judges) != 2:
        raise BadInput(f"{place} needs the ratings of two annotators, got {', '.join(judges) or 'none'}.")
    pairs = []
    for docno, *grades in _lists(place, entry, ["cands", *judges, "relevance_adju"]):
        if wrong := [grade for grade in grades if grade not in (MISSING, 0, 1, 2, 3)]:
            raise BadInput(f"{place}: a rating of {docno} is {wrong[0]!r}. Ratings are -1 (missing) to 3.")
        first, second, final = (None if grade == MISSING else int(grade) for grade in grades)
        if first is not None and first == second != final:
            raise BadInput(f"{place}: both annotators gave {docno} a {first}, but its label is {final}.")
        pairs.append((docno, first, second, final))
    return Ratings((judges[0].removeprefix("relevance_"), judges[1].removeprefix("relevance_")), pairs)


def _papers(folder: Path) -> Iterator[dict[str, Any]]:
    if (folder / ABSTRACTS).exists():
        with (folder / ABSTRACTS).open("rb") as file:
            documents = read_documents(file, ABSTRACTS, bad_lines=BadLines(), limit=settings.UPLOAD_MAX_BYTES)
            yield from (document for _, document in documents)
        return
    for path in sorted(folder.glob(TEXTS)):
        blocks = re.split(r"^={5,}\s*$", _text(path.parent, path.name), flags=re.MULTILINE)
        for number, block in enumerate(blocks[1:], 1):
            place = f"{path.name}: paper {number}"
            try:
                yield document_of(_paper(place, block))
            except Problem as problem:
                raise BadInput(f"{place}: {problem}") from problem


def _paper(place: str, block: str) -> dict[str, Any]:
    """Id and year, for a candidate three lines on its ratings, the title, and a sentence a line, after its label."""
    paper = PAPER.fullmatch(block)
    if paper is None:
        raise BadInput(f"{place} needs lines that begin with paper_id, TITLE and ABSTRACT.")
    *head, abstract = paper.groups()
    sentences = [line.partition("_label: ") for line in abstract.split("\n") if line.strip()]  # they may hold U+2028
    if wrong := next((line for line, *rest in sentences if not all(rest)), None):
        raise BadInput(f"{place}: a sentence begins with its label, as in method_label: We …; got {wrong[:60]!r}.")
    return {
        "paper_id": head[0],
        "year": head[1].removeprefix("None"),
        "title": head[2],
        "abstract": [text for _, _, text in sentences],
        "pred_labels": [label for label, _, _ in sentences],
    }


@transaction.atomic
def import_csfcube(*, folder: Path, slug: str, admin: User | None) -> Collection:
    """A new collection with the release's documents, queries, pools, judgments, decisions, labels and folds.

    What the release does not say stays empty: ranks and scores of the pools' sources, times, notes. Candidates that
    nobody rated stay in their frozen pool and are no pairs. The queries are closed.
    """
    release = read_release(folder)
    collection = Collection(
        slug=slug,
        name="CSFCube",
        description=DESCRIPTION,
        licence="CC-BY-NC-4.0",
        facets=[*FACETS, *sorted({row["facet"] for row in release.queries.values()} - {*FACETS})],
        merged_labels={"objective": "background"},
        seed="csfcube",
    )
    try:
        collection.full_clean()
    except ValidationError as error:
        raise BadInput(" ".join(error.messages)) from error
    collection.save()
    if admin:
        add_member(collection=collection, user=admin, roles=[ADMIN])
    for facet in FACETS:
        save_guideline(collection=collection, facet=facet, change="", by=None, **default_guideline(facet))
    documents = _write_documents(collection, release)
    queries = _write_queries(collection, release, documents)
    pool_set = _write_pools(collection, release, queries, documents)
    people = {
        name: _person(collection, name, ANNOTATOR)
        for name in sorted({name for rated in release.ratings.values() for name in rated.annotators})
    }
    adjudicator = _person(collection, "adjudicator", ADJUDICATOR)
    for name, rated in release.ratings.items():
        couple = (people[rated.annotators[0]], people[rated.annotators[1]])
        _write_ratings(queries[name], pool_set, rated, couple, adjudicator)
    Opening.objects.filter(pool_set=pool_set).update(closed_at=timezone.now())
    return collection


def _write_documents(collection: Collection, release: Release) -> dict[str, Document]:
    """Every paper that the release names. One without a text has the title and year of the list of queries, if any."""
    listed = {row["pid"]: {"title": row["title"], "year": int(row["year"])} for row in release.queries.values()}
    pooled = {docno for pool in release.pools.values() for docno, _ in pool}
    documents = []
    for docno in sorted(pooled | {*listed} | {*release.papers}):
        document = Document(
            collection=collection, **{"docno": docno} | listed.get(docno, {}) | release.papers.get(docno, {})
        )
        # The labels of query papers were corrected by hand.
        document.labels_predicted = bool(document.labels) and docno not in listed
        document.text_digest = text_digest(document.title, document.sentences)
        documents.append(document)
    return {document.docno: document for document in Document.objects.bulk_create(documents, batch_size=500)}


def _write_queries(collection: Collection, release: Release, documents: dict[str, Document]) -> dict[str, Query]:
    queries = [
        Query(
            collection=collection,
            name=name,
            document=documents[row["pid"]],
            facet=row["facet"],
            paper_type=row.get("paper type") or "",
            fold=release.folds.get(name),
        )
        for name, row in release.queries.items()
    ]
    return {query.name: query for query in Query.objects.bulk_create(queries)}


def _write_pools(
    collection: Collection, release: Release, queries: dict[str, Query], documents: dict[str, Document]
) -> PoolSet:
    def pools_of(query: Query) -> list[tuple[str, list[str]]]:
        return release.pools[query.own_docno]

    pool_set = PoolSet.objects.create(collection=collection, plan={})
    pools = Pool.objects.bulk_create(
        Pool(
            pool_set=pool_set,
            query=query,
            source_order=[name for name in dict.fromkeys(first for _, (first, *_) in pools_of(query)) if name != CITED],
        )
        for query in queries.values()
    )
    found = [
        (Candidate(pool=pool, document=documents[docno], position=position, source=sources[0]), sources)
        for pool in pools
        for position, (docno, sources) in enumerate(pools_of(pool.query), 1)
    ]
    Candidate.objects.bulk_create((candidate for candidate, _ in found), batch_size=1000)
    names = sorted({name for _, sources in found for name in sources} - {CITED})
    runs = {name: Run.objects.create(collection=collection, name=name, kind="published") for name in names}
    Contribution.objects.bulk_create(
        (
            Contribution(candidate=candidate, run=runs[name], drawn=name == sources[0])
            for candidate, sources in found
            for name in dict.fromkeys(sources)
            if name != CITED
        ),
        batch_size=1000,
    )
    pool_set.frozen_at = timezone.now()
    pool_set.save()
    return pool_set


def _person(collection: Collection, name: str, role: str) -> User:
    """An account that nobody can log in to."""
    username = f"{collection.slug}-{name}"
    user, is_new = User.objects.get_or_create(username=username)
    if is_new:
        user.set_unusable_password()
        user.save()
    elif user.has_usable_password() or user.email:
        raise Conflict(f"The account {username} belongs to someone. Import under another short name.")
    add_member(collection=collection, user=user, roles=[role])
    return user


def _write_ratings(
    query: Query, pool_set: PoolSet, rated: Ratings, couple: tuple[User, User], adjudicator: User
) -> None:
    """Pairs with two judgments each, and a decision on those without two equal grades."""
    collection = query.collection

    def key(*parts: object) -> uuid.UUID:
        return uuid.uuid5(uuid.NAMESPACE_URL, "|".join(map(str, ("csfcube", collection.slug, query.name, *parts))))

    opening = Opening.objects.create(query=query, pool_set=pool_set)
    ratings = {docno: (first, second, final) for docno, first, second, final in rated.pairs}
    candidates = Candidate.objects.filter(pool__pool_set=pool_set, pool__query=query, document__docno__in=ratings)
    pairs = {pair.pk: pair for pair in add_pairs(opening, candidates.select_related("document"), couple)}
    version = 1 if query.facet in FACETS else 0
    digests = {pk: present(query, pair.document, version).digest for pk, pair in pairs.items()}
    judgments: dict[int, list[Judgment]] = defaultdict(list)
    for slot in Slot.objects.filter(pair__opening=opening).order_by("number"):
        docno = pairs[slot.pair_id].document.docno
        grade = ratings[docno][slot.number - 1]
        judgments[slot.pair_id].append(
            Judgment(
                collection=collection,
                slot=slot,
                judge_id=slot.judge_id,
                grade=grade,
                reason=Reason.OTHER if grade is None else "",
                note=NOT_IN_RELEASE if grade is None else "",
                key=key("judgment", docno, slot.number),
                digest=digests[slot.pair_id],
                guideline_version=version,
            )
        )
    Judgment.objects.bulk_create((each for both in judgments.values() for each in both), batch_size=500)
    of_slot = Judgment.objects.filter(slot=OuterRef("pk")).values("pk")
    Slot.objects.filter(pair__opening=opening).update(judgment=Subquery(of_slot))
    decisions = []
    for pk, pair in pairs.items():
        first, second = judgments[pk]
        pair.state, pair.final = state_of((first, second), pair.referred)
        if pair.state == PairState.CASE:
            docno, pair.state = pair.document.docno, PairState.DECIDED
            pair.final = ratings[docno][2]
            decisions.append(
                Decision(
                    collection=collection,
                    pair=pair,
                    adjudicator=adjudicator,
                    first=first,
                    second=second,
                    grade=pair.final,
                    key=key("decision", docno),
                )
            )
    Decision.objects.bulk_create(decisions, batch_size=500)
    Pair.objects.bulk_update(pairs.values(), ["state", "final"], batch_size=500)

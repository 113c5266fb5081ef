"""What a release is made of, read at one moment: plain rows in which people have no names.

Everything is sorted by code point, so that both databases give the same rows.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from operator import itemgetter
from typing import Any

from django.db import connection, transaction
from django.db.models import Count, Q

from accounts.models import Collection
from adjudication.labels import labelled_pairs, labels_state
from adjudication.models import Decision
from annotation.models import Guideline, PairState, PublishedLabel, Slot
from corpus.models import Document, Query
from corpus.ordering import order_key
from evaluation.models import ModelJudge
from jobs.models import Report
from pooling.models import Candidate, Contribution, PoolSet
from release.datasheet import answers_of
from retrieval.models import Run

Row = dict[str, Any]
PUBLISHED = "published"
HOWS = ("agreed", "decided", "set aside", "undecided", PUBLISHED)
HOW = {PairState.AGREED: "agreed", PairState.DECIDED: "decided", PairState.CASE: "undecided"}


@contextmanager
def consistent_read() -> Iterator[None]:
    """A transaction in which every query sees the same state, while others go on judging.

    PostgreSQL has to be asked for that, and SQLite for a transaction without the write lock, which the product's
    other transactions take at once.
    """
    connection.ensure_connection()
    usual_mode = getattr(connection, "transaction_mode", None)
    with ExitStack() as reading:
        connection.transaction_mode = "DEFERRED"  # type: ignore[attr-defined]  # only SQLite's reads it
        try:
            reading.enter_context(transaction.atomic())
        finally:
            connection.transaction_mode = usual_mode  # type: ignore[attr-defined]
        if connection.vendor == "postgresql" and not connection.savepoint_ids:  # a test's own transaction has begun
            with connection.cursor() as cursor:
                cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


@dataclass(frozen=True)
class Tables:
    """The rows of a release.

    queries: name, facet, docno (of the query paper, or ""), fold, sentence_numbers, paper_type, title, sentences,
        narrative, text
    documents: docno, title, sentences, labels, labels_predicted, year, venue, authors; only the pooled ones and the
        query papers, and only their docnos without texts
    candidates: query, round, position, docno, source, runs (rows of run, rank, score, drawn)
    labels: query, facet, docno, how (agreed, decided, set aside, undecided, published), grade, first, second; a row for
        each pair with two judgments, and for each with a published label and without judgments
    published: query, docno, grade, qrels (the number of its file); every published label, those of judged pairs too
    qrels: number, file, sha256, origin, grades, left_out, labels
    ratings: query, facet, docno, slot, annotator, grade, reason, guideline, seconds, digest
    decisions: query, facet, docno, adjudicator, grade
    models: name, model, prompt, prompt_version, parameters, prompts (by facet), answers (rows of query, facet, docno,
        grade, problem, answer)
    """

    collection: Collection
    with_texts: bool
    queries: list[Row]
    documents: list[Row]
    candidates: list[Row]
    labels: list[Row]
    published: list[Row]
    qrels_files: list[Row]
    ratings: list[Row]
    decisions: list[Row]
    guidelines: list[Guideline]
    runs: list[Row]
    pools: list[Row]
    agreement: list[Row]
    datasheet: dict[str, str]
    judges_with_sources: int
    models: list[Row]

    @property
    def qrels(self) -> list[Row]:
        """The labels with a grade."""
        return [label for label in self.labels if label["grade"] is not None]


def read_tables(collection: Collection, *, with_texts: bool, with_models: bool = False) -> Tables:
    """Call it in a `consistent_read`."""
    ratings, judges = read_ratings(collection)
    labels = read_labels(collection)
    candidates = read_candidates(collection)
    queries = collection.queries.select_related("document").order_by("pk")
    return Tables(
        collection=collection,
        with_texts=with_texts,
        queries=sorted((query_row(each, collection, with_texts) for each in queries), key=itemgetter("name")),
        documents=read_documents(collection, with_texts),
        candidates=candidates,
        labels=labels,
        published=read_published(collection),
        qrels_files=read_qrels_files(collection),
        ratings=ratings,
        decisions=read_decisions(collection),
        guidelines=guidelines_of(collection, {(row["facet"], row["guideline"]) for row in ratings}),
        runs=read_runs(collection),
        pools=read_pool_manifests(collection),
        agreement=read_agreement(collection),
        datasheet=answers_of(collection),
        judges_with_sources=collection.memberships.filter(user__in=judges)
        .filter(Q(was_admin=True) | Q(user__is_superuser=True))
        .count(),
        models=read_models(collection, labels) if with_models else [],
    )


def query_row(query: Query, collection: Collection, with_texts: bool) -> Row:
    """The text of a query paper is the document's, so it is there only with texts; that of a topic always is."""
    query.collection = collection
    row: Row = {
        "name": query.name,
        "facet": query.facet,
        "docno": query.own_docno,
        "fold": query.fold,
        "sentence_numbers": query.sentence_numbers,
        "paper_type": query.paper_type,
        "title": "",
        "sentences": [],
        "narrative": "",
    }
    if query.document is None or with_texts:
        if query.document is not None:
            query.document.collection = collection
        marked = query.marked_sentences()
        chosen = [text for text, is_chosen in marked if is_chosen]
        is_whole = not query.facet and not query.sentence_numbers
        row["title"] = query.document.title if query.document else query.title
        row["sentences"] = [text for text, _ in marked] if is_whole else chosen
        row["narrative"] = query.narrative
    return row | {"text": " ".join(" ".join([row["title"], *row["sentences"]]).split())}


def read_documents(collection: Collection, with_texts: bool) -> list[Row]:
    pooled = Candidate.objects.filter(
        pool__pool_set__collection=collection, pool__pool_set__frozen_at__isnull=False
    ).order_by()
    documents = Document.objects.filter(
        Q(pk__in=pooled.values("document")) | Q(pk__in=collection.queries.values("document"))
    )
    columns = ["docno"]
    if with_texts:
        columns += ["title", "sentences", "labels", "labels_predicted", "year", "venue", "authors"]
    return sorted(documents.order_by().values(*columns), key=itemgetter("docno"))


def read_candidates(collection: Collection) -> list[Row]:
    """The frozen pools by query, round and position."""
    frozen = {"pool__pool_set__collection": collection, "pool__pool_set__frozen_at__isnull": False}
    found: dict[int, list[Row]] = defaultdict(list)
    contributions = Contribution.objects.filter(**{f"candidate__{key}": value for key, value in frozen.items()})
    for candidate, *rest in contributions.order_by().values_list("candidate", "run__name", "rank", "score", "drawn"):
        found[candidate].append(dict(zip(("run", "rank", "score", "drawn"), rest, strict=True)))
    columns = {
        "pool__query__name": "query",
        "pool__pool_set__round": "round",
        "position": "position",
        "document__docno": "docno",
        "source": "source",
        "pk": "pk",
    }
    candidates = rows_of(Candidate.objects.filter(**frozen).order_by(), columns)
    for row in candidates:
        row["runs"] = sorted(found[row.pop("pk")], key=itemgetter("run"))
    return sorted(candidates, key=itemgetter("query", "round", "position"))


def read_labels(collection: Collection) -> list[Row]:
    table = labelled_pairs(collection)
    rows = []
    for pair in table.astype(object).where(table.notna(), None).to_dict("records"):
        how = HOW[pair["state"]]
        is_aside = pair["state"] == PairState.DECIDED and pair["final"] is None
        rows.append(
            {
                "query": pair["query"],
                "facet": pair["facet"],
                "docno": pair["docno"],
                "how": "set aside" if is_aside else how,
                "grade": pair["final"],
                "first": pair["first"],
                "second": pair["second"],
            }
        )
    columns = {"query__name": "query", "query__facet": "facet", "document__docno": "docno", "grade": "grade"}
    published = rows_of(PublishedLabel.objects.of(collection).standing(), columns)
    rows += [row | {"how": PUBLISHED, "first": None, "second": None} for row in published]
    return sorted(rows, key=itemgetter("query", "docno"))


def read_published(collection: Collection) -> list[Row]:
    numbers = {qrels.pk: number for number, qrels in enumerate(collection.qrels.all(), 1)}
    columns = {"query__name": "query", "document__docno": "docno", "grade": "grade", "qrels": "qrels"}
    rows = rows_of(PublishedLabel.objects.of(collection), columns)
    return sorted((row | {"qrels": numbers[row["qrels"]]} for row in rows), key=itemgetter("query", "docno"))


def read_qrels_files(collection: Collection) -> list[Row]:
    """The files that published labels came from."""
    return [
        {"number": number, "file": each.file_name, "labels": each.number}
        | {key: getattr(each, key) for key in ("sha256", "origin", "left_out")}
        | {"grades": dict(sorted(each.grades.items(), key=lambda grade: int(grade[0])))}
        for number, each in enumerate(collection.qrels.annotate(number=Count("labels")), 1)
    ]


def read_ratings(collection: Collection) -> tuple[list[Row], set[int]]:
    """Both judgments of each pair that has two, and the keys of those who gave them."""
    columns = {
        "pair__query__name": "query",
        "pair__query__facet": "facet",
        "pair__document__docno": "docno",
        "number": "slot",
        "judge": "annotator",
        "judgment__grade": "grade",
        "judgment__reason": "reason",
        "judgment__guideline_version": "guideline",
        "judgment__seconds": "seconds",
        "judgment__digest": "digest",
    }
    slots = Slot.objects.filter(pair__query__collection=collection).exclude(pair__state=PairState.OPEN).order_by()
    rows = sorted(rows_of(slots, columns), key=itemgetter("query", "docno", "slot"))
    judges = {row["annotator"] for row in rows}
    acts = ((row["annotator"], f"{row['query']} {row['docno']} {row['slot']}") for row in rows)
    names = pseudonyms("annotator", acts, collection.seed)
    for row in rows:
        row["annotator"] = names[row["annotator"]]
    return rows, judges


def read_decisions(collection: Collection) -> list[Row]:
    """The decision that counts of each decided pair: its latest."""
    columns = {
        "pair": "pair",
        "pair__query__name": "query",
        "pair__query__facet": "facet",
        "pair__document__docno": "docno",
        "adjudicator": "adjudicator",
        "grade": "grade",
    }
    decisions = Decision.objects.filter(collection=collection, pair__state=PairState.DECIDED).order_by("pk")
    latest = {row.pop("pair"): row for row in rows_of(decisions, columns)}
    rows = sorted(latest.values(), key=itemgetter("query", "docno"))
    acts = ((row["adjudicator"], f"{row['query']} {row['docno']}") for row in rows)
    names = pseudonyms("adjudicator", acts, collection.seed)
    for row in rows:
        row["adjudicator"] = names[row["adjudicator"]]
    return rows


def pseudonyms(role: str, acts: Iterable[tuple[int, str]], seed: str) -> dict[int, str]:
    """Person to `<role>-1`, `<role>-2`, … in a random order.

    It follows from each person's first act, which the release shows anyway. One that followed from user names could
    be tried out by a reader who knows the names, because the seed is public.
    """
    first: dict[int, str] = {}
    for person, act in acts:
        first[person] = min(act, first.get(person, act))
    ordered = sorted(first, key=lambda person: order_key(seed, "pseudonym", role, first[person]))
    return {person: f"{role}-{number}" for number, person in enumerate(ordered, 1)}


def guidelines_of(collection: Collection, used: set[tuple[str, int]]) -> list[Guideline]:
    """Each version that was judged under, and the one in force where none was."""
    versions = sorted(collection.guidelines.all(), key=lambda each: (each.facet, each.version))
    newest = {each.facet: each.version for each in versions}
    used |= {(facet, newest[facet]) for facet in newest if facet not in {facet for facet, version in used if version}}
    return [each for each in versions if (each.facet, each.version) in used]


def read_runs(collection: Collection) -> list[Row]:
    """The runs that found a candidate."""
    frozen = Contribution.objects.filter(candidate__pool__pool_set__frozen_at__isnull=False)
    runs = Run.objects.filter(collection=collection, pk__in=frozen.values("run"))
    return sorted(rows_of(runs, {key: key for key in ("name", "kind", "settings", "depth")}), key=itemgetter("name"))


def read_pool_manifests(collection: Collection) -> list[Row]:
    sets = PoolSet.objects.filter(collection=collection, frozen_at__isnull=False).prefetch_related("pools__query")
    rows = [
        {
            "round": each.round,
            "queries": sorted(pool.query.name for pool in each.pools.all()),
            "manifest": each.manifest,
        }
        for each in sets
    ]
    return sorted(rows, key=itemgetter("round", "queries"))


def read_agreement(collection: Collection) -> list[Row]:
    """The reports on agreement of these labels, without the parts that name people."""
    reports = Report.objects.filter(collection=collection, kind="agreement", labels=labels_state(collection))
    rows = [{key: each.data[key] for key in ("missing", "facets", "queries", "rounds")} for each in reports]
    return sorted(rows, key=itemgetter("missing"))


def read_models(collection: Collection, labels: list[Row]) -> list[Row]:
    """Models as judges, with what they answered of labelled pairs: others, somebody may still judge or decide."""
    columns = {
        "query__name": "query",
        "query__facet": "facet",
        "document__docno": "docno",
        "grade": "grade",
        "problem": "problem",
        "answer": "answer",
    }
    labelled = {(label["query"], label["docno"]) for label in labels if label["grade"] is not None}
    models = []
    for judge in ModelJudge.objects.filter(collection=collection):
        given = rows_of(judge.labels.order_by(), columns)
        answers = [row for row in given if (row["query"], row["docno"]) in labelled]
        facets = {row["facet"] for row in answers}
        model = {key: getattr(judge, key) for key in ("name", "model", "prompt", "prompt_version", "parameters")}
        model["prompts"] = {facet: text for facet, text in judge.prompts.items() if facet in facets}
        models.append(model | {"answers": sorted(answers, key=itemgetter("query", "docno"))})
    return sorted(models, key=itemgetter("name"))


def rows_of(rows: Any, columns: dict[str, str]) -> list[Row]:
    """The values of a queryset's columns under other names."""
    return [dict(zip(columns.values(), values, strict=True)) for values in rows.values_list(*columns)]


def count(tables: Tables) -> Row:
    """The numbers in all and by facet, as the manifest has them."""
    facets = []
    asked = {query["facet"] for query in tables.queries}
    for facet in [each for each in [*tables.collection.facets, ""] if each in asked]:
        labels = [label for label in tables.labels if label["facet"] == facet]
        judged = [label for label in labels if label["how"] != PUBLISHED]
        by_grade = Counter(label["grade"] for label in labels if label["grade"] is not None)
        how = Counter(label["how"] for label in labels)
        facets.append(
            {
                "facet": facet,
                "queries": sum(query["facet"] == facet for query in tables.queries),
                "queries_labelled": len({label["query"] for label in labels if label["grade"] is not None}),
                "pairs": len(judged),
                "labels": sum(by_grade.values()),
                "grades": [by_grade[grade] for grade in range(len(tables.collection.grades))],
                **{key.replace(" ", "_"): how[key] for key in HOWS},
            }
        )
    return {
        "queries": len(tables.queries),
        "queries_labelled": sum(row["queries_labelled"] for row in facets),
        "candidates": len(tables.candidates),
        "documents": len(tables.documents),
        "pairs": sum(label["how"] != PUBLISHED for label in tables.labels),
        "published": sum(label["how"] == PUBLISHED for label in tables.labels),
        "labels": len(tables.qrels),
        "annotators": len({row["annotator"] for row in tables.ratings}),
        "adjudicators": len({row["adjudicator"] for row in tables.decisions}),
        "facets": facets,
        "rounds": rounds(tables),
    }


def rounds(tables: Tables) -> list[Row]:
    """What each round of the pools added: candidates, the queries that got some, and those with a label."""
    labelled = {(label["query"], label["docno"]) for label in tables.qrels}
    rows = []
    for number in sorted({row["round"] for row in tables.candidates}):
        added = [row for row in tables.candidates if row["round"] == number]
        rows.append(
            {
                "round": number,
                "queries": len({row["query"] for row in added}),
                "candidates": len(added),
                "labels": sum((row["query"], row["docno"]) in labelled for row in added),
            }
        )
    return rows

"""Labels that were published elsewhere, from a file of qrels: nobody is known to have judged them.

The dry run and the import read a file by one function, `plan_labels`.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import Any

from django.conf import settings
from django.core.files.storage import default_storage
from django.db import transaction

from accounts.models import Collection, Verb
from accounts.record import record
from accounts.services import lock_collection
from annotation.models import Pair, PublishedLabel, Qrels
from corpus.formats.reading import only_file
from corpus.matching import known_ids
from corpus.models import Query
from corpus.uploads import discard_upload
from jobs.work import Work, job
from pooling.building import freeze_given
from pooling.models import Candidate
from retrieval.models import QRELS
from web.errors import BadInput
from web.templatetags.ui import plural

KIND = "import_labels"
GRADE = re.compile(r"-?\d{1,3}", re.ASCII)
MOST_GRADES = 20  # different ones in a file; more are no grades
NAMED = 20  # of what is left out
HEADS = ("score", "grade", "relevance")  # end a first line of names, such as BEIR's


@dataclass
class LabelPlan:
    """What an import does: nothing while it has `faults`.

    lines: by grade of the file. grades: what becomes of each, None: left out. labels: by query and document (keys).
    """

    lines: Counter[int] = field(default_factory=Counter)
    grades: dict[int, int | None] = field(default_factory=dict)
    labels: dict[tuple[int, int], int] = field(default_factory=dict)
    left_out: dict[str, dict[str, Any]] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    repeated: int = 0

    @property
    def queries(self) -> int:
        return len({query for query, _ in self.labels})


def read_qrels(path: str) -> Iterator[tuple[int, str, str, int]]:
    """Line, query, docno and grade: TREC's four columns, or three as BEIR has them, with or without a first line."""
    name = PurePath(path).name
    with default_storage.open(path) as stored:
        lines = (each for file in only_file(stored, name, settings.UPLOAD_MAX_BYTES) for each in file.lines())
        for number, line in lines:
            columns = line.strip("\r\n").split("\t")
            if len(columns) not in (3, 4):
                columns = line.split()
            columns = [column.strip() for column in columns]
            if not any(columns) or (number == 1 and columns[-1].lower() in HEADS):
                continue
            if len(columns) not in (3, 4):
                what = "qrels have 4 columns (query 0 docno grade), or 3 without the 0"
                raise BadInput(f"{name}:{number}: {what}; got {len(columns)}.")
            if not GRADE.fullmatch(columns[-1]):
                raise BadInput(f"{name}:{number}: a grade is a whole number, got {columns[-1]!r}.")
            yield number, columns[0], columns[-2], int(columns[-1])


def plan_labels(
    collection: Collection, path: str, *, grades: Mapping[str, int | None], match_leading_zeros: bool
) -> LabelPlan:
    """`grades`: the grade here of each grade of the file, None to leave its lines out.

    Those that are not in it are taken as they are where the scale has them. Below 0 they are left out.
    """
    plan, name = LabelPlan(), PurePath(path).name
    first: dict[tuple[str, str], tuple[int, int]] = {}
    for line, query, docno, grade in read_qrels(path):
        there = first.setdefault((query, docno), (line, grade))
        if there[1] != grade:
            what = f"{query} {docno} has the grade {grade}, and {there[1]} on line {there[0]}"
            raise BadInput(f"{name}:{line}: {what}. Keep one of them.")
        plan.repeated += there[0] != line
        plan.lines[grade] += there[0] == line
    if not first:
        raise BadInput(f"{name} has no labels.")
    if len(plan.lines) > MOST_GRADES:
        raise BadInput(f"{name} has {len(plan.lines)} different grades. Are these the scores of a run?")
    for grade in sorted(plan.lines):
        is_on_scale = 0 <= grade <= collection.top_grade
        plan.grades[grade] = grades.get(str(grade), grade if is_on_scale else None)
        if grade < 0 and plan.grades[grade]:
            plan.faults.append(f"The grade {grade} is below the scale: leave it out, or take it as 0.")
        elif grade > collection.top_grade and str(grade) not in grades:
            plan.faults.append(
                f"The grade {grade} is not on the scale, 0 to {collection.top_grade}: choose one for it."
            )
    queries = dict(collection.queries.values_list("name", "pk"))
    documents = dict(collection.documents.values_list("docno", "pk"))
    zeros = match_leading_zeros
    asked, near_queries = known_ids({query for query, _ in first}, queries, "queries", match_leading_zeros=zeros)
    known, near_documents = known_ids({docno for _, docno in first}, documents, "documents", match_leading_zeros=zeros)
    plan.faults += [*near_queries, *near_documents]
    judged = set(Pair.objects.of(collection).values_list("query", "document"))
    rows = PublishedLabel.objects.of(collection).values_list("query", "document", "grade")
    published = {(query, document): grade for query, document, grade in rows}
    left_out: dict[str, list[str]] = defaultdict(list)
    for (query, docno), (line, of_file) in first.items():
        label = plan.grades[of_file]
        if query not in asked:
            left_out["unknown queries"].append(query)
        elif docno not in known:
            left_out["documents outside the corpus"].append(docno)
        elif (pair := (queries[asked[query]], documents[known[docno]])) in judged:
            left_out["pairs given to judges here"].append(f"{query} {docno}")
        elif label is not None:
            before = published.get(pair, plan.labels.get(pair))
            if before not in (None, label):
                raise BadInput(f"{name}:{line}: {query} {docno} has the label {before} already, and it stays.")
            plan.repeated += before is not None
            if pair not in published:
                plan.labels[pair] = label
    for why, several in left_out.items():
        named = list(dict.fromkeys(several))
        plan.left_out[why] = {"number": len(named), "named": named[:NAMED]}
    if not plan.labels and not plan.faults:
        plan.faults.append(f"{name} has no label for a query and a document of {collection} that has none yet.")
    return plan


@job(KIND)
def import_labels(work: Work, *, path: str, origin: str, **choices: Any) -> None:
    with work.commit() as result:
        plan = write_labels(work.collection, path, origin=origin, **choices)
        labels = plural(len(plan.labels), "published label,published labels")
        record(Verb.IMPORTED, collection=work.collection, object=f"{labels} of {PurePath(path).name}", by=work.by)
        transaction.on_commit(lambda: discard_upload(path))
        result |= {"labels": len(plan.labels), "queries": plan.queries, "left_out": plan.left_out}


@transaction.atomic
def write_labels(collection: Collection, path: str, *, origin: str, **choices: Any) -> LabelPlan:
    """All labels, or none. Their documents become frozen pools, so that "Add to frozen pools" adds to them."""
    collection = lock_collection(collection)
    plan = plan_labels(collection, path, **choices)
    if plan.faults:
        raise BadInput(" ".join(plan.faults))
    with default_storage.open(path) as stored:
        digest = hashlib.file_digest(stored, "sha256").hexdigest()
    qrels = Qrels.objects.create(
        collection=collection,
        file_name=PurePath(path).name,
        sha256=digest,
        origin=" ".join(origin.split()),
        grades={str(grade): here for grade, here in plan.grades.items()},
        left_out=plan.left_out,
    )
    labels = (
        PublishedLabel(qrels=qrels, query_id=query, document_id=document, grade=grade)
        for (query, document), grade in plan.labels.items()
    )
    PublishedLabel.objects.bulk_create(labels, batch_size=1000)
    frozen = Candidate.objects.filter(pool__pool_set__in=collection.pool_sets.frozen())
    pooled = set(frozen.values_list("pool__query", "document"))
    queries = collection.queries.in_bulk()
    documents: dict[Query, list[int]] = defaultdict(list)
    for query, document in plan.labels:
        if (query, document) not in pooled:
            documents[queries[query]].append(document)
    freeze_given(collection=collection, documents=documents, source=QRELS)
    return plan

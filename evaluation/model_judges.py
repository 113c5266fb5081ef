"""Models as judges: labels imported or asked for, compared with people's. They are never in the qrels of people.

Asked and compared are only pairs that have a final label: whoever still has to judge a pair cannot learn a model's
grade of it, an admin who judges neither.
"""

from __future__ import annotations

import time
from collections import Counter, deque
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import replace
from pathlib import Path
from string import Template
from typing import IO, TYPE_CHECKING, Any

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from accounts.models import Collection, User, Verb
from accounts.record import record
from accounts.services import lock_collection
from adjudication.labels import labels_state
from agreement.coefficients import coefficients
from agreement.intervals import FEWEST_QUERIES, resamples
from annotation.guidelines import grade_rows, guideline_in_force
from annotation.models import Pair, PairState
from annotation.presentation import ShownText, shown_candidate, shown_query
from corpus.digests import json_digest
from corpus.formats.reading import BadLines, text_files
from corpus.formats.records import csv_rows
from corpus.models import Document, Query
from corpus.ordering import order_key
from evaluation import asking
from evaluation.label_effects import SLOTS, compare, label_set
from evaluation.measures import profile as profile_named
from evaluation.measures import score
from evaluation.models import NAME, ModelJudge, ModelLabel, Problem
from evaluation.scores import judged_pairs, lists_of, main_figures, systems_of
from jobs.models import Job, Report
from jobs.work import Work, job, start_job
from retrieval.models import RankedList
from web.errors import BadInput, Conflict

if TYPE_CHECKING:
    import pandas as pd

KIND = "model_judge"
FOLDER = Path(__file__).parent / "prompts"
PROMPTS = {"guideline": "The collection's guideline", "umbrela": "UMBRELA's scale, 0 to 3"}
OWN_PARAMETERS = {"model", "messages", "stream", "n", "tools"}  # what the requests are made of, or breaks the answers
AT_ONCE = 4  # requests on their way
MOST_ATTEMPTS = 6  # of a pair
COEFFICIENTS = ("kappa", "alpha", "percent")
FINAL, JUDGES = "Final label", "The two judges with each other"
FIRST_WAIT, LONGEST_WAIT = 1.0, 120.0  # seconds before a pair is asked again; twice as long after each failure


# Making one


@transaction.atomic
def add_model(
    *, collection: Collection, name: str, model: str, address: str, prompt: str, parameters: Any, by: User
) -> ModelJudge:
    """Nothing is asked yet: the page shows the prompts first."""
    asking.address_named(address)
    if prompt not in PROMPTS:
        raise BadInput(f"A prompt is one of {', '.join(PROMPTS)}, got {prompt!r}.")
    if prompt == "umbrela" and collection.top_grade != 3:
        raise BadInput(f"UMBRELA's scale has grades 0 to 3, and {collection} has 0 to {collection.top_grade}.")
    parameters = parameters or {}
    if not isinstance(parameters, dict):
        raise BadInput(f'Parameters are an object, such as {{"temperature": 0}}, got {parameters!r}.')
    if taken := OWN_PARAMETERS & parameters.keys():
        raise BadInput(f"Leave {sorted(taken)[0]!r} out of the parameters: it is set for you.")
    check_name(collection, name)
    prompts = {facet: prompt_template(collection, facet, prompt) for facet in (*collection.facets, "")}
    return ModelJudge.objects.create(
        collection=collection,
        name=name,
        model=model,
        address=address,
        parameters=parameters,
        prompt=prompt,
        prompts=prompts,
        prompt_version=json_digest(prompts),
        created_by=by,
    )


def check_name(collection: Collection, name: str) -> None:
    try:
        NAME(name)
    except ValidationError as error:
        raise BadInput(f"{error.message} Got {name!r}.") from error
    locked = lock_collection(collection)
    if locked.model_judges.filter(name__iexact=name).exists():
        raise BadInput(f"{collection} has a model judge {name} already. Choose another name.")


def prompt_template(collection: Collection, facet: str, prompt: str) -> str:
    """The prompt file with the guideline in force; placeholders of query and candidate stay."""
    guideline = guideline_in_force(collection, facet)
    rows = grade_rows(guideline, collection)
    grades = [f"{row['number']}, {row['name']}: {row['definition']} {row['examples']}".strip(" :") for row in rows]
    filled = {
        "facet": facet or "the whole text",
        "guideline": guideline.text or "None was written.",
        "grades": "\n".join(grades),
    }
    text = (FOLDER / f"{prompt}.txt").read_text()
    return Template(text).safe_substitute({key: value.replace("$", "$$") for key, value in filled.items()})


def prompts_of(judge: ModelJudge, pairs: Sequence[tuple[int, int]]) -> list[str]:
    """Whole ones, for (query, document) keys."""
    queries = Query.objects.select_related("collection", "document").in_bulk({query for query, _ in pairs})
    documents = Document.objects.in_bulk({document for _, document in pairs})
    prompts = []
    for query, document in ((queries[query], documents[document]) for query, document in pairs):
        wanted = query.collection.labels_of(query.facet) if query.facet else set()
        prompts.append(
            Template(judge.prompts[query.facet]).substitute(
                search=query.search_text(),
                passage=f"{document.title}\n{document.abstract}".strip(),
                query=_as_text(shown_query(query)),
                candidate=_as_text(shown_candidate(document, wanted)),
            )
        )
    return prompts


def _as_text(shown: ShownText) -> str:
    lines = [f"[[{each.text}]]" if shown.has_marks and each.in_facet else each.text for each in shown.sentences]
    return "\n".join(line for line in (shown.title, *lines, shown.narrative) if line)


@transaction.atomic
def import_labels(*, collection: Collection, name: str, model: str, file: IO[bytes], by: User) -> ModelJudge:
    """From CSV with a head: query, docno, and grade or answer (as the model wrote it)."""
    check_name(collection, name)
    judge = ModelJudge.objects.create(collection=collection, name=name, model=model, created_by=by)
    queries = {query.name: query for query in collection.queries.all()}
    documents = dict(collection.documents.values_list("docno", "pk"))
    labels: dict[tuple[str, str], ModelLabel] = {}
    for line, row in _csv_rows(file):
        query, docno = row.get("query") or "", row.get("docno") or ""
        if query not in queries or docno not in documents:
            what = f"no query {query!r}" if query not in queries else f"no document {docno!r}"
            raise BadInput(f"Line {line}: {collection} has {what}.")
        if (query, docno) in labels:
            raise BadInput(f"Line {line}: {query} and {docno} have a label already.")
        text = asking.kept(row.get("answer") or row.get("grade") or "", key="")
        pair = (queries[query].pk, documents[docno])
        labels[query, docno] = label_of(judge, pair, asking.Answer(text))
    if not labels:
        raise BadInput("The file has no labels.")
    ModelLabel.objects.bulk_create(labels.values(), batch_size=1_000)
    record(Verb.IMPORTED, collection=collection, object=f"labels of the model {name}", by=by)
    return judge


def _csv_rows(file: IO[bytes]) -> Iterator[tuple[int, dict[str, str]]]:
    for text in text_files(file, "The file", BadLines(), settings.UPLOAD_MAX_BYTES, ""):
        rows = csv_rows(text, text.lines(), ",")
        _, head = next(rows, (0, []))
        if not {"query", "docno"} <= {*head} or not {"grade", "answer"} & {*head}:
            raise BadInput("The first line names the columns: query, docno, and grade or answer.")
        for line, row in rows:
            if len(row) not in (0, len(head)):
                raise BadInput(f"Line {line}: the row must have {len(head)} columns, got {len(row)}.")
            if row:
                yield line, dict(zip(head, row, strict=True))


@transaction.atomic
def delete_model(*, judge: ModelJudge) -> None:
    lock_collection(judge.collection)
    if unfinished := judge.collection.jobs.unfinished().filter(parameters__judge=judge.pk).first():
        raise Conflict(f"A job still needs {judge}: {unfinished.title}. Cancel it first.")
    Report.objects.filter(collection=judge.collection, kind=KIND, parameters__judge=judge.pk).delete()
    record(Verb.DELETED, collection=judge.collection, object=f"model {judge.name}")
    judge.delete()


# Asking


def unasked(judge: ModelJudge) -> list[tuple[int, int]]:
    """(query, document) keys of the pairs with a final label and without an answer, in a random order.

    So whoever stops early has a sample of all queries. A query paper in its own pool is left out.
    """
    collection = judge.collection
    columns = ("query", "document", "query__document", "query__name", "document__docno")
    pairs = Pair.objects.of(collection).labelled().exclude(final=None).filter(query__facet__in=[*judge.prompts])
    answered = set(judge.labels.values_list("query", "document"))
    waiting = [
        (order_key(collection.seed, "ask_model", name, docno), query, document)
        for query, document, own, name, docno in pairs.values_list(*columns)
        if document != own and (query, document) not in answered
    ]
    return [(query, document) for _, query, document in sorted(waiting)]


@transaction.atomic
def start_asking(*, judge: ModelJudge, most: int, by: User) -> Job:
    """Send at most `most` requests, those that fail counted, for the pairs that have no answer yet."""
    if most < 1:
        raise BadInput(f"Send at least 1 request, got {most}.")
    lock_collection(judge.collection)
    asking.address_named(judge.address)
    judge.refresh_from_db()
    running = judge.collection.jobs.unfinished().filter(kind="ask_model", parameters__judge=judge.pk).first()
    about = {"judge": judge.pk, "stop_at": judge.requests + most}
    return running or start_job("ask_model", collection=judge.collection, by=by, **about)


@job("ask_model")
def ask_model(work: Work, *, judge: int, stop_at: int) -> None:
    """Ask about each pair until all have an answer, or `stop_at` requests were sent in all.

    A request is counted before it is sent, so a killed worker cannot send more; the pairs of its last few requests are
    asked again.
    """
    asked = work.collection.model_judges.get(pk=judge)
    address = asking.address_named(asked.address)
    waiting = deque(unasked(asked))
    total = min(len(waiting), stop_at - asked.requests)
    attempts: Counter[tuple[int, int]] = Counter()
    answered = malformed = 0
    with ThreadPoolExecutor(AT_ONCE) as threads:
        while waiting and asked.requests < stop_at:
            number = min(AT_ONCE, len(waiting), stop_at - asked.requests)
            batch = [waiting.popleft() for _ in range(number)]
            prompts = prompts_of(asked, batch)
            with work.step():
                asked.requests += number
                asked.save(update_fields=["requests"])
            sent = [threads.submit(asking.ask, address, asked.model, asked.parameters, text) for text in prompts]
            while wait(sent, timeout=0.5).not_done:
                work.check()
            labels, errors = [], []
            for pair, future in zip(batch, sent, strict=True):
                if error := future.exception():
                    errors.append((pair, error))
                else:
                    labels.append(label_of(asked, pair, future.result()))
            if len(labels) == number and {label.problem for label in labels} == {Problem.REJECTED}:
                if not asked.labels.exists():
                    raise Conflict(f"The server rejects every request: {labels[0].answer}")
            with work.step():
                ModelLabel.objects.bulk_create(labels)
            answered += len(labels)
            malformed += sum(label.grade is None for label in labels)
            pause = 0.0
            for pair, error in errors:
                if not isinstance(error, asking.TryAgain):
                    raise error
                attempts[pair] += 1
                if attempts[pair] == MOST_ATTEMPTS:
                    raise Conflict(f"The server did not answer {MOST_ATTEMPTS} times. Last: {error}")
                waiting.append(pair)
                pause = max(pause, error.wait, FIRST_WAIT * 2 ** (attempts[pair] - 1))
            work.progress(answered, total, "pairs")
            ends = time.monotonic() + min(pause, LONGEST_WAIT)
            while (left := ends - time.monotonic()) > 0:
                work.check()
                time.sleep(min(left, 0.5))
    with work.commit() as result:
        result |= {"answers": answered, "without a grade": malformed, "left": len(waiting)}


def label_of(judge: ModelJudge, pair: tuple[int, int], answer: asking.Answer) -> ModelLabel:
    grade, problem = asking.read_grade(answer, judge.collection.top_grade)
    query, document = pair
    about = {"grade": grade, "problem": problem, "answer": answer.text}
    return ModelLabel(judge=judge, query_id=query, document_id=document, **about)


# Beside people


def shown_labels(judge: ModelJudge) -> QuerySet[ModelLabel]:
    """Without pairs that somebody still has to judge."""
    is_open = Pair.objects.filter(
        query=OuterRef("query"), document=OuterRef("document"), state=PairState.OPEN, counts=True
    )
    labels = judge.labels.exclude(Exists(is_open)).select_related("query", "document")
    return labels.order_by("query__name", "document__docno")


def facet_agreement(rows: pd.DataFrame, grades: int, seed: str) -> dict[str, Any]:
    """The model against the final labels and each judge, and, to compare, the two judges with each other.

    `matrix` counts pairs by final label (row) and the model's grade (column). `low` and `high` are the 95 % interval of
    κ against the final labels.
    """
    import numpy as np
    import pandas as pd

    slots = pd.concat(rows[["grade"]].assign(judge=rows[f"{slot}_judge"], given=rows[slot]) for slot in SLOTS)
    couples = [(FINAL, rows[["grade", "final"]])]
    couples += [(str(judge), table[["grade", "given"]]) for judge, table in slots.groupby("judge")]
    couples += [(JUDGES, rows[["first", "second"]])]
    compared = []
    for name, table in couples:
        both = table.dropna().astype(int).to_numpy()
        found = coefficients(*both.T.tolist())
        compared.append({"name": name, "pairs": len(both), **{key: list(found[key]) for key in COEFFICIENTS}})
    matrices = np.zeros((rows["query"].nunique(), grades, grades), dtype=int)
    places = rows["query"].astype("category").cat.codes
    np.add.at(matrices, (places, rows["final"].astype(int), rows["grade"].astype(int)), 1)
    low, high = kappa_interval(matrices, seed) or (None, None)
    return {"pairs": len(rows), "compared": compared, "matrix": matrices.sum(0).tolist(), "low": low, "high": high}


def kappa_interval(matrices: Any, seed: str) -> tuple[float, float] | None:
    """The 95 % percentile interval of Cohen's κ over all pairs, by a bootstrap over queries; None for fewer than ten.

    `matrices` has the counts of each query: shape (queries, grades, grades).
    """
    import numpy as np

    number, grades, _ = matrices.shape
    if number < FEWEST_QUERIES:
        return None
    drawn = resamples(number, f"{seed}|model-intervals|{number}")
    times = np.stack([np.bincount(row, minlength=number) for row in drawn])
    counts = (times @ matrices.reshape(number, -1)).reshape(-1, grades, grades)
    pairs = counts.sum((1, 2))
    agreed = np.trace(counts, axis1=1, axis2=2) / pairs
    chance = (counts.sum(1) * counts.sum(2)).sum(1) / pairs**2
    defined = chance < 1  # else only one grade was drawn
    if not defined.any():
        return None
    low, high = np.percentile((agreed[defined] - chance[defined]) / (1 - chance[defined]), [2.5, 97.5])
    return float(low), float(high)


def state_of(judge: ModelJudge) -> str:
    """What a report rests on: people's labels, the model's, and lists."""
    lists = RankedList.objects.filter(run__collection=judge.collection).count()
    return f"{labels_state(judge.collection)} {judge.labels.count()} {lists}"


def compare_with_people(judge: ModelJudge, *, profile: str, scope: str, by: str, split: str) -> Report:
    """By facet: agreement, and the systems' rankings under the model's labels and the final ones of the same pairs."""
    import pandas as pd

    state = state_of(judge)  # first: labels that come meanwhile make the report out of date
    collection = judge.collection
    graded = judge.labels.exclude(grade=None).values_list("query__name", "document__docno", "grade")
    grades = pd.DataFrame.from_records(list(graded), columns=["query", "docno", "grade"])
    pairs = judged_pairs(collection).dropna(subset=["final"])
    rows = pairs.merge(grades.astype({"query": str, "docno": str, "grade": int}), on=["query", "docno"])
    wanted = replace(profile_named(profile, collection.relevant_from), scope=scope, measures=(by,), main=by)
    given = label_set(judge.name, rows, rows["grade"])
    theirs: dict[str, pd.DataFrame] = {}
    final: dict[str, pd.DataFrame] = {}
    for run in systems_of(collection):
        lists = lists_of(run)
        theirs[run.name] = score(lists, given.labels, [by], scope=scope)
        final[run.name] = score(lists, given.final, [by], scope=scope)
    queries = {query.name: query for query in collection.queries.select_related("document")}
    facets = []
    for facet in (*collection.facets, ""):
        of_facet = rows[rows["facet"] == facet]
        if of_facet.empty:
            continue
        asked = {name: queries[name] for name in of_facet["query"]}
        rankings = [main_figures(tables, asked, wanted, split) for tables in (theirs, final)]
        row = {"facet": facet, "systems": len(rankings[1])}
        row |= facet_agreement(of_facet, len(collection.grades), collection.seed)
        facets.append(row | compare(*rankings))
    about = {"judge": judge.pk, "profile": profile, "scope": scope, "by": by, "split": split}
    return Report.objects.put(collection, KIND, {"facets": facets}, labels=state, **about)


@job("compare_model")
def compare_model(work: Work, *, judge: int, profile: str, scope: str, by: str, split: str) -> None:
    compared = work.collection.model_judges.get(pk=judge)
    report = compare_with_people(compared, profile=profile, scope=scope, by=by, split=split)
    with work.commit() as result:
        result["facets"] = len(report.data["facets"])

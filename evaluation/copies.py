"""A stratified sample of a collection's labelled pairs becomes a collection of its own, judged as any other.

With other texts it is a study of what the texts change (CSFCube's appendix B); with the same, a second opinion. One
report compares its labels with the original's.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from django.db import transaction
from django.utils import timezone

from accounts.models import Collection, User
from accounts.services import create_collection
from adjudication.labels import final_labels
from agreement.coefficients import REGISTRY, coefficients
from annotation.guidelines import guidelines_in_force, save_guideline
from corpus.models import Document, Query, text_digest
from corpus.ordering import order_key
from evaluation.models import SampledCopy
from pooling.models import Candidate, Pool, PoolSet
from web.errors import BadInput

if TYPE_CHECKING:
    import pandas as pd

STRATA = {"grade": "Grade", "facet": "Facet", "source": "Source", "field": "Field of the query paper"}
SAMPLE = "sample"


def labelled_with_strata(collection: Collection, strata: Sequence[str]) -> pd.DataFrame:
    """The labelled pairs with the name of the stratum of each, such as "grade 2, method"."""
    pairs = final_labels(collection)
    frozen = Candidate.objects.filter(pool__pool_set__in=collection.pool_sets.frozen())
    columns = ("pool__query__name", "document__docno", "source")
    sources = {(query, docno): source for query, docno, source in frozen.values_list(*columns)}
    fields = dict(collection.queries.values_list("name", "document__fields"))  # None of a topic
    parts = {
        "grade": [f"grade {grade}" for grade in pairs["final"]],
        "facet": [facet or "no facet" for facet in pairs["facet"]],
        "source": [
            sources.get((query, docno), "no source")
            for query, docno in zip(pairs["query"], pairs["docno"], strict=True)
        ],
        "field": [(fields[query] or ["no field"])[0] for query in pairs["query"]],  # the first, as MDCR's figures
    }
    names = [", ".join(values) for values in zip(*(parts[name] for name in strata), strict=True)]
    return pairs.assign(stratum=names or "all")


def draw_sample(pairs: pd.DataFrame, per_stratum: int, seed: str) -> pd.DataFrame:
    """`per_stratum` pairs of each stratum, or all it has; the same for a seed on every machine."""
    keys = [order_key(seed, SAMPLE, query, docno) for query, docno in zip(pairs["query"], pairs["docno"], strict=True)]
    ordered = pairs.assign(key=keys).sort_values("key")
    return ordered.groupby("stratum", sort=True).head(per_stratum).sort_values(["query", "docno"], ignore_index=True)


@transaction.atomic
def make_copy(
    *,
    original: Collection,
    slug: str,
    name: str,
    strata: Sequence[str],
    per_stratum: int,
    by: User,
    texts: Mapping[str, Mapping[str, Any]] | None = None,
) -> SampledCopy:
    """The new collection, with its pools frozen: people are invited and queries opened as in any other.

    `texts` replace title, sentences and labels of documents, by docno.
    """
    if per_stratum < 1:
        raise BadInput(f"Take at least 1 pair of each stratum, got {per_stratum}.")
    if unknown := [each for each in strata if each not in STRATA]:
        raise BadInput(f"A stratum is one of {', '.join(STRATA)}, got {unknown[0]!r}.")
    if Collection.objects.filter(slug=slug).exists():
        raise BadInput(f"There is a collection {slug} already. Choose another short name.")
    pairs = labelled_with_strata(original, strata)
    if pairs.empty:
        raise BadInput(f"{original} has no labels to sample from.")
    sample = draw_sample(pairs, per_stratum, original.seed)
    same = ("licence", "facets", "merged_labels", "grades", "relevant_from")
    about = {key: getattr(original, key) for key in same}
    about["description"] = f"{len(sample):,} pairs of {original}, sampled to be judged again."
    copy = create_collection(by=by, slug=slug, name=name, seed=f"{original.seed}-{slug}", **about)
    for guideline in guidelines_in_force(original):
        about = {"facet": guideline.facet, "text": guideline.text, "grades": guideline.grades}
        save_guideline(collection=copy, change="", by=by, **about)
    queries = original.queries.filter(name__in=set(sample["query"])).select_related("document")
    asked = {query.name: query for query in queries}
    papers = {query.own_docno for query in asked.values()}
    documents = copy_documents(original, copy, {*sample["docno"], *papers}, texts or {})
    copied = copy_queries(copy, asked, documents)
    if texts:
        refuse_unmarked(copied.values(), texts)
    pool_set = PoolSet.objects.create(collection=copy, plan={})
    for query_name, rows in sample.groupby("query"):
        pool = Pool.objects.create(pool_set=pool_set, query=copied[str(query_name)])
        Candidate.objects.bulk_create(
            Candidate(pool=pool, document=documents[docno], position=position, source=SAMPLE)
            for position, docno in enumerate(rows["docno"], 1)
        )
    PoolSet.objects.filter(pk=pool_set.pk).update(frozen_at=timezone.now())
    return SampledCopy.objects.create(
        original=original,
        copy=copy,
        strata=list(strata),
        sizes=dict(Counter(pairs["stratum"])),
        drawn={f"{q} {d}": str(s) for q, d, s in zip(sample["query"], sample["docno"], sample["stratum"], strict=True)},
        has_other_texts=bool(texts),
    )


def copy_documents(
    original: Collection, copy: Collection, docnos: set[str], texts: Mapping[str, Mapping[str, Any]]
) -> dict[str, Document]:
    rows = []
    for document in original.documents.filter(docno__in=docnos).order_by("docno"):
        document.pk, document._state.adding, document.import_job = None, True, None
        document.collection = copy
        for key in ("title", "sentences", "labels"):
            setattr(document, key, texts.get(document.docno, {}).get(key, getattr(document, key)))
        document.certainties, document.certainty = [], None  # of other sentences, perhaps
        document.text_digest = text_digest(document.title, document.sentences)
        rows.append(document)
    return {document.docno: document for document in Document.objects.bulk_create(rows, batch_size=500)}


def refuse_unmarked(queries: Iterable[Query], texts: Mapping[str, Mapping[str, Any]]) -> None:
    """Raise BadInput where judges would see the wrong sentences in bold, or none."""
    for query in queries:
        if query.own_docno in texts and query.sentence_numbers:
            raise BadInput(f"{query.name} asks for sentences by number. Leave {query.own_docno} out of the texts.")
        if query.own_docno in texts and query.facet and not any(marked for _, marked in query.marked_sentences()):
            raise BadInput(
                f"The text given for {query.own_docno} has no sentence labelled {query.facet}, which {query.name} asks "
                f"for. Label its sentences, or leave it out."
            )


def copy_queries(copy: Collection, asked: Mapping[str, Query], documents: Mapping[str, Document]) -> dict[str, Query]:
    same = ("name", "facet", "sentence_numbers", "title", "description", "narrative", "paper_type", "field", "fold")
    rows = []
    for query in asked.values():
        about = {key: getattr(query, key) for key in same}
        rows.append(Query(collection=copy, document=documents.get(query.own_docno), **about))
    return {query.name: query for query in Query.objects.bulk_create(rows)}


def comparison(sampled: SampledCopy) -> dict[str, Any]:
    """How the copy's labels compare with the original's, over the pairs that have both now.

    strata: a row each with pairs, those that differ, and the 95 % Wilson interval of that share. `share` is over all
    of the original: each stratum's share by its size there; None until every stratum has a pair.
    """
    before = labels_by_pair(sampled.original)
    after = labels_by_pair(sampled.copy)
    both = {pair: (before[pair], after[pair]) for pair in sampled.drawn if pair in before and pair in after}
    by_stratum: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for pair, two in both.items():
        by_stratum[sampled.drawn[pair]].append(two)
    rows = [stratum_row(name, by_stratum[name], sampled.sizes[name]) for name in sorted(set(sampled.drawn.values()))]
    grades = len(sampled.original.grades)
    matrix: list[list[int]] = [[0] * grades for _ in range(grades)]
    for first, second in both.values():
        matrix[first][second] += 1
    found = coefficients([a for a, _ in both.values()], [b for _, b in both.values()])
    is_whole = bool(rows) and all(row["pairs"] for row in rows)
    total = sum(row["size"] for row in rows)
    return {
        "sampled": len(sampled.drawn),
        "pairs": len(both),
        "strata": rows,
        "share": sum(row["size"] * row["differ"] / row["pairs"] for row in rows) / total if is_whole else None,
        "matrix": matrix,
        "coefficients": [(each, found[each.key]) for each in REGISTRY if each.of_paper],
    }


def labels_by_pair(collection: Collection) -> dict[str, int]:
    pairs = final_labels(collection)
    return {f"{q} {d}": int(g) for q, d, g in zip(pairs["query"], pairs["docno"], pairs["final"], strict=True)}


def stratum_row(name: str, grades: Sequence[tuple[int, int]], size: int) -> dict[str, Any]:
    differ = sum(first != second for first, second in grades)
    low, high = wilson(differ, len(grades))
    return {"stratum": name, "size": size, "pairs": len(grades), "differ": differ, "low": low, "high": high}


def wilson(hits: int, number: int) -> tuple[float | None, float | None]:
    """The 95 % Wilson score interval of a share (Wilson, 1927), by scipy; None without a case."""
    from scipy.stats import binomtest

    if not number:
        return None, None
    interval = binomtest(hits, number).proportion_ci(0.95, method="wilson")
    return float(interval.low), float(interval.high)

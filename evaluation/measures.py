"""Measures of ranked lists by labels: one function to a table of query × measure, which everything else reads. Pure.

    score({"q1": ["d3", "d1"]}, {"q1": {"d1": 2, "d7": 1}}, ["AP(rel=2)", "nDCG@10"], scope=OPEN)

Names are those of ir-measures (`AP`, `nDCG@10`, `P(rel=2)@5`), or of trec_eval (`map`, `ndcg_cut_10`), and three of
CSFCube's own: `RP`, `NDCG%20`, `NDCG%100`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from web.errors import BadInput

if TYPE_CHECKING:
    import pandas as pd

Lists = Mapping[str, Sequence[str]]  # docnos by query, best first
Labels = Mapping[str, Mapping[str, int]]  # grades by query and docno

CLOSED, OPEN, CONDENSED = "closed", "open", "condensed"
SCOPES = {  # of a list, what it is scored by, as every table says it
    CLOSED: "Closed: only documents of each list that have a label, as a re-ranking of the pool.",
    OPEN: "Open: lists as the systems rank the whole corpus; documents without a label count as not relevant.",
    CONDENSED: "Condensed: documents without a label are taken out of each list.",
}
CSFCUBE, TREC, MDCR = "csfcube", "trec", "mdcr"
PROGRAMS = {"gdeval"}  # of ir-measures, run by Perl; it takes no ids but numbers
OWN = re.compile(r"(?:RP|NDCG%(?P<percent>\d{1,3}))(?:\(rel=(?P<rel>\d)\))?")


@dataclass(frozen=True)
class Profile:
    """Measures that belong together. `main` ranks systems. `has_folds`: figures are means over two folds.

    `by_field`: the mean is that over the fields of the query papers, of the mean over each field's queries.
    """

    name: str
    scope: str
    measures: tuple[str, ...]
    main: str
    has_folds: bool = False
    by_field: bool = False


def profile(name: str, relevant_from: int) -> Profile:
    """The threshold stands in the name of a measure where it is not the one that ir-measures or CSFCube takes."""
    rel = "" if relevant_from == 1 else f"(rel={relevant_from})"
    if name == CSFCUBE:
        own = "" if relevant_from == 2 else rel or "(rel=1)"
        measures: tuple[str, ...] = (f"RP{own}", f"P{rel}@20", f"R{rel}@20", "NDCG%20", "NDCG%100")
        return Profile(CSFCUBE, CLOSED, measures, "NDCG%20", has_folds=True)
    if name == TREC:
        measures = (
            f"AP{rel}",
            "nDCG@10",
            "nDCG@100",
            f"P{rel}@10",
            f"R{rel}@100",
            f"RR{rel}",
            f"Bpref{rel}",
            "Judged@10",
        )
        return Profile(TREC, OPEN, measures, "nDCG@10")
    if name == MDCR:
        return Profile(MDCR, CLOSED, (f"AP{rel}", "nDCG", f"R{rel}@5"), f"AP{rel}", by_field=True)
    raise BadInput(f"There is no profile {name!r}. Use {CSFCUBE}, {TREC} or {MDCR}.")


def score(lists: Lists, labels: Labels, measures: Sequence[str], *, scope: str) -> pd.DataFrame:
    """A row for each query that has labels, by name; a column for each measure, in the order given.

    As trec_eval and ir-measures count: a query without a list, or without a relevant document, has 0. NaN only where
    CSFCube's measures have no value (no relevant document in the pool).
    """
    import ir_measures
    import pandas as pd

    by_name = {name: parse(name) for name in measures}
    shown = {query: list(dict.fromkeys(lists.get(query, ()))) for query in labels}
    if scope != OPEN:
        shown = {query: [docno for docno in docnos if docno in labels[query]] for query, docnos in shown.items()}
    values = {measure: dict.fromkeys(sorted(labels), 0.0) for measure in by_name.values()}
    standard = [measure for measure in values if isinstance(measure, ir_measures.measures.Measure)]
    # Scores that keep the order: trec_eval sorts by score, and by docno where scores are equal.
    run = {query: {docno: float(len(docnos) - i) for i, docno in enumerate(docnos)} for query, docnos in shown.items()}
    qrels = {query: dict(grades) for query, grades in labels.items()}
    if standard and any(run.values()):
        for each in ir_measures.iter_calc(standard, qrels, {q: docs for q, docs in run.items() if docs}):
            values[each.measure][each.query_id] = each.value
    for measure, by_query in values.items():
        if measure not in standard:
            for query in by_query:
                by_query[query] = measure([labels[query].get(d, 0) for d in shown[query]], labels[query])
    columns = {name: values[measure] for name, measure in by_name.items()}
    return pd.DataFrame(columns, index=sorted(labels), columns=list(measures), dtype=float)


@lru_cache
def parse(name: str) -> Any:
    """ir-measures' measure, or a function of (grades in the list's order, the query's labels) to a value."""
    import ir_measures

    if own := OWN.fullmatch(name):
        least = int(own["rel"] or 2)
        return _pool_ndcg(int(own["percent"])) if own["percent"] else _precision_at_last(least)
    for read in (ir_measures.parse_measure, lambda name: ir_measures.parse_trec_measure(name)[0]):
        try:
            measure = read(name)
        except (ValueError, NameError, LookupError, SyntaxError, AssertionError):
            continue
        providers = (each for each in ir_measures.DefaultPipeline.providers if each.is_available())
        first = next((each for each in providers if supports(each, measure)), None)
        if first is None or first.NAME in PROGRAMS:
            raise BadInput(f"{name} cannot be computed here: it has other parameters, or needs another program.")
        try:
            ir_measures.calc_aggregate([measure], {"q": {"d": 1}}, {"q": {"d": 1.0}})
        except (ValueError, TypeError, ArithmeticError) as error:
            raise BadInput(f"{name} cannot be computed: {error}") from error
        return measure
    raise BadInput(f"There is no measure {name!r}. Use a name of ir-measures, such as AP, nDCG@10 or P(rel=2)@5.")


def supports(provider: Any, measure: Any) -> bool:
    with suppress(AssertionError):  # of one that asks for other parameters
        return bool(provider.supports(measure))
    return False


def _precision_at_last(least: int) -> Callable[[Sequence[int], Mapping[str, int]], float]:
    """CSFCube's "RP": precision at the rank of the last relevant document; it is no R-precision."""

    def measure(grades: Sequence[int], labels: Mapping[str, int]) -> float:
        relevant = [rank for rank, grade in enumerate(grades, 1) if grade >= least]
        if not any(grade >= least for grade in labels.values()):
            return math.nan
        return len(relevant) / relevant[-1] if relevant else 0.0

    return measure


def _pool_ndcg(percent: int) -> Callable[[Sequence[int], Mapping[str, int]], float]:
    """CSFCube's "NDCG%": gain = grade, DCG = g₁ + Σ_{i≥2} gᵢ/log₂ i, at int(percent of the judged pool)."""

    def dcg(gains: Sequence[int]) -> float:
        return math.fsum(gain / math.log2(max(rank, 2)) for rank, gain in enumerate(gains, 1))

    def measure(grades: Sequence[int], labels: Mapping[str, int]) -> float:
        cut = len(labels) * percent // 100
        ideal = dcg(sorted(labels.values(), reverse=True)[:cut])
        return dcg(grades[:cut]) / ideal if ideal else math.nan

    return measure

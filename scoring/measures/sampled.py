"""Inferred AP and nDCG, for judgments that are a sample of a deep pool. Pure.

Yilmaz, Kanoulas & Aslam (SIGIR 2008), as NIST's `sample_eval.pl` of 2011 computes them, but over
whole lists instead of their first 1,000 documents. For a query, let stratum s have Nₛ documents of
which nₛ are judged. A judged document of s stands for wₛ = Nₛ / nₛ documents.

- The estimated number of relevant documents is R = Σₛ wₛ rₛ, of rₛ judged relevant ones.
- At rank k, let mₛ(k), nₛ(k) and rₛ(k) be the pooled, the judged and the relevant documents of s
  above this rank. The expected precision at a relevant document there is
  E(k) = 1/k + (1/k) Σₛ mₛ(k) (rₛ(k) + ε) / (nₛ(k) + 3ε), with ε = 0.00001. The sum is over strata
  with mₛ(k) > 0.
- infAP = (1/R) Σ wₛ E(k), over the judged relevant documents of the list.
- Inferred DCG = Σₛ (mₛ/nₛ) Σ g / log₂(k + 1): the discounted gains of the list's judged documents
  of s, times the pooled documents of the list in s for each judged one. The gain g is the grade.
- The ideal DCG ranks, for each grade from the highest, Σₛ wₛ rₛ(grade) documents, rounded half up.
  infNDCG is the inferred DCG divided by it. As an estimate it can be above 1.

Relevant is every grade from the threshold on; NIST's script takes every grade above 0. A stratum
without judged documents counts for nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from scoring.measures.judged_ranks import Qrels
from scoring.measures.names import Measure
from web.lazy import pandas as pd

EPSILON = 0.00001
UNJUDGED = -1
INF_AP, INF_NDCG = "infAP", "infNDCG"


def sampled_measures(least: int) -> tuple[Measure, Measure]:
    """infAP and infNDCG for labels that are relevant from the grade `least` on."""
    only = "only queries whose pool is a sample"
    return (
        Measure(
            INF_AP if least == 1 else f"{INF_AP}(rel={least})",
            least,
            f"AP estimated from a sample by strata, relevant: grade {least} or higher, whole list; "
            + only,
        ),
        Measure(
            INF_NDCG,
            least,
            "nDCG estimated from a sample by strata, gain = grade, discount log2(rank + 1), whole "
            f"list; {only}",
        ),
    )


Strata = Mapping[str, int]  # docno to stratum, of all documents of a deep pool


class SampledPools:
    """The queries whose pools are samples: the stratum of each document, and the judged grades.

    A judged document without a stratum counts as a document outside the pool.
    """

    def __init__(self, strata: Mapping[str, Strata], qrels: Qrels, least: int) -> None:
        self.measures = sampled_measures(least)
        self._pools = {query: _Pool(strata[query], qrels.get(query, {}), least) for query in strata}

    def scores(self, lists: Iterable[tuple[str, Sequence[str]]]) -> pd.DataFrame:
        """infAP and infNDCG. Index: the queries with a relevant document; 0 without a list."""
        values = {query: (0.0, 0.0) for query, pool in self._pools.items() if pool.relevant > 0}
        values |= {
            query: self._pools[query].values(list_) for query, list_ in lists if query in values
        }
        names = [measure.name for measure in self.measures]
        return pd.DataFrame.from_dict(values, orient="index", columns=names, dtype="float64")


class _Pool:
    """A query's deep pool, with its strata numbered from 0."""

    def __init__(self, strata: Strata, grades: Mapping[str, int], least: int) -> None:
        numbers = {stratum: number for number, stratum in enumerate(sorted(set(strata.values())))}
        self.strata, self.least = len(numbers), least
        self.documents = {
            docno: (numbers[stratum], max(grades[docno], 0) if docno in grades else UNJUDGED)
            for docno, stratum in strata.items()
        }
        stratum, grade = np.array(list(self.documents.values()), dtype=np.int64).reshape(-1, 2).T
        judged = self._count(stratum[grade >= 0])
        # Only weights of judged documents are added, so that of a stratum without one is not used.
        self.weight = self._count(stratum) / np.maximum(judged, 1)
        self.relevant = float(self.weight[stratum[grade >= least]].sum())
        self.ideal = _ideal_dcg(grade[grade > 0], self.weight[stratum[grade > 0]])

    def values(self, docnos: Sequence[str]) -> tuple[float, float]:
        found = [
            (rank, *self.documents[docno])
            for rank, docno in enumerate(docnos, start=1)
            if docno in self.documents
        ]
        rank, stratum, grade = np.array(found, dtype=np.int64).reshape(-1, 3).T
        is_relevant = grade >= self.least
        in_stratum = np.eye(self.strata)[stratum]  # shape: pooled documents of the list, strata
        pooled = _above(in_stratum)
        judged = _above(in_stratum * (grade >= 0)[:, None])
        relevant = _above(in_stratum * is_relevant[:, None])
        above = (pooled * (relevant + EPSILON) / (judged + 3 * EPSILON)).sum(axis=1)
        weighted = self.weight[stratum] * (1 + above) / rank
        gains = np.maximum(grade, 0) / np.log2(rank + 1)
        judged_in_list = np.maximum(self._count(stratum[grade >= 0]), 1)
        dcg = (gains * (self._count(stratum) / judged_in_list)[stratum]).sum()
        return float(weighted[is_relevant].sum() / self.relevant), float(dcg / self.ideal)

    def _count(self, stratum: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        return np.bincount(stratum, minlength=self.strata)


def _above(counted: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """For each row, the sum of the rows before it."""
    sums: np.ndarray[Any, Any] = np.cumsum(counted, axis=0) - counted
    return sums


def _ideal_dcg(grade: np.ndarray[Any, Any], weight: np.ndarray[Any, Any]) -> float:
    grades = np.unique(grade)[::-1]
    numbers = [int(weight[grade == each].sum() + 0.5) for each in grades]
    gains = np.repeat(grades, numbers)
    return float((gains / np.log2(np.arange(len(gains)) + 2)).sum())

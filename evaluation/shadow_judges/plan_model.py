"""Shadow judges as models of judging plans."""

from __future__ import annotations

from accounts.models import Collection
from evaluation.shadow_judges.models import ShadowLabel
from evaluation.shadow_judges.services import shadow_judge_named
from planning.double_judging.predictors import (
    DocnosByQuery,
    ModelKind,
    PairScores,
    register_models,
)

KIND = "shadow"


def _names(collection: Collection) -> list[str]:
    return list(collection.shadow_judges.order_by("name").values_list("name", flat=True))


def _scores(collection: Collection, name: str, docnos: DocnosByQuery) -> PairScores:
    """The grades divided by the highest one. A pair without a label is left out."""
    judge = shadow_judge_named(collection, name)
    labels = ShadowLabel.objects.filter(shadow_judge=judge).order_by()
    rows = labels.values_list("pair__query__name", "pair__candidate__document__docno", "grade")
    wanted = {query: set(names) for query, names in docnos.items()}
    return {
        (query, docno): grade / collection.highest_grade
        for query, docno, grade in rows.iterator()
        if docno in wanted.get(query, ())
    }


def _digest(collection: Collection, name: str) -> str:
    judge = collection.shadow_judges.filter(name=name).first()
    return judge.sha256 if judge else ""


def register_shadow_judges() -> None:
    register_models(KIND, ModelKind(_names, _scores, _digest))

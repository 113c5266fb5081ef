"""A plan as the texts of the form "Plan the pools", so that both save the same."""

from __future__ import annotations

from collections.abc import Sequence

from django.utils.datastructures import MultiValueDict

from accounts.models import Collection
from pooling.plan_form import (
    ALL,
    DRAWN,
    EXCLUDED,
    FORCED,
    KNOWN,
    SOME,
    WITHOUT_POOL,
    PoolPlanForm,
    field_name,
)
from pooling.services import PoolPlan
from pooling.strategies import STRATEGIES
from retrieval.services import CITED


def texts_of(
    collection: Collection, plan: PoolPlan, *, docnos: Sequence[str] = (), without_pool: bool
) -> MultiValueDict[str, str]:
    """The fields that a browser would send. A plan without runs has those of an empty form."""
    form = PoolPlanForm(collection=collection)
    offered = [name for name, _ in form.fields["runs"].choices]  # type: ignore[attr-defined]
    usual = [name for name in form.fields["runs"].initial or [] if name not in plan.known_sources]
    runs = list(plan.runs) or usual
    texts = {
        "scope": [SOME if docnos else WITHOUT_POOL if without_pool else ALL],
        "papers": ["\n".join(docnos)],
        "strategy": [plan.strategy],
        "cited": [_use(plan, CITED)],
        "runs": [name for name in runs if name in offered],
        "more": [" ".join(name for name in runs if name not in offered)],
        "only": list(plan.only),
        "depth": [str(plan.depth)],
        "seed": [plan.seed],
    }
    texts |= {f"{KNOWN}{name}": [_use(plan, name)] for name in form.imported}
    strategy = STRATEGIES[plan.strategy]
    for parameter in strategy.parameters:
        if parameter.name in plan.parameters:
            texts[field_name(strategy, parameter)] = [_text(plan.parameters[parameter.name])]
    return MultiValueDict(texts)


def _use(plan: PoolPlan, source: str) -> str:
    if source in plan.forced:
        return FORCED
    return EXCLUDED if source in plan.excluded else DRAWN


def _text(value: object) -> str:
    values = value if isinstance(value, list | tuple) else [value]
    return ", ".join(map(str, values))

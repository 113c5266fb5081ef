"""Models that are asked for labels in tests, and their answers."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

from accounts.models import Collection
from annotation.models import Pair
from evaluation.models import Asking, ModelAnswer, ShadowJudge
from evaluation.shadow_judges.asking.services import AskingPlan, Limits, ask_model, begin_asking

FAST = Limits(budget=Decimal(10), requests_per_minute=60_000, concurrency=4, timeout_seconds=20)


def an_asking(collection: Collection, judge: ShadowJudge | None = None, **values: Any) -> Asking:
    """Of a new shadow judge, if none is given."""
    new = {"name": "asked", "model": "tiny-1", "labels_count": 0, "sha256": ""}
    judge = judge or collection.shadow_judges.create(**new)
    begun: dict[str, Any] = {
        "address": "http://127.0.0.1:9/v1",
        "template": "guideline",
        "template_version": 1,
        "template_sha256": "0" * 64,
        "max_tokens": 200,
        "prompt_price": 1,
        "completion_price": 2,
        "budget": 10,
    }
    return Asking.objects.create(shadow_judge=judge, **begun | values)


def an_answer(asking: Asking, pair: Pair, **values: Any) -> ModelAnswer:
    answer = {
        "repetition": 1,
        "swapped": False,
        "prompt_digest": "0" * 64,
        "raw": '{"grade": 3}',
        "cost": "0.001",
        "seconds": 0.5,
    }
    return asking.shadow_judge.answers.create(pair=pair, **answer | values)


def a_plan(address: str, name: str = "asked", **values: Any) -> AskingPlan:
    priced = {"prompt_price": Decimal(1), "completion_price": Decimal(2), "max_tokens": 50}
    return AskingPlan(name, "tiny-1", address, **{"limits": FAST, **priced, **values})


def asked(collection: Collection, plan: AskingPlan, **values: Any) -> Asking:
    """The model, asked until the end in this process."""
    begin_asking(collection=collection, plan=plan, begun_by=None)
    ask_model(collection=collection, name=plan.name, first_backoff=0.01, **values)
    return Asking.objects.get(shadow_judge__name=plan.name)

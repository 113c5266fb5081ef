"""The answers of a model as JSON lines, each as it came."""

from __future__ import annotations

import json
from collections.abc import Iterator

from evaluation.shadow_judges.asking.models import ModelAnswer
from evaluation.shadow_judges.models import ShadowJudge

READ_TOGETHER = 500
COLUMNS = (
    *("repetition", "swapped", "grade", "criteria", "problem", "raw", "prompt_digest"),
    *("reported_model", "fingerprint", "finish_reason", "prompt_tokens", "completion_tokens"),
    *("cost", "seconds"),
)


def answer_lines(judge: ShadowJudge) -> Iterator[bytes]:
    """An object for each answer, by query, document, repetition and order."""
    rows = (
        ModelAnswer.objects.filter(shadow_judge=judge)
        .order_by("pair__query__name", "pair__candidate__document__docno", "repetition", "swapped")
        .values_list("pair__query__name", "pair__candidate__document__docno", *COLUMNS)
    )
    for query, docno, *values in rows.iterator(READ_TOGETHER):
        answer = {"query": query, "docno": docno, **dict(zip(COLUMNS, values, strict=True))}
        answer["cost"] = f"{answer['cost'].normalize():f}"
        yield json.dumps(answer, ensure_ascii=False).encode() + b"\n"

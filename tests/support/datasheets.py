"""Answers of a datasheet, for collections that tests publish."""

from __future__ import annotations

from accounts.models import Collection
from bundle.datasheet.questions import QUESTIONS
from release.datasheets.services import save_answers

ANSWERS = {key: f"Our answer to {key}." for key, question in QUESTIONS.items() if question.required}


def answer_datasheet(collection: Collection, **more: str) -> Collection:
    """Answer every required question."""
    save_answers(collection=collection, answers={**ANSWERS, **more}, answered_by=None)
    return collection

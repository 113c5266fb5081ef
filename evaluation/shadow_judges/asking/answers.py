"""The grade in a model's answer. Strict: an answer that leaves a doubt has no grade. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from enum import StrEnum
from typing import Any, NamedTuple


class AnswerProblem(StrEnum):
    """The reason why an answer has no grade."""

    EMPTY = "empty"
    NO_GRADE = "no-grade"
    INVALID = "invalid-grade"
    OFF_SCALE = "off-scale"
    SEVERAL = "several-grades"
    MISSING = "missing-criterion"
    TRUNCATED = "truncated"
    REFUSED = "refused"
    REJECTED = "rejected"
    UNREADABLE = "unreadable"
    UNANSWERED = "unanswered"


PROBLEM_WORDS: dict[str, str] = {
    AnswerProblem.EMPTY: "the answer is empty",
    AnswerProblem.NO_GRADE: "no grade in the form that was asked for",
    AnswerProblem.INVALID: "the grade is not a whole number",
    AnswerProblem.OFF_SCALE: "the grade is not on the scale",
    AnswerProblem.SEVERAL: "several grades",
    AnswerProblem.MISSING: "a criterion has no grade",
    AnswerProblem.TRUNCATED: "cut off at the longest length of an answer",
    AnswerProblem.REFUSED: "the model refused to answer",
    AnswerProblem.REJECTED: "the server rejected the request",
    AnswerProblem.UNREADABLE: "the server’s answer is not in the protocol",
    AnswerProblem.UNANSWERED: "the server did not answer, also when asked again",
}
GRADE = "grade"
# An object without another one in it. So text without end is read once, from left to right.
FLAT_OBJECT = re.compile(r"\{[^{}]*\}")
# The reasons to end with which a server says that the text is not all that the model would say.
CUT_OFF, FILTERED = "length", "content_filter"


class ReadAnswer(NamedTuple):
    """The grade of an answer, or the problem why it has none.

    `criteria` has the grades of the criteria, if it was asked for them. `problem` is "" for an
    answer with a grade.
    """

    grade: int | None
    criteria: dict[str, int] | None = None
    problem: str = ""


def read_answer(
    text: str,
    *,
    highest: int,
    criteria: Sequence[str] = (),
    finish_reason: str = "",
    is_refusal: bool = False,
) -> ReadAnswer:
    """Read the one JSON object with the grade, such as `{"grade": 2}`, anywhere in the text.

    `highest` is the highest grade of the scale; the lowest is 0. With `criteria`, the object has a
    grade from 0 to 3 for each of them instead, and `combined` makes the grade. Two objects with a
    grade are a problem, also if they are the same: the first may be quoted from a document.
    """
    if is_refusal or finish_reason == FILTERED:
        return _none(AnswerProblem.REFUSED)
    if finish_reason == CUT_OFF:
        return _none(AnswerProblem.TRUNCATED)
    if not text.strip():
        return _none(AnswerProblem.EMPTY)
    keys = criteria or (GRADE,)
    found = [members for members in map(_members, FLAT_OBJECT.findall(text)) if members]
    found = [members for members in found if any(key in keys for key, _ in members)]
    if not found:
        return _none(AnswerProblem.NO_GRADE)
    names = [key for members in found for key, _ in members if key in keys]
    if len(found) > 1 or len(set(names)) < len(names):
        return _none(AnswerProblem.SEVERAL)
    values = dict(found[0])
    if any(key not in values for key in keys):
        return _none(AnswerProblem.MISSING)
    grades = {key: values[key] for key in keys}
    if any(type(grade) is not int for grade in grades.values()):  # a bool is an int too
        return _none(AnswerProblem.INVALID)
    if not all(
        0 <= grade <= (CRITERION_HIGHEST if criteria else highest) for grade in grades.values()
    ):
        return _none(AnswerProblem.OFF_SCALE)
    if criteria:
        return ReadAnswer(combined(grades), grades)
    return ReadAnswer(grades[GRADE])


def _none(problem: AnswerProblem) -> ReadAnswer:
    return ReadAnswer(None, None, problem.value)


def _members(text: str) -> list[tuple[str, Any]]:
    """The members of a JSON object, also those of the same name; empty for other text."""
    try:
        members = json.loads(text, object_pairs_hook=list)
    except ValueError:
        return []
    assert isinstance(members, list)
    return members


CRITERION_HIGHEST = 3


def combined(grades: Mapping[str, int]) -> int:
    """The mean of the criteria's grades, rounded to a whole grade; a half is rounded up.

    The criteria are from 0 to 3, and so is the result: of four, a sum of 10 to 12 is a 3, 6 to 9 a
    2, 2 to 5 a 1.
    """
    number = len(grades)
    return (2 * sum(grades.values()) + number) // (2 * number)


class ChatCompletion(NamedTuple):
    """A server's answer in the protocol. Tokens are None where the server does not count them."""

    text: str
    is_refusal: bool
    finish_reason: str
    model: str
    fingerprint: str
    prompt_tokens: int | None
    completion_tokens: int | None


def read_completion(body: bytes) -> ChatCompletion | None:
    """The body of a chat completion; None if it is not one."""
    try:
        answer = json.loads(body)
        choice = answer["choices"][0]
        message = choice["message"]
        content, refusal = message.get("content"), message.get("refusal")
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None
    if not isinstance(content, str | None) or not isinstance(refusal, str | None):
        return None
    usage = answer.get("usage")
    return ChatCompletion(
        text=storable(content or refusal or ""),
        is_refusal=bool(refusal),
        finish_reason=_word(choice.get("finish_reason"), 40),
        model=_word(answer.get("model"), 200),
        fingerprint=_word(answer.get("system_fingerprint"), 200),
        prompt_tokens=_tokens(usage, "prompt_tokens"),
        completion_tokens=_tokens(usage, "completion_tokens"),
    )


LONGEST_RAW = 100_000  # characters


def storable(text: str) -> str:
    """The text as a database can keep it: NUL and half characters become U+FFFD; cut at 100,000."""
    kept = text[:LONGEST_RAW].encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return kept.replace("\0", "\ufffd")


def _word(value: object, longest: int) -> str:
    return storable(value)[:longest] if isinstance(value, str) else ""


MOST_TOKENS = 2**31 - 1


def _tokens(usage: object, key: str) -> int | None:
    value = usage.get(key) if isinstance(usage, dict) else None
    return value if type(value) is int and 0 <= value <= MOST_TOKENS else None

"""Files of judgments made elsewhere: CSV, JSON Lines, exports of Label Studio and doccano. Pure.

One file may hold judgments, decisions, or both. What it is follows from its content.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any, NamedTuple

from corpus.formats.decompression import MEGABYTE, Meter, UnreadableLine, numbered_lines
from web.requests.storable_text import find_unstorable
from web.tables.csv_cells import restored

LARGEST = 512 * MEGABYTE  # unpacked; an export is read as a whole
LONGEST_LINE = 64 * MEGABYTE
LONGEST_NAME = 120
# The keys under which tools write who judged, and what they judged.
PEOPLE = ("annotator", "username", "user", "annotation_approver", "completed_by")
ANSWERS = ("grade", "label", "labels", "rating")


@dataclass(frozen=True)
class FieldNames:
    """The names of a file's fields, and the meaning of its values.

    Empty: detect the fields of annotator and grade by their usual names. `grade_field` is the name
    of the control in an export of Label Studio. `labels` maps a label to a grade or to the code of
    a reason. `prefix` is put before every docno, and `topic_prefix` before every id of a query.
    """

    query_field: str = "query"
    docno_field: str = "docno"
    annotator_field: str = ""
    grade_field: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    prefix: str = ""
    topic_prefix: str = ""


@dataclass(frozen=True)
class GradeCodes:
    """The grades of the collection and the codes of the reasons for a missing grade."""

    grades: Collection[int]
    reasons: Collection[str]


class Answered(NamedTuple):
    """A judgment or a decision as its file has it. `place` is "file:line"; `slot` is 1, 2 or 0."""

    place: str
    query: str
    docno: str
    person: str
    grade: int | None
    reason: str
    note: str
    seconds: float | None = None
    slot: int = 0
    aspects: str = ""


@dataclass
class FileContent:
    """The content of a file. `skipped` counts tasks that a person skipped or has not done yet."""

    name: str
    sha256: str = ""
    judgments: list[Answered] = field(default_factory=list)
    decisions: list[Answered] = field(default_factory=list)
    skipped: int = 0
    problems: list[str] = field(default_factory=list)


class _InvalidRecord(ValueError):
    """A record is invalid; the message says which field, why, and what to do."""


class _NotDone(Exception):
    """The person skipped the task, or has not done it yet."""


def read_judgment_file(
    path: Path, *, name: str, names: FieldNames, scale: GradeCodes, meter: Meter | None = None
) -> FileContent:
    """Everything that the file holds. Invalid records are in `problems`, each with its place.

    Raises:
        OSError: the file cannot be opened.
    """
    content = FileContent(name)
    try:
        text = _text(path, meter, content)
        records = _records(text, name)
        for place, values in records:
            _add(content, place, values, names, scale)
    except UnreadableLine as error:
        content.problems.append(f"{name}:{error.number}: {error.reason}")
    else:
        if not (content.judgments or content.decisions or content.problems):
            content.problems.append(f"{name}: it holds no judgment and no decision.")
    return content


def _text(path: Path, meter: Meter | None, content: FileContent) -> str:
    digest, lines = hashlib.sha256(), []
    for number, line in numbered_lines(path, meter, longest=LONGEST_LINE):
        digest.update(line)
        try:
            lines.append(line.decode())
        except UnicodeDecodeError as error:
            raise UnreadableLine(number, "not UTF-8. Save the file as UTF-8.") from error
    content.sha256 = digest.hexdigest()
    return "".join(lines)


Records = Iterator[tuple[str, dict[str, Any]]]


def _records(text: str, name: str) -> Records:
    """Each record with its place, from JSON, JSON Lines, CSV or tab-separated text."""
    start = text.lstrip()[:1]
    if start == "[":
        yield from _json_records(text, name)
    elif start == "{":
        yield from _json_lines(text, name)
    else:
        yield from _csv_records(text, name)


def _json_records(text: str, name: str) -> Records:
    try:
        items = json.loads(text)
    except (json.JSONDecodeError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else 1
        reason = f"not valid JSON ({getattr(error, 'msg', 'too deeply nested')}). Export it again."
        raise UnreadableLine(line, reason) from error
    for number, item in enumerate(items, start=1):
        place = f"{name}: item {number}"
        if not isinstance(item, dict):
            raise UnreadableLine(1, f"item {number} is not an object. Export tasks as JSON.")
        if isinstance(item.get("annotations"), list) and "data" in item:
            yield from _label_studio(item, place)
        else:
            yield place, item


def _json_lines(text: str, name: str) -> Records:
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip():
            continue
        try:
            item = json.loads(line)
        except (json.JSONDecodeError, RecursionError) as error:
            reason = "not valid JSON. Write one object per line."
            raise UnreadableLine(number, reason) from error
        if not isinstance(item, dict):
            raise UnreadableLine(number, "not an object. Write one object per line.")
        nested = item.get("meta") or item.get("metadata")
        yield f"{name}:{number}", {**nested, **item} if isinstance(nested, dict) else item


def _csv_records(text: str, name: str) -> Records:
    header, _, _ = text.partition("\n")
    delimiter = "\t" if "\t" in header else ";" if header.count(";") > header.count(",") else ","
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter)
    try:
        columns = [column.strip() for column in next(rows, [])]
        for row in rows:
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(columns):
                reason = f"{len(row)} cells, but the header has {len(columns)}. Correct the line."
                raise UnreadableLine(rows.line_num, reason)
            cells = (restored(cell) for cell in row)
            yield f"{name}:{rows.line_num}", dict(zip(columns, cells, strict=True))
    except csv.Error as error:
        raise UnreadableLine(rows.line_num, f"not valid CSV ({error}).") from error


def _label_studio(task: Mapping[str, Any], place: str) -> Records:
    """The records of a task: one for each annotation, with the task's data."""
    data = task["data"] if isinstance(task["data"], dict) else {}
    for annotation in task["annotations"]:
        if not isinstance(annotation, dict):
            continue
        values = {
            **data,
            "annotator": _person_of(annotation.get("completed_by")),
            "seconds": annotation.get("lead_time"),
            "was_cancelled": annotation.get("was_cancelled"),
        }
        results = annotation.get("result")
        yield place, {**values, **_controls(results if isinstance(results, list) else [])}


def _person_of(value: Any) -> Any:
    """The name of a person who is given as an id, a name or an object."""
    if isinstance(value, dict):
        return value.get("email") or value.get("username") or value.get("id")
    return value


def _controls(results: Iterable[Any]) -> dict[str, Any]:
    """The answers by the name of their control, and the single answer as `grade`."""
    answers: dict[str, Any] = {}
    notes: list[str] = []
    for result in results:
        if not isinstance(result, dict) or not isinstance(result.get("value"), dict):
            continue
        kind, value = result.get("type"), result["value"]
        if kind in ("choices", "rating", "number"):
            answers[str(result.get("from_name", kind))] = value.get(kind)
        elif kind == "textarea":
            text = value.get("text")
            notes += [str(part) for part in (text if isinstance(text, list) else [text]) if part]
    grade = {"grade": next(iter(answers.values()))} if len(answers) == 1 else {}
    return {**grade, **answers, "note": "\n".join(notes), "controls": list(answers)}


def _add(
    content: FileContent, place: str, values: dict[str, Any], names: FieldNames, scale: GradeCodes
) -> None:
    try:
        if character := find_unstorable([str(value) for value in values.values()]):
            raise _InvalidRecord(f"contains the character {character}. Remove it.")
        reader = _RecordReader(place, values, names, scale, PurePath(content.name).name)
        if reader.is_decision:
            content.decisions.append(reader.decision())
            return
        content.judgments.append(reader.judgment())
        if reader.has_decision:
            content.decisions.append(reader.decision("decision"))
    except _NotDone:
        content.skipped += 1
    except _InvalidRecord as error:
        content.problems.append(f"{place}: {error}")


@dataclass(frozen=True)
class _RecordReader:
    place: str
    values: Mapping[str, Any]
    names: FieldNames
    scale: GradeCodes
    filename: str

    @property
    def is_decision(self) -> bool:
        """True if it is a line of decisions, which names an adjudicator and no annotator."""
        return "adjudicator" in self.values and not self._person_key()

    @property
    def has_decision(self) -> bool:
        return not _is_empty(self.values.get("decision"))

    def judgment(self) -> Answered:
        if self.values.get("was_cancelled") is True:
            raise _NotDone
        key = self._answer_key()
        grade, reason = self._grade_or_reason(key, "reason")
        return Answered(
            self.place,
            self.names.topic_prefix + self._id(self.names.query_field),
            self.names.prefix + self._id(self.names.docno_field),
            self._annotator(),
            grade,
            reason,
            self._text("note"),
            self._seconds(),
            self._slot(),
            self._aspects(),
        )

    def decision(self, key: str = "grade") -> Answered:
        grade, reason = self._grade_or_reason(key, "reason" if key == "grade" else "")
        return Answered(
            self.place,
            self.names.topic_prefix + self._id(self.names.query_field),
            self.names.prefix + self._id(self.names.docno_field),
            self._name("adjudicator") or "adjudicator",
            grade,
            reason,
            self._text("note") if key == "grade" else "",
        )

    def _id(self, key: str) -> str:
        if key not in self.values:
            fields = ", ".join(map(repr, list(self.values)[:10]))
            raise _InvalidRecord(
                f'the field "{key}" is missing. Its fields are {fields}. '
                "Name it, as the field of the query or the field of the docno."
            )
        value = self.values[key]
        if isinstance(value, bool) or not isinstance(value, str | int) or not str(value).strip():
            raise _InvalidRecord(f'"{key}" must be an id, got {value!r}.')
        return str(value).strip()

    def _text(self, key: str) -> str:
        value = self.values.get(key)
        return value.strip() if isinstance(value, str) else ""

    def _person_key(self) -> str:
        if self.names.annotator_field:
            return self.names.annotator_field if self.names.annotator_field in self.values else ""
        return next((key for key in PEOPLE if not _is_empty(self.values.get(key))), "")

    def _annotator(self) -> str:
        """The annotator's name. doccano exports a file for each person, named for that person."""
        name = self._name(self._person_key())
        if name:
            return name
        if {"label", "labels"} & self.values.keys() and not self.names.annotator_field:
            return self.filename.partition(".")[0]
        raise _InvalidRecord(
            f'"{self.names.annotator_field or "annotator"}" is missing. '
            "Write in it who judged the pair."
        )

    def _name(self, key: str) -> str:
        value = _person_of(self.values.get(key))
        name = "" if isinstance(value, bool) or value is None else str(value).strip()
        if len(name) > LONGEST_NAME:
            raise _InvalidRecord(f'"{key}" has {len(name)} characters. Use at most {LONGEST_NAME}.')
        return name

    def _answer_key(self) -> str:
        if self.names.grade_field:
            return self.names.grade_field
        controls = self.values.get("controls") or []
        if len(controls) > 1:
            raise _InvalidRecord(
                f"it has the controls {', '.join(map(repr, controls))}. "
                "Name the one that holds the grade, as the field of the grade."
            )
        return next((key for key in ANSWERS if key in self.values), "grade")

    def _grade_or_reason(self, key: str, reason_key: str) -> tuple[int | None, str]:
        value, reason = _single(key, self.values.get(key)), self._text(reason_key)
        if _is_empty(value):
            if not reason and (key in ("label", "labels") or "controls" in self.values):
                raise _NotDone
            return None, self._reason(reason)
        if reason:
            raise _InvalidRecord(
                f'"{key}" is {value!r} and "reason" is {reason!r}. Remove one of the two.'
            )
        return self._mapped(key, value)

    def _reason(self, reason: str) -> str:
        mapped = self.names.labels.get(reason, reason)
        if mapped in self.scale.reasons:
            return mapped
        codes = ", ".join(self.scale.reasons)
        if not reason:
            raise _InvalidRecord(
                f'"grade" and "reason" are empty. Give a grade, or one of the reasons {codes}.'
            )
        raise _InvalidRecord(f'"reason" must be one of {codes}, got {reason!r}.')

    def _mapped(self, key: str, value: Any) -> tuple[int | None, str]:
        label = str(value).strip()
        meaning = self.names.labels.get(label, label)
        if meaning in self.scale.reasons:
            return None, meaning
        grade = _whole(meaning)
        if grade is not None and grade in self.scale.grades:
            return grade, ""
        grades = ", ".join(map(str, self.scale.grades))
        raise _InvalidRecord(
            f'"{key}" is {label!r}, which is not one of the grades {grades}. '
            f"Give the meaning of this label, such as {label}={max(self.scale.grades)}."
        )

    def _seconds(self) -> float | None:
        value = self.values.get("seconds", self.values.get("lead_time"))
        if _is_empty(value):
            return None
        try:
            seconds = float(value)
        except (TypeError, ValueError, OverflowError):  # the last: a number of 400 digits
            seconds = math.nan
        if not 0 <= seconds < math.inf:
            raise _InvalidRecord(
                f'"seconds" must be a number from 0, got {value!r}. Or leave it empty.'
            )
        return seconds

    def _aspects(self) -> str:
        """As text. It is read where the collection asks for aspects."""
        value = self.values.get("aspects")
        return " ".join(map(str, value)) if isinstance(value, list) else str(value or "").strip()

    def _slot(self) -> int:
        value = self.values.get("slot")
        if _is_empty(value):
            return 0
        if _whole(str(value)) not in (1, 2):
            raise _InvalidRecord(f'"slot" must be 1 or 2, got {value!r}. Or leave it empty.')
        return int(str(value))


def _is_empty(value: Any) -> bool:
    return value is None or value == [] or (isinstance(value, str) and not value.strip())


def _single(key: str, value: Any) -> Any:
    """The value, or the only item of a list of choices."""
    if isinstance(value, dict):
        value = value.get("choices", value.get("rating", value.get("number")))
    if isinstance(value, Sequence) and not isinstance(value, str):
        if len(value) > 1:
            raise _InvalidRecord(f'"{key}" has {len(value)} labels, but a pair has one grade.')
        return value[0] if value else None
    return value


def _whole(text: str) -> int | None:
    """The whole number that the text is, such as 2 for "2" and "2.0"; otherwise None."""
    try:
        number = float(text)
    except ValueError:
        return None
    return int(number) if number.is_integer() else None

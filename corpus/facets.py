"""The facets that a collection is given, and their JSON form (docs/formats.md). Pure."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from web.errors import UserFacingError

KEY = re.compile("[a-z0-9][a-z0-9-]{0,29}")
LONGEST_NAME = 60
LONGEST_LABEL = 60
MOST_FACETS = 20
QUOTE = '"'


class FacetError(UserFacingError):
    """Facets that a collection cannot have. The message is shown to the person."""


@dataclass(frozen=True)
class FacetPlan:
    """A facet to create: its key, its name, and the sentence labels that belong to it."""

    key: str
    name: str
    labels: tuple[str, ...]


DEFAULT_FACETS = (
    FacetPlan("background", "Background", ("background", "objective")),
    FacetPlan("method", "Method", ("method",)),
    FacetPlan("result", "Result", ("result",)),
)
SAMPLE_FACETS = frozenset(plan.key for plan in DEFAULT_FACETS)  # of static/samples/queries.txt
NO_FACETS = (FacetPlan("", "Relevance", ()),)
CHOICES = {"csfcube": DEFAULT_FACETS, "none": NO_FACETS}  # facets by the word that chooses them


def parse_facets(text: str, source: str = "facets") -> tuple[FacetPlan, ...]:
    """Read facets of your own: a JSON list of {"key", "name", "labels"}.

    `name` is the key with a capital letter if it is not given, and `labels` holds only the key.

    Raises:
        FacetError: the text is not JSON, or not a list of valid facets; with `source` before it.
    """
    try:
        entries = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FacetError(f"{source}: this is not valid JSON ({error}). {_EXAMPLE}") from error
    return facets_from(entries, source)


def facets_from(entries: Any, source: str = "facets") -> tuple[FacetPlan, ...]:
    """As `parse_facets`, of decoded JSON; the words of `CHOICES` stand for their facets."""
    if isinstance(entries, str) and entries in CHOICES:
        return CHOICES[entries]
    if not isinstance(entries, list):
        raise FacetError(f"{source}: the JSON must be a list of facets. {_EXAMPLE}")
    plans = tuple(_plan(entry, f"{source}: facet {n}") for n, entry in enumerate(entries, start=1))
    check_facets(plans, source)
    return plans


_EXAMPLE = 'Example: [{"key": "purpose", "name": "Purpose", "labels": ["purpose"]}].'


def _plan(entry: Any, place: str) -> FacetPlan:
    if not isinstance(entry, dict):
        raise FacetError(f"{place} must be an object, got {json.dumps(entry)[:60]}. {_EXAMPLE}")
    if unknown := sorted(set(entry) - {"key", "name", "labels"}):
        raise FacetError(f'{place} has the unknown field "{unknown[0]}". Use key, name and labels.')
    key = entry.get("key")
    if not isinstance(key, str) or not KEY.fullmatch(key):
        raise FacetError(
            f'{place}: "key" must be at most 30 lower-case letters, digits and hyphens, got '
            f"{json.dumps(key)[:60]}."
        )
    name, labels = entry.get("name", key.capitalize()), entry.get("labels", [key])
    if not isinstance(name, str) or not _is_text(name, LONGEST_NAME):
        raise FacetError(f'{place}: "name" must be a line of 1 to {LONGEST_NAME} characters.')
    if not isinstance(labels, list) or not labels or not all(map(is_label, labels)):
        raise FacetError(
            f'{place}: "labels" must be a list with at least one sentence label, such as ["{key}"].'
        )
    return FacetPlan(key, name.strip(), tuple(dict.fromkeys(labels)))


def is_label(label: Any) -> bool:
    return isinstance(label, str) and label == label.strip() and _is_text(label, LONGEST_LABEL)


def _is_text(text: str, longest: int) -> bool:
    return 0 < len(text.strip()) <= longest and text.isprintable()


def check_facets(plans: Sequence[FacetPlan], source: str = "facets") -> None:
    """Raise FacetError if a collection cannot have these facets together."""
    if list(plans) == list(NO_FACETS):
        return
    if not 1 <= len(plans) <= MOST_FACETS:
        raise FacetError(
            f"{source}: a collection has 1 to {MOST_FACETS} facets, got {len(plans)}. For "
            "ordinary relevance, choose no facets."
        )
    for problem in facet_problems(plans):
        raise FacetError(f"{source}: {problem.message}")


class FacetProblem(NamedTuple):
    """A reason why a facet is invalid: its place in the list, the field, and the message."""

    place: int
    field: str
    message: str


def facet_problems(plans: Sequence[FacetPlan]) -> Iterator[FacetProblem]:
    """The problems of each facet, by place."""
    facet_of: dict[str, str] = {}
    keys = [plan.key for plan in plans]
    for place, plan in enumerate(plans):
        if not plan.key:
            yield FacetProblem(place, "key", f'the facet "{plan.name}" has no key. Give it a key.')
        elif plan.key == "all":
            why = "is the name of the file with every facet"
            yield FacetProblem(place, "key", f'the key "all" {why}. Use another key.')
        elif plan.key in keys[:place]:
            yield FacetProblem(place, "key", f'the key "{plan.key}" comes twice. Use another key.')
        for label in plan.labels:
            if label in facet_of:
                yield FacetProblem(
                    place,
                    "labels",
                    f'the label "{label}" belongs to {facet_of[label]} and to {plan.key}. A label '
                    "belongs to one facet only.",
                )
            elif label == "other":
                yield FacetProblem(
                    place,
                    "labels",
                    f'{plan.key} has the label "other", which belongs to no facet. Use another '
                    "label.",
                )
            facet_of.setdefault(label, plan.key)


def labels_line(labels: Sequence[str]) -> str:
    """The labels in a line, separated by commas, as `labels_of` reads them."""
    return ", ".join(map(_cell, labels))


def _cell(label: str) -> str:
    return f'"{label.replace(QUOTE, QUOTE * 2)}"' if {",", QUOTE} & set(label) else label


def labels_of(line: str) -> tuple[str, ...]:
    """The labels of a line, each once. A label with a comma stands in double quotes."""
    cells = next(csv.reader([line], skipinitialspace=True), [])
    return tuple(dict.fromkeys(label for cell in cells if (label := cell.strip())))

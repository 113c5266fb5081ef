"""The guideline that a facet begins with, by its key and by the scale."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from corpus.models import Facet

HERE = Path(__file__).parent
CSFCUBE_GRADES = 4


@cache
def default_guidelines() -> dict[str, Any]:
    """The texts for CSFCube's facets on its scale of four grades, by the facet's key."""
    return _read("default_guidelines.json")


@cache
def _scales() -> dict[str, Any]:
    return _read("default_scales.json")


def _read(name: str) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((HERE / name).read_text())
    return content


def default_guideline(facet: Facet, highest_grade: int) -> dict[str, Any]:
    """The `instructions` and `grades` for the facet on the scale from 0 to `highest_grade`.

    A facet of CSFCube keeps its instructions on every scale, and its grades on CSFCube's scale.
    """
    own_text = default_guidelines().get(facet.key)
    if own_text and highest_grade + 1 == CSFCUBE_GRADES:
        return dict(own_text)
    text = _scales()["relevance" if facet.is_whole else "facet"]
    grades = [
        {
            "grade": grade,
            **{field: words.replace("FACET", facet.name.lower()) for field, words in entry.items()},
        }
        for grade, entry in enumerate(text["scales"][str(highest_grade)])
    ]
    instructions = (own_text or text)["instructions"].replace("FACET", facet.name.lower())
    return {"instructions": instructions, "grades": grades}


def with_names(guideline: dict[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """The guideline with these names of its grades, from grade 0. An empty one changes nothing."""
    given = dict(enumerate(names))
    grades = [
        {**grade, "name": given.get(grade["grade"]) or grade["name"]}
        for grade in guideline["grades"]
    ]
    return {**guideline, "grades": grades}

"""The guideline that a facet begins with, by its key and by the scale."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from annotation.models import GradeMeaning, GuidelineText
from corpus.models import Facet

HERE = Path(__file__).parent
CSFCUBE_GRADES = 4


@cache
def default_guidelines() -> dict[str, GuidelineText]:
    """The texts for CSFCube's facets on its scale of four grades, by the facet's key."""
    content: dict[str, GuidelineText] = json.loads((HERE / "default_guidelines.json").read_text())
    return content


@cache
def _scales() -> Any:
    return json.loads((HERE / "default_scales.json").read_text())


def default_guideline(facet: Facet, highest_grade: int) -> GuidelineText:
    """The `instructions` and `grades` for the facet on the scale from 0 to `highest_grade`.

    A facet of CSFCube keeps its instructions on every scale, and its grades on CSFCube's scale.
    """
    own_text = default_guidelines().get(facet.key)
    if own_text and highest_grade + 1 == CSFCUBE_GRADES:
        return own_text.copy()
    text = _scales()["relevance" if facet.is_whole else "facet"]
    grades: list[Any] = [
        {
            "grade": grade,
            **{field: words.replace("FACET", facet.name.lower()) for field, words in entry.items()},
        }
        for grade, entry in enumerate(text["scales"][str(highest_grade)])
    ]
    instructions = (own_text or text)["instructions"].replace("FACET", facet.name.lower())
    return {"instructions": instructions, "grades": grades}


def with_names(guideline: GuidelineText, names: Sequence[str]) -> GuidelineText:
    """The guideline with these names of its grades, from grade 0. An empty one changes nothing."""
    given = dict(enumerate(names))
    grades: list[GradeMeaning] = [
        {**grade, "name": given.get(grade["grade"]) or grade["name"]}
        for grade in guideline["grades"]
    ]
    return {"instructions": guideline["instructions"], "grades": grades}

"""What CSFCube's annotators judged by (Mysore et al., 2021, guideline), in our own words, for its three facets."""

from __future__ import annotations

from typing import Any

GENERAL = """\
Judge how similar the **{facet}** of the candidate is to that of the query. Read the bold sentences first, and glance at
the rest for context.

- If the query's {facet} has several aspects, look for all of them. A match on **any one** of them counts.
- Labels of sentences are sometimes wrong: correct them in your head.
- Look up terms that you do not know. Do not overthink: most unrelated candidates take seconds.
- Do not talk about pairs with other annotators.
"""

DEFINITIONS = {
    "background": [
        "Nothing in goal, problem or motivation is alike.",
        "The goal is alike only at a very high level, or they treat different parts of one larger problem.",
        "A similar goal or theoretical background at a higher level; the specifics overlap little.",
        "The same specific goal, problem, task, or specific motivation.",
    ],
    "method": [
        "No part of the method is alike. Only mentioning or analysing the other's method is nothing.",
        "The mechanism is alike only at a very high level or in an unimportant part, or only details are alike.",
        "Alike in mechanism; the details of what it works on are only comparable.",
        "Alike in overarching mechanism (the sequence of steps) and in the details of what it works on.",
    ],
    "result": [
        "No finding, conclusion or evaluated task is alike.",
        "Alike in a coarse, vague or minor way, or only the context is related.",
        "Findings alike in general but not in specifics, or a larger finding overlaps in part.",
        "The same finding, hypothesis or conclusion, also when opposite, or an evaluation on the same task.",
    ],
}
METHOD = """
What a method is depends on the paper: a model, an analysis, data, a procedure. The mechanism decides; a shared task or
domain alone does not.
"""


def default_guideline(facet: str) -> dict[str, Any]:
    """`text` and `grades` as `save_guideline` takes them; for another facet than the three, definitions are empty."""
    definitions = DEFINITIONS.get(facet, [""] * 4)
    text = GENERAL.format(facet=facet) + (METHOD if facet == "method" else "")
    return {"text": text, "grades": [{"definition": each, "examples": ""} for each in definitions]}

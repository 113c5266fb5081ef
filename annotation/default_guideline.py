"""What CSFCube's annotators judged by (Mysore et al., 2021, guideline), in our own words, for its three facets."""

from __future__ import annotations

from typing import Any

GENERAL = """\
Judge how similar the **{facet}** of the candidate is to that of the query. Read the marked sentences of the query
first, and glance at the rest of both abstracts for context.

- If the {facet} has several aspects, look for all of them. A match on **any one** of them counts.
- The labels of sentences are often predicted: correct them in your head.
- Look up terms that you do not know. Unrelated candidates take seconds: do not overthink.
- Do not talk about pairs with other annotators.
"""
METHOD = """
A method is what the paper's type makes it: a model, an analysis, data, or a procedure. The mechanism decides: a shared
task or domain alone is nothing, and so is a mention or an analysis of the other's method.
"""
UNRELATED = "Nothing of the facet is alike."
DEFINITIONS = {
    "background": [
        UNRELATED,
        "The goals are alike only at a very high level, or are different parts of one larger problem.",
        "The goal or the theory behind it is similar at a higher level; the specifics overlap little.",
        "The same specific goal, problem, task or motivation.",
    ],
    "method": [
        UNRELATED,
        "The details are alike, but the mechanism only at a high level; or the mechanism at a very high level only; or "
        "a small part of it; or one abstract is too coarse to tell more.",
        "The mechanism is alike. What it works on is only comparable, or makes the problems alike in a general sense.",
        "The mechanism, as its sequence of steps, and the details of what it works on are alike.",
    ],
    "result": [
        UNRELATED,
        "Alike in a coarse, vague or minor way, or only the context of the results is.",
        "The findings are alike in general, not in specifics; or they share a part of a larger main finding.",
        "The same finding, hypothesis or conclusion, **also if opposite**; or an evaluation on the same task.",
    ],
}


def default_guideline(facet: str) -> dict[str, Any]:
    """`text` and `grades` as `save_guideline` takes them; for another facet than the three, definitions are empty."""
    definitions = DEFINITIONS.get(facet, [""] * 4)
    text = GENERAL.format(facet=facet) + (METHOD if facet == "method" else "")
    return {"text": text, "grades": [{"definition": each, "examples": ""} for each in definitions]}

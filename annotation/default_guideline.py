"""What CSFCube's annotators judged by (Mysore et al., 2021, guideline), in our own words, for its three facets.

The examples are made up.
"""

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

EXAMPLES = {
    "background": [
        "The query asks why bees abandon orchards treated with fungicide; the candidate asks how bees regulate "
        "the temperature of the hive. “Bees” is all they share.",
        "The query wants to predict which patients will miss an appointment; the candidate wants to know why "
        "patients do not ask for a new appointment afterwards. They work on different parts of one problem, "
        "appointments that clinics lose.",
        "The query asks how to detect cracks in concrete bridges early; the candidate asks how to detect "
        "corrosion in steel pipelines early. Both look for damage before it is dangerous, and the damage and the "
        "structures differ.",
        "The query says that rural pupils lose reading skills over the summer and looks for an affordable remedy; "
        "the candidate describes the summer loss of reading in village schools and seeks a low-cost programme "
        "against it. One tests book parcels and the other tests camps, which is a matter of method.",
    ],
    "method": [
        "The query dates sediments by counting annual layers under a microscope; the candidate dates sediments "
        "from the same lake by radiocarbon. The subject is the same, and the mechanisms are not alike.",
        "The query estimates animal numbers from photographs by recognising individuals; the candidate counts "
        "animals along transects and uses photographs to confirm the species. Photographs are a small part of the "
        "candidate's mechanism, and the way to a number is different.",
        "The query randomly assigns villages to receive farming advice by text message and compares harvests a "
        "year later; the candidate randomly assigns schools to receive posters on hygiene and compares absences a "
        "year later. The steps agree; advice, places and outcomes are only comparable.",
        "The query compares the stripes of zebras in photographs from camera traps to recognise individuals, and "
        "estimates their number from repeated sightings; the candidate does the same with the stripes of tigers. "
        "The steps agree, and so does what they work on: coat patterns in photographs.",
    ],
    "result": [
        "The query finds that a filter removes noise from recordings of bats better than an earlier one; the "
        "candidate finds that a filter in kitchen hoods lets more dust through than expected. Both test a filter, "
        "and the findings have nothing in common.",
        "The query finds that shade lowers the sugar content of grapes; the candidate finds that watering at dawn "
        "raises the yield of a vineyard. Both report how growing conditions change a harvest of grapes, and no "
        "finding of one appears in the other.",
        "The query finds that a vaccine reminder by telephone raises attendance, mainly among people who have "
        "missed a visit before; the candidate finds that a reminder by letter raises attendance at dental check- "
        "ups, for everybody alike. Both find that reminders help; the specifics differ.",
        "The query finds that background music slows reading; the candidate finds that background music makes "
        "readers faster. They answer the same question about the same thing, so the opposite answers make no "
        "difference.",
    ],
}


def default_guideline(facet: str) -> dict[str, Any]:
    """`text` and `grades` as `save_guideline` takes them; of another facet than the three, grades are not defined."""
    nothing = [""] * 4
    grades = zip(DEFINITIONS.get(facet, nothing), EXAMPLES.get(facet, nothing), strict=True)
    text = GENERAL.format(facet=facet) + (METHOD if facet == "method" else "")
    return {"text": text, "grades": [{"definition": one, "examples": other} for one, other in grades]}

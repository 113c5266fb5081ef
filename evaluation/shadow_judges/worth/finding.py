"""The worth of a model's labels in words, from a report's payload. Pure.

No sentence is stronger than its figures: an interval that contains 0 decides nothing, and where
there are too few pairs or queries, that is said instead.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agreement.consistency.advice import percent, percent_interval
from agreement.consistency.estimates import EstimatedValue
from agreement.tables import signed_number
from evaluation.shadow_judges.worth.slices import DIFFERENCE
from retrieval.families import CITATION, DENSE, LEXICAL
from web.words import count_noun

Payload = Mapping[str, Any]

BY_CHANCE = "Of twenty such intervals, about one misses the true value by chance."
FAMILIES = {
    LEXICAL: "lexical retrievers",
    DENSE: "dense retrievers",
    CITATION: "citation sources",
}
PEOPLE = {"first": "annotator 1", "second": "annotator 2"}


def estimate_of(row: Payload, *path: str) -> EstimatedValue:
    for key in path:
        row = row[key]
    return EstimatedValue.of(dict(row))


def number(value: float | None) -> str:
    """With two digits and a real minus sign; "−0.00" is "0.00"."""
    return "undefined" if value is None else signed_number(round(value, 2) + 0.0, 2)


def between(estimate: EstimatedValue) -> str:
    """ "0.12 to 0.48"."""
    return " to ".join(number(end) for end in estimate.interval or ())


def with_interval(estimate: EstimatedValue) -> str:
    """ "0.31 (0.20 to 0.40)"."""
    text = number(estimate.value)
    return f"{text} ({between(estimate)})" if estimate.interval else text


def difference_finding(worth: Payload) -> list[str]:
    """The agreement of the model with people, against that of people with each other."""
    if not worth["slices"]:
        return []
    difference = estimate_of(worth["slices"][0], "numbers", DIFFERENCE, "alpha")
    if difference.value is None:
        return [
            "Whether the model agrees with annotators as much as they agree with each other cannot "
            f"be said: {difference.undefined}."
        ]
    start = (
        "Over all pairs together, α of the model with an annotator minus α of both annotators is "
        f"{number(difference.value)}"
    )
    if difference.interval is None:
        return [f"{start}, without an interval."]
    middle = f"{start} (95 % interval {between(difference)})."
    if difference.is_negative:
        return [f"{middle} The model agrees with people less than people with each other."]
    if difference.is_positive:
        return [f"{middle} The model agrees with people more than people with each other."]
    return [f"{middle} Neither can be said to agree more."]


def parts_finding(worth: Payload) -> list[str]:
    """The parts of the pairs where the difference is not that of chance, with how many may be."""
    parts = [
        (row, difference)
        for row in worth["slices"][1:]
        if (difference := estimate_of(row, "numbers", DIFFERENCE, "alpha")).interval
    ]
    if not parts:
        return ["Parts of the pairs: cannot be said, because each has too few pairs or queries."]
    away = [
        (row, difference)
        for row, difference in parts
        if difference.is_positive or difference.is_negative
    ]
    text = (
        f"Of {count_noun(len(parts), 'part')} of the pairs with an interval, {len(away)} "
        f"{'has' if len(away) == 1 else 'have'} a difference in α whose interval excludes 0. "
        f"{BY_CHANCE}"
    )
    if not away:
        return [text]
    row, lowest = min(away, key=lambda part: float(part[1].value or 0))
    side = "lowest" if lowest.is_negative else "smallest"
    return [text, f"The {side}: {part_name(row)}, {with_interval(lowest)}."]


DIMENSION_NAMES = {
    "all": "All pairs",
    "facet": "Facet",
    "drawn": "Drawn by",
    "found": "Found by",
    "length": "Words of the candidate",
    "year": "Year of the candidate",
}


def part_name(row: Payload, facets: Mapping[str, str] | None = None) -> str:
    """Such as "drawn by specter" or "136–183 words"."""
    key, bounds = str(row["key"]), row["bounds"]
    name = (facets or {}).get(key, key)
    if row["dimension"] == "length":
        return f"{bounds[0]}–{bounds[1]} words"
    if bounds:
        return f"{bounds[0]}–{bounds[1]}" if bounds[0] < bounds[1] else str(bounds[0])
    if row["dimension"] in ("drawn", "found"):
        return f"{row['dimension']} by {name}"
    return name


def grades_finding(worth: Payload) -> list[str]:
    """The mean difference to the final label, and the recall of the highest grade."""
    return [
        *_on_mean_difference(worth),
        *_on_highest_grade(worth["recalls"]),
        *_on_unfinished(worth),
    ]


def _on_unfinished(worth: Payload) -> Iterator[str]:
    if worth.get("unfinished"):
        queries = count_noun(worth["unfinished"], "query", "queries")
        wait = "waits" if worth["unfinished"] == 1 else "wait"
        yield f"Final labels are compared without {queries} that {wait} for the adjudicator."


def _on_mean_difference(worth: Payload) -> Iterator[str]:
    if not worth["mean_differences"]:
        return
    mean = estimate_of(worth["mean_differences"], "model")
    if mean.interval is None:
        yield f"Whether the model grades too high cannot be said: {mean.undefined}."
    elif mean.is_positive or mean.is_negative:
        side = "higher" if mean.is_positive else "lower"
        low, high = sorted(abs(end) for end in mean.interval)
        yield (
            f"The model’s grades are {side} than the final labels, on average by "
            f"{number(abs(mean.value or 0))} grades ({number(low)} to {number(high)})."
        )
    else:
        yield (
            "The mean of the model’s grades minus the final labels is "
            f"{with_interval(mean)}: neither too high nor too low can be said."
        )


def _on_highest_grade(rows: Sequence[Payload]) -> Iterator[str]:
    of_first = [row for row in rows if row["given"] == "first"]
    if not of_first:
        return
    row = of_first[-1]
    model, second = estimate_of(row, "recall", "model"), estimate_of(row, "recall", "second")
    start = f"Of the {row['pairs']:,} pairs that annotator 1 graded {row['grade']}, "
    if model.value is None or second.value is None:
        reason = model.undefined or second.undefined
        yield f"{start}the share that others graded so cannot be said: {reason}."
        return
    yield (
        f"{start}the model gave the same grade to {percent(model.value)} "
        f"({percent_interval(model)}) and annotator 2 to {percent(second.value)} "
        f"({percent_interval(second)})."
    )


def preference_finding(worth: Payload, family: str) -> list[str]:
    """The preference for the family that the admin named; "" is none."""
    if not worth["preferences"]:
        return ["No source of a candidate is recorded, so a preference cannot be said."]
    if not family:
        return [
            "Name the family of the model to test one preference. All families are in the "
            f"figure, and some intervals may exclude 0 by chance. {BY_CHANCE}"
        ]
    row = next((row for row in worth["preferences"] if row["family"] == family), None)
    if row is None:
        return [f"No source of the family “{family}” found a compared document."]
    finder = FAMILIES.get(family, family)
    model, excess = (estimate_of(row, "raters", key, "same_label") for key in ("model", "excess"))
    if excess.interval is None:
        return [
            f"Whether the model prefers what {finder} found cannot be said: "
            f"{excess.undefined or 'no interval'}."
        ]
    people = [
        f"{number(estimate_of(row, 'raters', key, 'same_label').value)} for {name}"
        for key, name in PEOPLE.items()
    ]
    text = (
        "Among pairs of a query with the same final label, the model’s mean grade of what "
        f"{finder} found, minus that of other documents, is {with_interval(model)}. It is "
        f"{' and '.join(people)}. The model’s minus the mean of theirs is {with_interval(excess)}."
    )
    # Both: a model that equals the final labels has no error, whatever the annotators' are.
    if model.is_positive and excess.is_positive:
        return [f"{text} The model prefers what {finder} found."]
    if model.is_negative and excess.is_negative:
        return [f"{text} The model grades what {finder} found lower than people do."]
    return [f"{text} Not both intervals are on one side of 0, so a preference cannot be said."]


def consistency_finding(payload: Payload | None, problems: Mapping[str, str]) -> list[str]:
    """The repeated answers of a model that was asked; nothing of an imported one.

    `problems` are the words for the problems of answers without a grade.
    """
    if payload is None:
        return []
    model, people = payload["model"], payload["people"]
    return [
        *_on_repeats(model, people),
        *_on_order(model),
        *_on_problems(model, problems),
    ]


def _on_repeats(model: Payload, people: Payload) -> Iterator[str]:
    same, alpha = estimate_of(model, "same_repeated"), estimate_of(model, "alpha_repeated")
    if same.value is None:
        yield f"Self-consistency over repetitions cannot be said: {same.undefined}."
        return
    yield (
        f"Of {count_noun(model['pairs_repeated'], 'pair')} that were asked several times, "
        f"{percent(same.value)} got one grade each time ({percent_interval(same)}); α of the "
        f"repetitions is {with_interval(alpha) if alpha.value is not None else 'undefined'}."
    )
    of_people = estimate_of(people, "same")
    if of_people.value is not None:
        yield (
            f"Annotators gave the same grade to {percent(of_people.value)} of "
            f"{count_noun(people['repeats'], 'hidden repeat')} ({percent_interval(of_people)})."
        )


def _on_order(model: Payload) -> Iterator[str]:
    shift = estimate_of(model, "shift")
    if shift.interval is None:
        yield f"An effect of the order of the papers cannot be said: {shift.undefined}."
        return
    text = (
        f"With the candidate before the query, grades change by {with_interval(shift)} on average."
    )
    if shift.is_positive or shift.is_negative:
        yield f"{text} They depend on the order."
    else:
        yield f"{text} The interval contains 0."


def _on_problems(model: Payload, words: Mapping[str, str]) -> Iterator[str]:
    if model["without_grade"]:
        kinds = [
            f"{words.get(problem, problem)} ({number:,})"
            for problem, number in model["problems"].items()
        ]
        yield (
            f"{model['without_grade']:,} of {count_noun(model['answers'], 'answer')} have no "
            f"grade: {'; '.join(kinds)}."
        )


def decisions_finding(rows: Sequence[Payload], names: Mapping[str, str]) -> list[str]:
    """The decisions under the model's labels, beside those of one annotator."""
    rows = [row for row in rows if row["pairs"]]
    if not rows:
        return []
    model, *people = (
        f"{row['wrong']} of {row['significant']} under {names[row['source']]}"
        for row in sorted(rows, key=lambda row: row["source"] != "model")
    )
    return [
        "Significant differences of two systems that the final labels do not confirm: "
        f"{', '.join([model, *people])}. Significant under the final labels: "
        f"{rows[0]['significant_final']} of {count_noun(rows[0]['pairs'], 'pair')} of systems."
    ]

"""What came of a practice: how far its people agree, where they differ most, and what a trainee has learned.

Of a pilot only pairs that everyone has judged are looked at: an admin who takes part learns nothing before judging.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import combinations
from statistics import median
from typing import Any

from django.db.models import Count, Min

from accounts.models import User
from agreement.coefficients import ALL_IDENTICAL, NO_PAIRS, Result, coefficients
from annotation.models import Judgment, Pair, Practice, Slot

ENOUGH = 0.5  # ρ with the gold from which CSFCube's annotators began to judge (Mysore et al., 2021)
TEXTS = ("pair__document", "pair__query__document", "pair__query__collection")
WORST = 30  # pairs that are shown for a meeting

Row = dict[str, Any]


def people_of(practice: Practice) -> list[Row]:
    """Everyone who takes part, with the number of their pairs and of those judged."""
    slots = Slot.objects.filter(pair__opening__practice=practice).values("judge")
    rows = slots.annotate(total=Count("pk"), judged=Count("judgment"), place=Min("number")).order_by("place")
    people = User.objects.in_bulk([row["judge"] for row in rows])
    return [{"person": people[row["judge"]], "total": row["total"], "judged": row["judged"]} for row in rows]


def judged_by_all(practice: Practice) -> dict[Pair, list[Judgment]]:
    """The pairs without an empty slot, each with its judgments in the order of its slots."""
    slots = Slot.objects.filter(pair__opening__practice=practice)
    slots = slots.select_related("judgment", *TEXTS)
    found: dict[Pair, list[Judgment | None]] = defaultdict(list)
    for slot in slots.order_by("pair__query__name", "pair__document__docno", "number"):
        found[slot.pair].append(slot.judgment)
    return {pair: given for pair, given in found.items() if None not in given}  # type: ignore[misc]


def pilot_report(practice: Practice) -> Row:
    """`alpha` of all people together, `couples` of every two of them, and the pairs that differ most first."""
    pairs = judged_by_all(practice)
    grades = [[judgment.grade for judgment in given] for given in pairs.values()]
    people = [row["person"] for row in people_of(practice)]
    by_person = zip(people, zip(*grades, strict=True), strict=True) if grades else []
    couples = [
        {"first": one, "second": other, **coefficients(of_one, of_other)}
        for (one, of_one), (other, of_other) in combinations(by_person, 2)
    ]
    worst = [
        {"pair": pair, "judgments": list(zip(people, pairs[pair], strict=True))}
        for pair in sorted(pairs, key=lambda pair: -spread(pairs[pair]))[:WORST]
        if spread(pairs[pair])
    ]
    return {"pairs": len(pairs), "alpha": alpha_of_all(grades), "couples": couples, "worst": worst}


def spread(given: Sequence[Judgment]) -> int:
    """The largest difference between two grades; a missing one beside others differs by more than any two."""
    grades = {judgment.grade for judgment in given}
    if None in grades:
        return 9 if len(grades) > 1 else 0
    known = [grade for grade in grades if grade is not None]
    return max(known) - min(known)


def alpha_of_all(grades: Sequence[Sequence[int | None]]) -> Result:
    """Krippendorff's ordinal α of any number of people; (pairs × people), None where a grade is missing."""
    import krippendorff
    import numpy as np

    values = np.array([[np.nan if grade is None else grade for grade in row] for row in grades], dtype=float)
    if not len(grades) or not (np.isfinite(values).sum(axis=1) > 1).any():
        return Result(None, NO_PAIRS)
    if len(np.unique(values[np.isfinite(values)])) == 1:
        return Result(None, ALL_IDENTICAL)
    return Result(float(krippendorff.alpha(values.T, level_of_measurement="ordinal")))


def trainee_report(practice: Practice, person: User) -> Row:
    """The person's grades beside the gold: ρ by query and its median, the confusion matrix, and each pair.

    `confusion[gold][own]` counts pairs. Call it for who has judged everything, or for admins.
    """
    slots = Slot.objects.filter(pair__opening__practice=practice, judge=person).exclude(judgment=None)
    slots = slots.select_related("judgment", *TEXTS)
    rows = [
        {"pair": slot.pair, "own": slot.judgment, "gold": practice.gold[slot.pair.query.name][slot.pair.document.docno]}
        for slot in slots.order_by("pair__query__name", "position")
    ]
    size = len(practice.collection.grades)
    confusion = [[0] * size for _ in range(size)]
    of_query: dict[str, list[tuple[int | None, int]]] = defaultdict(list)
    for row in rows:
        of_query[row["pair"].query.name].append((row["own"].grade, row["gold"]))
        if row["own"].grade is not None:
            confusion[row["gold"]][row["own"].grade] += 1
    queries = {name: coefficients(*zip(*both, strict=True)) for name, both in of_query.items()}
    known = [found["spearman"].value for found in queries.values() if found["spearman"].value is not None]
    rho = median(known) if known else None
    rows.sort(key=lambda row: 9 if row["own"].grade is None else abs(row["own"].grade - row["gold"]), reverse=True)
    return {
        "rows": rows,
        "queries": queries,
        "rho": rho,
        "has_enough": rho is not None and rho >= ENOUGH,
        "confusion": confusion,
        "same": sum(row["own"].grade == row["gold"] for row in rows),
    }


def guideline_changes(practice: Practice) -> list[Row]:
    """By facet: the versions it was judged under, and what was changed after them."""
    judged = Judgment.objects.filter(slot__pair__opening__practice=practice)
    versions: dict[str, set[int]] = defaultdict(set)
    for facet, version in judged.values_list("slot__pair__query__facet", "guideline_version").distinct():
        versions[facet].add(version)
    return [
        {
            "facet": facet,
            "versions": sorted(used),
            "later": practice.collection.guidelines.filter(facet=facet, version__gt=max(used)).order_by("version"),
        }
        for facet, used in sorted(versions.items())
    ]

"""The intervals that are given: those of which the simulated coverage is 93 % to 97 %. Pure.

docs/prediction_powered.md has the simulations, on CSFCube and Cranfield.
"""

from __future__ import annotations

import re

FEWEST = 16  # judged queries with a relevant document
FEWEST_LEFT = 5  # with fewer, the few possible samples differ too little
# By the measure's name without cutoff and threshold. P@20 has few values and many low ones, so its
# intervals are too narrow for longer. Recall is too narrow on Cranfield, and RP on CSFCube.
FEWEST_OF = {"NDCG": FEWEST, "nDCG": FEWEST, "AP": FEWEST, "RBP": FEWEST, "Bpref": FEWEST, "P": 50}


def reason_against(judged: int, left: int, measure: str) -> str:
    """The reason why no interval is given, or "".

    `judged`: judged queries with a relevant document; `left`: opened queries not judged.
    """
    family = re.split(r"[@(% ]", measure, maxsplit=1)[0]
    if family not in FEWEST_OF:
        known = ", ".join(FEWEST_OF)
        return (
            f"Intervals of {measure} are not given, because simulations found them too narrow or "
            f"did not test them. Choose one of {known}."
        )
    if judged < FEWEST_OF[family]:
        return (
            f"People judged {judged:,} queries with a relevant document, and {measure} needs "
            f"{FEWEST_OF[family]}: with fewer, intervals are too narrow."
        )
    if left < FEWEST_LEFT:
        return f"With fewer than {FEWEST_LEFT} queries left, intervals are not right. Judge them."
    return ""

"""What intervals are given for: only what the simulations of docs/prediction_powered.md cover. Pure."""

from __future__ import annotations

FEWEST = 16
FEWEST_LEFT = 8


def reason_against(judged: int, left: int, measure: str) -> str:
    if judged < FEWEST:
        return f"fewer than {FEWEST} judged"
    if left < FEWEST_LEFT:
        return f"fewer than {FEWEST_LEFT} left"
    return ""

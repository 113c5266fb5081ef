"""The state of a report: a digest of each of its inputs, so that it can say what changed.

Pure. The first input is the version of the computation. If it changed, the digests of the others
may be of other values, so nothing is said of them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from corpus.digests import json_digest

LISTS = "the lists of systems"  # the input of every report that runs go into
DIGITS = 12  # of each input; ten inputs fit the 128 characters of a `state`


def state_of_inputs(inputs: Mapping[str, Any]) -> str:
    """`inputs`: what the report is computed from, by the noun phrase that a page uses for it."""
    return "".join(json_digest(value)[:DIGITS] for value in inputs.values())


def changed_inputs(state: str, inputs: Mapping[str, Any]) -> list[str]:
    """The names of the inputs that changed since the stored state."""
    present = state_of_inputs(inputs)
    names = [
        name
        for place, name in enumerate(inputs)
        for digits in [slice(place * DIGITS, (place + 1) * DIGITS)]
        if state[digits] != present[digits]
    ]
    version = next(iter(inputs))
    is_other_version = len(state) != len(present) or version in names
    return [version] if is_other_version else names


def in_words(names: Sequence[str]) -> str:
    """As in "the labels, the pools and the lists"."""
    return " and ".join(filter(None, [", ".join(names[:-1]), *names[-1:]]))

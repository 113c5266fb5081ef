"""The sentence about owners of the collection who judged in it. Pure."""

from __future__ import annotations

ONE = "One of the annotators set up the collection"
MANY = "{number} of the annotators set up the collection"
WHAT_THEY_SAW = (
    " (owner-annotator). Until every query that such a person judged was done, the program showed "
    "settings, people, guidelines and the sizes of pools to him or her. It showed no source, "
    "rank or score of a candidate, no judgment of others, and no report. Afterwards, the person "
    "judges no more."
)


def owners_sentence(number: int) -> str:
    """The sentence for this number of owner-annotators; "" if there is none."""
    if not number:
        return ""
    return (ONE if number == 1 else MANY.format(number=number)) + WHAT_THEY_SAW

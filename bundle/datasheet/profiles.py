"""The profiles of annotators, and the parts of them that are published. Pure.

Every field is a choice of coarse ranges. Nothing can be typed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

LEAST = 2  # people: a smaller group would be one person
DEFAULT_LEAST = 3


class ProfileField(NamedTuple):
    key: str
    label: str
    choices: tuple[tuple[str, str], ...]  # stored value and words


def _(text: str) -> str:
    """Mark a text for translation on pages. Releases have it in English."""
    return text


FIELDS = (
    ProfileField(
        "expertise",
        _("Expertise in the field of the documents"),
        (
            ("researcher", _("Researches in the field")),
            ("practitioner", _("Works in the field")),
            ("student", _("Studies or studied the field")),
            ("outsider", _("Knows the field from outside")),
        ),
    ),
    ProfileField(
        "experience",
        _("Years of experience in the field"),
        (
            ("0-1", _("Less than 2 years")),
            ("2-5", _("2 to 5 years")),
            ("6-10", _("6 to 10 years")),
            ("11+", _("More than 10 years")),
        ),
    ),
    ProfileField(
        "degree",
        _("Highest degree, or degree in progress"),
        (
            ("none", _("No degree")),
            ("bachelor", _("Bachelor")),
            ("master", _("Master")),
            ("doctorate", _("Doctorate")),
        ),
    ),
    ProfileField(
        "english",
        _("English"),
        (
            ("first", _("First language")),
            ("fluent", _("Fluent")),
            ("working", _("Good enough to work in it")),
            ("basic", _("Basic")),
        ),
    ),
)


class ProfileGroup(NamedTuple):
    """A published number of people. The group without a name has the values that are not shown."""

    label: str
    people: int


class PublishedField(NamedTuple):
    """The published groups of a field; none if too few people answered."""

    label: str
    groups: tuple[ProfileGroup, ...]


NOT_SHOWN = "not shown"


def published(
    counts: Mapping[str, Mapping[str, int]], least: int = DEFAULT_LEAST
) -> tuple[PublishedField, ...]:
    """The groups of every field. `counts` has the people by field and by value."""
    return tuple(
        PublishedField(field.label, _groups(field, counts.get(field.key, {}), max(least, LEAST)))
        for field in FIELDS
    )


def _groups(field: ProfileField, counts: Mapping[str, int], least: int) -> tuple[ProfileGroup, ...]:
    """Groups of at least `least` people, the others together.

    If the others are fewer than `least`, or all of one group, their number would tell what is
    hidden. Then the smallest shown group is hidden with them, until neither is so. With fewer than
    `least` people in all, there is no group.
    """
    people = {value: counts.get(value, 0) for value, _ in field.choices}
    shown = [value for value, number in people.items() if number >= least]
    hidden = [value for value, number in people.items() if 0 < number < least]
    while hidden and shown and (len(hidden) < 2 or sum(people[value] for value in hidden) < least):
        # The last of equal size, so that the choice does not depend on anything else.
        smallest = min(reversed(shown), key=lambda value: people[value])
        shown.remove(smallest)
        hidden.append(smallest)
    rest = sum(people[value] for value in hidden)
    groups = [
        ProfileGroup(label, people[value]) for value, label in field.choices if value in shown
    ]
    if rest >= least:
        groups.append(ProfileGroup(NOT_SHOWN, rest))
    return tuple(groups)

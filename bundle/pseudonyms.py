"""Names for people that say nothing about them. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from corpus.ordering import order_key


def pseudonyms(role: str, actions: Iterable[tuple[int, str]], *, seed: str) -> dict[int, str]:
    """Person to `<role>-1`, `<role>-2`, … in a random order.

    `actions` are (person, something only this person did), any number of them. The order follows
    from each person's smallest action, which the release shows anyway. An order made from the user
    names could be checked: the seed is in the manifest, so a reader who knows the names could try
    them and learn who is who. Nor does it follow from the collection's short name, so the import of
    a release under another name gives each person the same pseudonym again.
    """
    first: dict[int, str] = {}
    for person, action in actions:
        first[person] = min(action, first.get(person, action))
    ordered = sorted(first, key=lambda person: order_key(seed, "pseudonym", role, first[person]))
    return {person: f"{role}-{number}" for number, person in enumerate(ordered, start=1)}

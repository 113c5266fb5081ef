"""Names for people that say nothing about them. Pure."""

from __future__ import annotations

from collections.abc import Iterable

from corpus.ordering import order_key


def pseudonyms(
    role: str, deeds: Iterable[tuple[int, str]], *, seed: str, slug: str
) -> dict[int, str]:
    """Person to `<role>-1`, `<role>-2`, … in a random order.

    `deeds` are (person, something only this person did), any number of them. The order is made
    from each person's smallest deed, which the release shows anyway. Made from the user names it
    could be checked: the seed is in the manifest, so whoever knows who took part could try the
    names and learn who is who.
    """
    first: dict[int, str] = {}
    for person, deed in deeds:
        first[person] = min(deed, first.get(person, deed))
    ordered = sorted(first, key=lambda person: order_key(seed, "pseudonym", slug, first[person]))
    return {person: f"{role}-{number}" for number, person in enumerate(ordered, start=1)}

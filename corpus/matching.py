"""Ids of a file beside those of a collection. They stay as they are written, leading zeros too. Pure."""

from __future__ import annotations

from collections.abc import Collection, Iterable


def known_ids(
    wanted: Collection[str], known: Collection[str], what: str, *, match_leading_zeros: bool
) -> tuple[dict[str, str], list[str]]:
    """The known id of each wanted one that has any; and, as a sentence, which ones may be alike."""
    found = {each: each for each in wanted if each in known}
    near = but_for_leading_zeros((each for each in wanted if each not in found), known)
    if match_leading_zeros or not near:
        return found | near, []
    given, here = next(iter(near.items()))
    return found, [
        f"{len(near):,} of {len(wanted):,} {what} are known here only without leading zeros, such as {given!r} as "
        f"{here!r}. If they are the same, choose “Match leading zeros”."
    ]


def but_for_leading_zeros(wanted: Iterable[str], known: Iterable[str]) -> dict[str, str]:
    """The known id of each wanted one that is alike without leading zeros, where only one is."""
    bare: dict[str, list[str]] = {}
    for name in known:
        bare.setdefault(name.lstrip("0"), []).append(name)
    alike = {each: bare.get(each.lstrip("0"), []) for each in wanted}
    return {each: names[0] for each, names in alike.items() if len(names) == 1}

"""The choice of pairs whose labels people check: a random sample of each stratum. Pure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from heapq import nsmallest
from typing import NamedTuple

from bundle.label_errors.rates import ErrorStratum
from corpus.ordering import order_key
from web.errors import UserFacingError

StratumKey = tuple[str, str, int]  # field, type, label
PairKey = tuple[str, str]  # query, docno
PURPOSE = "label-sample"


class LabelSampleError(UserFacingError):
    """A sample that cannot be drawn or made. The message is shown to the person."""


class LabelledCandidate(NamedTuple):
    """A pair with its citation label, and what it is counted by."""

    query: str
    docno: str
    field: str
    type: str
    label: int


class DrawnLabels(NamedTuple):
    """The strata, sorted, and the drawn pairs of each, sorted."""

    strata: tuple[ErrorStratum, ...]
    pairs: Mapping[ErrorStratum, Sequence[PairKey]]

    @property
    def size(self) -> int:
        return sum(stratum.sampled for stratum in self.strata)


def by_stratum(candidates: Iterable[LabelledCandidate]) -> dict[StratumKey, list[PairKey]]:
    """All pairs by their stratum."""
    strata: dict[StratumKey, list[PairKey]] = defaultdict(list)
    for query, docno, field, type_, label in candidates:
        strata[field, type_, label].append((query, docno))
    return dict(strata)


def draw_pairs(
    strata: Mapping[StratumKey, Sequence[PairKey]], *, size: int, seed: str, name: str
) -> DrawnLabels:
    """Draw `size` pairs, or all if there are fewer; the same for the same arguments.

    Half of them have the label 1, and half the label 0. Those of a label are spread evenly over
    its strata. What a stratum or a label lacks goes to the others. Within a stratum, the pairs
    with the lowest SHA-256 of seed, name, query and docno are drawn.

    Raises:
        LabelSampleError: there are no labels, or fewer pairs are wanted than there are strata.
    """
    if not strata:
        raise LabelSampleError(
            "No candidate has a citation label. Freeze pools first, with texts and with queries "
            "of this facet."
        )
    if size < len(strata):
        raise LabelSampleError(
            f"{size:,} pairs are too few: the labels have {len(strata):,} strata of field and "
            f"type, and each needs at least one pair. Draw at least {len(strata):,} pairs."
        )
    keys = sorted(strata)
    sizes = dict(zip(keys, _sizes([(key[2], len(strata[key])) for key in keys], size), strict=True))
    drawn: dict[ErrorStratum, Sequence[PairKey]] = {}
    for key in keys:
        pairs = nsmallest(
            sizes[key],
            strata[key],
            key=lambda pair: (order_key(seed, f"{PURPOSE}:{name}", *pair), pair),
        )
        drawn[ErrorStratum(*key, len(strata[key]), sizes[key])] = sorted(pairs)
    return DrawnLabels(tuple(drawn), drawn)


def _sizes(strata: Sequence[tuple[int, int]], size: int) -> list[int]:
    """The number of pairs to draw from each stratum, given as (label, number of its pairs).

    Each stratum gets one first.
    """
    left = size - len(strata)
    rooms = {
        label: [number - 1 for of, number in strata if of == label]
        for label in sorted({label for label, _ in strata})
    }
    shares = dict(zip(rooms, evenly(left, [sum(room) for room in rooms.values()]), strict=True))
    more = {label: iter(evenly(shares[label], room)) for label, room in rooms.items()}
    return [1 + next(more[label]) for label, _ in strata]


def evenly(number: int, rooms: Sequence[int]) -> list[int]:
    """Spread the number evenly over places with room for so many. The first get the remainder."""
    given = [0] * len(rooms)
    left = min(number, sum(rooms))
    while left:
        open_ = [place for place, room in enumerate(rooms) if given[place] < room]
        share = max(1, left // len(open_))
        for place in open_[:left]:
            added = min(share, rooms[place] - given[place], left)
            given[place] += added
            left -= added
    return given

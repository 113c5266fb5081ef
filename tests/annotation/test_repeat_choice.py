"""Which pairs come again, and when. Without a database."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from annotation.repeats.choice import (
    DISTANCE,
    WaitingRepeat,
    WaitingSlot,
    chosen,
    judging_order,
)

ORDER = {"seed": "seed", "query": "q", "purpose": "repeat:1:ann1"}


def docnos(number):
    return [f"d{place}" for place in range(number)]


def test_the_share_is_rounded_to_a_whole_number_of_pairs():
    assert len(chosen(docnos(125), 0.1, **ORDER)) == 13
    assert len(chosen(docnos(124), 0.1, **ORDER)) == 12
    assert chosen(docnos(4), 0.1, **ORDER) == []


def test_pairs_at_the_end_of_the_order_are_never_chosen():
    assert set(chosen(docnos(60), 0.5, **ORDER)) <= set(docnos(60 - DISTANCE))


def test_of_a_small_query_the_earlier_half_is_chosen():
    assert set(chosen(docnos(7), 0.5, **ORDER)) == set(docnos(4))


def test_the_same_seed_person_and_query_choose_the_same_pairs():
    again = chosen(docnos(60), 0.2, **ORDER)

    assert chosen(docnos(60), 0.2, **ORDER) == again
    assert chosen(docnos(60), 0.2, **ORDER | {"purpose": "repeat:1:ann2"}) != again
    assert chosen(docnos(60), 0.2, **ORDER | {"seed": "other"}) != again


def order_of(slots, repeats, **more):
    found = judging_order(slots, repeats, **{"answers": 0} | more)
    return [
        f"r{each.repeat}" if isinstance(each, WaitingRepeat) else f"s{each.slot}" for each in found
    ]


def test_a_repeat_comes_as_soon_as_the_distance_is_reached():
    slots = [WaitingSlot(slot) for slot in range(40)]

    order = order_of(slots, [WaitingRepeat(1, slot=3, place=None)])

    assert order.index("r1") - order.index("s3") - 1 == DISTANCE


def test_the_distance_counts_the_answers_that_were_given_before():
    slots = [WaitingSlot(slot) for slot in range(40)]

    order = order_of(slots, [WaitingRepeat(1, slot=99, place=5)], answers=15)

    assert order.index("r1") == DISTANCE - (15 - 5)


def test_without_another_pair_the_repeats_come_the_farthest_first():
    repeats = [WaitingRepeat(number, slot=number, place=number) for number in (3, 1, 2)]

    assert order_of([], repeats, answers=4) == ["r1", "r2", "r3"]


def test_what_was_put_off_comes_last_in_the_order_of_the_times():
    slots = [WaitingSlot(1), WaitingSlot(2, postponed=20.0), WaitingSlot(3, postponed=40.0)]
    repeats = [
        WaitingRepeat(1, slot=9, place=1, postponed=30.0),
        WaitingRepeat(2, slot=8, place=2),
    ]

    assert order_of(slots, repeats, answers=3) == ["s1", "r2", "s2", "r1", "s3"]


def test_a_repeat_follows_its_pair_that_was_put_off():
    slots = [WaitingSlot(1, postponed=20.0), WaitingSlot(2)]

    assert order_of(slots, [WaitingRepeat(1, slot=1, place=None)]) == ["s2", "s1", "r1"]


def test_pairs_that_the_page_has_are_judged_first_and_left_out():
    slots = [WaitingSlot(slot) for slot in range(40)]

    order = order_of(slots, [WaitingRepeat(1, slot=0, place=None)], ahead=set(range(10)))

    assert order[:11] == [f"s{slot}" for slot in range(10, 21)]
    assert order[11] == "r1"


@given(st.data())
def test_everything_comes_once_and_no_repeat_before_its_pair(data):
    slots = data.draw(st.integers(0, 50))
    postponed = data.draw(st.sets(st.integers(0, max(slots - 1, 0))))
    repeated = data.draw(st.sets(st.integers(0, slots + 20)))
    waiting = [WaitingSlot(slot) for slot in range(slots) if slot not in postponed]
    waiting += [WaitingSlot(slot, postponed=slot) for slot in sorted(postponed) if slot < slots]
    repeats = [
        WaitingRepeat(slot, slot, place=None if slot < slots else slot - slots + 1)
        for slot in repeated
    ]

    order = order_of(waiting, repeats, answers=21)

    assert sorted(order) == sorted(
        [*(f"s{slot}" for slot in range(slots)), *(f"r{slot}" for slot in repeated)]
    )
    for slot in (slot for slot in repeated if slot < slots):
        assert order.index(f"s{slot}") < order.index(f"r{slot}")

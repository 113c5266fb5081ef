"""Random-looking orders that anyone can recompute."""

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from corpus.ordering import order_key, shuffled


def test_the_key_is_the_sha256_that_the_manifest_promises():
    # printf 's|p|q|i' | sha256sum
    expected = "fc573ea35a437fa30e32270a9dd62cf7"
    assert order_key("s", "p", "q", "i") == hashlib.sha256(b"s|p|q|i").hexdigest()
    assert order_key("s", "p", "q", "i")[:32] == expected


def test_ids_outside_ascii_are_hashed_as_utf8():
    assert order_key("s", "p", "q", "é") == hashlib.sha256(b"s|p|q|\xc3\xa9").hexdigest()


def test_items_come_in_the_order_of_their_keys():
    order = shuffled(["a", "b", "c", "d"], seed="1", purpose="test", query="q")
    keys = [order_key("1", "test", "q", item) for item in order]
    assert keys == sorted(keys)


def test_seed_purpose_and_query_each_give_another_order():
    items = [str(number) for number in range(50)]
    orders = [
        shuffled(items, seed=seed, purpose=purpose, query=query)
        for seed, purpose, query in [
            ("1", "p", "q"),
            ("2", "p", "q"),
            ("1", "r", "q"),
            ("1", "p", "s"),
        ]
    ]
    assert len({tuple(order) for order in orders}) == 4


@given(
    st.lists(st.text(), unique=True).flatmap(lambda x: st.tuples(st.just(x), st.permutations(x)))
)
def test_the_order_does_not_depend_on_the_order_of_arrival(lists):
    first, second = (shuffled(items, seed="s", purpose="p", query="q") for items in lists)
    assert first == second
    assert sorted(first) == sorted(lists[0])

"""The state of a report tells which of its inputs changed."""

import pytest

from reports.states import changed_inputs, in_words, state_of_inputs

INPUTS = {"the computation": 1, "the labels": [2, "a"], "the pools": None, "the lists": {"a": 1}}
STATE = state_of_inputs(INPUTS)


def test_an_unchanged_report_says_nothing():
    assert in_words(changed_inputs(STATE, INPUTS)) == ""
    assert len(state_of_inputs(INPUTS | {"the documents": 1})) <= 64


@pytest.mark.parametrize(
    ("changes", "text"),
    [
        ({"the lists": {"a": 2}}, "the lists"),
        ({"the labels": [3, "a"], "the lists": {}}, "the labels and the lists"),
        (
            {"the lists": {}, "the labels": [], "the pools": 1},
            "the labels, the pools and the lists",
        ),
        # Another version may have digests of other values.
        ({"the computation": 2, "the lists": {}}, "the computation"),
    ],
)
def test_only_what_changed_is_named(changes, text):
    assert in_words(changed_inputs(STATE, INPUTS | changes)) == text


def test_a_state_of_an_earlier_form_is_of_another_computation():
    assert changed_inputs("0" * 64, INPUTS) == ["the computation"]
    assert changed_inputs(STATE + "0", INPUTS) == ["the computation"]
    assert changed_inputs("", INPUTS) == ["the computation"]

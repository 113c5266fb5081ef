"""The keys of choices and commands on the pages of screening and checking."""

from __future__ import annotations

from string import digits

from web.sittings.keys import assign_keys

WITHOUT_DIGITS = "un" + digits


def test_a_key_is_the_first_letter_if_no_other_choice_has_it():
    names = ["Background", "Method", "Result", "Application", "Resources", "Theory", "Überblick"]

    assert assign_keys(names, WITHOUT_DIGITS) == ["b", "m", "r", "a", "e", "t", "l"]
    assert assign_keys(["Uno", "U"], WITHOUT_DIGITS) == ["o", "a"]


def test_every_label_has_a_key_of_its_own():
    labels = ["background", "objective", "method", "result", "other", "ook"]

    assert assign_keys([*labels, "split"], reserved="ujk") == [*"bomrt", "0", "s"]


def test_a_name_has_no_key_once_none_is_free():
    assert assign_keys(["a"] * 37)[36] == ""

"""Filters of tables: what they leave, and what the page shows of them."""

from __future__ import annotations

import pytest
from django.db.models import Q
from django.http import QueryDict
from django.test import RequestFactory

from accounts.models import User
from tests.support.factories import UserFactory
from web.tables.filters import Filter, FilterChoice, filter_bar, filter_queryset, filter_rows

PARITY = Filter(
    "parity",
    "Parity",
    [
        FilterChoice("even", "Even", lambda row: row % 2 == 0),
        FilterChoice("odd", "Odd", lambda row: row % 2 == 1),
    ],
)
SIZE = Filter("size", "Size", [FilterChoice("small", "Small", lambda row: row < 5)])


def bar(address: str):
    return filter_bar(
        RequestFactory().get(address), [PARITY, SIZE], caption="Number", button="Find"
    )


def test_rows_pass_every_chosen_filter():
    parameters = QueryDict("parity=odd&size=small")

    assert filter_rows(range(10), [PARITY, SIZE], parameters) == [1, 3]


@pytest.mark.parametrize("address", ["", "parity=", "parity=prime", "other=odd"])
def test_an_unknown_value_filters_nothing(address):
    assert filter_rows(range(4), [PARITY], QueryDict(address)) == [0, 1, 2, 3]


@pytest.mark.django_db
def test_a_queryset_is_filtered_in_the_database():
    for name in ("ada", "bea"):
        UserFactory(username=name)
    by_name = Filter("name", "Name", [FilterChoice("a", "A", Q(username__startswith="a"))])

    found = filter_queryset(User.objects.all(), [by_name], QueryDict("name=a"))

    assert [user.username for user in found] == ["ada"]


def test_chips_keep_the_other_parameters_and_forget_the_page():
    parity, size = bar("/t?parity=odd&q=a+b&sort=-n&after=7&unknown=1&size=").groups

    assert [(chip.is_chosen, chip.url) for chip in parity.chips] == [
        (False, "/t?q=a+b&parity=even&sort=-n"),
        (True, "/t?q=a+b&sort=-n"),
    ]
    assert [(chip.is_chosen, chip.url) for chip in size.chips] == [(False, "")]


def test_removing_the_only_filter_gives_the_plain_address():
    assert bar("/t?size=small").groups[1].chips[0].url == "/t"


def test_the_form_sends_the_sort_and_the_filters_again_and_no_empty_parameter():
    asked = bar("/t?sort=-n&size=small")

    assert (asked.chosen, asked.kept) == ([("size", "small")], [("sort", "-n")])
    assert (bar("/t?sort=&parity=prime").chosen, bar("/t?sort=").kept) == ([], [])


@pytest.mark.parametrize(
    ("address", "active"),
    [
        ("/t", False),
        ("/t?sort=n", False),
        ("/t?q=+", False),
        ("/t?q=a", True),
        ("/t?size=small", True),
    ],
)
def test_a_bar_is_active_if_it_leaves_rows_out(address, active):
    assert bar(address).is_active == active

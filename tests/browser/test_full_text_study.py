"""A full-text study in a real browser: keys, the clock, nothing given is lost, the report."""

from urllib.parse import urlsplit

import pytest
from django.urls import reverse
from playwright.sync_api import expect

from accounts.models import User
from studies.models import StudyRating
from tests.support.factories import a_collection
from tests.support.judging_page import (
    assert_accessible,
    eventually,
    log_in,
    log_out,
    read_and_press,
)
from tests.support.study_scenes import a_labelled_query, a_study

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(4),
]


def test_a_study_is_rated_by_keyboard_and_reported(page, context, live_server):
    collection = a_collection()
    a_labelled_query(collection, 3, 1, 0)
    study = a_study(collection)
    log_in(context, live_server, study.rater)
    page.goto(live_server.url + reverse("judge", args=["small"]))
    page.get_by_role("link", name="Full-text study").click()
    assert_accessible(page)
    page.get_by_role("link", name="Start with texts").click()

    def expect_position(position: int) -> None:
        token = study.pairs.get(position=position).token
        page.wait_for_url(lambda url: urlsplit(url).path.endswith(f"/{token}/"))

    expect_position(1)
    expect(page.get_by_role("heading", name="1 Introduction").first).to_be_visible()
    assert_accessible(page)
    read_and_press(page, "3")
    expect_position(2)
    assert StudyRating.objects.get().seconds >= 0.3

    context.set_offline(True)
    read_and_press(page, "1")
    expect(page.get_by_text("1 rating is not saved yet, but kept on this comput")).to_be_visible()
    context.set_offline(False)
    expect_position(3)

    read_and_press(page, "u")
    expect_position(2)
    expect(page.get_by_text("You said 1 Related")).to_be_visible()
    read_and_press(page, "2")
    expect_position(3)
    read_and_press(page, "c")
    page.get_by_label("It is in a language I do not read").check()
    page.get_by_role("button", name="Save as “cannot judge”").click()
    expect(page.get_by_role("heading", name="All 3 pairs are rated")).to_be_visible()
    assert_accessible(page)
    eventually(page, lambda: StudyRating.objects.count() == 4)

    log_out(context)
    log_in(context, live_server, User.objects.get(username="admin"))
    page.goto(live_server.url + reverse("study", args=["small", "texts"]))
    expect(page.get_by_role("heading", name="Confusion matrix")).to_be_visible()
    expect(page.get_by_text("The rater could not judge 1 of the pairs.")).to_be_visible()
    assert_accessible(page)

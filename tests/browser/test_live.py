"""Pages that wait for a job: they renew themselves, and a toast says what happened."""

from __future__ import annotations

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from accounts.models import User
from jobs.models import Job, State
from tests.support.factories import a_collection
from tests.support.judging_page import log_in

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]

HIDE = "Object.defineProperty(document, 'hidden', {get: () => true, configurable: true})"


@pytest.fixture
def collection(db):
    return a_collection()


@pytest.fixture
def job(collection) -> Job:
    return Job.objects.create(collection=collection, kind="import_documents")


@pytest.fixture
def admin(page, live_server, job) -> Page:
    log_in(page.context, live_server, User.objects.get(username="admin"))
    page.goto(f"{live_server.url}/c/small/documents/import/")
    return page


def finish(job: Job) -> None:
    Job.objects.filter(pk=job.pk).update(state=State.SUCCEEDED)


def test_the_page_renews_itself_when_its_job_ends_and_a_toast_leads_to_the_result(admin, job):
    expect(admin.locator(".job-card")).to_be_visible()
    admin.evaluate("window.isTheSamePage = true")

    finish(job)

    toast = admin.get_by_role("status").filter(has_text="Import documents: done")
    expect(toast).to_be_visible()
    expect(admin.locator(".job-card")).to_have_count(0)
    assert admin.evaluate("window.isTheSamePage")
    assert not Axe().run(admin).response["violations"]
    toast.get_by_role("link", name="View the result").click()
    admin.wait_for_url("**/c/small/documents/")


def test_a_form_with_input_is_kept_when_a_job_ends(admin, job):
    admin.get_by_text("Format, columns, prefix and invalid lines").click()
    skip = admin.locator("[name=skip_bad]")
    skip.fill("3")

    finish(job)

    expect(admin.locator(".toast")).to_be_visible()
    expect(skip).to_have_value("3")
    expect(admin.get_by_text("reload the page to see what changed")).to_be_visible()


def test_a_hidden_tab_asks_the_server_for_nothing(admin, job):
    admin.evaluate(HIDE)
    requests = []
    admin.on("request", lambda request: "/card/" in request.url and requests.append(request.url))

    admin.wait_for_timeout(2500)

    assert requests == []
    finish(job)
    admin.evaluate("delete document.hidden")
    expect(admin.locator(".toast")).to_be_visible()

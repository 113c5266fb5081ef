"""Pages that wait for a job: they renew themselves, and a toast says what happened."""

from __future__ import annotations

from uuid import uuid4

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.utils import timezone
from playwright.sync_api import Page, expect

from accounts.models import User
from jobs.models import Job, State
from tests.support.factories import a_collection
from tests.support.judging_page import log_in

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(4),
]

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


def test_the_page_of_a_job_follows_it_to_the_end_and_then_asks_no_more(page, live_server, job):
    log_in(page.context, live_server, User.objects.get(username="admin"))
    page.goto(f"{live_server.url}/c/small/jobs/{job.pk}/")
    expect(page.locator(".job-card .chip")).to_contain_text("Waiting for a worker")
    page.evaluate("window.isTheSamePage = true")
    now = timezone.now()
    jobs = Job.objects.filter(pk=job.pk)
    jobs.update(
        state=State.RUNNING,
        lease=uuid4(),
        started_at=now,
        heartbeat_at=now,
        progress_done=40,
        progress_total=100,
        progress_note="documents",
    )
    expect(page.locator(".job-card")).to_contain_text("40 of 100 · documents")
    jobs.update(state=State.SUCCEEDED, lease=None, finished_at=now, result={"documents": 100})

    expect(page.locator(".job-card .figures")).to_contain_text("documents")
    expect(page.locator(".job-card .chip")).to_contain_text("Done")
    expect(page.get_by_text("The job continues.")).to_have_count(0)
    expect(page.locator("dl.facts")).not_to_contain_text("not yet")
    page.wait_for_load_state("networkidle")
    requests = []
    page.on("request", lambda request: requests.append(request.url))
    page.wait_for_timeout(2500)
    assert requests == []
    assert page.evaluate("window.isTheSamePage")


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

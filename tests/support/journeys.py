"""Steps that journeys through the whole product share."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from playwright.sync_api import Page

from accounts.codes import account_code
from accounts.models import Collection, User
from bundle.datasheet.questions import required_questions
from jobs.models import Job, State
from release.datasheets.current import dates_known
from tests.support.running import wait_until


def wait_for_jobs() -> None:
    wait_until(lambda: not Job.objects.live().exists(), 60, "all jobs have ended")
    # Another may be queued by now: a worker asks for reports that have become due.
    assert not Job.objects.filter(state__in=[State.FAILED, State.CANCELLED]).exists()


def add_people(admin: Page, slug: str, roles: Mapping[str, str]) -> None:
    for username, role in roles.items():
        admin.goto(f"/c/{slug}/people/")
        admin.get_by_role("button", name="Add an existing account").click()
        sheet = admin.get_by_role("dialog", name="Add an existing account")
        sheet.get_by_label("Account code").fill(account_code(User.objects.get(username=username)))
        sheet.locator(f"input[value={role}]").check()
        sheet.get_by_role("button", name="Add the role").click()


def publish(admin: Page, slug: str) -> bytes:
    """Publish version 1.0, and download it."""
    collection = Collection.objects.get(slug=slug)
    admin.goto(f"/c/{slug}/releases/-/datasheet/")
    for question in required_questions(dates_known=dates_known(collection)):
        admin.get_by_label(question.label, exact=True).fill("Yes.")
    admin.get_by_role("button", name="Save the answers").click()
    admin.goto(f"/c/{slug}/releases/")
    admin.get_by_role("textbox", name="Version").fill("1.0")
    admin.locator("input[name=accept][value=corpus-licence]").check()
    reason = admin.locator("[name=reason-corpus-licence]")
    reason.fill("The texts were written for this test.")
    made_folds = admin.locator("input[name=accept][value=made-folds]")
    if made_folds.count():  # of imported judgments
        made_folds.check()
        admin.locator("[name=reason-made-folds]").fill("No folds were published with them.")
    admin.get_by_role("button", name="Publish this version…").click()
    admin.get_by_role("button", name="Publish 1.0").click()
    wait_for_jobs()
    admin.goto(f"/c/{slug}/releases/")
    with admin.expect_download() as download:
        admin.get_by_role("link", name="Download 1.0").click()
    return Path(download.value.path()).read_bytes()

"""The whole job in a browser: from a file of documents to the qrels of a published release."""

from __future__ import annotations

import io
import json
import re
import zipfile
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from accounts.models import Collection, User
from adjudication.labels import labelled_pairs
from adjudication.models import Decision
from annotation.models import Slot
from tests.support.journeys import add_people, publish, wait_for_jobs
from tests.support.judging_page import read_and_press
from tests.support.running import wait_until

pytestmark = [
    pytest.mark.browser,
    pytest.mark.django_db(transaction=True),
    pytest.mark.by_day(2, day=0),
]

TOPICS = ("dependency parsing", "mail filtering", "citation search")


@pytest.fixture
def corpus(tmp_path: Path) -> Path:
    """Twelve documents on three topics; p00 cites p03."""
    path = tmp_path / "corpus.jsonl"
    lines = (
        {
            "docno": f"p{number:02}",
            "title": f"On {TOPICS[number % 3]}, part {number}",
            "sentences": [
                f"People need {TOPICS[number % 3]}.",
                f"We count words for {TOPICS[number % 3]} in step {number}.",
                f"It helps {TOPICS[number % 3]}.",
            ],
            "labels": ["background", "method", "result"],
            "year": 2001,
            "authors": ["Nobody"],
            "references": ["p03"] if number == 0 else [],
        }
        for number in range(12)
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


def test_three_people_take_a_corpus_to_a_release(
    people, corpus, visit, start_worker, live_server, tmp_path
):
    start_worker(include="")
    admin = visit("ada")
    set_up(admin, corpus)
    judge(visit("bea"), number=1)
    judge(visit("cid"), number=2)
    settle(visit("dora"))
    compute_agreement(admin)
    bundle = publish(admin, "papers")

    collection = Collection.objects.get(slug="papers")
    expected = [
        f"{pair.query} 0 {pair.docno} {pair.final}\n" for pair in labelled_pairs(collection)
    ]
    with zipfile.ZipFile(io.BytesIO(bundle)) as zipped:
        assert zipped.read("trec/qrels.all.txt").decode() == "".join(sorted(expected))
        assert zipped.read("trec/qrels.method.txt").decode() == "".join(sorted(expected))
    grades = {line.split()[2]: int(line.split()[3]) for line in expected}
    assert grades == {docno: settled_grade(docno) for docno in grades}
    assert "p03" in grades


def press(page: Page, control: Locator, *keys: str) -> None:
    """Go to the control by Tab alone, and press the keys there."""
    expect(control).to_be_visible()
    for _ in range(200):
        page.keyboard.press("Tab")
        if control.evaluate("control => control === document.activeElement"):
            break
    expect(control).to_be_focused()
    for key in keys:
        page.keyboard.press(key)


def set_up(admin: Page, corpus: Path) -> None:
    """Collection, documents, query, pools, people, open query: all by the admin's own hand.

    The pools are planned and the query is opened by keyboard alone.
    """
    admin.goto("/collections/new/")
    admin.get_by_label("Name", exact=True).fill("Papers")
    admin.get_by_label("Short name").fill("papers")
    admin.locator("select[name=licence]").select_option("CC-BY-4.0")
    admin.get_by_role("button", name="Create the collection").click()

    admin.goto("/c/papers/documents/import/")
    admin.locator("input[type=file]").set_input_files(corpus)
    admin.get_by_role("button", name="Import the file").click()
    expect(admin.get_by_text("Done").first).to_be_visible(timeout=30_000)

    admin.goto("/c/papers/queries/add/")
    admin.get_by_role("textbox", name="Queries").fill("p00 method")
    admin.get_by_role("button", name="Add the list").click()

    admin.goto("/c/papers/pools/")
    press(admin, admin.get_by_role("link", name="Plan the pools"), "Enter")
    admin.wait_for_url("**/pools/plan/")
    press(admin, admin.locator("input[name=interleaved-n]"), "ControlOrMeta+a", "1")
    press(admin, admin.get_by_role("button", name=re.compile("^Build")), "Enter")
    admin.wait_for_url("**/pools/")
    wait_for_jobs()

    roles = {"bea": "annotator", "cid": "annotator", "dora": "adjudicator"}
    add_people(admin, "papers", roles)

    admin.goto("/c/papers/judging/")
    press(admin, admin.get_by_role("link", name="Open queries…"), "Enter")
    press(admin, admin.get_by_label("Open p00_method"), "Space")
    for name in ("bea", "cid"):
        press(admin, admin.get_by_label(name), "Space")
    press(admin, admin.get_by_role("button", name="Open 1 query…"), "Enter")
    press(admin, admin.get_by_role("button", name="Open 1 query", exact=True), "Enter")
    expect(admin.get_by_text("guideline 1").first).to_be_visible()


def grade_of(docno: str, number: int) -> int:
    """What annotator 1 or 2 says; they differ by one on every other document."""
    part = int(docno[1:])
    return min(3, part % 3 + (1 if number == 2 and part % 2 else 0))


def settled_grade(docno: str) -> int:
    """The agreed grade, or what the adjudicator below decides."""
    first, second = grade_of(docno, 1), grade_of(docno, 2)
    return first if first == second else 3


def judge(page: Page, number: int) -> None:
    """Judge the whole query by keyboard."""
    annotator = User.objects.get(username="bea" if number == 1 else "cid")
    page.goto("/c/papers/judge/")
    page.get_by_role("link", name=re.compile("judging|Start|Continue")).first.click()
    slots = Slot.objects.filter(annotator=annotator)
    for done in range(slots.count()):
        title = page.locator("#pair h3").inner_text()
        part = int(title.rsplit(" ", 1)[1])
        read_and_press(page, str(grade_of(f"p{part:02}", number)))
        wait_until(lambda done=done: slots.judged().count() == done + 1, 10, "the grade is saved")
    expect(page.get_by_text(re.compile("pairs? (is|are) judged", re.I)).first).to_be_visible()


def settle(page: Page) -> None:
    page.goto("/c/papers/adjudicate/")
    page.get_by_role("button", name=re.compile("Start|Continue")).first.click()
    due = sum(grade_of(pair, 1) != grade_of(pair, 2) for pair in pooled())
    for number in range(due):
        case = page.url
        read_and_press(page, "3")
        wait_until(lambda done=number: Decision.objects.count() == done + 1, 60, "it is decided")
        page.wait_for_url(lambda address, case=case: address != case)


def pooled() -> list[str]:
    return list(
        Slot.objects.filter(number=1).values_list("pair__candidate__document__docno", flat=True)
    )


def compute_agreement(admin: Page) -> None:
    admin.goto("/c/papers/agreement/")
    admin.get_by_role("button", name=re.compile("Compute")).first.click()
    wait_for_jobs()
    admin.goto("/c/papers/agreement/")
    expect(admin.get_by_role("cell", name=re.compile("before", re.I)).first).to_be_visible()

"""What a release says of self-consistency, and that repeats change nothing else in it."""

from __future__ import annotations

import json

import pytest

from agreement.consistency.report import ConsistencyReport
from annotation.models import Repeat, Slot
from reports.services import compute_report
from tests.support.release_scenes import a_judged_collection
from tests.support.released_files import files_of
from tests.support.repeats import answer_repeat

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

FILE = "reports/self_consistency.json"


@pytest.fixture
def collection():
    return a_judged_collection()


def repeated(collection, *grades):
    """Answers to repeats of the first slots of ann1."""
    slots = Slot.objects.of(collection).judged().filter(annotator__username="ann1").order_by("pk")
    for slot, grade in zip(slots.filter(judgment__grade__isnull=False), grades, strict=False):
        repeat = Repeat.objects.create(
            slot=slot, query=slot.pair.query, annotator=slot.annotator, token=f"again{slot.pk}"
        )
        answer_repeat(repeat, grade)


def test_a_release_has_self_consistency_of_all_together(collection):
    repeated(collection, 0, 1, 2)
    report = compute_report(ConsistencyReport(), collection=collection)

    files = files_of(collection)

    assert json.loads(files[FILE]) == report.payload["overall"]["consistency"]
    assert "annotators" not in json.loads(files[FILE])
    sentence = "3 pairs came to an annotator a second time without a mark, and were never counted."
    assert sentence in " ".join(files["README.md"].decode().split())
    assert sentence in files["datasheet.md"].decode()


def test_without_repeats_a_release_says_nothing_of_it(collection):
    compute_report(ConsistencyReport(), collection=collection)

    files = files_of(collection)

    assert FILE not in files
    assert "second time" not in files["README.md"].decode()


def test_an_old_report_is_left_out_and_does_not_stop_a_release(collection):
    repeated(collection, 0, 1)
    compute_report(ConsistencyReport(), collection=collection)
    repeated_again = Repeat.objects.first()
    answer_repeat(repeated_again, 3)

    files = files_of(collection)

    assert FILE not in files
    assert json.loads(files["manifest.json"])["out_of_date_reports"] == ["self_consistency"]


def test_repeats_change_no_file_of_a_release(collection):
    before = files_of(collection)
    repeated(collection, 0, 1, 2)

    after = files_of(collection)

    assert {name for name in before if before[name] != after[name]} <= {
        "manifest.json",
        *(name for name in before if name.startswith("SHA256")),
    }
    changing = ("ratings", "qrels", "reports/agreement", "labels")
    for name in before:
        if any(word in name for word in changing):
            assert before[name] == after[name], name

"""What a release says of self-consistency, and that repeats change nothing else in it."""

from __future__ import annotations

import json

import pytest

from agreement.consistency.report import ConsistencyReport
from annotation.models import Repeat, Slot
from bundle.datasheet.self_consistency import consistency_sentence
from release.services import publish_release
from reports.services import compute_report, stored_report
from tests.support.release_scenes import a_judged_collection
from tests.support.released_files import files_of
from tests.support.releases import EVERY_EXCEPTION
from tests.support.repeats import answer_repeat
from tests.support.top_ups import a_second_version
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

FILE = "reports/self_consistency.json"


@once_a_file
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


def test_a_release_after_a_top_up_has_the_drift_on_pairs_that_came_again():
    collection = a_second_version()
    for repeat in Repeat.objects.of(collection).filter(pool_round=2):
        answer_repeat(repeat, repeat.slot.judgment.grade)

    publish_release(collection=collection, version="1.1", accept=EVERY_EXCEPTION)

    files = files_of(collection)
    (row,) = json.loads(files[FILE])["pool_rounds"]
    report = stored_report(ConsistencyReport(), collection)
    assert [row] == report.payload["pool_rounds"]
    assert (row["round"], row["all"]["repeats"], row["all"]["same"]["value"]) == (2, 2, 1.0)
    readme = " ".join(files["README.md"].decode().split())
    assert (
        "2 pairs of earlier pool rounds came again among those of round 2 without a mark" in readme
    )
    assert "100.0 % got the grade of the judgment that stood" in readme
    assert "a second time without a mark" not in readme  # no repeat of a person's own


def drift(value: float | None, interval: list[float] | None) -> str:
    estimate = {"n": 40, "undefined": "" if interval else "too few"}
    same = {"value": 0.8, "interval": [0.65, 0.9], **estimate}
    direction = {"value": value, "interval": interval, **estimate}
    row = {"round": 3, "all": {"repeats": 40, "same": same, "direction": direction}}
    return consistency_sentence({"repeats": 0, "pool_rounds": [row]})


@pytest.mark.parametrize(
    ("value", "interval", "said"),
    [
        (0.3, [0.1, 0.5], "The later grades are higher, by 0.3000 on average"),
        (-0.3, [-0.5, -0.1], "The later grades are lower, by 0.3000 on average"),
        (0.1, [-0.1, 0.3], "cannot be said: the interval of their mean difference, -0.1000 to"),
        (0.0, [0.0, 0.0], "cannot be said: the interval of their mean difference"),
        (None, None, "Whether grades drifted between the rounds cannot be said."),
    ],
)
def test_drift_is_said_no_stronger_than_its_interval(value, interval, said):
    sentence = drift(value, interval)

    assert sentence.startswith("40 pairs of earlier pool rounds came again among those of round 3")
    assert said in sentence

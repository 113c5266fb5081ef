"""The seconds of a judgment of a collection, from its latest ones."""

from __future__ import annotations

import pytest

from annotation import queue
from annotation.queue import collection_pace
from tests.support.factories import a_collection, an_open_query
from tests.support.sittings import judge, slots_of

pytestmark = pytest.mark.django_db


def judged(slug: str, *seconds: float):
    opening = an_open_query(a_collection(slug), size=len(seconds))
    for slot, each in zip(slots_of(opening, "ann1"), seconds, strict=True):
        judge(slot, 1, seconds=each)
    return opening.query.collection


def test_it_is_of_the_latest_of_the_collection_whatever_others_judged_since(monkeypatch):
    monkeypatch.setattr(queue, "RECENT_OF_ALL", 2)
    monkeypatch.setattr(queue, "FEWEST_OF_ALL", 2)
    monkeypatch.setattr(queue, "LATEST_OF_SERVER", 2)

    earlier, later = judged("earlier", 90, 5, 7), judged("later", 20, 30, 40)

    assert collection_pace(earlier).recent == (5, 7)
    assert collection_pace(later).recent == (30, 40)


def test_fewer_than_enough_are_not_measured():
    collection = judged("few", 5, 7)

    assert collection_pace(collection).seconds == collection.seconds_per_judgment

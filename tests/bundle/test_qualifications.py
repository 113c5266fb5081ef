"""What the README of a release says of who was let to judge and to adjudicate."""

from __future__ import annotations

import io
import zipfile

import pytest

from accounts.models import Collection, User
from annotation.models import Basis, Level
from annotation.qualifications.services import give_qualification, record_measured
from bundle.qualifications import qualification_paragraph
from bundle.records import QualifiedPeople, ReleasedQualifications
from release.services import build_bundle
from release.snapshot import take_snapshot
from release.snapshot.qualifications import released_qualifications
from tests.support.release_scenes import a_judged_collection
from tests.support.releases import EVERY_EXCEPTION


def paragraph(**rules) -> str:
    return " ".join(qualification_paragraph(ReleasedQualifications(**rules))).strip()


def one_line(text: str) -> str:
    return " ".join(text.split())


def test_without_a_rule_nothing_is_said():
    assert paragraph() == ""


def test_the_rule_on_judges_is_stated_with_the_people():
    text = one_line(paragraph(judges=(0.5, QualifiedPeople(3, 1, 2))))

    assert "Spearman's rho must be at least 0.5." in text
    assert (
        "Of the annotators who judged, 3 reached it, 1 was an exception that an admin made, and 2 "
        "had no qualification at the time of this release." in text
    )
    assert "seniors" not in text


def test_tiers_are_stated_with_the_seats_of_seniors():
    text = one_line(paragraph(seniors=(0.7, QualifiedPeople(0, 2, 0)), senior_seats=1))

    assert "Juniors judge and seniors adjudicate." in text
    assert "0 reached it, 2 were exceptions that an admin made" in text
    assert "Seniors judge in 1 seat, each for a reason that is kept." in text


@pytest.mark.django_db
def test_a_release_counts_the_people_of_its_rules():
    collection = a_judged_collection()
    assert released_qualifications(collection) == ReleasedQualifications()
    ann1, adju = (User.objects.get(username=name) for name in ("ann1", "adju"))
    Collection.objects.update(qualifying_rho=0.5, senior_rho=0.7)
    record_measured(
        collection=collection,
        person=ann1,
        level=Level.JUDGE,
        basis=Basis.TRAINING,
        rho=0.6,
        pairs=30,
    )
    give_qualification(
        collection=collection, person=adju, level=Level.SENIOR, reason="Author.", given_by=None
    )
    collection.refresh_from_db()

    assert released_qualifications(collection) == ReleasedQualifications(
        judges=(0.5, QualifiedPeople(1, 0, 1)), seniors=(0.7, QualifiedPeople(0, 1, 0))
    )
    bundle = build_bundle(take_snapshot(collection), "1.0", EVERY_EXCEPTION)
    with zipfile.ZipFile(io.BytesIO(bundle.content)) as archive:
        readme = archive.read("README.md").decode()
    assert "The collection asks annotators to qualify" in readme

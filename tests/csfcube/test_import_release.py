"""CSFCube's release, imported from Qrelsmith's bundle and released again."""

from __future__ import annotations

import pytest

from accounts.models import Collection
from bundle.verification.service import verify
from release.importing.service import import_release
from tests.support.bundles import released_files

pytestmark = [
    pytest.mark.csfcube,
    pytest.mark.django_db,
    pytest.mark.one_database,
    pytest.mark.by_day(4, day=2),
]


def test_the_release_passes_every_check(bundle_folder):
    outcomes = {outcome.name: outcome for outcome in verify(bundle_folder)}

    failed = "\n".join(line for one in outcomes.values() if not one.ok for line in one.lines())
    assert failed == ""
    assert {name for name, outcome in outcomes.items() if outcome.skipped} == {
        "citations",
        "model_labels",
        "label_errors",
    }
    assert outcomes["labels"].compared == "4,051 labels"


def test_an_import_of_the_unpacked_bundle_is_released_with_the_same_bytes(
    released, bundle_folder, files
):
    Collection.objects.filter(pk=released.pk).update(slug="before")

    report = import_release(path=bundle_folder)

    again = released_files(Collection.objects.get(slug="csfcube"))
    differing = {name for name in files.keys() | again.keys() if files.get(name) != again.get(name)}
    assert differing == set()
    assert (report.pairs, report.judgments) == (4051, 8102)

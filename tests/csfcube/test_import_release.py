"""CSFCube's release, imported from Qrelsmith's bundle and released again."""

from __future__ import annotations

import pytest

from accounts.models import Collection
from release.importing.service import import_release
from tests.support.bundles import released_files

pytestmark = [pytest.mark.csfcube, pytest.mark.django_db, pytest.mark.one_database]


def test_an_import_of_the_unpacked_bundle_is_released_with_the_same_bytes(
    released, bundle_folder, files
):
    Collection.objects.filter(pk=released.pk).update(slug="before")

    report = import_release(path=bundle_folder)

    again = released_files(Collection.objects.get(slug="csfcube"))
    differing = {name for name in files.keys() | again.keys() if files.get(name) != again.get(name)}
    assert differing == set()
    assert (report.pairs, report.judgments) == (4051, 8102)

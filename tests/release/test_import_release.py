"""A release imported again: the same collection, and work that goes on there."""

from __future__ import annotations

import pytest

from accounts.models import Collection
from release.importing import import_release
from tests.support.bundles import released_files, write_bundle
from tests.support.release_scenes import a_judged_collection

pytestmark = pytest.mark.django_db


def imported_again(collection, tmp_path, **options):
    """The files of a release, and those of its import under the same short name."""
    files = released_files(collection, **options)
    slug = collection.slug
    Collection.objects.filter(pk=collection.pk).update(slug="elsewhere")
    import_release(path=write_bundle(tmp_path / "release.zip", files))
    return files, released_files(Collection.objects.get(slug=slug), **options)


def test_a_release_of_the_import_has_the_same_bytes(tmp_path):
    files, again = imported_again(a_judged_collection(), tmp_path)

    assert {name for name in files if files[name] != again.get(name)} == set()
    assert files.keys() == again.keys()

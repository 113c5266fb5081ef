"""The manifest as a file, from the command as from the page and from the API."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError, call_command

from corpus.services import create_query
from pooling.models import Pool
from pooling.services import freeze_pools, manifest_file
from tests.pooling.test_pages import client_of
from tests.support.factories import a_collection
from tests.support.pooling_scenes import a_listed_collection, a_listed_run, built
from tests.support.worlds import once_a_file

pytestmark = pytest.mark.django_db


@once_a_file
def collection():
    return a_listed_collection()


def test_the_command_writes_what_the_page_gives_and_it_rebuilds(collection, tmp_path, capsys):
    build = built(collection)

    call_command("export_manifest", "small")

    text = capsys.readouterr().out
    page = client_of("admin").get(f"/c/small/pool-builds/{build.pk}/manifest/")
    assert text == page.content.decode()
    assert json.loads(text) == manifest_file(build)
    path = tmp_path / "manifest.json"
    path.write_text(text)
    call_command("rebuild_pools", "small", str(path))
    assert capsys.readouterr().out.startswith("Equal: 1 pools")


def test_of_several_builds_one_has_to_be_chosen(collection, capsys):
    first = built(collection)
    freeze_pools(collection=collection)
    create_query(collection=collection, docno="d01", facet_key="method")
    a_listed_run(collection, "more", {"d01": ["d02", "d03"]})
    second = built(collection, runs=("more",))

    with pytest.raises(CommandError, match=rf"several builds.*{second.pk} \(.*{first.pk} \("):
        call_command("export_manifest", "small")
    with pytest.raises(CommandError, match=r"no build 0\. Choose with --build"):
        call_command("export_manifest", "small", "--build", "0")
    call_command("export_manifest", "small", "--build", str(first.pk))
    assert json.loads(capsys.readouterr().out) == manifest_file(first)


def test_a_collection_without_pools_is_said_to_have_none():
    a_collection("empty")

    with pytest.raises(CommandError, match=r"empty has no pools\. Build them with"):
        call_command("export_manifest", "empty")
    assert not Pool.objects.exists()

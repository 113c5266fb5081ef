"""rebuild_pools says which file it wants when it is given another."""

from __future__ import annotations

import gzip
import io
import json
import zipfile

import pytest
from django.core.management import CommandError, call_command

from tests.support.factories import a_collection

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def a_zip(**files: str) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w") as archive:
        for name, text in files.items():
            archive.writestr(name.replace("_", "."), text)
    return content.getvalue()


OTHERS = {
    "a release's manifest": (
        json.dumps({"format": "qrelsmith-release", "runs": []}).encode(),
        "the manifest of a release, which has no runs. Give the release's zip",
    ),
    "a pool from the API": (
        json.dumps({"docno": "q1", "manifest": {}, "candidates": []}).encode(),
        "one pool from the API",
    ),
    "an imported manifest": (
        json.dumps({"source": "CSFCube", "files": {}}).encode(),
        "the manifest of imported pools, which cannot be rebuilt",
    ),
    "another object": (b'{"a": 1}', "not a manifest of pools"),
    "a list": (b"[1]", "This is not a JSON object"),
    "a run": (b"q1 Q0 d1 1 0.5 tag\n", "This is a run"),
    "qrels": (b"q1 0 d1 3\n", "These are qrels"),
    "documents": (b'{"docno": "d1", "title": ""}\n{"docno": "d2"}\n', "a file of documents"),
    "a document": (b'{"docno": "d1", "title": ""}\n', "a document or a file of documents"),
    "a packed manifest": (gzip.compress(b"{}"), "compressed with gzip. Decompress it"),
    "a zip": (a_zip(a_txt=""), "This is not a release: it has no manifest.json"),
    "a zip with another manifest": (
        a_zip(manifest_json="{}"),
        "manifest.json: is not that of",
    ),
    "a zip with a broken manifest": (a_zip(manifest_json="{"), "manifest.json: is not valid JSON"),
    "a release of imported pools": (
        a_zip(
            manifest_json=json.dumps(
                {
                    "format": "qrelsmith-release",
                    "format_version": 1,
                    "software": {"version": "0.1.0"},
                    "version": "1.0",
                    "options": {"texts": "pooled", "labels": "judged"},
                    "collection": {"slug": "a", "name": "A", "seed": "1", "highest_grade": 3},
                    "pool_builds": [{"manifest": {"source": "x"}, "query_papers": ["q1"]}],
                }
            )
        ),
        "All pools of this release were imported",
    ),
    "nothing": (b"", "The file is empty"),
    "junk": (b"\x00\xff\x13junk", "This is not JSON"),
    "broken JSON": (b'{"format": 4', "This is not JSON"),
}


@pytest.mark.parametrize("name", OTHERS)
def test_another_file_is_known_for_what_it_is(name, tmp_path):
    content, words = OTHERS[name]
    path = tmp_path / "given"
    path.write_bytes(content)

    with pytest.raises(CommandError) as raised:
        call_command("rebuild_pools", a_collection().slug, str(path))

    message = str(raised.value)
    assert message.startswith(f"{path}: ")
    assert words in message
    assert "needs the manifest of a pool build" in message
    assert "the zip of a release" in message


def test_a_folder_that_is_no_release_is_refused(tmp_path):
    with pytest.raises(CommandError, match="This is not a release: it has no manifest"):
        call_command("rebuild_pools", a_collection().slug, str(tmp_path))

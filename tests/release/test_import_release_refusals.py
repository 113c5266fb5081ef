"""Releases that cannot be imported, and the command."""

from __future__ import annotations

import json
import zipfile
from copy import copy

import pytest
from django.core.management import CommandError, call_command

from accounts.models import Collection, Role, User
from corpus.models import Document
from jobs.context import DirectRun
from release.importing.context import ReleaseRefused
from release.importing.service import import_release
from tests.support.bundles import released_files, with_new_sums, write_bundle
from tests.support.every_kind import a_collection_of_every_kind
from tests.support.factories import a_collection, member

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def files(rolled_back, tmp_path_factory):
    with rolled_back():
        return released_files(a_collection_of_every_kind(tmp_path_factory.mktemp("every-kind")))


def refusal(path, **options) -> str:
    """The error of an import, which leaves nothing."""
    before = (Collection.objects.count(), User.objects.count())
    with pytest.raises(ReleaseRefused) as refused:
        import_release(path=path, **{"slug": "copy", **options})
    assert (Collection.objects.count(), User.objects.count()) == before
    return str(refused.value)


def test_a_short_name_in_use_is_refused(files, tmp_path):
    path = write_bundle(tmp_path / "release.zip", files)
    a_collection()

    assert "The short name 'small' exists already. Choose another one with --slug" in refusal(
        path, slug=""
    )
    assert "The short name 'a b' is invalid" in refusal(path, slug="a b")


def test_a_damaged_release_is_refused(files, tmp_path):
    changed = {**files, "trec/qrels.all.txt": b"q1_background 0 d1 3\n"}
    missing = {name: files[name] for name in files if name != "pools/pool.jsonl"}
    (tmp_path / "cut.zip").write_bytes(write_bundle(tmp_path / "b.zip", files).read_bytes()[:5000])
    (tmp_path / "text.zip").write_text("Not a zip.")

    assert "trec/qrels.all.txt: has the SHA-256" in refusal(write_bundle(tmp_path / "a", changed))
    assert "pools/pool.jsonl: is missing" in refusal(write_bundle(tmp_path / "b", missing))
    assert "is not a zip" in refusal(tmp_path / "cut.zip")
    assert "is not a zip" in refusal(tmp_path / "text.zip")
    assert "does not exist" in refusal(tmp_path / "nothing.zip")


def test_another_zip_or_format_is_refused(files, tmp_path):
    manifest = json.loads(files["manifest.json"])
    old = {**files, "manifest.json": json.dumps({**manifest, "format_version": 2}).encode()}
    new = {**files, "manifest.json": json.dumps({**manifest, "format_version": 4}).encode()}

    assert "it has no manifest.json" in refusal(write_bundle(tmp_path / "a", {"b.txt": b""}))
    assert "Publish the collection again" in refusal(write_bundle(tmp_path / "b", old))
    assert "has format 4, and this software reads format 3. Use Qrelsmith" in refusal(
        write_bundle(tmp_path / "c", new)
    )


@pytest.mark.parametrize("name", ["../evil.txt", "/etc/evil", "a\\b", "a//b", "C:evil", "a b.txt"])
def test_odd_names_in_the_zip_are_refused(tmp_path, name):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr(name, "x")

    assert "which no release has" in refusal(tmp_path / "a.zip")


def test_a_zip_that_could_grow_is_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("manifest.json", b" " * 10_000_000)

    assert "is compressed, but the zip of a release is not" in refusal(tmp_path / "a.zip")


def test_files_that_overlap_in_the_zip_are_refused(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.writestr("manifest.json", b" " * 10_000)
        for number in range(5):
            entry = copy(archive.infolist()[0])
            entry.filename = entry.orig_filename = f"file{number}"
            archive.filelist.append(entry)

    assert "overlap" in refusal(tmp_path / "a.zip")


INVALID = {
    "a decision without judgments": (
        "annotations/adjudications.csv",
        b"q1_method,method,d2",
        b"q1_method,method,d9",
        "adjudications.csv:4: q1_method d9 has a decision, but no judgments",
    ),
    "a judgment of an unknown query": (
        "annotations/ratings.csv",
        b"t1_result,result,d1,1",
        b"t9_result,result,d1,1",
        "ratings.csv:32: 't9_result' is not expected here",
    ),
    "a grade that is none": (
        "annotations/ratings.csv",
        b"q1_background,background,d2,1,annotator-1,2",
        b"q1_background,background,d2,1,annotator-1,7",
        "grade must be a whole number from 0 to 4, got '7'",
    ),
    "a grade off the scale": (
        "annotations/ratings.csv",
        b"q1_background,background,d2,1,annotator-1,2",
        b"q1_background,background,d2,1,annotator-1,4",
        "breaks a rule of the database: judgment_grade_on_the_scale",
    ),
    "a document without title": (
        "collection/documents.jsonl",
        b'"title": "Title of d2", ',
        b"",
        'documents.jsonl:3: "title" is missing',
    ),
    "a document twice": (
        "collection/documents.jsonl",
        b'"docno": "d2"',
        b'"docno": "d1"',
        "d1 comes after d1",
    ),
    "a candidate that is no document": (
        "pools/pool.jsonl",
        b'"docno": "d2"',
        b'"docno": "d9"',
        "'d9' is not among the documents",
    ),
    "a query with another name": (
        "collection/query_papers.jsonl",
        b'"name": "q2_method"',
        b'"name": "q2_methods"',
        "The query q2_methods of q2 should be q2_method.",
    ),
    "text that cannot be stored": (
        "collection/query_papers.jsonl",
        b'"narrative": "Only wings."',
        b'"narrative": "Only \\u0000 wings."',
        "U+0000, which cannot be stored",
    ),
    "a number for a text": (
        "collection/settings.json",
        b'"analysis": "plain"',
        b'"analysis": 3',
        'settings.json: "analysis" must be text, got 3',
    ),
}


@pytest.mark.parametrize("what", INVALID)
def test_a_release_that_contradicts_itself_is_refused_with_the_place(files, tmp_path, what):
    name, old, new, words = INVALID[what]
    assert old in files[name], files[name]
    changed = with_new_sums({**files, name: files[name].replace(old, new, 1)})

    assert words in refusal(write_bundle(tmp_path / "release.zip", changed))


class Stopped(Exception):
    """As a job that is cancelled."""


class Stopping(DirectRun):
    """Work that is cancelled when it reports the progress with this note."""

    def __init__(self, note: str) -> None:
        super().__init__()
        self.note = note

    def progress(self, done, total, note="") -> None:
        if note == self.note:
            raise Stopped


@pytest.mark.parametrize(
    "note", ["bytes compared", "documents imported", "pools imported", "judged queries imported"]
)
def test_a_cancelled_import_leaves_nothing(files, tmp_path, note):
    path = write_bundle(tmp_path / "release.zip", files)
    before = (Collection.objects.count(), User.objects.count(), Document.objects.count())

    with pytest.raises(Stopped):
        import_release(path=path, slug="copy", work=Stopping(note))

    after = (Collection.objects.count(), User.objects.count(), Document.objects.count())
    assert after == before


# The command


def test_the_command_says_what_it_imported(files, tmp_path, capsys):
    path = write_bundle(tmp_path / "release.zip", files)

    member(a_collection("other"), Role.ADMIN, "admin")

    call_command("import_release", path, slug="copy", admin="admin")

    assert capsys.readouterr().out == (
        "copy: imported from version 1.0; 8 documents, 7 queries (6 open), 4 pools with 12 "
        "candidates, 0 runs, 18 pairs, 32 judgments, 6 decisions of 4 people.\n"
    )
    assert Collection.objects.with_role(User.objects.get(username="admin"), ["admin"]).count() == 2


def test_the_command_says_why_it_refuses(tmp_path):
    with pytest.raises(CommandError, match=r"Nothing was imported\. .*does not exist"):
        call_command("import_release", tmp_path / "none.zip")
    with pytest.raises(CommandError, match="No user 'nobody' who can log in"):
        call_command("import_release", tmp_path / "none.zip", admin="nobody")

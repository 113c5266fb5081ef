"""Releases that cannot be imported, and the command."""

from __future__ import annotations

import json
import re
import zipfile
from copy import copy

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection

from accounts.models import Collection, Role, User
from annotation.guidelines.defaults import default_guideline
from annotation.services import write_guideline
from jobs.context import DirectRun
from release.importing import judgments
from release.importing.context import ReleaseRefused
from release.importing.service import import_release
from tests.support.bundles import released_files, with_new_sums, write_bundle
from tests.support.every_kind import a_collection_of_every_kind
from tests.support.factories import a_collection, member
from tests.support.release_scenes import a_judged_collection_with_runs

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.fixture(scope="module")
def files(rolled_back, tmp_path_factory):
    with rolled_back():
        return released_files(a_collection_of_every_kind(tmp_path_factory.mktemp("every-kind")))


@pytest.fixture(scope="module")
def files_with_runs(rolled_back):
    with rolled_back():
        return released_files(a_judged_collection_with_runs())


@pytest.fixture(autouse=True)
def small_parts(monkeypatch):
    """Each query in a transaction of its own."""
    monkeypatch.setattr(judgments, "JUDGMENTS_TOGETHER", 1)


def rows() -> dict[str, int]:
    """How many each table has."""
    tables = [model._meta.db_table for model in apps.get_models()]
    counts = " UNION ALL ".join(f"SELECT '{name}', COUNT(*) FROM {name}" for name in tables)
    with connection.cursor() as cursor:
        return dict(cursor.execute(counts).fetchall())


def refusal(path, **options) -> str:
    """The error of an import, which leaves nothing."""
    before = rows()
    with pytest.raises(ReleaseRefused) as refused:
        import_release(path=path, **{"slug": "copy", **options})
    assert rows() == before
    return str(refused.value)


def test_a_short_name_in_use_is_refused(files, tmp_path):
    path = write_bundle(tmp_path / "release.zip", files)
    a_collection()

    assert "The short name 'small' exists already. Choose another one" in refusal(path, slug="")
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
    new = {**files, "manifest.json": json.dumps({**manifest, "format_version": 4}).encode()}

    assert "it has no manifest.json" in refusal(write_bundle(tmp_path / "a", {"b.txt": b""}))
    assert "has format 4, and this software reads format 1. Use Qrelsmith" in refusal(
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


# The verification, which every import makes, finds these.
INCONSISTENT = {
    "a decision without judgments": (
        "annotations/adjudications.csv",
        b"q1_method,method,d2",
        b"q1_method,method,d9",
        "adjudications.csv:4: q1_method d9 has a decision, but not two judgments.",
    ),
    "a judgment that is there twice": (
        "annotations/ratings.csv",
        b"q1_background,background,d2,2,",
        b"q1_background,background,d2,1,",
        "ratings.csv:5: q1_background d2 must have one judgment in slot 1 and one in slot 2, "
        "got 1, 1.",
    ),
    "a judgment without the other": (
        "annotations/ratings.csv",
        re.compile(rb"q1_background,background,d2,2,.*\r?\n"),
        b"",
        "ratings.csv:4: q1_background d2 must have one judgment in slot 1 and one in slot 2, "
        "got 1.",
    ),
    "two judgments of one person": (
        "annotations/ratings.csv",
        b"q1_background,background,d2,2,annotator-2",
        b"q1_background,background,d2,2,annotator-1",
        "ratings.csv:5: both judgments of q1_background d2 are by annotator-1.",
    ),
    "a decision that is there twice": (
        "annotations/adjudications.csv",
        b"q2_method,method,d4,",
        b"q1_method,method,d2,",
        "adjudications.csv:6: q1_method d2 has a second decision.",
    ),
    "a decision without dispute": (
        "annotations/adjudications.csv",
        b"q1_method,method,d2",
        b"q1_method,method,d1",
        "adjudications.csv:4: both judgments of q1_method d1 are 3, so there is nothing to decide.",
    ),
    "a guideline that the release lacks": (
        "collection/query_papers.jsonl",
        re.compile(rb'"guideline": 1(?=, "labels_unchecked": false, "name": "q1_background")'),
        b'"guideline": 3',
        "manifest.json: Version 3 of 'background' is missing.",
    ),
    "a query paper that is no document": (
        "collection/documents.jsonl",
        re.compile(rb'.*"docno": "q3".*\n'),
        b"",
        "query_papers.jsonl: 'q3' is not among the documents.",
    ),
    "a pool of an unknown query paper": (
        "pools/pool.jsonl",
        b'"query_paper": "t1"',
        b'"query_paper": "t9"',
        "pool.jsonl: the pool of t1 is missing.",
    ),
    "a candidate that is no document": (
        "pools/pool.jsonl",
        b'"docno": "d2"',
        b'"docno": "d9"',
        "pool.jsonl:2: 'd9', pooled for q1, is not among the documents.",
    ),
}
# The import has checks of its own beside it.
INVALID = {
    "a judgment of an unknown query": (
        "annotations/ratings.csv",
        b"t1_result,result,d1,1",
        b"t9_result,result,d1,1",
        "ratings.csv:32: 't9_result' is not expected here",
    ),
    "a judgment of a query that is not open": (
        "annotations/ratings.csv",
        b"q1_background,background,d1,1",
        b"q0_background,background,d1,1",
        "ratings.csv:2: 'q0_background' is not expected here",
    ),
    "a judgment of a candidate that is not in the pool": (
        "annotations/ratings.csv",
        b"q1_background,background,d2,",
        b"q1_background,background,d4,",
        "ratings.csv: 'd4' has a pair of q1_background, but is not among the documents to judge",
    ),
    "a decision on an unknown query": (
        "annotations/adjudications.csv",
        b"t1_result,result,",
        b"t9_result,result,",
        "adjudications.csv:7: 't9_result' is not expected here",
    ),
    "a guideline of an unknown facet": (
        "collection/guidelines.json",
        b'"facet": "result"',
        b'"facet": "results"',
        "guidelines.json: The facet 'results' is unknown.",
    ),
    "a guideline without a grade": (
        "collection/guidelines.json",
        b'"grade": 3',
        b'"grade": 4',
        "does not describe the scale's grades.",
    ),
    "a guideline whose grades are numbers": (
        "collection/guidelines.json",
        re.compile(rb'"grades": \[.*?\]', re.DOTALL),
        b'"grades": [0, 1, 2, 3]',
        'item 1 of "grades": must be an object, got 0.',
    ),
    "a guideline whose grades have no names": (
        "collection/guidelines.json",
        b'"name": ',
        b'"title": ',
        'item 1 of "guidelines": item 1 of "grades": "name" must be text, got null.',
    ),
    "a query of an unknown facet": (
        "collection/query_papers.jsonl",
        b'"facet": "background"',
        b'"facet": "setting"',
        "The facet 'setting' of q1_background is unknown.",
    ),
    "no time for a judgment": (
        "collection/settings.json",
        b'"seconds_per_judgment": 21.5',
        b'"seconds_per_judgment": 0',
        '"seconds_per_judgment" must be more than 0.',
    ),
    "a share of repeats above a half": (
        "collection/settings.json",
        b'"seconds_per_judgment": 21.5',
        b'"judging_rules": {"repeat_share": 0.6}, "seconds_per_judgment": 21.5',
        '"repeat_share" must be from 0 to 0.5, got 0.6.',
    ),
    "an answer to an unknown question": (
        "collection/settings.json",
        b'"purpose": ',
        b'"purposes": ',
        "purposes",
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


@pytest.mark.parametrize("what", INCONSISTENT | INVALID)
def test_a_release_that_contradicts_itself_is_refused_with_the_place(files, tmp_path, what):
    """The verification is left out for what the import finds itself."""
    name, old, new, words = (INCONSISTENT | INVALID)[what]
    pattern = old if isinstance(old, re.Pattern) else re.compile(re.escape(old))
    changed, number = pattern.subn(lambda _: new, files[name])
    assert number, files[name]
    changed = with_new_sums({**files, name: changed})

    path = write_bundle(tmp_path / "release.zip", changed)
    assert words in refusal(path, verified=what in INVALID)


def test_guidelines_of_another_collection_are_not_taken(files, tmp_path):
    facet = a_collection("other").facets.get(key="background")
    for _ in range(2):
        write_guideline(facet=facet, **default_guideline(facet, 3))
    assert list(facet.guidelines.values_list("version", flat=True)) == [3, 2, 1]
    name, old, new, words = INCONSISTENT["a guideline that the release lacks"]
    changed = with_new_sums({**files, name: old.sub(new, files[name])})

    assert words in refusal(write_bundle(tmp_path / "release.zip", changed))


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        ("pools/pool.jsonl", b'"rank": 1', b'"rank": 2', "pool.jsonl:1: the pool of q1 does not"),
        (
            "trec/qrels.all.txt",
            b" 2\n",
            b" 1\n",
            "Both judgments are 2, so it is 2.",
        ),
        ("collection/guidelines.json", b'"name": ', b'"title": ', '"grades": "name" must be text'),
    ],
)
def test_a_release_that_fails_its_verification_is_refused(
    files_with_runs, tmp_path, name, old, new, words
):
    changed = {**files_with_runs, name: files_with_runs[name].replace(old, new, 1)}
    assert changed != files_with_runs

    found = refusal(write_bundle(tmp_path / "release.zip", with_new_sums(changed)))

    assert found.startswith("Nothing was imported. The release fails its verification.")
    assert words in found


def test_an_account_with_the_name_of_an_imported_person_is_refused(files, tmp_path):
    User.objects.create_user("imported-annotator-1@copy", password="x")

    found = refusal(write_bundle(tmp_path / "release.zip", files))

    assert "imported-annotator-1@copy" in found
    assert found.startswith("Nothing was imported. ")


def test_texts_are_given_only_for_a_release_without_them(files, tmp_path):
    path = write_bundle(tmp_path / "release.zip", files)

    assert "Leave out --documents" in refusal(path, texts=tmp_path / "documents.jsonl")


def test_every_wrong_file_is_counted_and_the_first_are_named(files, tmp_path):
    """A file is wrong twice: it differs from SHA256SUMS and from the manifest."""
    for number, ending in ((10, ""), (11, "\n… and 2 more")):
        names = sorted(files.keys() - {"manifest.json", "SHA256SUMS"})[:number]
        damaged = {**files, **dict.fromkeys(names, b"x")}
        path = write_bundle(tmp_path / f"{number}.zip", damaged)

        lines = refusal(path).removeprefix("Nothing was imported. The release is damaged.")

        assert lines.endswith(ending or lines)
        assert lines.count("has the SHA-256") == 20


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
    before = rows()

    with pytest.raises(Stopped):
        import_release(path=path, slug="copy", work=Stopping(note))

    assert rows() == before


# The command


def test_the_command_says_what_it_imported(files, tmp_path, capsys):
    path = write_bundle(tmp_path / "release.zip", files)

    member(a_collection("other"), Role.ADMIN, "admin")

    call_command("import_release", "copy", path, admin="admin")

    assert capsys.readouterr().out == (
        "copy: imported from version 1.0; 9 documents, 8 queries (6 open), 4 pools with 12 "
        "candidates, 0 runs, 18 pairs, 32 judgments, 6 decisions of 4 people.\n"
    )
    assert Collection.objects.with_role(User.objects.get(username="admin"), ["admin"]).count() == 2


def test_the_command_says_why_it_refuses(tmp_path):
    with pytest.raises(CommandError, match=r"Nothing was imported\. .*does not exist"):
        call_command("import_release", "copy", tmp_path / "none.zip")
    with pytest.raises(CommandError, match="No user 'nobody' who can log in"):
        call_command("import_release", "copy", tmp_path / "none.zip", admin="nobody")

"""Every change of a release is found, and by the check that it is for."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from bundle.options import ReleaseOptions, Texts
from bundle.reading.opened import BundleError
from bundle.verification.service import CHECKS, verify
from tests.support.bundles import released_files, with_new_sums, write_bundle
from tests.support.every_kind import a_collection_of_every_kind
from tests.support.release_scenes import a_judged_collection, a_judged_collection_with_runs
from tests.support.rules import rule_suspended

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
ROOT = Path(__file__).parents[2]
Files = dict[str, bytes]


@pytest.fixture(scope="module")
def files(rolled_back, tmp_path_factory) -> Files:
    with rolled_back():
        return released_files(a_collection_of_every_kind(tmp_path_factory.mktemp("every-kind")))


@pytest.fixture(scope="module")
def files_with_runs(rolled_back) -> Files:
    with rolled_back():
        return released_files(a_judged_collection_with_runs())


def outcomes(path: Path) -> dict[str, str]:
    """The text of each failed check by its name."""
    return {outcome.name: "\n".join(outcome.lines()) for outcome in verify(path) if not outcome.ok}


def failed(files: Files, folder: Path) -> dict[str, str]:
    return outcomes(write_bundle(folder / "release.zip", files))


def test_a_release_passes_every_check_as_zip_and_as_folder(files, tmp_path):
    folder = tmp_path / "unpacked"
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content)

    assert failed(files, tmp_path) == {}
    assert outcomes(folder) == {}


def test_a_release_with_runs_passes_every_check(files_with_runs, tmp_path):
    assert failed(files_with_runs, tmp_path) == {}


# Without new checksums


@pytest.mark.parametrize("name", ["README.md", "trec/qrels.all.txt", "collection/documents.jsonl"])
def test_a_changed_byte_is_found_by_the_sums(files, tmp_path, name):
    content = bytearray(files[name])
    content[len(content) // 2] ^= 1

    found = failed({**files, name: bytes(content)}, tmp_path)

    assert f"{name}: has the SHA-256" in found["sums"]


def test_a_missing_and_an_additional_file_are_found(files, tmp_path):
    changed = {**files, "notes.txt": b"hello"}
    del changed["annotations/adjudications.csv"]

    found = failed(changed, tmp_path)["files"]

    assert "annotations/adjudications.csv: is missing, but SHA256SUMS lists it" in found
    assert "notes.txt: is not listed in manifest.json" in found


# With new checksums: only what the files say can tell


def replaced(name: str, old: str, new: str) -> Callable[[Files], None]:
    def change(files: Files) -> None:
        text = files[name].decode()
        assert old in text, f"{old!r} is not in {name}"
        files[name] = text.replace(old, new, 1).encode()

    return change


def without_line(name: str, part: str) -> Callable[[Files], None]:
    def change(files: Files) -> None:
        lines = files[name].splitlines(keepends=True)
        place = next(number for number, line in enumerate(lines) if part.encode() in line)
        files[name] = b"".join(lines[:place] + lines[place + 1 :])

    return change


def of_manifest(change_manifest: Callable[[dict], None]) -> Callable[[Files], None]:
    def change(files: Files) -> None:
        manifest = json.loads(files["manifest.json"])
        change_manifest(manifest)
        files["manifest.json"] = json.dumps(manifest).encode()

    return change


def cell(name: str, query: str, docno: str, column: str, value: str) -> Callable[[Files], None]:
    """The first row of a pair in a CSV file gets another value."""

    def change(files: Files) -> None:
        rows = list(csv.DictReader(io.StringIO(files[name].decode(), newline="")))
        row = next(row for row in rows if (row["query"], row["docno"]) == (query, docno))
        assert row[column] != value
        row[column] = value
        text = io.StringIO(newline="")
        writer = csv.DictWriter(text, row.keys())
        writer.writeheader()
        writer.writerows(rows)
        files[name] = text.getvalue().encode()

    return change


RATINGS, DECISIONS = "annotations/ratings.csv", "annotations/adjudications.csv"
QRELS, OF_METHOD = "trec/qrels.all.txt", "trec/qrels.method.txt"
DOCUMENTS = "collection/documents.jsonl"
POOLS, PAPERS = "pools/pool.jsonl", "collection/query_papers.jsonl"
AGREED = ("q1_background", "d2")  # both 2
DECIDED = ("q1_method", "d2")  # 1 and 2, decided as 2
CHANGES: dict[str, tuple[Callable[[Files], None], str, str]] = {
    "a label": (
        replaced(QRELS, "q1_background 0 d2 2", "q1_background 0 d2 3"),
        "labels",
        "q1_background d2 has the label 3. Both judgments are 2, so it is 2.",
    ),
    "a decided label": (
        replaced(QRELS, "q1_method 0 d2 2", "q1_method 0 d2 1"),
        "labels",
        "q1_method d2 has the label 1. The decision is 2, so it is 2.",
    ),
    "a label that is missing": (
        without_line(QRELS, "q1_background 0 d2"),
        "labels",
        "q1_background d2 has no label. Both judgments are 2, so it is 2.",
    ),
    "a label of a pair that was set aside": (
        replaced(QRELS, "t1_result 0 d1 2\n", "t1_result 0 =1+1 3\nt1_result 0 d1 2\n"),
        "labels",
        "t1_result =1+1 has the label 3. The decision sets the pair aside, so it has none.",
    ),
    "a label without judgments": (
        replaced(QRELS, "t1_result 0 d1 2\n", "t1_result 0 d1 2\nt1_result 0 d4 0\n"),
        "labels",
        "t1_result d4 has the label 0, but not two judgments.",
    ),
    "a label that is there twice": (
        replaced(QRELS, "t1_result 0 d1 2\n", "t1_result 0 d1 2\nt1_result 0 d1 2\n"),
        "labels",
        "has a second label",
    ),
    "a grade": (cell(RATINGS, *AGREED, "grade", "1"), "labels", "q1_background d2 has the label 2"),
    "a grade off the scale": (cell(RATINGS, *AGREED, "grade", "4"), "ratings", "the grade 4"),
    "a grade that is no number": (cell(RATINGS, *AGREED, "grade", "x"), "formats", "grade must be"),
    "a judgment that is missing": (
        without_line(RATINGS, "q1_background,background,d2,1"),
        "ratings",
        "q1_background d2 must have one judgment in slot 1 and one in slot 2, got 2.",
    ),
    "one person in both slots": (
        cell(RATINGS, *AGREED, "annotator", "annotator-2"),
        "ratings",
        "both judgments of q1_background d2 are by annotator-2",
    ),
    "a digest": (
        cell(RATINGS, *AGREED, "presentation_digest", "0" * 64),
        "digests",
        "a judgment of q1_background d2 has not the digest of its texts.",
    ),
    "the text of a candidate": (
        replaced(
            "collection/documents.jsonl",
            '"docno": "d2", "title": "',
            '"docno": "d2", "title": "Not ',
        ),
        "digests",
        "a judgment of q1_background d2 has not the digest of its texts.",
    ),
    "the text of a query paper": (
        replaced(
            "collection/documents.jsonl",
            '"docno": "q1", "title": "',
            '"docno": "q1", "title": "Not ',
        ),
        "digests",
        "a judgment of q1_method d1 has not the digest of its texts.",
    ),
    "the marks of a facet": (
        replaced("collection/settings.json", '"method"\n', '"result"\n'),
        "digests",
        "a judgment of q1_method d1 has not the digest of its texts.",
    ),
    "a decision": (cell(DECISIONS, *DECIDED, "grade", "1"), "labels", "The decision is 1"),
    "a decision that is missing": (
        without_line(DECISIONS, "q1_method,method,d2"),
        "labels",
        "The judgments are 1 and 2, and no decision is released, so it has none.",
    ),
    "a grade beside a decision": (
        cell(DECISIONS, *DECIDED, "first", "0"),
        "adjudications",
        "the decision on q1_method d2 is about 0 and 2, the judgments are 1 and 2.",
    ),
    "an overruling": (cell(DECISIONS, *DECIDED, "overruled", "true"), "adjudications", "overruled"),
    "an adjudicator who judged": (
        cell(DECISIONS, *DECIDED, "adjudicator", "annotator-1"),
        "adjudications",
        "annotator-1 judged q1_method d2 and decided it.",
    ),
    "a decision without dispute": (
        cell(DECISIONS, *DECIDED, "docno", "d1"),
        "adjudications",
        "both judgments of q1_method d1 are 3, so there is nothing to decide.",
    ),
    "a label of a facet": (
        replaced(OF_METHOD, "q1_method 0 d2 2", "q1_method 0 d2 1"),
        "trec",
        "q1_method d2 has the label 1, in trec/qrels.all.txt 2.",
    ),
    "a label that a facet lacks": (
        without_line(OF_METHOD, "q1_method 0 d2"),
        "trec",
        "q1_method d2 is missing",
    ),
    "a query": (
        replaced(PAPERS, '"name": "q3_result"', '"name": "q4_result"'),
        "queries",
        "q3_result",
    ),
    "a document": (
        without_line("collection/documents.jsonl", '"docno": "d2"'),
        "documents",
        "'d2', pooled for q1, is not among the documents.",
    ),
    "a candidate": (without_line(POOLS, '"docno": "d2"'), "pools", "q1_background d2 is not in"),
    "the order of a pool": (
        replaced(POOLS, '"position": 2', '"position": 1'),
        "pools",
        "are not 1, 2, …",
    ),
    "a guideline": (
        replaced("collection/guidelines.json", '"instructions": "Second."', '"instructions": "2"'),
        "guidelines",
        "Version 2 of 'result' does not have the digest",
    ),
    "a count of the manifest": (
        of_manifest(lambda manifest: manifest["counts"].update(labels=99)),
        "counts",
        '"labels" of "counts" is 99, in the files 13.',
    ),
    "a count of a facet": (
        of_manifest(lambda manifest: manifest["counts"]["facets"]["method"].update(agreed=9)),
        "counts",
        "\"agreed\" of 'method' is 9",
    ),
    "a facet without counts": (
        of_manifest(lambda manifest: manifest["counts"]["facets"].pop("result")),
        "counts",
        "\"queries\" of 'result' is None, in the files 2.",
    ),
    "counts of an unknown facet": (
        of_manifest(lambda manifest: manifest["counts"]["facets"].update(other={})),
        "counts",
        "'other' is not a facet of collection/settings.json.",
    ),
}


@pytest.mark.parametrize("what", CHANGES)
def test_a_change_with_new_checksums_is_found_by_its_own_check(files, tmp_path, what):
    change, check, words = CHANGES[what]
    changed = dict(files)
    change(changed)

    found = failed(with_new_sums(changed), tmp_path)

    assert words in found[check]
    assert not found.keys() & {"files", "sums"}


def test_a_pool_that_differs_from_its_build_is_found(files_with_runs, tmp_path):
    changed = dict(files_with_runs)
    replaced(POOLS, '"rank": 1', '"rank": 2')(changed)

    assert "does not have the digest" in failed(with_new_sums(changed), tmp_path)["pools"]


def test_a_run_with_another_document_is_found(files_with_runs, tmp_path):
    changed = dict(files_with_runs)
    replaced("runs/up.txt", "d05", "d99")(changed)
    replaced("trec/runs/up.txt", "q1_method", "q9_method")(changed)

    found = failed(with_new_sums(changed), tmp_path)["runs"]

    assert "runs/up.txt: does not have the SHA-256 of the run up." in found
    assert "trec/runs/up.txt:1: the query 'q9_method' is not in the release." in found


def test_folds_of_unknown_queries_are_found(files, tmp_path):
    sets = {"fold1_dev": ["t1_result"], "fold1_test": ["nobody"]}
    splits = {"all": {**sets, "fold2_dev": ["nobody"], "fold2_test": ["t1_result"]}}

    found = failed(with_new_sums({**files, "splits.json": json.dumps(splits).encode()}), tmp_path)

    assert "splits.json: the query 'nobody' is not in" in found["folds"]


def test_each_check_shows_the_first_of_many_failures(files, tmp_path):
    changed = {**files, "trec/qrels.all.txt": b""}

    found = failed(with_new_sums(changed), tmp_path)["labels"]

    assert "FAILED  labels: 13 failures" in found
    assert len(CHECKS) == len({check.name for check in CHECKS})


def test_changed_texts_that_the_publisher_accepted_are_no_failure(tmp_path):
    collection = a_judged_collection()
    with rule_suspended("document_text_in_frozen_pool", "corpus_document"):
        collection.documents.filter(docno="d2").update(title="Another")
    files = released_files(collection)
    assert failed(files, tmp_path) == {}
    changed = dict(files)
    of_manifest(lambda manifest: manifest["accepted"].clear())(changed)

    found = failed(with_new_sums(changed), tmp_path)["digests"]

    assert "FAILED  digests: 2 failures" in found


def test_a_release_without_texts_has_no_digests_to_check(tmp_path):
    files = released_files(a_judged_collection(), ReleaseOptions(Texts.NONE))
    path = write_bundle(tmp_path / "release.zip", files)

    (digests,) = [outcome for outcome in verify(path) if outcome.name == "digests"]

    assert digests.skipped == "the release has no texts"


# The command


def run(*arguments: str, **variables: str) -> subprocess.CompletedProcess[str]:
    environment = {"PATH": os.environ["PATH"], "DATA_DIR": os.environ["DATA_DIR"], **variables}
    return subprocess.run(
        [sys.executable, *arguments], cwd=ROOT, env=environment, capture_output=True, text=True
    )


def test_the_command_needs_no_database(files, tmp_path):
    path = write_bundle(tmp_path / "release.zip", files)

    found = run(
        "manage.py", "verify_release", str(path), DATABASE_URL="postgres://nobody@127.0.0.1:1/none"
    )

    assert (found.returncode, found.stderr) == (0, "")
    assert "ok      labels: 13 labels" in found.stdout


def test_the_module_needs_no_django_and_no_other_package(files, tmp_path):
    path = write_bundle(tmp_path / "release.zip", files)
    code = (
        "import pathlib, sys; "
        "sys.modules |= dict.fromkeys(('django', 'krippendorff', 'numpy', 'pandas', 'pyarrow')); "
        "from bundle.verification.__main__ import main; sys.exit(main(pathlib.Path(sys.argv[1])))"
    )

    found = run("-c", code, str(path))

    assert (found.returncode, found.stderr) == (0, "")


def test_the_command_fails_with_what_is_wrong(files, tmp_path, capsys):
    path = write_bundle(tmp_path / "release.zip", {**files, "README.md": b"# Other"})

    with pytest.raises(CommandError, match="1 check failed: sums"):
        call_command("verify_release", path)
    assert "README.md: has the SHA-256" in capsys.readouterr().out


def test_another_file_or_format_is_named(files, tmp_path):
    (tmp_path / "text.zip").write_text("no zip")
    with pytest.raises(BundleError, match=r"text.zip: is not a zip. Give the zip of a release"):
        outcomes(tmp_path / "text.zip")
    with pytest.raises(BundleError, match="does not exist"):
        outcomes(tmp_path / "nothing.zip")
    old = dict(files)
    of_manifest(lambda manifest: manifest.update(format_version=2))(old)
    with pytest.raises(BundleError, match=r"has format 2, and this software reads format 1\. Use"):
        failed(old, tmp_path)
    with pytest.raises(BundleError, match="This is not a release"):
        failed({"a.txt": b""}, tmp_path)

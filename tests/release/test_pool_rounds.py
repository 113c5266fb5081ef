"""A release after pool rounds: what was added and why, verified, and imported again."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import NamedTuple

import pytest
from django.core.management import call_command

from accounts.models import Collection
from bundle.options import LabelSource, ReleaseOptions, Texts
from bundle.verification.service import verify
from corpus.documents.export import document_lines
from pooling.models import Candidate, Pool, PoolRound, RoundList
from release.files import path_of
from release.importing.service import import_release
from release.services import publish_release
from tests.release.test_samples import a_sampled_collection, judged
from tests.support.bundles import AS_IT_IS, released_files, with_new_sums, write_bundle
from tests.support.releases import EVERY_EXCEPTION
from tests.support.rounds import a_round, late
from tests.support.top_ups import (
    FIRST,
    QUERY,
    SECOND,
    a_first_version,
    judge_added,
    open_added,
    top_up,
)
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.by_day(2)]
OF_CITATIONS = ReleaseOptions(labels=LabelSource.CITATIONS)
REASON = "The run late came after the first judging."


class Versions(NamedTuple):
    """A collection with rounds 2 and 3, and the files of a release before and after each round."""

    collection: Collection
    first: dict[str, bytes]
    second: dict[str, bytes]
    third: dict[str, bytes]


@once_a_file
def versions() -> Versions:
    collection = a_first_version()
    first = released_files(collection)
    top_up(collection, reason=REASON)
    judge_added(collection, SECOND)
    second = released_files(collection)
    top_up(collection, "later", ["d08", "d06"], reason="Another one.")
    judge_added(collection, {"d08": 1})
    return Versions(collection, first, second, released_files(collection))


@pytest.fixture
def topped_up(versions):
    """The files of a release with the rounds 2 and 3."""
    return versions.third


def manifest_in(files) -> dict:
    return json.loads(files["manifest.json"])


def pool_lines(files) -> list[dict]:
    return list(map(json.loads, files["pools/pool.jsonl"].splitlines()))


def ratings(files) -> list[dict]:
    return list(csv.DictReader(io.StringIO(files["annotations/ratings.csv"].decode())))


# The files


def test_a_collection_without_a_second_round_names_no_round_in_its_files(versions):
    files = versions.first

    assert all("round" not in line for line in pool_lines(files))
    assert "pool_round" not in ratings(files)[0]
    assert not {"pool_rounds", "rounds"} & {*manifest_in(files), *manifest_in(files)["counts"]}
    assert not [name for name in files if name.startswith("pools/round-")]
    assert b"ool round" not in files["README.md"] + files["CHANGELOG.md"] + files["datasheet.md"]


def test_every_candidate_and_rating_has_its_round(versions):
    files = versions.second

    rounds = {line["docno"]: line["round"] for line in pool_lines(files)}
    assert rounds == {**dict.fromkeys(FIRST, 1), **dict.fromkeys(SECOND, 2)}
    assert {row["docno"]: int(row["pool_round"]) for row in ratings(files)} == rounds
    assert list(ratings(files)[0])[-1] == "pool_round"


def test_the_manifest_has_the_rounds_with_their_files_and_counts_and_no_person(versions):
    files = versions.second

    (entry,) = manifest_in(files)["pool_rounds"]
    assert entry["manifest"] == versions.collection.pool_rounds.get(number=2).manifest
    assert entry["files"] == {"late": "pools/round-2/late.txt"}
    assert (entry["documents"], entry["query_papers"]) == (2, 1)
    lines = files["pools/round-2/late.txt"].decode().splitlines()
    assert [line.split()[2] for line in lines] == ["d06", "d01", "d07", "d02"]
    assert manifest_in(files)["counts"]["rounds"] == {
        "1": {"labels": 8, "labels_by_grade": {"0": 4, "1": 1, "2": 2, "3": 1}},
        "2": {"labels": 2, "labels_by_grade": {"0": 0, "1": 0, "2": 1, "3": 1}},
    }
    assert "made_by" not in json.dumps(entry)


def test_readme_datasheet_and_croissant_say_what_was_added_and_why(versions):
    files = versions.second
    added = (
        "Round 2 added 2 documents to the pools of 1 query paper: all documents to rank 20 that "
        f"were in no pool, from the lists of late. Reason: {REASON}"
    )

    readme = files["README.md"].decode()
    assert "## Pool rounds" in readme
    assert (
        "| 2 | all documents to rank 20 that were in no pool | `late` | 2 | 1 | 2 | 2 |" in readme
    )
    assert f"- Round 2, reason: {REASON}" in readme
    assert added in files["datasheet.md"].decode().replace("\\", "")
    assert json.loads(files["croissant.json"])["rai:dataCollection"] == added
    assert "pools/round-<number>/<name>.txt" in readme


# CHANGELOG.md


def published(collection: Collection, version: str) -> dict[str, bytes]:
    """The files of a published version."""
    publish_release(collection=collection, version=version, accept=EVERY_EXCEPTION)
    with zipfile.ZipFile(path_of(collection.slug, version)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_changelog_says_what_was_added_since_the_version_before_and_which_systems_moved():
    collection = a_first_version()
    publish_release(collection=collection, version="1.0", accept=EVERY_EXCEPTION)
    top_up(collection, reason=REASON)
    judge_added(collection, SECOND)
    round_2_is_told(published(collection, "1.1"))

    unchanged = published(collection, "1.2")["CHANGELOG.md"].decode()
    assert "## Pool rounds" not in unchanged
    assert "## Rankings" not in unchanged

    top_up(collection, "later", ["d08"], reason="Another one.")
    judge_added(collection, {"d08": 1})
    changelog = published(collection, "1.3")["CHANGELOG.md"].decode()
    assert "- Round 3 added 1 document" in changelog
    assert "Round 2 added" not in changelog
    assert "the labels of the pairs of rounds 1–2, after" in changelog


def round_2_is_told(files: dict[str, bytes]) -> None:
    changelog = files["CHANGELOG.md"].decode()
    assert "- Round 2 added 2 documents to the pools of 1 query paper: all documents" in changelog
    assert (
        "Labels of these documents: 2 (0 with grade 0, 0 with grade 1, 1 with grade 2" in changelog
    )
    assert "## Rankings of systems before and after" in changelog
    # Restricted to the judged pool, `late` ranks d01 d02 before, and d06 d01 d07 d02 after.
    assert (
        "Before means the labels of the pairs of round 1, after the labels of all pairs."
        in changelog
    )
    assert "The ranking before against that after: Kendall’s τ-b" in changelog
    assert "Labels: 8 before, 10 after." in changelog
    assert "cannot be said (Tukey’s HSD over all pairs of systems, at 5 %)" in changelog
    assert "Judged@10, the mean over the systems, went from" in changelog
    # Two relevant documents are new, and `late` has both.
    assert "| `late` | " in changelog
    assert changelog.count(" | 50.00 → 100.00 | 50.00 → 100.00 |") == 1
    report = json.loads(files["reports/round_effects.json"])
    assert [row["source"] for row in report[0]["rankings"]] == ["rounds-1", "rounds-2"]
    assert [row["labels"] for row in report[0]["rankings"]] == [8, 10]
    late = [row["judged"]["Judged@10"]["late"] for row in report[0]["rankings"]]
    assert late == [0.5, 1.0]


def test_without_the_report_the_changelog_says_that_nothing_can_be_said():
    collection = a_first_version()
    publish_release(collection=collection, version="1.0", accept=EVERY_EXCEPTION)
    top_up(collection)
    judge_added(collection, SECOND)

    changelog = released_files(collection)["CHANGELOG.md"].decode()

    assert "No ranking of systems before and after these rounds was computed" in changelog


# Verification


def failed(tmp_path, files) -> dict[str, str]:
    outcomes = verify(write_bundle(tmp_path / "changed.zip", with_new_sums(files)))
    return {each.name: str(each.failures) for each in outcomes if not each.ok}


def with_lines(files, change) -> dict[str, bytes]:
    """The files with changed lines of the pools."""
    lines = pool_lines(files)
    change(lines)
    content = "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines)
    return {**files, "pools/pool.jsonl": content.encode()}


def with_manifest(files, change) -> dict[str, bytes]:
    manifest = manifest_in(files)
    change(manifest)
    return {**files, "manifest.json": json.dumps(manifest).encode()}


@pytest.mark.parametrize("options", [AS_IT_IS, OF_CITATIONS])
def test_a_release_with_rounds_passes_every_check(tmp_path, versions, options):
    files = released_files(versions.collection, options)

    path = write_bundle(tmp_path / "release.zip", files)

    outcomes = {each.name: each for each in verify(path)}
    assert [name for name, each in outcomes.items() if not each.ok] == []
    assert outcomes["rounds"].compared == "3 pool rounds"


def moved_to(number: int, docno: str):
    def change(lines):
        for line in lines:
            if line["docno"] == docno:
                line["round"] = number

    return change


@pytest.mark.parametrize(
    ("docno", "number", "message"),
    [
        ("d06", 1, "round 2 added 1 documents to the pool of q1, by its manifest 2."),
        ("d06", 3, "the rounds of the pool of q1 are not in order."),
        ("d10", 2, "the pool of q1 before round 2 has 7 documents, which are not the 8"),
        ("d08", 4, "d08 of q1 is of round 4, which manifest.json lacks."),
    ],
)
def test_a_candidate_of_another_round_is_found(tmp_path, topped_up, docno, number, message):
    found = failed(tmp_path, with_lines(topped_up, moved_to(number, docno)))

    assert message in found["rounds"]
    assert f"{QUERY} {docno} is of round" in found["rounds"]


def test_a_round_without_a_manifest_is_found(tmp_path, versions):
    found = failed(tmp_path, with_lines(versions.first, lambda lines: lines[-1].update(round=2)))

    assert "d10 of q1 is of round 2, which manifest.json lacks." in found["rounds"]


def test_a_pool_whose_first_round_is_not_that_of_its_build_is_found(tmp_path, topped_up):
    def change(lines):
        lines[0]["sources"][0]["score"] = 9.0

    found = failed(tmp_path, with_lines(topped_up, change))

    assert "does not have the digest" in found["pools"]
    assert "rounds" not in found


def test_another_source_of_an_added_document_is_found(tmp_path, topped_up):
    def change(lines):
        added = next(line for line in lines if line["round"] == 2)
        added["sources"][0]["rank"] = 9

    found = failed(tmp_path, with_lines(topped_up, change))

    assert "what round 2 added to the pool of q1 does not have the digest" in found["rounds"]
    assert "pools" not in found


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda rounds: rounds[0]["manifest"].update(reason="Nothing."),
            "the manifest of round 2 has the digest",
        ),
        (
            lambda rounds: rounds[1]["manifest"]["previous"].update(round="0" * 64),
            f"round 3 follows a round with the manifest {'0' * 64}, but the round before it",
        ),
        (
            lambda rounds: rounds[0]["manifest"]["previous"].update(builds=["0" * 64]),
            f"round 2 follows a build with the manifest {'0' * 64}, which is missing.",
        ),
        (
            lambda rounds: rounds[0]["manifest"]["previous"].update(builds=[]),
            "round 2 adds to the pool of q1, whose build it does not name.",
        ),
        (lambda rounds: rounds.pop(0), "the pool rounds have the numbers 3, not 2, 3, …."),
        (
            lambda rounds: rounds[0].update(documents=7),
            '"documents" and "query_papers" of round 2 are 7 and 1, in pools/pool.jsonl 2 and 1.',
        ),
    ],
)
def test_a_break_in_the_chain_of_manifests_is_found(tmp_path, topped_up, change, message):
    found = failed(tmp_path, with_manifest(topped_up, lambda each: change(each["pool_rounds"])))

    assert message in found["rounds"]


def test_a_rating_of_another_round_is_found(tmp_path, topped_up):
    rows = ratings(topped_up)
    rows[-1]["pool_round"] = "3"
    text = io.StringIO()
    writer = csv.DictWriter(text, rows[0].keys())
    writer.writeheader()
    writer.writerows(rows)

    found = failed(tmp_path, {**topped_up, "annotations/ratings.csv": text.getvalue().encode()})

    assert f"{QUERY} d12 is of round 1, in pools/pool.jsonl of round" in found["rounds"] or (
        "is of round 3, in pools/pool.jsonl of round 1." in found["rounds"]
    )


def test_other_lists_of_a_round_and_other_counts_are_found(tmp_path, topped_up):
    lists = topped_up["pools/round-2/late.txt"].replace(b" d06 ", b" d09 ")
    counts = with_manifest(topped_up, lambda each: each["counts"]["rounds"]["2"].update(labels=3))

    assert "does not have the SHA-256 of late in round 2" in str(
        failed(tmp_path, {**topped_up, "pools/round-2/late.txt": lists})["runs"]
    )
    assert '"rounds" of "counts"' in failed(tmp_path, counts)["counts"]


# Import


def imported(files, tmp_path, slug: str = "") -> Collection:
    import_release(path=write_bundle(tmp_path / "release.zip", files), slug=slug)
    return Collection.objects.get(slug=slug or "small")


def rows_of(collection: Collection) -> dict[str, list]:
    own = {"pool__query_paper__collection": collection}
    return {
        "pools": list(
            Pool.objects.filter(query_paper__collection=collection).values_list(
                "query_paper__name", "size", "to_judge", "drawn", "forced", "depth", "shortfall"
            )
        ),
        "candidates": list(
            Candidate.objects.filter(**own)
            .order_by("position")
            .values_list("document__docno", "position", "round", "inclusion", "excluded")
        ),
        "sources": sorted(
            Candidate.objects.filter(**own).values_list(
                "document__docno",
                *(f"contributions__{name}" for name in ("source", "rank", "score", "drawn")),
            )
        ),
        "rounds": list(
            PoolRound.objects.filter(collection=collection).values_list(
                "number", "reason", "choice", "depth", "seed", "parameters", "manifest"
            )
        ),
        "lists": list(
            RoundList.objects.filter(pool_round__collection=collection).values_list(
                "pool_round__number", "run", "query_paper", "topic", "docnos", "scores"
            )
        ),
    }


@pytest.mark.may_differ  # triggers let candidates into frozen pools
def test_rounds_come_back_in_their_order_and_frozen(tmp_path, versions):
    before = rows_of(versions.collection)

    copy = imported(versions.third, tmp_path, "copy")

    assert rows_of(copy) == before
    rounds = copy.pool_rounds.order_by("number")
    assert [pool_round.frozen_at is not None for pool_round in rounds] == [True, True]
    assert [pool_round.made_by for pool_round in rounds] == [None, None]


@pytest.mark.parametrize("options", [AS_IT_IS, OF_CITATIONS])
def test_the_import_is_released_with_the_same_bytes(tmp_path, versions, options):
    files = released_files(versions.collection, options)
    Collection.objects.filter(pk=versions.collection.pk).update(slug="elsewhere")

    again = released_files(imported(files, tmp_path), options)

    differing = {name for name in files | again if files.get(name) != again.get(name)}
    # The late run was in no build, so it is only in the manifest's list of runs.
    assert differing == {"manifest.json", "SHA256SUMS"}
    first, second = (manifest_in(some) for some in (files, again))
    assert {key for key in first if first[key] != second[key]} == {"runs"}


def test_a_first_version_is_imported_and_topped_up_elsewhere(tmp_path):
    # The late run lists documents that no pool has, so the whole corpus is released.
    files = released_files(a_first_version(), ReleaseOptions(texts=Texts.CORPUS))
    here = Collection.objects.get()
    top_up(here)
    judge_added(here, SECOND)
    expected = released_files(here)

    copy = imported(files, tmp_path, "copy")
    top_up(copy)
    judge_added(copy, SECOND)
    found = released_files(copy)

    for name in ("trec/qrels.all.txt", "pools/pool.jsonl", "pools/round-2/late.txt"):
        assert found[name] == expected[name], name
    ours, theirs = (manifest_in(some)["pool_rounds"][0]["manifest"] for some in (expected, found))
    assert {key for key in ours if ours[key] != theirs[key]} == {"collection", "sha256"}
    path = write_bundle(tmp_path / "again.zip", found)
    assert [each.name for each in verify(path) if not each.ok] == []


# The pools rebuilt


def test_the_script_of_the_docs_and_the_command_rebuild_a_release_with_rounds(tmp_path, versions):
    path = write_bundle(tmp_path / "release.zip", versions.third)
    documents = tmp_path / "documents.jsonl"
    documents.write_text("\n".join(document_lines(versions.collection)))
    script = Path(__file__).resolve().parents[2] / "docs" / "rebuild_pools.py"

    found = subprocess.run(
        [sys.executable, script, path, documents], capture_output=True, text=True, check=False
    )
    out = io.StringIO()
    call_command("rebuild_pools", "small", path, stdout=out)

    assert (found.stdout + found.stderr).splitlines() == [
        "Equal: 1 pools with 8 documents",
        "Equal: 1 pools with 2 documents",
        "Equal: 1 pools with 1 documents",
    ]
    assert "round 2 adds 2 documents to 1 pools" in out.getvalue()
    assert "round 3 adds 1 documents to 1 pools" in out.getvalue()


def test_the_script_names_a_released_document_of_another_round(tmp_path, versions):
    changed = with_lines(versions.third, moved_to(3, "d07"))
    path = write_bundle(tmp_path / "release.zip", changed)
    documents = tmp_path / "documents.jsonl"
    documents.write_text("\n".join(document_lines(versions.collection)))
    script = Path(__file__).resolve().parents[2] / "docs" / "rebuild_pools.py"

    found = subprocess.run(
        [sys.executable, script, path, documents], capture_output=True, text=True, check=False
    )

    assert found.returncode == 1
    assert "Different. documents and probabilities released for q1" in found.stderr


def test_a_run_without_a_document_in_a_round_comes_back(tmp_path):
    collection = a_first_version()
    row = top_up(collection)
    copy = imported(released_files(collection), tmp_path, "copy")

    # A list can be empty; the file has no line of it, and the manifest its run and topic.
    assert [*copy.pool_rounds.get().lists.values_list("run", "topic")] == [("late", "q1")]
    assert row.manifest == copy.pool_rounds.get().manifest


# Sampled pools


def test_the_documents_of_a_rounds_lists_are_certain_in_the_estimates_of_a_sample(tmp_path):
    collection = judged(a_sampled_collection())
    before = released_files(collection)
    pooled = {line["docno"] for line in pool_lines(before)}
    new = [f"d{n:02}" for n in range(2, 39) if f"d{n:02}" not in pooled][:3]
    drawn = sorted(pooled - {"d40", "d39"})[:2]
    late(collection, "late", [*new, *drawn])
    a_round(collection, "late")
    open_added(collection)
    judge_added(collection, dict.fromkeys(new, 0))

    files = released_files(collection)

    chances = {
        line.split()[1]: float(line.split()[4])
        for line in files["trec/prels.all.txt"].decode().splitlines()
    }
    assert {docno: chances[docno] for docno in [*new, *drawn]} == dict.fromkeys([*new, *drawn], 1.0)
    assert min(chances.values()) < 1
    strata = {
        line.split()[2]: line.split()[3]
        for line in files["trec/sampleval.all.txt"].decode().splitlines()
    }
    assert {strata[docno] for docno in [*new, *drawn]} == {"0"}
    # Each drawn document stands for as many as its stratum has, which are the whole deep pool.
    assert sum(1 / chance for chance in chances.values()) == pytest.approx(len(strata))
    path = write_bundle(tmp_path / "release.zip", files)
    assert [each.name for each in verify(path) if not each.ok] == []
    assert "In the files for estimates" in files["README.md"].decode()


def test_the_command_says_how_many_rounds_came_back(tmp_path, versions):
    path = write_bundle(tmp_path / "x.zip", versions.second)
    out = io.StringIO()

    call_command("import_release", "copy", path, stdout=out)

    assert "1 pool round after the first, with their lists." in out.getvalue()

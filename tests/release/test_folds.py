"""Folds in a release: any number of them, and where they are from in every file."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import NamedTuple

import pytest
from django.db import transaction

from accounts.models import Collection
from adjudication.models import JudgmentImport
from bundle.options import LabelSource, ReleaseOptions
from bundle.readme.front_matter import configs
from bundle.verification.service import verify
from release.errors import GateClosed
from release.importing.context import ReleaseRefused
from release.importing.service import import_release
from release.services import publish_release
from release.snapshot import take_snapshot
from scoring.folds import Folds
from scoring.models import FoldPlan
from scoring.services import make_folds, save_folds
from tests.support.bundles import released_files, with_new_sums, write_bundle
from tests.support.citation_scenes import an_mdcr_collection
from tests.support.gate_oracle import asked, read
from tests.support.release_scenes import a_judged_collection
from tests.support.visits import client_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]
NUMBERS = {"q1_background": 1, "q1_method": 2, "q2_method": 0}
SETTINGS, PAPERS = "collection/settings.json", "collection/query_papers.jsonl"
MADE, IMPORTED = "csfcube/made_splits.json", "csfcube/evaluation_splits.json"
Files = dict[str, bytes]


class Made(NamedTuple):
    collection: Collection  # without a decision on folds
    files: dict[int | None, Files]  # of its releases with folds


@once_a_file
def made() -> Made:
    collection = a_judged_collection()
    before = transaction.savepoint()
    files = {
        number: released_files(with_folds(collection, number)) for number in (0, 1, 2, 3, None)
    }
    transaction.savepoint_rollback(before)
    return Made(Collection.objects.get(), files)


@pytest.fixture
def collection(made) -> Collection:
    return made.collection


def with_folds(collection: Collection, number: int | None) -> Collection:
    """Made from the seed; None stands for those of a file."""
    if number is None:
        save_folds(collection=collection, folds=Folds(NUMBERS, imported_from="official.json"))
    else:
        make_folds(collection=collection, number=number)
    return collection


def sets_of(number: int) -> set[str]:
    return {f"fold{fold}_{part}" for fold in range(1, number + 1) for part in ("dev", "test")}


@pytest.mark.parametrize("number", [0, 1, 2, 3])
def test_every_layout_has_any_number_of_folds(made, number):
    files = made.files[number]

    splits = json.loads(files["splits.json"])["all"] if number else {}
    assert splits.keys() == sets_of(number)
    assert ("splits.json" in files, MADE in files) == (number > 0, number > 0)
    beir = {
        name.removeprefix("beir/qrels/").removesuffix(".tsv")
        for name in files
        if name.startswith("beir/qrels/fold")
    }
    filled = {name for name, queries in splits.items() if queries}
    assert beir == filled
    default = next(configs(take_snapshot(made.collection).collection, files))
    assert default.splits.keys() == {"test", *filled}
    assert ("## Splits" in files["README.md"].decode()) == (number > 0)
    assert json.loads(files["manifest.json"])["folds"]["number"] == number
    assert b"evaluation_splits" not in files["README.md"]


ORIGINS = [(3, "made from the seed"), (None, "imported from official.json")]


@pytest.mark.parametrize(("number", "origin"), ORIGINS)
def test_every_text_says_where_the_folds_are_from(made, number, origin):
    files = made.files[number]

    own, other = (MADE, IMPORTED) if number else (IMPORTED, MADE)
    assert own in files
    assert other not in files
    readme = files["README.md"].decode().replace("`", "")
    rows = [line for line in readme.splitlines() if line.startswith("| ")]
    for part in ("splits.json", "beir/qrels/fold", "beir/qrels/<facet>_fold", "hf/qrels/", own):
        about = [row for row in rows if row.startswith(f"| {part}")]
        assert about
        assert all(origin in row for row in about), about
    assert origin in readme.split("## Splits")[1].split("##")[0]
    assert f", {origin}." in files["datasheet.md"].decode()
    files_of_croissant = json.loads(files["croissant.json"])["distribution"]
    described = {file["contentUrl"]: file.get("description", "") for file in files_of_croissant}
    named = [name for name in described if "splits" in name or "fold" in name]
    assert {"splits.json", own, "beir/qrels/fold1_test.tsv"} <= set(named)
    assert [name for name in named if origin not in described[name]] == []


@pytest.mark.parametrize(
    ("number", "words"),
    [(0, "none"), (3, "3, made from the seed"), (None, "2, imported from official.json")],
)
def test_the_pages_of_a_version_say_where_its_folds_are_from(collection, number, words):
    release = publish_release(collection=with_folds(collection, number), version="1.0")
    client = client_of("admin")
    client.post(f"/c/small/releases/{release.version}/public/", {"confirmed": "yes"})

    for address in ("/c/small/releases/1.0/", "/releases/small/1.0/"):
        page = " ".join(client.get(address).text.split())
        assert f"<dt>Folds</dt> <dd> {words} </dd>" in page, address


@pytest.mark.parametrize("number", [0, 2, 3, None])
def test_an_import_has_the_folds_and_where_they_are_from(made, tmp_path, number):
    files = made.files[number]
    with_folds(made.collection, number)
    Collection.objects.update(slug="elsewhere")

    import_release(path=write_bundle(tmp_path / "release.zip", files), verified=True)

    again = Collection.objects.get(slug="small")
    plans = FoldPlan.objects.order_by("pk").values_list("made", "imported_from")
    assert len(set(plans)) == 1
    assert again.fold_plan
    changed = {name for name, content in released_files(again).items() if files[name] != content}
    assert changed == set()


def test_without_a_decision_two_folds_are_made_there_as_here(collection, tmp_path):
    path = write_bundle(tmp_path / "release.zip", released_files(collection))

    import_release(path=path, slug="copy", verified=True)

    assert not FoldPlan.objects.exists()


def of_settings(files: Files, **folds: object) -> Files:
    settings = json.loads(files[SETTINGS])
    settings.pop("folds", None)
    more = {"folds": folds} if folds else {}
    return with_new_sums({**files, SETTINGS: json.dumps(settings | more).encode()})


def test_imported_folds_of_a_release_that_does_not_name_their_file(made, tmp_path):
    files = made.files[None]
    manifest = json.loads(files["manifest.json"])
    del manifest["folds"]  # which those releases do not have either
    files = of_settings({**files, "manifest.json": json.dumps(manifest).encode()})

    import_release(path=write_bundle(tmp_path / "release.zip", files), slug="copy")

    assert Collection.objects.get(slug="copy").fold_plan.imported_from == "splits.json"


@pytest.mark.parametrize(
    ("number", "folds", "words"),
    [
        (None, {"made": 2}, '"folds" says that they are made, and .* has imported ones'),
        (2, {"imported_from": "a.json"}, "imported from a.json, and .* has none"),
        (2, {"imported_from": "a.json", "made": 2}, "not both"),
        (2, {"made": 21}, "whole number from 0 to 20"),
    ],
)
def test_contradicting_folds_are_refused(made, tmp_path, number, folds, words):
    files = of_settings(made.files[number], **folds)

    with pytest.raises(ReleaseRefused, match=words):
        import_release(
            path=write_bundle(tmp_path / "release.zip", files), slug="copy", verified=True
        )


# Verification


def rename(old: str, new: str) -> Callable[[Files], None]:
    def change(files: Files) -> None:
        files[new] = files.pop(old)

    return change


def edit(name: str, change_value: Callable[[dict], object]) -> Callable[[Files], None]:
    def change(files: Files) -> None:
        value = json.loads(files[name])
        change_value(value)
        files[name] = json.dumps(value).encode()

    return change


def swap(splits: dict) -> None:
    for sets in splits.values():
        for part in ("dev", "test"):
            first, second = f"fold1_{part}", f"fold2_{part}"
            sets[first], sets[second] = sets[second], sets[first]


WRONG: dict[str, tuple[int | None, Callable[[Files], None], str]] = {
    "made folds under the official name": (
        2,
        rename(MADE, IMPORTED),
        f"{IMPORTED}: the folds are made, so they have another name.",
    ),
    "imported folds under the name of made ones": (
        None,
        rename(IMPORTED, MADE),
        f"{MADE}: the folds are imported, so they have another name.",
    ),
    "folds that differ between two files": (
        2,
        edit(MADE, swap),
        "q1_method is in another fold than in splits.json.",
    ),
    "folds that are not those of the queries": (
        None,
        edit("splits.json", swap),
        f"splits.json: q1_method is in another fold than in {PAPERS}.",
    ),
    "folds that overlap": (
        2,
        edit("splits.json", lambda splits: splits["all"]["fold1_test"].append("q1_method")),
        "splits.json: ",
    ),
    "an unknown query": (
        2,
        edit("splits.json", lambda splits: splits.update(x={"fold1_dev": [], "fold1_test": ["x"]})),
        f"splits.json: the query 'x' is not in {PAPERS}.",
    ),
    "another number": (
        2,
        edit("manifest.json", lambda manifest: manifest["folds"].update(number=3)),
        'manifest.json: "number" of "folds" is 3, in splits.json 2.',
    ),
    "no folds": (2, lambda files: [files.pop("splits.json")], "is 2, in splits.json 0."),
    "another source": (
        None,
        edit("manifest.json", lambda manifest: manifest["folds"].update(imported_from="b")),
        'manifest.json: "imported_from" of "folds" differs from collection/settings.json.',
    ),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_folds_are_found(made, tmp_path, what):
    number, change, words = WRONG[what]
    files = made.files[number]
    change(files)

    path = write_bundle(tmp_path / "release.zip", with_new_sums(files))
    found = {outcome.name: outcome for outcome in verify(path)}

    assert any(words in str(failure) for failure in found["folds"].failures), found["folds"]


def test_a_release_that_states_no_folds_is_not_wrong(made, tmp_path):
    files = made.files[2]
    edit("manifest.json", lambda manifest: manifest.pop("folds"))(files)

    path = write_bundle(tmp_path / "release.zip", with_new_sums(files))

    assert [outcome.name for outcome in verify(path) if not outcome.ok] == []


# The gate


def of_made_folds(collection: Collection, labels: LabelSource = LabelSource.JUDGED) -> bool:
    """Whether the check is in order, as the gate and the oracle say."""
    options = ReleaseOptions(labels=labels)
    found = asked(collection, options)
    assert found == read(collection, options)
    return found["made-folds"] == (0, ())


def test_made_folds_of_imported_judgments_need_an_exception(collection):
    assert of_made_folds(collection)
    JudgmentImport.objects.create(
        collection=collection, files={"a.csv": "0" * 64}, judgments=18, decisions=4
    )
    assert not of_made_folds(collection)
    for number, ok in ((0, True), (1, False), (3, False), (None, True)):
        assert of_made_folds(with_folds(collection, number)) is ok
    make_folds(collection=collection, number=2)

    with pytest.raises(GateClosed, match="import_folds"):
        publish_release(collection=collection, version="1.0", accept={"datasheet": "Only tried."})
    reasons = {"made-folds": "None were published.", "datasheet": "Only tried."}
    release = publish_release(collection=collection, version="1.0", accept=reasons)

    entry = next(each for each in release.manifest["accepted"] if each["check"] == "made-folds")
    assert entry["reason"] == "None were published."


def test_folds_of_imported_citations_are_checked_too():
    collection = an_mdcr_collection()
    assert of_made_folds(collection, LabelSource.CITATIONS)
    JudgmentImport.objects.create(collection=collection, files={}, judgments=0, decisions=0)

    assert not of_made_folds(collection, LabelSource.CITATIONS)

"""Every field of a manifest is compared: whichever is changed, a rebuilding names it."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Iterator
from typing import Any

import pytest

from corpus.services import create_query
from jobs.context import DirectRun
from pooling.models import Pool
from pooling.services import PoolingError, freeze_pool
from pooling.services import manifest_file as file_of
from pooling.services.manifest import digest_of
from rebuilding.services import Mismatch, rebuild_pools
from retrieval.services import remove_run
from tests.support.factories import DocumentFactory
from tests.support.pooling_scenes import DOCNOS, a_listed_collection, a_listed_run, built
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

# What a pool follows from. What is named is the pool that differs, together with all of these.
PLAN = ("strategy", "parameters", "forced", "excluded", "only", "seed")


@once_a_file
def collection():
    """Three pools and runs of every use: made here, imported, forced, left out; one not ranked
    for every query paper, one ranked for another."""
    collection = a_listed_collection()
    for number, document in enumerate(collection.documents.order_by("docno")):
        document.title = f"parsing of {'trees' if number % 2 else 'graphs'} {number}"
        document.year = 2000 + number % 4
        document.digest = document.text_digest()
        document.save()
    for docno in ("q2", "q3", "q4"):
        DocumentFactory(collection=collection, docno=docno, title="parsing graphs", year=2002)
        create_query(collection=collection, docno=docno, facet_key="method")
    for name, lists in {
        "up": {"q1": DOCNOS, "q2": DOCNOS[2:], "q4": DOCNOS},
        "down": {"q1": DOCNOS[::-1], "q2": DOCNOS[::-1], "q3": DOCNOS[::-1]},
        "known": {"q1": ["d03"], "q2": ["d04"]},
        "first": {"q1": ["d07"], "q2": ["d08", "d09"], "q3": ["d01"]},
    }.items():
        collection.runs.filter(name=name).delete()
        a_listed_run(collection, name, lists, parameters={"file": f"{name}.run"})
    return collection


@pytest.fixture
def manifest(collection):
    """Of the building that drew for q1 to q3, as it is handed out."""
    first = built(collection)
    freeze_pool(pool=Pool.objects.get(build=first, query_paper__name="q4"))
    build = built(
        collection,
        strategy="stratified",
        parameters={"bounds": [3, 12], "rates": [0.9, 0.4]},
        runs=("up", "down", "bm25_title"),
        forced=("cited", "first"),
        excluded=("known",),
        only=("not_later",),
        depth=12,
    )
    return json.loads(json.dumps(file_of(build)))


Path = tuple[str | int, ...]


def leaves(value: Any, path: Path = ()) -> Iterator[Path]:
    """The way to every value that is no object and no list, and to every empty one of these."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if is_list(value) else ()
    if not inner or not value:
        yield path
    for key, item in inner:
        yield from leaves(item, (*path, key))


def is_list(value: Any) -> bool:
    return isinstance(value, list)


def altered(manifest: dict[str, Any], path: Path) -> dict[str, Any]:
    """A copy in which this value is another one of its type."""
    changed = copy.deepcopy(manifest)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    holder[path[-1]] = another(holder[path[-1]])
    return changed


def another(value: Any) -> Any:
    match value:
        case bool():
            return not value
        case int():
            return value + 1
        case float():
            return value / 2
        case str() if re.fullmatch("[0-9a-f]{64}", value):
            return ("0" if value[0] != "0" else "1") + value[1:]
        case str():
            return f"{value}x"
        case []:
            return ["x"]
        case {}:
            return {"x": 1}
    return "x"


def names_of(manifest: dict[str, Any], path: Path) -> tuple[str, ...]:
    """What a message says that names this value: all of it must be there."""
    keys = [key for key in path if isinstance(key, str)]
    if path[0] in PLAN:
        return (keys[-1],)
    if path[0] == "runs":
        name, field = manifest["runs"][path[1]]["name"], path[2]
        return (name,) if field == "name" else (f"runs.{name}.{field}",)
    return (".".join(keys[:4]), keys[-1])


def prove(collection, manifest):
    return rebuild_pools(collection=collection, manifest=manifest, work=DirectRun())


def unnamed(collection, manifest: dict[str, Any], paths: list[Path]) -> list[str]:
    """The values that can be changed without the rebuilding failing and naming them."""
    found = []
    for path in paths:
        changed = altered(manifest, path)
        try:
            proof = prove(collection, changed)
        except PoolingError as error:
            message = str(error)
            if not all(name in message for name in names_of(changed, path)):
                found.append(f"{path}: {message}")
        else:
            found.append(f"{path}: {proof}")
    return found


def test_the_manifest_is_proved_as_it_is(collection, manifest):
    proof = prove(collection, manifest)

    assert (proof.pools, proof.notes, proof.ranked_again) == (3, [], ["bm25_title"])
    assert manifest["runs"][0]["name"] == "bm25_title"
    assert any(run["also_ranked"] for run in manifest["runs"])
    assert any(run["not_ranked"] for run in manifest["runs"])


@pytest.mark.by_day(2)
def test_whatever_value_is_changed_the_rebuilding_names_it(collection, manifest):
    paths = list(leaves(manifest))

    assert len(paths) > 100
    assert {path[0] for path in paths} == set(manifest)
    assert "\n".join(unnamed(collection, manifest, paths)) == ""


@pytest.mark.by_day(2)
def test_with_a_new_digest_only_what_no_pool_follows_from_can_be_changed(collection, manifest):
    """A forged manifest can differ only in the fields beside the pools."""
    free = set()
    for path in leaves(manifest):
        changed = altered(manifest, path)
        try:
            proof = prove(collection, changed | {"sha256": digest_of(changed)})
        except (PoolingError, Mismatch):
            continue
        in_notes = all(name in " ".join(proof.notes) for name in names_of(changed, path))
        free.add((path[0], in_notes))
    assert free == {("collection", True), ("runs", True), ("versions", True), ("sha256", False)}


def without(manifest: dict[str, Any], path: Path) -> dict[str, Any]:
    changed = copy.deepcopy(manifest)
    holder = changed
    for key in path[:-1]:
        holder = holder[key]
    del holder[path[-1]]
    return changed


def test_a_field_that_is_missing_or_too_many_is_named(collection, manifest):
    for path in [("seed",), ("pools", "count"), ("runs", 1, "use"), ("corpus", "sha256")]:
        with pytest.raises(PoolingError, match=rf"{path[-1]} is missing"):
            prove(collection, without(manifest, path))
    with pytest.raises(PoolingError, match="more is not a field of a manifest"):
        prove(collection, {**manifest, "more": 1})


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("seed", 7, "seed must be text, got 7"),
        ("depth", True, "depth must be a whole number, got True"),
        ("forced", "cited", "forced must be a list, got 'cited'"),
        ("corpus", [], "corpus must be an object"),
        ("versions", {"python": None}, "versions.python must be text"),
    ],
)
def test_a_value_of_another_type_is_named(collection, manifest, field, value, message):
    with pytest.raises(PoolingError, match=re.escape(message)):
        prove(collection, manifest | {field: value})


def test_a_pool_less_is_named(collection, manifest):
    del manifest["pools"]["query_papers"]["q3"]

    with pytest.raises(Mismatch, match=r"pools\.count: the manifest says 3, here it is 2"):
        prove(collection, manifest)


def test_a_changed_digest_is_not_blamed_on_ranks(collection, manifest):
    facts = manifest["pools"]["query_papers"]["q2"]
    facts["sha256"] = another(facts["sha256"])

    with pytest.raises(Mismatch, match=r"q2\.sha256: the manifest is damaged") as raised:
        prove(collection, manifest)
    assert "rank" not in str(raised.value)


def test_another_score_is_said_to_be_in_sources_ranks_or_scores(collection, manifest):
    for pools in (manifest["pools"], manifest["pools"]["query_papers"]["q2"]):
        pools["sha256"] = another(pools["sha256"])

    with pytest.raises(Mismatch, match=r"q2\.sha256: .*a source, rank or score"):
        prove(collection, manifest)


# The list of documents


def test_an_empty_pool_has_an_empty_list_of_documents(collection):
    build = built(collection, runs=("known",), parameters={"n": 2}, forced=(), excluded=("cited",))

    papers = file_of(build)["pools"]["query_papers"]

    assert papers["q3"]["documents"] == []
    assert (papers["q3"]["size"], papers["q3"]["shortfall"]) == (0, {"known": 2})


def test_documents_stay_when_pools_are_replaced_later(collection):
    first = built(collection)
    before = file_of(first)["pools"]["query_papers"]
    freeze_pool(pool=Pool.objects.get(build=first, query_paper__name="q4"))

    built(collection, parameters={"n": 1})  # replaces the others

    first.refresh_from_db()
    assert file_of(first)["pools"]["query_papers"] == before
    assert all(len(facts["documents"]) == facts["size"] for facts in before.values())
    assert prove(collection, file_of(first)).pools == 4


# Runs that cannot be made again as they were


def test_a_run_of_another_version_is_taken_from_the_collection(collection, manifest):
    [bm25] = [run for run in manifest["runs"] if run["name"] == "bm25_title"]
    bm25["parameters"]["version"] = "0"

    proof = prove(collection, manifest | {"sha256": digest_of(manifest)})

    assert proof.ranked_again == []
    assert proof.notes[0].startswith('runs.bm25_title.parameters.version: the manifest says "0"')


def test_a_run_of_another_version_that_is_not_kept_is_named(collection, manifest):
    [bm25] = [run for run in manifest["runs"] if run["name"] == "bm25_title"]
    bm25["parameters"]["version"] = "0"
    remove_run(run=collection.runs.get(name="bm25_title"))

    with pytest.raises(
        Mismatch, match=r"small has no run bm25_title.*parameters\.version: the man"
    ):
        prove(collection, manifest | {"sha256": digest_of(manifest)})


def test_nothing_is_ranked_again_when_kept_runs_are_asked_for(collection, manifest):
    proof = rebuild_pools(
        collection=collection, manifest=manifest, work=DirectRun(), rank_again=False
    )

    assert (proof.pools, proof.ranked_again) == (3, [])

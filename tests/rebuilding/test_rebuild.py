"""A manifest proves pools equal, or names the first thing in which they differ."""

from __future__ import annotations

import json
from pathlib import Path
from typing import NamedTuple

import pytest
from django.conf import settings
from django.core.management import CommandError, call_command

from accounts.models import Collection, Role
from corpus.services import create_query
from jobs.context import DirectRun
from pooling.models import Pool, PoolBuild
from pooling.services import PoolPlan, build_pools, freeze_pools
from pooling.services import manifest_file as file_of
from pooling.services.manifest import digest_of
from retrieval.models import Ranking
from retrieval.services import import_run, remove_run
from tests.pooling.test_pages import client_of
from tests.support.factories import DocumentFactory, a_collection, member
from tests.support.pooling_scenes import a_listed_run
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


def a_corpus(slug):
    collection = a_collection(slug, seed="the same")
    for number in range(24):
        DocumentFactory(
            collection=collection,
            docno=f"d{number:02}",
            title=f"parsing of {'trees' if number % 2 else 'graphs'} {number}",
            references=["d05", "d07"] if number == 0 else [],
        )
    for docno in ("d00", "d01", "d02"):
        create_query(collection=collection, docno=docno, facet_key="method")
    return collection


class Installations(NamedTuple):
    """Two collections of the same documents, whose run `specter` comes from the same file."""

    first: Collection
    second: Collection


@once_a_file
def installations() -> Installations:
    lines = [
        f"{paper} Q0 d{(rank * 5 + 9) % 24:02} {rank} {50 - rank} x"
        for paper in ("d00", "d01", "d02")
        for rank in range(1, 15)
    ]
    path = Path(settings.DATA_DIR) / "specter.run"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("\n".join(lines) + "\n")
    made = Installations(a_corpus("first"), a_corpus("second"))
    for collection in made:
        import_run(
            collection=collection, path=path, filename=path.name, name="specter", work=DirectRun()
        )
    return made


@pytest.fixture
def collection(installations):
    return installations.first


@pytest.fixture
def other(installations):
    return installations.second


def built(collection, **changes):
    plan = PoolPlan(**{"parameters": {"n": 2}, "depth": 20, **changes})
    return build_pools(collection=collection, plan=plan, work=DirectRun())


def rebuilt(tmp_path, manifest, slug="first"):
    path = tmp_path / "manifest.json"
    path.write_text(json.dumps(manifest))
    call_command("rebuild_pools", slug, str(path))


STRATEGIES = [
    ("interleaved", {"n": 2}),
    ("sequential", {"n": 2}),
    ("depth_k", {"k": 3}),
    ("take_b", {"size": 7}),
    ("rrf", {"size": 7, "depth": 20}),
    ("uniform", {"size": 5, "depth": 10}),
    ("stratified", {"bounds": [2, 10], "rates": [1.0, 0.3]}),
    ("mdcr", {"n": 2, "top": 8}),
]


@pytest.mark.parametrize(("strategy", "parameters"), STRATEGIES)
def test_the_same_pools_are_proved_equal(collection, other, tmp_path, capsys, strategy, parameters):
    build = built(collection, strategy=strategy, parameters=parameters)

    rebuilt(tmp_path, file_of(build), "second")

    output = capsys.readouterr().out
    assert output.startswith("Equal: 3 pools")
    assert build.manifest["pools"]["sha256"] in output
    assert list(other.runs.values_list("name", flat=True)) == ["specter"]
    assert not Pool.objects.filter(query_paper__collection=other).exists()


def test_the_manifest_tells_all_that_the_pools_follow_from(collection):
    manifest = built(collection, seed="mine").manifest

    assert (manifest["strategy"], manifest["parameters"]) == ("interleaved", {"n": 2})
    assert manifest["seed"] == "mine"
    assert set(manifest["pools"]["query_papers"]) == {"d00", "d01", "d02"}
    for pool in Pool.objects.select_related("query_paper__document"):
        facts = manifest["pools"]["query_papers"][pool.query_paper.name]
        assert facts["order"] == pool.retriever_order
        assert facts["size"] == pool.candidates.count()
    assert {run["name"]: run["sha256"] for run in manifest["runs"]} == dict(
        collection.runs.values_list("name", "sha256")
    )
    assert {"qrelsmith", "python", "tantivy", "scikit-learn"} <= set(manifest["versions"])


# What is left out, and what may be drawn


@pytest.fixture
def known(collection):
    """Judgments from elsewhere, in one of the two collections or in both."""

    def imported(slug="first"):
        lists = {paper: ["d09", "d14", "d19"] for paper in ("d00", "d01", "d02")}
        return a_listed_run(Collection.objects.get(slug=slug), "known", lists)

    imported()
    return imported


def with_facts(*collections):
    for collection in collections:
        for number, document in enumerate(collection.documents.order_by("docno")):
            document.year, document.fields = 2000 + number % 7, ["CS"] if number % 3 else ["Law"]
            document.save(update_fields=["year", "fields"])


LEAVING_OUT = [
    {"forced": (), "excluded": ("cited",)},
    {"excluded": ("known",)},
    {"forced": ("known",), "excluded": ("cited",)},
    {"only": ("not_later",)},
    {"forced": (), "excluded": ("cited", "known"), "only": ("same_field", "not_later")},
]


@pytest.mark.parametrize("asked", LEAVING_OUT)
@pytest.mark.by_day(2)
def test_pools_that_leave_things_out_are_proved_equal_elsewhere(
    collection, other, known, tmp_path, capsys, asked
):
    known("second")
    with_facts(collection, other)
    asked = {"runs": ("specter", "bm25_title"), **asked}

    wrong = []
    for strategy, parameters in STRATEGIES:
        build = built(collection, strategy=strategy, parameters=parameters, **asked)
        try:
            rebuilt(tmp_path, file_of(build), "second")
        except CommandError as error:
            wrong.append(f"{strategy}: {error}")
        output = capsys.readouterr().out
        if not output.startswith("Equal: 3 pools") or build.manifest["format"] != 4:
            wrong.append(f"{strategy}: {output}")

    assert wrong == []


def test_a_known_run_that_is_not_there_is_named(collection, known, tmp_path):
    manifest = file_of(built(collection, runs=("specter",), excluded=("known",)))
    remove_run(run=collection.runs.get(name="known"))

    with pytest.raises(CommandError, match=r"first has no run known.*Import its file"):
        rebuilt(tmp_path, manifest)


def test_a_known_run_whose_name_became_a_retriever_s_is_taken_as_it_is(
    collection, known, tmp_path, capsys
):
    manifest = json.dumps(file_of(built(collection, runs=("specter",), excluded=("known",))))
    collection.runs.filter(name="known").update(name="bm25_text")

    renamed = json.loads(manifest.replace('"known"', '"bm25_text"'))
    rebuilt(tmp_path, renamed | {"sha256": digest_of(renamed)})

    assert capsys.readouterr().out.startswith("Equal: 3 pools")


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"format": 3}, "format must be 4 .*got 3"),
        ({"format": 4.0}, "format must be a whole number, got 4.0"),
        ({"excluded": ["cited"]}, "cited is both forced and excluded"),
        ({"only": ["nearby"]}, "only: unknown requirement 'nearby'"),
        ({"excluded": ["gone"]}, "excluded: gone is not among its runs"),
    ],
)
def test_a_damaged_manifest_is_refused_in_words(collection, tmp_path, changed, message):
    manifest = file_of(built(collection, runs=("specter",)))

    with pytest.raises(CommandError, match=message):
        rebuilt(tmp_path, manifest | changed)


def test_queries_added_later_do_not_make_a_difference(collection, tmp_path, capsys):
    build = built(collection)
    freeze_pools(collection=collection)
    create_query(collection=collection, docno="d03", facet_key="method")

    rebuilt(tmp_path, file_of(build))

    assert "Equal: 3 pools" in capsys.readouterr().out


def test_pools_built_later_for_new_queries_are_proved_by_themselves(collection, tmp_path, capsys):
    built(collection, runs=("bm25_title", "tfidf_title"))
    freeze_pools(collection=collection)
    create_query(collection=collection, docno="d03", facet_key="method")
    second = built(collection, runs=("bm25_abstract", "bm25_text"))

    rebuilt(tmp_path, file_of(second))

    assert "Equal: 1 pools" in capsys.readouterr().out


def test_another_corpus_is_named(collection, tmp_path):
    build = built(collection)
    manifest = file_of(build)
    DocumentFactory(collection=collection, docno="new")

    with pytest.raises(CommandError, match=r"The corpus differs.*the manifest has 24 documents"):
        rebuilt(tmp_path, manifest)


def test_another_run_is_named(collection, tmp_path):
    manifest = file_of(built(collection))
    ranking = Ranking.objects.filter(run__name="specter", run__collection=collection).first()
    Ranking.objects.filter(pk=ranking.pk).update(docnos=list(reversed(ranking.docnos)))

    with pytest.raises(CommandError, match="The run specter differs"):
        rebuilt(tmp_path, manifest)


def test_an_imported_run_of_a_retriever_s_name_is_taken_as_it_is(collection, tmp_path, capsys):
    collection.runs.filter(name="specter").update(name="bm25_text")
    build = built(collection, runs=("bm25_text",))

    rebuilt(tmp_path, file_of(build))

    assert capsys.readouterr().out.startswith("Equal: 3 pools")
    assert [run["kind"] for run in build.manifest["runs"]] == ["file"]


def test_a_run_that_is_not_there_is_named(collection, tmp_path):
    manifest = file_of(built(collection))
    remove_run(run=collection.runs.get(name="specter"))

    with pytest.raises(CommandError, match=r"first has no run specter.*Import its file"):
        rebuilt(tmp_path, manifest)


def test_a_query_paper_that_is_not_there_is_named(collection, other, tmp_path):
    manifest = file_of(built(collection))
    other.queries.get(name="d02_method").delete()

    with pytest.raises(CommandError, match="d02 is in the manifest but has no query in second"):
        rebuilt(tmp_path, manifest, "second")


def test_the_first_document_that_differs_is_named_with_its_pool_and_position(collection, tmp_path):
    manifest = file_of(built(collection))
    facts = manifest["pools"]["query_papers"]["d01"]
    second = facts["documents"][1]
    facts["documents"][1] = "dXX"
    facts["sha256"] = "0" * 64

    message = (
        r"The pool of d01 differs\. pools\.query_papers\.d01\.documents, at position 2: "
        f"expected dXX, found {second}"
    )
    with pytest.raises(CommandError, match=message):
        rebuilt(tmp_path, manifest)


def test_another_seed_gives_other_pools(collection, tmp_path):
    manifest = file_of(built(collection)) | {"seed": "another"}

    with pytest.raises(CommandError, match=r"The pool of d0\d differs.* at position"):
        rebuilt(tmp_path, manifest)


def test_other_versions_are_told_beside_a_difference(collection, tmp_path):
    manifest = file_of(built(collection))
    manifest = manifest | {"seed": "x", "versions": manifest["versions"] | {"tantivy": "0.1"}}

    with pytest.raises(CommandError, match=r"Versions differ too: tantivy 0\.1 there"):
        rebuilt(tmp_path, manifest)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "This is not JSON"),
        ("[]", "a JSON object"),
        ('{"format": 1}', "not a manifest of pools"),
        ('{"format": 1, "pools": {"query_papers": {}}}', "must be 4 .*got 1"),
    ],
)
def test_what_is_no_manifest_is_refused_in_words(collection, tmp_path, text, message):
    path = tmp_path / "manifest.json"
    path.write_text(text)

    with pytest.raises(CommandError, match=message):
        call_command("rebuild_pools", "first", str(path))


def test_a_missing_file_is_said(collection, tmp_path):
    with pytest.raises(CommandError, match="No such file"):
        call_command("rebuild_pools", "first", str(tmp_path / "none.json"))


# Downloading it


def test_an_admin_downloads_the_manifest_that_rebuilds(collection, tmp_path, capsys):
    build = built(collection)

    response = client_of("admin").get(f"/c/first/pool-builds/{build.pk}/manifest/")

    assert f'filename="first-pools-{build.pk}.json"' in response["Content-Disposition"]
    rebuilt(tmp_path, json.loads(response.content))
    assert "Equal" in capsys.readouterr().out


def test_a_user_without_a_role_does_not_find_the_manifest(collection):
    build = built(collection)
    stranger = member(a_collection("other"), Role.ADMIN, "stranger")

    for username in ("ann1", "adju", stranger.username):
        page = client_of(username).get(f"/c/first/pool-builds/{build.pk}/manifest/")
        assert page.status_code == 404
    page = client_of("admin").get(f"/c/other/pool-builds/{build.pk}/manifest/")
    assert page.status_code == 404
    assert PoolBuild.objects.filter(pk=build.pk).exists()

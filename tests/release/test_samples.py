"""Releases over pools that are samples."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Iterator

import pytest
from django.urls import reverse

from accounts.models import Collection
from annotation.services import open_query
from bundle.errors import ReleaseError
from corpus.models import Document, Query
from corpus.services import create_query
from jobs.context import DirectRun
from pooling.services import PoolPlan, build_pools, freeze_pools
from release.services import find_faults, publish_release
from retrieval.formats import Scored
from retrieval.models import Run
from retrieval.services.runs import RunReport, store_run
from tests.support.bundles import BuiltRelease, built_release, released_files
from tests.support.datasheets import answer_datasheet
from tests.support.factories import DocumentFactory, a_collection, annotators
from tests.support.release_scenes import judge_all
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]

DEEP = 40
RELEVANT = {f"d{number:02}" for number in (1, 2, 3, 8, 12, 13, 25, 38)}
STRATIFIED = {
    "strategy": "stratified",
    "parameters": {"bounds": [5, 20], "rates": [1.0, 0.4]},
}


def a_sampled_collection(*, slug="small", cited=("d40",), draw=True, **plan) -> Collection:
    """One query paper, two lists of its 40 documents, and a frozen pool that is a sample of them.

    One list has d01 to d40, the other the same backwards; d39 has no text.
    """
    collection = answer_datasheet(a_collection(slug=slug, licence="CC-BY-4.0"))
    docnos = [f"d{number:02}" for number in range(1, DEEP + 1)]
    for docno in docnos:
        text = {"sentences": [], "labels": []} if docno == "d39" else {}
        DocumentFactory(collection=collection, docno=docno, **text)
    DocumentFactory(collection=collection, docno="q1", references=list(cited))
    create_query(collection=collection, docno="q1", facet_key="method")
    for name, ranked in (("up", docnos), ("down", docnos[::-1])):
        made = Run(collection=collection, name=name, kind="file", depth=DEEP)
        lists = {"q1": [Scored(docno, 1 / rank) for rank, docno in enumerate(ranked, start=1)]}
        store_run(made, lists, RunReport(), DirectRun())
    if draw:
        a_sample(collection, **plan)
    return collection


def a_sample(collection: Collection, **plan) -> None:
    asked = PoolPlan(**{**STRATIFIED, "depth": DEEP, "runs": ("up", "down"), **plan})
    build_pools(collection=collection, plan=asked, work=DirectRun())
    freeze_pools(collection=collection)


def judged(collection: Collection, skip=()) -> Collection:
    """All but `skip` is judged: 2 for what is relevant, 0 for the rest."""
    query = collection.queries.get()
    open_query(query=query, annotators=annotators(collection), opened_by=None)
    grades = {docno: 2 * (docno in RELEVANT) for docno in drawn_for(query) if docno not in skip}
    judge_query(query, grades)
    return collection


def drawn_for(query: Query) -> list[str]:
    """What is to be judged, in order of docno."""
    candidates = query.query_paper.pool.candidates.to_judge()
    return sorted(candidates.values_list("document__docno", flat=True))


def judge_query(query: Query, grades: dict[str, int]) -> None:
    """Both judges give each document this grade."""
    both = {(query.name, docno): (grade, grade) for docno, grade in grades.items()}
    judge_all(query.collection, both)


def columns(content: bytes) -> Iterator[list[str]]:
    return (line.split(" ") for line in content.decode().splitlines())


def horvitz_thompson(prels: bytes) -> float:
    """The number of relevant documents, as statAP estimates it."""
    return sum(1 / float(chance) for _, _, grade, _, chance in columns(prels) if int(grade) > 0)


def inferred(sampleval: bytes) -> float:
    """The number of relevant documents, as sample_eval.pl estimates it: by stratum."""
    size, drawn, relevant = Counter(), Counter(), Counter()
    for query, _, _, stratum, grade in columns(sampleval):
        size[query, stratum] += 1
        drawn[query, stratum] += int(grade) >= 0
        relevant[query, stratum] += int(grade) > 0
    return sum(relevant[key] * size[key] / drawn[key] for key in size if drawn[key])


def test_a_release_over_whole_pools_has_no_word_about_samples(client):
    whole = {"strategy": "interleaved", "parameters": {"n": 3}}
    collection = judged(a_sampled_collection(**whole))
    client.force_login(collection.memberships.get(role="admin").user)

    files = released_files(collection)
    page = client.get(reverse("releases", args=["small"]))

    assert not [name for name in files if name.startswith(("trec/prels", "trec/sampleval"))]
    assert json.loads(files["manifest.json"])["sample"] is None
    assert b"sample" not in files["README.md"]
    assert b'"inclusion": null' in files["pools/pool.jsonl"]
    assert page.status_code == 200
    assert "random sample" not in page.text


@once_a_file
def sampled() -> BuiltRelease:
    return built_release(judged(a_sampled_collection()))


@pytest.fixture
def collection(sampled) -> Collection:
    return sampled.collection


@pytest.fixture
def files(sampled) -> dict[str, bytes]:
    return sampled.files


def test_the_qrels_keep_their_four_columns_and_prels_carry_the_probabilities(files):
    qrels = list(columns(files["trec/qrels.method.txt"]))
    prels = list(columns(files["trec/prels.method.txt"]))
    assert {len(line) for line in qrels} == {4}
    assert [(q, d, g) for q, _, d, g in qrels] == [(q, d, g) for q, d, g, _, _ in prels]
    chance = {docno: float(last) for _, docno, _, method, last in prels if method == "1"}
    # Best ranks 1 to 5 of two lists are 10 documents; one of them is cited and so forced, one has
    # no text. Of the other 30 chance drew 12.
    first = {f"d{n:02}" for n in (1, 2, 3, 4, 5, 36, 37, 38)}
    assert {docno for docno in chance if docno in first} == first
    assert Counter(chance.values()) == {1.0: len(first) + 1, 0.4: 12}
    assert chance["d40"] == 1.0
    assert files["trec/prels.method.txt"] == files["trec/prels.all.txt"]


def test_sampleval_lists_the_whole_deep_pool_with_what_was_not_drawn_as_minus_one(files):
    lines = list(columns(files["trec/sampleval.method.txt"]))
    strata = defaultdict(set)
    for query, zero, docno, stratum, _ in lines:
        assert (query, zero) == ("q1_method", "0")
        strata[stratum].add(docno)
    assert strata["0"] == {"d40"}  # forced
    assert strata["1"] == {f"d{n:02}" for n in (1, 2, 3, 4, 5, 36, 37, 38)}  # d39 has no text
    assert strata["2"] == {f"d{n:02}" for n in range(6, 36)}
    grades = {docno: grade for _, _, docno, _, grade in lines if grade != "-1"}
    assert grades == {d: g for _, _, d, g in columns(files["trec/qrels.method.txt"])}
    assert [line[2] for line in lines] == sorted(line[2] for line in lines)


def test_both_files_give_the_same_estimate(files):
    estimate = horvitz_thompson(files["trec/prels.method.txt"])
    assert estimate == pytest.approx(inferred(files["trec/sampleval.method.txt"]))
    drawn = {docno for _, docno, *_ in columns(files["trec/prels.method.txt"])}
    deep = {f"d{n:02}" for n in range(6, 36)}
    assert estimate == pytest.approx(len(RELEVANT - deep) + len(RELEVANT & deep & drawn) / 0.4)


def test_a_uniform_sample_is_one_stratum():
    files = released_files(
        judged(a_sampled_collection(strategy="uniform", parameters={"size": 9, "depth": 9}))
    )

    lines = list(columns(files["trec/sampleval.method.txt"]))
    assert Counter(stratum for *_, stratum, _ in lines) == {"0": 1, "1": 16}
    sample = json.loads(files["manifest.json"])["sample"]
    assert [stratum["best_ranks"] for stratum in sample["strata"]] == [[1, 9]]
    # Of 17 documents 9 were drawn; d39, which has no text, is one of them.
    assert sample["strata"][0]["inclusion"] == [8 / 16, 8 / 16]


@pytest.mark.parametrize("textless", [f"d{number}" for number in range(1, 7)])
def test_a_document_without_text_is_in_no_count(textless):
    """All that can be judged is relevant, so 5 is the true number, whatever was drawn."""
    collection = a_collection(licence="CC-BY-4.0")
    docnos = [f"d{number}" for number in range(1, 7)]
    for docno in docnos:
        text = {"sentences": [], "labels": []} if docno == textless else {}
        DocumentFactory(collection=collection, docno=docno, **text)
    DocumentFactory(collection=collection, docno="q1")
    query = create_query(collection=collection, docno="q1", facet_key="method")
    made = Run(collection=collection, name="up", kind="file", depth=6)
    store_run(made, {"q1": [Scored(docno, 1.0) for docno in docnos]}, RunReport(), DirectRun())
    a_sample(
        collection,
        runs=("up",),
        depth=6,
        forced=(),
        **{"strategy": "uniform", "parameters": {"size": 3, "depth": 6}},
    )
    open_query(query=query, annotators=annotators(collection), opened_by=None)
    drawn = drawn_for(query)
    judge_query(query, dict.fromkeys(drawn, 3))

    files = released_files(collection)

    prels, sampleval = files["trec/prels.all.txt"], files["trec/sampleval.all.txt"]
    assert horvitz_thompson(prels) == pytest.approx(5)
    assert inferred(sampleval) == pytest.approx(5)
    assert {docno for _, _, docno, *_ in columns(sampleval)} == set(docnos) - {textless}
    (stratum,) = json.loads(files["manifest.json"])["sample"]["strata"]
    chance = len(drawn) / 5
    assert (stratum["documents"], stratum["drawn"]) == (5, len(drawn))
    assert stratum["inclusion"] == [chance, chance]
    assert {float(last) for *_, last in columns(prels)} == {chance}


def test_a_sample_of_which_nothing_is_judged_is_in_no_count():
    collection = a_sampled_collection(draw=False)
    judged_query = collection.queries.get()
    untouched = create_query(collection=collection, docno="d40", facet_key="method")
    run = Run(collection=collection, name="both", kind="file", depth=DEEP)
    ranked = [Scored(f"d{number:02}", 1 / number) for number in range(1, DEEP)]
    store_run(run, {"q1": ranked, "d40": ranked}, RunReport(), DirectRun())
    a_sample(collection, runs=("both",))
    for query in (judged_query, untouched):
        open_query(query=query, annotators=annotators(collection), opened_by=None)
    judge_query(judged_query, dict.fromkeys(drawn_for(judged_query), 1))

    files = released_files(collection)

    in_sampleval = {query for query, *_ in columns(files["trec/sampleval.all.txt"])}
    assert in_sampleval == {judged_query.name}
    assert json.loads(files["manifest.json"])["sample"]["query_papers"] == 1


def test_a_drawn_document_without_a_label_counts_as_not_drawn():
    collection = a_sampled_collection()
    judged(collection, skip={"d36"})

    files = released_files(collection)

    grades = {docno: grade for _, _, docno, _, grade in columns(files["trec/sampleval.all.txt"])}
    assert grades["d36"] == "-1"
    assert b" d36 " not in files["trec/prels.all.txt"]
    assert json.loads(files["manifest.json"])["sample"]["drawn_pairs_without_label"] == 1
    assert b"without a final\nlabel: 1." in files["README.md"]


def test_the_bundle_says_plainly_what_the_qrels_are(files):
    manifest, readme = json.loads(files["manifest.json"]), files["README.md"].decode()
    assert {"trec/prels.all.txt", "trec/sampleval.all.txt"} <= manifest["files"].keys()
    assert manifest["sample"] == {
        "query_papers": 1,
        "query_papers_labelled": 1,
        "drawn_pairs_without_label": 0,
        "strata": [
            stratum(1, [1, 5], documents=8, drawn=8, inclusion=[1.0, 1.0]),
            stratum(2, [6, 20], documents=30, drawn=12, inclusion=[0.4, 0.4]),
        ],
    }
    assert "## The qrels are a sample" in readme
    assert "| `stratified` | 2 | 6–20 | 1 | 30 | 12 | 0.4 |" in readme
    assert "Do not report AP" in readme
    pooled = map(json.loads, files["pools/pool.jsonl"].splitlines())
    assert {line["inclusion"] for line in pooled} == {1.0, 0.4}


def stratum(number, best_ranks, **counts):
    return {
        **{"strategy": "stratified", "stratum": number, "best_ranks": best_ranks},
        "parameters": {"bounds": [5, 20], "rates": [1.0, 0.4]},
        **{"query_papers": 1, **counts},
    }


@pytest.fixture
def leaving_out():
    """d40 is cited and left out, d01 to d04 and d38 are known and left out, d10 on are later."""
    collection = a_sampled_collection(draw=False)
    Document.objects.filter(docno__gte="d10", docno__lt="e").update(year=2030)
    known = Run(collection=collection, name="known", kind="file", depth=5)
    docnos = ["d01", "d02", "d03", "d04", "d38"]
    store_run(known, {"q1": [Scored(docno, 1.0) for docno in docnos]}, RunReport(), DirectRun())
    return collection


def pools_of(collection, **plan):
    a_sample(collection, **{"excluded": ("known", "cited"), "forced": (), **plan})
    return judged(collection)


def strata_of(files):
    strata = defaultdict(set)
    for _, _, docno, stratum, _ in columns(files["trec/sampleval.all.txt"]):
        strata[stratum].add(docno)
    return strata


def test_what_is_left_out_is_in_no_stratum(leaving_out):
    files = released_files(pools_of(leaving_out))

    assert strata_of(files) == {
        "1": {"d05", "d36", "d37"},  # d39 has no text
        "2": {f"d{n:02}" for n in range(6, 36)},
    }
    chance = [float(last) for *_, last in columns(files["trec/prels.all.txt"])]
    assert Counter(chance) == {1.0: 3, 0.4: 12}
    estimate = horvitz_thompson(files["trec/prels.all.txt"])
    assert estimate == pytest.approx(inferred(files["trec/sampleval.all.txt"]))


def test_what_may_not_be_drawn_is_in_no_stratum(leaving_out):
    files = released_files(pools_of(leaving_out, only=("not_later",)))

    assert strata_of(files) == {"1": {"d05"}, "2": {"d06", "d07", "d08", "d09"}}
    chance = [float(last) for *_, last in columns(files["trec/prels.all.txt"])]
    assert Counter(chance) == {1.0: 1, 0.5: 2}


def test_a_run_that_was_taken_whole_is_certain(leaving_out):
    files = released_files(pools_of(leaving_out, forced=("known",), excluded=("cited",)))

    assert strata_of(files)["0"] == {"d01", "d02", "d03", "d04", "d38"}
    methods = {docno: method for _, docno, _, method, _ in columns(files["trec/prels.all.txt"])}
    assert {methods[docno] for docno in ("d01", "d38")} == {"1"}
    assert "d40" not in methods


def test_years_that_change_behind_a_sample_stop_its_release(leaving_out):
    pools_of(leaving_out, only=("not_later",))
    Document.objects.filter(docno="d20").update(year=1980)

    with pytest.raises(ReleaseError, match="or years or fields of documents"):
        publish_release(collection=leaving_out, version="1.0")


def test_the_same_database_gives_the_same_bytes(sampled):
    assert built_release(sampled.collection).content == sampled.content


def test_runs_that_no_longer_give_the_sample_stop_a_release_and_not_its_page():
    collection = judged(a_sampled_collection(only=("not_later",)))
    collection.documents.filter(docno="d07").update(year=2999)

    with pytest.raises(ReleaseError, match="pool of q1 is a sample"):
        publish_release(collection=collection, version="1.0")

    assert find_faults(collection=collection)


def test_the_pages_say_that_it_is_a_sample(collection, client):
    client.force_login(collection.memberships.get(role="admin").user)
    page = client.get(reverse("releases", args=["small"]))
    assert "1 frozen pool of this collection is a random sample" in " ".join(page.text.split())

    publish_release(collection=collection, version="1.0")

    page = client.get(reverse("release", args=["small", "1.0"]))
    assert "Sampled qrels" in page.text
    assert ">a sample<" in client.get(reverse("releases", args=["small"])).text

"""CSFCube without what only one of its sources found, released, topped up by that source, released.

SPECTER alone found 253 documents. Without these, the first version lacks the labels that only it
could give, and by AP SPECTER is not the best source. The second version has the published labels.
"""

from __future__ import annotations

import json
import zipfile
from collections.abc import Mapping
from itertools import combinations
from pathlib import Path
from typing import Any, NamedTuple

import ir_measures
import pandas as pd
import pytest
from django.test import override_settings
from scipy import stats

from accounts.models import Collection, User
from adjudication.models import Case
from adjudication.services import Ruling
from annotation.models import Slot
from bundle.verification.service import verify
from csfcube.services import import_csfcube
from evaluation.label_effects.pool_rounds import RoundEffectsReport
from evaluation.top_ups.services import TopUp, top_up_pools
from jobs.context import DirectRun
from release.files import path_of
from release.services import publish_release
from reports.services import compute_report
from retrieval.formats import Scored
from retrieval.models import Run
from retrieval.services.runs import RunReport, store_run
from scoring.systems.services import sync_runs
from tests.csfcube.conftest import FACETS
from tests.scoring.statistics.test_rank_correlation import tau_ap_by_definition
from tests.support.releases import EVERY_EXCEPTION
from tests.support.sittings import decide_case, judge_at_once
from tests.support.top_ups import open_added

pytestmark = [
    pytest.mark.csfcube,
    pytest.mark.django_db,
    pytest.mark.one_database,
    pytest.mark.by_day(4, day=1),
]

SLUG, HELD_BACK, CITED = "held", "specter", "cited"
POOLS = "test-pid2pool-csfcube.json"
MEASURE = "AP(rel=2)"
Json = dict[str, Any]


class TwoVersions(NamedTuple):
    """The files of both versions, how many pairs were held back, and the lists of each source."""

    first: dict[str, bytes]
    second: dict[str, bytes]
    path: Path
    candidates: int
    labels: int
    lists: dict[str, dict[str, list[str]]]


@pytest.fixture(scope="module")
def versions(csfcube, rolled_back, tmp_path_factory, pools, ratings) -> TwoVersions:
    folder = tmp_path_factory.mktemp("two-versions")
    held = {
        (paper, docno)
        for paper, pool in pools.items()
        for docno, sources in zip(pool["cands"], pool["cand_source"], strict=True)
        if sources == [HELD_BACK]
    }
    with (
        override_settings(DATA_DIR=folder, RELEASE_DIR=folder / "releases"),
        rolled_back(),
    ):
        import_csfcube(folder=without(csfcube, held, folder / "csfcube"), slug=SLUG)
        collection = Collection.objects.get(slug=SLUG)
        lists = lists_by_source(pools)
        for name in sorted(lists.keys() - {HELD_BACK}):
            store(collection, name, lists[name])
        sync_runs(collection)
        first = published(collection, "1.0")
        store(collection, HELD_BACK, lists[HELD_BACK])
        reason = f"Documents that only {HELD_BACK} found."
        top_up_pools(
            collection=collection,
            top_up=TopUp(runs=(HELD_BACK,), reason=reason, depth=1000),
            work=DirectRun(),
        )
        judge_as_published(collection, ratings)
        compute_report(RoundEffectsReport("AP"), collection=collection)
        second = published(collection, "1.1")
        labels = sum(
            (query.rpartition("_")[0], docno) in held
            for query, entry in ratings.items()
            for docno in entry["cands"]
        )
        # Six query papers have no rated facet here, so the corpus lacks some of their documents.
        documents = set(collection.documents.values_list("docno", flat=True))
        candidates = sum(docno in documents for _, docno in held)
        yield TwoVersions(first, second, path_of(SLUG, "1.1"), candidates, labels, lists)


def without(csfcube: Path, held: set[tuple[str, str]], folder: Path) -> Path:
    """A checkout without the pairs of query paper and document that are held back."""
    folder.mkdir()
    for path in csfcube.iterdir():
        if not path.name.startswith("test-pid2"):
            (folder / path.name).symlink_to(path.resolve())
    for name in (POOLS, *(f"test-pid2anns-csfcube-{facet}.json" for facet in FACETS)):
        entries = json.loads((csfcube / name).read_bytes())
        for paper, entry in entries.items():
            kept = [(paper, docno) not in held for docno in entry["cands"]]
            for column, values in entry.items():
                entry[column] = [value for value, keep in zip(values, kept, strict=True) if keep]
        (folder / name).write_text(json.dumps(entries))
    return folder


def lists_by_source(pools: Mapping[str, Json]) -> dict[str, dict[str, list[str]]]:
    """The documents of each source by query paper, in the order of the published pool.

    The ranks of the sources are not released. The order is the same for every use here.
    """
    lists: dict[str, dict[str, list[str]]] = {}
    for paper, pool in pools.items():
        for docno, sources in zip(pool["cands"], pool["cand_source"], strict=True):
            for source in sources:
                if docno != paper and source != CITED:
                    lists.setdefault(source, {}).setdefault(paper, []).append(docno)
    return lists


def store(collection: Collection, name: str, lists: Mapping[str, list[str]]) -> None:
    run = Run(collection=collection, name=name, kind="file")
    run.depth = max(map(len, lists.values()))
    scored = {
        paper: [Scored(docno, 1 / rank) for rank, docno in enumerate(docnos, start=1)]
        for paper, docnos in lists.items()
    }
    store_run(run, scored, RunReport(), DirectRun())


def judge_as_published(collection: Collection, ratings: Mapping[str, Json]) -> None:
    """Both judges and the adjudicator say of the new pairs what the published release has."""
    open_added(collection)
    grades = {
        (query, docno): (both, final)
        for query, entry in ratings.items()
        for docno, *both, final in zip(
            entry["cands"],
            *(entry[name] for name in sorted(entry) if name.startswith("relevance_ann")),
            entry["relevance_adju"],
            strict=True,
        )
    }
    slots = Slot.objects.of(collection).unjudged()
    related = ("pair__query__opening__guideline", "pair__candidate__document")
    answers = []
    for slot in slots.select_related(*related).order_by("pk"):
        key = slot.pair.query.name, slot.pair.candidate.document.docno
        grade = grades[key][0][slot.number - 1]
        answers.append((slot, None if grade == -1 else grade))
    judge_at_once(answers)
    adjudicator = User.objects.get(username="csfcube-adjudicator")
    for case in Case.objects.due().filter(query__collection=collection):
        _, final = grades[case.query.name, case.candidate.document.docno]
        decide_case(case, adjudicator, Ruling(grade=final))


def published(collection: Collection, version: str) -> dict[str, bytes]:
    publish_release(collection=collection, version=version, accept=EVERY_EXCEPTION)
    with zipfile.ZipFile(path_of(collection.slug, version)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_the_second_version_has_the_published_labels_byte_for_byte(versions, ratings):
    for facet in FACETS:
        expected = sorted(
            f"{query} 0 {docno} {grade}\n"
            for query, entry in ratings.items()
            if query.endswith(f"_{facet}")
            for docno, grade in zip(entry["cands"], entry["relevance_adju"], strict=True)
        )
        assert versions.second[f"trec/qrels.{facet}.txt"].decode() == "".join(expected)


def test_the_first_version_lacks_exactly_what_was_held_back(versions):
    first, second = (
        set(files["trec/qrels.all.txt"].splitlines()) for files in (versions.first, versions.second)
    )

    assert first < second
    assert (len(second), len(second - first)) == (4051, versions.labels)
    assert versions.labels > 200


def test_the_rounds_of_the_second_version_are_those_of_the_pairs(versions):
    lines = list(map(json.loads, versions.second["pools/pool.jsonl"].splitlines()))
    before = list(map(json.loads, versions.first["pools/pool.jsonl"].splitlines()))

    added = [line for line in lines if line["round"] == 2]
    assert len(added) == versions.candidates
    assert all([source["source"] for source in line["sources"]] == [HELD_BACK] for line in added)
    kept = [{key: line[key] for key in line if key != "round"} for line in lines]
    assert [line for line, of in zip(kept, lines, strict=True) if of["round"] == 1] == before


def test_the_second_version_passes_every_check(versions):
    outcomes = {outcome.name: outcome for outcome in verify(versions.path)}

    assert [str(one.failures) for one in outcomes.values() if not one.ok] == []
    assert outcomes["rounds"].compared == "2 pool rounds"


def values_by_ir_measures(
    versions: TwoVersions, files: Mapping[str, bytes], folder: Path
) -> pd.DataFrame:
    """A row for each query with a relevant document, a column for each system."""
    path = folder / "qrels.txt"
    path.write_bytes(files["trec/qrels.all.txt"])
    qrels: dict[str, dict[str, int]] = {}
    for line in ir_measures.read_trec_qrels(str(path)):
        if line.doc_id != line.query_id.rpartition("_")[0]:
            qrels.setdefault(line.query_id, {})[line.doc_id] = line.relevance
    qrels = {query: grades for query, grades in qrels.items() if max(grades.values()) >= 2}
    measure = ir_measures.parse_measure(MEASURE)
    columns = {}
    for name, lists in versions.lists.items():
        run = {
            query: {docno: -float(rank) for rank, docno in enumerate(docnos)}
            for query in qrels
            for docnos in [lists.get(query.rpartition("_")[0], [])]
            if docnos
        }
        found = {
            value.query_id: value.value for value in ir_measures.iter_calc([measure], qrels, run)
        }
        columns[name] = [found.get(query, 0.0) for query in sorted(qrels)]
    return pd.DataFrame(columns, index=sorted(qrels))


def tukey_by_definition(values: pd.DataFrame) -> dict[tuple[str, str], float]:
    """The mean differences that are significant at 5 %, by scipy's studentized range."""
    table = values.to_numpy()
    queries, systems = table.shape
    residuals = table - table.mean(0) - table.mean(1, keepdims=True) + table.mean()
    freedom = (queries - 1) * (systems - 1)
    scale = ((residuals**2).sum() / freedom / queries) ** 0.5
    found = {}
    for first, second in combinations(sorted(values.columns), 2):
        difference = values[first].mean() - values[second].mean()
        p = stats.studentized_range.sf(abs(difference) / scale, systems, freedom)
        if p < 0.05:
            found[first, second] = difference
    return found


@pytest.fixture
def sides(versions, tmp_path) -> list[pd.DataFrame]:
    return [
        values_by_ir_measures(versions, files, tmp_path)
        for files in (versions.first, versions.second)
    ]


@pytest.fixture
def report(versions) -> Json:
    """By AP, which was computed before; publishing adds that by the measure of the leaderboard."""
    reports = json.loads(versions.second["reports/round_effects.json"])
    assert [each["measure"] for each in reports] == [MEASURE, "NDCG%20"]
    return reports[0]


def test_means_and_coefficients_are_those_of_other_programs(report, sides):
    assert report["measure"] == MEASURE
    for row, values in zip(report["rankings"], sides, strict=True):
        means = {entry["system"]: entry["mean"] for entry in row["systems"]}
        assert means == pytest.approx(values.mean().to_dict(), abs=1e-9)
        assert row["queries"] == len(values)
    before, after = (values.mean().to_dict() for values in sides)
    names = sorted(before)
    tau = stats.kendalltau(*([side[name] for name in names] for side in (before, after)))
    found = report["rankings"][0]["correlations"]
    assert found["tau"] == pytest.approx(tau.statistic)
    assert found["tau_ap"] == pytest.approx(tau_ap_by_definition(before, after))
    assert round(found["tau"], 3) == 0.905


def test_significant_differences_are_those_of_scipys_studentized_range(report, sides):
    before, after = map(tukey_by_definition, sides)
    expected = {
        pair: "lost" if pair in after else "gained" for pair in before.keys() ^ after.keys()
    } | {
        pair: "reversed" for pair in before.keys() & after.keys() if before[pair] * after[pair] < 0
    }

    assert [row["significant"] for row in report["rankings"]] == [len(before), len(after)]
    flips = report["rankings"][0]["flips"]
    assert {
        tuple(sorted((flip["better"], flip["worse"]))): flip["kind"] for flip in flips
    } == expected


def test_the_changelog_says_what_came_and_which_systems_moved(versions, report):
    changelog = versions.second["CHANGELOG.md"].decode()
    before, after = (
        {entry["system"]: entry["rank"] for entry in row["systems"]} for row in report["rankings"]
    )

    assert f"Round 2 added {versions.candidates} documents to the pools of" in changelog
    assert f"Reason: Documents that only {HELD_BACK} found." in changelog
    assert f"Labels of these documents: {versions.labels} (" in changelog
    assert (before[HELD_BACK], after[HELD_BACK]) == (2, 1)
    said = "Of 7 systems, 2 have another rank by mean AP(rel=2): specter 2 → 1, abs_tfidf 1 → 2."
    assert said in changelog
    assert {name for name in before if before[name] != after[name]} == {HELD_BACK, "abs_tfidf"}
    assert "Kendall’s τ-b 0.905 and τ_AP" in changelog

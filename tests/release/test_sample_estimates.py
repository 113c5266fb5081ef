"""What a released sample says of a whole deep pool, against the judging of all of it."""

from __future__ import annotations

import json
from statistics import fmean, stdev

import pytest

from bundle.formats.records import write_prels, write_sampleval
from bundle.options import ReleaseOptions
from bundle.records import Label, PooledDocument, ReleasedCollection, ReleasedFolds, ReleasedQuery
from bundle.sampling import DeepPools
from bundle.snapshot import Snapshot
from pooling import strategies
from pooling.services.samples import StratifiedPool
from retrieval.formats import Scored
from tests.release.test_samples import horvitz_thompson, inferred

UNIFORM = "uniform", {"size": 30, "depth": 1000}
STRATIFIED = "stratified", {"bounds": [5, 20, 1000], "rates": [1.0, 0.5, 0.2]}
SEEDS = 60


def released(lists, grades, plan, seed) -> tuple[Snapshot, list[Label]]:
    """A sample of every query paper's deep pool, and the labels of what was drawn.

    `lists` and `grades` go by query paper: docnos by source, and grade by docno.
    """
    name, parameters = plan
    pools, samples, labels, queries = [], [], [], []
    for paper, ranked in lists.items():
        rankings = {source: [Scored(docno, 0.0) for docno in r] for source, r in ranked.items()}
        drawn = strategies.pool(name, parameters, rankings, {}, seed, paper)
        pools += [
            PooledDocument(paper, entry.docno, entry.sequence, "", (), drawn.inclusion[entry.docno])
            for entry in drawn.entries
        ]
        strata = strategies.sampled_from(name, parameters, ranked, {paper})
        samples.append(StratifiedPool(paper, name, parameters, strata))
        queries.append(ReleasedQuery(f"{paper}_m", "m", paper, 1))
        labels += [
            Label(f"{paper}_m", "m", entry.docno, grades[paper][entry.docno])
            for entry in drawn.entries
        ]
    nothing = {"pairs": (), "ratings": (), "adjudications": (), "builds": (), "runs": ()}
    snapshot = Snapshot(
        ReleaseOptions(),
        ReleasedCollection("c", "C", "", "", seed, ()),
        folds=ReleasedFolds({}, imported_from="", seed=seed),
        documents=(),
        queries=tuple(queries),
        pools=tuple(pools),
        samples=tuple(samples),
        guidelines=(),
        **nothing,
    )
    return snapshot, labels


def estimates(lists, grades, plan) -> list[float]:
    """The number of relevant documents, estimated once for every seed from the files."""
    found = []
    for seed in range(SEEDS):
        snapshot, labels = released(lists, grades, plan, str(seed))
        deep = DeepPools(snapshot)
        estimate = horvitz_thompson(write_prels(deep.probable(labels)))
        assert estimate == pytest.approx(inferred(write_sampleval(deep.members(labels))))
        found.append(estimate)
    return found


def relevant(lists, grades) -> int:
    """How many there really are in the deep pools."""
    return sum(
        grades[paper][docno] > 0
        for paper, ranked in lists.items()
        for docno in {docno for docnos in ranked.values() for docno in docnos} - {paper}
    )


def an_invented_deep_pool():
    """100 documents in three lists; one in five is relevant, the more the better its rank."""
    docnos = [f"d{number:03}" for number in range(100)]
    ranked = {"a": docnos, "b": docnos[::3], "c": docnos[::-7]}
    grades = {docno: int(n % 7 == 0 or n in (1, 2, 3, 5, 8, 13)) for n, docno in enumerate(docnos)}
    return {"q": ranked}, {"q": grades}


@pytest.mark.parametrize("plan", [UNIFORM, STRATIFIED])
def test_estimates_from_released_samples_scatter_around_the_true_number(plan):
    lists, grades = an_invented_deep_pool()

    found = estimates(lists, grades, plan)

    assert abs(fmean(found) - relevant(lists, grades)) < 3 * stdev(found) / SEEDS**0.5
    assert len(set(found)) > 5


@pytest.mark.csfcube
@pytest.mark.parametrize("facet", ["background", "method"])
@pytest.mark.parametrize("plan", [UNIFORM, STRATIFIED])
@pytest.mark.by_day(4)
def test_a_sample_of_csfcubes_judgments_tells_how_many_are_relevant(csfcube, facet, plan):
    lists, grades = csfcubes_deep_pools(csfcube, facet)

    found = estimates(lists, grades, plan)

    truth = relevant(lists, grades)
    assert abs(fmean(found) - truth) < 3 * stdev(found) / SEEDS**0.5
    assert fmean(found) == pytest.approx(truth, rel=0.02)


def csfcubes_deep_pools(folder, facet):
    """Its pools as deep pools of their seven sources and `cited`, with the final labels."""
    pools = json.loads((folder / "test-pid2pool-csfcube.json").read_bytes())
    ratings = json.loads((folder / f"test-pid2anns-csfcube-{facet}.json").read_bytes())
    lists, grades = {}, {}
    for paper, columns in ratings.items():
        grades[paper] = dict(zip(columns["cands"], columns["relevance_adju"], strict=True))
        lists[paper] = {}
        for docno, sources in zip(
            *(pools[paper][key] for key in ("cands", "cand_source")), strict=True
        ):
            for source in sources if docno in grades[paper] else ():
                lists[paper].setdefault(source, []).append(docno)
    return lists, grades

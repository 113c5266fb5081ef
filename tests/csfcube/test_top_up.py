"""CSFCube without one system's own documents, topped up with that system, is CSFCube again."""

from __future__ import annotations

from dataclasses import replace

import pytest

from accounts.models import Collection, Role
from adjudication.labels import labelled_pairs
from adjudication.models import Case
from adjudication.services import Ruling
from annotation.models import Repeat, Slot
from annotation.services import Answer
from annotation.team import open_new_pairs, waiting_pairs
from csfcube.release import read_release
from csfcube.services import _create, import_csfcube
from evaluation.leaderboard.report import NamedLists, Options, evaluation_report
from evaluation.top_ups.services import TopUp, top_up_pools
from jobs.context import DirectRun
from pooling.models import Candidate
from pooling.rounds.manifest import round_manifest_file
from rebuilding.rounds import prove_round
from scoring.computation import Scorer
from scoring.labels import labels_of as graded_labels
from scoring.measures.profiles import profile_of
from scoring.statistics.paired import t_test
from scoring.systems.services import RunPath, read_system
from tests.csfcube.test_evaluation import PUBLISHED
from tests.support.factories import member
from tests.support.pooling_scenes import a_listed_run
from tests.support.sittings import decide_case, judge_at_once

pytestmark = [pytest.mark.csfcube, pytest.mark.django_db]
LATE = "title_tfidf"
NEVER_JUDGED = {"5111924", "41022419"}


def own_documents(release):
    """By query paper: the documents with text that LATE alone contributes."""
    return {
        paper: {
            pooled.docno
            for pooled in pool
            if pooled.sources == (LATE,)
            and pooled.docno in release.papers
            and pooled.docno not in {paper, *NEVER_JUDGED}
        }
        for paper, pool in release.pools.items()
    }


def without(release, held):
    """The release as if LATE had not taken part."""
    pools = {
        paper: tuple(pooled for pooled in pool if pooled.docno not in held[paper])
        for paper, pool in release.pools.items()
    }
    ratings = {
        key: replace(each, rated=tuple(row for row in each.rated if row.docno not in held[key.pid]))
        for key, each in release.ratings.items()
    }
    return replace(release, pools=pools, ratings=ratings)


@pytest.fixture(scope="module")
def release(csfcube):
    return read_release(csfcube)


@pytest.fixture(scope="module")
def held(release):
    return own_documents(release)


@pytest.fixture(scope="module")
def before(release, held, csfcube, rolled_back):
    """Both collections: the published one, and the one without LATE's own documents."""
    with rolled_back():
        import_csfcube(folder=csfcube)
        reduced = _create(without(release, held), "reduced", DirectRun())
        lists = {
            paper: [pooled.docno for pooled in pool if LATE in pooled.sources]
            for paper, pool in release.pools.items()
        }
        a_listed_run(reduced, LATE, lists)
        yield Collection.objects.get(slug="csfcube"), reduced


def pooled_documents(collection):
    rows = Candidate.objects.filter(pool__query_paper__collection=collection)
    documents: dict[str, set[tuple[str, str]]] = {}
    for paper, *candidate in rows.values_list(
        "pool__query_paper__name", "document__docno", "excluded"
    ):
        documents.setdefault(paper, set()).add(tuple(candidate))
    return documents


def judge_as_published(collection, release):
    """The new pairs get the published grades of both slots, and the published decisions."""
    rated = {
        (key.name, row.docno): row for key, each in release.ratings.items() for row in each.rated
    }
    slots = Slot.objects.of(collection).unjudged()
    slots = slots.select_related(
        "annotator", "pair__candidate__document", "pair__query__opening__guideline"
    )
    answers = []
    for slot in slots:
        row = rated[slot.pair.query.name, slot.pair.candidate.document.docno]
        grade = (row.first, row.second)[slot.number - 1]
        answers.append((slot, Answer(grade=grade, reason="" if grade is not None else "source")))
    judge_at_once(answers)
    adjudicator = member(collection, Role.ADJUDICATOR, "late-adjudicator")
    due = Case.objects.due().filter(query__collection=collection)
    for case in due.select_related("query", "candidate__document"):
        final = rated[case.query.name, case.candidate.document.docno].final
        reason = "" if final is not None else "source"
        decide_case(case, adjudicator, Ruling(grade=final, reason=reason))
    return len(answers)


def labels_of(collection):
    return {
        (pair.query, pair.docno): (pair.first, pair.second, pair.final)
        for pair in labelled_pairs(collection)
    }


def two_systems(collection, csfcube):
    """The lists of SPECTER, and the same documents by docno."""
    folder = csfcube / "eval_scripts" / "sample_ranked_pools"
    files = [RunPath(path, path.name) for path in sorted(folder.iterdir())]
    specter, _ = read_system(collection, files)
    lists = {query: list(ranking.docnos) for query, ranking in specter.items()}
    by_docno = {query: sorted(docnos) for query, docnos in lists.items()}
    return {"specter": lists, "by docno": by_docno}


def scored(collection, csfcube):
    """The rows of both systems by the profile csfcube."""
    systems = [
        NamedLists(name, lambda lists=lists: lists)
        for name, lists in two_systems(collection, csfcube).items()
    ]
    return evaluation_report(collection, systems, Options("csfcube")).as_json()


def conclusion(collection, csfcube, measure="NDCG%20"):
    """The difference of the two systems' means, and the p of the paired t test."""
    labels = graded_labels(collection)
    scorer = Scorer.of(collection, labels, [profile_of("csfcube", labels.relevant_from)])
    first, second = (
        scorer.scores(lists.items)[0].table[measure]
        for lists in two_systems(collection, csfcube).values()
    )
    differences = (first - second).sort_index().to_numpy()
    return differences.mean(), t_test(differences).value


def published_figures(report):
    (specter, _) = report["systems"]
    return {
        row["facet"]: {name: round(100 * value, 2) for name, value in row["measures"].items()}
        for row in specter["rows"]
        if row["split"] == "test" and row["facet"] != "all"
    }


def test_the_topped_up_collection_equals_the_published_one(before, release, held, csfcube):
    published, reduced = before
    expected = scored(published, csfcube)
    assert published_figures(expected) == PUBLISHED
    assert sum(map(len, held.values())) > 300
    assert pooled_documents(reduced) != pooled_documents(published)
    assert published_figures(scored(reduced, csfcube)) != PUBLISHED
    first_round = set(Candidate.objects.filter(pool__query_paper__collection=reduced).values_list())
    earlier = labels_of(reduced)

    pool_round = top_up_pools(
        collection=reduced,
        top_up=TopUp(runs=(LATE,), reason="This system came late.", depth=1000),
        work=DirectRun(),
    )
    assert waiting_pairs(reduced)
    people = [member(reduced, Role.ANNOTATOR, name) for name in ("new1", "new2", "new3")]
    opened = open_new_pairs(collection=reduced, substitutes=people)
    assert judge_as_published(reduced, release) == 2 * opened

    # Pools, labels, figures and conclusions are the published ones.
    assert pooled_documents(reduced) == pooled_documents(published)
    added = Candidate.objects.filter(pool__query_paper__collection=reduced, round=2)
    assert added.count() == sum(map(len, held.values()))
    assert labels_of(reduced) == labels_of(published)
    report = scored(reduced, csfcube)
    assert published_figures(report) == PUBLISHED
    assert [system["rows"] for system in report["systems"]] == [
        system["rows"] for system in expected["systems"]
    ]
    assert conclusion(reduced, csfcube) == conclusion(published, csfcube)
    # The first round and its judgments stayed as they were, and the round can be proven.
    assert first_round <= set(
        Candidate.objects.filter(pool__query_paper__collection=reduced).values_list()
    )
    assert {key: labels_of(reduced)[key] for key in earlier} == earlier
    assert Repeat.objects.of(reduced).exists()
    proof = prove_round(
        collection=reduced, manifest=round_manifest_file(pool_round), work=DirectRun()
    )
    assert (proof.documents, proof.earlier_pools) == (added.count(), 34)

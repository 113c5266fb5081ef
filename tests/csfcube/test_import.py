"""The importer, held to the numbers of the real release."""

from __future__ import annotations

import csv
from collections import Counter

import pytest

from accounts.models import User
from adjudication.labels import labelled_pairs
from annotation.models import Judgment, Opening, Pair, Reason, Slot
from corpus.models import Document, Query, QueryPaper
from csfcube.release import read_release
from csfcube.services import import_csfcube
from pooling.models import Candidate, Contribution, ExclusionReason, Pool
from tests.support.factories import everything

pytestmark = [pytest.mark.csfcube, pytest.mark.django_db]

QUERIES = "queries-release.csv"


def test_query_papers_and_queries(released, csfcube):
    with (csfcube / QUERIES).open(newline="") as file:
        listed = {f"{row['pid']}_{row['facet']}" for row in csv.DictReader(file)}

    assert QueryPaper.objects.filter(collection=released).count() == 34
    assert set(Query.objects.values_list("name", flat=True)) == listed
    assert len(listed) == 50


def test_rated_queries_are_open_and_the_others_not(released, ratings):
    opened = Opening.objects.of(released).values_list("query__name", "query__facet__key")

    assert {name for name, _ in opened} == set(ratings)
    assert Counter(facet for _, facet in opened) == {"background": 16, "method": 17}


def test_pairs_and_missing_judgments(released):
    pairs = Counter(Pair.objects.of(released).values_list("query__facet__key", flat=True))

    assert pairs == {"background": 1877, "method": 2174}
    assert Judgment.objects.count() == 2 * (1877 + 2174)
    assert Judgment.objects.filter(grade=None, reason=Reason.SOURCE).count() == 11
    assert not Slot.objects.unjudged().exists()


def test_pools_and_their_sources_are_those_of_the_file(released, pools):
    sources_of = {pid: [] for pid in pools}
    candidates = Candidate.objects.select_related("document", "pool__query_paper__document")
    for candidate in candidates.prefetch_related("contributions").order_by("pool", "position"):
        contributions = candidate.contributions.all()
        drawers = [contribution.source for contribution in contributions if contribution.drawn]
        others = {contribution.source for contribution in contributions if not contribution.drawn}
        sources_of[candidate.pool.query_paper.name].append(
            (candidate.document.docno, drawers, others)
        )

    assert sources_of == {
        pid: [
            (docno, sources[:1], set(sources[1:]))
            for docno, sources in zip(pool["cands"], pool["cand_source"], strict=True)
        ]
        for pid, pool in pools.items()
    }


def test_every_pool_is_what_was_cited_and_7_equal_draws(released):
    draws = Counter()
    for pool in Pool.objects.all():
        drawn = Contribution.objects.filter(candidate__pool=pool, drawn=True)
        sources = Counter(drawn.values_list("source", flat=True))
        del sources["cited"]
        assert len(sources) == 7
        draws[tuple(set(sources.values()))] += 1
        assert set(pool.retriever_order) == set(sources)

    assert draws == {(12,): 27, (33,): 7}


def test_the_two_never_judged_documents_stay_in_every_judged_pool(released, ratings):
    judged = {name.split("_")[0] for name in ratings}
    for pool in Pool.objects.select_related("query_paper__document"):
        excluded = dict(
            pool.candidates.exclude(excluded="").values_list("document__docno", "excluded")
        )
        if pool.query_paper.name in judged:
            assert excluded == dict.fromkeys(["5111924", "41022419"], ExclusionReason.NEVER_JUDGED)
        else:
            assert {"5111924", "41022419"} < set(excluded)
            assert set(excluded.values()) == {ExclusionReason.NO_TEXT}


def test_a_paper_judged_in_its_own_pool_is_imported_as_it_is(released):
    own = Pair.objects.filter(query__query_paper__name="8781666")

    assert own.filter(candidate__document__docno="8781666").count() == 1


def test_every_judgment_and_final_label_is_that_of_the_files(released, ratings):
    grades_of = {}
    for name, entry in ratings.items():
        annotators = sorted(key for key in entry if key.startswith("relevance_ann"))
        for place, docno in enumerate(entry["cands"]):
            grades = (entry[key][place] for key in (*annotators, "relevance_adju"))
            grades_of[name, docno] = [None if grade == -1 else grade for grade in grades]

    assert {
        (pair.query, pair.docno): [pair.first, pair.second, pair.final]
        for pair in labelled_pairs(released)
    } == grades_of


def test_every_query_keeps_its_two_annotators(released, ratings):
    for opening in Opening.objects.of(released):
        seats = opening.seats.order_by("number").values_list("annotator__username", flat=True)
        entry = ratings[opening.query.name]
        rated_by = sorted(key[-1] for key in entry if key.startswith("relevance_ann"))
        assert list(seats) == [f"csfcube-annotator-{number}" for number in rated_by]


def test_the_adjudicator_overruled_both_judges_as_often_as_published(released):
    overruled = Counter(pair.facet for pair in labelled_pairs(released) if pair.overruled)

    assert overruled == {"background": 58, "method": 44}


def test_texts_are_those_of_the_release(released, csfcube):
    release = read_release(csfcube)

    assert {
        document.docno: document.text
        for document in Document.objects.filter(collection=released).with_text()
    } == {
        pid: (pid, paper.title, list(paper.sentences), list(paper.labels))
        for pid, paper in release.papers.items()
    }


def test_no_imported_account_can_log_in(released):
    people = User.objects.filter(memberships__collection=released)

    assert people.count() == 5
    assert not any(user.is_active or user.has_usable_password() for user in people)


def test_the_same_release_again_changes_nothing(released, csfcube):
    before = everything()

    assert import_csfcube(folder=csfcube).unchanged
    assert everything() == before

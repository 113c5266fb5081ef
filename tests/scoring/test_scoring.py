"""Scores by type of candidate, and where the folds of a collection come from."""

from __future__ import annotations

import pytest

from evaluation.leaderboard.report import NamedLists, Options, evaluation_report
from scoring.computation import folds_of
from scoring.measures.scopes import Scope
from scoring.models import FoldPlan
from tests.support.citation_scenes import MODELS, OTHERS, an_mdcr_collection
from tests.support.factories import a_collection

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@pytest.mark.parametrize(("scope", "precision"), [(None, 1), (Scope.OPEN, (1 / 2 + 2 / 3) / 2)])
def test_by_type_a_list_has_labelled_candidates_only_and_a_query_without_a_list_scores_0(
    scope, precision
):
    """The positives of q1 are d01 and d02."""
    collection = an_mdcr_collection()
    lists = {"q1_method": ["outside", "d01", "d02"]}

    report = evaluation_report(
        collection,
        [NamedLists("mine", lambda: lists)],
        Options("mdcr", source="citations", scope=scope),
    ).as_json()

    values = {
        (row["field"], row["candidates"]): row["measures"]["AP"]
        for row in report["systems"][0]["rows"]
    }
    assert values["Biology", "all"] == pytest.approx(precision)
    assert values["mean over fields", "all"] == pytest.approx(precision / 2)
    for source in (*MODELS, *OTHERS):
        assert (values["Biology", source], values["Physics", source]) == (1, 0)


def test_a_measure_of_ir_measures_is_scored_alone():
    lists = {"q1_method": ["outside", "d01", "d02"]}

    report = evaluation_report(
        an_mdcr_collection(),
        [NamedLists("mine", lambda: lists)],
        Options("mdcr", measures="SetP", source="citations"),
    ).as_json()

    (biology,) = (
        row["measures"]
        for row in report["systems"][0]["rows"]
        if (row["field"], row["candidates"]) == ("Biology", "all")
    )
    assert biology == {"SetP": 1}


def test_a_collection_has_two_folds_until_its_own_plan_says_otherwise():
    collection = a_collection()
    FoldPlan.objects.create(collection=a_collection("other"), made=4)
    facets = dict.fromkeys("abcd", "method")

    assert folds_of(collection, facets).count == 2
    FoldPlan.objects.create(collection=collection, made=3)
    assert folds_of(collection, facets).count == 3

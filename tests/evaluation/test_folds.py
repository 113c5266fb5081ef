"""Folds: imported ones stay, others are made from the seed."""

from __future__ import annotations

from collections import Counter

import pytest
from django.urls import reverse

from corpus.models import Query
from corpus.ordering import order_key
from evaluation.folds import make_folds
from tests import builders
from web.errors import BadInput, Conflict

pytestmark = pytest.mark.django_db


@pytest.fixture
def queries(collection, papers):
    return [
        builders.query(collection, paper, facet)
        for facet, number in (("background", 5), ("method", 4))
        for paper in papers[:number]
    ]


def folds_of(collection):
    return dict(collection.queries.values_list("name", "fold"))


def test_folds_are_even_within_each_facet_and_come_from_the_seed(collection, queries):
    make_folds(collection)
    counts = Counter(collection.queries.values_list("facet", "fold"))
    assert counts == {("background", 1): 3, ("background", 2): 2, ("method", 1): 2, ("method", 2): 2}
    method = [query.name for query in queries if query.facet == "method"]
    first = sorted(method, key=lambda name: order_key(collection.seed, "folds", "method", name))[::2]
    assert set(first) == set(collection.queries.filter(facet="method", fold=1).values_list("name", flat=True))
    made = folds_of(collection)
    make_folds(collection, number=4)
    assert set(Counter(collection.queries.filter(facet="method").values_list("fold", flat=True)).values()) == {1}
    make_folds(collection)
    assert folds_of(collection) == made


def test_imported_folds_never_change(collection, queries):
    Query.objects.filter(pk=queries[0].pk).update(fold=2)
    before = folds_of(collection)
    with pytest.raises(Conflict):
        make_folds(collection)
    assert folds_of(collection) == before


def test_a_facet_needs_a_query_for_each_fold(collection, papers, queries):
    builders.query(collection, papers[9], "result")
    with pytest.raises(BadInput, match="result"):
        make_folds(collection)
    assert set(folds_of(collection).values()) == {None}


def test_the_leaderboard_makes_them_and_says_where_they_come_from(collection, papers, query, people, as_):
    other = builders.query(collection, papers[9])
    builders.opened(other, papers[1:3], people.ann, people.bob)
    builders.judge_all(other, {"d01": (2, 2), "d02": (0, 0)})
    builders.run(collection, "good", {other: ["d01"]})
    client, board = as_("admin"), reverse("leaderboard", args=[collection.slug])

    def choice(**parameters):
        return client.get(board, parameters).context["choice"]

    assert choice().lacks_folds
    assert not choice(profile="trec").lacks_folds
    assert client.post(reverse("make-folds", args=[collection.slug])).url == board
    made = choice()
    assert (made.lacks_folds, made.folds_made, len(made.splits)) == (False, True, 2)
    assert "made" in made.said
    late = builders.query(collection, papers[10])
    builders.opened(late, papers[1:2], people.ann, people.bob)
    builders.judge_all(late, {"d01": (2, 2)})
    assert choice().lacks_folds

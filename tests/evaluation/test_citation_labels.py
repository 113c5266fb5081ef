"""Systems scored by citations, beside or instead of judgments."""

from __future__ import annotations

import pytest
from django.urls import reverse

from evaluation import scores
from jobs.models import Report
from jobs.work import run_now
from pooling.building import freeze_pools
from tests import builders

pytestmark = pytest.mark.django_db


@pytest.fixture
def pooled(collection, papers):
    """d00 cites d01 and d02 of its pool d01 to d04: `good` ranks them first, `poor` last. Nothing is judged."""
    papers[0].cites = ["d01", "d02", "elsewhere"]
    papers[0].save()
    query = builders.query(collection, papers[0])
    good = ["d01", "d02", "d03", "d04"]
    builders.run(collection, "good", {query: good})
    builders.run(collection, "poor", {query: good[::-1]})
    plan = {"strategy": "interleaved", "n": 4, "sources": ["good"], "forced": [], "depths": {}, "queries": []}
    run_now("build_pools", collection=collection, plan=plan)
    freeze_pools(collection=collection, pk=collection.pool_sets.get().pk)
    return query


def test_what_the_query_paper_cites_is_relevant_and_no_other_candidate(pooled, collection):
    assert scores.citation_labels(collection) == {"d00_method": {"d01": 1, "d02": 1, "d03": 0, "d04": 0}}


def test_what_was_pooled_as_cited_counts_and_the_query_paper_and_topics_do_not(collection, papers):
    builders.frozen_pool(builders.query(collection, papers[5]), papers[5:7])
    builders.frozen_pool(builders.topic(collection, "t1", "Trees"), papers[1:3])
    assert scores.citation_labels(collection) == {"d05_method": {"d06": 1}}


def test_without_judgments_the_leaderboard_is_by_citations_and_says_so(pooled, collection, as_):
    address = reverse("leaderboard", args=[collection.slug])
    answer = as_("admin").get(address, {"profile": "trec", "scope": "closed"})
    assert "citations, not judgments" in answer.content.decode()
    rows = answer.context["panels"][0]["rows"]
    measures = answer.context["choice"].profile.measures
    assert measures[0] == "AP"  # relevant from 1, whatever the collection's threshold
    found = {row["name"]: row["values"][0] for row in rows}
    assert found == pytest.approx({"good": 1.0, "poor": (1 / 3 + 2 / 4) / 2})


def test_judgments_come_first_and_the_scores_of_both_are_kept(query, people, collection, as_):
    builders.judge_all(query, {f"d{number:02}": (3 * (number == 8), 3 * (number == 8)) for number in range(1, 9)})
    builders.run(collection, "good", {query: ["d08", "d01"]})
    # The builder's pool has all candidates as cited.
    client, address = as_("admin"), reverse("leaderboard", args=[collection.slug])
    parameters = {"profile": "trec", "scope": "closed"}
    assert "not judgments" not in client.get(address, parameters).content.decode()
    for labels in ("citations", "final"):
        answer = client.get(address, parameters | {"labels": labels})
        assert ("not judgments" in answer.content.decode()) == (labels == "citations")
        assert answer.context["choice"].source == labels
    assert Report.objects.filter(kind=scores.KIND).count() == 2


def test_system_and_comparison_take_citations_too(pooled, collection, as_):
    client = as_("admin")
    run = collection.runs.get(name="poor")
    for name, arguments in (("system", [run.pk]), ("compare", [])):
        answer = client.get(reverse(name, args=[collection.slug, *arguments]), {"labels": "citations"})
        assert answer.context["choice"].source == "citations"
        assert answer.status_code == 200

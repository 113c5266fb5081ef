"""MDCR's published pools as a collection, beside the table of `score_mdcr` on the same files."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError, call_command
from django.urls import reverse

from evaluation import scores
from evaluation.mdcr import ALL, MEAN, score_pools
from evaluation.measures import TREC, profile, score
from jobs.work import run_now
from pooling.building import freeze_pools
from pooling.models import Candidate, PoolSet
from pooling.published import pools_of
from retrieval.models import Run
from tests import builders

pytestmark = pytest.mark.django_db

# q1 is in two fields; b of q1 in Art is of two types; x of q2 is cited and of a type; q3 has no random candidates.
POOLS = {
    "Art": {"q1": {"bm25": ["a", "b"], "random": ["b", "c"], "true": ["x", "y"]}},
    "Computer Science": {
        "q1": {"bm25": ["d"], "random": ["e"], "true": ["x"]},
        "q2": {"bm25": ["a"], "random": ["c", "x"], "true": ["x"]},
        "q3": {"bm25": ["b", "e"], "random": [], "true": ["z"]},
    },
}
SCORES = {
    **{"q1_a": 3, "q1_x": 2, "q1_b": 2, "q1_y": 1.5, "q1_c": 0, "q1_d": 2.5, "q1_e": 1},
    **{"q2_a": 1, "q2_c": 3, "q2_x": 2},
    **{"q3_b": 1, "q3_e": 5, "q3_z": 2, "q9_a": 4},
}


@pytest.fixture
def published(tmp_path, collection):
    """Imports these pools, and scores as the system of a name; papers a and q2 have texts."""
    collection.facets = []
    collection.save()
    builders.document(collection, "a")
    builders.document(collection, "q2", fields=["History", "Art"], cites=["c", "x"])

    def publish(pools=POOLS, **systems):
        path = tmp_path / "pools.json"
        path.write_text(json.dumps(pools))
        call_command("import_mdcr", collection.slug, path)
        for name, values in systems.items():
            (tmp_path / f"{name}.json").write_text(json.dumps(values))
            call_command("import_scores", collection.slug, tmp_path / f"{name}.json", name=name)
        return collection

    return publish


def board(client, collection, **parameters):
    """The rows of the leaderboard and of its table by type, by the system's name."""
    context = client.get(reverse("leaderboard", args=[collection.slug]), parameters).context
    by_type = {row["run"].name: dict(zip(context["kinds"], row["values"], strict=True)) for row in context["by_type"]}
    return {row["name"]: row["figures"] for row in context["panels"][0]["rows"]}, by_type, context["choice"]


def test_the_leaderboard_opens_with_the_figures_of_the_published_script(published, as_):
    reverse_scores = {pair: -value for pair, value in SCORES.items()}
    collection = published(mine=SCORES, worse=reverse_scores)
    for name, values in (("mine", SCORES), ("worse", reverse_scores)):
        table = score_pools(POOLS, values) / 100
        for measure in table.columns:
            rows, by_type, choice = board(as_("admin"), collection, by=measure)
            assert (choice.profile.name, choice.source, choice.by) == ("mdcr", "citations", measure)
            assert rows[name][measure] == pytest.approx(table.at[(ALL, MEAN), measure], abs=1e-6)
            expected = {kind: table.at[(kind, MEAN), measure] for kind in ("bm25", "random")}
            assert by_type[name] == pytest.approx(expected)


def test_papers_types_and_labels_are_those_of_the_file(published):
    collection = published()
    assert collection.documents.filter(title="").count() == 9  # all but a and q2
    assert set(collection.queries.values_list("name", "field")) == {
        ("q1_Art", "Art"),
        ("q1_Computer-Science", "Computer Science"),
        ("q2", "Computer Science"),
        ("q3", "Computer Science"),
    }
    assert Candidate.objects.get(pool__query__name="q2", document__docno="x").source == "true"
    labels = scores.citation_labels(collection)
    assert labels["q2"] == {"x": 1, "a": 0, "c": 0}  # the text's references are not the benchmark's
    assert labels["q1_Art"] == {"x": 1, "y": 1, "a": 0, "b": 0, "c": 0}
    again = pools_of(collection)
    assert {kind: set(docnos) for kind, docnos in again["Art"]["q1_Art"].items()} == {
        kind: set(docnos) for kind, docnos in POOLS["Art"]["q1"].items()
    }
    with pytest.raises(Exception, match="frozen"):
        Candidate.objects.filter(pool__query__name="q2").delete()


def test_scores_go_to_the_published_source_of_the_name_once(published, tmp_path):
    collection = published(bm25=SCORES)
    run = Run.objects.get(collection=collection, name="bm25")
    assert (run.kind, run.lists.get(query__name="q1_Art").docnos) == ("published", ["a", "x", "b", "y", "c"])
    with pytest.raises(CommandError, match="has lists for these queries already"):
        call_command("import_scores", collection.slug, tmp_path / "bm25.json", name="bm25")


def test_a_run_file_ranks_a_query_paper_in_all_its_fields(published, tmp_path):
    collection = published()
    (tmp_path / "run.txt").write_text("q1 Q0 x 1 2.0 r\nq1 Q0 e 2 1.0 r\nq2 Q0 a 1 2.0 r\n")
    call_command("import_run", collection.slug, tmp_path / "run.txt", name="mine")
    lists = scores.lists_of(collection.runs.get(name="mine"))
    assert lists == {"q1_Art": ["x", "e"], "q1_Computer-Science": ["x", "e"], "q2": ["a"]}


def test_pools_drawn_here_are_scored_by_type_too(collection, as_):
    collection.facets = []
    collection.save()
    for number in range(120):
        cites = [f"p{n:03}" for n in range(1, 9)] if number < 2 else [f"p{number % 60:03}", f"p{number % 7 + 1:03}"]
        builders.document(collection, f"p{number:03}", cites=cites, fields=["Art" if number % 2 else "Biology", "Law"])
    queries = [builders.query(collection, collection.documents.get(docno=docno), "") for docno in ("p000", "p001")]
    up = [f"p{number:03}" for number in range(120)]
    for name, docnos in (("a", up), ("b", up[::-1]), ("c", up[::2] + up[1::2])):
        builders.run(collection, name, dict.fromkeys(queries, docnos))
    plan = {"strategy": "mdcr", "n": 4, "sources": ["a", "b", "c"], "forced": [], "depths": {}, "queries": []}
    run_now("build_pools", collection=collection, plan=plan)
    freeze_pools(collection=collection, pk=collection.pool_sets.get().pk)

    pools: dict[str, dict[str, dict[str, list[str]]]] = {"Biology": {"p000": {}}, "Art": {"p001": {}}}
    rows = Candidate.objects.values_list("pool__query__name", "source", "document__docno")
    for query, source, docno in rows:
        pools["Biology" if query == "p000" else "Art"][query].setdefault(source, []).append(docno)
    values = {f"{query}_{docno}": 200.0 - place for query in ("p000", "p001") for place, docno in enumerate(up)}
    table = score_pools(pools, values) / 100
    _, by_type, choice = board(as_("admin"), collection)
    assert choice.profile.name == "mdcr"
    assert by_type["a"] == pytest.approx(
        {kind: table.at[(kind, MEAN), "AP"] for kind in ["a", "b", "c", "graph", "most_cited", "random"]}
    )


def test_long_work_scores_a_part_at_a_time(published, monkeypatch):
    monkeypatch.setattr(scores, "TOGETHER", 1)
    collection = published(mine=SCORES)
    wanted = profile(TREC, 1)
    about = {"profile": TREC, "scope": wanted.scope, "measures": list(wanted.measures), "source": "citations"}
    run_now("score_runs", collection=collection, **about)
    run = collection.runs.get(name="mine")
    stored = scores.stored_scores(collection, [run], wanted, "citations")[run.pk]
    expected = score(scores.lists_of(run), scores.citation_labels(collection), wanted.measures, scope=wanted.scope)
    assert stored.equals(expected)


@pytest.mark.parametrize(
    ("pools", "error"),
    [
        ({"Art" * 20: POOLS["Art"]}, "at most 40 characters"),
        ({"Art": {"q1": {"most cited": ["a"], "true": ["x"]}}}, "type of candidates"),
        ({"Art": {"q1": {"true": ["x y"]}}}, "white space"),
        ({"Art": POOLS["Art"], "Law": {**POOLS["Art"], "q1_Art": {"true": ["x"]}}}, "q1_Art is another query's"),
    ],
)
def test_pools_that_do_not_fit_are_refused_and_nothing_is_written(published, collection, pools, error):
    with pytest.raises(CommandError, match=error):
        published(pools)
    assert not PoolSet.objects.exists()
    assert not collection.runs.exists()


def test_a_collection_with_queries_and_scores_with_gaps_are_refused(published):
    published()
    with pytest.raises(CommandError, match="has queries or runs already"):
        published()


def test_a_pair_without_a_score_is_named(published):
    with pytest.raises(CommandError, match="q2: 1 pairs have no score, such as 'q2_c'"):
        published(mine={pair: value for pair, value in SCORES.items() if pair != "q2_c"})

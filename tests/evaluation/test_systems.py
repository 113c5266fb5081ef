"""Import, score, show and remove systems, with the collection of the release tests."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Slot
from evaluation.leaderboard import Place, leaderboard
from evaluation.measures.profiles import TREC
from evaluation.models import Scores, System
from evaluation.results import measures_of, per_query
from evaluation.services import EvaluationError, evaluate, out_of_date, save_folds, unscored_runs
from evaluation.systems.services import RunPath, SystemFault, delete_system, import_system
from release.services import publish_release
from tests.support.pooling_scenes import a_listed_run
from tests.support.release_scenes import a_judged_collection, an_opened_collection
from tests.support.releases import EVERY_EXCEPTION
from tests.support.sittings import judge
from tests.support.visits import client_of

pytestmark = pytest.mark.django_db


@pytest.fixture
def collection():
    """Labels: q1_background d2 2; q1_method d1 3, d2 2; q2_method d1 1, d3 2; others 0."""
    return a_judged_collection()


def write(tmp_path, name: str, content: object) -> RunPath:
    path = tmp_path / name
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return RunPath(path, name)


def imported(collection, tmp_path, content, name="mine", **options) -> System:
    file = write(tmp_path, "mine.json", content)
    return import_system(collection=collection, name=name, files=[file], **options)


def evaluated(capsys, *arguments: str) -> dict:
    call_command("evaluate", *arguments, "--format", "json")
    return json.loads(capsys.readouterr().out)


def means(report: dict, system: int = 0, split: str = "all") -> dict:
    rows = report["systems"][system]["rows"]
    return {row["facet"]: row["measures"] for row in rows if row["split"] == split}


def test_a_file_scores_the_same_stored_and_not_and_in_the_api(collection, tmp_path, capsys):
    path = tmp_path / "r.run"
    path.write_text("q1_background Q0 d2 1 2 t\nq1_method Q0 d3 1 2 t\nq1_method Q0 d1 2 1 t\n")

    unstored = evaluated(capsys, "small", str(path), "--system", "mine")
    assert not collection.systems.exists()
    evaluated(capsys, "small", str(path), "--system", "mine", "--save")
    stored = evaluated(capsys, "small", "mine")
    evaluate(collection=collection)
    answer = client_of("admin").get("/api/v1/collections/small/evaluation/").json()

    assert means(unstored) == means(stored) == means(answer)
    # q2_method has no list and counts as 0; q1_method finds one of two documents, at rank 2.
    assert means(stored)["background"]["AP"] == 1
    assert means(stored)["method"]["AP"] == pytest.approx((1 / 2 / 2 + 0) / 2)
    assert means(stored)["all"]["AP"] == pytest.approx((1 + 1 / 4) / 3)
    row = next(row for row in answer["systems"][0]["rows"] if row["facet"] == "all")
    assert (row["queries"], row["left_out"], row["without_list"]) == (3, 0, 1)


def test_a_runs_list_is_for_every_query_of_the_paper(collection):
    a_listed_run(collection, "up", {"q1": ("d1", "d2", "d3"), "q2": ("d4", "d3", "d1")})
    evaluate(collection=collection)

    values = per_query(collection, "AP")["up"]
    assert values["q1_background"] == 1 / 2
    assert values["q1_method"] == 1
    assert values["q2_method"] == pytest.approx((1 / 2 + 2 / 3) / 2)
    assert "nDCG@10" in measures_of(collection)


def test_a_file_for_each_facet_is_one_system(collection, tmp_path):
    files = [
        write(tmp_path, f"x-{facet}.json", {"q1": [[docno, 0.5]]})
        for facet, docno in (("background", "d2"), ("method", "d3"))
    ]
    system = import_system(collection=collection, name="x", files=files)

    lists = dict(system.rankings.values_list("query__name", "docnos"))
    assert lists == {"q1_background": ["d2"], "q1_method": ["d3"]}
    with pytest.raises(SystemFault, match="which has one already"):
        import_system(collection=collection, name="x", files=[files[0], files[0]])


def test_what_is_left_out_is_counted(collection, tmp_path):
    content = {"q1": [["q1", 9], ["d1", 3], ["d1", 2], ["nowhere", 1]], "other": [["d1", 1]]}
    report = imported(collection, tmp_path, content).report

    assert report["lists"] == 2  # for both queries of the paper q1
    assert report["duplicates"] == report["unknown_topics"] == 1
    assert report["outside_corpus"] == report["query_papers_themselves"] == 2
    assert report["unknown_topic_examples"] == ["other"]
    assert report["unknown_documents"] == ["nowhere"]
    assert report["queries_without_list"] == 1


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ({"other": [["d1", 1]]}, r"none of its topics is a query .*\(the first is 'other'\)"),
        ({"q1": [["x1", 1]]}, "none of its documents is in small .*'x1'"),
        ({"q1": []}, "its lists are empty"),
        ('{"q1": [["d1", NaN]]}', "finite number"),
        ("", "no lines"),
    ],
)
def test_a_file_of_another_collection_is_refused_and_nothing_is_kept(
    collection, tmp_path, content, problem
):
    with pytest.raises(SystemFault, match=problem):
        imported(collection, tmp_path, content)
    assert not System.objects.exists()


def test_names_of_runs_and_invalid_names_are_refused(collection, tmp_path):
    a_listed_run(collection, "up", {"q1": ["d1"]})
    content = {"q1": [["d1", 1]]}

    for name, problem in (("up", "the name of a run"), ("a b", "not a valid name")):
        with pytest.raises(SystemFault, match=problem):
            imported(collection, tmp_path, content, name=name)


def test_scores_are_computed_again_only_where_labels_lists_or_folds_changed(collection, tmp_path):
    imported(collection, tmp_path, {"q1": [["d1", 1]]}, name="one")
    imported(collection, tmp_path, {"q1": [["d2", 1]]}, name="two")
    assert evaluate(collection=collection)["scored"] == 2
    assert evaluate(collection=collection) == {"scored": 0, "unchanged": 2, "name_clashes": []}
    before = list(Scores.objects.order_by("pk").values_list("pk", "computed_at"))

    imported(collection, tmp_path, {"q1": [["d3", 1]]}, name="two")
    assert [system.name for system in out_of_date(collection)] == ["two"]
    evaluate(collection=collection)
    kept = set(before) & set(Scores.objects.values_list("pk", "computed_at"))
    assert len(kept) == 3  # those of "one"

    save_folds(
        collection=collection,
        folds={"q1_background": 1, "q1_method": 1, "q2_method": 2},
        filename="f",
    )
    assert len(out_of_date(collection)) == 2


def test_a_revised_judgment_makes_scores_out_of_date(collection, tmp_path):
    imported(collection, tmp_path, {"q1": [["d1", 1]]})
    evaluate(collection=collection)
    slot = Slot.objects.get(
        pair__query__name="q1_background", pair__candidate__document__docno="d2", number=1
    )
    judge(slot, 1)

    assert len(out_of_date(collection)) == 1


def test_a_run_made_later_is_named_and_a_removed_run_loses_its_scores(collection):
    a_listed_run(collection, "up", {"q1": ["d1"]})
    assert unscored_runs(collection) == ["up"]
    evaluate(collection=collection)
    with pytest.raises(SystemFault, match="is a run"):
        delete_system(system=collection.systems.get())
    collection.runs.all().delete()
    evaluate(collection=collection)

    assert not System.objects.exists()
    assert not Scores.objects.exists()


def test_without_labels_nothing_can_be_scored(tmp_path):
    collection = an_opened_collection()
    imported(collection, tmp_path, {"q1": [["d1", 1]]})

    with pytest.raises(EvaluationError, match="No pair of small has a final label"):
        evaluate(collection=collection)


def test_folds_must_cover_the_opened_queries(collection):
    with pytest.raises(EvaluationError, match="q1_method is in no fold"):
        save_folds(collection=collection, folds={"q1_background": 1, "q2_method": 2}, filename="f")
    with pytest.raises(EvaluationError, match="none of its queries"):
        save_folds(collection=collection, folds={"x": 1}, filename="f")


def test_repetitions_are_one_line_of_the_leaderboard(collection, tmp_path):
    for name, docno in (("a-1", "d1"), ("a-2", "d2"), ("b", "d1")):
        group = "" if name == "b" else "a"
        content = {"q1_method": [[docno, 1]]}
        imported(collection, tmp_path, content, name=name, repetition_of=group)
    evaluate(collection=collection)
    lines = leaderboard(collection, TREC, Place("method", "all"), "nDCG@10")

    assert [(line.rank, line.name, line.repetitions) for line in lines] == [
        (1, "b", ()),
        (2, "a", ["a-1", "a-2"]),
    ]
    assert lines[1].deviations is not None
    assert lines[1].deviations["nDCG@10"] > 0


def test_labels_of_each_source_and_of_a_release_can_be_chosen(
    collection, tmp_path, capsys, settings
):
    settings.RELEASE_DIR = tmp_path / "releases"
    publish_release(collection=collection, version="1.0", accept=EVERY_EXCEPTION)
    file = write(tmp_path, "m.json", {"q1_background": [["d3", 2], ["d2", 1]]})

    def background(source: str) -> float:
        report = evaluated(capsys, "small", str(file.path), "--qrels", source)
        return means(report)["background"]["nDCG@10"]

    assert background("final") == background("release:1.0")
    # d3 has the grades 1 and 3, and the decision 0.
    assert background("final") < background("slot1") < background("slot2")
    assert background("minimum") == background("slot1")
    with pytest.raises(CommandError, match=r"Published versions: 1\.0"):
        background("release:2")
    with pytest.raises(CommandError, match='Unknown labels "mine"'):
        background("mine")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        (("nowhere",), "no such file, run or system"),
        (("--system", "x"), "Give at least one file"),
        (("--measures", "nDG"), "Did you mean nDCG"),
        (("--splits", "nowhere.json"), "cannot be read"),
    ],
)
def test_the_command_says_what_is_wrong(collection, arguments, problem):
    with pytest.raises(CommandError, match=problem):
        call_command("evaluate", "small", *arguments)


def test_the_leaderboard_asks_as_many_questions_for_many_systems(collection, tmp_path):
    client = client_of("admin")
    content = {"q1": [["d1", 1]]}

    def questions(number: int) -> int:
        for each in range(number):
            imported(collection, tmp_path, content, name=f"s{each}")
        evaluate(collection=collection)
        with CaptureQueriesContext(connection) as few:
            assert client.get("/c/small/evaluation/").status_code == 200
            assert client.get("/c/small/evaluation/systems/").status_code == 200
        return len(few)

    assert questions(1) == questions(6)


def test_the_files_of_the_leaderboard_have_the_values_of_the_page(collection, tmp_path):
    imported(collection, tmp_path, {"q1_background": [["d2", 1]]}, name="my_system")
    evaluate(collection=collection)
    address = "/c/small/evaluation/?profile=trec&facet=background&split=all&measure=AP"
    client = client_of("admin")

    page = client.get(address).content.decode()
    csv = client.get(f"{address}&format=csv").content.decode()
    latex = client.get(f"{address}&format=latex").content.decode()
    assert "100.00" in page
    assert "1,my_system,imported,False,1,0,0,1.0," in csv
    assert r"my\_system & \textbf{100.00}" in latex

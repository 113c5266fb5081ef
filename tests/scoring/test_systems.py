"""Import, score, show and remove systems, with the collection of the release tests."""

from __future__ import annotations

import json

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from annotation.models import Slot
from evaluation.leaderboard.rows import LeaderboardPlace, leaderboard
from release.services import publish_release
from scoring.folds import Folds
from scoring.measures.profiles import CSFCUBE, MDCR, TREC, profile_of
from scoring.models import Scores, System
from scoring.results import measures_of, per_query
from scoring.services import (
    EvaluationError,
    changed_since_scored,
    evaluate,
    make_folds,
    out_of_date,
    save_folds,
    unscored_runs,
)
from scoring.systems.services import RunPath, SystemFault, delete_system, import_system
from tests.support.pooling_scenes import a_listed_run
from tests.support.release_scenes import a_judged_collection, an_opened_collection
from tests.support.releases import EVERY_EXCEPTION
from tests.support.sittings import judge
from tests.support.visits import client_of
from tests.support.worlds import once_a_file

pytestmark = [pytest.mark.django_db, pytest.mark.one_database]


@once_a_file
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
    call_command("score_systems", *arguments, "--format", "json")
    return json.loads(capsys.readouterr().out)


def means(report: dict, system: int = 0, split: str = "all") -> dict:
    rows = report["systems"][system]["rows"]
    return {row["facet"]: row["measures"] for row in rows if row["split"] == split}


def whole_row(report: dict) -> dict:
    rows = report["systems"][0]["rows"]
    return next(row for row in rows if row["facet"] == row["split"] == "all")


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
    assert means(stored)["background"]["AP(rel=2)"] == 1
    assert means(stored)["method"]["AP(rel=2)"] == pytest.approx((1 / 2 / 2 + 0) / 2)
    assert means(stored)["all"]["AP(rel=2)"] == pytest.approx((1 + 1 / 4) / 3)
    heads = [
        {key: report[key] for key in report if key not in ("systems", "out_of_date")}
        for report in (unstored, stored, answer)
    ]
    assert heads[0] == heads[1] == heads[2]
    assert (answer["scope"], answer["relevant_from"]) == ("open", 2)
    assert answer["folds"]["origin"] == "made from the seed"
    row = whole_row(answer)
    assert (row["queries"], row["left_out"], row["without_list"]) == (3, 0, 1)


def test_a_runs_list_is_for_every_query_of_the_paper(collection):
    a_listed_run(collection, "up", {"q1": ("d1", "d2", "d3"), "q2": ("d4", "d3", "d1")})
    evaluate(collection=collection)

    values = per_query(collection, "AP(rel=2)")["up"]
    assert values["q1_background"] == 1 / 2
    assert values["q1_method"] == 1
    assert values["q2_method"] == 1 / 2  # d3 at rank 2; d1 has grade 1
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


def test_documents_outside_the_corpus_keep_their_ranks(collection, tmp_path, capsys):
    """As trec_eval scores the list; without them, d2 would have rank 1."""
    system = imported(collection, tmp_path, {"q1_background": [["nowhere", 9], ["d2", 1]]})

    assert list(system.rankings.values_list("docnos", flat=True)) == [["nowhere", "d2"]]
    assert means(evaluated(capsys, "small", "mine"))["background"]["AP(rel=2)"] == 1 / 2


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

    numbers = {"q1_background": 1, "q1_method": 1, "q2_method": 2}
    save_folds(collection=collection, folds=Folds(numbers, "f"))
    assert len(out_of_date(collection)) == 2
    evaluate(collection=collection)
    make_folds(collection=collection, number=0)
    assert len(out_of_date(collection)) == 2


def test_a_revised_judgment_makes_scores_out_of_date(collection, tmp_path):
    imported(collection, tmp_path, {"q1": [["d1", 1]]})
    evaluate(collection=collection)
    slot = Slot.objects.get(
        pair__query__name="q1_background", pair__candidate__document__docno="d2", number=1
    )
    judge(slot, 1)

    assert len(out_of_date(collection)) == 1
    assert changed_since_scored(collection) == (["mine"], "the labels")
    numbers = {"q1_background": 1, "q1_method": 1, "q2_method": 2}
    save_folds(collection=collection, folds=Folds(numbers, "f"))
    imported(collection, tmp_path, {"q1": [["d1", 1]]}, name="unscored")
    late = (["mine", "unscored"], "the labels and the folds")
    assert changed_since_scored(collection) == late


def test_nothing_is_said_to_have_changed_for_a_system_without_scores(collection, tmp_path):
    imported(collection, tmp_path, {"q1": [["d1", 1]]}, name="one")
    assert changed_since_scored(collection) == (["one"], "")
    evaluate(collection=collection)
    assert changed_since_scored(collection) == ([], "")
    imported(collection, tmp_path, {"q1": [["d2", 1]]}, name="one")
    assert changed_since_scored(collection) == (["one"], "")  # it is another system


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
    for numbers, problem in (
        ({"q1_background": 1, "q2_method": 2}, "q1_method is in no fold"),
        ({"x": 1}, "tests none of the queries"),
        ({"q1_background": 0, "q1_method": 0, "q2_method": 0}, "tests none of the queries"),
    ):
        with pytest.raises(EvaluationError, match=problem):
            save_folds(collection=collection, folds=Folds(numbers, "f"))
    with pytest.raises(EvaluationError, match="from 0 to 20, got 21"):
        make_folds(collection=collection, number=21)


def test_repetitions_are_one_line_of_the_leaderboard(collection, tmp_path):
    for name, docno in (("a-1", "d1"), ("a-2", "d2"), ("b", "d1")):
        group = "" if name == "b" else "a"
        content = {"q1_method": [[docno, 1]]}
        imported(collection, tmp_path, content, name=name, repetition_of=group)
    evaluate(collection=collection)
    lines = leaderboard(
        collection, profile_of(TREC, 2), LeaderboardPlace("method", "all"), "nDCG@10"
    )

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
        call_command("score_systems", "small", *arguments)


def test_the_leaderboard_asks_as_many_questions_for_many_systems(collection, tmp_path):
    client = client_of("admin")
    content = {"q1": [["d1", 1]]}

    def questions(number: int) -> int:
        for each in range(number):
            imported(collection, tmp_path, content, name=f"s{each}")
        evaluate(collection=collection)
        with CaptureQueriesContext(connection) as few:
            assert client.get("/c/small/evaluation/").status_code == 200
            assert client.get("/c/small/systems/s0").status_code == 200
        return len(few)

    assert questions(1) == questions(6)


def test_the_files_of_the_leaderboard_have_the_values_of_the_page(collection, tmp_path):
    imported(collection, tmp_path, {"q1_background": [["d2", 1]]}, name="my_system")
    evaluate(collection=collection)
    address = "/c/small/evaluation/?profile=trec&facet=background&split=all&measure=AP(rel=2)"
    client = client_of("admin")

    page = client.get(address).content.decode()
    csv = client.get(f"{address}&format=csv").content.decode()
    latex = client.get(f"{address}&format=latex").content.decode()
    assert "100.00" in page
    assert "1,my_system,imported,False,1,0,0,open,True,0,2,1.0," in csv
    assert r"my\_system (re-ranks the pool) & \textbf{100.00}" in latex


# Closed and open lists


@pytest.fixture
def with_outsiders(collection, tmp_path):
    """d9 and d8 are no candidates of q1; a list with them in front, and one without."""
    mixed = {"q1_method": [["d4", 9], ["d1", 8], ["d2", 7]]}
    imported(collection, tmp_path, mixed, name="retriever")
    imported(collection, tmp_path, {"q1_method": [["d3", 9], ["d1", 8], ["d2", 7]]}, name="ranker")
    evaluate(collection=collection)
    return collection


def test_a_closed_profile_scores_the_judged_pool_only_and_counts_the_rest(with_outsiders, capsys):
    def facts(*options: str) -> dict:
        report = evaluated(capsys, "small", "retriever", *options)
        (system,) = report["systems"]
        precision = means(report)["method"]["RP"]
        counts = system["unjudged_documents"], system["lacking_documents"]
        return {"scope": report["scope"], "RP": precision, "counts": counts}

    # Of q1_method's list, d4 is not in the pool of q1. q2_method has no list.
    assert facts("--profile", "csfcube") == {"scope": "closed", "RP": 1 / 2, "counts": (1, 1)}
    assert facts("--profile", "csfcube", "--scope", "open")["RP"] == pytest.approx(2 / 3 / 2)
    assert facts("--profile", "csfcube", "--scope", "condensed")["RP"] == 1 / 2


def test_a_re_ranking_says_so_on_a_row_among_open_lists(with_outsiders):
    client = client_of("admin")

    def lines(profile: str):
        chosen = profile_of(profile, 2)
        board = leaderboard(
            with_outsiders, chosen, LeaderboardPlace("all", "all"), chosen.main_measure
        )
        return {line.name: line for line in board}

    assert lines(TREC)["ranker"].is_mixed_in
    assert not lines(TREC)["retriever"].is_mixed_in
    assert not any(line.is_mixed_in for line in lines(CSFCUBE).values())
    page = client.get("/c/small/evaluation/?profile=trec&split=all").content.decode()
    assert "re-ranks the pool" in page
    assert "1 system here ranks judged documents only" in " ".join(page.split())
    closed = client.get("/c/small/evaluation/?profile=csfcube").content.decode()
    assert "1 listed document without a label taken out" in closed


def test_stored_and_computed_scores_agree_in_every_profile(with_outsiders, capsys):
    client = client_of("admin")
    for profile in (CSFCUBE, TREC, MDCR):
        computed = evaluated(capsys, "small", "ranker", "retriever", "--profile", profile)
        address = f"/api/v1/collections/small/evaluation/?profile={profile}"
        stored = client.get(address).json()
        # The page has gaps only from a stored report.
        for system in (*computed["systems"], *stored["systems"]):
            del system["gap"]
        assert computed["systems"] == stored["systems"]
        assert computed["scope"] == stored["scope"]


def test_measures_by_name_keep_the_scope_and_the_fields_of_their_profile(with_outsiders, capsys):
    report = evaluated(
        capsys, "small", "retriever", "--profile", "mdcr", "--measures", "P@1 AP(rel=1)"
    )
    (system,) = report["systems"]

    assert report["scope"] == "closed"
    assert list(report["measures"]) == ["P(rel=2)@1", "AP"]
    fields = {row["field"] for row in system["rows"]}
    assert fields == {"mean over fields", "no field"}


# Thresholds and queries without a relevant document


def test_another_threshold_can_be_told_and_one_without_labels_is_refused(with_outsiders, capsys):
    report = evaluated(capsys, "small", "retriever", "--relevant-from", "3")

    assert report["relevant_from"] == 3
    assert "AP(rel=3)" in report["measures"]
    row = whole_row(report)
    assert (row["queries"], row["left_out"]) == (1, 2)  # only q1_method has grade 3
    with pytest.raises(CommandError, match="The highest grade of the labels"):
        call_command("score_systems", "small", "retriever", "--relevant-from", "4")


def test_queries_without_a_relevant_document_are_left_out_or_count_as_0(with_outsiders, capsys):
    def result(*options: str) -> tuple[int, int, float, float]:
        options = ("--measures", "AP nDCG@10", "--relevant-from", "3", *options)
        report = evaluated(capsys, "small", "ranker", *options)
        row = whole_row(report)
        return row["queries"], row["left_out"], *row["measures"].values()

    queries, left_out, precision, gain = result()
    assert (queries, left_out) == (1, 2)
    counted = result("--count-empty")
    assert counted[:2] == (3, 0)
    assert counted[2] == pytest.approx(precision / 3)
    # The other queries have grades above 0, so their nDCG is defined: 0 without a list.
    assert counted[3] == pytest.approx(gain / 3)


# Folds


def splits_file(tmp_path, sets: dict) -> str:
    path = tmp_path / "splits.json"
    path.write_text(json.dumps({"all": sets}))
    return str(path)


def test_every_output_says_where_the_folds_are_from(with_outsiders, tmp_path, capsys):
    client = client_of("admin")

    def outputs() -> list[str]:
        texts = []
        for kind in ("table", "json", "csv", "latex"):
            call_command(
                "score_systems", "small", "ranker", "--profile", "csfcube", "--format", kind
            )
            texts.append(capsys.readouterr().out)
        texts.append(client.get("/c/small/evaluation/?profile=csfcube").content.decode())
        answer = client.get("/api/v1/collections/small/evaluation/?profile=csfcube")
        return [*texts, answer.content.decode()]

    assert all("made from the seed" in text for text in outputs())
    path = splits_file(
        tmp_path,
        {"fold1_dev": ["q2_method"], "fold1_test": ["q1_background", "q1_method"]},
    )
    call_command("import_folds", "small", path)
    assert "1 fold, imported from splits.json" in capsys.readouterr().out
    assert all("imported from splits.json" in text for text in outputs())


def test_a_collection_can_have_no_folds(with_outsiders, capsys):
    call_command("import_folds", "small", "--make", "0")
    assert "0 folds" in capsys.readouterr().out
    evaluate(collection=with_outsiders)
    report = evaluated(capsys, "small", "ranker", "--profile", "csfcube")

    assert {row["split"] for row in report["systems"][0]["rows"]} == {"all"}
    assert report["folds"] == {"number": 0, "origin": ""}
    page = client_of("admin").get("/c/small/evaluation/?profile=csfcube")
    assert page.status_code == 200
    assert "fold" not in page.content.decode().split("<table")[1].split("</table")[0]


def test_one_number_is_printed_under_one_name(with_outsiders, capsys):
    """Two folds of the same size make the test mean that of all queries: here of `method`."""
    numbers = {"q1_method": 1, "q2_method": 2, "q1_background": 1}
    save_folds(collection=with_outsiders, folds=Folds(numbers, "f"))
    call_command("score_systems", "small", "ranker", "--profile", "csfcube")
    lines = capsys.readouterr().out.splitlines()
    splits = {
        facet: [line[31:41].strip() for line in lines if line.startswith(f"  {facet} ")]
        for facet in ("method", "all")
    }

    assert splits == {"method": ["dev", "test, all"], "all": ["dev", "test", "all"]}

"""The page of the leaderboard: its rows, its figure and its files."""

from __future__ import annotations

import csv
import io

from evaluation.leaderboard.figures import BoardPart, finding_of, leaderboard_figure
from evaluation.leaderboard.rows import LeaderboardLine
from evaluation.unique_finds import UniqueFindsReport
from scoring.score_tables import MeansRow
from scoring.services import JOB_KIND, evaluate
from tests.support.label_scenes import two_systems
from tests.support.pooling_scenes import a_listed_run
from tests.support.release_scenes import a_judged_collection
from tests.support.visits import address, client_of, text_of
from tests.support.worlds import once_a_file


def line(name: str, value: float | None, low: float = 0, high: float = 0) -> LeaderboardLine:
    row = MeansRow("all", "all", 3, 0, 0, {"AP": value}, {"AP": (low, high)}, {})
    return LeaderboardLine(name, ["run"], False, row, None)


LINES = [line("best", 0.5, 0.4, 0.6), line("near", 0.45, 0.3, 0.5), line("far", 0.1, 0, 0.2)]


def test_a_panel_has_every_system_in_the_order_of_the_first_panel():
    parts = [BoardPart("All queries", LINES), BoardPart("Method", [line("far", 0.9, 0.8, 1)])]
    addresses = {each.name: f"/{each.name}" for each in LINES}
    figure = leaderboard_figure(parts, "AP", addresses)

    assert figure is not None
    assert [row[0] for row in figure.rows] == ["best", "near", "far"]
    assert figure.rows[2] == ("far", 10, 0, 20, 90, 80, 100)
    assert [len(panel.dots) for panel in figure.panels] == [3, 1]
    assert [link.url for link in figure.panels[0].links] == ["/best", "/near", "/far"]
    assert leaderboard_figure([BoardPart("", [line("none", None)])], "AP", {}) is None


def test_the_finding_says_how_many_intervals_overlap_with_the_best():
    assert finding_of(LINES, "AP") == (
        "best has the highest mean AP, 50.00. "
        "Of the intervals of 2 other systems, 1 overlaps with that interval."
    )


@once_a_file
def collection():
    return a_judged_collection()


def test_a_run_that_is_not_scored_is_a_row_and_can_be_filtered(collection):
    two_systems(collection)
    evaluate(collection=collection)
    a_listed_run(collection, "new_run", {"q1": ["d1", "d2"]})
    admin = client_of("admin")

    page = admin.get(address("leaderboard"), {"profile": "trec"})
    assert [(row.name, row.state) for row in page.context["rows"]] == [
        ("good", "up to date"),
        ("bad", "up to date"),
        ("new_run", "not scored"),
    ]
    assert address("system", "new_run") in page.text
    assert "1 system is not scored yet" in text_of(page)
    runs = admin.get(address("leaderboard"), {"kind": "run"})
    assert [row.name for row in runs.context["rows"]] == ["new_run"]
    nothing = admin.get(address("leaderboard"), {"q": "nowhere"})
    assert "No system matches." in nothing.text


def test_the_file_has_the_rows_of_the_page(collection):
    two_systems(collection)
    evaluate(collection=collection)
    a_listed_run(collection, "new_run", {"q1": ["d1", "d2"]})
    admin = client_of("admin")

    page = admin.get(address("leaderboard"), {"profile": "trec", "q": "o"})
    assert "q=o&amp;format=csv" in page.text
    text = admin.get(address("leaderboard"), {"profile": "trec", "q": "o", "format": "csv"}).text
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["rank"], row["system"], row["lists"], row["scores"]) for row in rows] == [
        ("1", "good", "3", "up to date")
    ]
    everything = admin.get(address("leaderboard"), {"format": "csv"}).text
    last = list(csv.DictReader(io.StringIO(everything)))[-1]
    assert [last[name] for name in ("rank", "system", "kind", "made_from", "scores")] == [
        *("", "new_run", "run", "a file", "not scored")
    ]


def test_scoring_also_counts_what_only_one_system_found(collection):
    two_systems(collection)
    client_of("admin").post(address("score-systems"))

    kinds = set(collection.jobs.values_list("kind", flat=True))
    assert {JOB_KIND, UniqueFindsReport.name} <= kinds


def test_old_addresses_lead_on(collection):
    admin = client_of("admin")
    assert admin.get(address("systems")).url == address("leaderboard")
    assert admin.get(address("baselines")).url == f"{address('add-system')}#baselines"

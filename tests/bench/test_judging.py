"""The clients ask for what the judging page asks for, and the table has goals. Nothing is timed."""

from __future__ import annotations

import io
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from annotation.models import Judgment, Slot
from bench.chromium import chromium
from bench.databases import on_sqlite
from bench.judging import parts
from bench.judging.__main__ import options
from bench.judging.addresses import Timed, figure_of
from bench.judging.annotators import judge_together
from bench.judging.browser import Browser, Refused, get_page
from bench.judging.databases import kept_state, make_state_in_process
from bench.judging.goals import GOALS, Figure, quantile, table
from bench.judging.peer import PeerAnnotator, _result
from bench.judging.setting import Bench, Size
from bench.judging.state import PASSWORD, SLUG, make_state
from bench.judging.steps import addresses
from bench.processes import children_of, memory_of, started
from bench.step_commands import Clock

LIMITS = {"seconds": 60}
DOCS = Path(__file__).resolve().parents[2] / "docs" / "benchmarks.md"


def test_the_command_lines_of_the_docs_are_read():
    lines = re.findall(r'make bench-judging(?: ARGS="([^"]*)")?', DOCS.read_text())
    assert len(lines) >= 4
    names = {*parts.ALONE, *parts.PARTS}
    for line in lines:
        given = options(shlex.split(line))
        assert set(given.only) <= names
        assert set(given.pages) <= GOALS.keys()


def rows_of(text):
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def test_a_row_has_the_figure_before_the_goal_and_a_figure_for_each_database():
    figures = [
        Figure("home", "sqlite", "90.0 ms", "3 KB"),
        Figure("home", "postgresql", "95.0 ms"),
        Figure("agreement", "-", "12.0 s, 300 MiB"),
    ]
    heads, _, home, agreement = rows_of(table(figures, ["sqlite", "postgresql"]))
    assert heads == ["work", "before", "goal", "sqlite", "postgresql", "note"]
    assert home == ["page: home", "1.1–2.2 s", "≤ 200 ms", "90.0 ms", "95.0 ms", "sqlite: 3 KB"]
    assert agreement[3:5] == ["12.0 s, 300 MiB", ""]


def test_every_figure_has_a_row_in_the_order_of_the_goals():
    figures = [Figure(key, "sqlite", "1") for key in reversed(GOALS)]
    rows = rows_of(table(figures, ["sqlite"]))
    assert [row[0] for row in rows[2:]] == [goal.work for goal in GOALS.values()]


def test_a_share_of_values_is_one_of_them_and_none_of_nothing():
    assert quantile([3.0, 1.0, 2.0, 4.0], 0.5) == 3.0
    assert quantile([3.0, 1.0], 0.95) == 3.0
    assert quantile([], 0.5) == 0.0


def test_an_address_over_the_goal_counts_as_slow_and_the_slowest_come_first():
    seconds = {"a": 0.01, "b": 0.3, "c": 0.2, "d": 0.02, "e": 0.03, "f": 0.04}
    timed = [Timed("all-pages", name, "admin", value) for name, value in seconds.items()]
    value, note = figure_of([*timed, Timed("all-pages", "a", "annotator", 0.5)])
    assert value == (
        "2 over 200 ms; a (annotator) 500 ms; b (admin) 300 ms; c (admin) 200 ms; "
        "f (admin) 40.0 ms; e (admin) 30.0 ms"
    )
    assert note.startswith("6 addresses, 7 with each role")


def test_items_of_the_peer_with_a_third_annotator_count_as_over_annotated():
    people = [PeerAnnotator(name, Browser(0), [0.5], ["item1"]) for name in "abc"]
    people[0].saved.append("item2")
    result = _result(people, 2.0)
    assert result.value == "2/s, longest wait 0.50 s, 1 of 300 over-annotated"


def is_sleeping(pid: int) -> bool:
    """Whether the child runs its own program, and is no longer a copy of its parent."""
    return Path(f"/proc/{pid}/comm").read_text().strip() == "sleep"


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs Linux's /proc")
def test_a_started_process_and_its_children_end_with_the_block(tmp_path):
    parent = "import subprocess, time; subprocess.Popen(['sleep', '60']); time.sleep(60)"
    command = [sys.executable, "-c", parent]
    with started(command, {}, tmp_path / "log") as process:
        while not (children := children_of(process.pid)) or not is_sleeping(children[0]):
            assert process.poll() is None
        (child,) = children
        assert memory_of([process.pid, child]).rss > memory_of([child]).rss > 0
    assert process.poll() is not None
    listed = subprocess.run(["ps", "-o", "stat=", "-p", str(child)], capture_output=True, text=True)
    assert listed.stdout.strip()[:1] in ("", "Z")


@pytest.mark.by_day(4)
@pytest.mark.django_db(transaction=True)
class TestAgainstAServer:
    """Two tests, because the state takes seconds to make."""

    @pytest.fixture
    def state(self):
        return make_state(queries=4, report=False)

    @pytest.fixture
    def port(self, live_server):
        return live_server.thread.port

    def test_annotators_judge_to_their_limit_and_until_no_pair_is_left(self, state, port):
        before = Judgment.objects.count()
        limited = judge_together(port, ["annotator05"], PASSWORD, SLUG, most=3, **LIMITS)
        assert len(limited.keys) == 3
        assert Judgment.objects.count() == before + 3

        reopened = judge_together(
            port, ["annotator05"], PASSWORD, SLUG, most=6, most_of_opening=3, **LIMITS
        )
        assert (len(reopened.keys), len(reopened.openings)) == (6, 2)
        assert len(reopened.fetches) >= 2
        assert reopened.problems == ()

        substituted = judge_together(
            port, ["annotator50"], PASSWORD, SLUG, most=3, substitutes=["annotator05"], **LIMITS
        )
        assert len(substituted.keys) == 3
        assert substituted.problems == ()

        left = Slot.objects.of(state).unjudged().count()
        judged = judge_together(port, ["annotator05"], PASSWORD, SLUG, **LIMITS)
        assert judged.problems == ()
        assert len(judged.keys) == left > 12
        assert not Slot.objects.of(state).unjudged().exists()
        assert 1 <= len(judged.fetches) < left / 12  # many pairs at once

    def test_pages_and_downloads_are_timed_as_a_browser_asks_for_them(self, state, port):
        browser = Browser(port)
        with pytest.raises(Refused, match="annotator01 cannot log in"):
            browser.log_in("annotator01", "wrong")
        browser.log_in("admin1", PASSWORD)
        times = get_page(browser, "/", times=2, patience=60)  # and once before, not counted
        tags = browser.open(f"/c/{SLUG}/evaluation/errors/tags.csv")
        judging = browser.open(f"/c/{SLUG}/judge/")
        browser.close()
        assert (times.status, len(times.seconds)) == (200, 2)
        assert times.size > 1000
        assert (tags.status, tags.is_download) == (200, True)  # it ended at its first byte
        assert (judging.status, judging.is_download) == (404, False)

        found = addresses(Clock(), "1.0")["addresses"]
        assert {"home", "board", "judge-query", "release", "document"} <= found.keys()
        assert found["run-file"] == f"/c/{SLUG}/runs/invented_1/file/"
        assert found["pool-figure"].endswith(".pdf")
        # These need another object.
        assert not {"sample", "job", "judge-pair", "study"} & found.keys()


# tests/demo/ starts the demo, which takes as long as all the rest; `peer` needs another program.
FIGURES_OF_PARTS = {
    "statistics": {"agreement"},
    "paint": {"paint"},
    "judging": {"judge", "together"},
    "opening": {"opening"},
    "pages": {"judge-list"},
    "page-paint": {"page-paint"},
    "agreement": {"agreement-job", "agreement-again"},
    "due-check": {"due-check"},
    "release": {"release"},
    "model": {"model-labels", "worth", "judging-plans", "estimates"},
    "pool-round": {"gaps", "pool-round", "new-pairs", "yields"},
    "asking": {"asking"},
    "second-release": {"second-release", "verification"},
    "benchmark-import": {"benchmark-import"},
    "addresses": {"all-pages", "downloads", "api"},
    "pools": {"pools", "pools-again"},
    "import": {"import"},
    "import-judging": {"import-judging"},
}
# Each with what it needs: a second release has the round, and one of the downloads is a release.
PARTS_BY_DAY = {
    "pages": {"statistics", "paint", "pages", "page-paint"},
    "judging": {"judging", "opening", "due-check"},
    "reports": {"agreement", "asking"},
    "pools": {"pools", "benchmark-import"},
    "imports": {"import", "import-judging"},
    "releases": {"release", "pool-round", "second-release"},
    "addresses": {"release", "addresses"},
    "model": {"model"},
}


def on_odd_days(number: int, of_day: str) -> object:
    """Of the day 2 * number + 1, because the slowest test of CSFCube is of even days."""
    days = pytest.mark.by_day(2 * len(PARTS_BY_DAY), day=number + 1)
    return pytest.param(of_day, marks=days)


def test_every_part_and_figure_of_the_benchmark_has_its_day():
    every_part = {*parts.ALONE, *parts.PARTS} - {"demo", "peer"}
    assert set.union(*PARTS_BY_DAY.values()) == FIGURES_OF_PARTS.keys() == every_part
    of_pages = {key for key, goal in GOALS.items() if goal.work.startswith("page: ")}
    assert set.union(*FIGURES_OF_PARTS.values()) == GOALS.keys() - of_pages - {"peer", "demo"} | {
        "judge-list"
    }


def make_kept_state(bench: Bench, migrated: Path) -> None:
    """As an earlier run leaves it. The migrations would take half of the time."""
    folder = bench.folder / "made"
    folder.mkdir()
    database = folder / "qrelsmith.sqlite3"
    shutil.copyfile(migrated, database)
    make_state_in_process(bench, on_sqlite(folder))
    database.rename(kept_state(bench))


@pytest.mark.faults
@pytest.mark.one_database
@pytest.mark.parametrize("of_day", [on_odd_days(*each) for each in enumerate(PARTS_BY_DAY)])
def test_the_benchmark_of_four_queries_fills_its_table(of_day, tmp_path, monkeypatch, migrated):
    monkeypatch.setenv("BENCH_DIR", str(tmp_path))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    out = io.StringIO()
    size = Size(
        queries=4,
        keys=5,
        paints=3,
        seconds=1,
        gets=1,
        pages=("judge-list",),
        papers=4,
        requests=20,
        agreement=(5, 20),
    )
    bench = Bench(tmp_path, out, size)
    if migrated:
        make_kept_state(bench, migrated)
    wanted = PARTS_BY_DAY[of_day] - (set() if chromium() else {"paint", "page-paint"})
    parts.run(bench, ["sqlite"], [*wanted])
    figures = {figure.key: figure for figure in bench.figures}
    expected = set().union(*(FIGURES_OF_PARTS[part] for part in wanted))
    assert figures.keys() == expected, out.getvalue()
    assert "failed" not in out.getvalue()
    for key, figure in figures.items():
        if GOALS[key].work.startswith("page: "):
            assert figure.value.endswith(" ms"), figure
        if key in {"together", "import-judging"}:
            assert figure.value.endswith(" 0 over-annotated")
        if key in {"agreement-job", "release", "pools", "pools-again"}:
            assert "attempt 1" in figure.note, figure
        if key == "downloads":
            downloads = {"run-file", "error-tags-csv", "pool-figure", "release-download"}
            assert downloads <= set(figure.note.replace(",", "").split())

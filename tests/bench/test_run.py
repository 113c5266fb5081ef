"""The benchmark runs from end to end, and its table has its columns. Nothing is timed here."""

from __future__ import annotations

import io

import pytest

from bench import run
from bench.processes import measured_process
from bench.table import COLUMNS, Instead, Measurement, table

MIB = 1024 * 1024


def rows_of(text):
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in lines]


def a_measurement(documents=10, step="index x", seconds=2.0, **more):
    return Measurement(documents, "sqlite", step, seconds, 64 * MIB, cpu=1.5, **more)


def test_a_row_tells_time_memory_disk_and_growth_since_the_size_before():
    measured = [a_measurement(10, disk=3 * MIB), a_measurement(100, seconds=21.0)]
    _, _, first, second = rows_of(table(measured, []))
    assert first[:8] == ["10", "sqlite", "index x", "2.00", "1.50", "64", "3", ""]
    assert second[:8] == ["100", "sqlite", "index x", "21", "1.50", "64", "", "×10.5"]


def test_growth_compares_the_same_step_on_the_same_database_only():
    other_base = Measurement(10, "postgresql", "index x", 1.0, 0)
    rows = rows_of(table([other_base, a_measurement(10, "other"), a_measurement(100)], []))
    assert [row[7] for row in rows[2:]] == ["", "", ""]


def test_another_tools_figures_stand_beside_ours_of_that_size_with_the_ratio():
    slower = Measurement(10, "rank_bm25", "index x", 5.0, 128 * MIB, note="from 3 queries")
    rows = rows_of(table([a_measurement(10), a_measurement(100)],
                         [Instead("index x", "rank_bm25", slower)]))  # fmt: skip
    assert rows[2][8:] == ["rank_bm25", "5.00", "128", "2.5", "from 3 queries"]
    assert rows[3][8:] == ["", "", "", "", ""]


def test_a_step_that_failed_says_so_and_how():
    (row,) = rows_of(table([a_measurement(seconds=None, note="ended with 1: full")], []))[2:]
    assert (row[3], row[-1]) == ("failed", "ended with 1: full")


def test_sizes_are_read_as_people_write_them():
    assert run._sizes("2M,10k,500") == [500, 10_000, 2_000_000]


@pytest.mark.by_day(6, day=1)
@pytest.mark.faults
def test_the_benchmark_of_500_documents_of_a_dump_fills_its_table(tmp_path, monkeypatch):
    monkeypatch.setenv("BENCH_DIR", str(tmp_path))
    monkeypatch.delenv("DATABASE_URL", raising=False)
    out = io.StringIO()
    retrievers = "bm25_abstract,tfidf_abstract"
    run.main(
        [
            *("--sizes", "500", "--sub-corpus", "900"),
            *("--databases", "sqlite", "--retrievers", retrievers),
        ],
        out,
    )
    header, _, *rows = rows_of(out.getvalue())
    assert header == list(COLUMNS)
    assert {row[2] for row in rows} == {
        "import of a sub-corpus from 900 works",
        "corpus digest",
        *(f"index {name}" for name in retrievers.split(",")),
        *(f"50 queries {name}" for name in retrievers.split(",")),
        "all indexes",
        "50 queries, CSFCube's six and BM25",
        "second start, every index",
        "job: run of bm25_abstract",
        "job: pools from 7 runs",
        "job: pools again, replacing drafts",
    }
    assert all(row[3] != "failed" and float(row[3]) >= 0 for row in rows), rows
    assert all(int(row[5].replace(",", "")) > 10 for row in rows)
    jobs = [row for row in rows if row[2].startswith("job: ")]
    assert all("1 attempt" in row[-1] for row in jobs), jobs
    assert all("longest transaction" in row[-1] for row in jobs), jobs
    # What is kept is what costs time to make again, and nothing else.
    assert [path.name for path in tmp_path.iterdir()] == ["dump-900"]


@pytest.mark.faults
def test_another_tool_that_is_not_installed_is_a_failed_row_and_not_the_end(tmp_path):
    result, peak, problem = measured_process("bench.others", ("no such tool", "nowhere"), {})
    assert result == {}
    assert peak > 0
    assert "ended with 1" in problem

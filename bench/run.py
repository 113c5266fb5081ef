"""`make bench`: measure everything, at growing sizes, and print a table.

Each step is a separate process, so that its peak memory is measured alone. All files are in one
folder (BENCH_DIR, or a temporary one) and are removed, except the corpora if BENCH_DIR is given.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import IO

from bench.processes import ROOT, exit_on_sigterm, measured_process
from bench.setting import Bench, Place, database_size, databases
from bench.steps import CSFCUBE, QUERY_PAPERS
from bench.table import Instead, Measurement, table

SIZES = "10k,100k"
ALL_STEPS, SUB_CORPORA = "all", "sub-corpora"
# Other tools: the step that each is compared with, and the largest corpus that it is given.
OTHERS = {
    "rank_bm25": ("bm25_abstract", 100_000),
    "bm25s": ("bm25_abstract", 1_000_000),
    "sklearn": ("tfidf_abstract", 1_000_000),
    "gensim": ("cbow_abstract", 200_000),
}
SUB_CORPUS = ("bm25_abstract", "tfidf_abstract")
SUB_CORPUS_TOOLS = ("bm25s", "sklearn")
SEVEN = (
    "bm25_abstract",
    *(f"{kind}_title" for kind in CSFCUBE),
    *(f"{kind}_abstract" for kind in CSFCUBE),
)


def measure(place: Place, retrievers: Sequence[str], dump: int) -> None:
    """Measure every step of Qrelsmith itself on a corpus, or on a sample of a dump of that size."""
    _import(place, dump)
    _disk_of_database(place)
    place.step("digest", label="corpus digest")
    start = len(place.bench.measurements)
    for name in retrievers:
        place.step("index", name, label=f"index {name}")
    _total(place, "all indexes", start)
    start = len(place.bench.measurements)
    for name in retrievers:
        place.step("search", name, label=f"50 queries {name}")
    _total(place, "50 queries, CSFCube's six and BM25", start, {f"50 queries {n}" for n in SEVEN})
    place.step("reopen", *retrievers, label="second start, every index")
    place.step("invent-runs")
    place.job("retrieve", retrievers[0], label=f"job: run of {retrievers[0]}")
    place.job("pools", label="job: pools from 7 runs")
    place.job("pools", label="job: pools again, replacing drafts")


def measure_sub_corpus(place: Place, retrievers: Sequence[str], dump: int) -> None:
    """Measure a sub-corpus of all documents that were imported, as *Corpus sizes* does."""
    _import(place, dump)
    place.step("query-papers")
    place.step("corpus-sizes", *retrievers, label=_sub_corpus_label(retrievers))


def _import(place: Place, dump: int) -> None:
    """Import a corpus, or a sample of a dump of that size."""
    place.step("prepare")
    if dump:
        folder = str(place.bench.dump(dump))
        label = f"import of a sub-corpus from {dump:,} works"
        place.step("sub-corpus", folder, str(dump), str(place.size), label=label)
    else:
        place.step("import", str(place.bench.corpus(place.size)), label="import")


def _sub_corpus_label(retrievers: Sequence[str]) -> str:
    return f"measure a sub-corpus: {', '.join(retrievers)}"


def _total(place: Place, label: str, start: int, only: set[str] | None = None) -> None:
    steps = [
        measurement
        for measurement in place.bench.measurements[start:]
        if only is None or measurement.step in only
    ]
    if len(steps) > 1 and all(measurement.seconds is not None for measurement in steps):
        place.bench.keep(
            Measurement(
                place.size,
                place.database,
                label,
                sum(measurement.seconds or 0 for measurement in steps),
                max(measurement.peak for measurement in steps),
                note=f"sum of {len(steps)} steps",
                cpu=sum(measurement.cpu or 0 for measurement in steps),
            )
        )


def _disk_of_database(place: Place) -> None:
    last = place.bench.measurements[-1]
    place.bench.measurements[-1] = Measurement(**{**vars(last), "disk": database_size(place)})


def compare(bench: Bench, size: int) -> None:
    """Measure the other tools on the same abstracts."""
    for what, (retriever, largest) in OTHERS.items():
        if size > largest:
            bench.say(f"{size:,} {what}: skipped; too large for a small machine")
            continue
        result, peak, problem = measured_process(
            "bench.others", (what, str(bench.corpus(size))), {}
        )
        for label, key in ((f"index {retriever}", "index"), (f"50 queries {retriever}", "search")):
            note = problem
            if key == "search" and result.get("asked", 50) < 50:
                note = f"{what} from {result['asked']} queries"
            measurement = Measurement(size, what, label, result.get(key), peak, None, note)
            bench.instead.append(Instead(label, what, measurement))
        bench.say(f"{size:,} {what}: {result or problem}, {peak / 2**20:,.0f} MiB")


def compare_sub_corpus(bench: Bench, size: int, retrievers: Sequence[str]) -> None:
    """Measure the indexes and all queries of the other tools, one after the other."""
    queries = min(QUERY_PAPERS, max(1, size // 10))
    tools = [what for what in SUB_CORPUS_TOOLS if OTHERS[what][0] in retrievers]
    if any(size > OTHERS[what][1] for what in tools):
        bench.say(f"{size:,} {', '.join(tools)}: skipped; too large for a small machine")
        return
    label, measured, notes = _sub_corpus_label(retrievers), [], []
    for what in tools:
        given = (what, str(bench.corpus(size)), str(queries))
        result, peak, problem = measured_process("bench.others", given, {})
        measured.append((result.get("seconds"), peak))
        notes.append(problem or f"{what} from {result['asked']:,} of {queries:,} queries")
        bench.say(f"{size:,} {what}: {result or problem}, {peak / 2**20:,.0f} MiB")
    seconds = [elapsed for elapsed, _ in measured if elapsed is not None]
    if seconds:
        total = sum(seconds) if len(seconds) == len(tools) else None
        name = ", then ".join(tools)
        peak = max(peak for _, peak in measured)
        measurement = Measurement(size, name, label, total, peak, None, "; ".join(notes))
        bench.instead.append(Instead(label, name, measurement))


def run(
    sizes: Sequence[int],
    wanted: Sequence[str],
    retrievers: Sequence[str],
    others: bool,
    bench: Bench,
    dump: int = 0,
    steps: str = ALL_STEPS,
) -> str:
    """Measure everything and return the table. Later databases build and search one index only."""
    for size in sizes:
        with databases(size, bench, wanted) as places:
            for number, place in enumerate(places):
                if steps == SUB_CORPORA:
                    measure_sub_corpus(place, retrievers, dump)
                else:
                    measure(place, retrievers if not number else retrievers[:1], dump)
        if others:
            if steps == SUB_CORPORA:
                compare_sub_corpus(bench, size, retrievers)
            else:
                compare(bench, size)
    return table(bench.measurements, bench.instead)


def _all_retrievers() -> list[str]:
    code = "import json; from bench.steps import retrievers; print(json.dumps(retrievers()))"
    ran = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True
    )
    names: list[str] = json.loads(ran.stdout)
    return names


def _sizes(text: str) -> list[int]:
    units = {"k": 1_000, "m": 1_000_000}
    return sorted(
        int(float(size[:-1]) * units[size[-1]]) if size[-1] in units else int(size)
        for size in text.lower().split(",")
    )


def main(arguments: Sequence[str] | None = None, out: IO[str] = sys.stdout) -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=_sizes, default=SIZES, help="such as 10k,100k,800k,2M")
    parser.add_argument(
        "--sub-corpus",
        type=lambda text: _sizes(text)[0],
        default=0,
        metavar="WORKS",
        help="sample the documents from a dump of so many works, such as 4M",
    )
    parser.add_argument("--databases", default="sqlite,postgresql")
    parser.add_argument("--retrievers", default="", help="default: all; BM25 and TF-IDF")
    parser.add_argument("--no-others", action="store_true", help="measure Qrelsmith alone")
    parser.add_argument("--steps", choices=(ALL_STEPS, SUB_CORPORA), default=ALL_STEPS)
    given = parser.parse_args(arguments)
    usual = SUB_CORPUS if given.steps == SUB_CORPORA else _all_retrievers()
    retrievers = [name for name in given.retrievers.split(",") if name] or usual
    with ExitStack() as stack:
        folder = os.environ.get("BENCH_DIR") or stack.enter_context(tempfile.TemporaryDirectory())
        Path(folder).mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(folder).free
        if free < (need := 15_000 * max(given.sizes) + 2_000 * given.sub_corpus):
            raise SystemExit(
                f"{folder} has {free:,} bytes free, but up to {need:,} may be needed. Free some "
                "space or set BENCH_DIR to another folder."
            )
        bench = Bench(Path(folder), out)
        others = not (given.no_others or given.sub_corpus)
        wanted = given.databases.split(",")
        done = run(given.sizes, wanted, retrievers, others, bench, given.sub_corpus, given.steps)
        bench.say(f"\n{done}")


if __name__ == "__main__":
    exit_on_sigterm()
    main()

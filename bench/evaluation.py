"""Measure the scoring of systems: `python -m bench.evaluation [--queries 5000 --runs 30]`.

The collection is that of `bench.judging.state`, with runs of 1,000 documents for every query paper:
those of its pool at random ranks, among documents that were never judged. Scoring reads the runs
from the database. ir-measures by hand reads the same lists from a run file, and the qrels from a
file. Each part is its own process, so that its peak memory is its own. It fails if a value of a
query or a mean differs from that of ir-measures by more than rounding.
"""

from __future__ import annotations

import argparse
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench.databases import on_sqlite
from bench.processes import Measured, StepFailed, Values, measured_step
from bench.score_differences import Difference, differences, largest, means_of
from bench.step_commands import Step, set_up_django, write_json
from bench.table import MIB

QUERIES, RUNS, DEPTH = 5_000, 30, 1_000
MEASURES = "AP nDCG@10 nDCG@20 nDCG@100 P@20 R@100 Bpref RR Rprec Judged@20"
TOGETHER = 100  # lists that are inserted together


def lists(pools: dict[str, list[str]], seed: str) -> Iterator[tuple[str, list[str]]]:
    """A ranked list of DEPTH documents for each query paper."""
    for paper, pool in pools.items():
        rng = random.Random(f"{seed}|{paper}")
        start = rng.randrange(10**6)
        ranking = [f"unjudged-{start + number}" for number in range(DEPTH - len(pool))]
        ranking += pool
        rng.shuffle(ranking)
        yield paper, ranking


def prepare(folder: Path, queries: int, runs: int) -> Values:
    """The collection with its runs, and the files of the peer."""
    from bench.judging.state import make_state
    from corpus.models import QueryPaper
    from pooling.models import Candidate
    from retrieval.models import Ranking
    from scoring.labels import qrels_of

    # Only a part of the judging state's last queries is judged; a few more make up for it.
    collection = make_state(queries=int(queries * 1.06), report=False, out=sys.stderr)
    papers = dict(
        QueryPaper.objects.filter(collection=collection).values_list("pk", "document__docno")
    )
    pools: dict[str, list[str]] = {docno: [] for docno in papers.values()}
    pooled = Candidate.objects.filter(pool__query_paper__collection=collection)
    for number, docno in pooled.values_list("pool__query_paper_id", "document__docno").iterator():
        pools[papers[number]].append(docno)
    numbers = {docno: pk for pk, docno in papers.items()}
    scores = [float(-place) for place in range(DEPTH)]
    collection.runs.all().update(parameters={"qrels": True})  # so that only the runs below count
    for number in range(runs):
        run = collection.runs.create(name=f"system-{number}", kind="file", sha256=f"{number:064}")
        Ranking.objects.bulk_create(
            (
                Ranking(run=run, query_paper_id=numbers[paper], docnos=ranking, scores=scores)
                for paper, ranking in lists(pools, run.name)
            ),
            batch_size=TOGETHER,
        )
    names = dict(collection.queries.values_list("query_paper__document__docno", "name"))
    with (folder / "system-0.run").open("w") as file:
        for paper, ranking in lists(pools, "system-0"):
            for place, docno in enumerate(ranking):
                file.write(f"{names[paper]} Q0 {docno} {place + 1} {-place} system-0\n")
    qrels = qrels_of(collection)
    with (folder / "qrels.txt").open("w") as file:
        for query, grades in qrels.items():
            for docno, grade in grades.items():
                file.write(f"{query} 0 {docno} {grade}\n")
    return {"queries": len(qrels), "labels": sum(map(len, qrels.values()))}


def score() -> Values:
    """The job of the page: every run by every profile."""
    from accounts.models import Collection
    from scoring.services import evaluate

    return evaluate(collection=Collection.objects.get())


def score_with_ir_measures(folder: Path) -> Values:
    """One run, as its documentation does it."""
    import ir_measures

    measures = [ir_measures.parse_measure(name) for name in MEASURES.split()]
    files = (str(folder / "qrels.txt"), str(folder / "system-0.run"))
    qrels = ir_measures.read_trec_qrels(files[0])  # type: ignore[no-untyped-call]
    run = ir_measures.read_trec_run(files[1])  # type: ignore[no-untyped-call]
    values = ir_measures.calc_aggregate(measures, qrels, run)
    return {str(measure): value for measure, value in values.items()}


def compare(folder: Path) -> Values:
    """Our values of that run beside those of ir-measures: of each query, and the means.

    Ends the process with a sentence if they differ by more than rounding.
    """
    import ir_measures

    from accounts.models import Collection
    from evaluation.leaderboard.report import Options, evaluation_report, stored_lists
    from scoring.labels import qrels_of
    from scoring.measures.names import parse_measures
    from scoring.measures.scoring import score_lists

    collection = Collection.objects.get()
    system = stored_lists(collection.systems.get(name="system-0"))
    qrels, measures = qrels_of(collection), parse_measures(MEASURES)
    table = score_lists(system.lists(), qrels, measures)
    ours = {
        str(name): dict(zip(map(str, table.index), map(float, table[name]), strict=True))
        for name in table.columns
    }

    files = (str(folder / "qrels.txt"), str(folder / "system-0.run"))
    theirs: dict[str, dict[str, float]] = {name: {} for name in ours}
    for metric in ir_measures.iter_calc(
        [ir_measures.parse_measure(name) for name in MEASURES.split()],
        ir_measures.read_trec_qrels(files[0]),  # type: ignore[no-untyped-call]
        ir_measures.read_trec_run(files[1]),  # type: ignore[no-untyped-call]
    ):
        theirs[str(metric.measure)][metric.query_id] = metric.value

    relevant = [query for query, grades in qrels.items() if max(grades.values()) > 0]
    without = [query for query in qrels if query not in set(relevant)]
    found = list(differences(ours, theirs, relevant=relevant, without=without))
    for count_empty in (False, True):
        options = Options(measures=MEASURES, relevant_from=1, count_empty=count_empty)
        (scored,) = evaluation_report(collection, [system], options).systems
        known = scored.whole.measures.items()
        means = {name: value for name, value in known if value is not None}
        counted = [*relevant, *without] if count_empty else relevant
        found += [
            Difference(name, f"our mean of {len(counted)} queries", means[name], mean)
            for name, mean in means_of(theirs, counted, zero_for=without).items()
        ]
    worst = largest(found)
    if not worst.is_noise:
        raise SystemExit(f"Qrelsmith and ir-measures disagree: {worst}.")
    return {"largest": worst.size, "compared": len(found), "without": len(without)}


def migrated(folder: str, queries: str, runs: str) -> Values:
    from django.core.management import call_command

    call_command("migrate", verbosity=0)
    return prepare(Path(folder), int(queries), int(runs))


STEPS: dict[str, Step] = {
    "prepare": migrated,
    "score": score,
    "ir-measures": lambda folder: score_with_ir_measures(Path(folder)),
    "compare": lambda folder: compare(Path(folder)),
}


def run(queries: int, runs: int, folder: str) -> str:
    """The table as Markdown. Raises StepFailed, also where the values differ."""
    environment = on_sqlite(Path(folder))

    def step(*given: object) -> Measured:
        return measured_step("bench.evaluation", given, environment)

    made = step("prepare", folder, queries, runs).values
    lines = [
        f"{made['queries']:,} queries, {made['labels']:,} labels, {DEPTH:,} documents a list.",
        "",
        "| scored by | runs | seconds | seconds a run | peak MiB |",
        "|---|---|---|---|---|",
    ]
    for name, given, number in (
        ("Qrelsmith", ("score",), runs),
        ("ir-measures by hand", ("ir-measures", folder), 1),
    ):
        start = time.perf_counter()
        peak = step(*given).peak
        seconds = time.perf_counter() - start
        lines.append(
            f"| {name} | {number} | {seconds:,.1f} | {seconds / number:,.2f} | {peak / MIB:,.0f} |"
        )
    equal = step("compare", folder).values
    lines += [
        "",
        f"Largest difference of {equal['compared']:,} values and means: {equal['largest']:.1e}. "
        f"{equal['without']:,} queries have no relevant document.",
    ]
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> None:
    if arguments and arguments[0] in STEPS:
        step, *given = arguments
        set_up_django()
        write_json(STEPS[step](*given))
        return
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--queries", type=int, default=QUERIES)
    parser.add_argument("--runs", type=int, default=RUNS)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(dir=os.environ.get("BENCH_DIR")) as folder:
        try:
            sys.stdout.write(run(options.queries, options.runs, folder) + "\n")
        except StepFailed as error:
            sys.exit(f"The step failed: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])

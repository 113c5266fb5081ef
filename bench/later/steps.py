"""Steps after the first judging: `python -m bench.later.steps STEP …`; as `bench.judging.steps`."""

from __future__ import annotations

import sys
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from bench.judging.state import SEED, SLUG
from bench.judging.state_pools import DEPTH
from bench.judging.state_rows import batches, work
from bench.processes import Values
from bench.step_commands import Clock, Step, run_timed_step
from bench.worker import end_of

if TYPE_CHECKING:
    from accounts.models import Collection
    from reports.kinds import ReportKind

LATE_RUNS = ("late_1", "late_2")
ROUND_DEPTH = 10
MODEL, ASKED = "model", "asked"
ERRORS = 0.3  # of the model's labels, which are the first annotator's otherwise


def late_runs(clock: Clock) -> Values:
    """Runs in other orders of the documents that the first runs list."""
    from retrieval.models import Ranking, Run

    collection = _collection()
    runs = [
        Run.objects.create(collection=collection, name=name, kind="file", depth=DEPTH, sha256=name)
        for name in LATE_RUNS
    ]
    scores = np.linspace(30, 5, DEPTH).round(4).tolist()
    papers = collection.query_papers.order_by("pk").values_list("pk", flat=True)
    for batch in batches(papers, 100):
        listed: dict[int, set[str]] = {}
        for paper, docnos in Ranking.objects.filter(query_paper__in=batch).values_list(
            "query_paper", "docnos"
        ):
            listed.setdefault(paper, set()).update(docnos)
        Ranking.objects.bulk_create(
            Ranking(
                run=run,
                query_paper_id=paper,
                docnos=np.random.default_rng([SEED, 5, number, paper])
                .permutation(sorted(docnos))[:DEPTH]
                .tolist(),
                scores=scores,
            )
            for paper, docnos in listed.items()
            for number, run in enumerate(runs)
        )
    return {}


def gaps(clock: Clock) -> Values:
    from evaluation.gaps.services import GapsReport

    return {**_report(GapsReport()), **_size()}


def yields(clock: Clock) -> Values:
    from planning.yields.report import YieldReport

    return _report(YieldReport())


def worth(clock: Clock) -> Values:
    from evaluation.label_effects.rankings import usual_measure
    from evaluation.label_effects.services import ShadowJudgeReport

    return _report(ShadowJudgeReport(usual_measure(_collection()), MODEL))


def judging_plans(clock: Clock) -> Values:
    from planning.double_judging.report import JudgingPlansReport

    return _report(JudgingPlansReport(f"shadow:{MODEL}"))


def estimates(clock: Clock) -> Values:
    from evaluation.label_effects.rankings import usual_measure
    from evaluation.prediction_powered.report import PredictionPoweredReport

    return _report(PredictionPoweredReport(usual_measure(_collection()), MODEL))


def _report(kind: ReportKind) -> Values:
    """A job that computes and stores a report."""
    from reports.services import request_report

    return end_of(request_report(kind, collection=_collection()))


def _size() -> dict[str, int]:
    collection = _collection()
    return {"systems": collection.systems.count(), "queries": collection.queries.count()}


def pool_round(clock: Clock) -> Values:
    """A job that adds what the late runs have and the pools lack."""
    from evaluation.top_ups.services import TopUp, request_top_up
    from pooling.models import Candidate

    collection = _collection()
    top_up = TopUp(LATE_RUNS, "A benchmark.", depth=ROUND_DEPTH)
    ended = end_of(request_top_up(collection=collection, top_up=top_up, requested_by=None))
    added = Candidate.objects.filter(pool__query_paper__collection=collection, round=2)
    return {**ended, "candidates": added.count()}


def new_pairs(clock: Clock) -> Values:
    """A job that opens the pairs of the round."""
    from annotation.team import plan_new_pairs, request_new_pairs

    collection = _collection()
    plan = plan_new_pairs(collection=collection)
    ended = end_of(request_new_pairs(collection=collection, plan=plan, requested_by=None))
    return {**ended, "pairs": plan.total}


def write_labels(clock: Clock, folder: str) -> Values:
    """The file of a model's labels: those of the first annotator with errors, for all pairs."""
    from annotation.models import Slot

    rng = np.random.default_rng([SEED, 6])
    slots = Slot.objects.filter(pair__query__collection=_collection(), number=1)
    labels = 0
    with (Path(folder) / "labels.qrels").open("w") as file:
        for query, docno, grade in (
            slots.order_by("pk")
            .values_list("pair__query__name", "pair__candidate__document__docno", "judgment__grade")
            .iterator()
        ):
            if grade is None or rng.random() < ERRORS:
                grade = int(rng.integers(4))
            file.write(f"{query} 0 {docno} {grade}\n")
            labels += 1
    return {"labels": labels}


def import_labels(clock: Clock, folder: str) -> Values:
    from evaluation.shadow_judges.services import Description, import_shadow_judge

    path = Path(folder) / "labels.qrels"
    with clock.running():
        judge = import_shadow_judge(
            collection=_collection(),
            path=path,
            filename=path.name,
            about=Description(MODEL),
            work=work(),
        )
    return {"labels": judge.labels_count}


def ask(clock: Clock, address: str, requests: str) -> Values:
    """A job that asks a model until the budget is spent: 1 for each of these requests."""
    from evaluation.shadow_judges.asking.services import AskingPlan, Limits, request_asking

    collection = _collection()
    plan = AskingPlan(
        ASKED,
        MODEL,
        address,
        max_tokens=1,
        prompt_price=Decimal(1),
        limits=Limits(Decimal(requests), requests_per_minute=60_000, concurrency=16),
    )
    ended = end_of(request_asking(collection=collection, plan=plan, requested_by=None))
    asking = collection.shadow_judges.get(name=ASKED).asking
    return {**ended, "answers": asking.answers_count}


def write_mdcr(clock: Clock, folder: str, queries: str) -> Values:
    """Files of MDCR's form: 65 candidates for each of the queries, in 19 fields."""
    import json

    from benchmarks.mdcr import CITED_TYPE, TYPES

    number, fields = int(queries), 19
    rng = np.random.default_rng([SEED, 7])
    documents = max(10 * number, 100)
    benchmark: dict[str, dict[str, dict[str, list[str]]]] = {}
    for query in range(number):
        docnos = iter(f"d{place}" for place in rng.choice(documents, 65, replace=False).tolist())
        benchmark.setdefault(f"Field {query % fields}", {})[f"q{query}"] = {
            kind: [next(docnos) for _ in range(5 if kind == CITED_TYPE else 10)] for kind in TYPES
        }
    (Path(folder) / "mdcr_test.json").write_text(json.dumps(benchmark))
    with (Path(folder) / "mdcr_test_data.jsonl").open("w") as file:
        for docno in (
            *(f"d{place}" for place in range(documents)),
            *(f"q{query}" for query in range(number)),
        ):
            text = {"paper_id": docno, "title": f"Title {docno}", "abstract": f"On {docno}. " * 20}
            file.write(json.dumps(text) + "\n")
    return {"documents": documents + number}


def import_mdcr(clock: Clock, folder: str) -> Values:
    from bench.transactions import longest_transaction
    from benchmarks.services import import_benchmark

    with clock.running(), longest_transaction() as longest:
        report = import_benchmark(name="mdcr", folder=Path(folder), slug="mdcr", work=work())
    return {"labels": report.labels, "longest": longest[0]}


def verify(clock: Clock, version: str) -> Values:
    """All checks of a release, which must pass."""
    from bundle.verification.service import verify as outcomes_of
    from release.files import path_of

    with clock.running():
        outcomes = list(outcomes_of(path_of(SLUG, version)))
    if problems := [outcome for outcome in outcomes if not outcome.ok]:
        raise SystemExit(f"not verified: {problems[0]}")
    return {"checks": len(outcomes)}


STEPS: dict[str, Step] = {
    "late-runs": late_runs,
    "gaps": gaps,
    "pool-round": pool_round,
    "new-pairs": new_pairs,
    "yields": yields,
    "write-labels": write_labels,
    "import-labels": import_labels,
    "worth": worth,
    "judging-plans": judging_plans,
    "estimates": estimates,
    "ask": ask,
    "write-mdcr": write_mdcr,
    "import-mdcr": import_mdcr,
    "verify": verify,
}


def _collection() -> Collection:
    from accounts.models import Collection

    return Collection.objects.get(slug=SLUG)


if __name__ == "__main__":
    run_timed_step(STEPS, sys.argv[1:])

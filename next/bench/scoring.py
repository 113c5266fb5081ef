"""Nine systems scored at MDCR's size, 3,800 queries with pools of 65, beside ir-measures on the same lists."""

from __future__ import annotations

import random
import resource
import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

FIELDS, QUERIES, SYSTEMS = 19, 200, 9
KINDS = ("bm25", "specter", "scincl", "graph", "most_cited", "random")
TREC = ("AP", "nDCG@10", "P@10", "RR")


def measure_scoring(say: Callable[..., None]) -> None:
    from accounts.models import User
    from accounts.services import create_collection
    from evaluation import scores
    from evaluation.measures import profile
    from pooling.published import import_pools
    from retrieval.building import insert_lists
    from retrieval.models import Run

    draw, corpus = random.Random(1), [f"d{number:06}" for number in range(100_000)]
    pools: dict[str, dict[str, dict[str, list[str]]]] = {}
    for number in range(FIELDS * QUERIES):
        pooled = draw.sample(corpus, 65)
        types = {kind: pooled[10 * place : 10 * place + 10] for place, kind in enumerate(KINDS)}
        pools.setdefault(f"field {number % FIELDS}", {})[f"q{number}"] = types | {"true": pooled[60:]}
    admin, _ = User.objects.get_or_create(username="admin")
    made = create_collection(by=admin, slug="scoring", name="scoring", facets=[], seed="bench")
    began = time.perf_counter()
    import_pools(collection=made, pools=pools)
    say("import MDCR's pools: 247,000 candidates", "sqlite", f"{time.perf_counter() - began:.0f} s")
    labels = scores.citation_labels(made)
    profiles = [replace(profile("trec", 1), measures=TREC), profile("mdcr", 1)]
    for length in (65, 1000):
        runs = [Run.objects.create(collection=made, name=f"{length}-{n}", kind="file") for n in range(SYSTEMS)]
        for run in runs:
            lists = []
            for query in made.queries.only("name").iterator():
                docnos = draw.sample([*labels[query.name], *draw.sample(corpus, length - 65)], length)
                lists.append((query, (list(dict.fromkeys(docnos)), list(range(length, 0, -1)))))
                if len(lists) == QUERIES:
                    insert_lists(run, lists)
                    lists.clear()
        began = time.perf_counter()
        for each in profiles:
            scores.score_runs(made, runs, each, scores.CITATIONS)
        ours = time.perf_counter() - began
        what = f"score {SYSTEMS} systems, {len(labels):,} lists of {length:,}"
        say(what, "sqlite", f"{ours:.1f} s", "≤ 60 s")
        say("  peak memory of that process", "sqlite", f"{peak():.0f} MiB", "≤ 500 MiB")
        theirs = sum(library_seconds(scores.lists_of(run, part), part) for run in runs for part in parts(labels))
        say("  beside ir-measures, its lists in memory", "ratio", f"{ours / theirs:.2f}", "")
        made.runs.filter(pk__in=[run.pk for run in runs]).delete()


def parts(labels: dict[str, dict[str, int]]) -> list[dict[str, dict[str, int]]]:
    names = sorted(labels)
    return [{n: labels[n] for n in names[start : start + QUERIES]} for start in range(0, len(names), QUERIES)]


def library_seconds(lists: dict[str, list[str]], labels: Any) -> float:
    """The same measures of the lists as they are, and of what they have of the pool."""
    import ir_measures

    began = time.perf_counter()
    run = {query: {d: 1.0 / rank for rank, d in enumerate(docnos, 1)} for query, docnos in lists.items()}
    closed = {q: {d: score for d, score in docs.items() if d in labels[q]} for q, docs in run.items()}
    for measures, each in ((TREC, run), (("AP", "nDCG", "R@5"), closed)):
        list(ir_measures.iter_calc([ir_measures.parse_measure(name) for name in measures], labels, each))
    return time.perf_counter() - began


def peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024

"""Nine systems scored at MDCR's size, 3,800 pools of 65 in 19 fields, beside ir-measures on the same lists."""

from __future__ import annotations

import random
import resource
from collections.abc import Callable
from dataclasses import replace
from time import process_time

KINDS = ("bm25", "specter", "scincl", "graph", "most_cited", "random")
TREC, MDCR = ("AP", "nDCG@10", "P@10", "RR"), ("AP", "nDCG", "R@5")


def measure_scoring(say: Callable[..., None]) -> None:
    from accounts.models import Collection
    from evaluation import scores
    from evaluation.measures import profile
    from pooling.published import import_pools
    from retrieval.building import insert_lists
    from retrieval.models import Run

    draw, corpus = random.Random(1), [f"d{number:06}" for number in range(100_000)]
    pools: dict[str, dict[str, dict[str, list[str]]]] = {f"field {number}": {} for number in range(19)}
    for number, queries in enumerate([*pools.values()] * 200):
        pooled = draw.sample(corpus, 65)
        types = {kind: pooled[10 * place : 10 * place + 10] for place, kind in enumerate(KINDS)}
        queries[f"q{number}"] = types | {"true": pooled[60:]}
    made = Collection.objects.create(slug="scoring", name="scoring", seed="bench")
    import_pools(collection=made, pools=pools)
    labels = scores.citation_labels(made)
    for length in (65, 1000):
        runs = [Run.objects.create(collection=made, name=f"{length}-{n}", kind="file") for n in range(9)]
        for run, of_field in ((run, of_field) for run in runs for of_field in pools.values()):
            lists = []
            for query in made.queries.filter(name__in=of_field):
                start = draw.randrange(len(corpus) - length)
                docnos = list(dict.fromkeys([*labels[query.name], *corpus[start : start + length]]))[:length]
                draw.shuffle(docnos)
                lists.append((query, (docnos, list(range(length, 0, -1)))))
            insert_lists(run, lists)
        began = process_time()
        for each in (replace(profile("trec", 1), measures=TREC), profile("mdcr", 1)):
            scores.score_runs(made, runs, each, scores.CITATIONS)
        ours, peak = process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        say(f"score 9 systems, 3,800 lists of {length:,}, CPU", "sqlite", f"{ours:.1f} s", "≤ 60 s")
        say("  peak memory of that process", "sqlite", f"{peak:.0f} MiB", "≤ 500 MiB")
        theirs = sum(library_seconds(scores.lists_of(run, each), each) for run in runs for each in pools.values())
        say("  beside ir-measures on lists in memory", "ratio", f"{ours / theirs:.2f}", "")
        made.runs.filter(pk__in=[run.pk for run in runs]).delete()


def library_seconds(lists: dict[str, list[str]], pools: dict[str, dict[str, list[str]]]) -> float:
    """The same measures of a field's lists: whole, in their pools, and in what is cited with one type each."""
    import ir_measures

    began = process_time()
    run = {query: {docno: 1 / rank for rank, docno in enumerate(docnos, 1)} for query, docnos in lists.items()}
    for kinds, names in [(KINDS, TREC), (KINDS, MDCR), *(((kind,), MDCR) for kind in KINDS)]:
        labels = {q: {d: int(k == "true") for k in (*kinds, "true") for d in pools[q][k]} for q in pools}
        shown = run if names is TREC else {q: {d: run[q][d] for d in labels[q]} for q in run}
        list(ir_measures.iter_calc([ir_measures.parse_measure(name) for name in names], labels, shown))
    return process_time() - began

"""MDCR (Medić and Šnajder, SDP 2022): `mdcr_test.json` and `mdcr_test_data.jsonl`. Pure.

The benchmark is `{field: {query: {type: [candidate, …]}}}`; the candidates of the type `true` are
cited by the query, and those of the six others are not. The documents have the keys of S2ORC.
"""

from __future__ import annotations

from pathlib import Path

from benchmarks.records import Benchmark, BenchmarkError, checked, json_of, one_file, sha256_of
from corpus.formats.sources import open_source

CITED_TYPE = "true"
TYPES = ("bm25", "scincl", "specter", "graph", "most_cited", "random", CITED_TYPE)


def read_mdcr(folder: Path) -> Benchmark:
    """The test split, or the validation split if the folder has no other.

    Raises:
        BenchmarkError: a file is missing or is not as published.
    """
    path = one_file(folder, "mdcr_test.json", "mdcr_val.json")
    texts = one_file(path.parent, f"{path.stem}_data.jsonl", f"{path.stem}_data.jsonl.gz")
    pools: dict[str, dict[str, str]] = {}
    fields: dict[str, str] = {}
    for name, queries in json_of(path, dict).items():
        for query, candidates in checked(path, name, queries, dict).items():
            place = f"{name}, {query}"
            if query in fields:
                raise BenchmarkError(
                    f"{path.name}, {place}: the query is also in {fields[query]}. A query paper "
                    "has one pool here, so remove it from one of the two fields."
                )
            fields[query] = name
            pools[query] = _pool(path, place, checked(path, place, candidates, dict))
    return Benchmark(
        title="MDCR",
        description=(
            "Citation recommendation in 19 fields (Medić and Šnajder, SDP 2022), as published. A "
            "candidate is relevant if the query paper cites it."
        ),
        origin="citations",
        highest_grade=1,
        documents=open_source(texts),
        files={each.name: sha256_of(each) for each in (path, texts)},
        pools=pools,
        grades={
            query: {docno: int(source == CITED_TYPE) for docno, source in pool.items()}
            for query, pool in pools.items()
        },
        fields=fields,
        forced=(CITED_TYPE,),
    )


def _pool(path: Path, place: str, candidates: dict[str, object]) -> dict[str, str]:
    """The candidates with their types. In the published program, the last type of one counts."""
    if unknown := sorted(candidates.keys() - {*TYPES}):
        raise BenchmarkError(
            f"{path.name}, {place}: unknown type {unknown[0]!r}. Use {', '.join(TYPES)}."
        )
    pool: dict[str, str] = {}
    for source in TYPES:
        for docno in checked(path, f"{place}, {source}", candidates.get(source, []), list):
            pool[str(docno)] = source
    return pool

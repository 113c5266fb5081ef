"""Rebuild pools from exported files. This follows docs/manifest.md and needs only Python.

    python rebuild_pools.py MANIFEST.json DOCUMENTS.jsonl RUN.txt ... [ROUND.json RUN.txt ...]
    python rebuild_pools.py RELEASE.zip DOCUMENTS.jsonl

It prints a line for each build of pools and for each pool round. At the first difference, it prints
that and exits with 1. Runs are matched with the manifests by SHA-256, whatever their names are.
"""

from __future__ import annotations

import hashlib
import json
import sys
import zipfile
from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import pairwise
from math import ceil, fsum
from pathlib import Path
from typing import Any, NamedTuple

Json = dict[str, Any]
Run = dict[str, list[tuple[str, float]]]  # by query paper: docno and score, in order of rank


class Place(NamedTuple):
    rank: int
    turn: int  # the retriever's place in the query paper's order
    docno: str


class Pool(NamedTuple):
    order: list[str]
    drawn: list[tuple[str, str, int]]  # document, drawer, rank in the drawer's list; 0 if forced
    shortfall: dict[str, int]
    inclusion: dict[str, float]  # empty if the pool is not a sample
    contributions: list[list[Any]]

    @property
    def facts(self) -> Json:
        deepest = dict.fromkeys(self.order, 0)
        for _, drawer, rank in self.drawn:
            if drawer in deepest:
                deepest[drawer] = max(deepest[drawer], rank)
        documents = [docno for docno, _, _ in self.drawn]
        shortfall = {name: number for name, number in self.shortfall.items() if number}
        facts = {"order": self.order, "documents": documents, "size": len(documents)}
        digest = sha256(canonical(self.contributions))
        return facts | {"shortfall": shortfall, "depth": deepest, "sha256": digest}


def expect(subject: str, found: object, expected: object) -> None:
    if found != expected:
        sys.exit(f"Different. {subject}: expected {expected}, found {found}")


def sha256(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def canonical(value: object) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def corpus_digest(documents: Iterable[Json]) -> str:
    digests = []
    for document in documents:
        title, sentences = document["title"], document["sentences"]
        text = sha256(canonical([title, sentences, document.get("labels", [])]))
        facts = [document.get("year"), document.get("fields", []), document.get("references", [])]
        row = [document["docno"], text, *facts]
        digests.append(hashlib.sha256(canonical(row)).digest())
    return sha256(b"".join(sorted(digests)))


def manifest_digest(manifest: Json) -> str:
    content = json.loads(canonical({key: manifest[key] for key in manifest if key != "sha256"}))
    for facts in content["pools"]["query_papers"].values():
        facts.pop("documents", None)
    return sha256(canonical(content))


def read_run(content: bytes) -> Run:
    lists: Run = {}
    for line in content.decode().split("\n")[:-1]:
        paper, _, docno, rank, score, _ = line.split(" ")
        lists.setdefault(paper, []).append((docno, float(score)))
        expect(f"rank of {docno} for {paper}", int(rank), len(lists[paper]))
    return lists


class Query:
    """One query paper, and its pool while it is drawn."""

    def __init__(self, manifest: Json, paper: str, runs: dict[str, Run], corpus: Json) -> None:
        self.manifest, self.paper, self.runs, self.corpus = manifest, paper, runs, corpus
        self.strategy, self.parameters = manifest["strategy"], manifest["parameters"]
        uses = {run["name"]: run["use"] for run in manifest["runs"]}
        self.lists = {name: runs[name].get(paper, []) for name in uses if uses[name] == "drawn"}
        own = set[str]() if manifest["pools"]["query_papers"][paper].get("topic") else {paper}
        self.document: Json = corpus.get(paper, {}) if own else {}
        self.order = self.shuffled("retriever-order", self.lists)
        self.forced = {source: self.known_to(source) for source in sorted(manifest["forced"])}
        self.first: dict[str, str] = {}  # forced documents in their order, with their source
        for source, docnos in self.forced.items():
            self.first |= {docno: source for docno in docnos if docno not in {*own, *self.first}}
        self.out = {*own, *self.first}.union(*map(self.known_to, manifest["excluded"]))
        listed_docnos = {docno for ranked in self.lists.values() for docno, _ in ranked}
        self.out |= {docno for docno in listed_docnos if not self.may_be_drawn(docno)}
        self.entries: list[Place] = []
        self.shortfall, self.inclusion = dict[str, int](), dict[str, float]()

    def shuffled(self, purpose: str, items: Iterable[str]) -> list[str]:
        start = f"{self.manifest['seed']}|{purpose}|{self.paper}|"
        return sorted(items, key=lambda item: sha256(f"{start}{item}".encode()))

    def known_to(self, source: str) -> list[str]:
        if source != "cited":
            return [docno for docno, _ in self.runs[source].get(self.paper, [])]
        cited = self.document.get("references", [])
        return [docno for docno in dict.fromkeys(cited) if docno in self.corpus]

    def may_be_drawn(self, docno: str) -> bool:
        only, query = self.manifest["only"], self.document
        fields, year = (self.corpus[docno].get(key) for key in ("fields", "year"))
        shared = set(query.get("fields", [])) & set(fields or [])
        if "same_field" in only and query.get("fields") and not shared:
            return False
        if "not_later" in only and query.get("year") is not None:
            return year is not None and year <= query["year"]
        return True

    def places(self, depth: int | None) -> dict[str, Place]:
        """The best place of each document that may be drawn, by rank and then turn."""
        best: dict[str, Place] = {}
        for place in sorted(
            Place(rank, turn, docno)
            for turn, name in enumerate(self.order)
            for rank, (docno, _) in enumerate(self.lists[name][:depth], start=1)
        ):
            if place.docno not in self.out:
                best.setdefault(place.docno, place)
        return best

    def pool(self) -> Pool:
        is_fusion = self.strategy in ("rrf", "combmnz", "rbp")
        getattr(self, f"draw_{'fusion' if is_fusion else self.strategy}")()
        if self.strategy in ("uniform", "stratified"):
            self.inclusion |= dict.fromkeys(self.first, 1.0)
        if "size" in self.parameters:
            self.shortfall = {"budget": self.parameters["size"] - len(self.entries)}
        drawn = [(docno, source, 0) for docno, source in self.first.items()]
        drawn += [(place.docno, self.order[place.turn], place.rank) for place in self.entries]
        rows = list(self.contributions(drawn))
        return Pool(self.order, drawn, self.shortfall, self.inclusion, rows)

    def contributions(self, drawn: list[tuple[str, str, int]]) -> Iterator[list[Any]]:
        ranks = {
            name: {docno: (rank, score) for rank, (docno, score) in enumerate(ranked, start=1)}
            for name, ranked in self.lists.items()
        }
        for sequence, (docno, drawer, _) in enumerate(drawn, start=1):
            for name in sorted(ranks):
                if docno in ranks[name]:
                    yield [docno, name, *ranks[name][docno], name == drawer, sequence]
            for source in self.forced:
                if docno in self.forced[source]:
                    yield [docno, source, None, None, source == drawer, sequence]

    def take_turns(self, turns: Iterable[int]) -> None:
        self.shortfall = dict.fromkeys(self.order, 0)
        for turn in turns:
            ranked = enumerate(self.lists[self.order[turn]], start=1)
            earlier = self.out | {place.docno for place in self.entries}
            new = [Place(rank, turn, docno) for rank, (docno, _) in ranked if docno not in earlier]
            self.entries += new[:1]
            self.shortfall[self.order[turn]] += not new

    def draw_interleaved(self) -> None:
        self.take_turns([*range(len(self.order))] * self.parameters["n"])

    def draw_sequential(self) -> None:
        turns = range(len(self.order))
        self.take_turns(turn for turn in turns for _ in range(self.parameters["n"]))

    def draw_depth_k(self) -> None:
        k = self.parameters["k"]
        self.entries = list(self.places(k).values())
        self.shortfall = {name: max(0, k - len(ranked)) for name, ranked in self.lists.items()}

    def draw_take_b(self) -> None:
        self.entries = list(self.places(None).values())[: self.parameters["size"]]

    def draw_fusion(self) -> None:
        terms: dict[str, list[float]] = {}
        for ranked in self.lists.values():
            top = ranked[: self.parameters["depth"]]
            for (docno, _), term in zip(top, self.terms([score for _, score in top]), strict=True):
                terms.setdefault(docno, []).append(term)
        total = {docno: fsum(values) for docno, values in terms.items()}
        if self.strategy == "combmnz":
            total = {docno: total[docno] * len(values) for docno, values in terms.items()}
        places = self.places(self.parameters["depth"])
        best = sorted(places, key=lambda docno: (total[docno], docno), reverse=True)
        self.entries = [places[docno] for docno in best[: self.parameters["size"]]]

    def terms(self, scores: list[float]) -> Iterator[float]:
        """The terms that a list adds to the scores of its documents, in order of rank."""
        weight = 1 - self.parameters.get("p", 0.0)
        low, high = min(scores, default=0.0), max(scores, default=0.0)
        for rank, score in enumerate(scores, start=1):
            if self.strategy == "rrf":
                yield 1 / (self.parameters["k"] + rank)
            elif self.strategy == "combmnz":
                yield (score - low) / (high - low) if high > low else 1.0
            else:
                yield weight
                weight *= self.parameters["p"]

    def sample(self, purpose: str, places: dict[str, Place], size: int) -> None:
        docnos = self.shuffled(purpose, places)[:size]
        self.entries += [places[docno] for docno in docnos]
        self.inclusion |= {docno: len(docnos) / len(places) for docno in docnos}

    def draw_uniform(self) -> None:
        self.sample("uniform", self.places(self.parameters["depth"]), self.parameters["size"])

    def draw_stratified(self) -> None:
        bounds, rates = self.parameters["bounds"], self.parameters["rates"]
        places = self.places(bounds[-1])
        for number, (bound, rate) in enumerate(zip(bounds, rates, strict=True), start=1):
            stratum = {docno: place for docno, place in places.items() if place.rank <= bound}
            self.sample(f"stratum-{number}", stratum, ceil(Fraction(str(rate)) * len(stratum)))
            places = {docno: place for docno, place in places.items() if docno not in stratum}

    def draw_mdcr(self) -> None:
        for turn, name in enumerate(self.order):
            ranked = enumerate(self.lists[name], start=1)
            places = {docno: Place(rank, turn, docno) for rank, (docno, _) in ranked}
            docnos = [docno for docno in places if docno not in self.out]
            if name.split(".")[0] != "graph":
                docnos = self.shuffled(f"top-of-{name}", docnos[: self.parameters["top"]])
            earlier = {place.docno for place in self.entries}
            new = [docno for docno in docnos if docno not in earlier][: self.parameters["n"]]
            self.entries += [places[docno] for docno in new]
            self.shortfall[name] = self.parameters["n"] - len(new)


def rebuild(manifest: Json, corpus: Json, files: dict[str, bytes]) -> dict[str, Pool]:
    """The pools of a manifest, compared with it. `files` maps SHA-256 to the content of a run."""
    expect("digest of the manifest", manifest_digest(manifest), manifest["sha256"])
    expect("digest of the corpus", corpus_digest(corpus.values()), manifest["corpus"]["sha256"])
    expect("documents", len(corpus), manifest["corpus"]["documents"])
    for run in manifest["runs"]:
        expect(f"a file with the digest of run {run['name']}", run["sha256"] in files, True)
    runs = {run["name"]: read_run(files[run["sha256"]]) for run in manifest["runs"]}
    expected = manifest["pools"]["query_papers"]
    pools = {docno: Query(manifest, docno, runs, corpus).pool() for docno in sorted(expected)}
    for docno, pool in pools.items():
        for name in pool.facts.keys() & expected[docno].keys():
            expect(f"{name} of the pool of {docno}", pool.facts[name], expected[docno][name])
    content = canonical({docno: pool.contributions for docno, pool in pools.items()})
    expect("digest of all pools", sha256(content), manifest["pools"]["sha256"])
    expect("number of pools", len(pools), manifest["pools"]["count"])
    return pools


def choose(manifest: Json, paper: str, pooled: list[str], runs: dict[str, Run]) -> Pool:
    """What a pool round adds to a pool of these documents."""
    facts, depth = manifest["pools"]["query_papers"][paper], manifest["depth"]
    only = manifest["only"]
    ranks: dict[str, dict[str, tuple[int, float]]] = {}
    for name, topic in ((name, topic) for name in runs for topic in facts.get("topics", [paper])):
        for rank, (docno, score) in enumerate(runs[name].get(topic, [])[:depth], start=1):
            own = ranks.setdefault(name, {})
            if docno not in own or rank < own[docno][0]:
                own[docno] = (rank, score)
    order = sorted(ranks)
    skipped = {*pooled, *facts.get("outside", []), *(() if facts.get("topic") else (paper,))}
    may_be_added = None if only is None else only.get(paper, [])
    best: dict[str, tuple[str, str, int]] = {}
    places = [(own[docno][0], name, docno) for name, own in ranks.items() for docno in own]
    for rank, drawer, docno in sorted(places):
        if docno not in skipped and (may_be_added is None or docno in may_be_added):
            best.setdefault(docno, (docno, drawer, rank))
    drawn, inclusion = list(best.values()), dict[str, float]()
    if manifest["choice"] == "sample":
        drawn, first = [], 1
        bounds, rates = manifest["parameters"]["bounds"], manifest["parameters"]["rates"]
        for number, (bound, rate) in enumerate(zip(bounds, rates, strict=True), start=1):
            docnos = [docno for docno in best if first <= best[docno][2] <= bound]
            start = f"{manifest['seed']}|round-{manifest['round']}-stratum-{number}|{paper}|"
            docnos.sort(key=lambda docno: (sha256(f"{start}{docno}".encode()), docno))
            sample = docnos[: ceil(Fraction(str(rate)) * len(docnos))]
            drawn += [best[docno] for docno in sample]
            inclusion |= {docno: len(sample) / len(docnos) for docno in sample}
            first = bound + 1
    rows: list[list[Any]] = [
        [docno, name, *ranks[name][docno], name == drawer, sequence]
        for sequence, (docno, drawer, _) in enumerate(drawn, start=len(pooled) + 1)
        for name in order
        if docno in ranks[name]
    ]
    return Pool(order, drawn, {}, inclusion, rows)


def add_round(manifest: Json, before: Json, pooled: dict[str, list[str]], files: Json) -> Json:
    """What a round adds to the pools, compared with its manifest; adds it to `pooled`, too.

    `before` is the manifest of the round before, or {} for round 2.
    """
    expect("digest of the manifest", manifest_digest(manifest), manifest["sha256"])
    expect("round", manifest["round"], before.get("round", 1) + 1)
    expect("digest of the round before", manifest["previous"]["round"], before.get("sha256"))
    for run in manifest["runs"]:
        expect(f"a file with the digest of run {run['name']}", run["sha256"] in files, True)
    runs = {run["name"]: read_run(files[run["sha256"]]) for run in manifest["runs"]}
    expected, pools = manifest["pools"]["query_papers"], {}
    for paper, facts in sorted(expected.items()):
        expect(f"a manifest of the pool of {paper}", paper in pooled, True)
        digest = {"size": len(pooled[paper]), "sha256": sha256(canonical(pooled[paper]))}
        expect(f"pool of {paper} before the round", digest, facts["before"])
        pools[paper] = choose(manifest, paper, pooled[paper], runs)
        for name in pools[paper].facts.keys() & facts.keys():
            expect(f"{name} of the pool of {paper}", pools[paper].facts[name], facts[name])
        pooled[paper] += [docno for docno, _, _ in pools[paper].drawn]
    content = canonical({paper: pool.contributions for paper, pool in pools.items()})
    expect("digest of all pools", sha256(content), manifest["pools"]["sha256"])
    return pools


def rebuild_release(path: str, corpus: Json) -> Iterator[dict[str, Pool]]:
    """The pools of each build, and then what each later round added. Imported pools stay as is."""
    rows: dict[tuple[str, int], list[tuple[str, float | None]]] = {}
    with zipfile.ZipFile(path) as bundle:
        release = json.loads(bundle.read("manifest.json"))
        builds, rounds = release["pool_builds"], release.get("pool_rounds", [])
        names = [run["file"] for run in release["runs"] if run["file"]]
        names += [name for each in rounds for name in each["files"].values()]
        files = {sha256(content): content for content in map(bundle.read, names)}
        for line in map(json.loads, bundle.read("pools/pool.jsonl").splitlines()):
            of_round = rows.setdefault((line["query_paper"], line.get("round", 1)), [])
            of_round.append((line["docno"], line["inclusion"]))

    def compare(pools: dict[str, Pool], papers: Iterable[str], number: int) -> dict[str, Pool]:
        for paper in papers:
            drawn, chance = pools[paper].drawn, pools[paper].inclusion
            expected = [(docno, chance.get(docno)) for docno, _, _ in drawn]
            subject = f"documents and probabilities released for {paper}"
            expect(subject, rows.get((paper, number), []), expected)
        return pools

    pooled: dict[str, list[str]] = {}
    for manifest, papers in ((build["manifest"], build["query_papers"]) for build in builds):
        if "query_papers" in manifest.get("pools", {}):
            yield compare(rebuild(manifest, corpus, files), papers, 1)
        pooled |= {paper: [docno for docno, _ in rows.get((paper, 1), [])] for paper in papers}
    for before, manifest in pairwise([{}, *(each["manifest"] for each in rounds)]):
        pools = add_round(manifest, before, pooled, files)
        yield compare(pools, pools, manifest["round"])


def report(pools: dict[str, Pool]) -> None:
    size = sum(len(pool.drawn) for pool in pools.values())
    sys.stdout.write(f"Equal: {len(pools)} pools with {size} documents\n")


def main(*paths: str) -> None:
    manifests, corpus, files = list[Json](), dict[str, Json](), dict[str, bytes]()
    for path in paths:
        content = b"" if zipfile.is_zipfile(path) else Path(path).read_bytes()
        if path.endswith(".json"):
            manifests.append(json.loads(content))
        elif content.startswith(b"{"):
            documents = map(json.loads, content.decode().removesuffix("\n").split("\n"))
            corpus |= {document["docno"]: document for document in documents}
        else:
            files[sha256(content)] = content
    builds = [manifest for manifest in manifests if "round" not in manifest]
    rounds = sorted((each for each in manifests if "round" in each), key=lambda each: each["round"])
    for path in filter(zipfile.is_zipfile, paths):
        for pools in rebuild_release(path, corpus):
            report(pools)
    pooled: dict[str, list[str]] = {}
    for pools in (rebuild(manifest, corpus, files) for manifest in builds):
        report(pools)
        pooled |= {paper: [docno for docno, _, _ in pools[paper].drawn] for paper in pools}
    for before, manifest in pairwise([{}, *rounds]):
        known = {build["sha256"] for build in builds}
        expect("builds before the round", known <= {*manifest["previous"]["builds"]}, True)
        pools = add_round(manifest, before, pooled, files)
        size = sum(len(pool.drawn) for pool in pools.values())
        sys.stdout.write(f"Equal: round {manifest['round']} adds {size} documents\n")


if __name__ == "__main__":
    main(*sys.argv[1:])

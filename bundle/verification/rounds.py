"""Checks of pool rounds: each has a manifest, which names the manifests before it. Pure.

The check of pools compares the first round with the manifests of the builds.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from bundle.names import MANIFEST, POOLS, RATINGS
from bundle.reading.pools import pool_digest, read_pools
from bundle.records import PooledDocument, ReleasedRound
from bundle.verification.data import ReleaseData
from bundle.verification.failures import Failure
from pooling.provenance import digest_of, pooled_digest, stated_digest

Rows = Sequence[tuple[int, PooledDocument]]  # lines and candidates of a pool


def wrong_rounds(data: ReleaseData) -> Iterator[Failure]:
    """Breaks in the chain of manifests, and candidates and ratings that disagree with it."""
    yield from _unknown_rounds(data)
    if data.manifest.rounds:  # reading the pools with their sources again takes seconds
        yield from _wrong_chain(data)
        yield from _wrong_candidates(data)
    yield from _wrong_ratings(data)


def _unknown_rounds(data: ReleaseData) -> Iterator[Failure]:
    known = {1, *(pool_round.number for pool_round in data.manifest.rounds)}
    for paper, pool in data.pools.items():
        for docno, pooled in pool.items():
            if pooled.round not in known:
                reason = f"{docno} of {paper} is of round {pooled.round}, which {MANIFEST} lacks."
                yield Failure(POOLS, pooled.line, reason)


def _wrong_chain(data: ReleaseData) -> Iterator[Failure]:
    rounds = data.manifest.rounds
    numbers = [pool_round.number for pool_round in rounds]
    if numbers != list(range(2, len(rounds) + 2)):
        listed = ", ".join(map(str, numbers))
        yield Failure(MANIFEST, None, f"the pool rounds have the numbers {listed}, not 2, 3, ….")
    builds = {stated_digest(build.manifest) for build in data.manifest.builds}
    build_of = {
        paper: stated_digest(build.manifest)
        for build in data.manifest.builds
        for paper in build.query_papers
    }
    before, known = None, set[str]()
    for pool_round in rounds:
        name, manifest = f"round {pool_round.number}", pool_round.manifest
        if (found := digest_of(manifest)) != manifest["sha256"]:
            reason = f"the manifest of {name} has the digest {found}, and states another one."
            yield Failure(MANIFEST, None, reason)
        previous = manifest["previous"]
        if previous["round"] != before:
            reason = (
                f"{name} follows a round with the manifest {previous['round']}, but the round "
                f"before it in the release has {before}."
            )
            yield Failure(MANIFEST, None, reason)
        named = set(previous["builds"])
        for sha256 in sorted(named - builds):
            reason = f"{name} follows a build with the manifest {sha256}, which is missing."
            yield Failure(MANIFEST, None, reason)
        for sha256 in sorted(known - named):
            reason = f"{name} does not name the build {sha256}, which an earlier round names."
            yield Failure(MANIFEST, None, reason)
        for paper in sorted(_papers(pool_round)):
            if build_of.get(paper) not in named:
                reason = f"{name} adds to the pool of {paper}, whose build it does not name."
                yield Failure(MANIFEST, None, reason)
        before, known = manifest["sha256"], named


def _papers(pool_round: ReleasedRound) -> Mapping[str, Any]:
    papers: Mapping[str, Any] = pool_round.manifest["pools"]["query_papers"]
    return papers


def _wrong_candidates(data: ReleaseData) -> Iterator[Failure]:
    """Candidates whose round does not have them in its manifest, and numbers that differ."""
    rounds = {pool_round.number: pool_round for pool_round in data.manifest.rounds}
    documents: Counter[int] = Counter()
    papers: Counter[int] = Counter()
    seen = set()
    for paper, lines in groupby(read_pools(data.bundle), lambda row: row[1].query_paper):
        rows = list(lines)
        seen.add(paper)
        numbers = [pooled.round for _, pooled in rows]
        if numbers != sorted(numbers):
            reason = f"the rounds of the pool of {paper} are not in order."
            yield Failure(POOLS, rows[0][0], reason)
        documents.update(numbers)
        papers.update(set(numbers))
        for pool_round in rounds.values():
            yield from _wrong_addition(data, paper, rows, pool_round)
    for number, pool_round in rounds.items():
        for paper in sorted(_papers(pool_round).keys() - seen):
            reason = f"the pool of {paper}, to which round {number} adds, is missing."
            yield Failure(POOLS, None, reason)
        stated = pool_round.documents, pool_round.query_papers
        if stated != (found := (documents[number], papers[number])):
            reason = (
                f'"documents" and "query_papers" of round {number} are {stated[0]} and '
                f"{stated[1]}, in {POOLS} {found[0]} and {found[1]}."
            )
            yield Failure(MANIFEST, None, reason)


def _wrong_addition(
    data: ReleaseData, paper: str, rows: Rows, pool_round: ReleasedRound
) -> Iterator[Failure]:
    number, facts = pool_round.number, _papers(pool_round).get(paper)
    added = [(line, pooled) for line, pooled in rows if pooled.round == number]
    line = added[0][0] if added else rows[0][0]
    if facts is None:
        if added:
            reason = f"{added[0][1].docno} is not added by the manifest of round {number}."
            yield Failure(POOLS, line, f"{paper}: {reason}")
        return
    before = [pooled.docno for _, pooled in rows if pooled.round < number]
    if (len(before), pooled_digest(before)) != (facts["before"]["size"], facts["before"]["sha256"]):
        yield Failure(
            POOLS,
            rows[0][0],
            f"the pool of {paper} before round {number} has {len(before)} documents, which are "
            f"not the {facts['before']['size']} of the manifest of the round.",
        )
    if len(added) != facts["size"]:
        yield Failure(
            POOLS,
            line,
            f"round {number} added {len(added)} documents to the pool of {paper}, by its manifest "
            f"{facts['size']}.",
        )
    digest = pool_digest(
        [pooled for _, pooled in added],
        (),
        is_judged=data.manifest.is_judged,
        first=len(before) + 1,
    )
    if digest != facts["sha256"]:
        yield Failure(
            POOLS,
            line,
            f"what round {number} added to the pool of {paper} does not have the digest "
            f"{facts['sha256']} of its manifest.",
        )


def _wrong_ratings(data: ReleaseData) -> Iterator[Failure]:
    for query, pairs in data.ratings.items():
        pool = data.pools.get(data.paper_of.get(query, ""), {})
        for docno, pair in pairs.items():
            if docno not in pool:
                continue  # a finding of the check of pools
            for judgment in pair.judgments:
                if judgment.pool_round != pool[docno].round:
                    reason = (
                        f"{query} {docno} is of round {judgment.pool_round}, in {POOLS} of round "
                        f"{pool[docno].round}."
                    )
                    yield Failure(RATINGS, pair.line, reason)
                    break

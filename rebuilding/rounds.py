"""Proving a pool round: its documents are chosen again, and the manifests before it are compared.

A round is chosen from the lists that it copied, so nothing is ranked again, and a corpus that has
grown since does not matter. The pools of the first round are compared as they are stored: each
has the digest that the manifest of its build gives. To draw them again, rebuild that manifest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from accounts.models import Collection
from corpus.digests import json_digest
from jobs.context import JobContext
from pooling.errors import PoolingError
from pooling.models import Contribution, Pool, PoolBuild, PoolRound, RoundChoice
from pooling.provenance import pooled_digest
from pooling.rounds.choice import TopicList
from pooling.rounds.lists import file_digests, lists_of_round
from pooling.rounds.manifest import (
    ROUND_FORMAT,
    build_sha256,
    round_digest,
)
from pooling.rounds.services import choose, pooled_docnos
from pooling.services.manifest import can_be_rebuilt
from pooling.strategies import own_docnos
from rebuilding.differences import Mismatch, check_equal
from rebuilding.manifest_schema import ROUND_MANIFEST, problems

READ_TOGETHER = 100  # pools


class RoundProof(NamedTuple):
    """The result for a round that equals its manifest.

    `earlier_pools` have the digests of their builds' manifests, `imported_pools` have none there.
    """

    number: int
    pools: int
    documents: int
    sha256: str
    earlier_pools: int
    imported_pools: int
    notes: list[str]


def prove_round(
    *, collection: Collection, manifest: Mapping[str, Any], work: JobContext
) -> RoundProof:
    """Choose the documents of a round again, and compare them and all that came before.

    Raises:
        Mismatch: the round, an earlier manifest or an earlier pool differs.
        PoolingError: it is no manifest of a round of this collection.
    """
    _check_shape(manifest)
    number = manifest["round"]
    pool_round = collection.pool_rounds.filter(number=number).first()
    if pool_round is None:
        raise PoolingError(
            f"{collection.slug} has no pool round {number}, so its lists are not stored here. "
            "Use docs/rebuild_pools.py with the files of the round's runs."
        )
    check_equal("sha256", manifest["sha256"], round_digest(manifest))
    notes = _compare_corpus(collection, manifest)
    earlier, imported = _check_chain(collection, manifest, work)
    documents = _check_pools(collection, pool_round, manifest, work)
    work.complete({})
    papers = manifest["pools"]["query_papers"]
    return RoundProof(
        number, len(papers), documents, manifest["pools"]["sha256"], earlier, imported, notes
    )


def _check_shape(manifest: Mapping[str, Any]) -> None:
    if manifest.get("format") != ROUND_FORMAT:
        raise PoolingError(
            f"format must be {ROUND_FORMAT} for a pool round in this version of Qrelsmith, got "
            f"{manifest.get('format')!r}."
        )
    if problem := next(problems(manifest, ROUND_MANIFEST), None):
        raise PoolingError(f"The manifest is damaged: {problem}. Download it again.")


def _compare_corpus(collection: Collection, manifest: Mapping[str, Any]) -> list[str]:
    then, now = manifest["corpus"]["documents"], collection.documents.count()
    if then == now:
        return []
    return [
        f"corpus.documents: the manifest says {then:,}, here there are {now:,}. A round does not "
        "depend on other documents than those in its lists."
    ]


# The manifests before the round


def _check_chain(
    collection: Collection, manifest: Mapping[str, Any], work: JobContext
) -> tuple[int, int]:
    """Check the builds and rounds before this one. Returns how many pools equal their manifest.

    The second number is that of imported pools, whose manifests have no digest of a pool.
    """
    previous, number = manifest["previous"], manifest["round"]
    if previous["round"] is not None:
        before = collection.pool_rounds.filter(number=number - 1).first()
        found = round_digest(before.manifest) if before else None
        check_equal("previous.round", previous["round"], found)
    elif number > 2:
        raise Mismatch(f"previous.round: it is null, but the round has the number {number}.")
    builds = {build_sha256(build): build for build in collection.pool_builds.all()}
    for sha256 in previous["builds"]:
        if sha256 not in builds:
            raise Mismatch(
                f"previous.builds: no build of {collection.slug} has the manifest {sha256}."
            )
    equal = imported = 0
    for sha256 in previous["builds"]:
        pools = list(Pool.objects.frozen().filter(build=builds[sha256]))
        if can_be_rebuilt(builds[sha256].manifest):
            _check_stored(builds[sha256], pools)
            equal += len(pools)
        else:
            imported += len(pools)
        work.check()
    return equal, imported


def _check_stored(build: PoolBuild, pools: Sequence[Pool]) -> None:
    """Check that the first round of these pools has the digests of the build's manifest."""
    expected = build.manifest["pools"]["query_papers"]
    forced = set(build.manifest["forced"])
    for start in range(0, len(pools), READ_TOGETHER):
        stored = stored_contributions(pools[start : start + READ_TOGETHER], 1, forced)
        for paper, content in stored.items():
            if json_digest(content) != expected[paper]["sha256"]:
                raise Mismatch(
                    f"The pool of {paper} differs from the manifest of its build. "
                    f"pools.query_papers.{paper}.sha256: the manifest says "
                    f"{expected[paper]['sha256']}, the stored pool has {json_digest(content)}."
                )


def stored_contributions(
    pools: Sequence[Pool], number: int, forced: set[str]
) -> dict[str, list[list[Any]]]:
    """The contributions that a round of these pools has, by query paper, as digests cover them."""
    stored: dict[str, list[list[Any]]] = {
        name: []
        for name in Pool.objects.filter(pk__in=[pool.pk for pool in pools])
        .order_by()
        .values_list("query_paper__name", flat=True)
    }
    rows = Contribution.objects.order_by().filter(
        candidate__pool__in=[pool.pk for pool in pools], candidate__round=number
    )
    for paper, *contribution in rows.values_list(
        "candidate__pool__query_paper__name",
        "candidate__document__docno",
        "source",
        "rank",
        "score",
        "drawn",
        "candidate__position",
    ):
        # PostgreSQL returns a score like 1e+22 as it was stored, a float.
        stored[paper].append(contribution)
    for content in stored.values():
        content.sort(key=lambda row: (row[5], row[1] in forced, row[1]))
    return stored


# The round


def _check_pools(
    collection: Collection, pool_round: PoolRound, manifest: Mapping[str, Any], work: JobContext
) -> int:
    """Choose the documents of every pool again, and compare. Returns their number."""
    expected = manifest["pools"]["query_papers"]
    check_equal("pools.count", manifest["pools"]["count"], len(expected))
    lists = lists_of_round(pool_round)
    _check_files(pool_round, manifest)
    contents: dict[str, list[Any]] = {}
    papers = sorted(expected)
    for start in range(0, len(papers), READ_TOGETHER):
        some = papers[start : start + READ_TOGETHER]
        pools = Pool.objects.frozen().filter(
            query_paper__collection=collection, query_paper__name__in=some
        )
        by_name = {pool.query_paper.name: pool for pool in pools.select_related("query_paper")}
        before = pooled_docnos(list(by_name.values()), before_round=pool_round.number)
        stored = stored_contributions(list(by_name.values()), pool_round.number, set())
        for paper in some:
            if paper not in by_name:
                raise Mismatch(f"pools.query_papers.{paper}: it has no frozen pool here.")
            contents[paper] = _check_pool(
                paper,
                expected[paper],
                manifest,
                lists=lists.get(paper, []),
                before=before[by_name[paper].pk],
                stored=stored[paper],
            )
            work.progress(len(contents), len(papers), "pools chosen again")
    check_equal("pools.sha256", manifest["pools"]["sha256"], json_digest(contents))
    return sum(facts["size"] for facts in expected.values())


def _check_files(pool_round: PoolRound, manifest: Mapping[str, Any]) -> None:
    digests = file_digests(pool_round)
    check_equal("runs, by name", sorted(run["name"] for run in manifest["runs"]), sorted(digests))
    for run in manifest["runs"]:
        check_equal(f"runs.{run['name']}.sha256", run["sha256"], digests[run["name"]])


def _check_pool(
    paper: str,
    facts: Mapping[str, Any],
    manifest: Mapping[str, Any],
    *,
    lists: Sequence[TopicList],
    before: Sequence[str],
    stored: list[list[Any]],
) -> list[list[Any]]:
    """Check one pool of the round; returns its contributions."""
    path = f"pools.query_papers.{paper}"
    check_equal(f"{path}.before.size", facts["before"]["size"], len(before))
    check_equal(f"{path}.before.sha256", facts["before"]["sha256"], pooled_digest(before))
    check_equal(
        f"{path}.topics", facts.get("topics", [paper]), sorted({each.topic for each in lists})
    )
    only = manifest["only"]
    own = own_docnos(paper, is_topic=bool(facts.get("topic")))
    is_sample = manifest["choice"] == RoundChoice.SAMPLE
    pool, contributions = choose(
        lists,
        {*before, *facts.get("outside", []), *own},
        only=None if only is None else only.get(paper, []),
        depth=manifest["depth"],
        parameters=manifest["parameters"] if is_sample else None,
        seed=manifest["seed"],
        number=manifest["round"],
        query_paper=paper,
        pooled=len(before),
    )
    documents = [entry.docno for entry in pool.entries]
    chosen = {"size": len(documents), "order": list(pool.order), "depth": pool.depth}
    for name, value in (chosen | {"documents": documents}).items():
        if name in facts:
            check_equal(f"{path}.{name}", facts[name], value)
    content = [list(contribution) for contribution in contributions]
    check_equal(f"{path}.sha256", facts["sha256"], json_digest(content))
    if content != stored:
        raise Mismatch(
            f"{path}: the documents that are stored here for this round are not those of the "
            "manifest."
        )
    return content

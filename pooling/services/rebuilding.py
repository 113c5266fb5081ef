"""Drawing pools again from their manifest, to prove them equal or find where they differ."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Mapping
from itertools import zip_longest
from typing import Any, NamedTuple

from accounts.models import Collection
from corpus.models import QueryPaper
from corpus.texts import canonical_json
from jobs.work import Work
from pooling.formats import RankedList
from pooling.models import IMPORTED
from pooling.retrievers import is_retriever, seeded
from pooling.services.asking import retriever_named
from pooling.services.corpus import corpus_digest, known_docnos, papers_of
from pooling.services.drawing import EMPTY, draw_pool
from pooling.services.eligible import Eligible
from pooling.services.errors import PoolingError
from pooling.services.manifest import READABLE, plan_of, versions
from pooling.services.plan import PoolPlan
from pooling.services.run_files import lists_digest, ranked_list
from pooling.services.runs import rank_papers


class Differs(PoolingError):
    """What is rebuilt is not what the manifest says; the message names the first difference."""


class Proof(NamedTuple):
    """Pools that are equal to those of the manifest. `ranked_again` are the runs made anew."""

    pools: int
    candidates: int
    sha256: str
    ranked_again: list[str]


def rebuild_pools(*, collection: Collection, manifest: Mapping[str, Any], work: Work) -> Proof:
    """Make the built-in runs again, draw every pool again, and compare. Keeps nothing.

    Runs of other engines are taken from the collection, which must have them under the same name.

    Raises:
        Differs: corpus, query papers, a run or a pool is not what the manifest says.
        PoolingError: this is no manifest that pools can be built from.
    """
    _check_format(manifest)
    try:
        return _rebuild(collection, manifest, work)
    except Differs as difference:
        raise Differs(f"{difference}{_other_versions(manifest)}") from None


def _check_format(manifest: Mapping[str, Any]) -> None:
    if manifest.get("format") not in READABLE or "query_papers" not in manifest.get("pools", {}):
        raise PoolingError(
            f"This is no manifest of format {' or '.join(map(str, READABLE))}, from which pools "
            "can be built again. (Pools that were imported have none.)"
        )


def _rebuild(collection: Collection, manifest: Mapping[str, Any], work: Work) -> Proof:
    plan = plan_of(manifest)
    digest = _same_corpus(collection, manifest)
    here = {paper.document.docno: paper for paper in papers_of(collection)}
    expected: dict[str, dict[str, Any]] = manifest["pools"]["query_papers"]
    runs: dict[str, dict[str, RankedList]] = {}
    for said in manifest["runs"]:
        papers = _papers(said, expected, here)
        runs[said["name"]] = _same_run(collection, said, papers, digest, work)
    whole = hashlib.sha256(b"{")
    eligible = Eligible.for_plan(collection, plan)
    for number, docno in enumerate(sorted(expected)):
        content = _same_pool(_paper(docno, here), plan, runs, eligible, expected[docno])
        whole.update((b"," if number else b"") + canonical_json(docno) + b":" + content)
        work.progress(number + 1, len(expected), "pools drawn again")
    whole.update(b"}")
    if whole.hexdigest() != manifest["pools"]["sha256"]:
        raise Differs("Every pool is equal, but not their checksum: the manifest is damaged.")
    work.complete({})
    return Proof(
        pools=len(expected),
        candidates=sum(facts["size"] for facts in expected.values()),
        sha256=whole.hexdigest(),
        ranked_again=[said["name"] for said in manifest["runs"] if _is_made_here(said)],
    )


def _same_corpus(collection: Collection, manifest: Mapping[str, Any]) -> str:
    digest, said = corpus_digest(collection), manifest["corpus"]
    if digest != said["sha256"]:
        size = collection.documents.papers().count()
        raise Differs(
            f"The corpus differs: the manifest's has {said['documents']:,} documents and the "
            f"SHA-256 {said['sha256']}, that of {collection.slug} {size:,} documents and "
            f"{digest}."
        )
    return digest


def _paper(docno: str, here: Mapping[str, QueryPaper]) -> QueryPaper:
    if docno not in here:
        raise Differs(f"The query papers differ: {docno} is in the manifest and has no query here.")
    return here[docno]


def _papers(
    said: Mapping[str, Any], expected: Iterable[str], here: Mapping[str, QueryPaper]
) -> list[QueryPaper]:
    """The query papers that the run had lists for."""
    docnos = (set(expected) | set(said["also_ranked"])) - set(said["not_ranked"])
    return [_paper(docno, here) for docno in sorted(docnos)]


def _is_made_here(said: Mapping[str, Any]) -> bool:
    """Not by its name alone: an imported run's may have become a retriever's since."""
    return said["kind"] not in IMPORTED and is_retriever(said["name"])


def _same_run(
    collection: Collection,
    said: Mapping[str, Any],
    papers: list[QueryPaper],
    digest: str,
    work: Work,
) -> dict[str, RankedList]:
    name = said["name"]
    if _is_made_here(said):
        seed = str(said["parameters"].get("seed", collection.seed))
        chosen = seeded(retriever_named(collection, name), seed)
        made = rank_papers(
            collection, chosen, papers, depth=said["depth"], digest=digest, work=work
        )
        lists = {docno: RankedList.of(ranking) for docno, ranking in made}
    else:
        lists = _kept(collection, name, papers)
    found = lists_digest(lists)
    if found != said["sha256"]:
        raise Differs(
            f"The run {name} differs: the manifest's has the SHA-256 {said['sha256']}, the one "
            f"{'made' if _is_made_here(said) else 'kept'} here {found}."
        )
    return lists


def _kept(collection: Collection, name: str, papers: list[QueryPaper]) -> dict[str, RankedList]:
    run = collection.runs.filter(name=name).first()
    if run is None:
        raise Differs(
            f"The run {name} is not in {collection.slug}, and no retriever here makes it. "
            "Import its file under that name and rebuild again."
        )
    rows = run.rankings.filter(query_paper__in=[paper.pk for paper in papers]).values_list(
        "query_paper__document__docno", "docnos", "scores"
    )
    return {docno: ranked_list(docnos, scores) for docno, docnos, scores in rows.iterator()}


def _same_pool(
    paper: QueryPaper,
    plan: PoolPlan,
    runs: Mapping[str, Mapping[str, RankedList]],
    eligible: Eligible | None,
    expected: Mapping[str, Any],
) -> bytes:
    """The pool's content in canonical form."""
    docno = paper.document.docno
    ranked = {name: lists.get(docno, EMPTY) for name, lists in runs.items()}
    known = known_docnos(paper.collection, paper.document.references)
    drawn, contributions = draw_pool(paper, plan, ranked, known, eligible)
    content = canonical_json(contributions)
    if hashlib.sha256(content).hexdigest() != expected["sha256"]:
        found = [entry.docno for entry in drawn.entries]
        raise Differs(f"The pool of {docno} differs{_where(found, expected)}")
    return content


def _where(found: list[str], expected: Mapping[str, Any]) -> str:
    documents: list[str] | None = expected.get("documents")
    if documents is None:
        return (
            f": the manifest's has {expected['size']} documents, this one {len(found)}. The "
            "manifest does not say which they are; one that is downloaded from the pools page does."
        )
    for position, (one, other) in enumerate(zip_longest(documents, found), start=1):
        if one != other:
            return (
                f" at position {position}: expected {one or 'nothing'}, found {other or 'nothing'}."
            )
    return " in the ranks or scores of its documents, which are the same."


def _other_versions(manifest: Mapping[str, Any]) -> str:
    here = versions()
    other = [
        f"{name} {version} there, {here.get(name, 'none')} here"
        for name, version in sorted(manifest.get("versions", {}).items())
        if here.get(name) != version
    ]
    return f" Versions differ as well: {'; '.join(other)}." if other else ""

"""Rebuilding pools from their manifest, to prove them equal or find the first difference.

Every field of the manifest is compared with this installation. The first difference is reported
with its path. A field that no run and no pool depends on, such as the version of a library, may
differ; such differences are notes. A manifest has a digest of itself. If it does not match, the
manifest was changed and a note becomes a difference too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from accounts.models import Collection
from corpus.digests import canonical_json
from corpus.models import QueryPaper
from corpus.state import corpus_digest, corpus_docnos, papers_with_queries
from jobs.context import JobContext
from pooling import strategies
from pooling.errors import PoolingError
from pooling.provenance import digest_of
from pooling.services.drafts import shortfall_of
from pooling.services.draw import EMPTY, draw_pool
from pooling.services.eligibility import Eligible
from pooling.services.manifest import FORMAT, plan_of, versions
from rebuilding.differences import Mismatch, check_equal, difference_of, json_text
from rebuilding.manifest_files import ReleaseFile
from rebuilding.manifest_schema import MANIFEST, problems
from retrieval.formats import RankedList
from retrieval.models import IMPORTED, Run
from retrieval.retrievers import Retriever, is_retriever, with_seed
from retrieval.services.query_texts import retriever_named
from retrieval.services.run_files import lists_digest, ranked_list
from retrieval.services.runs import rank_papers

ListsByPaper = dict[str, RankedList]

# Fields that pools need not depend on. Only the digest of the manifest shows that they changed.
WITHOUT_EFFECT = (
    "collection, depth, versions, a value of parameters that changes no pool, or kind, parameters "
    "or depth of a run"
)


class Proof(NamedTuple):
    """The result of a rebuild whose pools equal those of the manifest.

    `ranked_again` are the runs that were made again. `notes` are differences from the manifest that
    change no pool.
    """

    pools: int
    candidates: int
    sha256: str
    ranked_again: list[str]
    notes: list[str]


def rebuild_pools(
    *,
    collection: Collection,
    manifest: Mapping[str, Any],
    work: JobContext,
    release_file: ReleaseFile | None = None,
    rank_again: bool = True,
) -> Proof:
    """Make the built-in runs again, draw every pool again, and compare. Saves nothing.

    Imported runs, and those of retrievers with another version or other parameters here, come from
    the release or else from the collection, which must have them under the same name. Without
    `rank_again`, all runs do.

    Raises:
        Mismatch: the corpus, query papers, a run or a pool differs from the manifest.
        PoolingError: pools cannot be rebuilt from this manifest.
    """
    _check_shape(manifest)
    try:
        return _Rebuild(collection, manifest, work, release_file, rank_again).prove()
    except Mismatch as difference:
        raise Mismatch(
            f"{difference}{_changed_sentence(manifest)}{_other_versions(manifest)}"
        ) from None


def _check_shape(manifest: Mapping[str, Any]) -> None:
    number = manifest.get("format")
    if number != FORMAT:
        raise PoolingError(
            f"format must be {FORMAT} for this version of Qrelsmith, got {number!r}."
        )
    if problem := next(problems(manifest, MANIFEST), None):
        raise PoolingError(f"The manifest is damaged: {problem}. Download it again.")


class _Rebuild:
    """The rebuild of one manifest over one collection."""

    def __init__(
        self,
        collection: Collection,
        manifest: Mapping[str, Any],
        work: JobContext,
        release_file: ReleaseFile | None,
        rank_again: bool,
    ) -> None:
        self.collection, self.manifest, self.work = collection, manifest, work
        self.release_file, self.rank_again = release_file, rank_again
        self.plan = plan_of(manifest)
        self.expected: dict[str, dict[str, Any]] = manifest["pools"]["query_papers"]
        self.query_papers = {paper.name: paper for paper in papers_with_queries(collection)}
        self.ranked_again: list[str] = []
        self.notes: list[str] = []

    def prove(self) -> Proof:
        self._compare("collection", self.manifest["collection"], self.collection.slug)
        self._check_plan()
        digest = self._check_corpus()
        runs = {run["name"]: self._check_run(run, digest) for run in self.manifest["runs"]}
        sha256, candidates = self._check_pools(runs)
        self._compare_versions()
        if _changed_sentence(self.manifest):
            fields = " ".join(self.notes) or f"It may be {WITHOUT_EFFECT}."
            raise Mismatch(
                f"Every run and every pool is equal, but another field differs. {fields}"
            )
        self.work.complete({})
        return Proof(len(self.expected), candidates, sha256, self.ranked_again, self.notes)

    def _compare(self, path: str, expected: object, actual: object) -> None:
        """Add a note if a field differs that changes no pool."""
        if expected != actual:
            self.notes.append(difference_of(path, expected, actual))

    def _compare_versions(self) -> None:
        manifest_versions, server_versions = self.manifest["versions"], versions()
        for name in sorted(manifest_versions.keys() | server_versions.keys()):
            self._compare(
                f"versions.{name}", manifest_versions.get(name), server_versions.get(name)
            )

    def _check_plan(self) -> None:
        check_equal("pools.count", self.manifest["pools"]["count"], len(self.expected))
        check_equal("parameters", self.manifest["parameters"], self.plan.values)
        names = [run["name"] for run in self.manifest["runs"]]
        check_equal("runs, by name", sorted(names), sorted(set(names)))
        for run in self.manifest["runs"]:
            name = run["name"]
            check_equal(f"runs.{name}.use", run["use"], self.plan.use_of(name).value)
            if self._has_own_retriever(run) and (run["depth"] or 0) < self.plan.depth:
                raise Mismatch(
                    f"depth: the manifest says {self.plan.depth}, but runs.{name}.depth is only "
                    f"{run['depth']}."
                )

    def _check_corpus(self) -> str:
        expected = self.manifest["corpus"]
        digest, size = corpus_digest(self.collection), self.collection.documents.count()
        if digest != expected["sha256"]:
            raise Mismatch(
                "The corpus differs. corpus.sha256: the corpus of the manifest has "
                f"{expected['documents']:,} documents and the SHA-256 {expected['sha256']}, that "
                f"of {self.collection.slug} has {size:,} documents and {digest}."
            )
        check_equal("corpus.documents", expected["documents"], size)
        return digest

    # Runs

    def _has_own_retriever(self, entry: Mapping[str, Any]) -> bool:
        """Checks the kind too, because an imported run's name may be a retriever's by now."""
        return entry["kind"] not in IMPORTED and is_retriever(entry["name"])

    def _check_run(self, entry: Mapping[str, Any], digest: str) -> ListsByPaper:
        name, papers = entry["name"], self._papers(entry)
        retriever, causes = self._retriever(entry, digest)
        if retriever is not None and not causes and self.rank_again:
            rankings = rank_papers(
                self.collection,
                retriever,
                papers.values(),
                depth=entry["depth"],
                digest=digest,
                work=self.work,
            )
            lists = {docno: RankedList.of(ranking) for docno, ranking in rankings}
            self.ranked_again.append(name)
            origin = (
                f"made here to depth {entry['depth']} (runs.{name}.depth) with "
                f"{json_text(entry['parameters'])} (runs.{name}.parameters)"
            )
        else:
            lists, origin = self._stored_lists(entry, papers, causes)
        if missing := sorted(papers.keys() - lists.keys()):
            field = "also_ranked" if missing[0] in entry["also_ranked"] else "not_ranked"
            raise Mismatch(
                f"The run {name} differs. runs.{name}.{field}: in the manifest the run has a list "
                f"for {missing[0]}, but the run {origin} has none."
            )
        sha256 = lists_digest(lists)
        if sha256 != entry["sha256"]:
            raise Mismatch(
                f"The run {name} differs. runs.{name}.sha256: the run of the manifest has the "
                f"SHA-256 {entry['sha256']}, the run {origin} has {sha256}.{_sentences(causes)}"
            )
        self.notes += causes
        return lists

    def _papers(self, entry: Mapping[str, Any]) -> dict[str, QueryPaper]:
        """The query papers that the run has lists for, by docno."""
        name, also, without = (
            entry["name"],
            set(entry["also_ranked"]),
            set(entry["not_ranked"]),
        )
        pool_papers = set(self.expected)
        if papers_in_both := sorted(also & pool_papers):
            raise Mismatch(
                f"runs.{name}.also_ranked: {papers_in_both[0]} has a pool in the manifest."
            )
        if unknown := sorted(without - pool_papers):
            raise Mismatch(f"runs.{name}.not_ranked: {unknown[0]} has no pool in the manifest.")
        check_equal(f"runs.{name}.also_ranked", entry["also_ranked"], sorted(also))
        check_equal(f"runs.{name}.not_ranked", entry["not_ranked"], sorted(without))
        ranked = sorted((pool_papers | also) - without)
        return {
            docno: self._paper(
                docno, f"runs.{name}.also_ranked" if docno in also else "pools.query_papers"
            )
            for docno in ranked
        }

    def _paper(self, docno: str, path: str = "pools.query_papers") -> QueryPaper:
        if docno not in self.query_papers:
            raise Mismatch(
                f"The query papers differ. {path}: {docno} is in the manifest but has no query in "
                f"{self.collection.slug}."
            )
        return self.query_papers[docno]

    def _retriever(
        self, entry: Mapping[str, Any], digest: str
    ) -> tuple[Retriever | None, list[str]]:
        """The retriever that makes the run, and its differences from the manifest."""
        if not self._has_own_retriever(entry):
            return None, []
        name, parameters = entry["name"], entry["parameters"]
        seed = str(parameters.get("seed", self.collection.seed))
        retriever = with_seed(retriever_named(self.collection, name), seed)
        actual_parameters = {**retriever.parameters, "version": retriever.version, "corpus": digest}
        causes = [
            difference_of(
                f"runs.{name}.parameters.{key}", parameters.get(key), actual_parameters.get(key)
            )
            for key in sorted(parameters.keys() | actual_parameters.keys())
            if canonical_json(parameters.get(key)) != canonical_json(actual_parameters.get(key))
        ]
        if entry["kind"] != retriever.kind:
            causes.append(difference_of(f"runs.{name}.kind", entry["kind"], retriever.kind))
        return retriever, causes

    def _stored_lists(
        self, entry: Mapping[str, Any], papers: Mapping[str, QueryPaper], causes: Sequence[str]
    ) -> tuple[ListsByPaper, str]:
        """The lists of the run in the release or the collection, and in words which."""
        name = entry["name"]
        if self.release_file is not None:
            lists = self.release_file.lists(name, entry["sha256"])
            if lists is not None:
                # A query paper whose list is empty has no line in the file.
                return {docno: lists.get(docno, EMPTY) for docno in papers}, "in the release"
        run = self._run(entry)
        if run is None:
            kind = "" if entry["kind"] in IMPORTED else f" (runs.{name}.kind is {entry['kind']})"
            raise Mismatch(
                f"{self.collection.slug} has no run {name}, and no retriever here makes it{kind}."
                f"{_sentences(causes)} Import its file under that name and rebuild again."
            )
        self._compare(f"runs.{name}.kind", entry["kind"], run.kind)
        self._compare(f"runs.{name}.depth", entry["depth"], run.depth)
        keys = sorted(entry["parameters"].keys() | run.parameters.keys())
        for key in keys if run.is_imported else []:
            expected, actual = entry["parameters"].get(key), run.parameters.get(key)
            self._compare(f"runs.{name}.parameters.{key}", expected, actual)
        rankings = run.rankings.filter(query_paper__in=[paper.pk for paper in papers.values()])
        rows = rankings.values_list("query_paper__name", "docnos", "scores")
        lists = {docno: ranked_list(docnos, scores) for docno, docnos, scores in rows.iterator()}
        return lists, "stored here"

    def _run(self, entry: Mapping[str, Any]) -> Run | None:
        """The run with the digest, even if retired; otherwise the current run of that name."""
        runs = Run.with_retired.filter(collection=self.collection, name=entry["name"])
        run_with_digest = runs.filter(sha256=entry["sha256"]).order_by("pk").first()
        return run_with_digest or runs.filter(retired_at=None).first()

    # Pools

    def _check_pools(self, runs: Mapping[str, ListsByPaper]) -> tuple[str, int]:
        """Draw and compare every pool. Returns the digest of all and the number of candidates."""
        pools_sha256, candidates, first_docno = hashlib.sha256(b"{"), 0, ""
        eligible = Eligible.for_plan(self.collection, self.plan)
        for number, docno in enumerate(sorted(self.expected)):
            pool, contributions = self._draw(self._paper(docno), runs, eligible)
            content = canonical_json(contributions)
            if difference := next(_differences(docno, pool, self.expected[docno]), None):
                raise Mismatch(f"The pool of {docno} differs. {difference} {self._other_inputs()}")
            candidates += len(pool.entries)
            if hashlib.sha256(content).hexdigest() != self.expected[docno]["sha256"]:
                first_docno = first_docno or docno
            pools_sha256.update((b"," if number else b"") + canonical_json(docno) + b":" + content)
            self.work.progress(number + 1, len(self.expected), "pools drawn again")
        pools_sha256.update(b"}")
        self._check_digests(pools_sha256.hexdigest(), first_docno)
        return pools_sha256.hexdigest(), candidates

    def _draw(
        self,
        paper: QueryPaper,
        runs: Mapping[str, ListsByPaper],
        eligible: Eligible | None,
    ) -> tuple[strategies.DrawnPool, tuple[strategies.DrawnContribution, ...]]:
        docno = paper.name
        lists = {name: by_paper.get(docno, EMPTY) for name, by_paper in runs.items()}
        corpus = corpus_docnos(self.collection, paper.references)
        return draw_pool(paper, self.plan, lists, corpus, eligible)

    def _other_inputs(self) -> str:
        fields = "; ".join(
            f"{name}: {json_text(self.manifest[name])}"
            for name in ("strategy", "parameters", "forced", "excluded", "only", "seed")
        )
        return f"The runs are equal, so compare the other fields that a pool depends on ({fields})."

    def _check_digests(self, pools_digest: str, first_docno: str) -> None:
        """Distinguish a damaged digest from a different rank or score, which no field shows."""
        expected = self.manifest["pools"]["sha256"]
        if first_docno and pools_digest == expected:
            raise Mismatch(
                f"pools.query_papers.{first_docno}.sha256: the manifest is damaged. The pool "
                "drawn here has another SHA-256, but all pools together match pools.sha256."
            )
        if first_docno:
            raise Mismatch(
                f"The pool of {first_docno} differs. pools.query_papers.{first_docno}.sha256: the "
                "documents and their order are equal. So a source, rank or score of a document "
                "differs, or the manifest is damaged."
            )
        if pools_digest != expected:
            raise Mismatch(
                "pools.sha256: the manifest is damaged. Every pool is equal, but all together have "
                f"the SHA-256 {pools_digest}, and the manifest says {expected}."
            )


def _differences(
    docno: str, pool: strategies.DrawnPool, expected: Mapping[str, Any]
) -> Iterator[str]:
    """The fields, except the digest, in which a pool differs from the manifest."""
    path = f"pools.query_papers.{docno}"
    pool_docnos = [entry.docno for entry in pool.entries]
    documents: list[str] | None = expected.get("documents")
    if documents is not None:
        for position, (expected_docno, actual_docno) in enumerate(
            zip_longest(documents, pool_docnos), start=1
        ):
            if expected_docno != actual_docno:
                yield (
                    f"{path}.documents, at position {position}: "
                    f"expected {expected_docno or 'nothing'}, found {actual_docno or 'nothing'}."
                )
    facts = {
        "order": list(pool.order),
        "size": len(pool_docnos),
        "shortfall": shortfall_of(pool),
        "depth": pool.depth,
    }
    for name, value in facts.items():
        if name in expected and expected[name] != value:
            more = "" if documents is not None else " The manifest does not list the documents."
            yield difference_of(f"{path}.{name}", expected[name], value) + more


def _sentences(causes: Sequence[str]) -> str:
    return "".join(f" {cause}" for cause in causes)


def _changed_sentence(manifest: Mapping[str, Any]) -> str:
    """A sentence if the manifest's own digest shows that it was changed, else ""."""
    actual = digest_of(manifest)
    if manifest["sha256"] == actual:
        return ""
    return (
        " The manifest was changed after it was written: its sha256 is "
        f"{manifest['sha256']}, but its content has {actual}. Download it again."
    )


def _other_versions(manifest: Mapping[str, Any]) -> str:
    server_versions = versions()
    differences = [
        f"{name} {version} there, {server_versions.get(name, 'none')} here"
        for name, version in sorted(manifest["versions"].items())
        if server_versions.get(name) != version
    ]
    return f" Versions differ too: {'; '.join(differences)}." if differences else ""

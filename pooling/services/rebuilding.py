"""Drawing pools again from their manifest, to prove them equal or find where they differ.

Every field of a manifest is compared with what is here, and the first difference is named by its
path. A field that no run and no pool follows from, such as the version of a library, may differ;
such differences are notes. A manifest of format 4 has a digest of itself, so a note about a field
that was changed after the manifest was written is a difference too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from accounts.models import Collection
from corpus.models import QueryPaper
from corpus.texts import canonical_json
from jobs.work import Work
from pooling import strategies
from pooling.formats import RankedList
from pooling.models import IMPORTED, Run
from pooling.retrievers import Retriever, is_retriever, seeded
from pooling.services.asking import retriever_named
from pooling.services.corpus import corpus_digest, known_docnos, papers_of
from pooling.services.drawing import EMPTY, draw_pool
from pooling.services.eligible import Eligible
from pooling.services.errors import PoolingError
from pooling.services.keeping import lacking
from pooling.services.manifest import READABLE, digest_of, plan_of, versions
from pooling.services.manifest_reading import Released
from pooling.services.manifest_shape import problems, shape_of
from pooling.services.run_files import lists_digest, ranked_list
from pooling.services.runs import rank_papers

ListsByPaper = dict[str, RankedList]

# Fields that pools may not depend on. The digest of the manifest alone shows that they changed.
WITHOUT_EFFECT = (
    "collection, depth, versions, a value of parameters that changes no pool, or kind, parameters "
    "or depth of a run"
)


class Differs(PoolingError):
    """What is rebuilt is not what the manifest says; the message names the first difference."""


class Proof(NamedTuple):
    """Pools that are equal to those of the manifest.

    `ranked_again` are the runs that were made anew. `notes` are differences from the manifest that
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
    work: Work,
    released: Released | None = None,
    rank_again: bool = True,
) -> Proof:
    """Make the built-in runs again, draw every pool again, and compare. Keeps nothing.

    Runs of other engines, and those of retrievers that have another version or other parameters
    here, are taken from the release or else from the collection, which must have them under the
    same name. So are all runs without `rank_again`.

    Raises:
        Differs: corpus, query papers, a run or a pool is not what the manifest says.
        PoolingError: this is no manifest that pools can be built from.
    """
    _check_shape(manifest)
    try:
        return _Rebuilding(collection, manifest, work, released, rank_again).prove()
    except Differs as difference:
        raise Differs(f"{difference}{_changed(manifest)}{_other_versions(manifest)}") from None


def _check_shape(manifest: Mapping[str, Any]) -> None:
    number = manifest.get("format")
    if type(number) is not int or number not in READABLE:
        formats = ", ".join(map(str, READABLE[:-1]))
        raise PoolingError(
            f"format is {number!r}. This version of Qrelsmith rebuilds pools from a manifest of "
            f"format {formats} or {READABLE[-1]}."
        )
    if found := next(problems(manifest, shape_of(number)), None):
        raise PoolingError(f"The manifest is damaged: {found}. Download it again.")


class _Rebuilding:
    """One manifest being rebuilt over one collection."""

    def __init__(
        self,
        collection: Collection,
        manifest: Mapping[str, Any],
        work: Work,
        released: Released | None,
        rank_again: bool,
    ) -> None:
        self.collection, self.manifest, self.work = collection, manifest, work
        self.released, self.rank_again = released, rank_again
        self.plan = plan_of(manifest)
        self.expected: dict[str, dict[str, Any]] = manifest["pools"]["query_papers"]
        self.here = {paper.document.docno: paper for paper in papers_of(collection)}
        self.ranked_again: list[str] = []
        self.notes: list[str] = []

    def prove(self) -> Proof:
        self._compare("collection", self.manifest["collection"], self.collection.slug)
        self._check_plan()
        digest = self._same_corpus()
        runs = {said["name"]: self._same_run(said, digest) for said in self.manifest["runs"]}
        whole, candidates = self._same_pools(runs)
        self._compare_versions()
        if _changed(self.manifest):
            told = " ".join(self.notes) or f"It may be {WITHOUT_EFFECT}."
            raise Differs(f"Every run and every pool is equal, but another field differs. {told}")
        self.work.complete({})
        return Proof(len(self.expected), candidates, whole, self.ranked_again, self.notes)

    def _compare(self, path: str, expected: object, found: object) -> None:
        """Note a difference that changes no pool."""
        if expected != found:
            self.notes.append(_unequal(path, expected, found))

    def _compare_versions(self) -> None:
        there, here = self.manifest["versions"], versions()
        for name in sorted(there.keys() | here.keys()):
            self._compare(f"versions.{name}", there.get(name), here.get(name))

    def _check_plan(self) -> None:
        _equal("pools.count", self.manifest["pools"]["count"], len(self.expected))
        _equal("parameters", self.manifest["parameters"], self.plan.values)
        names = [run["name"] for run in self.manifest["runs"]]
        _equal("runs, by name", sorted(names), sorted(set(names)))
        for run in self.manifest["runs"]:
            name = run["name"]
            if "use" in run:
                _equal(f"runs.{name}.use", run["use"], self.plan.use_of(name).value)
            if self._is_made_here(run) and (run["depth"] or 0) < self.plan.depth:
                raise Differs(
                    f"depth: the manifest says {self.plan.depth}, but runs.{name}.depth is "
                    f"{run['depth']}, which is less."
                )

    def _same_corpus(self) -> str:
        said = self.manifest["corpus"]
        digest, size = corpus_digest(self.collection), self.collection.documents.papers().count()
        if digest != said["sha256"]:
            raise Differs(
                f"The corpus differs. corpus.sha256: the manifest's has {said['documents']:,} "
                f"documents and the SHA-256 {said['sha256']}, that of {self.collection.slug} "
                f"{size:,} documents and {digest}."
            )
        _equal("corpus.documents", said["documents"], size)
        return digest

    # Runs

    def _is_made_here(self, said: Mapping[str, Any]) -> bool:
        """Not by its name alone: an imported run's may have become a retriever's since."""
        return said["kind"] not in IMPORTED and is_retriever(said["name"])

    def _same_run(self, said: Mapping[str, Any], digest: str) -> ListsByPaper:
        name, papers = said["name"], self._papers(said)
        chosen, causes = self._retriever(said, digest)
        if chosen is not None and not causes and self.rank_again:
            made = rank_papers(
                self.collection,
                chosen,
                papers.values(),
                depth=said["depth"],
                digest=digest,
                work=self.work,
            )
            lists = {docno: RankedList.of(ranking) for docno, ranking in made}
            self.ranked_again.append(name)
            how = (
                f"made here to depth {said['depth']} (runs.{name}.depth) with "
                f"{_json(said['parameters'])} (runs.{name}.parameters)"
            )
        else:
            lists, how = self._kept(said, papers, causes)
        if lacks := sorted(papers.keys() - lists.keys()):
            field = "also_ranked" if lacks[0] in said["also_ranked"] else "not_ranked"
            raise Differs(
                f"The run {name} differs. runs.{name}.{field}: by the manifest the run has a list "
                f"for {lacks[0]}; the one {how} has none."
            )
        found = lists_digest(lists)
        if found != said["sha256"]:
            raise Differs(
                f"The run {name} differs. runs.{name}.sha256: the manifest's has the SHA-256 "
                f"{said['sha256']}, the one {how} {found}.{_told(causes)}"
            )
        self.notes += causes
        return lists

    def _papers(self, said: Mapping[str, Any]) -> dict[str, QueryPaper]:
        """The query papers that the run had lists for."""
        name, also, without = said["name"], set(said["also_ranked"]), set(said["not_ranked"])
        pooled = set(self.expected)
        if both := sorted(also & pooled):
            raise Differs(f"runs.{name}.also_ranked: {both[0]} has a pool in the manifest.")
        if strangers := sorted(without - pooled):
            raise Differs(f"runs.{name}.not_ranked: {strangers[0]} has no pool in the manifest.")
        _equal(f"runs.{name}.also_ranked", said["also_ranked"], sorted(also))
        _equal(f"runs.{name}.not_ranked", said["not_ranked"], sorted(without))
        ranked = sorted((pooled | also) - without)
        return {
            docno: self._paper(
                docno, f"runs.{name}.also_ranked" if docno in also else "pools.query_papers"
            )
            for docno in ranked
        }

    def _paper(self, docno: str, path: str = "pools.query_papers") -> QueryPaper:
        if docno not in self.here:
            raise Differs(
                f"The query papers differ. {path}: {docno} is in the manifest and has no query "
                "here."
            )
        return self.here[docno]

    def _retriever(
        self, said: Mapping[str, Any], digest: str
    ) -> tuple[Retriever | None, list[str]]:
        """The retriever that makes the run, and what it has that differs from the manifest's."""
        if not self._is_made_here(said):
            return None, []
        name, parameters = said["name"], said["parameters"]
        seed = str(parameters.get("seed", self.collection.seed))
        chosen = seeded(retriever_named(self.collection, name), seed)
        here = {**chosen.parameters, "version": chosen.version, "corpus": digest}
        causes = [
            _unequal(f"runs.{name}.parameters.{key}", parameters.get(key), here.get(key))
            for key in sorted(parameters.keys() | here.keys())
            if canonical_json(parameters.get(key)) != canonical_json(here.get(key))
        ]
        if said["kind"] != chosen.kind:
            causes.append(_unequal(f"runs.{name}.kind", said["kind"], chosen.kind))
        return chosen, causes

    def _kept(
        self, said: Mapping[str, Any], papers: Mapping[str, QueryPaper], causes: Sequence[str]
    ) -> tuple[ListsByPaper, str]:
        """The run's lists as they are kept, and where, in words."""
        name = said["name"]
        if self.released is not None:
            released = self.released.lists(name, said["sha256"])
            if released is not None:
                # A query paper whose list is empty has no line in the file.
                return {docno: released.get(docno, EMPTY) for docno in papers}, "in the release"
        run = self._run(said)
        if run is None:
            kind = "" if said["kind"] in IMPORTED else f" (runs.{name}.kind is {said['kind']})"
            raise Differs(
                f"The run {name} is not in {self.collection.slug}, and no retriever here makes it"
                f"{kind}.{_told(causes)} Import its file under that name and rebuild again."
            )
        self._compare(f"runs.{name}.kind", said["kind"], run.kind)
        self._compare(f"runs.{name}.depth", said["depth"], run.depth)
        keys = sorted(said["parameters"].keys() | run.parameters.keys())
        for key in keys if run.is_imported else []:
            there, here = said["parameters"].get(key), run.parameters.get(key)
            self._compare(f"runs.{name}.parameters.{key}", there, here)
        rankings = run.rankings.filter(query_paper__in=[paper.pk for paper in papers.values()])
        rows = rankings.values_list("query_paper__document__docno", "docnos", "scores")
        lists = {docno: ranked_list(docnos, scores) for docno, docnos, scores in rows.iterator()}
        return lists, "kept here"

    def _run(self, said: Mapping[str, Any]) -> Run | None:
        """The run itself, though another may have its name by now, or that other one."""
        named = Run.with_retired.filter(collection=self.collection, name=said["name"])
        same = named.filter(sha256=said["sha256"]).order_by("pk").first()
        return same or named.filter(retired_at=None).first()

    # Pools

    def _same_pools(self, runs: Mapping[str, ListsByPaper]) -> tuple[str, int]:
        """The digest of all pools, and the number of their documents."""
        whole, candidates, unexplained = hashlib.sha256(b"{"), 0, ""
        eligible = Eligible.for_plan(self.collection, self.plan)
        for number, docno in enumerate(sorted(self.expected)):
            drawn, contributions = self._drawn(self._paper(docno), runs, eligible)
            content = canonical_json(contributions)
            for difference in _differences(docno, drawn, self.expected[docno]):
                raise Differs(f"The pool of {docno} differs. {difference} {self._follows_from()}")
            candidates += len(drawn.entries)
            if hashlib.sha256(content).hexdigest() != self.expected[docno]["sha256"]:
                unexplained = unexplained or docno
            whole.update((b"," if number else b"") + canonical_json(docno) + b":" + content)
            self.work.progress(number + 1, len(self.expected), "pools drawn again")
        whole.update(b"}")
        self._check_digests(whole.hexdigest(), unexplained)
        return whole.hexdigest(), candidates

    def _drawn(
        self,
        paper: QueryPaper,
        runs: Mapping[str, ListsByPaper],
        eligible: Eligible | None,
    ) -> tuple[strategies.Drawn, tuple[strategies.Contribution, ...]]:
        docno = paper.document.docno
        lists = {name: by_paper.get(docno, EMPTY) for name, by_paper in runs.items()}
        known = known_docnos(self.collection, paper.document.references)
        is_older = self.manifest["format"] < 4
        pool = strategies.pool_of_format_3 if is_older else strategies.pool
        return draw_pool(paper, self.plan, lists, known, eligible, pool)

    def _follows_from(self) -> str:
        said = "; ".join(
            f"{name}: {_json(self.manifest.get(name, []))}"
            for name in ("strategy", "parameters", "forced", "excluded", "only", "seed")
        )
        return f"The runs are equal, so compare what else a pool follows from ({said})."

    def _check_digests(self, whole: str, unexplained: str) -> None:
        """Tell a damaged digest from another rank or score, which no other field would show."""
        said = self.manifest["pools"]["sha256"]
        if unexplained and whole == said:
            raise Differs(
                f"pools.query_papers.{unexplained}.sha256: the manifest is damaged. The pool "
                "drawn here has another SHA-256, but all pools together have that of pools.sha256."
            )
        if unexplained:
            raise Differs(
                f"The pool of {unexplained} differs. pools.query_papers.{unexplained}.sha256: the "
                "documents and their order are the same. So a source, rank or score of a document "
                "differs, or the manifest is damaged."
            )
        if whole != said:
            raise Differs(
                f"pools.sha256: the manifest is damaged. Every pool is equal, but all together "
                f"have the SHA-256 {whole}, and the manifest says {said}."
            )


def _differences(docno: str, drawn: strategies.Drawn, expected: Mapping[str, Any]) -> Iterator[str]:
    """In which fields a drawn pool differs from the manifest's; its digest apart."""
    path = f"pools.query_papers.{docno}"
    found = [entry.docno for entry in drawn.entries]
    documents: list[str] | None = expected.get("documents")
    if documents is not None:
        for position, (one, other) in enumerate(zip_longest(documents, found), start=1):
            if one != other:
                yield (
                    f"{path}.documents, at position {position}: expected {one or 'nothing'}, "
                    f"found {other or 'nothing'}."
                )
    facts = {
        "order": list(drawn.order),
        "size": len(found),
        "shortfall": lacking(drawn),
        "depth": drawn.depth,
    }
    for name, value in facts.items():
        if name in expected and expected[name] != value:
            more = "" if documents is not None else " The manifest does not list the documents."
            yield _unequal(f"{path}.{name}", expected[name], value) + more


def _equal(path: str, expected: object, found: object) -> None:
    if expected != found:
        raise Differs(_unequal(path, expected, found))


def _unequal(path: str, expected: object, found: object) -> str:
    return f"{path}: the manifest says {_json(expected)}, here it is {_json(found)}."


def _json(value: object) -> str:
    return "missing" if value is None else canonical_json(value).decode()


def _told(causes: Sequence[str]) -> str:
    return "".join(f" {cause}" for cause in causes)


def _changed(manifest: Mapping[str, Any]) -> str:
    """A sentence if the manifest is not what was written, as far as it shows that itself."""
    found = digest_of(manifest)
    if manifest.get("sha256", found) == found:
        return ""
    return (
        " The manifest was changed after it was written: its sha256 is "
        f"{manifest['sha256']}, that of its content {found}. Download it again."
    )


def _other_versions(manifest: Mapping[str, Any]) -> str:
    here = versions()
    other = [
        f"{name} {version} there, {here.get(name, 'none')} here"
        for name, version in sorted(manifest["versions"].items())
        if here.get(name) != version
    ]
    return f" Versions differ as well: {'; '.join(other)}." if other else ""

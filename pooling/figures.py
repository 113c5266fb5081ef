"""What the pages about runs and pools say, asked of the database. Nothing here writes."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from collections.abc import Collection as Group
from dataclasses import dataclass, field, replace
from operator import attrgetter
from typing import Any, NamedTuple, TypeVar

from django.db.models import Count, F, Prefetch, Q

from accounts.models import Collection
from corpus.models import QueryPaper
from jobs.models import Job, State
from pooling import preview
from pooling.formats import Scored, write_run
from pooling.models import Candidate, Contribution, Pool, Ranking, Run
from pooling.retrievers import BUILT_IN, CATALOGUE
from pooling.strategies import JaccardMatrix

Row = TypeVar("Row")

# The dearest part of a preview grows with the pools; of a very large collection it shows a part.
MOST_POOLS = 200

# The counts of a run's report, in the words of the page.
SKIPPED = {
    "query_papers_themselves": "the query paper itself",
    "duplicates": "listed twice",
    "outside_corpus": "not in the corpus",
}
TOPICS = {
    "unknown_topics": "topics that are no query here",
    "query_papers_without_list": "query papers without a list",
}


def in_parts(name: str) -> list[str]:
    """A source's name in the parts between which a narrow column may break."""
    return re.findall(r"[^_@:./-]+[_@:./-]?|[_@:./-]", name)


# Sorting, for every table of the admin's pages


class Sort(NamedTuple):
    """By which column a table is sorted."""

    key: str
    descending: bool

    @property
    def aria(self) -> str:
        return "descending" if self.descending else "ascending"


def sort_rows(
    rows: Iterable[Row], asked: str, keys: Mapping[str, Callable[[Row], Any]], default: str
) -> tuple[list[Row], Sort]:
    """The rows as the address asks: "size" or "-size"; what has no value comes last either way."""
    name = asked if asked.removeprefix("-") in keys else default
    sort = Sort(name.removeprefix("-"), name.startswith("-"))
    key = keys[sort.key]
    known: list[Row] = []
    unknown: list[Row] = []
    for row in rows:
        (unknown if key(row) is None else known).append(row)
    return sorted(known, key=key, reverse=sort.descending) + unknown, sort


def matching(rows: Iterable[Row], words: str, text: Callable[[Row], str]) -> list[Row]:
    """The rows whose text has every word, in any case."""
    wanted = words.casefold().split()
    return [row for row in rows if all(word in text(row).casefold() for word in wanted)]


# Jobs


def jobs_to_show(collection: Collection, kinds: Iterable[str]) -> list[Job]:
    """What runs or waits, and what failed when it was last tried."""
    newest: dict[str, Job] = {}
    shown: list[Job] = []
    for job in collection.jobs.filter(kind__in=list(kinds)).order_by("-created_at")[:50]:
        first_of_its_key = newest.setdefault(job.key, job) is job
        if job.is_live or (first_of_its_key and job.state == State.FAILED):
            shown.append(job)
    return shown


# Runs


class Skipped(NamedTuple):
    number: int
    why: str


@dataclass(frozen=True)
class RunRow:
    """A run, how many lists it has, and whether a frozen pool holds it."""

    run: Run
    lists: int
    frozen: bool

    @property
    def made_by(self) -> str:
        """In a few words: "bm25 over the abstract", "the file best.run"."""
        said = self.run.parameters
        if self.run.kind == "file":
            return f"the file {said['file']}" if said.get("file") else "a file"
        return f"{self.run.kind} over the {said['field']}" if said.get("field") else self.run.kind

    @property
    def parameters(self) -> dict[str, Any]:
        """The rest of what decides the ranking; the corpus's digest is for the manifest."""
        told = {"corpus", "field", "file"}
        return {key: value for key, value in self.run.parameters.items() if key not in told}

    @property
    def skipped(self) -> list[Skipped]:
        return _counts(self.run.report, SKIPPED)

    @property
    def topics(self) -> list[Skipped]:
        return _counts(self.run.report, TOPICS)


def _counts(report: Mapping[str, Any], words: Mapping[str, str]) -> list[Skipped]:
    return [Skipped(report[key], why) for key, why in words.items() if report.get(key)]


def run_rows(collection: Collection) -> list[RunRow]:
    frozen = names_in_frozen_pools(collection)
    runs = collection.runs.annotate(lists=Count("rankings"))
    return [RunRow(run, run.lists, run.name in frozen) for run in runs]


def names_in_frozen_pools(collection: Collection) -> set[str]:
    """The runs that frozen pools were drawn from: they stay."""
    builds = collection.pool_builds.filter(pools__in=Pool.objects.frozen()).distinct()
    runs = builds.order_by().values_list("pk", "manifest__runs")  # distinct by pk, not by JSON
    return {run["name"] for _, used in runs for run in used or []}


def built_in_left(runs: Iterable[Run]) -> list[str]:
    """The built-in retrievers that have not run yet."""
    names = {run.name for run in runs}
    return [name for name in BUILT_IN if name not in names]


def catalogue_left(runs: Iterable[Run]) -> list[tuple[str, str]]:
    """The retrievers that have not run yet, each with what it does."""
    names = {run.name for run in runs}
    return [(name, does) for name, does in CATALOGUE.items() if name not in names]


def run_lines(run: Run) -> Iterator[str]:
    """The run as a TREC file, list by list, so that a large one is never whole in memory."""
    rankings = run.rankings.order_by("query_paper__document__docno").values_list(
        "query_paper__document__docno", "docnos", "scores"
    )
    tag = "_".join(run.name.split())
    for docno, docnos, scores in rankings.iterator(chunk_size=20):
        scored = [Scored(*one) for one in zip(docnos, scores, strict=True)]
        yield from write_run({docno: scored}, tag=tag)


# Pools


class Draw(NamedTuple):
    """What one retriever drew for a pool; `depth` is its deepest rank, None if unknown."""

    source: str
    documents: int
    depth: int | None
    shortfall: int


@dataclass(frozen=True)
class PoolRow:
    """One query paper and its pool, if there is one; `cells` has a place for every retriever."""

    docno: str
    title: str
    queries: int
    pool: Pool | None = None
    size: int = 0
    forced: int = 0
    draws: tuple[Draw, ...] = ()
    excluded: int = 0
    without_text: int = 0
    warnings: tuple[str, ...] = ()
    cells: tuple[Draw | None, ...] = ()

    @property
    def shortfall(self) -> int:
        return sum(draw.shortfall for draw in self.draws)

    @property
    def to_judge(self) -> int:
        return self.size - self.excluded

    @property
    def pairs(self) -> int:
        return self.to_judge * self.queries

    @property
    def deepest(self) -> int | None:
        return max((draw.depth for draw in self.draws if draw.depth), default=None)


@dataclass(frozen=True)
class PoolTable:
    """The pools of a collection; `sources` are the retrievers' columns."""

    rows: list[PoolRow]
    sources: list[str]

    @property
    def heads(self) -> list[list[str]]:
        """The sources' names in parts, between which a narrow column may break."""
        return [in_parts(source) for source in self.sources]

    @property
    def has_depths(self) -> bool:
        return any(row.deepest for row in self.rows)

    @property
    def pooled(self) -> list[PoolRow]:
        return [row for row in self.rows if row.pool]

    @property
    def missing(self) -> int:
        return len(self.rows) - len(self.pooled)

    @property
    def frozen(self) -> int:
        return sum(row.pool is not None and row.pool.is_frozen for row in self.rows)

    @property
    def drafts(self) -> int:
        return len(self.pooled) - self.frozen

    @property
    def draft_candidates(self) -> int:
        return sum(row.size for row in self.pooled if row.pool and not row.pool.is_frozen)

    @property
    def candidates(self) -> int:
        return sum(row.size for row in self.rows)

    @property
    def pairs(self) -> int:
        return sum(row.pairs for row in self.rows)


@dataclass
class _Counts:
    """What the database counted of one pool."""

    size: int = 0
    excluded: int = 0
    without_text: int = 0
    drawn: Counter[str] = field(default_factory=Counter)


def pool_table(collection: Collection) -> PoolTable:
    """Every query paper with its pool, in six queries whatever their number."""
    papers = (
        collection.query_papers.select_related("document", "pool")
        .defer("document__sentences", "document__labels", "document__references")
        .annotate(asked=Count("queries"))
    )
    counts = _candidate_counts(collection)
    without_text = set(_papers_without_text(collection))
    forced = forced_sources(collection)
    rows = [_pool_row(paper, counts, forced, paper.pk in without_text) for paper in papers]
    sources = sorted({draw.source for row in rows for draw in row.draws})
    return PoolTable([replace(row, cells=_cells(row, sources)) for row in rows], sources)


def _cells(row: PoolRow, sources: Iterable[str]) -> tuple[Draw | None, ...]:
    draws = {draw.source: draw for draw in row.draws}
    return tuple(draws.get(source) for source in sources)


def _candidate_counts(collection: Collection) -> dict[int, _Counts]:
    counts: dict[int, _Counts] = defaultdict(_Counts)
    candidates = (
        Candidate.objects.filter(pool__query_paper__collection=collection)
        .order_by()
        .values_list("pool")
        .annotate(
            size=Count("pk"),
            not_judged=Count("pk", filter=~Q(excluded="")),
            no_text=Count("pk", filter=Q(document__sentences=[])),
        )
    )
    for pool, size, excluded, without_text in candidates:
        counts[pool] = _Counts(size, excluded, without_text)
    for pool, source, number in _drawn(collection):
        counts[pool].drawn[source] = number
    return counts


def _drawn(collection: Collection) -> Iterable[tuple[int, str, int]]:
    drawn = Contribution.objects.filter(
        candidate__pool__query_paper__collection=collection, drawn=True
    )
    return drawn.order_by().values_list("candidate__pool", "source").annotate(n=Count("pk"))


def _papers_without_text(collection: Collection) -> Iterable[int]:
    return collection.query_papers.filter(document__sentences=[]).values_list("pk", flat=True)


def _pool_row(
    paper: Any,
    counts: Mapping[int, _Counts],
    forced_in: Mapping[int, Group[str]],
    without_text: bool,
) -> PoolRow:
    document = paper.document
    warnings = ("the query paper has no text",) if without_text else ()
    pool = getattr(paper, "pool", None)
    if pool is None:
        return PoolRow(document.docno, document.title, paper.asked, warnings=warnings)
    count = counts.get(pool.pk) or _Counts()
    forced = forced_in.get(pool.build_id, ())
    return PoolRow(
        docno=document.docno,
        title=document.title,
        queries=paper.asked,
        pool=pool,
        size=count.size,
        forced=sum(number for source, number in count.drawn.items() if source in forced),
        draws=tuple(_draws(pool, count.drawn, forced)),
        excluded=count.excluded,
        without_text=count.without_text,
        warnings=warnings,
    )


def forced_sources(collection: Collection) -> dict[int, list[str]]:
    """By build: the sources that its pools took whole, before any retriever drew."""
    builds = collection.pool_builds.order_by().values_list("pk", "manifest__forced")
    return {build: forced or [] for build, forced in builds}


def _draws(pool: Pool, drawn: Mapping[str, int], forced: Group[str]) -> Iterator[Draw]:
    names = set(drawn) | set(pool.retriever_order) | set(pool.shortfall)
    for name in sorted(names - set(forced)):
        yield Draw(name, drawn.get(name, 0), pool.depth.get(name), pool.shortfall.get(name, 0))


# How much the sources overlap


class OverlapCell(NamedTuple):
    """Two sources: how many pooled documents both have, and out of how many that either has."""

    other: str
    both: int
    either: int

    @property
    def share(self) -> float:
        return self.both / self.either if self.either else 0.0

    @property
    def percent(self) -> float:
        return 100 * self.share

    @property
    def heat(self) -> int:
        return heat(self.share)


class OverlapRow(NamedTuple):
    source: str
    documents: int
    pooled: int
    drawn: int
    cells: list[OverlapCell | None]

    @property
    def parts(self) -> list[str]:
        return in_parts(self.source)

    @property
    def share(self) -> float:
        return self.documents / self.pooled if self.pooled else 0.0

    @property
    def percent(self) -> float:
        return 100 * self.share

    @property
    def heat(self) -> int:
        return heat(self.share)


def heat(share: float) -> int:
    """One of ten classes, 0 to 9, for a share from 0 to 1; only nothing at all is 0."""
    return 0 if share <= 0 else max(1, min(9, int(share * 10)))


def overlap(collection: Collection, pooled: int) -> list[OverlapRow]:
    """Which share of the pooled documents each source has, and how much any two have in common.

    All that a source ranked counts, whether it drew the document or another one did.
    """
    contributions = Contribution.objects.filter(
        candidate__pool__query_paper__collection=collection
    ).order_by()
    together = contributions.values_list("source", "candidate__contributions__source").annotate(
        both=Count("pk")
    )
    drawn = contributions.filter(drawn=True).values_list("source").annotate(number=Count("pk"))
    common = {(one, other): both for one, other, both in together}
    return overlap_rows(common, dict(drawn), pooled)


def overlap_rows(
    common: Mapping[tuple[str, str], int], drawn: Mapping[str, int], pooled: int
) -> list[OverlapRow]:
    """The table from its counts; `common` holds (source, source) for what one source has."""
    sources = sorted({one for one, _ in common})
    own = {source: common[source, source] for source in sources}

    def cell(one: str, other: str) -> OverlapCell | None:
        if one == other:
            return None
        both = common.get((one, other), 0)
        return OverlapCell(other, both, own[one] + own[other] - both)

    return [
        OverlapRow(
            one, own[one], pooled, drawn.get(one, 0), [cell(one, other) for other in sources]
        )
        for one in sources
    ]


# What to know before freezing


@dataclass(frozen=True)
class Matrix:
    """Jaccard of every two retrievers, as heat; `depth` is a rank, or 0 for each pool's own."""

    rows: list[tuple[str, list[float | None]]]
    depth: int

    @classmethod
    def of(cls, found: JaccardMatrix, depth: int) -> Matrix:
        return cls([(name, list(found.values[i])) for i, name in enumerate(found.names)], depth)

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.rows]

    @property
    def heads(self) -> list[list[str]]:
        return [in_parts(name) for name in self.names]

    @property
    def cells(self) -> list[tuple[str, list[Any]]]:
        """Every row's name and its cells; None where a retriever meets itself."""
        return [
            (
                name,
                [
                    None if i == j else MatrixCell(self.names[j], value)
                    for j, value in enumerate(values)
                ],
            )
            for i, (name, values) in enumerate(self.rows)
        ]


class MatrixCell(NamedTuple):
    other: str
    share: float | None

    @property
    def percent(self) -> float | None:
        return None if self.share is None else 100 * self.share

    @property
    def heat(self) -> int:
        return heat(self.share or 0.0)


class Named(NamedTuple):
    """A document to look at: its docno, its title, and what is the matter."""

    docno: str
    title: str
    what: str


class NamedTwins(NamedTuple):
    query_paper: str
    one: Named
    other: Named


@dataclass(frozen=True)
class Preview:
    """All that is worth knowing of pools before they are frozen. `pools` is how many were read."""

    pools: int
    of_pools: int
    shares: list[preview.Share]
    matrices: list[Matrix]
    often: list[Named]
    poor: list[Named]
    twins: list[NamedTwins]
    own_pool: list[Named]

    @property
    def warnings(self) -> int:
        return len(self.often) + len(self.poor) + len(self.twins) + len(self.own_pool)


def preview_of(collection: Collection, table: PoolTable) -> Preview:
    """The pools of the table, in five more queries whatever their number."""
    rows = table.pooled[:MOST_POOLS]
    ids = [row.pool.pk for row in rows if row.pool]
    pools: dict[str, list[str]] = {row.docno: [] for row in rows}
    candidates = Candidate.objects.filter(pool__in=ids).order_by("pool", "position")
    for paper, docno in candidates.values_list(
        "pool__query_paper__document__docno", "document__docno"
    ):
        pools[paper].append(docno)
    documents = collection.documents.filter(
        Q(pk__in=candidates.order_by().values("document")) | Q(query_paper__pool__in=ids)
    ).order_by()
    titles, abstracts = {}, {}
    for docno, title, sentences in documents.values_list("docno", "title", "sentences"):
        titles[docno], abstracts[docno] = title, sentences
    rankings = _rankings(table.sources, ids)
    facts = _facts(collection, rows, pools, ids)

    def named(docno: str, what: str = "") -> Named:
        return Named(docno, titles.get(docno, ""), what)

    return Preview(
        pools=len(rows),
        of_pools=len(table.pooled),
        shares=preview.shares(facts, rankings) if rankings else [],
        matrices=_matrices(rankings, facts),
        often=[named(one.docno, f"in {one.pools} pools") for one in preview.often(pools)],
        poor=[named(one.docno, one.why) for one in preview.poor(abstracts)],
        twins=[
            NamedTwins(pair.query_paper, named(pair.one), named(pair.other))
            for pair in preview.twins(pools, titles)
        ],
        own_pool=[named(docno) for docno in preview.own_pool(pools)],
    )


def _rankings(names: Iterable[str], pools: list[int]) -> dict[str, dict[str, list[str]]]:
    """By run and query paper."""
    rankings: dict[str, dict[str, list[str]]] = defaultdict(dict)
    rows = Ranking.objects.order_by().filter(run__name__in=list(names), query_paper__pool__in=pools)
    for run, paper, docnos in rows.values_list(
        "run__name", "query_paper__document__docno", "docnos"
    ):
        rankings[run][paper] = docnos
    return dict(rankings)


def _facts(
    collection: Collection, rows: Iterable[PoolRow], pools: Mapping[str, list[str]], ids: list[int]
) -> list[preview.PoolFacts]:
    sources = {source for forced in forced_sources(collection).values() for source in forced}
    forced: dict[str, set[str]] = defaultdict(set)
    contributed = Contribution.objects.order_by().filter(
        candidate__pool__in=ids, source__in=sources
    )
    for paper, docno in contributed.values_list(
        "candidate__pool__query_paper__document__docno", "candidate__document__docno"
    ):
        forced[paper].add(docno)
    return [
        preview.PoolFacts(
            query_paper=row.docno,
            documents=pools[row.docno],
            forced=frozenset(forced[row.docno]),
            depth={draw.source: draw.depth for draw in row.draws if draw.depth},
            drawn={draw.source: draw.documents for draw in row.draws},
            shortfall={draw.source: draw.shortfall for draw in row.draws},
        )
        for row in rows
    ]


def _matrices(
    rankings: Mapping[str, Mapping[str, list[str]]], facts: Iterable[preview.PoolFacts]
) -> list[Matrix]:
    if len(rankings) < 2:
        return []
    deepest = {one.query_paper: max(one.depth.values(), default=0) for one in facts}
    at_pool, at_usual = preview.overlaps(rankings, deepest)
    return [Matrix.of(at_pool, 0), Matrix.of(at_usual, preview.USUAL_DEPTH)]


# One pool


@dataclass(frozen=True)
class CandidateRow:
    """A candidate with everything known of where it comes from."""

    position: int
    docno: str
    title: str
    year: int | None
    excluded: str
    drawer: Contribution | None
    others: list[Contribution]

    @property
    def sources(self) -> int:
        return len(self.others) + (self.drawer is not None)

    @property
    def text(self) -> str:
        names = [one.source for one in [*self.others, *([self.drawer] if self.drawer else [])]]
        return " ".join([self.docno, self.title, self.excluded, *names])


CANDIDATE_SORTS: dict[str, Callable[[CandidateRow], Any]] = {
    "position": attrgetter("position"),
    "docno": attrgetter("docno"),
    "title": lambda row: row.title.casefold() or None,
    "drawer": lambda row: (row.drawer.source, row.drawer.rank or 0) if row.drawer else None,
    "rank": lambda row: row.drawer.rank if row.drawer else None,
    "sources": attrgetter("sources"),
}

POOL_SORTS: dict[str, Callable[[PoolRow], Any]] = {
    "docno": attrgetter("docno"),
    "queries": attrgetter("queries"),
    "size": lambda row: row.size if row.pool else None,
    "forced": lambda row: row.forced if row.pool else None,
    "shortfall": lambda row: row.shortfall if row.pool else None,
    "excluded": lambda row: row.excluded if row.pool else None,
    "deepest": attrgetter("deepest"),
}


def candidate_rows(pool: Pool) -> list[CandidateRow]:
    candidates = (
        pool.candidates.select_related("document")
        .defer("document__sentences", "document__labels", "document__references")
        .prefetch_related(
            Prefetch(
                "contributions", Contribution.objects.order_by(F("rank").asc(nulls_first=True))
            )
        )
        .order_by("position")
    )
    return [_candidate_row(candidate) for candidate in candidates]


def _candidate_row(candidate: Candidate) -> CandidateRow:
    contributions = list(candidate.contributions.all())
    return CandidateRow(
        position=candidate.position,
        docno=candidate.document.docno,
        title=candidate.document.title,
        year=candidate.document.year,
        excluded=candidate.excluded,
        drawer=next((one for one in contributions if one.drawn), None),
        others=[one for one in contributions if not one.drawn],
    )


def neighbours(paper: QueryPaper) -> tuple[str | None, str | None]:
    """The docnos of the query papers before and after this one that have a pool."""
    docnos = paper.collection.query_papers.filter(pool__isnull=False).values_list(
        "document__docno", flat=True
    )
    before = docnos.filter(document__docno__lt=paper.document.docno).order_by("-document__docno")
    after = docnos.filter(document__docno__gt=paper.document.docno).order_by("document__docno")
    return before.first(), after.first()

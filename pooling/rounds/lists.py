"""The ranked lists that a pool round is chosen from."""

from __future__ import annotations

from collections.abc import Collection as Group
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from accounts.models import Collection
from corpus.models import QueryPaper
from pooling.models import PoolRound
from pooling.rounds.choice import TopicList
from retrieval.formats import write_run
from retrieval.models import Ranking, Run
from retrieval.services.run_files import TAG, LinesDigest, ranked_list


class LateRun(Protocol):
    """A run or system whose lists come after the pools were frozen.

    `sha256` covers its whole lists, not only those to the round's depth.
    """

    @property
    def name(self) -> str: ...

    @property
    def kind(self) -> str: ...

    @property
    def sha256(self) -> str: ...

    def lists(self, papers: Group[QueryPaper]) -> Iterator[tuple[int, TopicList]]:
        """(primary key of the query paper, list), for those of the papers that have one."""

    def sha256_now(self) -> str | None:
        """`sha256` as the database has it now; None if the run is gone."""


class StoredRun(NamedTuple):
    """A run of the collection. Its topics are query papers."""

    run: Run
    kind: str = "run"

    @property
    def name(self) -> str:
        return self.run.name

    @property
    def sha256(self) -> str:
        return self.run.sha256

    def lists(self, papers: Group[QueryPaper]) -> Iterator[tuple[int, TopicList]]:
        names = {paper.pk: paper.name for paper in papers}
        rows = Ranking.objects.order_by().filter(run=self.run, query_paper__in=names)
        for paper, *columns in rows.values_list("query_paper", "docnos", "scores"):
            yield paper, TopicList(self.name, names[paper], ranked_list(*columns))

    def sha256_now(self) -> str | None:
        run = Run.objects.filter(pk=self.run.pk).values_list("sha256", flat=True)
        return run.first()


def stored_runs(collection: Collection, names: Group[str]) -> list[StoredRun]:
    """The runs of these names, by name. Names without a run are left out."""
    return [StoredRun(run) for run in collection.runs.filter(name__in=names).order_by("name")]


def lists_of_round(pool_round: PoolRound) -> dict[str, list[TopicList]]:
    """The lists that a round copied, by query paper, sorted by run and topic."""
    lists: dict[str, list[TopicList]] = {}
    rows = pool_round.lists.order_by().values_list(
        "query_paper", "run", "topic", "docnos", "scores"
    )
    for paper, run, topic, *columns in rows.iterator():
        lists.setdefault(paper, []).append(TopicList(run, topic, ranked_list(*columns)))
    for own in lists.values():
        own.sort(key=lambda each: (each.run, each.topic))
    return lists


def round_run_lines(pool_round: PoolRound, run: str) -> Iterator[str]:
    """The lines of a run of the round as a file; their SHA-256 is that of the manifest."""
    keys = pool_round.lists.filter(run=run).order_by().values_list("query_paper", "topic", "pk")
    # Sorted here, because the order of a database depends on its collation.
    for _, topic, pk in sorted(keys):
        docnos, scores = pool_round.lists.values_list("docnos", "scores").get(pk=pk)
        yield from write_run({topic: ranked_list(docnos, scores)}, tag=TAG)


def file_digests(pool_round: PoolRound) -> dict[str, str]:
    """SHA-256 (hex) of each run of the round as a file, by its name."""
    digests = {run["name"]: LinesDigest() for run in pool_round.manifest["runs"]}
    for name, digest in digests.items():
        digest.update(round_run_lines(pool_round, name))
    return {name: digest.hexdigest() for name, digest in digests.items()}

"""The ranked lists that a pool round is chosen from."""

from __future__ import annotations

from collections.abc import Collection as Group
from collections.abc import Iterator
from typing import NamedTuple, Protocol

from accounts.models import Collection
from corpus.models import QueryPaper
from pooling.rounds.choice import TopicList
from retrieval.models import Ranking, Run
from retrieval.services.run_files import ranked_list


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

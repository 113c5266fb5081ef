"""The runs and systems that a pool round can be chosen from."""

from __future__ import annotations

from collections.abc import Collection as Group
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from accounts.models import Collection
from corpus.models import QueryPaper
from pooling.errors import PoolingError
from pooling.rounds.choice import TopicList
from pooling.rounds.lists import LateRun, StoredRun
from retrieval.formats import RankedList
from scoring.models import System, SystemKind, SystemRanking


class SystemLists(NamedTuple):
    """A system with lists of its own. Its topics are queries.

    Its scores count down from the length of the list, as in its run file: those of an imported file
    may be distances.
    """

    system: System
    kind: str = "system"

    @property
    def name(self) -> str:
        return self.system.name

    @property
    def sha256(self) -> str:
        return self.system.sha256

    def lists(self, papers: Group[QueryPaper]) -> Iterator[tuple[int, TopicList]]:
        rows = SystemRanking.objects.order_by().filter(
            system=self.system, query__query_paper__in=papers
        )
        for paper, query, docnos in rows.values_list("query__query_paper", "query__name", "docnos"):
            scores = [float(len(docnos) - place) for place in range(len(docnos))]
            yield paper, TopicList(self.name, query, RankedList(docnos, scores))

    def sha256_now(self) -> str | None:
        rows = System.objects.filter(pk=self.system.pk).values_list("sha256", flat=True)
        return rows.first()


def run_names(collection: Collection) -> list[str]:
    """The names of the runs and systems that a round can be chosen from. Judgments are none."""
    runs = [run.name for run in collection.runs.all() if not run.holds_judgments]
    systems = collection.systems.exclude(kind=SystemKind.RUN).values_list("name", flat=True)
    return sorted({*runs, *systems})


def late_runs(collection: Collection, names: Sequence[str]) -> list[LateRun]:
    """The runs and systems of these names, by name. Raises PoolingError for an unknown one."""
    found: dict[str, LateRun] = {
        system.name: SystemLists(system)
        for system in collection.systems.exclude(kind=SystemKind.RUN).filter(name__in=names)
    }
    found |= {run.name: StoredRun(run) for run in collection.runs.filter(name__in=names)}
    if unknown := sorted(set(names) - set(found)):
        known = ", ".join(run_names(collection)) or "none yet"
        raise PoolingError(
            f"{collection.slug} has no run or system {unknown[0]!r}. Runs and systems: {known}."
        )
    return [found[name] for name in sorted(found)]

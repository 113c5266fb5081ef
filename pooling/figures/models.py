"""Which runs overlap least with the others: MDCR's choice of models, before any pool is built."""

from __future__ import annotations

from collections.abc import Collection as Group
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from accounts.models import Collection
from pooling.figures.freezing import MOST_POOLS, Matrix
from pooling.figures.names import in_parts
from pooling.models import Ranking
from pooling.retrievers import LINKED
from pooling.strategies import choose_models, jaccard_matrix

# What MDCR chose: 3 models by their best 200 documents that the query paper does not cite.
COUNT = 3
DEPTH = 200
SLICE = 20  # lists read at a time; only their tops are kept


class ModelRow(NamedTuple):
    """A run with its mean overlap with the others, in [0, 1]; None where there is none to average.

    `reaches` is how many uncited documents its longest list has, down to the depth compared.
    """

    name: str
    mean: float | None
    chosen: bool
    reaches: int

    @property
    def parts(self) -> list[str]:
        return in_parts(self.name)

    @property
    def percent(self) -> float | None:
        return None if self.mean is None else 100 * self.mean


@dataclass(frozen=True)
class ModelChoice:
    """Runs compared at a depth, lowest mean overlap first; `papers` is how many were read."""

    depth: int
    rows: list[ModelRow]
    matrix: Matrix
    papers: int
    of_papers: int

    @property
    def chosen(self) -> list[str]:
        return [row.name for row in self.rows if row.chosen]

    @property
    def shallow(self) -> list[ModelRow]:
        return [row for row in self.rows if row.reaches < self.depth]


def models_of(collection: Collection) -> tuple[list[str], list[str]]:
    """All runs that can be compared, by name, and of them those that come from models.

    What was judged relevant is nobody's ranking, and what reads no text is no model: chance
    overlaps least with everything.
    """
    runs = [run for run in collection.runs.all() if not run.holds_judgments]
    return [run.name for run in runs], [run.name for run in runs if run.kind not in LINKED]


def model_choice(
    collection: Collection, names: Group[str], depth: int, count: int, most: int = MOST_POOLS
) -> ModelChoice:
    """The runs of these names, compared by their lists for the first `most` query papers by docno.

    Compared are the best `depth` documents that the query paper does not cite. Of fewer runs than
    `count` all are chosen, but none whose mean is undefined. Raises ValueError for a depth below 1.
    """
    asked = collection.query_papers.filter(queries__isnull=False).distinct().order_by()
    papers = sorted(asked.values_list("document__docno", flat=True))
    cited = dict(
        asked.filter(document__docno__in=papers[:most]).values_list(
            "document__docno", "document__references"
        )
    )
    tops = _tops(collection, names, cited, depth)
    matrix = jaccard_matrix(tops, depth)
    ordered = choose_models(matrix, len(matrix.names)) if matrix.names else []
    means = {name: matrix.mean(name) for name in ordered}
    chosen = [name for name in ordered if means[name] is not None][:count]
    rows = [
        ModelRow(name, mean, name in chosen, max(map(len, tops[name].values()), default=0))
        for name, mean in means.items()
    ]
    return ModelChoice(
        depth, rows, Matrix.of(matrix, depth, ordered), min(most, len(papers)), len(papers)
    )


def _tops(
    collection: Collection, names: Group[str], cited: Mapping[str, list[str]], depth: int
) -> dict[str, dict[str, list[str]]]:
    """The best `depth` uncited documents of every list, by run and query paper.

    `cited` are the references of every query paper whose lists are read. A run without lists is
    there too.
    """
    runs = collection.runs.filter(name__in=names)
    tops: dict[str, dict[str, list[str]]] = {run.name: {} for run in runs}
    rows = (
        Ranking.objects.order_by()
        .filter(run__in=runs, query_paper__document__docno__in=cited)
        .values_list("run__name", "query_paper__document__docno", "docnos")
    )
    positives = {paper: frozenset(references) for paper, references in cited.items()}
    for run, paper, docnos in rows.iterator(chunk_size=SLICE):
        negatives = (docno for docno in docnos if docno not in positives[paper])
        tops[run][paper] = list(islice(negatives, depth))
    return tops

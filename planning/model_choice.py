"""The runs that overlap least with the others: MDCR's choice of models."""

from __future__ import annotations

from collections.abc import Collection as Group
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import NamedTuple

from accounts.models import Collection
from pooling.strategies import choose_models, jaccard_matrix
from pooling.tables.freeze_preview import MOST_POOLS, OverlapMatrix
from pooling.tables.names import breakable_parts
from retrieval.models import Ranking
from retrieval.retrievers import METADATA_RETRIEVERS

# MDCR chose 3 models by their best 200 documents that the query paper does not cite.
COUNT = 3
DEPTH = 200
CHUNK_SIZE = 20  # lists in memory at a time


class ModelRow(NamedTuple):
    """A run with its mean overlap with the others, in [0, 1]; None if no overlap is defined.

    `reaches` is the number of uncited documents in its longest list, at most the depth compared.
    """

    name: str
    mean: float | None
    is_chosen: bool
    reaches: int

    @property
    def parts(self) -> list[str]:
        return breakable_parts(self.name)

    @property
    def percent(self) -> float | None:
        return None if self.mean is None else 100 * self.mean


@dataclass(frozen=True)
class ModelChoice:
    """Runs compared at a depth, lowest mean overlap first. `papers` of `of_papers` were read."""

    depth: int
    rows: list[ModelRow]
    matrix: OverlapMatrix
    papers: int
    of_papers: int

    @property
    def models(self) -> list[str]:
        return [row.name for row in self.rows if row.is_chosen]

    @property
    def shallow(self) -> list[ModelRow]:
        return [row for row in self.rows if row.reaches < self.depth]


def models_of(collection: Collection) -> tuple[list[str], list[str]]:
    """The names of all runs that can be compared, and of those that come from models.

    Runs of judgments are not rankings. Retrievers that read no text are not models: random
    documents would overlap least with every other run.
    """
    runs = [run for run in collection.runs.all() if not run.holds_judgments]
    return [run.name for run in runs], [
        run.name for run in runs if run.kind not in METADATA_RETRIEVERS
    ]


def model_choice(
    collection: Collection, names: Group[str], depth: int, count: int, max_papers: int = MOST_POOLS
) -> ModelChoice:
    """The runs of these names, compared by their lists for `max_papers` query papers, by docno.

    The best `depth` documents that the query paper does not cite are compared. If there are fewer
    runs than `count`, all are chosen. A run whose mean is undefined is never chosen.

    Raises ValueError for a depth below 1.
    """
    with_queries = collection.query_papers.filter(queries__isnull=False).distinct().order_by()
    papers = sorted(with_queries.values_list("name", flat=True))
    references = with_queries.filter(name__in=papers[:max_papers]).values_list(
        "name", "document__references"
    )
    cited = {paper: docnos or [] for paper, docnos in references}  # a topic cites nothing
    tops = _tops(collection, names, cited, depth)
    matrix = jaccard_matrix(tops, depth)
    ordered_names = choose_models(matrix, len(matrix.names)) if matrix.names else []
    means = {name: matrix.mean(name) for name in ordered_names}
    models = [name for name in ordered_names if means[name] is not None][:count]
    rows = [
        ModelRow(name, mean, name in models, max(map(len, tops[name].values()), default=0))
        for name, mean in means.items()
    ]
    return ModelChoice(
        depth,
        rows,
        OverlapMatrix.of(matrix, depth, ordered_names),
        min(max_papers, len(papers)),
        len(papers),
    )


def _tops(
    collection: Collection, names: Group[str], cited: Mapping[str, list[str]], depth: int
) -> dict[str, dict[str, list[str]]]:
    """The best `depth` uncited documents of every list, by run and query paper.

    `cited` has the references of every query paper to read. A run without lists is included.
    """
    runs = collection.runs.filter(name__in=names)
    tops: dict[str, dict[str, list[str]]] = {run.name: {} for run in runs}
    rows = (
        Ranking.objects.order_by()
        .filter(run__in=runs, query_paper__name__in=cited)
        .values_list("run__name", "query_paper__name", "docnos")
    )
    positives = {paper: frozenset(references) for paper, references in cited.items()}
    for run, paper, docnos in rows.iterator(chunk_size=CHUNK_SIZE):
        negatives = (docno for docno in docnos if docno not in positives[paper])
        tops[run][paper] = list(islice(negatives, depth))
    return tops

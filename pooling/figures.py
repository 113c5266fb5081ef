"""The figures of the page about all pools: the depth and the overlap of the retrievers."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from statistics import quantiles

from django.db import connection

from accounts.models import Collection
from corpus.models import QueryPaper
from pooling.models import Pool
from pooling.tables.freeze_preview import OverlapMatrix, Preview
from web.figure_panels import Spread, heat_map, spreads
from web.figures import Figure, Key
from web.words import count_noun

# One row for each source of a pool's `depth`, as the database counts them.
ENTRIES = {"sqlite": "json_each", "postgresql": "jsonb_each"}
PERCENT = 100


def pool_figures(collection: Collection, preview: Preview | None) -> Iterator[Figure]:
    """The figures with something to show. One query."""
    if depths := depths_of(collection):
        yield depth_figure(depths)
    if preview:
        yield from overlap_figures(preview)


# Depth


def depths_of(collection: Collection) -> dict[str, dict[int, int]]:
    """For each retriever: the deepest rank that it drew from, and in how many pools."""
    pool, paper = Pool._meta.db_table, QueryPaper._meta.db_table
    sql = f"""
        SELECT entry.key, CAST(entry.value AS integer), COUNT(*)
        FROM {pool} JOIN {paper} ON {paper}.id = {pool}.query_paper_id
        CROSS JOIN {ENTRIES[connection.vendor]}({pool}.depth) AS entry
        WHERE {paper}.collection_id = %s
        GROUP BY 1, 2
    """
    depths: dict[str, dict[int, int]] = defaultdict(dict)
    with connection.cursor() as cursor:
        cursor.execute(sql, [collection.pk])
        for source, depth, pools in cursor.fetchall():
            if depth:
                depths[source][depth] = pools
    return dict(depths)


def depth_figure(depths: dict[str, dict[int, int]]) -> Figure:
    """The retriever with the deepest median first."""
    rows = sorted(
        ((_spread(source, counts), sum(counts.values())) for source, counts in depths.items()),
        key=lambda row: (-row[0].median, row[0].name),
    )
    deepest = rows[0][0]
    finding = (
        f"{deepest.name} is deepest, with a median rank of {deepest.median:g}. "
        f"The deepest rank of all is {max(row.highest for row, _ in rows):,.0f}."
    )
    return Figure(
        name="depth",
        title="Depth by retriever",
        note=(
            "The deepest rank that a retriever drew from. "
            "A line goes from the smallest of the pools to the largest."
        ),
        panels=[
            spreads(
                f"Rank, in {count_noun(max(pools for _, pools in rows), 'pool')}",
                finding,
                [row for row, _ in rows],
                max(row.highest for row, _ in rows),
            )
        ],
        head=(
            *("retriever", "pools", "smallest", "lower quartile"),
            *("median", "upper quartile", "largest"),
        ),
        rows=[(row.name, pools, *row[1:]) for row, pools in rows],
        keys=(
            Key("dot-after", "median", is_dot=True),
            Key("g1", "middle half of the pools"),
        ),
    )


def _spread(source: str, counts: dict[int, int]) -> Spread:
    depths = [depth for depth in sorted(counts) for _ in range(counts[depth])]
    # "inclusive" has the median of `statistics.median`, which the table of retrievers shows.
    quarters = quantiles(depths, n=4, method="inclusive") if len(depths) > 1 else depths * 3
    lower, median, upper = quarters
    return Spread(source, depths[0], lower, median, upper, depths[-1])


# Overlap


def overlap_figures(preview: Preview) -> Iterator[Figure]:
    """A heat map for each matrix of the page, in its order, or that of the imported pools."""
    for matrix in preview.matrices:
        place = f"to rank {matrix.depth}" if matrix.depth else "to the depth of each pool"
        yield overlap_figure(f"overlap-{matrix.depth}", f"Overlap of retrievers {place}", matrix)
    if preview.overlap:
        yield _heat_figure(
            "overlap-sources",
            "Overlap of sources",
            "Of the pooled documents that either of any two has, the share that both have.",
            [row.source for row in preview.overlap],
            [[cell and cell.share for cell in row.cells] for row in preview.overlap],
        )


def overlap_figure(name: str, title: str, matrix: OverlapMatrix) -> Figure:
    note = "The Jaccard index of the lists of any two, averaged over the queries."
    return _heat_figure(name, title, note, matrix.names, [row for _, row in matrix.rows])


def _heat_figure(
    name: str,
    title: str,
    note: str,
    names: Sequence[str],
    shares: Sequence[Sequence[float | None]],
) -> Figure:
    pairs = [
        (names[row], names[column], share)
        for row, of_row in enumerate(shares)
        for column, share in enumerate(of_row)
        if row < column and share is not None
    ]
    return Figure(
        name=name,
        title=title,
        note=note,
        panels=[heat_map(_least_and_most(pairs), names, shares)],
        head=("first", "second", "overlap"),
        rows=pairs,
    )


def _least_and_most(pairs: Sequence[tuple[str, str, float]]) -> str:
    if not pairs:
        return "No overlap is defined."
    least, most = (end(pairs, key=lambda pair: pair[2]) for end in (min, max))
    return (
        f"{least[0]} and {least[1]} overlap least, by {PERCENT * least[2]:.1f} %. "
        f"{most[0]} and {most[1]} overlap most, by {PERCENT * most[2]:.1f} %."
    )

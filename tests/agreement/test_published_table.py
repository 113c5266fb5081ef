"""CSFCube's published agreement, from its published ratings.

The ratings are CC BY-NC 4.0 and not part of this project: CSFCUBE_DIR says where they are.
Source: Mysore et al. (2021), CSFCube, NeurIPS Datasets and Benchmarks.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from agreement.coefficients import COEFFICIENTS, Missing
from agreement.summary import FacetSummary, RatedPair, ReportStage, Summary, summarize

ROOT = Path(__file__).resolve().parents[2]
CSFCUBE = Path(os.environ.get("CSFCUBE_DIR", ROOT.parent / "shared" / "csfcube"))

pytestmark = [
    pytest.mark.csfcube,
    pytest.mark.skipif(
        not (CSFCUBE / "test-pid2anns-csfcube-background.json").exists(),
        reason=f"CSFCube's ratings are not in {CSFCUBE}; set CSFCUBE_DIR",
    ),
]


STAGES = (ReportStage.PRE, ReportStage.POST)  # without questions


def rated_pairs(facet: str) -> list[RatedPair]:
    ratings = json.loads((CSFCUBE / f"test-pid2anns-csfcube-{facet}.json").read_text())
    return [
        RatedPair(f"{paper}_{facet}", facet, first, second, final)
        for paper, columns in ratings.items()
        for first, second, final in zip(*grade_columns(columns), strict=True)
    ]


def grade_columns(columns: dict[str, list[int]]) -> list[list[int | None]]:
    """Slot 1, slot 2 (any two of ann1 to ann4, the lower number first) and the final labels."""
    annotators = sorted(name for name in columns if name.startswith("relevance_ann"))
    assert len(annotators) == 2
    return [
        [None if grade == -1 else grade for grade in columns[name]]
        for name in [*annotators, "relevance_adju"]
    ]


@pytest.fixture(scope="module")
def pairs() -> list[RatedPair]:
    return rated_pairs("background") + rated_pairs("method")


@pytest.fixture(scope="module")
def counted_as_zero(pairs: list[RatedPair]) -> Summary:
    return summarize(pairs, Missing.ZERO)


def row_of(summary: Summary, facet: str, stage: ReportStage) -> FacetSummary:
    return next(row for row in summary.facets if (row.facet, row.stage) == (facet, stage))


@pytest.mark.parametrize(
    ("facet", "stage", "medians"),
    [
        ("background", ReportStage.PRE, (0.4553, 0.4288, 0.2814, 57.0672)),
        ("background", ReportStage.POST, (0.7310, 0.7201, 0.6214, 77.6813)),
        ("method", ReportStage.PRE, (0.3086, 0.2557, 0.2029, 69.6000)),
        ("method", ReportStage.POST, (0.6258, 0.6107, 0.5371, 84.4660)),
    ],
)
def test_medians_with_missing_as_zero_are_the_published_ones(
    counted_as_zero: Summary, facet: str, stage: ReportStage, medians: tuple[float, ...]
) -> None:
    row = row_of(counted_as_zero, facet, stage)

    published = [row.median[coefficient.key] for coefficient in COEFFICIENTS]
    assert [round(number, 4) for number in published if number is not None] == list(medians)


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(
    ("facet", "queries", "pairs_judged", "overruled"),
    [("background", 16, 1877, 58), ("method", 17, 2174, 44)],
)
def test_counts_are_the_published_ones(
    counted_as_zero: Summary,
    stage: ReportStage,
    facet: str,
    queries: int,
    pairs_judged: int,
    overruled: int,
) -> None:
    row = row_of(counted_as_zero, facet, stage)

    assert (row.queries, row.pairs) == (queries, pairs_judged)
    assert row.overruled == overruled / pairs_judged
    assert set(row.defined.values()) == {queries}


@pytest.mark.parametrize("stage", STAGES)
@pytest.mark.parametrize(
    ("facet", "mean", "pooled"), [("background", "3.44%", "3.09%"), ("method", "2.40%", "2.02%")]
)
def test_overruling_as_a_mean_over_queries_is_the_paper_s_and_pooled_it_is_lower(
    counted_as_zero: Summary, stage: ReportStage, facet: str, mean: str, pooled: str
) -> None:
    row = row_of(counted_as_zero, facet, stage)

    assert row.overruled_mean is not None
    assert row.overruled is not None
    assert (f"{row.overruled_mean:.2%}", f"{row.overruled:.2%}") == (mean, pooled)


@pytest.mark.parametrize(("facet", "missing"), [("background", 3), ("method", 8)])
def test_leaving_missing_out_drops_just_the_pairs_with_a_missing_judgment(
    pairs: list[RatedPair], facet: str, missing: int
) -> None:
    summary = summarize(pairs, Missing.EXCLUDE)
    judged = row_of(summary, facet, ReportStage.PRE).pairs

    for stage in STAGES:
        rows = [r for r in summary.queries if (r.facet, r.stage) == (facet, stage)]
        assert sum(row.missing for row in rows) == missing
        assert sum(row.n for row in rows) == judged - missing

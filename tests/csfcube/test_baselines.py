"""The baselines without randomness, on the real release: the figures of docs/baselines.md."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from evaluation.baselines.services import make_baselines
from evaluation.leaderboard import Place, leaderboard
from evaluation.measures.profiles import CSFCUBE
from evaluation.score_tables import ALL

pytestmark = [pytest.mark.csfcube, pytest.mark.django_db, pytest.mark.one_database]

PAGE = Path(__file__).resolve().parents[2] / "docs" / "baselines.md"
SAME_EVERYWHERE = ("fabs_tfidf", "fabs_bm25")  # word vectors differ between machines


def documented_figures() -> dict[tuple[str, str], list[str]]:
    """The rows of the page's last table: facet and system to the figures as printed."""
    figures, facet = {}, ""
    for line in PAGE.read_text().splitlines():
        cells = [cell.strip().strip("`") for cell in line.strip("|").split("|")]
        if len(cells) == 7 and re.fullmatch(r"\d+\.\d\d", cells[-1]):
            facet = cells[0] or facet
            figures[facet, cells[1]] = cells[2:]
    return figures


def test_the_documented_figures_are_those_of_the_release(released):
    make_baselines(collection=released, names=SAME_EVERYWHERE)
    documented = documented_figures()
    found = {
        (facet, line.name): [f"{100 * line.row.measures[name]:.2f}" for name in CSFCUBE.names]
        for facet in ("background", "method")
        for line in leaderboard(released, CSFCUBE, Place(facet, ALL), "RP")
    }
    assert found == {key: row for key, row in documented.items() if key[1] in SAME_EVERYWHERE}
    report = released.systems.get(name="fabs_bm25").report
    assert (report["lists"], report["documents"], report["without_text"]) == (33, 4050, 165)

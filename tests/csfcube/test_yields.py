"""Yields and stopping advice over CSFCube, against short computations from its files."""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from functools import cache
from io import StringIO

import numpy as np
import pytest
from django.core.management import call_command
from scipy.stats import betabinom

from planning.yields.forecast import forecast_of
from planning.yields.rates import rates
from planning.yields.reading import read_pairs
from tests.docs.markdown import ROOT

pytestmark = [
    pytest.mark.csfcube,
    pytest.mark.django_db,
    pytest.mark.by_day(4, day=3),
]

PAGE = ROOT / "docs" / "yields.md"


@pytest.fixture(scope="session")
def flags(pools, ratings) -> dict[str, list[bool]]:
    """By query: the rated candidates in the order of the pool, and if their grade is 2 or more."""
    found = {}
    for query, rated in ratings.items():
        paper = query.split("_")[0]
        grades = dict(zip(rated["cands"], rated["relevance_adju"], strict=True))
        grades.pop(paper, None)  # 8781666 is in its own pool
        pooled = [docno for docno in pools[paper]["cands"] if docno in grades]
        found[query] = [grades[docno] >= 2 for docno in pooled]
    return found


@pytest.fixture(scope="module")
def printed(released):
    out = StringIO()
    call_command("simulate_stopping", "csfcube", stdout=out)
    return [line.rstrip() for line in out.getvalue().strip().splitlines()]


def test_rates_are_what_the_files_say(released, pools, ratings):
    table = read_pairs(released)
    groups = {
        (group.dimension, group.name): group for group in rates(table, forecast_of(table), "seed")
    }
    judged, relevant = defaultdict(int), defaultdict(int)
    for query, rated in ratings.items():
        paper = query.split("_")[0]
        places, drawn = {}, defaultdict(int)
        for docno, sources in zip(pools[paper]["cands"], pools[paper]["cand_source"], strict=True):
            drawn[sources[0]] += 1
            depth = 0 if sources[0] == "cited" else drawn[sources[0]]
            places[docno] = depth, sources
        for docno, grade in zip(rated["cands"], rated["relevance_adju"], strict=True):
            if docno == paper or grade < 0:
                continue
            depth, sources = places[docno]
            band = ("forced", "1–10", "11–20", "21–50")[(depth > 0) + (depth > 10) + (depth > 20)]
            for key in [
                *[("all", ""), ("drawn", sources[0]), ("depth", band)],
                *(("has", source) for source in sources),
            ]:
                judged[key] += 1
                relevant[key] += grade >= 2
    assert len(judged) == 1 + 8 + 8 + 4
    for key, number in judged.items():
        group = groups[key]
        assert (group.judged, group.relevant) == (number, relevant[key])
        assert group.per_hour == pytest.approx(relevant[key] / (number * 30 / 3600))
    # The documentation quotes these.
    assert f"{groups['all', ''].per_hour:.1f} relevant documents an hour" in text_of_page()
    whole = groups["all", ""]
    assert f"({whole.low:.1f} to {whole.high:.1f})" in text_of_page()
    depths = [groups["depth", name].per_hour for name in ("1–10", "11–20", "21–50")]
    words = "it was {:.1f}, of the next 10 it was {:.1f}, and deeper {:.1f}".format(*depths)
    assert words in text_of_page()
    assert groups["depth", "21–50"].queries == 5


def text_of_page():
    return " ".join(PAGE.read_text().split())


def test_the_documentation_shows_what_the_command_prints(printed):
    (block,) = re.findall(r"```text\n(33 queries.*?)\n```", PAGE.read_text(), re.DOTALL)
    assert block.splitlines() == printed


def test_stopping_saves_and_misses_what_a_second_computation_finds(printed, flags):
    """From the files alone, with scipy's beta-binomial and one order after the other."""
    shares = 1 / (1 + np.exp(-np.linspace(-7, 2, 37)))
    alpha, beta = (
        np.array([part * weight for part in parts for weight in np.geomspace(0.5, 200, 16)])
        for parts in (shares, 1 - shares)
    )
    evidence = {
        query: betabinom.logpmf(sum(marks), len(marks), alpha, beta)
        for query, marks in flags.items()
    }
    stopped = true = saved = missed = 0
    for query, marks in flags.items():
        facet = query.rsplit("_", 1)[1]
        others = sum(evidence[other] for other in flags if other.endswith(facet) and other != query)

        @cache
        def chance(seen, found, among, others=others):
            logs = others + betabinom.logpmf(found, seen, alpha, beta)
            weights = np.exp(logs - logs.max())
            nothing = betabinom.pmf(0, among, alpha + found, beta + seen - found)
            return weights @ nothing / weights.sum()

        for number in range(10):
            order = sorted(
                range(len(marks)),
                key=lambda place: hashlib.sha256(
                    f"0|{number}|stopping|{query}|{place}".encode()
                ).hexdigest(),
            )
            rest = [marks[place] for place in order]
            for seen in range(10, len(rest)):
                following = rest[seen : seen + 10]
                if chance(seen, sum(rest[:seen]), len(following)) >= 0.95:
                    stopped, true = stopped + 1, true + (not any(following))
                    saved, missed = saved + len(rest[seen:]), missed + sum(rest[seen:])
                    break
    (line,) = [line for line in printed if line.startswith("95%")]
    pairs = 10 * sum(map(len, flags.values()))
    hours = line.split()[5]
    assert float(hours) == pytest.approx(saved * 30 / 3600 / 10, abs=0.006)
    assert (
        line.split()
        == (
            f"95% {stopped} of 330 {true / stopped:.1%} {hours} "
            f"{saved / pairs:.2%} {missed} of 3350 {missed / 3350:.2%}"
        ).split()
    )
    assert f"{true / stopped:.1%}" == "98.9%"


def test_few_queries_have_the_relevant_documents_that_qbcb_needs(flags):
    """For a recall of t with 95 % confidence it needs r with t^r ≤ 0.05."""
    needed = next(r for r in range(1, 100) if 0.8**r <= 0.05)
    fewer = sum(sum(marks) < needed for marks in flags.values())
    assert f"it needs {needed} of them, and {fewer} of CSFCube's 33 queries" in text_of_page()


def test_the_forecast_expects_what_was_found(released):
    calibration = forecast_of(read_pairs(released)).calibration
    assert calibration.is_informative
    assert calibration.relevant == 335
    assert calibration.expected == pytest.approx(335, rel=0.02)
    for part in calibration.bins:
        half = 2.5 * (part.predicted * (1 - part.predicted) / part.pairs) ** 0.5
        assert abs(part.observed - part.predicted) < half

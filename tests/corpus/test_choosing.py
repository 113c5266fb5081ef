"""Even choices of queries, beside all choices there are and beside the one that CSFCube's authors made."""

from __future__ import annotations

import csv
import random
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import product

import pytest

from corpus.choosing import Paper, suggest
from tests.real_data import SHARED
from web.errors import BadInput

CSFCUBE = SHARED / "csfcube"


def distance(papers, choice):
    """From even shares of the periods, types and facets that there are, squared and summed."""
    chosen = [(paper.period, paper.type, facet) for paper in papers for facet in choice.get(paper.docno, ())]
    there = [(paper.period, paper.type, facet) for paper in papers for facet in {*paper.ratings, *paper.asked}]
    total = Fraction(0)
    for place in range(3):
        numbers = Counter(each[place] for each in chosen)
        values = {each[place] for each in there}
        total += sum((numbers[value] - Fraction(len(chosen), len(values))) ** 2 for value in values)
    return total


def all_choices(papers, queries, from_papers):
    """By brute force, without any function of the product."""
    for sets in product(*(subsets(paper) for paper in papers)):
        choice = {paper.docno: facets for paper, facets in zip(papers, sets, strict=True) if facets}
        if sum(map(len, choice.values())) == queries and from_papers in (None, len(choice)):
            yield choice


def subsets(paper):
    facets = sorted({*paper.ratings, *paper.asked})
    found = [
        tuple(facet for place, facet in enumerate(facets) if number >> place & 1) for number in range(2 ** len(facets))
    ]
    return [each for each in found if {*paper.asked} <= {*each} and len(each) <= max(2, len(paper.asked))]


def some_papers(rng):
    papers = []
    for number in range(rng.randint(1, 6)):
        ratings = {facet: rng.choice([3, 3.5, 5]) for facet in "bmr" if rng.random() < 0.6}
        asked = tuple(facet for facet in "bmr" if rng.random() < 0.12)
        if ratings or asked:
            papers.append(Paper(f"d{number}", rng.choice("12"), rng.choice("xyz"), ratings, asked))
    return papers


@pytest.mark.parametrize("seed", range(60))
def test_no_choice_is_more_even(seed):
    rng = random.Random(seed)
    papers = some_papers(rng)
    queries, from_papers = rng.randint(1, 8), rng.choice([None, None, rng.randint(1, 5)])
    possible = [(distance(papers, choice), -len(choice)) for choice in all_choices(papers, queries, from_papers)]
    if not possible:
        with pytest.raises(BadInput):
            suggest(papers, queries=queries, from_papers=from_papers, seed="s")
        return
    choice = suggest(papers, queries=queries, from_papers=from_papers, seed="s")
    assert choice in list(all_choices(papers, queries, from_papers))
    assert (distance(papers, choice), -len(choice)) == min(possible)


def test_periods_and_types_are_combined_evenly():
    """Two of old theory and two of new tools would have even margins, too."""
    papers = [Paper(f"{p}{t}{n}", p, t, {"m": 3}) for p in ("old", "new") for t in ("theory", "tool") for n in range(4)]
    choice = suggest(papers, queries=4, seed="s")
    assert len({docno[:-1] for docno in choice}) == 4


def test_of_papers_that_count_alike_the_better_rated_come_first_and_then_the_seed_decides():
    papers = [Paper(f"d{number}", "p", "t", {"m": 4 if number < 6 else 3}) for number in range(12)]
    found = {tuple(sorted(suggest(papers, queries=3, seed=str(seed)))) for seed in range(10)}
    assert len(found) > 3
    assert all(docno < "d6" for choice in found for docno in choice)
    assert suggest(papers, queries=3, seed="s") == suggest(papers[::-1], queries=3, seed="s")


@pytest.mark.csfcube
@pytest.mark.skipif(not CSFCUBE.exists(), reason="The CSFCube release is not here.")
def test_a_suggestion_is_more_even_than_csfcubes_own_choice():
    """34 papers, 50 queries, so 16 papers under two facets; as if each paper could be asked about anything."""
    published, about = defaultdict(tuple), {}
    with (CSFCUBE / "queries-release.csv").open() as file:
        for row in csv.DictReader(file):
            published[row["pid"]] += (row["facet"],)
            about[row["pid"]] = (f"{int(row['year']) // 5}", row["paper type"])
    facets = {facet: 3 for each in published.values() for facet in each}
    papers = [Paper(docno, *about[docno], facets) for docno in published]
    choice = suggest(papers, queries=50, from_papers=34, seed="s")
    assert (len(choice), sum(len(each) == 2 for each in choice.values())) == (34, 16)
    assert distance(papers, choice) < distance(papers, published)
    own = [paper._replace(ratings=dict.fromkeys(published[paper.docno], 3)) for paper in papers]
    assert {docno: set(each) for docno, each in suggest(own, queries=50, seed="s").items()} == {
        docno: set(each) for docno, each in published.items()
    }

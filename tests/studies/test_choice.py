from collections import Counter

from studies.choice import StudyCandidate, choose_pairs

FACETS = ("background", "method", "result")
TYPES = ("tool", "empirical", "resource", "theory")


def a_pool_of_queries() -> list[StudyCandidate]:
    """16 query papers of 4 types under 3 facets each; 10 candidates, few of them graded high."""
    return [
        StudyCandidate(
            pair=pair + 10 * (query + 16 * place),
            query=f"q{query}_{facet}",
            facet=facet,
            paper=f"q{query}",
            paper_type=TYPES[query % 4],
            docno=f"d{pair}",
            label=(0, 0, 0, 0, 0, 1, 1, 2, 2, 3)[pair],
        )
        for place, facet in enumerate(FACETS)
        for query in range(16)
        for pair in range(10)
    ]


def chosen(candidates=None, **changes):
    arguments = {"seed": "seed", "name": "texts", "queries": 9, "per_query": 5}
    return choose_pairs(candidates or a_pool_of_queries(), **arguments | changes)


def test_queries_spread_over_facets_types_and_papers_and_pairs_over_grades():
    pairs = chosen().pairs
    firsts = {pair.query: pair for pair in pairs}.values()

    assert Counter(pair.facet for pair in firsts) == dict.fromkeys(FACETS, 3)
    assert sorted(Counter(pair.paper_type for pair in firsts).values()) == [2, 2, 2, 3]
    assert len({pair.paper for pair in firsts}) == 9
    for first in firsts:
        grades = Counter(pair.label for pair in pairs if pair.query == first.query)
        assert sorted(grades.values()) == [1, 1, 1, 2]
        assert grades[3] == 1  # there is no second one
    totals = Counter(pair.label for pair in pairs)
    assert max(totals[0], totals[1], totals[2]) - min(totals[0], totals[1], totals[2]) <= 1


def test_the_same_seed_and_name_choose_the_same_pairs_in_the_same_order():
    reordered = a_pool_of_queries()[::-1]

    assert chosen(reordered) == chosen()
    assert chosen(name="other").pairs != chosen().pairs
    assert chosen(seed="other").pairs != chosen().pairs


def test_the_rater_finishes_a_query_before_the_next_begins():
    queries = [pair.query for pair in chosen().pairs]

    assert queries == sorted(queries, key=queries.index)


def test_listed_queries_are_taken_and_queries_with_too_few_pairs_are_not():
    named = ["q3_method", "q4_method"]
    few = [pair for pair in a_pool_of_queries() if pair.query != "q3_method" or pair.label]

    assert {pair.query for pair in chosen(named=named).pairs} == set(named)
    assert chosen(few, named=named, per_query=6).queries == 1
    assert chosen(few, per_query=6).too_few == ("q3_method",)

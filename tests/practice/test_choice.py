from practice.choice import queries_by_paper, spread_candidates

POOL = [f"d{place:02}" for place in range(20)]


def test_candidates_come_from_all_parts_of_the_pool():
    chosen = spread_candidates(POOL, 5, seed="seed", query="q")

    assert [POOL.index(docno) // 4 for docno in chosen] == [0, 1, 2, 3, 4]
    assert chosen != spread_candidates(POOL, 5, seed="other", query="q")
    assert chosen == spread_candidates(POOL, 5, seed="seed", query="q")


def test_a_small_pool_is_taken_whole():
    assert spread_candidates(POOL[:3], 5, seed="seed", query="q") == POOL[:3]
    assert spread_candidates(POOL[:7], 6, seed="seed", query="q") != POOL[:6]


def test_the_queries_of_a_paper_stay_together():
    queries = [(f"q{paper}_{facet}", f"q{paper}") for facet in "ab" for paper in range(9)]

    ordered = queries_by_paper(queries, seed="seed")

    assert sorted(ordered) == sorted(name for name, _ in queries)
    assert [name[:2] for name in ordered[::2]] == [name[:2] for name in ordered[1::2]]
    assert ordered != sorted(ordered)

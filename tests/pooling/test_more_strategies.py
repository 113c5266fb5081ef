"""Every strategy of the registry: examples worked by hand, and the laws that hold for all."""

import hashlib
import math
from collections import Counter
from fractions import Fraction
from itertools import pairwise, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from corpus.ordering import shuffled
from pooling.strategies import (
    BUDGET,
    STRATEGIES,
    Entry,
    StrategyError,
    contributions,
    draw,
    pool,
    strategy,
)
from pooling.strategies.depths import depth_k, take_b
from pooling.strategies.fusion import combmnz, rbp, rrf
from pooling.strategies.mdcr import choose_models, jaccard_matrix
from pooling.strategies.sampling import stratified, uniform
from retrieval.formats import Scored
from web.errors import UserFacingError

X = [Scored("a", 9.0), Scored("b", 7.0), Scored("c", 6.0), Scored("d", 5.0)]
Y = [Scored("b", 0.9), Scored("e", 0.8), Scored("a", 0.1)]
RANKINGS = {"x": X, "y": Y}
FUSIONS = ("rrf", "combmnz", "rbp")


def seed_for(order):
    """A seed that gives this order, so that the examples below can be followed by eye."""
    for number in range(1000):
        if shuffled(order, seed=str(number), purpose="retriever-order", query="Q") == order:
            return str(number)
    raise AssertionError(order)


SEED = seed_for(["y", "x"])


def by_hand(name, forced=None, rankings=RANKINGS, excluded=(), **parameters):
    return pool(name, parameters, rankings, forced or {}, SEED, "Q", excluded)


def docnos(drawn):
    return [entry.docno for entry in drawn.entries]


# Examples.


@pytest.mark.parametrize("mode", ["interleaved", "sequential"])
def test_take_n_through_the_registry_is_the_same_pool(mode):
    names = {name: [scored.docno for scored in ranking] for name, ranking in RANKINGS.items()}
    assert by_hand(mode, {"cited": ["c"]}, n=2) == draw(mode, names, {"cited": ["c"]}, 2, SEED, "Q")


def test_depth_k_is_the_union_of_the_tops_by_best_rank():
    drawn = by_hand("depth_k", {"cited": ["e"]}, k=2)
    assert drawn.entries == (
        Entry("e", "cited", 1, None),
        Entry("b", "y", 2, 1),  # y before x at the same rank
        Entry("a", "x", 3, 1),
    )
    assert (drawn.depth, drawn.shortfall) == ({"y": 1, "x": 1}, {"y": 0, "x": 0})


def test_depth_k_says_how_many_ranks_a_list_lacks():
    assert by_hand("depth_k", k=5).shortfall == {"y": 2, "x": 1}


def test_take_b_ends_in_the_middle_of_a_rank():
    drawn = by_hand("take_b", size=3)
    assert drawn.entries == (Entry("b", "y", 1, 1), Entry("a", "x", 2, 1), Entry("e", "y", 3, 2))
    assert drawn.shortfall == {}


def test_the_budget_is_beside_the_forced_documents_and_what_it_lacks_is_said():
    drawn = by_hand("take_b", {"cited": ["m", "b"]}, size=6)
    assert docnos(drawn) == ["m", "b", "a", "e", "c", "d"]
    assert drawn.shortfall == {BUDGET: 2}


def test_rrf_adds_up_reciprocal_ranks():
    fused = rrf([X, Y])
    assert fused == {
        "a": math.fsum([1 / 61, 1 / 63]),
        "b": math.fsum([1 / 62, 1 / 61]),
        "c": 1 / 63,
        "d": 1 / 64,
        "e": 1 / 62,
    }
    assert docnos(by_hand("rrf", size=4)) == ["b", "a", "e", "c"]


def test_the_drawer_of_a_fused_document_is_the_retriever_that_has_it_highest():
    drawn = by_hand("rrf", size=5)
    assert [(entry.docno, entry.drawer, entry.rank_of_drawer) for entry in drawn.entries] == [
        ("b", "y", 1),
        ("a", "x", 1),
        ("e", "y", 2),
        ("c", "x", 3),
        ("d", "x", 4),
    ]
    tied = {"x": [Scored("a", 1.0)], "y": [Scored("a", 1.0)]}
    assert by_hand("rrf", rankings=tied, size=1).entries == (Entry("a", "y", 1, 1),)


def test_combmnz_multiplies_normalised_sums_by_the_number_of_lists():
    fused = combmnz([X, Y])
    # x: 1, 1/2, 1/4, 0 for a, b, c, d. y: 1, 7/8, 0 for b, e, a.
    assert fused == pytest.approx({"a": 2.0, "b": 3.0, "c": 0.25, "d": 0.0, "e": 0.875})
    assert docnos(by_hand("combmnz", size=5)) == ["b", "a", "e", "c", "d"]


def test_combmnz_gives_one_to_each_of_a_list_of_equal_scores():
    assert combmnz([[Scored("a", 3.0), Scored("b", 3.0)], [Scored("a", 1.0)]]) == {
        "a": 4.0,
        "b": 1.0,
    }


def test_rbp_adds_up_the_weights_of_ranks():
    fused = rbp([X, Y], 0.5)
    assert fused == {"a": 0.5 + 0.125, "b": 0.25 + 0.5, "c": 0.125, "d": 0.0625, "e": 0.25}
    assert docnos(by_hand("rbp", size=3, p=0.5)) == ["b", "a", "e"]


def test_equal_fused_scores_go_by_docno_descending():
    for first, second in ("ab", "ba"):
        rankings = {"x": [Scored(first, 1.0)], "y": [Scored(second, 1.0)]}
        for name in FUSIONS:
            assert docnos(by_hand(name, rankings=rankings, size=2)) == ["b", "a"]


def test_forced_documents_keep_their_ranks_in_the_lists_that_are_fused():
    drawn = by_hand("rrf", {"cited": ["b"]}, size=1)
    assert drawn.entries == (Entry("b", "cited", 1, None), Entry("a", "x", 2, 1))
    alone = by_hand("rrf", {"cited": ["b"]}, {"x": X, "y": [Scored("b", 1.0), Scored("c", 0.5)]})
    assert docnos(alone) == ["b", "c", "a", "d"]  # c: 1/63 + 1/62 against 1/61 of a


def test_fusion_reads_no_deeper_than_it_is_told():
    assert sorted(docnos(by_hand("rrf", size=9, depth=2))) == ["a", "b", "e"]


def test_a_uniform_sample_is_the_first_in_sha256_order():
    drawn = by_hand("uniform", {"cited": ["m"]}, size=3, depth=3)
    frame = ["a", "b", "c", "e"]
    expected = shuffled(frame, seed=SEED, purpose="uniform", query="Q")[:3]
    assert docnos(drawn) == ["m", *expected]
    assert drawn.inclusion == {"m": 1.0} | dict.fromkeys(expected, 0.75)


def test_a_larger_uniform_sample_holds_the_smaller():
    sizes = [docnos(by_hand("uniform", size=size, depth=9)) for size in range(1, 6)]
    for smaller, larger in pairwise(sizes):
        assert larger[: len(smaller)] == smaller


def test_strata_go_by_best_rank_and_each_has_its_rate():
    rankings = {"x": [Scored(f"{n:02}", -n) for n in range(1, 41)], "y": [Scored("03", 1.0)]}
    drawn = by_hand("stratified", rankings=rankings, bounds=[1, 10, 40], rates=[1, 0.5, 0.1])
    # 01 and 03 (best rank 1 in y); 4 of 02, 04 … 10, rounded up; 3 of the 30 from 11 on.
    strata = [docnos(drawn)[:2], docnos(drawn)[2:6], docnos(drawn)[6:]]
    assert sorted(strata[0]) == ["01", "03"]
    assert set(strata[1]) < {"02", "04", "05", "06", "07", "08", "09", "10"}
    assert len(strata[2]) == 3
    assert min(strata[2]) >= "11"
    assert [drawn.inclusion[stratum[0]] for stratum in strata] == [1.0, 0.5, 0.1]
    assert drawn.shortfall == {}


def test_a_rate_is_the_decimal_number_that_was_written():
    rankings = {"x": [Scored(f"{n:03}", -n) for n in range(100)]}
    drawn = by_hand("stratified", rankings=rankings, bounds=[100], rates=[0.07])
    assert len(drawn.entries) == 7  # 0.07 * 100 is 7.000000000000001 in binary


def test_a_stratum_with_documents_is_never_left_empty():
    drawn = by_hand("stratified", bounds=[4], rates=[0.001])
    assert len(drawn.entries) == 1
    assert set(drawn.inclusion.values()) == {0.2}


def test_mdcr_draws_n_of_each_top_without_the_known_positives():
    drawn = by_hand("mdcr", {"cited": ["b"]}, excluded=["c"], n=2, top=2)
    by_drawer = {name: [entry for entry in drawn.entries if entry.drawer == name] for name in "xy"}
    # y's top 2 without b are e and a; x's without b and c are a and d, of which a is drawn.
    assert {entry.docno for entry in by_drawer["y"]} == {"e", "a"}
    assert by_drawer["x"] == [Entry("d", "x", 4, 4)]
    assert drawn.shortfall == {"y": 0, "x": 1}


def test_mdcr_takes_the_first_neighbours_of_the_graph_in_their_order():
    neighbours = [Scored(docno, -rank) for rank, docno in enumerate("abcdefghij")]
    drawn = by_hand("mdcr", {"cited": ["b"]}, {"graph": neighbours}, excluded=["d"], n=4, top=4)
    # Not down to the top 4 only: what is known is passed over, until there are n.
    assert drawn.entries[1:] == (
        Entry("a", "graph", 2, 1),
        Entry("c", "graph", 3, 3),
        Entry("e", "graph", 4, 5),
        Entry("f", "graph", 5, 6),
    )


def test_mdcr_goes_on_down_the_graph_where_a_model_drew_its_neighbour_first():
    order = ["x", "graph.not_later"]
    seed = seed_for(order)
    rankings = {"x": X[:1], "graph.not_later": [Scored("a", 3.0), *Y[1:2], Scored("z", 0.1)]}
    drawn = pool("mdcr", {"n": 1, "top": 1}, rankings, {}, seed, "Q")
    assert drawn.entries == (Entry("a", "x", 1, 1), Entry("e", "graph.not_later", 2, 2))


def test_mdcr_draws_ten_of_the_best_two_hundred_unless_told_otherwise():
    assert strategy("mdcr").read({}) == {"n": 10, "top": 200}


def mdcr_by_definition(asked):
    """MDCR's draw by plain loops: the documents in the order in which they come in."""

    def digest(*parts):
        return hashlib.sha256("|".join(parts).encode()).hexdigest()

    seed, values = asked["seed"], asked["parameters"]
    positives, pooled = {"Q"}, []
    for source in sorted(asked["forced"]):
        for docno in asked["forced"][source]:
            if docno not in positives:
                positives.add(docno)
                pooled.append(docno)
    positives |= asked["excluded"]
    for name in sorted(
        asked["rankings"], key=lambda name: (digest(seed, "retriever-order", "Q", name), name)
    ):
        negatives = []
        for scored in asked["rankings"][name]:
            if scored.docno not in positives and scored.docno not in negatives:
                negatives.append(scored.docno)
        if name != "graph" and not name.startswith("graph."):
            negatives = sorted(
                negatives[: values["top"]],
                key=lambda docno: (digest(seed, f"top-of-{name}", "Q", docno), docno),
            )
        pooled += [docno for docno in negatives if docno not in pooled][: values["n"]]
    return pooled


def test_forced_documents_are_pooled_even_when_excluded():
    assert docnos(by_hand("take_b", {"cited": ["b"]}, excluded=["b", "a"], size=9)) == [
        "b", "e", "c", "d",
    ]  # fmt: skip


def test_the_query_paper_has_no_rank_in_a_fused_list():
    with_itself = {"x": [Scored("Q", 99.0), *X], "y": Y}
    for name in FUSIONS:
        assert docnos(by_hand(name, rankings=with_itself)) == docnos(by_hand(name))


# Parameters.


def test_every_default_is_a_value_that_the_parameter_would_read():
    for definition in STRATEGIES.values():
        assert definition.read({}) == {
            each.name: each.read(each.default) for each in definition.parameters
        }
        assert all(each.about.endswith(".") for each in definition.parameters)


def test_the_defaults_are_these():
    """Pinned: another default draws other pools from the same command."""
    defaults = {name: definition.read({}) for name, definition in STRATEGIES.items()}
    assert defaults == {
        "interleaved": {"n": 12},
        "sequential": {"n": 12},
        "depth_k": {"k": 25},
        "take_b": {"size": 60},
        "rrf": {"size": 60, "depth": 500, "k": 60.0},
        "combmnz": {"size": 60, "depth": 500},
        "rbp": {"size": 60, "depth": 500, "p": 0.8},
        "uniform": {"size": 60, "depth": 100},
        "stratified": {"bounds": (10, 30, 100), "rates": (1.0, 0.3, 0.1)},
        "mdcr": {"n": 10, "top": 200},
    }


def test_parameters_are_read_from_json_and_from_texts():
    read = strategy("stratified").read
    assert read({"bounds": "10, 50", "rates": "1,0.25"}) == {
        "bounds": (10, 50),
        "rates": (1.0, 0.25),
    }
    assert read({"bounds": [10, 50], "rates": [1, 0.25]}) == read(
        {"bounds": "10,50", "rates": "1,.25"}
    )
    assert strategy("depth_k").read({"k": "7"}) == strategy("depth_k").read({"k": 7.0}) == {"k": 7}


@pytest.mark.parametrize(
    ("name", "parameters", "problem", "parameter"),
    [
        (
            "roundrobin",
            {},
            "Unknown strategy 'roundrobin'. Use one of: interleaved, sequential",
            None,
        ),
        ("depth_k", {"n": 1}, "depth_k has no parameter 'n'. Use k", "n"),
        ("depth_k", {"k": 0}, "k must be a whole number, at least 1, got 0", "k"),
        ("depth_k", {"k": "many"}, "k must be a whole number, at least 1, got 'many'", "k"),
        ("depth_k", {"k": 1.5}, "k must be a whole number, at least 1, got 1.5", "k"),
        ("depth_k", {"k": True}, "got True", "k"),
        ("depth_k", {"k": None}, "got None", "k"),
        ("rrf", {"k": -1}, "k must be a number, at least 0, got -1", "k"),
        ("rrf", {"k": "nan"}, "got 'nan'", "k"),
        ("rbp", {"p": 1.5}, "p must be a number, from 0 to 1, got 1.5", "p"),
        ("rbp", {"p": 1}, "rbp: p must be above 0 and below 1, got 1.0", None),
        (
            "stratified",
            {"rates": ""},
            "rates must be numbers separated by commas, each from 0 to 1, got ''",
            "rates",
        ),
        ("stratified", {"bounds": [3]}, "1 bounds and 3 rates", None),
        (
            "stratified",
            {"bounds": [3, 3, 4]},
            "bounds must be ascending ranks, at least 1, got 3, 3, 4",
            None,
        ),
        ("stratified", {"rates": [1, 1, 0]}, "at most 1, got 0.0", None),
        ("mdcr", {"n": 9, "top": 5}, "from 1 to top (5), got 9", None),
    ],
)
def test_what_a_strategy_cannot_work_with_is_refused(name, parameters, problem, parameter):
    with pytest.raises(StrategyError) as refused:
        by_hand(name, **parameters)
    assert problem in str(refused.value)
    assert refused.value.parameter == parameter
    assert isinstance(refused.value, UserFacingError)


@pytest.mark.parametrize("name", STRATEGIES)
def test_a_source_is_never_both_forced_and_drawn_from(name):
    with pytest.raises(ValueError, match="both forced and a retriever, got x"):
        by_hand(name, {"x": ["c"]})


@pytest.mark.parametrize(("strategy", "limit"), [(depth_k, "k"), (take_b, "size")])
def test_a_limit_that_leaves_no_room_for_a_document_is_refused(strategy, limit):
    """Forms and plans are checked before; this is for who calls the function itself."""
    with pytest.raises(ValueError, match="must be at least 1, got 0"):
        strategy(RANKINGS, {}, **{limit: 0}, seed=SEED, query_paper="Q")
    assert docnos(strategy(RANKINGS, {}, **{limit: 1}, seed=SEED, query_paper="Q"))


@pytest.mark.parametrize(("size", "depth"), [(0, 3), (3, 0)])
def test_a_uniform_sample_without_room_for_a_document_is_refused(size, depth):
    with pytest.raises(ValueError, match=f"at least 1, got {size} and {depth}"):
        uniform(RANKINGS, {}, size=size, depth=depth, seed=SEED, query_paper="Q")


def test_reciprocal_ranks_are_summed_with_a_k_of_zero():
    assert rrf([X], k=0)[X[0].docno] == 1.0


def test_a_rate_above_one_is_refused_by_the_function_itself():
    with pytest.raises(ValueError, match=r"got 1\.5"):
        stratified(RANKINGS, {}, bounds=[2, 4], rates=[1, 1.5], seed=SEED, query_paper="Q")


def test_overlap_is_not_measured_above_the_first_rank():
    with pytest.raises(ValueError, match="depth must be at least 1, got 0"):
        jaccard_matrix({"x": {"Q": ["a"]}}, depth=0)


def test_a_query_paper_with_one_empty_list_counts_as_no_overlap():
    matrix = jaccard_matrix({"x": {"Q": ["a"], "R": ["b"]}, "y": {"Q": ["a"]}}, depth=1)

    assert matrix.values == ((1.0, 0.5), (0.5, 1.0))


def test_an_undefined_overlap_is_left_out_of_the_mean():
    matrix = jaccard_matrix({"empty": {}, "none": {}, "x": {"Q": ["a"]}}, depth=1)

    assert matrix.of("empty", "none") is None
    assert matrix.mean("empty") == 0.0


@pytest.mark.parametrize("count", [0, 3])
def test_as_many_models_can_be_chosen_as_there_are_and_at_least_one(count):
    matrix = jaccard_matrix({"x": {"Q": ["a"]}, "y": {"Q": ["b"]}}, depth=1)

    with pytest.raises(ValueError, match=f"must be from 1 to 2 models, got {count}"):
        choose_models(matrix, count)
    assert choose_models(matrix, 1) == ["x"]
    assert choose_models(matrix, 2) == ["x", "y"]


# Laws.

ids = st.lists(st.sampled_from("Qabcdefghijkl"), max_size=14)  # with repetitions


ALL = sorted(STRATEGIES)


@st.composite
def pools_asked_for(draw, strategies=ALL):
    runs = ["r1", "r2", "r3", "graph", "graph.not_later"]
    lists = draw(st.dictionaries(st.sampled_from(runs), ids))
    steps = draw(st.lists(st.integers(0, 3), min_size=14, max_size=14))
    rankings = {
        name: [Scored(docno, -float(sum(steps[:at]))) for at, docno in enumerate(ranking)]
        for name, ranking in lists.items()
    }
    name = draw(st.sampled_from(strategies))
    small = st.integers(1, 8)
    bounds = sorted(draw(st.sets(st.integers(1, 12), min_size=1, max_size=3)))
    n = draw(small)
    values = {
        "n": n,
        "k": draw(small),
        "size": draw(small),
        "depth": draw(small),
        "p": draw(st.sampled_from([0.2, 0.5, 0.95])),
        "top": n + draw(st.integers(0, 5)),
        "bounds": bounds,
        "rates": [draw(st.sampled_from([0.01, 0.3, 1.0])) for _ in bounds],
    }
    return {
        "name": name,
        "parameters": {each.name: values[each.name] for each in STRATEGIES[name].parameters},
        "rankings": rankings,
        "forced": draw(st.dictionaries(st.sampled_from(["cited", "seeds"]), ids)),
        "seed": draw(st.text(max_size=3)),
        "query_paper": "Q",
        "excluded": draw(st.sets(st.sampled_from("abcxyz"), max_size=3)),
    }


def whole(asked):
    return {docno for docnos in asked["forced"].values() for docno in docnos} - {"Q"}


def drawable(asked, depth=None):
    reached = {scored.docno for ranking in asked["rankings"].values() for scored in ranking[:depth]}
    return reached - whole(asked) - asked["excluded"] - {"Q"}


def size_of(asked):
    """How many documents the strategy must draw beside the forced ones, by its definition."""
    values, lists = asked["parameters"], asked["rankings"]
    match asked["name"]:
        case "depth_k":
            return len(drawable(asked, values["k"]))
        case "stratified":
            total = 0
            for before, last, rate in zip(
                [0, *values["bounds"]], values["bounds"], values["rates"], strict=False
            ):
                stratum = drawable(asked, last) - drawable(asked, before)
                total += math.ceil(Fraction(str(rate)) * len(stratum))
            return total
        case "interleaved" | "sequential" | "mdcr":
            return values["n"] * len(lists) - sum(pool(**asked).shortfall.values())
        case _:  # a budget
            return min(values["size"], len(drawable(asked, values.get("depth"))))


@given(pools_asked_for(strategies=["mdcr"]))
@settings(max_examples=100)
def test_mdcr_agrees_with_its_definition_by_loops(asked):
    assert docnos(pool(**asked)) == mdcr_by_definition(asked)


@given(pools_asked_for())
@settings(max_examples=100)
def test_a_pool_has_its_size_forced_documents_first_and_none_twice_or_excluded(asked):
    entries = pool(**asked).entries
    assert len(entries) == len(whole(asked)) + size_of(asked)

    assert [entry.sequence for entry in entries] == list(range(1, len(entries) + 1))
    forced = [entry for entry in entries if entry.drawer in asked["forced"]]
    assert list(entries[: len(forced)]) == forced
    assert {entry.docno for entry in forced} == whole(asked)

    pooled = [entry.docno for entry in entries]
    assert len(set(pooled)) == len(pooled)
    assert "Q" not in pooled
    assert not (set(pooled) - whole(asked)) & asked["excluded"]


@given(pools_asked_for())
@settings(max_examples=100)
def test_every_drawer_has_the_document_at_the_rank_it_is_said_to(asked):
    drawn = pool(**asked)
    for entry in drawn.entries:
        if entry.rank_of_drawer is None:
            assert entry.docno in asked["forced"][entry.drawer]
        else:
            at = asked["rankings"][entry.drawer][entry.rank_of_drawer - 1]
            assert at.docno == entry.docno
            assert entry.rank_of_drawer <= drawn.depth[entry.drawer]
    deepest = dict.fromkeys(asked["rankings"], 0)
    for entry in drawn.entries:
        if entry.rank_of_drawer:
            deepest[entry.drawer] = max(deepest[entry.drawer], entry.rank_of_drawer)
    assert drawn.depth == deepest


@given(pools_asked_for())
@settings(max_examples=100)
def test_a_pool_that_goes_by_best_rank_names_the_best_ranked_retriever(asked):
    if asked["name"] in ("interleaved", "sequential", "mdcr"):
        return
    drawn = pool(**asked)
    turn = {name: place for place, name in enumerate(drawn.order)}
    for entry in drawn.entries:
        if entry.rank_of_drawer is not None:
            having = [
                ([scored.docno for scored in ranking].index(entry.docno) + 1, turn[name])
                for name, ranking in asked["rankings"].items()
                if entry.docno in {scored.docno for scored in ranking}
            ]
            assert min(having) == (entry.rank_of_drawer, turn[entry.drawer])


@given(pools_asked_for())
@settings(max_examples=100)
def test_a_shortfall_is_what_the_lists_could_not_give(asked):
    drawn = pool(**asked)
    entries = [entry for entry in drawn.entries if entry.drawer not in asked["forced"]]
    values, missing = asked["parameters"], drawn.shortfall
    if "size" in values:
        assert missing.get(BUDGET, 0) == values["size"] - len(entries)
        assert missing.keys() <= {BUDGET}
    elif asked["name"] == "depth_k":
        for name, ranking in asked["rankings"].items():
            assert missing[name] == max(0, values["k"] - len(ranking))
    elif asked["name"] == "stratified":
        assert missing == {}
    else:
        counts = Counter(entry.drawer for entry in entries)
        for name in asked["rankings"]:
            assert counts[name] + missing[name] == values["n"]


@given(data=st.data(), asked=pools_asked_for())
@settings(max_examples=100)
def test_the_order_of_the_mappings_does_not_matter(data, asked):
    turned = {
        **asked,
        "rankings": dict(data.draw(st.permutations(list(asked["rankings"].items())))),
        "forced": dict(data.draw(st.permutations(list(asked["forced"].items())))),
    }
    first, second = pool(**asked), pool(**turned)
    assert first == second
    assert repr(first) == repr(second)  # the very same numbers


@given(pools_asked_for())
@settings(max_examples=100)
def test_every_pooled_document_has_exactly_one_drawn_contribution(asked):
    drawn = pool(**asked)
    every = list(contributions(drawn, asked["rankings"], asked["forced"]))
    assert {
        (contribution.docno, contribution.source, contribution.rank)
        for contribution in every
        if contribution.drawn
    } == {(entry.docno, entry.drawer, entry.rank_of_drawer) for entry in drawn.entries}


@given(pools_asked_for())
@settings(max_examples=100)
def test_a_sample_says_how_likely_each_document_was(asked):
    drawn = pool(**asked)
    if not STRATEGIES[asked["name"]].samples:
        assert drawn.inclusion is None
        return
    assert drawn.inclusion.keys() == set(docnos(drawn))
    assert all(0 < chance <= 1 for chance in drawn.inclusion.values())
    assert all(drawn.inclusion[docno] == 1 for docno in whole(asked))
    # Summed over the sample, 1/π is the size of the deep pool, in every single sample.
    depth = asked["parameters"].get("depth") or asked["parameters"]["bounds"][-1]
    total = math.fsum(1 / chance for chance in drawn.inclusion.values())
    assert total == pytest.approx(len(whole(asked)) + len(drawable(asked, depth)))


GRADES = {"a": 3, "b": 0, "c": 2, "d": 0, "e": 1}
STRATA = {"bounds": (2, 4), "rates": (0.5, 0.34)}


def estimate(drawn):
    """Horvitz and Thompson's estimate of the sum of all grades in the deep pool."""
    return sum(
        GRADES[docno] / Fraction(chance).limit_denominator(100)
        for docno, chance in drawn.inclusion.items()
    )


@pytest.mark.parametrize(
    ("name", "parameters", "samples"),
    # C(5, 2) samples; C(3, 2) of a, b and e (best ranks 1, 1, 2), times 2 of c and d.
    [("uniform", {"size": 2, "depth": 4}, 10), ("stratified", STRATA, 6)],
)
def test_the_estimate_from_all_equally_likely_samples_is_the_true_total(name, parameters, samples):
    """Exhaustive: every sample that can come comes, each as often as the next, and their mean is
    the total without any error."""
    drawn = [pool(name, parameters, RANKINGS, {}, str(seed), "Q") for seed in range(2000)]
    by_sample = {frozenset(sample.inclusion): sample for sample in drawn}
    assert len(by_sample) == samples
    assert sum(map(estimate, by_sample.values())) / samples == sum(GRADES.values())
    counts = Counter(frozenset(sample.inclusion) for sample in drawn)
    expected = 2000 / samples
    chi_squared = sum((count - expected) ** 2 / expected for count in counts.values())
    assert chi_squared < 27.9  # exceeded once in 1000 with the 9 degrees of freedom of 10 samples


def test_permuting_the_lists_of_equal_retrievers_changes_no_fused_score():
    lists = [[Scored(docno, 1 / (at + 3)) for at, docno in enumerate(ranking)] for ranking in
             ("abcd", "bdca", "dcab")]  # fmt: skip
    for fuse in (rrf, combmnz, lambda some: rbp(some, 0.3)):
        assert len({repr(sorted(fuse(some).items())) for some in permutations(lists)}) == 1

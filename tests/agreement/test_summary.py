"""What a summary is made of, what it leaves out, and the JSON it becomes."""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agreement.coefficients import (
    ALL_IDENTICAL,
    NO_PAIRS,
    REGISTRY,
    GradeError,
    Grades,
    Missing,
    alpha_ordinal,
    kappa,
    percent_agreement,
    spearman,
)
from agreement.summary import (
    STATISTICS_VERSION,
    FacetSummary,
    QuerySummary,
    RatedPair,
    ReportStage,
    Summary,
    as_json_dict,
    summarize,
)
from corpus.digests import canonical_json
from tests.support.agreement_by_pair import summarize_by_pair

# A connection that an earlier test left open is none of theirs.
pytestmark = pytest.mark.filterwarnings("error", "ignore::ResourceWarning")

FIRST = [0, 1, 2, 3, 0, 1]
SECOND = [0, 2, 2, 3, 1, 1]
FINAL = [0, 2, 2, 3, 0, 1]


def rate(
    first: Grades,
    second: Grades,
    final: Grades | None = None,
    query: str = "1_method",
    facet: str = "method",
) -> list[RatedPair]:
    finals = final or [None] * len(first)
    return [RatedPair(query, facet, *grades) for grades in zip(first, second, finals, strict=True)]


STAGES = (ReportStage.PRE, ReportStage.POST)  # without questions


def query_row(summary: Summary, stage: ReportStage, query: str = "1_method") -> QuerySummary:
    return next(row for row in summary.queries if (row.query, row.stage) == (query, stage))


def facet_row(summary: Summary, stage: ReportStage, facet: str = "method") -> FacetSummary:
    return next(row for row in summary.facets if (row.facet, row.stage) == (facet, stage))


# Stages


def test_pre_compares_slot_1_with_slot_2() -> None:
    row = query_row(summarize(rate(FIRST, SECOND, FINAL)), ReportStage.PRE)

    assert (row.n, row.missing) == (6, 0)
    assert row.coefficients["spearman"] == spearman(FIRST, SECOND)
    assert row.coefficients["alpha"] == alpha_ordinal(FIRST, SECOND)
    assert row.coefficients["kappa"] == kappa(FIRST, SECOND)
    assert row.coefficients["percent"] == percent_agreement(FIRST, SECOND)


def test_post_is_the_mean_of_each_slot_with_the_final_label() -> None:
    row = query_row(summarize(rate(FIRST, SECOND, FINAL)), ReportStage.POST)
    one, other = kappa(FIRST, FINAL).value, kappa(SECOND, FINAL).value

    assert one is not None
    assert other is not None
    assert row.coefficients["kappa"].value == (one + other) / 2
    assert row.coefficients["percent"].value == pytest.approx(100 * 5 / 6)


@pytest.mark.parametrize("slot", [1, 2])
def test_post_says_which_slot_makes_it_undefined(slot: int) -> None:
    constant = [0] * 6
    first, second = (constant, SECOND) if slot == 1 else (FIRST, constant)
    row = query_row(summarize(rate(first, second, FINAL)), ReportStage.POST)

    assert row.coefficients["spearman"].value is None
    assert (
        row.coefficients["spearman"].undefined
        == f"slot {slot} against the final label: constant rater"
    )


def test_post_names_both_slots_when_both_make_it_undefined() -> None:
    row = query_row(summarize(rate([0, 0], [0, 0], [0, 0])), ReportStage.POST)

    assert row.coefficients["kappa"].undefined == (
        f"both slots against the final label: {ALL_IDENTICAL}"
    )


def test_post_is_undefined_until_every_judged_pair_has_a_final_label() -> None:
    # The four agreed pairs have their label at once; alone they would show perfect agreement.
    waiting = [a if a == b else None for a, b in zip(FIRST, SECOND, strict=True)]
    summary = summarize(rate(FIRST, SECOND, waiting))
    row = query_row(summary, ReportStage.POST)

    assert (row.n, row.missing) == (4, 2)
    assert {item.undefined for item in row.coefficients.values()} == {
        "unfinished: 2 of 6 pairs have no final label"
    }
    assert set(facet_row(summary, ReportStage.POST).defined.values()) == {0}
    assert set(facet_row(summary, ReportStage.POST).median.values()) == {None}


def test_a_pair_set_aside_for_good_does_not_keep_its_query_unfinished() -> None:
    pairs = rate(FIRST, SECOND, FINAL)
    aside = RatedPair("1_method", "method", None, 2, None, set_aside=True)

    row = query_row(summarize([*pairs, aside]), ReportStage.POST)

    assert (row.n, row.missing) == (6, 1)
    assert row.coefficients == query_row(summarize(pairs), ReportStage.POST).coefficients


def test_an_unfinished_query_leaves_the_others_alone() -> None:
    finished = rate(FIRST, SECOND, FINAL, query="1_method")
    summary = summarize(finished + rate(FIRST, SECOND, query="2_method"))

    post = facet_row(summary, ReportStage.POST)
    assert (post.queries, post.defined["kappa"]) == (2, 1)
    assert post.median["kappa"] == query_row(summary, ReportStage.POST).coefficients["kappa"].value


# Missing judgments


def test_a_missing_judgment_takes_its_pair_out_of_all_three_comparisons() -> None:
    with_missing = rate([*FIRST, None], [*SECOND, 3], [*FINAL, 3])
    complete = rate(FIRST, SECOND, FINAL)

    for stage in STAGES:
        row = query_row(summarize(with_missing), stage)
        assert row.coefficients == query_row(summarize(complete), stage).coefficients
        assert (row.n, row.missing) == (6, 1)


def test_a_missing_judgment_counts_as_zero_when_asked() -> None:
    with_missing = rate([*FIRST, None], [*SECOND, 3], [*FINAL, 3])
    with_zero = rate([*FIRST, 0], [*SECOND, 3], [*FINAL, 3])

    for stage in STAGES:
        row = query_row(summarize(with_missing, Missing.ZERO), stage)
        assert row.coefficients == query_row(summarize(with_zero), stage).coefficients
        assert (row.n, row.missing) == (7, 1)


def test_a_missing_final_label_never_counts_as_zero() -> None:
    row = query_row(summarize(rate([0], [3], [None]), Missing.ZERO), ReportStage.POST)

    assert row.coefficients["percent"].value is None


def test_a_query_of_missing_judgments_only_has_no_pairs() -> None:
    row = query_row(summarize(rate([None, None], [0, 1], [0, 1])), ReportStage.PRE)

    assert {item.undefined for item in row.coefficients.values()} == {NO_PAIRS}


def test_a_pair_not_yet_judged_counts_nowhere_but_shows_its_query() -> None:
    half = RatedPair("1_method", "method", 3, None, judged=False)
    summary = summarize([half], Missing.ZERO)

    assert (query_row(summary, ReportStage.PRE).n, query_row(summary, ReportStage.PRE).missing) == (
        0,
        0,
    )
    assert facet_row(summary, ReportStage.PRE).pairs == 0
    assert facet_row(summary, ReportStage.PRE).queries == 1
    assert query_row(summary, ReportStage.PRE).coefficients["percent"].undefined == NO_PAIRS


def test_a_negative_grade_is_refused() -> None:
    with pytest.raises(GradeError):
        summarize(rate([-1], [0]))


# Facets


def test_the_median_is_over_queries_with_a_value_and_says_how_many() -> None:
    summary = summarize(
        rate([0, 1], [0, 1], query="1_method")
        + rate([0, 1, 2], [1, 0, 2], query="2_method")
        + rate([0, 0], [0, 0], query="3_method")
    )
    row = facet_row(summary, ReportStage.PRE)

    assert row.queries == 3
    assert (row.defined["spearman"], row.defined["kappa"], row.defined["percent"]) == (2, 2, 3)
    assert row.median["spearman"] == pytest.approx((1 + 0.5) / 2)
    assert row.median["percent"] == 100


def test_facets_come_in_the_callers_order_and_queries_by_id() -> None:
    pairs = (
        rate([0], [0], query="9_method", facet="method")
        + rate([0], [0], query="2_result", facet="result")
        + rate([0], [0], query="10_method", facet="method")
    )
    summary = summarize(pairs, facets=["background", "result"])

    assert [row.facet for row in summary.facets[::2]] == ["background", "result", "method"]
    assert [row.query for row in summary.queries[::2]] == ["2_result", "10_method", "9_method"]
    assert [row.stage for row in summary.queries[:2]] == [ReportStage.PRE, ReportStage.POST]


def test_a_facet_without_queries_has_a_row_without_numbers() -> None:
    row = summarize([], facets=["method"]).facets[0]

    assert (row.queries, row.pairs, row.overruled, row.overruled_mean) == (0, 0, None, None)
    assert set(row.median.values()) == {None}


def test_pairs_counts_every_judged_pair_whatever_the_policy_on_missing() -> None:
    pairs = rate([*FIRST, None], [*SECOND, 3])

    for policy in Missing:
        assert facet_row(summarize(pairs, policy), ReportStage.PRE).pairs == 7


def test_overruled_is_the_share_of_final_labels_that_are_neither_judgment() -> None:
    pairs = rate([0, 0, None, 3], [1, 2, 2, None], [1, 1, 2, None])

    for stage in STAGES:
        assert facet_row(summarize(pairs), stage).overruled == 1 / 3


def test_overruling_is_also_averaged_over_the_queries_that_have_final_labels() -> None:
    pairs = (
        rate([0], [1], [2], query="1_method")  # 1 of 1
        + rate([0, 0, 0, 3], [1, 2, 2, 3], [1, 1, 2, 3], query="2_method")  # 1 of 4
        + rate([0, 1], [1, 2], query="3_method")  # no label yet
    )
    for stage in STAGES:
        row = facet_row(summarize(pairs), stage)
        assert row.overruled == 2 / 5
        assert row.overruled_mean == (1 + 1 / 4) / 2


@given(pairs=st.deferred(lambda: rated_pairs))
def test_overruling_agrees_with_a_count_by_query(pairs: list[RatedPair]) -> None:
    labelled = [pair for pair in pairs if pair.judged and pair.final is not None]
    shares = []
    for query in {pair.query for pair in labelled}:
        own = [pair for pair in labelled if pair.query == query]
        overruled = [pair for pair in own if pair.final not in (pair.first, pair.second)]
        shares.append(Fraction(len(overruled), len(own)))

    for row in summarize(pairs).facets:
        expected = float(sum(shares) / len(shares)) if shares else None
        assert row.overruled_mean == (expected if expected is None else pytest.approx(expected))


def test_a_grade_for_a_pair_that_neither_could_judge_overrules_both() -> None:
    row = facet_row(summarize(rate([None], [None], [0])), ReportStage.POST)
    assert (row.overruled, row.overruled_mean) == (1, 1)


def test_overruled_is_unknown_without_final_labels() -> None:
    row = facet_row(summarize(rate(FIRST, SECOND)), ReportStage.POST)
    assert (row.overruled, row.overruled_mean) == (None, None)


graded = st.none() | st.integers(0, 3)
rated_pairs = st.lists(
    st.builds(
        RatedPair,
        query=st.sampled_from(["1_method", "2_method"]),
        facet=st.just("method"),
        first=graded,
        second=graded,
        final=graded,
        judged=st.booleans(),
    ),
    max_size=30,
)


@given(data=st.data(), pairs=rated_pairs, policy=st.sampled_from(Missing))
def test_the_order_of_the_pairs_changes_no_number(
    data: st.DataObject, pairs: list[RatedPair], policy: Missing
) -> None:
    shuffled = summarize(data.draw(st.permutations(pairs)), policy)
    summary = summarize(pairs, policy)

    for before, after in zip(summary.queries, shuffled.queries, strict=True):
        assert (before.query, before.stage, before.n, before.missing) == (
            after.query,
            after.stage,
            after.n,
            after.missing,
        )
        for key, a in before.coefficients.items():
            b = after.coefficients[key]
            assert a.undefined == b.undefined
            assert a.value == pytest.approx(b.value, abs=1e-12)


several_facets = st.lists(
    st.builds(
        lambda query, facet, *grades, **more: RatedPair(f"{query}_{facet}", facet, *grades, **more),
        st.sampled_from("123"),
        st.sampled_from(["method", "result"]),
        graded,
        graded,
        graded,
        judged=st.booleans(),
        set_aside=st.booleans(),
    ),
    max_size=120,
)


@given(pairs=several_facets, policy=st.sampled_from(Missing))
def test_every_number_is_that_of_the_plain_way_to_the_last_digit(
    pairs: list[RatedPair], policy: Missing
) -> None:
    facets = ["background", "result"]

    assert summarize(pairs, policy, facets) == summarize_by_pair(pairs, policy, facets)


def test_queries_of_many_pairs_have_the_same_digits_too() -> None:
    random = Random(8)
    scale = (0, 0, 0, 1, 1, 2, 3, None)
    for size in (66, 250, 1_000):
        pairs = [
            RatedPair("1_method", "method", first, random.choice((first, random.choice(scale))), 1)
            for first in random.choices(scale, k=size)
        ]
        for policy in Missing:
            assert summarize(pairs, policy) == summarize_by_pair(pairs, policy, [])


# JSON


PERFECT = {each.key: each.highest for each in REGISTRY}


def test_the_json_report_has_exactly_the_promised_keys() -> None:
    report = as_json_dict(
        "demo", Missing.ZERO, summarize(rate([0, 1], [0, 1], [0, 1]), Missing.ZERO)
    )

    assert report == {
        "statistics": STATISTICS_VERSION,
        "collection": "demo",
        "missing": "zero",
        "intervals": {"level": 0.95, "resamples": 2000, "seed": ""},
        "queries": [
            {
                "query": "1_method",
                "facet": "method",
                "stage": stage,
                "n": 2,
                "missing": 0,
                **PERFECT,
                "undefined": {},
            }
            for stage in ("pre", "post")
        ],
        "facets": [
            {
                "facet": "method",
                "stage": stage,
                "queries": 1,
                "pairs": 2,
                "median": PERFECT,
                "defined": dict.fromkeys(PERFECT, 1),
                "interval": dict.fromkeys(PERFECT),
                "overruled": 0,
                "overruled_mean": 0,
            }
            for stage in ("pre", "post")
        ],
    }


def test_undefined_numbers_are_null_with_their_reason() -> None:
    report = as_json_dict("demo", Missing.EXCLUDE, summarize(rate([0, 0], [0, 0])))
    pre = json.loads(json.dumps(report, allow_nan=False))["queries"][0]

    assert (pre["spearman"], pre["alpha"], pre["kappa"], pre["percent"]) == (None, None, None, 100)
    assert pre["undefined"] == {
        "spearman": "constant rater",
        "alpha": "all grades identical",
        "kappa": "all grades identical",
        "kendall": "constant rater",
        "kappa_linear": "all grades identical",
        "kappa_quadratic": "all grades identical",
    }


@given(pairs=rated_pairs, policy=st.sampled_from(Missing))
def test_every_report_is_strict_json(pairs: list[RatedPair], policy: Missing) -> None:
    report = as_json_dict("demo", policy, summarize(pairs, policy))

    assert json.loads(json.dumps(report, allow_nan=False)) == report


# The version of the statistics

# The report on VERSIONED, by version. A new digest needs a new version: stored reports of the old
# one would be read for ever otherwise.
DIGESTS = {5: "d57f0decdef6f27f5fc86b96a5d81575f398e55a462ea96ba81ac2109230075d"}
VERSIONED = (
    rate([0, 1, 2, 3, 3, 0], [0, 2, 2, 3, 1, None], [0, 1, 2, 3, 2, 0], query="1_method")
    + rate([1, 1, 1], [0, 1, 2], [0, 1, 3], query="2_method")
    + rate([2, 2], [2, 2], [2, 2], query="3_method")
    + rate([0, 3], [3, 0], query="4_method")
    + rate([None], [1], [1], query="5_result", facet="result")
)


def rounded(value: object) -> object:
    """The same report to 9 decimals: libraries may differ in the last digit."""
    if isinstance(value, dict):
        return {key: rounded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [rounded(item) for item in value]
    return f"{value + 0.0:.9f}" if isinstance(value, float) else value


def test_numbers_and_keys_that_change_have_a_new_version() -> None:
    reports = [
        as_json_dict("demo", policy, summarize(VERSIONED, policy, ["background"]))
        for policy in Missing
    ]
    digest = hashlib.sha256(canonical_json(rounded(reports))).hexdigest()

    assert digest == DIGESTS[STATISTICS_VERSION]

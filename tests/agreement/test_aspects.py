"""Agreement given the same aspect and given different ones, against brute force and simulation."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from django.urls import reverse
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest
from sklearn.metrics import cohen_kappa_score

from adjudication.standing import LabelledPair, PairWithJudges, Standing
from agreement.aspects.counts import AspectCounts, QueryAspects
from agreement.aspects.report import MEASURES, aspect_summary, queries_to_split
from agreement.coefficients import alpha_ordinal
from agreement.services import AgreementReport
from corpus.models import Query
from corpus.proportions import wilson
from corpus.resampling import draw
from corpus.scale import DEFAULT_SCALE
from reports.models import StoredReport
from reports.services import compute_report
from tests.support.aspects import an_asking_collection, an_open_query_with_aspects, mark, mark_both
from tests.support.visits import address, client_of, text_of
from tests.support.worlds import once_a_file

Marked = tuple[int, tuple[int, ...], int, tuple[int, ...]]  # grade and aspects of both


def row(query: str, marked: Marked, facet: str = "method") -> PairWithJudges:
    first, aspects, second, others = marked
    standing = Standing.AGREED if first == second else Standing.DUE
    pair = LabelledPair(query, facet, "d", standing, first, second, None)
    return PairWithJudges(pair, 1, 2, aspects, others)


def counted(pairs: dict[str, list[Marked]]) -> list[QueryAspects]:
    counts = AspectCounts()
    rows = [row(query, marked) for query, some in pairs.items() for marked in some]
    assert list(counts.reading(rows)) == rows
    return list(counts.queries.values())


def summary_of(pairs: dict[str, list[Marked]], seed: str = "s"):
    return aspect_summary(counted(pairs), ["method"], DEFAULT_SCALE, seed)


# Counts


def test_pairs_are_the_same_or_different_only_if_both_judges_marked():
    [query] = counted(
        {
            "q": [
                (2, (2,), 2, (2, 5)),  # the same
                (2, (2,), 1, (5,)),  # different, a disagreement
                (2, (2,), 2, (3,)),  # different
                (2, (2,), 1, ()),  # only one marked
                (2, (2,), 0, ()),
                (0, (), 0, ()),
            ]
        }
    )

    assert (query.graded, query.disagreements) == (6, 3)
    assert query.same == {(2, 2): 1}
    assert query.different == {(2, 1): 1, (2, 2): 1}
    assert query.numbers == {2: 1, 5: 1}


def test_a_pair_without_two_judgments_counts_nowhere():
    unjudged = LabelledPair("q", "method", "d", Standing.UNJUDGED, None, None, None)
    counts = AspectCounts()
    list(counts.reading([PairWithJudges(unjudged, None, None)]))

    assert counts.queries == {}


def test_a_pair_without_a_grade_is_not_compared():
    missing = LabelledPair("q", "method", "d", Standing.DUE, 2, None, None)
    counts = AspectCounts()
    list(counts.reading([PairWithJudges(missing, 1, 2, [2], ())]))

    [query] = counts.queries.values()
    assert (query.graded, query.disagreements) == (0, 0)


# Figures, against brute force

grades = st.integers(1, 3)
aspects = st.lists(st.sampled_from([2, 3, 5]), min_size=0, max_size=2, unique=True).map(tuple)
marked_pairs = st.tuples(grades, aspects, grades, aspects)


def brute_force(pairs: list[Marked], is_same: bool) -> dict[str, float | None]:
    chosen = [
        (first, second)
        for first, one, second, other in pairs
        if one and other and bool(set(one) & set(other)) == is_same
    ]
    if not chosen:
        return dict.fromkeys(MEASURES)
    first, second = map(list, zip(*chosen, strict=True))
    kappa = None
    if len({*first, *second}) > 1:
        kappa = cohen_kappa_score(first, second, weights="quadratic", labels=[0, 1, 2, 3])
    return {
        "percent": 100 * float(np.mean([a == b for a, b in chosen])),
        "alpha": alpha_ordinal(first, second).value,
        "kappa_quadratic": kappa,
        "mean_difference": float(np.mean([abs(a - b) for a, b in chosen])),
    }


@given(st.lists(marked_pairs, min_size=1, max_size=40))
def test_each_measure_is_that_of_the_pairs_alone(pairs):
    summary = summary_of({"q": pairs})
    expected = {name: brute_force(pairs, name == "same") for name in ("same", "different")}
    if not summary["facets"]:
        assert not any(one and other for _, one, _, other in pairs)
        return
    [facet] = summary["facets"]

    for key in MEASURES:
        for name in ("same", "different"):
            value = facet["measures"][key][name]["value"]
            assert value == (
                None if expected[name][key] is None else pytest.approx(expected[name][key])
            ), key
        both = [expected[name][key] for name in ("same", "different")]
        difference = facet["measures"][key]["difference"]["value"]
        assert difference == (None if None in both else pytest.approx(both[0] - both[1]))


def test_the_intervals_are_those_of_a_bootstrap_over_queries():
    chance = random.Random(7)
    pairs = {f"q{n:02}": some_pairs(chance, 30, 0.4) for n in range(12)}
    [facet] = summary_of(pairs)["facets"]
    names = list(pairs)
    estimates = []
    for block in draw(12, 12, "s|agreement-aspects|12"):
        for places in block:
            together = [pair for place in places for pair in pairs[names[place]]]
            of_same, of_different = (
                brute_force_percent(together, True),
                brute_force_percent(together, False),
            )
            estimates.append((of_same, of_different, of_same - of_different))
    found = facet["measures"]["percent"]

    for place, name in enumerate(("same", "different", "difference")):
        low, high = np.percentile([row[place] for row in estimates], [2.5, 97.5])
        assert found[name]["interval"] == pytest.approx((low, high))


def brute_force_percent(pairs: list[Marked], is_same: bool) -> float:
    equal = [
        first == second
        for first, one, second, other in pairs
        if one and other and bool(set(one) & set(other)) == is_same
    ]
    return 100 * sum(equal) / len(equal)


def test_fewer_than_ten_queries_have_no_intervals():
    chance = random.Random(7)
    [facet] = summary_of({f"q{n}": some_pairs(chance, 30, 0.4) for n in range(9)})["facets"]

    assert facet["measures"]["percent"]["same"]["interval"] is None
    assert facet["disagreements_share"]["interval"] is None
    assert facet["disagreements_share"]["value"] is not None


def test_several_facets_have_a_row_together():
    counts = AspectCounts()
    rows = [row("a", (1, (2,), 2, (3,)), "method"), row("b", (2, (2,), 2, (2,)), "result")]
    list(counts.reading(rows))
    summary = aspect_summary(
        counts.queries.values(), ["background", "method", "result"], DEFAULT_SCALE, "s"
    )

    assert [(each["facet"], each["queries"]) for each in summary["facets"]] == [
        *(("method", 1), ("result", 1), (None, 2))
    ]


# A team of judges of whom it is known how often they look at different sentences


def some_pairs(chance: random.Random, number: int, share_different: float) -> list[Marked]:
    """Each sentence of a candidate has a true grade. Judges err on it by at most one."""
    pairs = []
    for _ in range(number):
        truth = {sentence: chance.choice([1, 2, 3]) for sentence in (2, 3, 5)}
        one, other = chance.sample([2, 3, 5], 2)
        if chance.random() >= share_different:
            other = one
        pairs.append((graded(chance, truth[one]), (one,), graded(chance, truth[other]), (other,)))
    return pairs


def graded(chance: random.Random, truth: int) -> int:
    return min(3, max(1, truth + chance.choice([0, 0, 0, 0, 1, -1])))


# The exact figures of that team, from all its equally likely pairs of two graded sentences.
def expected_disagreement(*, same: bool) -> float:
    steps = [0, 0, 0, 0, 1, -1]
    truths = [(a, a) if same else (a, b) for a in (1, 2, 3) for b in (1, 2, 3)]
    unequal = [
        min(3, max(1, a + x)) != min(3, max(1, b + y))
        for a, b in truths
        for x in steps
        for y in steps
    ]
    return sum(unequal) / len(unequal)


@pytest.mark.parametrize("share", [0.15, 0.4, 0.7])
@pytest.mark.by_day(3)
def test_a_known_team_is_estimated_within_its_intervals_as_often_as_they_say(share):
    """95 of 100 teams on average; 88 or fewer of them happen once in 200 times."""
    if_same, if_different = (expected_disagreement(same=each) for each in (True, False))
    truth = {
        "pairs": share,
        "disagreements": share * if_different / (share * if_different + (1 - share) * if_same),
        "same": 100 * (1 - if_same),
        "different": 100 * (1 - if_different),
    }
    held: Counter[str] = Counter()
    for team in range(100):
        chance = random.Random(f"team {team} of {share}")
        pairs = {f"q{n:02}": some_pairs(chance, 25, share) for n in range(40)}
        [facet] = summary_of(pairs, seed=f"seed {team}")["facets"]
        percent = facet["measures"]["percent"]
        intervals = {
            "pairs": facet["pairs_share"],
            "disagreements": facet["disagreements_share"],
            "same": percent["same"],
            "different": percent["different"],
        }
        for name, figure in intervals.items():
            low, high = figure["interval"]
            held[name] += low <= truth[name] <= high

    assert min(held.values()) > 88, held


# Queries to split


def disagreeing(different: int, same: int) -> list[Marked]:
    return [(1, (2,), 3, (5,))] * different + [(1, (2,), 3, (2,))] * same


@pytest.mark.parametrize(
    ("different", "same", "is_proposed"),
    [(4, 0, False), (5, 0, True), (4, 1, True), (3, 2, False), (6, 4, False), (7, 3, True)],
)
def test_a_query_is_proposed_if_most_of_its_disagreements_are_about_different_aspects(
    different, same, is_proposed
):
    rows = queries_to_split(counted({"q": disagreeing(different, same)}))

    assert bool(rows) is is_proposed


def test_half_of_many_disagreements_is_not_most_of_them():
    assert queries_to_split(counted({"q": disagreeing(100, 100)})) == []
    assert queries_to_split(counted({"q": disagreeing(101, 100)})) != []


def test_agreements_about_different_aspects_do_not_propose_a_query():
    assert queries_to_split(counted({"q": [(2, (2,), 2, (5,))] * 50})) == []


def test_the_surest_query_comes_first_with_its_aspects():
    rows = queries_to_split(counted({"a": disagreeing(5, 1), "b": disagreeing(9, 0)}))

    assert [(each["query"], each["different"], each["disagreements"]) for each in rows] == [
        *(("b", 9, 9), ("a", 5, 6))
    ]
    assert rows[0]["aspects"] == [(2, 9), (5, 9)]


@given(st.integers(1, 400), st.data())
def test_the_wilson_interval_is_that_of_scipy(number, data):
    successes = data.draw(st.integers(0, number))
    expected = binomtest(successes, number).proportion_ci(0.95, method="wilson")

    assert wilson(successes, number) == pytest.approx((expected.low, expected.high), abs=1e-12)


# The report and the page

database = pytest.mark.django_db


@once_a_file
def collection():
    """Six pairs of a query: five disagreements about different sentences, one about the same."""
    collection = an_asking_collection(slug="small")
    opening = an_open_query_with_aspects(collection, size=7)
    for place, pair in enumerate(opening.query.pairs.order_by("token")):
        if place < 5:
            mark_both(pair, (3, [2]), (1, [5]))
        elif place == 5:
            mark_both(pair, (3, [3]), (2, [3]))
        else:
            mark_both(pair, (2, [2]), (0, []))
    compute_report(AgreementReport("exclude"), collection=collection)
    return collection


@database
def test_the_report_counts_the_marks_of_the_judged_pairs(collection):
    report = StoredReport.objects.get()
    [facet] = report.summary["aspects"]["facets"]

    assert (facet["graded"], facet["disagreements"]) == (7, 7)
    assert (facet["same"]["pairs"], facet["different"]["pairs"]) == (1, 5)
    assert facet["disagreements_share"]["value"] == pytest.approx(5 / 6)
    [row] = report.summary["aspects"]["split"]
    assert row["aspects"] == [[2, 5], [5, 5]]


@database
def test_other_marks_of_the_same_grades_are_another_report(collection):
    before = StoredReport.objects.get().digest
    opening = collection.queries.get().opening
    slot = opening.query.pairs.order_by("token").first().slots.get(number=1)
    mark(slot, 3, 3, supersedes=slot.judgment.key)
    after = compute_report(AgreementReport("exclude"), collection=collection)

    assert after.digest != before


@database
def test_a_collection_that_does_not_ask_has_nothing_about_aspects(collection):
    collection.marks_aspects = False
    collection.save()
    report = compute_report(AgreementReport("exclude"), collection=collection)
    admin = client_of("admin")

    assert report.summary["aspects"] == {"facets": [], "split": []}
    assert 'id="aspects"' not in admin.get(address("agreement")).content.decode()


@database
def test_the_page_shows_the_comparison_and_the_query_to_split(collection):
    page = " ".join(text_of(client_of("admin").get(address("agreement"))).split())

    assert "Both judges marked 6 of 7 graded pairs, and 6 of 7 disagreements." in page
    assert "Of these disagreements, <b>83.3 %</b> are about different aspects" in page
    assert "5 of 6 disagreements are about different aspects, at least 44 %" in page
    assert '2. Sentence 2 says b. <span class="quiet">Marked in 5 of them.</span>' in page


@database
def test_an_admin_splits_the_query_and_it_stays(collection):
    admin = client_of("admin")
    query = collection.queries.get()
    answer = admin.post(
        reverse("split-query", args=["small", query.name]),
        {"sentences": ["2", "5"]},
        follow=True,
    )

    made = Query.objects.filter(sentence_numbers__isnull=False).order_by("name")
    assert list(made.values_list("name", "sentence_numbers")) == [
        (f"{query.name}-2", [2]),
        (f"{query.name}-3", [5]),
    ]
    assert Query.objects.get(pk=query.pk).sentence_numbers is None
    assert "Added 2 queries" in text_of(answer)


@database
def test_a_query_is_split_once(collection):
    admin = client_of("admin")
    query = collection.queries.get()
    where = reverse("split-query", args=["small", query.name])
    for _ in range(2):
        answer = admin.post(where, {"sentences": ["2", "5"]}, follow=True)

    assert Query.objects.count() == 3
    assert "has a query already" in text_of(answer)


@database
@pytest.mark.parametrize(
    ("sentences", "problem"),
    [([], "Choose at least one sentence"), (["1"], "has no sentence 1"), (["99"], "no sentence")],
)
def test_only_sentences_of_the_query_get_a_query(collection, sentences, problem):
    query = collection.queries.get()
    answer = client_of("admin").post(
        reverse("split-query", args=["small", query.name]),
        {"sentences": sentences},
        follow=True,
    )

    assert problem in text_of(answer)
    assert Query.objects.count() == 1


def test_counter_of_two_queries_stays_apart():
    first, second = counted({"a": disagreeing(1, 0), "b": disagreeing(0, 1)})

    assert (first.different, second.different) == (Counter({(1, 3): 1}), Counter())

from agreement.coefficients import COEFFICIENTS, CrossTable
from studies.results import TwiceRatedPair, study_result


def rated(label, grade, *, facet="method", own=None, seconds=60.0, chosen=None, docno="d1"):
    chosen_label = label if chosen is None else chosen
    reason = "garbled" if grade is None else ""
    return TwiceRatedPair("q", facet, docno, chosen_label, label, own, True, grade, reason, seconds)


PAIRS = [
    rated(3, 3, own=3, seconds=600.0),
    rated(2, 1, own=1, seconds=120.0),
    rated(0, 0, facet="result", own=None, seconds=180.0),
    rated(1, 2, facet="result", seconds=None),
    rated(0, None, facet="result", seconds=60.0),
]


def test_the_numbers_are_the_coefficients_of_the_pairs_with_both_grades():
    result = study_result(PAIRS)
    table = CrossTable([((3, 3), 1), ((2, 1), 1), ((0, 0), 1), ((1, 2), 1)])

    everything, *facets = result.groups
    assert everything.labels.results == {
        coefficient.key: coefficient.function(table) for coefficient in COEFFICIENTS
    }
    assert (everything.labels.pairs, everything.labels.left_out) == (4, 1)
    assert everything.own.results["percent"].value == 100.0
    assert [group.facet for group in facets] == ["method", "result"]
    assert result.confusion == ((1, 0, 0, 0), (0, 0, 1, 0), (0, 1, 0, 0), (0, 0, 0, 1))
    assert (result.rated, result.ungraded, result.relabelled) == (5, 1, 0)


def test_minutes_are_of_the_timed_pairs():
    minutes = study_result(PAIRS).groups[0].minutes

    assert (minutes.timed, minutes.untimed) == (4, 1)
    assert (minutes.median, minutes.mean) == (2.5, 4.0)


def test_what_is_undefined_has_a_reason():
    constant = study_result([rated(1, 2), rated(1, 2)]).groups[0]

    assert constant.labels.results["spearman"].undefined == "constant rater"
    assert constant.own.results["percent"].undefined == "no pairs"
    assert study_result([rated(1, 2, seconds=None)]).groups[0].minutes.median is None


def test_changed_and_missing_labels_are_counted():
    result = study_result([rated(1, 1, chosen=2), rated(None, 1, chosen=2), rated(3, 3)])

    assert result.relabelled == 2
    assert result.groups[0].labels.left_out == 1

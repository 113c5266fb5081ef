import random

import pytest

from curation.screening_keys import assign_keys
from curation.strata import (
    NO_FIELD,
    NO_TEXT,
    NO_YEAR,
    OTHER_YEAR,
    Draw,
    Period,
    SampledDocument,
    SampleError,
    Stratification,
    cut_evenly,
    parse_periods,
)

HALVES = (Period(2000, 2004), Period(2005, 2009))
CORPUS = [
    SampledDocument(f"d{number:02}", True, 2000 + number % 10, ["NLP" if number % 3 else "IR"])
    for number in range(40)
]


def drawn(documents, by=("period", "field"), per_stratum=2, seed="seed", **options):
    draw = Draw(Stratification(by, periods=HALVES, **options), per_stratum, seed)
    for document in documents:
        draw.add(document, is_excluded=False)
    return draw


def test_years_are_cut_into_equal_periods():
    assert [str(period) for period in cut_evenly(Period(1995, 2019), 5)] == [
        "1995–1999",
        "2000–2004",
        "2005–2009",
        "2010–2014",
        "2015–2019",
    ]
    assert cut_evenly(Period(2000, 2010), 3) == (
        Period(2000, 2003),
        Period(2004, 2007),
        Period(2008, 2010),
    )


def test_periods_are_a_number_or_years():
    assert parse_periods("5") == 5
    assert parse_periods("2010–2014, 1995-1999,2020") == (
        Period(1995, 1999),
        Period(2010, 2014),
        Period(2020, 2020),
    )


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("0", "1 to 100, got 0"),
        ("early", 'Invalid years "early". Write them as 1995-1999.'),
        ("1999-1995", "1999 is after 1995"),
        ("1995-2000,2000-2004", "1995–2000 and 2000–2004 overlap"),
    ],
)
def test_invalid_periods_say_how_to_write_them(text, message):
    with pytest.raises(SampleError, match=message):
        parse_periods(text)


def test_too_many_periods_for_the_years_are_refused():
    with pytest.raises(SampleError, match="2000–2001 cannot be cut into 3 periods"):
        cut_evenly(Period(2000, 2001), 3)


def test_the_sample_follows_the_seed_and_not_the_order_of_documents():
    sample = list(drawn(CORPUS).papers())

    assert list(drawn(random.Random(1).sample(CORPUS, len(CORPUS))).papers()) == sample
    assert list(drawn(CORPUS, seed="other").papers()) != sample


def test_a_larger_sample_contains_the_smaller_one():
    small = set(drawn(CORPUS, per_stratum=2).papers())

    assert small < set(drawn(CORPUS, per_stratum=3).papers())


def test_every_round_of_the_screening_has_one_paper_of_each_stratum():
    strata = [values for _, values in drawn(CORPUS, per_stratum=3).papers()]

    rounds = [strata[start : start + 4] for start in (0, 4, 8)]
    assert all(len(set(each)) == 4 for each in rounds)
    assert len({tuple(each) for each in rounds}) > 1


def test_documents_left_out_are_counted_by_reason():
    documents = [
        *CORPUS,
        SampledDocument("t", False, 2001, ["IR"]),
        SampledDocument("y", True, None, ["IR"]),
        SampledDocument("o", True, 1950, ["IR"]),
        SampledDocument("f", True, 2001, []),
    ]
    assert drawn(documents).left_out == {NO_TEXT: 1, NO_YEAR: 1, OTHER_YEAR: 1, NO_FIELD: 1}


def test_every_combination_of_the_values_must_have_documents():
    draw = drawn([*CORPUS, SampledDocument("law", True, 2001, ["Law", "IR"])])

    with pytest.raises(SampleError, match=r"1 stratum has no document.*2005–2009 · Law"):
        draw.check()
    drawn([*CORPUS, SampledDocument("law", True, 2001, ["Law"])], fields=("IR", "NLP")).check()


def test_a_key_is_the_first_letter_if_no_other_choice_has_it():
    names = ["Background", "Method", "Result", "Application", "Resources", "Theory", "Überblick"]

    assert assign_keys(names) == ["b", "m", "r", "a", "e", "t", "l"]
    assert assign_keys(["Uno", "U"]) == ["o", "a"]

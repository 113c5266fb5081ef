import random

import pytest

from corpus.ordering import order_key
from curation.samples import strata
from curation.samples.strata import (
    NO_FIELD,
    NO_TEXT,
    NO_TYPE,
    NO_YEAR,
    OTHER_FIELD,
    OTHER_TYPE,
    OTHER_YEAR,
    Period,
    SampledDocument,
    SampleError,
    Stratification,
    StratifiedDraw,
    cut_evenly,
    parse_periods,
    parse_years,
    stratum_of,
)

HALVES = (Period(2000, 2004), Period(2005, 2009))
CORPUS = [
    SampledDocument(f"d{number:02}", True, 2000 + number % 10, ["NLP" if number % 3 else "IR"])
    for number in range(40)
]


def drawn(documents, by=("period", "field"), per_stratum=2, seed="seed", **options):
    draw = StratifiedDraw(Stratification(by, periods=HALVES, **options), per_stratum, seed)
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
    order = [values for _, values in drawn(CORPUS, per_stratum=3).papers()]

    rounds = [order[start : start + 4] for start in (0, 4, 8)]
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


def test_years_are_written_with_a_hyphen_or_a_dash():
    assert parse_years(" 1995 - 1999 ") == Period(1995, 1999)
    assert parse_years("2019") == Period(2019, 2019)
    assert (str(Period(1995, 1999)), str(Period(2019, 2019))) == ("1995–1999", "2019")
    for text in ("", "19", "1995-19", "x1995", "1995-1999-2000"):
        with pytest.raises(SampleError, match="Write them as 1995-1999"):
            parse_years(text)


def test_a_period_holds_its_first_and_last_year():
    period = Period(1995, 1999)

    assert [year in period for year in (1994, 1995, 1999, 2000)] == [False, True, True, False]
    assert "1995" not in period
    assert None not in period


def test_up_to_a_hundred_periods_are_a_number_and_four_digits_a_year():
    assert parse_periods(" 100 ") == 100
    assert parse_periods("1") == 1
    assert parse_periods("1000") == (Period(1000, 1000),)
    with pytest.raises(SampleError, match="1 to 100, got 101"):
        parse_periods("101")


def test_periods_may_follow_each_other_without_a_gap():
    assert parse_periods("2000-2004,1995-1999") == (Period(1995, 1999), Period(2000, 2004))
    with pytest.raises(SampleError, match="1995–1999 and 1999 overlap"):
        parse_periods("1999,1995-1999")


def test_as_many_periods_as_years_have_a_year_each():
    assert cut_evenly(Period(2000, 2002), 3) == tuple(Period(y, y) for y in (2000, 2001, 2002))


def values(by=(), year=2001, fields=("NLP",), kind=None, has_text=True, **options):
    document = SampledDocument("d", has_text, year, list(fields), kind)
    return Stratification(tuple(by), **options).values_of(document)


class TestAStratum:
    def test_a_document_has_the_values_in_the_order_of_the_plan(self):
        options = {"by": ("type", "field", "period"), "periods": HALVES, "kind": "survey"}

        assert values(**options) == ("survey", "NLP", "2000–2004")
        assert values(**options, fields=("IR", "NLP"))[1] == "IR"

    def test_years_count_only_if_the_plan_has_them(self):
        assert values(year=None) == ()
        assert values(["period"], year=None, periods=HALVES) == NO_YEAR
        assert values(year=None, years=Period(2000, 2004)) == NO_YEAR
        assert values(year=1999, years=Period(2000, 2004)) == OTHER_YEAR
        assert values(year=2000, years=Period(2000, 2004)) == ()
        assert values(["period"], year=1999, periods=HALVES) == OTHER_YEAR

    def test_the_text_counts_first(self):
        assert values(year=None, years=HALVES[0], has_text=False) == NO_TEXT

    def test_a_field_must_be_one_of_those_asked_for(self):
        stratification = Stratification(("field",), fields=("IR",))
        documents = [SampledDocument("d", True, None, fields) for fields in (["IR"], ["NLP"], [])]

        assert [stratification.values_of(each) for each in documents] == [
            ("IR",),
            OTHER_FIELD,
            NO_FIELD,
        ]

    def test_a_type_is_missing_or_excluded(self):
        assert values(["type"], kind="survey") == ("survey",)
        assert values(["type"], kind=None) == NO_TYPE
        assert values(["type"], kind="") == OTHER_TYPE

    def test_all_combinations_are_expected_of_given_and_of_seen_values(self):
        stratification = Stratification(("type", "period"), periods=HALVES)

        assert stratification.expected(iter([("b", "2000–2004"), ("a", "2000–2004")])) == [
            (kind, period) for kind in "ab" for period in ("2000–2004", "2005–2009")
        ]
        assert Stratification(("type",), types=("z", "y")).expected([]) == [("z",), ("y",)]
        assert Stratification(("field",), fields=("z", "y")).expected([("q",)]) == [("z",), ("y",)]
        assert Stratification(()).expected([]) == [()]


def test_the_sample_has_the_smallest_hashes_of_each_stratum():
    """Against sorting all documents by their hash."""
    for per_stratum in (1, 2, 5, 50):
        draw = drawn(CORPUS, per_stratum=per_stratum)
        expected = {}
        for document in CORPUS:
            expected.setdefault(draw.stratification.values_of(document), []).append(document.docno)
        sampled = {}
        for docno, stratum in draw.papers():
            sampled.setdefault(stratum, []).append(docno)
        for stratum, docnos in expected.items():
            key = "|".join(stratum)
            docnos.sort(key=lambda docno, key=key: int(order_key("seed", "sample", key, docno), 16))
            assert sampled[stratum] == docnos[:per_stratum]


def test_each_round_has_its_own_order_of_the_strata():
    order = [stratum for _, stratum in drawn(CORPUS, per_stratum=3).papers()]

    for place in range(3):
        some = order[4 * place : 4 * place + 4]
        assert some == sorted(
            some, key=lambda each: order_key("seed", "screening", str(place), "|".join(each))
        )


def test_excluded_documents_are_counted_and_not_sampled():
    draw = drawn(CORPUS[:8])
    draw.add(CORPUS[8], is_excluded=True)
    draw.add(SampledDocument("law", True, 2001, ["Law"]), is_excluded=True)

    counts = {count.values: count[1:] for count in draw.counts()}
    assert counts["2005–2009", "NLP"] == (2, 1, 2)
    assert counts["2000–2004", "Law"] == (0, 1, 0)
    assert counts["2005–2009", "Law"] == (0, 0, 0)
    assert "law" not in dict(draw.papers())


def test_a_sample_without_documents_says_why():
    with pytest.raises(SampleError) as caught:
        drawn([SampledDocument("t", False, 2001, ["IR"])], by=()).check()
    assert str(caught.value) == (
        "No document can be sampled, so nothing was drawn. Documents left out: 1 without text."
    )
    with pytest.raises(SampleError, match=r"^No document can be sampled, so nothing was drawn\.$"):
        drawn([], by=("field",)).check()
    with pytest.raises(SampleError, match=r"2 strata have no document.*: 2000–2004, 2005–2009\. "):
        drawn([], by=("period",)).check()


def test_empty_strata_are_named_with_their_excluded_documents():
    draw = drawn(CORPUS)
    for name in ("A", "B", "C"):
        draw.add(SampledDocument(name, True, 2001, [name]), is_excluded=True)

    with pytest.raises(SampleError) as caught:
        draw.check()
    assert str(caught.value) == (
        "6 strata have no document, so nothing was drawn: 2000–2004 · A (1 excluded), "
        "2000–2004 · B (1 excluded), 2000–2004 · C (1 excluded), 2005–2009 · A, 2005–2009 · B and "
        "1 more. Choose other years, periods or fields."
    )


def test_limits_of_strata_and_papers(monkeypatch):
    assert (strata.MOST_STRATA, strata.MOST_PAPERS, strata.MOST_PERIODS) == (1_000, 10_000, 100)
    monkeypatch.setattr(strata, "MOST_STRATA", 4)
    monkeypatch.setattr(strata, "MOST_PAPERS", 8)
    draw = drawn(CORPUS, per_stratum=2)
    draw.check()
    with pytest.raises(SampleError, match=r"more than 4 strata\. Choose fewer"):
        draw.add(SampledDocument("law", True, 2001, ["Law"]), is_excluded=False)
    draw.add(CORPUS[0]._replace(docno="more"), is_excluded=False)
    with pytest.raises(SampleError, match="would have 12 papers, and 8 is the most"):
        drawn(CORPUS, per_stratum=3).check()


def test_a_stratum_is_stored_by_its_names():
    assert stratum_of(("period", "field"), ("2019", "IR")) == {"period": "2019", "field": "IR"}
    with pytest.raises(ValueError, match="zip"):
        stratum_of(("period",), ("2019", "IR"))

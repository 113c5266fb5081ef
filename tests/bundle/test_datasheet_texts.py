"""Answers, Markdown and groups of people, as values."""

from __future__ import annotations

import re
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bundle.datasheet.answers import (
    LONGEST,
    Author,
    InvalidAnswer,
    doi_of,
    is_orcid,
    read_authors,
    tidied,
    web_address_of,
)
from bundle.datasheet.markdown import escaped, paragraphs
from bundle.datasheet.profiles import FIELDS, NOT_SHOWN, ProfileGroup, published
from bundle.datasheet.questions import DATES, QUESTIONS, required_questions, unanswered

EXPERTISE = FIELDS[0]
VALUES = [value for value, _ in EXPERTISE.choices]
LABELS = dict(EXPERTISE.choices)


# Questions and answers


def test_between_ten_and_fifteen_questions_are_required():
    assert len(required_questions(dates_known=True)) == 13
    assert len(required_questions(dates_known=False)) == 14


def test_the_dates_are_asked_only_if_the_database_does_not_know_them():
    answered = set(QUESTIONS) - {DATES}

    assert unanswered(answered, dates_known=True) == []
    assert unanswered(answered, dates_known=False) == [QUESTIONS[DATES].label]


def test_a_release_of_citations_is_not_asked_about_annotators():
    asked = {question.key for question in required_questions(dates_known=False, judged=False)}
    of_judgments = {question.key for question in required_questions(dates_known=False)}

    assert of_judgments - asked == {"consent", "pay", "collection_dates"}
    assert unanswered(asked, dates_known=False, judged=False) == []
    assert not [key for key in asked if "annotator" in QUESTIONS[key].label.lower()]


def test_an_answer_is_stored_without_invisible_characters_and_with_plain_line_ends():
    assert tidied("purpose", " a\u202e \r\nb\x00\r\n\r\nc \n") == "a\nb\n\nc"
    assert tidied("pay", " 15 EUR\nan  hour ") == "15 EUR an hour"
    assert tidied("purpose", " \n ") == ""


@pytest.mark.parametrize(
    ("key", "text", "message"),
    [
        ("purpose", "x" * (LONGEST + 1), "The answer has 20,001 characters. Use at most 20,000."),
        ("released_on", "30.6.2026", "Invalid day '30.6.2026'. Write it like 2026-06-30."),
        ("released_on", "20260630", "Invalid day '20260630'. Write it like 2026-06-30."),
        ("authors", "A, B\nC; D; 0000-0002-1825-0098", "Line 2: invalid ORCID"),
        ("authors", "A; B; 0000-0002-1825-0097; x", "Line 1 has 4 parts."),
        ("authors", "; University", "Line 1 has no name."),
    ],
)
def test_an_invalid_answer_says_what_is_wrong_and_how_to_fix_it(key, text, message):
    with pytest.raises(InvalidAnswer, match=re.escape(message)):
        tidied(key, text)


def test_authors_are_people_or_institutions():
    text = "Carberry, Josiah; Brown University; https://orcid.org/0000-0002-1825-0097\n\nA Library"

    assert read_authors(text) == (
        Author("Carberry", "Josiah", "Brown University", "0000-0002-1825-0097"),
        Author("A Library"),
    )


def test_an_orcid_has_the_right_check_digit():
    # The examples of ORCID's own documentation.
    assert all(map(is_orcid, ["0000-0002-1825-0097", "0000-0001-5109-3700", "0000-0002-1694-233X"]))
    assert not any(map(is_orcid, ["0000-0002-1825-0098", "0000-0002-1825-009X", "1825-0097"]))


@pytest.mark.parametrize("text", ["10.1/x", "nothing", "https://example.org/10.1234/x"])
def test_what_is_no_doi_is_not_taken_for_one(text):
    assert doi_of(text) == ""


def test_a_doi_is_found_with_every_usual_prefix():
    for prefix in ("", "doi:", "https://doi.org/", "http://dx.doi.org/"):
        assert doi_of(f"{prefix}10.5281/zenodo.1") == "10.5281/zenodo.1"
    assert web_address_of("10.5281/zenodo.1") == "https://doi.org/10.5281/zenodo.1"
    assert web_address_of("https://example.org/x") == "https://example.org/x"
    assert web_address_of("on request") == ""


# Markdown


@pytest.mark.parametrize(
    ("text", "markdown"),
    [
        ("# A heading", r"\# A heading"),
        ("## Uses", r"\#\# Uses"),
        ("- item", r"\- item"),
        ("1. item", r"1\. item"),
        ("=====", r"\====="),
        ("---", r"\---"),
        ("> quote", "&gt; quote"),
        ("<script>x</script>", "&lt;script&gt;x&lt;/script&gt;"),
        ("```", r"\`\`\`"),
        ("| a | b |", r"\| a \| b \|"),
        ("[a](http://b)", r"\[a\](http://b)"),
        ("*a* _b_ c_d", r"\*a\* \_b\_ c_d"),
        ("    code", "code"),
        ("&lt;b&gt;", "&amp;lt;b&amp;gt;"),
        ("2026-06-30 and 1.5", "2026-06-30 and 1.5"),
    ],
)
def test_an_answer_begins_no_block_link_emphasis_or_html(text, markdown):
    assert list(paragraphs(text)) == [markdown, ""]


@given(st.text())
def test_no_line_of_an_answer_can_be_taken_for_another_part_of_the_datasheet(text):
    for line in "\n".join(paragraphs(text)).splitlines():
        assert not re.match(r"\s*(#|[-+*=>|<`~]|\d+[.)]( |$)|    )", line)
        assert "<" not in line


def test_the_line_breaks_and_paragraphs_of_an_answer_stay():
    assert list(paragraphs("a\nb\n\n\nc")) == ["a\\\nb", "", "c", ""]


def test_control_characters_are_spaces():
    assert escaped("a\x0bb\u2028c\td") == "a b c d"


# Groups of people


def groups(least: int = 3, **counts: int) -> tuple[ProfileGroup, ...]:
    return published({"expertise": counts}, least)[0].groups


def test_a_group_is_shown_only_with_enough_people():
    assert groups(researcher=3, student=4) == (
        ProfileGroup(LABELS["researcher"], 3),
        ProfileGroup(LABELS["student"], 4),
    )
    assert groups(researcher=2, student=4, outsider=2) == (
        ProfileGroup(LABELS["student"], 4),
        ProfileGroup(NOT_SHOWN, 4),
    )


def test_a_single_hidden_group_takes_the_smallest_shown_one_with_it():
    """Otherwise the number of the others would be the hidden number."""
    assert groups(researcher=5, practitioner=3, student=2) == (
        ProfileGroup(LABELS["researcher"], 5),
        ProfileGroup(NOT_SHOWN, 5),
    )


def test_too_few_people_in_all_are_not_even_counted():
    assert groups(researcher=1, student=1) == ()
    assert groups(researcher=2) == ()
    assert groups() == ()


def test_no_number_is_below_the_limit_for_any_counts():
    for counts, least in product(product(range(7), repeat=len(VALUES)), (2, 3, 4)):
        people = dict(zip(VALUES, counts, strict=True))
        shown = groups(least, **people)

        assert all(group.people >= least for group in shown)
        named = {group.label for group in shown} - {NOT_SHOWN}
        hidden = [value for value in VALUES if people[value] and LABELS[value] not in named]
        # What a reader computes from the total is no group's number: it is of two or more.
        assert len(hidden) != 1 or not shown
        total = sum(group.people for group in shown)
        assert total in (0, sum(counts))


def test_a_limit_below_two_counts_as_two():
    assert groups(0, researcher=1, student=1) == (ProfileGroup(NOT_SHOWN, 2),)

"""Advice says what the figures support, and else that it cannot be said."""

from __future__ import annotations

from agreement.consistency.advice import advice_of
from agreement.consistency.drift import PersonDrift, TimedAnswer, drift_of
from agreement.consistency.repeated import consistency_of
from tests.support.simulated_judges import BEGIN, answers_with, person_with, repeats_with


def said(drift=0.0, same=None, answers=None):
    person = person_with(drift, 3) if answers is None else PersonDrift(answers)
    consistency = None if same is None else consistency_of(repeats_with(same, 60, 1), "seed")
    return " ".join(advice_of(drift_of([person]), consistency))


def test_a_drift_is_said_with_its_interval():
    assert "Grades rise by" in said(1.5)
    assert "Grades fall by" in said(-1.5)
    assert "Shorter sittings" in said(1.5)
    assert "In the last third of a query the grades are higher" in said(1.5)


def test_an_interval_with_0_says_that_it_cannot_be_said():
    text = said(0.0)

    assert "Whether grades change over a sitting of 60 answers cannot be said" in text
    assert "contains 0" in text
    assert "Shorter sittings" not in text


def test_too_few_answers_are_said():
    text = said(answers=answers_with(0.0, 1)[:10])

    assert "Whether grades change over a sitting cannot be said: fewer than 30 pairs." in text


def test_self_consistency_is_said_with_its_interval():
    text = said(same=0.8)

    assert "The same grade was given to" in text
    assert "of 60 repeats" in text
    assert "hardly repeat" not in text
    assert "hardly repeat" in said(same=0.3)


def test_without_repeats_self_consistency_cannot_be_said():
    assert "Self-consistency cannot be said: no repeat can be compared." in said()


def quick(number, of=200):
    return [TimedAnswer(1, BEGIN, 1.0 if place < number else 9.0) for place in range(of)]


def test_only_many_quick_answers_are_a_reason_to_ask():
    assert "took less than 2 seconds" not in said(answers=quick(0))
    few, many = said(answers=quick(4)), said(answers=quick(40))
    assert "2 % of 200 answers took less than 2 seconds" in few
    assert "Ask" not in few
    assert "Ask how they were given" in many


def test_later_answers_that_take_less_time_are_said():
    answers = [
        answer._replace(seconds=60 - (place % 60) * 0.8 + place * 7 % 13)
        for place, answer in enumerate(answers_with(0.0, 1))
    ]

    assert "Later answers of a sitting take less time" in said(answers=answers)


def test_a_change_of_agreement_is_said_in_percentage_points():
    answers = [
        answer._replace(is_final=place < 180) for place, answer in enumerate(answers_with(0.0, 1))
    ]

    assert "the grades equal the final labels less often than in the first" in said(answers=answers)

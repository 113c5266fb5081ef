"""Trainees of a known skill on gold of CSFCube: the better pass, and the worse do not."""

from __future__ import annotations

import random
from statistics import median

import pytest

from accounts.models import Collection, Role
from agreement.coefficients import spearman
from annotation.qualifications.standing import must_qualify
from practice.models import TrainingResult
from practice.training.gold import make_from_labels
from tests.support.factories import member
from tests.support.training_scenes import train

pytestmark = [pytest.mark.csfcube, pytest.mark.django_db, pytest.mark.one_database]

PAIRS = 40


@pytest.fixture
def collection(released) -> Collection:
    Collection.objects.filter(pk=released.pk).update(qualifying_rho=0.5)
    found = Collection.objects.get(pk=released.pk)
    names = found.queries.filter(facet__key="background").order_by("name")[:4]
    for _ in range(2):
        make_from_labels(
            collection=found, queries=list(names.values_list("name", flat=True)), pairs=PAIRS
        )
    return found


def noisy(chance: random.Random, error: float):
    """Grades as gold, but a random one with this probability."""
    return lambda pair: chance.randint(0, 3) if chance.random() < error else pair.gold


def test_gold_has_as_many_pairs_of_each_grade_as_there_are(collection):
    """The four queries have 15 pairs of grade 3."""
    sets = [
        list(practice_set.pairs.values_list("gold", flat=True))
        for practice_set in collection.practice_sets.order_by("number")
    ]

    first, second = ([gold.count(grade) for grade in range(4)] for gold in sets)
    assert first == [10, 10, 10, 10]
    assert (second[3], sum(second)) == (5, PAIRS)
    assert max(second[:3]) - min(second[:3]) <= 1


@pytest.mark.by_day(4)
def test_a_trainee_who_errs_in_a_tenth_passes_and_one_who_guesses_does_not(collection):
    good, guessing = (member(collection, Role.ANNOTATOR, name) for name in ("good", "guessing"))

    train(collection, good, noisy(random.Random(1), 0.1))
    train(collection, guessing, noisy(random.Random(2), 1.0))

    results = {result.member.annotator.username: result for result in TrainingResult.objects.all()}
    assert results["good"].passed
    assert results["good"].rho > 0.8
    assert not results["guessing"].passed
    assert abs(results["guessing"].rho) < 0.4
    assert not must_qualify(collection, good)
    assert must_qualify(collection, guessing)
    train(collection, guessing, noisy(random.Random(3), 0.0))  # the second set
    assert not must_qualify(collection, guessing)


def test_the_measured_rho_is_near_that_of_many_simulated_trainees(collection):
    """With errors in two fifths, rho is about 0.6 of 1: the expected share of true grades."""
    gold = list(collection.practice_sets.first().pairs.values_list("gold", flat=True))
    chance = random.Random(4)
    rhos = [
        spearman(
            [chance.randint(0, 3) if chance.random() < 0.4 else grade for grade in gold], gold
        ).value
        for _ in range(400)
    ]
    trainee = member(collection, Role.ANNOTATOR, "trainee")

    train(collection, trainee, noisy(random.Random(5), 0.4))

    rho = TrainingResult.objects.get().rho
    ordered = sorted(rhos)
    assert 0.5 < median(rhos) < 0.7
    assert ordered[4] < rho < ordered[-5]

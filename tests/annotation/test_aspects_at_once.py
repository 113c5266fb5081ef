"""Marks, names of aspects and splits by several people at once."""

import uuid

import pytest

from annotation.models import Judgment, Opening, Slot
from annotation.services import KeyReused, open_query
from corpus.models import Query
from corpus.topics.queries import AspectsInUse, name_aspects, split_query
from tests.support.aspects import (
    a_query_with_aspects,
    an_asking_collection,
    an_open_query_with_aspects,
    mark,
)
from tests.support.factories import annotators
from tests.support.running import at_once

pytestmark = [pytest.mark.faults, pytest.mark.django_db(transaction=True)]


def test_of_one_key_with_different_marks_one_counts_and_the_others_learn_it():
    opening = an_open_query_with_aspects(an_asking_collection(), size=1)
    slot, key = Slot.objects.filter(pair__query=opening.query, number=1).get(), uuid.uuid4()

    outcomes = at_once(
        [lambda aspect=aspect: mark(slot, 2, aspect, key=key) for aspect in (2, 3, 5) * 2]
    )

    stored = Judgment.objects.get()
    assert {type(outcome) for outcome in outcomes} == {Judgment, KeyReused}
    told = [outcome for outcome in outcomes if isinstance(outcome, Judgment)]
    assert {(judgment.pk, *judgment.aspects) for judgment in told} == {(stored.pk, *stored.aspects)}
    assert len(told) == 2


def test_names_come_before_the_query_is_open_or_not_at_all():
    query = a_query_with_aspects(an_asking_collection())
    seats = annotators(query.collection)

    named, opened = at_once(
        [
            lambda: name_aspects(query=query, names=["speed", "memory"]),
            lambda: open_query(query=query, annotators=seats, opened_by=None),
        ]
    )

    assert isinstance(opened, Opening)
    is_named = isinstance(named, Query)
    assert is_named or isinstance(named, AspectsInUse)
    assert Query.objects.get().aspect_names == (["speed", "memory"] if is_named else [])


def test_a_query_that_two_admins_split_at_once_is_split_once():
    query = a_query_with_aspects(an_asking_collection())

    first, second = at_once([lambda: split_query(query=query, sentences=[2, 5])] * 2)

    assert sorted(map(len, (first, second))) == [0, 2]
    assert Query.objects.filter(sentence_numbers__isnull=False).count() == 2

"""Adding rounds to frozen pools."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.db import IntegrityError, transaction

from corpus.models import Document
from corpus.services import create_query
from corpus.state import CorpusChanged
from jobs.context import DirectRun
from pooling.errors import PoolingError
from pooling.models import Candidate, Contribution, Pool, PoolRound
from pooling.rounds.plans import RoundPlan
from pooling.rounds.services import ChangedWhileChosen, NothingToAdd, add_round, preview_round
from tests.support.factories import DocumentFactory
from tests.support.pool_counts import check_pool_counts
from tests.support.pooling_scenes import DOCNOS, a_listed_collection, a_listed_run, built
from tests.support.rounds import a_frozen_collection, added, late, rows_of_round

pytestmark = pytest.mark.django_db


def test_a_round_adds_what_the_runs_have_to_its_depth_by_best_rank():
    collection = a_frozen_collection()  # d02, d05, d01, d12, d03, d11, d04, d10
    late(collection, "one", ["d06", "d01", "d07", "d08"])
    late(collection, "two", ["d12", "d09", "d06", "d07"])

    add_round(
        collection=collection,
        plan=RoundPlan("Late.", depth=3),
        runs=added(collection, "one", "two"),
        work=DirectRun(),
    )

    assert rows_of_round(collection, 2) == [
        ("d06", 9, [("one", 1, True), ("two", 3, False)]),
        ("d09", 10, [("two", 2, True)]),
        ("d07", 11, [("one", 3, True)]),
    ]
    pool = Pool.objects.get()
    assert (pool.size, pool.to_judge) == (11, 11)


def test_the_first_round_stays_as_it_was():
    collection = a_frozen_collection()
    late(collection, "one", ["d06", "d01"])
    before = rows_of_round(collection, 1), Pool.objects.values().get()

    add_round(
        collection=collection,
        plan=RoundPlan("Late."),
        runs=added(collection, "one"),
        work=DirectRun(),
    )

    after = Pool.objects.values().get()
    assert rows_of_round(collection, 1) == before[0]
    assert {key for key in after if after[key] != before[1][key]} == {"size", "to_judge"}

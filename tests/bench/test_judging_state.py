"""A made-up collection in the middle of its judging holds what the services would have made."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys

import pytest
from django.db import transaction

from accounts.models import Collection
from adjudication.models import Decision
from agreement.services import AgreementReport
from annotation.models import Opening, Slot
from annotation.services import places
from bench.judging.state import SLUG, make_state, sizes
from bench.judging.state_judgments import ANNOTATORS, seats_of, shares_of
from bench.judging.state_pools import CANDIDATES
from bench.judging.steps import annotators, due_check, judgments
from bench.step_commands import Clock
from release.snapshot import take_snapshot
from tests.support.counting import kept_counts, recounted

pytestmark = pytest.mark.django_db
QUERIES = 4


def digest_of(collection: Collection) -> str:
    """Of everything said, without primary keys."""
    said = Slot.objects.of(collection).values_list(
        "pair__query__name",
        "pair__token",
        "number",
        "position",
        "annotator__username",
        "judgment__grade",
        "judgment__presentation_digest",
        "judgment__key",
        "judgment__created_at",
    )
    decided = Decision.objects.values_list("pair__token", "grade", "key", "created_at")
    rows = [*said.order_by("pair__token", "number"), *decided.order_by("pair__token")]
    return hashlib.sha256(repr(rows).encode()).hexdigest()


@pytest.fixture
def state():
    return make_state(queries=QUERIES)


def test_the_same_seed_makes_the_same_rows_and_another_seed_does_not():
    digests = []
    for seed in (1, 1, 2):
        with transaction.atomic():
            digests.append(digest_of(make_state(queries=QUERIES, seed=seed, report=False)))
            transaction.set_rollback(True)
    assert digests[0] == digests[1] != digests[2]


def test_the_state_has_66_pairs_a_query_disputes_decisions_and_pairs_left(state):
    held = sizes(state)
    assert held["pairs"] == QUERIES * CANDIDATES
    assert held["judgments"] == 2 * held["pairs"] - held["slots left"]
    assert held["slots left"] == round(0.4 * CANDIDATES)
    assert 0 < held["decisions"] < held["disputed"] < held["pairs"] / 2
    assert state.stored_reports.get(kind=AgreementReport.name).key == "exclude"


def test_kept_counts_equal_a_recount_of_the_bulk_rows(state):
    assert kept_counts() == recounted()


def test_slots_are_in_the_order_in_which_an_opening_would_put_them(state):
    for opening in Opening.objects.of(state):
        for seat in opening.seats.all():
            slots = Slot.objects.filter(pair__query=opening.query, number=seat.number)
            assert {slot.annotator_id for slot in slots} == {seat.annotator_id}
            order = {slot.pair_id: slot.position for slot in slots}
            assert order == places(opening.query, seat.annotator)


def test_a_release_finds_only_what_is_not_done_yet(state):
    open_findings = {each.check for each in take_snapshot(state).findings if not each.ok}
    assert open_findings == {"unresolved", "unjudged-pairs", "datasheet", "corpus-licence"}


def test_two_annotators_of_a_query_differ_and_every_seat_is_used_as_often():
    seats = [seats_of(number) for number in range(3_800)]
    assert all(first != second for first, second in seats)
    for place in (0, 1):
        used = [pair[place] for pair in seats]
        assert {used.count(person) for person in range(ANNOTATORS)} <= {75, 76, 77}


def test_the_first_queries_are_judged_whole_and_the_last_in_part():
    shares = [shares_of(number, 100) for number in range(100)]
    assert shares[:85] == [(1.0, 1.0)] * 85
    assert all(second < 1 for _, second in shares[85:])


def test_steps_find_annotators_with_pairs_left_and_no_pair_judged_too_often(state):
    found = annotators(Clock(), "8")
    assert len(found["annotators"]) == 1
    assert found["left"] == [round(0.4 * CANDIDATES)]
    assert judgments(Clock()) == {"judgments": sizes(state)["judgments"], "over": 0}
    assert due_check(Clock())["due"] == 1
    assert Collection.objects.get(slug=SLUG) == state


def test_no_state_with_known_passwords_is_made_in_production(tmp_path):
    environment = {
        **os.environ,
        "QRELSMITH_MODE": "production",
        "SECRET_KEY": "k" * 60,
        "ALLOWED_HOSTS": "example.org",
        "DATA_DIR": str(tmp_path),
    }

    made = subprocess.run(
        [sys.executable, "-m", "bench.judging.state", "--queries", "4"],
        capture_output=True,
        text=True,
        env=environment,
    )

    assert made.returncode == 1
    assert "Unset QRELSMITH_MODE=production." in made.stderr

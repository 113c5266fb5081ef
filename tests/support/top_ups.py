"""A small collection that is released, topped up by a round, judged and released again."""

from __future__ import annotations

from collections.abc import Mapping

from accounts.models import Collection, Role
from annotation.models import Slot
from annotation.services import open_query
from annotation.team import open_new_pairs
from pooling.models import PoolRound
from scoring.systems.services import sync_runs
from tests.support.datasheets import answer_datasheet
from tests.support.factories import annotators, member
from tests.support.release_scenes import judge_all
from tests.support.rounds import a_frozen_collection, a_round, late
from tests.support.sittings import judge_at_once

QUERY = "q1_method"
FIRST = {"d02": 3, "d05": 0, "d01": 2, "d12": 0, "d03": 1, "d11": 0, "d04": 2, "d10": 0}
LATE = ["d06", "d01", "d07", "d02"]
SECOND = {"d06": 3, "d07": 2}


def a_first_version() -> Collection:
    """All pairs of the pool of q1 are judged; the systems are its runs `up` and `down`."""
    collection = a_frozen_collection()
    Collection.objects.filter(pk=collection.pk).update(licence="CC0-1.0")
    collection.refresh_from_db()
    answer_datasheet(collection)
    query = collection.queries.get(name=QUERY)
    open_query(query=query, annotators=annotators(collection), opened_by=None)
    grade(collection, FIRST)
    sync_runs(collection)
    return collection


def grade(collection: Collection, grades: Mapping[str, int]) -> None:
    """Both judges give these grades to documents of the query."""
    judge_all(collection, {(QUERY, docno): (each, each) for docno, each in grades.items()})


def top_up(collection: Collection, name: str = "late", docnos=LATE, **plan) -> PoolRound:
    """A round from a late run, whose pairs are open for judging."""
    late(collection, name, docnos)
    pool_round = a_round(collection, name, **plan)
    sync_runs(collection)
    open_added(collection)
    return pool_round


def open_added(collection: Collection) -> None:
    """Open the new pairs. Others take the seats of imported people, who cannot log in."""
    people = [member(collection, Role.ANNOTATOR, f"substitute{number}") for number in (1, 2)]
    open_new_pairs(collection=collection, substitutes=people)


def judge_added(collection: Collection, grades: Mapping[str, int]) -> None:
    slots = Slot.objects.of(collection).unjudged().select_related("pair__candidate__document")
    judge_at_once(
        (slot, grades[slot.pair.candidate.document.docno])
        for slot in slots.order_by("number", "position")
    )


def a_second_version() -> Collection:
    """The first version, and round 2 with two more relevant documents."""
    collection = a_first_version()
    top_up(collection, reason="The run late came after the first judging.")
    judge_added(collection, SECOND)
    return collection

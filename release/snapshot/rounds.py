"""Pool rounds after the builds, and the lists that they were chosen from."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from django.db.models import Count

from accounts.models import Collection
from bundle.formats.run_files import round_files
from bundle.records import ReleasedRound, RunLines
from pooling.models import Candidate, PoolRound
from pooling.rounds.lists import round_run_lines


def released_rounds(collection: Collection) -> tuple[ReleasedRound, ...]:
    """The frozen rounds by number. Who added them is in no release."""
    rows = (
        Candidate.objects.filter(pool__query_paper__collection=collection, round__gt=1)
        .order_by()
        .values_list("round")
        .annotate(documents=Count("pk"), query_papers=Count("pool", distinct=True))
    )
    counts = {number: (documents, papers) for number, documents, papers in rows}
    return tuple(
        ReleasedRound(
            pool_round.manifest,
            round_files(
                pool_round.number,
                [(run["name"], run["sha256"]) for run in pool_round.manifest["runs"]],
            ),
            *counts.get(pool_round.number, (0, 0)),
        )
        for pool_round in _frozen(collection)
    )


def round_lines(collection: Collection, rounds: Sequence[ReleasedRound]) -> dict[str, RunLines]:
    """The lines of the files of each round, read when they are written."""
    by_number = {pool_round.number: pool_round for pool_round in _frozen(collection)}
    return {
        file: partial(round_run_lines, by_number[released.number], run)
        for released in rounds
        for run, file in released.files.items()
    }


def _frozen(collection: Collection) -> Sequence[PoolRound]:
    rounds = PoolRound.objects.filter(collection=collection, frozen_at__isnull=False)
    return list(rounds.order_by("number"))

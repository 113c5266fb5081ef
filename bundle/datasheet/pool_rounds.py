"""Pool rounds after the builds, in words for README, CHANGELOG, datasheet and Croissant. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from bundle.records import ReleasedRound
from bundle.snapshot import Snapshot
from web.words import count_noun, listed

if TYPE_CHECKING:
    from evaluation.label_effects.before_after import RankingChange

REPORT = "round_effects"
NAMED = 20  # runs
CHOICES = {
    "all-unjudged": "all documents to rank {depth} that were in no pool",
    "decisive": "documents to rank {depth} that could change a conclusion about two systems",
    "sample": "a stratified random sample of the documents to rank {depth} that were in no pool",
}


def later_rounds(
    snapshot: Snapshot, manifest: Mapping[str, Any] | None = None
) -> list[ReleasedRound]:
    """The rounds after the builds that an earlier release, by its manifest, did not have."""
    last = last_round(manifest or {})
    return [pool_round for pool_round in snapshot.rounds if pool_round.number > last]


def last_round(manifest: Mapping[str, Any]) -> int:
    """The number of the last pool round in the manifest of a release."""
    numbers = [entry["manifest"]["round"] for entry in manifest.get("pool_rounds", ())]
    return max(numbers, default=1)


def choice_of(pool_round: ReleasedRound) -> str:
    """The documents that the round could add, as in "all documents to rank 20 …"."""
    choice = str(pool_round.manifest["choice"])
    return CHOICES.get(choice, choice).format(depth=pool_round.manifest["depth"])


def reason_of(pool_round: ReleasedRound) -> str:
    return " ".join(str(pool_round.manifest["reason"]).split())


def runs_of(pool_round: ReleasedRound) -> list[str]:
    return [str(run["name"]) for run in pool_round.manifest["runs"]]


def round_sentence(pool_round: ReleasedRound) -> str:
    """The documents that were added and why, as plain text."""
    return (
        f"Round {pool_round.number} added {count_noun(pool_round.documents, 'document')} to the "
        f"pools of {count_noun(pool_round.query_papers, 'query paper')}: "
        f"{choice_of(pool_round)}, from the lists of {listed(runs_of(pool_round), NAMED)}. "
        f"Reason: {reason_of(pool_round)}"
    )


def has_sample(rounds: Sequence[ReleasedRound]) -> bool:
    """Return whether a round is a random sample, so that what it left out is unknown."""
    return any(pool_round.manifest["choice"] == "sample" for pool_round in rounds)


def ranking_changes(snapshot: Snapshot, before: int) -> Iterator[RankingChange]:
    """The change of the rankings since that round, for each measure of the report on rounds."""
    from evaluation.label_effects.pool_rounds import change_from  # needs Django

    for report in snapshot.reports.current.get(REPORT, ()):
        change = change_from(report, before)
        if change is not None:
            yield change

"""The README's section on pool rounds: what was added to the pools after they were judged. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from bundle.content import Content
from bundle.datasheet.pool_rounds import choice_of, has_sample, reason_of, runs_of
from bundle.readme.tables import listed, markdown_table

ABOUT_ROUNDS = """
After the first pools were frozen, documents were added to them in numbered rounds. Nothing that was
pooled or judged before changed with a round. `round` in `pools/pool.jsonl`{ratings} is the round
that added a document; the first pools are round 1. The folders `pools/round-<number>/` have the
lists that each round was chosen from. `pool_rounds` in `manifest.json` has its manifest, which
names the manifests before it by their digests.
"""
RATINGS = " and `pool_round` in\n`annotations/ratings.csv`"


ABOUT_SAMPLED_ROUNDS = """
A round that is a random sample left out documents that are unjudged, not irrelevant. `inclusion` in
`pools/pool.jsonl` is the probability with which it drew a document.
"""


ABOUT_ESTIMATES_OF_ROUNDS = """
In the files for estimates, `trec/prels.*.txt` and `trec/sampleval.*.txt`, all documents of the
lists of a round are certain: in stratum 0, with the probability 1. The strata have the others.
"""


def rounds_section(content: Content) -> Iterator[str]:
    snapshot = content.snapshot
    if not snapshot.rounds:
        return
    counts = content.counts.rounds
    yield "## Pool rounds"
    yield ABOUT_ROUNDS.format(ratings="" if snapshot.of_citations else RATINGS)
    least = snapshot.collection.relevant_from
    labels = {
        int(number): [str(row.labels), _relevant(row.labels_by_grade, least)]
        for number, row in counts.items()
    }
    rows = [
        [
            str(pool_round.number),
            choice_of(pool_round),
            listed(runs_of(pool_round)),
            str(pool_round.documents),
            str(pool_round.query_papers),
            *labels[pool_round.number],
        ]
        for pool_round in snapshot.rounds
    ]
    yield from markdown_table(
        ["round", "added", "from", "documents", "query papers", "labels", "relevant"],
        [["1", "", "", "", "", *labels[1]], *rows],
    )
    for pool_round in snapshot.rounds:
        yield f"- Round {pool_round.number}, reason: {reason_of(pool_round)}"
    if has_sample(snapshot.rounds):
        yield ABOUT_SAMPLED_ROUNDS.rstrip()
    if snapshot.samples:
        yield ABOUT_ESTIMATES_OF_ROUNDS.rstrip()
    yield ""


def _relevant(labels_by_grade: Mapping[str, int], least: int) -> str:
    relevant = (number for grade, number in labels_by_grade.items() if int(grade) >= least)
    return str(sum(relevant))

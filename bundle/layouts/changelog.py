"""`CHANGELOG.md`: what changed since the version before, and the answers to reported errors."""

from __future__ import annotations

import heapq
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any, TypeAlias

from bundle.content import Content, FileNote, Files
from bundle.datasheet.pool_rounds import (
    REPORT,
    last_round,
    later_rounds,
    ranking_changes,
    round_sentence,
)
from bundle.label_changes import (
    Label,
    LabelPair,
    LabelSummary,
    aligned,
    facets_in,
    read_labels,
    summarise,
)
from bundle.layouts.reports import report_file
from bundle.records import FileLines, PreviousVersion, SettledErratum
from bundle.snapshot import Snapshot
from bundle.zip.draft_files import DraftFolder

if TYPE_CHECKING:
    from evaluation.label_effects.before_after import RankingChange

NAME = "CHANGELOG.md"
FILES = (FileNote(NAME, "what changed since the version before, and answers to reported errors"),)
SHOWN = 100  # changed labels
NAMED = 20  # ids in a sentence
# The beginning of a line of pools/pool.jsonl whose ids need no escapes. To parse all of a line,
# with its sources, takes ten times as long.
PLAIN_IDS = re.compile(rb'\{"query_paper": "([^"\\]*)", "docno": "([^"\\]*)", ')
SETTINGS = {
    "name": "name",
    "description": "description",
    "licence": "licence of the labels",
    "corpus_licence": "licence of the texts",
    "seed": "seed",
    "facets": "facets",
    "highest_grade": "highest grade",
    "relevant_from": "relevant from grade",
}
SETTLED_BY = {"adjudicator": "the adjudicator", "judges": "two judges"}
ROUND_EFFECTS = report_file(REPORT)
OPTIONS = {
    "texts": "texts in the bundle",
    "labels": "source of the labels",
    "model_labels": "labels of models, in a folder of their own",
}
NO_MODELS: Mapping[str, Any] = {"model_labels": []}  # a manifest names models only if it has some

Changes: TypeAlias = dict[tuple[str, str], LabelPair]  # by query id and docno


def write(folder: DraftFolder, content: Content) -> Files:
    changes: Changes = {}
    lines = [
        f"# Changes in version {content.version}",
        "",
        *_since(content, changes),
        *_guideline_changes(content.snapshot),
        *_referrals(content.snapshot, changes),
        *_errata(content.snapshot.errata),
    ]
    return {NAME: "\n".join(lines).encode()}


def _since(content: Content, changes: Changes) -> Iterator[str]:
    """The changes; on the way, the labels of the pairs that were settled again are noted."""
    snapshot, before = content.snapshot, content.snapshot.previous
    if before is None:
        yield "This is the first version."
        yield ""
        return
    yield f"Compared with version {before.version}, whose zip has the SHA-256 `{before.sha256}`."
    yield ""
    if before.qrels is None or before.pools is None:
        yield (
            f"The file of version {before.version} could not be read when this version was "
            "published. So its labels and pools cannot be compared with those of this version."
        )
        yield ""
    else:
        yield from _labels(snapshot, before, before.qrels, changes)
        yield from _pools(snapshot, before.pools)
    yield from _rounds(content, before.manifest)
    yield from _settings(content, before.manifest)


def _labels(
    snapshot: Snapshot, before: PreviousVersion, qrels: FileLines, changes: Changes
) -> Iterator[str]:
    facets = facets_in(before.manifest)
    facets |= {query.name: query.facet for query in snapshot.queries}
    pairs = aligned(read_labels(qrels()), _present_labels(snapshot))
    summary = summarise(_noted(pairs, snapshot, changes), facets, shown=SHOWN)
    yield "## Labels"
    yield ""
    yield from _label_table(summary, has_facets=snapshot.collection.has_facets)
    yield from _named("Queries with labels for the first time", summary.queries_added)
    yield from _named("Queries without labels now", summary.queries_removed)
    if summary.first_changed:
        changed = sum(changes.count("changed") for changes in summary.facets.values())
        first = f"The first {SHOWN} of {changed} labels" if changed > SHOWN else "Labels"
        yield f"{first} with another grade:"
        yield ""
        yield from _table(
            ["query", "document", f"grade in {before.version}", "grade now"],
            [
                [_code(pair.query), _code(pair.docno), str(pair.before), str(pair.after)]
                for pair in summary.first_changed
            ],
        )


def _noted(pairs: Iterable[LabelPair], snapshot: Snapshot, changes: Changes) -> Iterator[LabelPair]:
    """All pairs; those that were settled again are kept in `changes`."""
    settled_again = {(referral.query, referral.docno) for referral in snapshot.referrals}
    for pair in pairs:
        key = pair.query, pair.docno
        if key in settled_again:
            changes[key] = pair
        yield pair


def _present_labels(snapshot: Snapshot) -> Iterator[Label]:
    for _, labels in groupby(snapshot.labels, attrgetter("query")):
        yield from sorted(((label.query, label.docno), str(label.grade)) for label in labels)


def _label_table(summary: LabelSummary, *, has_facets: bool) -> Iterator[str]:
    kinds = {"added": "added", "removed": "removed", "changed": "another grade", "same": "same"}
    rows = [
        [facet, *(str(changes.count(kind)) for kind in kinds)]
        for facet, changes in sorted(summary.facets.items())
    ]
    first = 0 if has_facets else 1
    header = ["facet", *kinds.values()]
    yield from _table(header[first:], [row[first:] for row in rows])


def _pools(snapshot: Snapshot, pools: FileLines) -> Iterator[str]:
    added = removed = 0
    old_documents: set[str] = set()
    new_documents: set[str] = set()
    present = ((candidate.query_paper, candidate.docno) for candidate in snapshot.pools)
    for old, new in _by_paper(read_candidates(pools), present):
        added += len(new - old)
        removed += len(old - new)
        old_documents |= old
        new_documents |= new
    yield "## Pools"
    yield ""
    yield f"Candidates of query papers: {added} added, {removed} removed."
    yield ""
    yield from _named("Documents in the pools for the first time", new_documents - old_documents)
    yield from _named("Documents in no pool now", old_documents - new_documents)


def read_candidates(pools: FileLines) -> Iterator[tuple[str, str]]:
    """The query paper and the docno of each line of pools/pool.jsonl."""
    for line in pools():
        if plain := PLAIN_IDS.match(line):
            yield plain[1].decode(), plain[2].decode()
        else:
            entry = json.loads(line)
            yield entry["query_paper"], entry["docno"]


def _by_paper(
    before: Iterable[tuple[str, str]], after: Iterable[tuple[str, str]]
) -> Iterator[tuple[set[str], set[str]]]:
    """The candidates of each query paper before and after. Both are in the order of the papers."""
    sides = heapq.merge(_grouped(before, 0), _grouped(after, 1), key=itemgetter(0))
    for _, pools in groupby(sides, itemgetter(0)):
        by_place = {place: docnos for _, place, docnos in pools}
        yield by_place.get(0, set()), by_place.get(1, set())


def _grouped(pairs: Iterable[tuple[str, str]], place: int) -> Iterator[tuple[str, int, set[str]]]:
    for paper, rows in groupby(pairs, itemgetter(0)):
        yield paper, place, {docno for _, docno in rows}


def _rounds(content: Content, manifest: Mapping[str, Any]) -> Iterator[str]:
    """The pool rounds since that version: what was added and why, and what it changed."""
    snapshot = content.snapshot
    rounds = later_rounds(snapshot, manifest)
    if not rounds:
        return
    yield "## Pool rounds"
    yield ""
    for pool_round in rounds:
        counts = content.counts.rounds[str(pool_round.number)]
        grades = ", ".join(
            f"{number} with grade {grade}" for grade, number in counts.labels_by_grade.items()
        )
        yield f"- {_value(round_sentence(pool_round))}"
        yield f"  Labels of these documents: {counts.labels} ({grades})."
    yield ""
    if snapshot.of_citations:
        return
    yield "## Rankings of systems before and after"
    yield ""
    last = last_round(manifest)
    found = list(ranking_changes(snapshot, last))
    if not found:
        yield (
            "No ranking of systems before and after these rounds was computed for this version, so "
            "nothing can be said about it here."
        )
        yield ""
        return
    rounds_before = "round 1" if last == 1 else f"rounds 1–{last}"
    yield (
        f"Before means the labels of the pairs of {rounds_before}, "
        "after the labels of all pairs. Both are the labels of this version. "
        f"`{ROUND_EFFECTS}` has all numbers."
    )
    yield ""
    for change in found:
        yield f"### {change.measure}"
        yield ""
        for sentence in change.sentences():
            yield f"- {sentence}"
        yield ""
        if len(change.lines) > 1:
            yield from _ranks(change)


def _ranks(change: RankingChange) -> Iterator[str]:
    """Every system before and after, in the order after; the first SHOWN of many."""
    rows = change.lines[:SHOWN]
    if len(change.lines) > len(rows):
        yield f"The first {SHOWN} of {len(change.lines):,} systems:"
        yield ""
    yield from _table(
        ["system", "rank", *(f"{name}, %" for name in (change.measure, *change.cutoffs))],
        [
            [
                _code(line.system),
                f"{line.rank_before} → {line.rank_after}",
                *(
                    f"{100 * before:.2f} → {100 * after:.2f}"
                    for before, after in ((line.mean_before, line.mean_after), *line.judged)
                ),
            ]
            for line in rows
        ],
    )


def _settings(content: Content, manifest: Mapping[str, Any]) -> Iterator[str]:
    """The guidelines, runs and settings that differ; nothing if all are the same."""
    snapshot = content.snapshot
    collection = snapshot.collection.as_json()
    software = {"software": content.software_version}
    old_software = {"software": manifest["software"]["version"]}
    rows = [
        *_changed(SETTINGS, manifest["collection"], collection),
        *_changed(
            OPTIONS,
            {**NO_MODELS, **manifest.get("options", {})},
            {**NO_MODELS, **snapshot.options.as_json()},
        ),
        *_changed({"software": "Qrelsmith"}, old_software, software),
    ]
    guidelines = [f"{row.facet} {row.version}".strip() for row in snapshot.guidelines]
    old = [f"{row['facet']} {row['version']}".strip() for row in manifest["guidelines"]]
    runs = {run.name for run in snapshot.runs}
    old_runs = {run["name"] for run in manifest["runs"]}
    parts = [
        *_named("Guideline versions in use for the first time", set(guidelines) - set(old)),
        *_named("Guideline versions no longer in use", set(old) - set(guidelines)),
        *_named("Runs added", runs - old_runs),
        *_named("Runs removed", old_runs - runs),
        *(_table(["setting", "before", "now"], rows) if rows else ()),
    ]
    if parts:
        yield "## Settings"
        yield ""
        yield from parts


def _changed(
    names: Mapping[str, str], before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[list[str]]:
    """The settings that differ. One that an old manifest does not have is not compared."""
    for key, name in names.items():
        if key in before and before[key] != after[key]:
            yield [name, _value(before[key]), _value(after[key])]


def _value(value: object) -> str:
    if isinstance(value, list):
        value = ", ".join(map(str, value))
    return " ".join(str(value).split()) or "none"


def _referrals(snapshot: Snapshot, changes: Changes) -> Iterator[str]:
    if not snapshot.referrals:
        return
    yield "## Pairs settled again"
    yield ""
    yield (
        "Pairs with two judgments that went to an adjudicator, or to two judges who did not see "
        "the earlier judgments."
    )
    yield ""
    before = snapshot.previous
    compared = before is not None and before.qrels is not None
    grades = [f"grade in {before.version}", "grade now"] if before and compared else []
    yield from _table(
        ["query", "document", "settled again by", "reason", *grades],
        [
            [
                _code(row.query),
                _code(row.docno),
                SETTLED_BY[row.recipient],
                _value(row.reason),
                *(_grades(changes.get((row.query, row.docno))) if grades else ()),
            ]
            for row in snapshot.referrals
        ],
    )


def _guideline_changes(snapshot: Snapshot) -> Iterator[str]:
    if not snapshot.guideline_changes:
        return
    yield "## Guidelines of queries changed"
    yield ""
    yield (
        "Queries that got another version of their guideline after they were opened. In a new "
        "round both judges judged all pairs again, and the earlier judgments do not count. "
        "Otherwise each judgment keeps the version that it was made under."
    )
    yield ""
    yield from _table(
        ["query", "version before", "version now", "round", "reason"],
        [
            [
                _code(row.query),
                str(row.earlier),
                str(row.version),
                f"{row.round} (new)" if row.is_new_round else str(row.round),
                _value(row.reason),
            ]
            for row in snapshot.guideline_changes
        ],
    )


def _grades(pair: LabelPair | None) -> list[str]:
    before, after = (pair.before, pair.after) if pair else (None, None)
    return [before or "none", after or "none"]


def _errata(errata: Sequence[SettledErratum]) -> Iterator[str]:
    if not errata:
        return
    yield "## Errata"
    yield ""
    yield "Errors that readers reported in earlier versions, with the answers of the publisher."
    yield ""
    for decision, is_accepted in (("Accepted", True), ("Declined", False)):
        rows = list(_settled_rows([row for row in errata if row.accepted is is_accepted]))
        if rows:
            yield f"{decision}:"
            yield ""
            yield from _table(["report", "query", "document", "answer"], rows)


def _settled_rows(errata: Sequence[SettledErratum]) -> Iterator[list[str]]:
    """A row for each report. More than NAMED that were declined with the same answer share one.

    An admin declines a flood of reports at once, and it must not fill the file.
    """
    alike: dict[tuple[bool, str], list[SettledErratum]] = {}
    for row in errata:
        alike.setdefault((row.accepted, row.answer), []).append(row)
    for row in errata:
        same = alike[row.accepted, row.answer]
        if row.accepted or len(same) <= NAMED:
            yield [row.name, _code(row.query), _code(row.docno) or "all", _value(row.answer)]
        elif row is same[0]:
            name = f"{same[0].name} to {same[-1].name} ({len(same)} reports)"
            yield [name, "several", "several", _value(row.answer)]


def _named(what: str, names: Iterable[str]) -> Iterator[str]:
    """The number of names, and the first of them; nothing if there are none."""
    ordered = sorted(names)
    if not ordered:
        return
    first = ", ".join(map(_code, ordered[:NAMED]))
    yield f"{what}: {len(ordered)} ({first}{', …' if len(ordered) > NAMED else ''})."
    yield ""


def _code(text: str) -> str:
    return f"`{text}`" if text else ""


def _table(header: Sequence[str], rows: Iterable[Sequence[str]]) -> Iterator[str]:
    for cells in (header, ["---"] * len(header), *rows):
        yield f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |"
    yield ""

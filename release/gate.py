"""What must be in order before a version is published. A snapshot in, findings out.

Check names are stable: people write them in scripts and read them in manifests.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from adjudication.labels import Standing
from release.formats import is_writable
from release.records import Snapshot

SHOWN = 20


@dataclass(frozen=True, slots=True)
class Finding:
    """What a check found. `count` things are wrong, the first of them are in `items`.

    Only what `can_accept` says may be published against the finding, if somebody says so.
    """

    check: str
    ok: bool
    message: str
    count: int = 0
    items: tuple[str, ...] = ()
    how_to_mend: str = ""
    can_accept: bool = True


Check = Callable[[Snapshot], Finding]


def check_gate(snapshot: Snapshot) -> tuple[Finding, ...]:
    """Every check's finding, whether in order or not."""
    return tuple(check(snapshot) for check in CHECKS.values())


def standing_in_the_way(
    findings: Sequence[Finding], accept: Collection[str]
) -> tuple[Finding, ...]:
    """The findings that stop a release although the checks in `accept` are accepted."""
    return tuple(
        finding
        for finding in findings
        if not finding.ok and not (finding.can_accept and finding.check in accept)
    )


def final_labels_exist(snapshot: Snapshot) -> Finding:
    if snapshot.labels:
        return _in_order("empty", f"{len(snapshot.labels)} final labels.")
    return Finding(
        check="empty",
        ok=False,
        message="There is not one final label, so the qrels would be empty.",
        how_to_mend="Have at least one query judged by both annotators.",
        can_accept=False,
    )


def ids_fit_into_trec_files(snapshot: Snapshot) -> Finding:
    ids = {label.query for label in snapshot.labels} | {label.docno for label in snapshot.labels}
    wrong = [repr(name) for name in sorted(ids) if not is_writable(name)]
    wrong += [f"facet {facet.key}" for facet in snapshot.collection.facets if facet.key == "all"]
    return _finding(
        "ids",
        wrong,
        in_order="Every id fits into a TREC file.",
        message="Names that the qrels files cannot hold: {count}. White space ends an id there, "
        "and `all` is the file with every facet.",
        how_to_mend="Import these documents under other ids, or give the facet another name.",
        can_accept=False,
    )


def a_licence_is_stated(snapshot: Snapshot) -> Finding:
    licence = snapshot.collection.licence
    if licence:
        return _in_order("licence", f"The licence is {licence}.")
    return Finding(
        check="licence",
        ok=False,
        message="The collection states no licence, so nobody would know what they may do with it.",
        how_to_mend="State one in the collection's settings, as an SPDX identifier like CC-BY-4.0.",
    )


def every_case_is_decided(snapshot: Snapshot) -> Finding:
    return _finding(
        "unresolved",
        _pairs(snapshot, Standing.DUE),
        in_order="Every disputed pair is decided.",
        message="Disputed pairs without a decision: {count}. The release leaves them out.",
        how_to_mend="Have an adjudicator decide them.",
    )


def every_pair_is_judged(snapshot: Snapshot) -> Finding:
    return _finding(
        "unjudged-pairs",
        _pairs(snapshot, Standing.UNJUDGED),
        in_order="Both annotators judged every pair of the opened queries.",
        message="Pairs without both judgments: {count}. The release leaves them out.",
        how_to_mend="Have the annotators finish these queries.",
    )


def every_query_is_opened(snapshot: Snapshot) -> Finding:
    return _finding(
        "unopened-queries",
        [query.name for query in snapshot.queries if not query.opened],
        in_order="Every query was opened for judging.",
        message="Queries never opened for judging: {count}. They have no labels.",
        how_to_mend="Open them for judging, or accept that they stay without labels.",
    )


def no_query_paper_in_its_own_qrels(snapshot: Snapshot) -> Finding:
    papers = {query.name: query.query_paper for query in snapshot.queries}
    return _finding(
        "self-retrieved",
        [label.query for label in snapshot.labels if papers[label.query] == label.docno],
        in_order="No query paper is in its own qrels.",
        message="Queries with their own query paper in their qrels: {count}. "
        "A system is rewarded there for finding what it was given.",
        how_to_mend="A frozen pool keeps it: accept it, and the release tells its users, "
        "or build the collection again without it in its pool.",
    )


def every_label_has_a_source(snapshot: Snapshot) -> Finding:
    papers = {query.name: query.query_paper for query in snapshot.queries}
    known = {(line.query_paper, line.docno) for line in snapshot.pools if line.sources}
    return _finding(
        "provenance",
        [
            f"{label.query} {label.docno}"
            for label in snapshot.labels
            if (papers[label.query], label.docno) not in known
        ],
        in_order="It is known of every labelled document where it came from.",
        message="Labels of documents whose source is not recorded: {count}. "
        "Nobody can tell which retrievers they favour.",
        how_to_mend="Import the pools with their sources.",
    )


def every_judgment_is_about_the_present_text(snapshot: Snapshot) -> Finding:
    return _finding(
        "changed-texts",
        [f"{query} {docno}" for query, docno in snapshot.shown_otherwise],
        in_order="Every judgment is about the text that its pair shows now.",
        message="Judged pairs that show another text now, or another mark of their facet: {count}. "
        "Their grades may not fit it.",
        how_to_mend="Undo the change to these documents, or to the labels of the facet. Or have "
        "both annotators open the pairs again and confirm or change their grades.",
    )


CHECKS: dict[str, Check] = {
    "empty": final_labels_exist,
    "ids": ids_fit_into_trec_files,
    "licence": a_licence_is_stated,
    "unresolved": every_case_is_decided,
    "unjudged-pairs": every_pair_is_judged,
    "unopened-queries": every_query_is_opened,
    "self-retrieved": no_query_paper_in_its_own_qrels,
    "provenance": every_label_has_a_source,
    "changed-texts": every_judgment_is_about_the_present_text,
}
NEVER_ACCEPTED = frozenset({"empty", "ids"})
ACCEPTABLE = tuple(check for check in CHECKS if check not in NEVER_ACCEPTED)


def _pairs(snapshot: Snapshot, standing: Standing) -> list[str]:
    return [f"{pair.query} {pair.docno}" for pair in snapshot.pairs if pair.standing is standing]


def _finding(
    check: str,
    wrong: Sequence[str],
    *,
    in_order: str,
    message: str,
    how_to_mend: str,
    can_accept: bool = True,
) -> Finding:
    if not wrong:
        return _in_order(check, in_order)
    return Finding(
        check=check,
        ok=False,
        message=message.format(count=len(wrong)),
        count=len(wrong),
        items=tuple(wrong[:SHOWN]),
        how_to_mend=how_to_mend,
        can_accept=can_accept,
    )


def _in_order(check: str, message: str) -> Finding:
    return Finding(check=check, ok=True, message=message)

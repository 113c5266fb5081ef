"""The checks before a version is published. Facts in, findings out. Pure.

Check names are stable, because scripts and manifests contain them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass

from bundle.options import LabelSource, Texts
from release.gate.facts import Facts, Faults


@dataclass(frozen=True, slots=True)
class Finding:
    """The result of a check: `count` problems, the first of them in `items`.

    With `can_accept` the collection can be published in spite of them, if the admin accepts it.
    """

    check: str
    ok: bool
    message: str
    count: int = 0
    items: tuple[str, ...] = ()
    how_to_fix: str = ""
    can_accept: bool = True


Check = Callable[[Facts], Finding]


def check_gate(facts: Facts) -> tuple[Finding, ...]:
    """Every check's finding, whether in order or not.

    A release of citations as labels has no judgments, so the checks of these are left out.
    """
    if facts.options.labels is LabelSource.JUDGED:
        return tuple(check(facts) for check in CHECKS.values())
    checks = CHECKS | CHECKS_OF_CITATIONS
    return tuple(check(facts) for name, check in checks.items() if name not in ABOUT_JUDGING)


def blocking_findings(findings: Sequence[Finding], accept: Collection[str]) -> tuple[Finding, ...]:
    """The findings that stop a release although the checks in `accept` are accepted."""
    return tuple(
        finding
        for finding in findings
        if not finding.ok and not (finding.can_accept and finding.check in accept)
    )


def final_labels_exist(facts: Facts) -> Finding:
    if facts.labels:
        return _in_order("empty", f"{facts.labels:,} final labels.")
    return Finding(
        check="empty",
        ok=False,
        message="There are no final labels, so the qrels would be empty.",
        how_to_fix="Have at least one query judged by both annotators.",
        can_accept=False,
    )


def citation_labels_exist(facts: Facts) -> Finding:
    if facts.labels:
        return _in_order("empty", f"{facts.labels:,} labels by citations.")
    return Finding(
        check="empty",
        ok=False,
        message="No query has a frozen pool with candidates, so the qrels would be empty.",
        how_to_fix="Build the pools and freeze them.",
        can_accept=False,
    )


def ids_fit_into_trec_files(facts: Facts) -> Finding:
    return _finding(
        "ids",
        facts.unwritable,
        in_order="Every id fits into a TREC file.",
        message="Names that the qrels files cannot hold: {count}. White space ends an id there, "
        "and `all` is the file with every facet.",
        how_to_fix="Import these documents under other ids, or give the facet another name.",
        can_accept=False,
    )


def a_licence_is_stated(facts: Facts) -> Finding:
    if facts.licence:
        return _in_order("licence", f"The licence is {facts.licence}.")
    return Finding(
        check="licence",
        ok=False,
        message="The collection states no licence, so users do not know how they may use it.",
        how_to_fix="State one in the collection's settings, as an SPDX identifier like CC-BY-4.0.",
    )


def the_texts_have_a_licence(facts: Facts) -> Finding:
    """It says which texts are in the release, too: that is the publisher's choice, never ours."""
    if not facts.options.texts.included:
        return _in_order(
            "corpus-licence", "The release contains document ids only, no titles and abstracts."
        )
    whole = facts.options.texts is Texts.CORPUS
    which = "all documents" if whole else "the queries and candidates"
    contents = f"The release contains the titles and abstracts of {which}"
    if facts.corpus_licence:
        return _in_order("corpus-licence", f"{contents}, licence {facts.corpus_licence}.")
    return Finding(
        check="corpus-licence",
        ok=False,
        message=f"{contents}, and the collection states no licence for these texts.",
        how_to_fix="State the licence of the texts in the collection's settings. Or publish "
        "document ids only.",
    )


def every_case_is_decided(facts: Facts) -> Finding:
    return _finding(
        "unresolved",
        facts.unresolved,
        in_order="Every disputed pair is decided.",
        message="Disputed pairs without a decision: {count}. The release leaves them out.",
        how_to_fix="Have an adjudicator decide them.",
    )


def every_pair_is_judged(facts: Facts) -> Finding:
    return _finding(
        "unjudged-pairs",
        facts.unjudged,
        in_order="Both annotators judged every pair of the opened queries.",
        message="Pairs without both judgments: {count}. The release leaves them out.",
        how_to_fix="Have the annotators finish these queries.",
    )


def every_query_is_opened(facts: Facts) -> Finding:
    return _finding(
        "unopened-queries",
        facts.unopened,
        in_order="Every query was opened for judging.",
        message="Queries never opened for judging: {count}. They have no labels.",
        how_to_fix="Open them for judging, or accept that they stay without labels.",
    )


def no_query_paper_in_its_own_qrels(facts: Facts) -> Finding:
    return _finding(
        "self-retrieved",
        facts.self_retrieved,
        in_order="No document is in the qrels of its own query.",
        message="Queries with their own query paper in their qrels: {count}. "
        "A system is rewarded there for finding what it was given.",
        how_to_fix="A frozen pool cannot drop it. Accept the finding, and the release tells its "
        "users. Or build the collection again without the query paper in its pool.",
    )


def every_query_has_a_relevant_document(facts: Facts) -> Finding:
    return _finding(
        "no-relevant",
        facts.without_relevant,
        in_order="Every query with labels has a relevant document.",
        message="Queries with labels, but without a relevant document: {count}. Every system gets "
        "the same score for them, and some tools leave them out of their means.",
        how_to_fix="Look at their labels and their pools. If no relevant document exists, accept "
        "the finding, and the release tells its users.",
    )


def no_text_is_twice_in_a_pool(facts: Facts) -> Finding:
    return _finding(
        "duplicates",
        facts.duplicates,
        in_order="No two documents to judge in one pool have the same text.",
        message="Documents whose text is more than once in a pool: {count}. A system that returns "
        "one of them is rewarded or punished again for the other.",
        how_to_fix="A frozen pool cannot drop them. Accept the finding, and the release tells its "
        "users. Or remove the duplicates from the corpus and build the collection again.",
    )


def no_report_is_older_than_the_labels(facts: Facts) -> Finding:
    return _finding(
        "old-reports",
        facts.old_reports,
        in_order="No report is out of date.",
        message="Reports that are out of date: {count}. The release leaves them out. The page of "
        "each says what changed since.",
        how_to_fix="Compute them again.",
    )


def every_label_has_a_source(facts: Facts) -> Finding:
    return _finding(
        "provenance",
        facts.without_source,
        in_order="Every labelled document has a recorded source.",
        message="Labels of documents whose source is not recorded: {count}. "
        "It is unknown which retrievers they favour.",
        how_to_fix="Import the pools with their sources.",
    )


def every_judgment_is_about_the_present_text(facts: Facts) -> Finding:
    return _finding(
        "changed-texts",
        facts.shown_otherwise,
        in_order="Every judgment is about the text that its pair shows now.",
        message="Judged pairs that show another text now, or another mark of their facet: {count}. "
        "Their grades may not fit it.",
        how_to_fix="Undo the change to these documents, or to the labels of the facet. Or have "
        "both annotators open the pairs again and confirm or change their grades.",
    )


def the_datasheet_is_answered(facts: Facts) -> Finding:
    return _finding(
        "datasheet",
        facts.unanswered,
        in_order="Every required question of the datasheet is answered.",
        message="Required questions of the datasheet without an answer: {count}. Reviewers and "
        "archives ask them.",
        how_to_fix="Answer them on the page Datasheet. An answer can be short, such as "
        "“No funding”.",
    )


def imported_judgments_have_their_own_folds(facts: Facts) -> Finding:
    """Folds that are made here give other figures than those of a publication."""
    if not facts.has_made_folds:
        return _in_order("made-folds", "No folds are made up for imported judgments.")
    return Finding(
        check="made-folds",
        ok=False,
        message="The judgments are imported, but the folds are made from the seed. Scores by these "
        "folds are not those that others report.",
        count=1,
        how_to_fix="Import the folds that were published with the judgments: `manage.py "
        "import_folds COLLECTION FILE`. If there are none, release without folds: `manage.py "
        "import_folds COLLECTION --make 0`. Or accept the finding, and the release says so.",
    )


def every_query_paper_has_a_positive(facts: Facts) -> Finding:
    return _finding(
        "no-relevant",
        facts.without_relevant,
        in_order="Every query with labels has a relevant document.",
        message="Queries without a known positive in their pool: {count}. All their labels are 0.",
        how_to_fix="Build the pools with `cited` or a run of known positives as a forced source.",
    )


CHECKS: dict[str, Check] = {
    "empty": final_labels_exist,
    "ids": ids_fit_into_trec_files,
    "licence": a_licence_is_stated,
    "corpus-licence": the_texts_have_a_licence,
    "unresolved": every_case_is_decided,
    "unjudged-pairs": every_pair_is_judged,
    "unopened-queries": every_query_is_opened,
    "no-relevant": every_query_has_a_relevant_document,
    "self-retrieved": no_query_paper_in_its_own_qrels,
    "duplicates": no_text_is_twice_in_a_pool,
    "provenance": every_label_has_a_source,
    "changed-texts": every_judgment_is_about_the_present_text,
    "datasheet": the_datasheet_is_answered,
    "old-reports": no_report_is_older_than_the_labels,
    "made-folds": imported_judgments_have_their_own_folds,
}
CHECKS_OF_CITATIONS: dict[str, Check] = {
    "empty": citation_labels_exist,
    "no-relevant": every_query_paper_has_a_positive,
}
# Not checked if labels are citations, because they do not depend on judgments.
ABOUT_JUDGING = frozenset(
    {
        *("unresolved", "unjudged-pairs", "unopened-queries", "duplicates"),
        *("changed-texts", "old-reports"),
    }
)
NEVER_ACCEPTED = frozenset({"empty", "ids"})
ACCEPTABLE = tuple(check for check in CHECKS if check not in NEVER_ACCEPTED)


def _finding(
    check: str,
    wrong: Faults,
    *,
    in_order: str,
    message: str,
    how_to_fix: str,
    can_accept: bool = True,
) -> Finding:
    if not wrong.count:
        return _in_order(check, in_order)
    return Finding(
        check=check,
        ok=False,
        message=message.format(count=f"{wrong.count:,}"),
        count=wrong.count,
        items=wrong.items,
        how_to_fix=how_to_fix,
        can_accept=can_accept,
    )


def _in_order(check: str, message: str) -> Finding:
    return Finding(check=check, ok=True, message=message)

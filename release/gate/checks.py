"""The checks before a version is published, each stated once.

Pages and releases ask the same checks: a page at the present moment, a release within the read that
it is made of. Names of checks are stable, because scripts and manifests contain them. The README's
sentence about a finding that was accepted is in `bundle/readme/exceptions.py`, without Django.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import NamedTuple

from bundle.findings import Finding
from bundle.options import LabelSource
from release.gate import citation_questions, questions
from release.gate.answers import Faults
from release.gate.context import GateContext


class FixedOn(NamedTuple):
    """The page where a finding is fixed, the text of the link, and the end of its address."""

    url_name: str
    caption: str
    end: str = ""


class Named(Enum):
    """The kinds of items of a finding, so that a page can link them."""

    QUERIES = "a query"
    QUERY_AND_DOCUMENT = "a query and a document"
    QUERY_PAPER_AND_DOCUMENT = "a query paper and a document"
    WORDS = "words"


@dataclass(frozen=True)
class GateCheck:
    """A question to the database, and the sentences about its answer.

    `{count}` stands for the number of faults in `message`. Other words in braces are the answer's
    own.
    """

    name: str
    ask: Callable[[GateContext], Faults]
    in_order: str
    message: str
    how_to_fix: str
    fixed_on: FixedOn
    can_accept: bool = True
    named: Named = Named.WORDS

    def finding(self, gate: GateContext) -> Finding:
        faults = self.ask(gate)
        if faults.ok:
            return Finding(self.name, ok=True, message=self.in_order.format(**faults.words))
        return Finding(
            check=self.name,
            ok=False,
            message=self.message.format(count=f"{faults.count:,}", **faults.words),
            count=faults.count,
            items=faults.items,
            how_to_fix=self.how_to_fix,
            can_accept=self.can_accept,
        )


def _by_name(*checks: GateCheck) -> dict[str, GateCheck]:
    return {check.name: check for check in checks}


MODEL_LABELS = "model-labels"
CHECKS = _by_name(
    GateCheck(
        "empty",
        questions.final_labels,
        in_order="{labels} final labels.",
        message="There are no final labels, so the qrels would be empty.",
        how_to_fix="Have at least one query judged by both annotators.",
        fixed_on=FixedOn("board", "View progress"),
        can_accept=False,
    ),
    GateCheck(
        "ids",
        questions.unwritable_names,
        in_order="Every id fits into a TREC file.",
        message="Names that the qrels files cannot hold: {count}. White space ends an id there, "
        "and `all` is the file with every facet.",
        how_to_fix="Import these documents under other ids, or give the facet another name.",
        fixed_on=FixedOn("documents", "View the documents"),
        can_accept=False,
    ),
    GateCheck(
        "licence",
        questions.licence,
        in_order="The licence is {licence}.",
        message="The collection states no licence, so users do not know how they may use it.",
        how_to_fix="State one in the collection's settings, as an SPDX identifier like CC-BY-4.0.",
        fixed_on=FixedOn("collection-settings", "State a licence", "#id_licence"),
    ),
    GateCheck(
        "corpus-licence",
        questions.corpus_licence,
        in_order="{contents}.",
        message="{contents}, and the collection states no licence for these texts.",
        how_to_fix="State the licence of the texts in the collection's settings. Or publish "
        "document ids only.",
        fixed_on=FixedOn("collection-settings", "State their licence", "#id_corpus_licence"),
    ),
    GateCheck(
        MODEL_LABELS,
        questions.people_with_labels_of_models,
        in_order="No annotator’s judgments are the labels of a model in the release.",
        message="Annotators whose judgments are all the labels of a model: {count}. Labels of a "
        "model must not be in ratings, splits or qrels.",
        how_to_fix="Have people judge these pairs, or publish without the labels of that model.",
        fixed_on=FixedOn("board", "View progress"),
        can_accept=False,
    ),
    GateCheck(
        "unresolved",
        questions.undecided_pairs,
        in_order="Every case is decided.",
        message="Cases without a decision: {count}. The release leaves them out.",
        how_to_fix="Have an adjudicator decide them.",
        fixed_on=FixedOn("board", "View progress"),
        named=Named.QUERY_AND_DOCUMENT,
    ),
    GateCheck(
        "unjudged-pairs",
        questions.unjudged_pairs,
        in_order="Both annotators judged every pair of the opened queries.",
        message="Pairs without both judgments: {count}. The release leaves them out.",
        how_to_fix="Have the annotators finish these queries.",
        fixed_on=FixedOn("board", "View progress"),
        named=Named.QUERY_AND_DOCUMENT,
    ),
    GateCheck(
        "unopened-queries",
        questions.unopened_queries,
        in_order="Every query was opened for judging.",
        message="Queries never opened for judging: {count}. They have no labels.",
        how_to_fix="Open them for judging, or accept that they stay without labels.",
        fixed_on=FixedOn("board", "Open queries", "?state=not-open"),
        named=Named.QUERIES,
    ),
    GateCheck(
        "unopened-candidates",
        questions.unopened_candidates,
        in_order="Every candidate of the opened queries has its pair.",
        message="Candidates of later pool rounds that were not opened for judging: {count}. They "
        "have no labels in these queries.",
        how_to_fix="Open the pool round for judging, or accept that its documents stay without "
        "labels.",
        fixed_on=FixedOn("pool-rounds", "View the pool rounds"),
        named=Named.QUERIES,
    ),
    GateCheck(
        "no-relevant",
        questions.queries_without_relevant,
        in_order="Every query with labels has a relevant document.",
        message="Queries with labels, but without a relevant document: {count}. Every system gets "
        "the same score for them, and some tools leave them out of their means.",
        how_to_fix="Look at their labels and their pools. If no relevant document exists, accept "
        "the finding, and the release tells its users.",
        fixed_on=FixedOn("board", "View progress"),
        named=Named.QUERIES,
    ),
    GateCheck(
        "self-retrieved",
        questions.self_retrieved,
        in_order="No document is in the qrels of its own query.",
        message="Queries with their own query paper in their qrels: {count}. "
        "A system is rewarded there for finding what it was given.",
        how_to_fix="A frozen pool cannot drop it. Accept the finding, and the release tells its "
        "users. Or build the collection again without the query paper in its pool.",
        fixed_on=FixedOn("pools", "View the pools"),
        named=Named.QUERIES,
    ),
    GateCheck(
        "duplicates",
        questions.duplicate_candidates,
        in_order="No two documents to judge in one pool have the same text.",
        message="Documents whose text is more than once in a pool: {count}. A system that returns "
        "one of them is rewarded or punished again for the other.",
        how_to_fix="A frozen pool cannot drop them. Accept the finding, and the release tells its "
        "users. Or remove the duplicates from the corpus and build the collection again.",
        fixed_on=FixedOn("pools", "View the pools"),
        named=Named.QUERY_PAPER_AND_DOCUMENT,
    ),
    GateCheck(
        "provenance",
        questions.pairs_without_source,
        in_order="Every labelled document has a recorded source.",
        message="Labels of documents whose source is not recorded: {count}. "
        "It is unknown which retrievers they favour.",
        how_to_fix="Import the pools with their sources.",
        fixed_on=FixedOn("pools", "View the pools"),
        named=Named.QUERY_AND_DOCUMENT,
    ),
    GateCheck(
        "changed-texts",
        questions.pairs_with_changed_texts,
        in_order="Every judgment is about the text that its pair shows now.",
        message="Judged pairs that show another text now, or another mark of their facet: {count}. "
        "Their grades may not fit it.",
        how_to_fix="Undo the change to these documents, or to the labels of the facet. Or have "
        "both annotators open the pairs again and confirm or change their grades.",
        fixed_on=FixedOn("documents", "View the documents"),
        named=Named.QUERY_AND_DOCUMENT,
    ),
    GateCheck(
        "owner-annotators",
        questions.owners_who_still_judge,
        in_order="An admin, who judges no more, can look at what is published.",
        message="The collection has no admin, only people who still judge in it: {count}.",
        how_to_fix="Let them end judging on the overview, when their queries are done. Or make "
        "another person an admin.",
        fixed_on=FixedOn("collection", "View the overview"),
        can_accept=False,
    ),
    GateCheck(
        "datasheet",
        questions.unanswered_questions,
        in_order="Every required question of the datasheet is answered.",
        message="Required questions of the datasheet without an answer: {count}. Reviewers and "
        "archives ask them.",
        how_to_fix="Answer them in the datasheet. An answer can be short, such as “No funding”.",
        fixed_on=FixedOn("datasheet", "Answer the questions", "#missing"),
    ),
    GateCheck(
        "old-reports",
        questions.reports_of_earlier_labels,
        in_order="No report is of earlier labels or folds.",
        message="Reports of earlier labels or folds: {count}. The release leaves them out, except "
        "for agreement, which it computes itself.",
        how_to_fix="Compute them again.",
        fixed_on=FixedOn("agreement", "View agreement"),
    ),
    GateCheck(
        "made-folds",
        questions.made_folds,
        in_order="No folds are made up for imported judgments.",
        message="The judgments are imported, but the folds are made from the seed. Scores by these "
        "folds are not those that others report.",
        how_to_fix="Import the folds that were published with the judgments, on the leaderboard or "
        "by the command `import_folds`. If there are none, make 0 folds. Or accept the finding, "
        "and the release says so.",
        fixed_on=FixedOn("leaderboard", "Change the folds", "?change=folds"),
    ),
)
# Not checked if labels are citations, because they do not depend on judgments.
ABOUT_JUDGING = frozenset(
    {
        *("unresolved", "unjudged-pairs", "unopened-queries", "unopened-candidates"),
        *("duplicates", "changed-texts", "old-reports"),
    }
)
CHECKS_OF_CITATIONS = {
    name: check for name, check in CHECKS.items() if name not in ABOUT_JUDGING
} | _by_name(
    replace(
        CHECKS["empty"],
        in_order="{labels} labels by citations.",
        message="No query has a frozen pool with candidates, so the qrels would be empty.",
        how_to_fix="Build the pools and freeze them.",
    ),
    replace(CHECKS["ids"], ask=citation_questions.unwritable_names),
    replace(
        CHECKS["no-relevant"],
        ask=citation_questions.queries_without_positive,
        message="Queries without a known positive in their pool: {count}. All their labels are 0.",
        how_to_fix="Build the pools with `cited` or a run of known positives as a forced source.",
    ),
    replace(CHECKS["self-retrieved"], ask=citation_questions.self_retrieved),
    replace(CHECKS["provenance"], ask=citation_questions.pairs_without_source),
)
ACCEPTABLE = tuple(name for name, check in CHECKS.items() if check.can_accept)


def check_gate(gate: GateContext) -> tuple[Finding, ...]:
    """Every check's finding, whether in order or not. Call it within a consistent read.

    A release of citations as labels has no judgments, so the checks of these are left out. Only one
    with labels of models is checked for them.
    """
    of_judgments = gate.options.labels is LabelSource.JUDGED
    checks = CHECKS if of_judgments else CHECKS_OF_CITATIONS
    with_models = bool(gate.options.model_labels)
    return tuple(
        check.finding(gate) for name, check in checks.items() if name != MODEL_LABELS or with_models
    )


def blocking_findings(findings: Sequence[Finding], accept: Collection[str]) -> tuple[Finding, ...]:
    """The findings that stop a release although the checks in `accept` are accepted."""
    return tuple(
        finding
        for finding in findings
        if not finding.ok and not (finding.can_accept and finding.check in accept)
    )

"""The findings that a version was published against, in sentences. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from bundle.readme.tables import listed

if TYPE_CHECKING:
    from bundle.findings import AcceptedFinding


# A release's own sentences: those of the page may change, and the README may not with them.
EXCEPTIONS = {
    "licence": "The collection states no licence.",
    "corpus-licence": "The collection states no licence for the texts of its documents.",
    "unresolved": "Disputed pairs without a decision: {count}. They are left out.",
    "unjudged-pairs": "Pairs without both judgments: {count}. They are left out.",
    "unopened-queries": "Queries never opened for judging: {count}. They have no labels.",
    "unopened-candidates": (
        "Candidates of later pool rounds that were not opened for judging: {count}. They have no "
        "labels in these queries."
    ),
    "self-retrieved": (
        "Queries with their own query paper in their qrels: {count}. A system is rewarded there "
        "for finding the query itself."
    ),
    "no-relevant": (
        "Queries with labels, but without a relevant document: {count}. Some tools leave them out "
        "of their means."
    ),
    "duplicates": "Documents whose text is more than once in a pool: {count}.",
    "old-reports": "Reports that were out of date: {count}. They are left out.",
    "made-folds": (
        "The judgments were imported, but the folds were made from the seed: scores by these folds "
        "are not those that others report."
    ),
    "provenance": "Labels of documents without a recorded source: {count}.",
    "changed-texts": (
        "Pairs whose text, or the mark of its facet, changed after they were judged: {count}. In "
        "`ratings.csv` their `presentation_digest` is that of the text that was judged."
    ),
    "datasheet": "Required questions of `datasheet.md` without an answer: {count}.",
}


def describe_exception(finding: AcceptedFinding) -> str:
    """A sentence; for a check of another version of the software, its name."""
    return EXCEPTIONS.get(finding.check, finding.check).format(count=finding.count)


def exceptions_section(accepted: Sequence[AcceptedFinding]) -> Iterator[str]:
    if not accepted:
        return
    yield "## Known exceptions"
    yield ""
    yield "These were found before publication and accepted:"
    yield ""
    for finding in accepted:
        named = f" ({listed(finding.items)})" if finding.items else ""
        more = " The first are shown." if finding.count > len(finding.items) else ""
        what = describe_exception(finding)
        yield f"- **{finding.check}**: {what}{named}{more} Reason: {finding.reason}"
    yield ""

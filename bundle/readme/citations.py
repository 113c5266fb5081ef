"""The README of a release whose labels are citations. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from bundle.citation_labels import CitationCounts
from bundle.layouts.mdcr import CANDIDATES

WARNING = (
    "**The labels of this release are citations, not judgments.** A label says whether the query "
    "paper cites a document. No person judged whether the document is relevant."
)

ABOUT_THE_RULE = """
- Every candidate in the pool of a query paper has a label, except those with an entry in `excluded`
  of `pools/pool.jsonl`, such as documents without text.
- The label is 1 if a source of known positives has the candidate, and otherwise 0.
- The table below has the sources of known positives. `cited` has all documents in the query paper's
  references. The others are runs of known positives, which the publisher chose.
- `pools/pool.jsonl` has all sources of each candidate, so the labels can be checked.
{facets}
A paper that is not cited can be relevant: its authors may not have known it. A cited paper can be
about something else. So these labels suit the comparison of systems over many queries. They do not
tell how good a single result is. A system that reads citations has seen the labels.
"""

ABOUT_FACETS = """
Citations do not know facets: **all queries of a query paper have the same labels.** Differences
between the facets of a system's scores come from its lists and from the choice of queries.
"""

ABOUT_GRADES = (
    "The grades are 0 (not cited) and 1 (cited, or a known positive). Grade 1 counts as relevant."
)

ABOUT_MDCR = """
`mdcr/candidates.json` has the form of MDCR's data set. Its keys are a field of science, a query
paper, and the type of the candidates: `true` are the known positives, and the others are the runs
that drew the negatives. By type, a system ranks the positives and the negatives of one type.
MDCR's evaluation takes AP, nDCG and R@5 of each query, then the mean over the queries of each
field, then the mean over the fields. Scores of a system are written as JSON:

    {"<query paper>_<candidate>": <score>, ...}
"""

LEFT_OUT = """
{texts}- Judgments and agreement: the labels do not come from people. If the collection was judged,
  its judgments are in another release.
"""


def citation_section(counts: CitationCounts, *, has_facets: bool) -> Iterator[str]:
    """The section on how the labels were made."""
    yield "## The labels are citations, not judgments"
    yield ABOUT_THE_RULE.format(facets=ABOUT_FACETS if has_facets else "")
    yield "| source of known positives | candidates with label 1 |"
    yield "| --- | --- |"
    for source, positives in counts.by_source.items():
        yield f"| `{source}` | {positives} |"
    yield ""
    yield (
        f"Candidates with label 1: {counts.positives}. With label 0: {counts.negatives}. "
        f"Query papers without a label 1: {counts.query_papers_without_positive}. "
        f"Label 1 that no reference of the collection confirms: {counts.not_cited}."
    )
    yield ""


def mdcr_section(names: Iterable[str]) -> Iterator[str]:
    """The section on reading `mdcr/`, if it is in the release."""
    if CANDIDATES in names:
        yield "## Candidates by type"
        yield ABOUT_MDCR

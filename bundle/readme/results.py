"""Agreement, scores of systems, and what the collection supports. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from textwrap import fill
from typing import Any

from agreement.coefficients import COEFFICIENTS, Missing
from bundle.content import Content
from bundle.datasheet.self_consistency import consistency_paragraph
from bundle.readme.tables import facet_table, listed
from bundle.records import ReleasedReports, ReleasedScope
from scoring.measures.scopes import Scope
from web.words import count_noun

ABOUT_REPORTS = """
`reports/agreement.json` has these numbers at full precision, `reports/agreement.csv` the same as a
table, and `reports/figures/` the figures. Both also have other coefficients, and a 95 % bootstrap
interval of each median over ten queries or more.
"""


ABOUT_EVALUATION = """
`reports/evaluation.json` has the scores of {systems} by the final labels of this release. Means
are over the queries with a relevant document. An interval is the 95 % t interval of the mean over
queries. `test` is the mean of the folds' means.
"""


ABOUT_SCOPES = """
The documents of a system's list that have no label can be treated in three ways. State which of
them you used, and compare only figures of the same one.
"""


OUT_OF_DATE = """
Reports that were out of date, and so are incomplete or not included:
{reports}.
"""


ABOUT_AGREEMENT = """
Medians over the queries{of_a_facet}. `pre` compares the two annotators. `post` is the mean of
comparing each of them with the final label, which is made from their judgments: it is not
independent agreement. Pairs with a missing judgment are left out. "Overruled" is the share of final
labels that neither annotator gave: the mean of this share over the queries, and the share of all
pairs{of_the_facet} together.
"""


ABOUT_QUESTIONS = """
The adjudicator asked both annotators to look at {pairs} again, in the same neutral words. `pre` is
of the judgments before the questions, `asked` of those after them. Judgments with another grade
since: {changed}. Pairs that agree only since: {agreed}. `annotations/questions.csv` has the grades
before the questions, and `annotations/ratings.csv` those after them.
"""


ABOUT_PROPOSALS = """
In queries of the facet {facet}{chosen}, annotators were told which grade the steps that they marked
suggest, after their own grade was saved. {answers} `annotations/proposals.csv` has the
first grades and the proposals, and `reports/alignment.json` the agreement and speed of both groups.
"""


ABOUT_ADVICE = """
{judgments} of {pairs} {were} made after an admin answered a question of a judge about this pair.
`annotations/help_requests.csv` lists them. The two judges gave the same grade to {same:,} of
{these}, and to {others_same:,} of {others}.
"""


def agreement_sections(content: Content) -> Iterator[Iterable[str]]:
    if not content.snapshot.of_citations:
        yield _agreement(
            content.agreement[Missing.EXCLUDE],
            has_facets=content.snapshot.collection.has_facets,
        )
        yield _advice_paragraph(content)
        yield consistency_paragraph(content.snapshot.reports)
        yield _proposals_paragraph(content.snapshot.reports.current.get("alignment"))


def _proposals_paragraph(report: Mapping[str, Any] | None) -> Iterator[str]:
    if report is None:
        return
    proposals = report["proposals"]
    answers = [
        f"Of {count_noun(proposals['proposals'], 'proposal')}, {proposals['differed']:,} differed "
        f"from the own grade and {proposals['followed']:,} were followed."
    ]
    for row in report["measures"]:
        if row["measure"] in ("kappa", "percent") and row["difference"] is not None:
            with_, without = (
                count_noun(row[key], "query", "queries")
                for key in ("queries_with", "queries_without")
            )
            answers.append(
                f"The median {row['measure']} with proposals is {row['with']:.4f} ({with_}), "
                f"without them {row['without']:.4f} ({without}); randomization test, "
                f"p = {row['p']:.4f}."
            )
    chosen = " that lots chose" if report["queries"] else ""
    text = ABOUT_PROPOSALS.format(facet=report["facet"], chosen=chosen, answers=" ".join(answers))
    yield fill(text.strip(), 100)
    yield ""


def _advice_paragraph(content: Content) -> Iterator[str]:
    """The number of judgments after an answer, and agreement on their pairs and on others."""
    advised = content.snapshot.advised
    if not advised:
        return
    with_advice = {judgment[:2] for judgment in advised}
    counts = {True: [0, 0], False: [0, 0]}  # pairs with both grades, and those with the same
    for pair in content.snapshot.pairs:
        if pair.first is not None and pair.second is not None:
            count = counts[(pair.query, pair.docno) in with_advice]
            count[0] += 1
            count[1] += pair.first == pair.second
    text = ABOUT_ADVICE.format(
        judgments=count_noun(len(advised), "judgment"),
        were="was" if len(advised) == 1 else "were",
        pairs=count_noun(len(with_advice), "pair"),
        same=counts[True][1],
        these=f"{count_noun(counts[True][0], 'such pair')} with two grades",
        others_same=counts[False][1],
        others=count_noun(counts[False][0], "other pair"),
    )
    yield fill(text.strip(), 100)
    yield ""


def _agreement(payload: Mapping[str, Any], *, has_facets: bool) -> Iterator[str]:
    yield "## Agreement"
    yield ABOUT_AGREEMENT.format(
        of_a_facet=" of a facet" if has_facets else "",
        of_the_facet=" of the facet" if has_facets else "",
    )
    keys = [coefficient.key for coefficient in COEFFICIENTS]
    table = [
        ["facet", "stage", "queries", "pairs", *keys, "overruled, mean", "overruled, pooled"],
        *(
            [
                row["facet"],
                row["stage"],
                str(row["queries"]),
                str(row["pairs"]),
                *(_median(row, key) for key in keys),
                *(
                    "undefined" if row[share] is None else f"{row[share]:.2%}"
                    for share in ("overruled_mean", "overruled")
                ),
            ]
            for row in payload["facets"]
            if row["queries"]
        ),
    ]
    yield from facet_table(table, has_facets=has_facets)
    questions = payload.get("questions", [])
    if questions:
        pairs, changed, agreed = (
            sum(row[key] for row in questions) for key in ("pairs", "changed", "agreed")
        )
        yield ABOUT_QUESTIONS.format(
            pairs=count_noun(pairs, "pair"),
            changed=f"{changed:,}",
            agreed=f"{agreed:,}",
        )
    yield ABOUT_REPORTS.lstrip()


def _median(row: Mapping[str, Any], key: str) -> str:
    value, defined = row["median"][key], row["defined"][key]
    if value is None:
        return "undefined"
    return f"{value:.4f}" + ("" if defined == row["queries"] else f" ({defined} queries)")


def evaluation_section(reports: ReleasedReports) -> Iterator[str]:
    """The section on the scores, and on reports that are left out."""
    evaluation = reports.current.get("evaluation")
    if not evaluation and not reports.out_of_date:
        return
    yield "## Evaluation"
    if evaluation:
        profiles = evaluation["profiles"].values()
        systems = {row["system"] for profile in profiles for row in profile["systems"]}
        yield ABOUT_EVALUATION.format(systems=count_noun(len(systems), "system"))
    if reports.out_of_date:
        yield OUT_OF_DATE.format(reports=listed(reports.out_of_date))


def supports_section(scopes: Sequence[ReleasedScope], paragraph: str) -> Iterator[str]:
    """`paragraph` is of the report on pool bias, and the reason of a scope or none."""
    if not scopes and not paragraph:
        return
    yield "## What it supports"
    yield ""
    if scopes:
        yield ABOUT_SCOPES.lstrip()
        for scope in scopes:
            about = Scope(scope.scope).description
            yield f"- **{scope.scope.capitalize()}** ({about}): {scope.answer}. {reason_of(scope)}"
        yield ""
    if paragraph and " ".join(paragraph.split()) not in {scope.reason for scope in scopes}:
        yield paragraph
        yield ""


def reason_of(scope: ReleasedScope) -> str:
    """The reason as a sentence."""
    return f"{scope.reason[:1].upper()}{scope.reason[1:].removesuffix('.')}."

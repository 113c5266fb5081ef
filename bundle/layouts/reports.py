"""`reports/`: what was computed from the judgments, as numbers and as figures."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from agreement.coefficients import Missing
from agreement.figures import figures_of as agreement_figures
from agreement.tables import QueryLines, as_csv, coefficient_to_plot
from bundle.formats import records as formats
from bundle.layouts.content import Content, FileNote, Files
from bundle.zip.draft_files import DraftFolder
from evaluation.citations.figures import citation_figures
from evaluation.label_effects.figures import label_figures
from evaluation.pool_bias.computation.leave_out import UNIQUE
from evaluation.pool_bias.figures import figures_of as pool_bias_figures
from web.figure_files import svg_of
from web.figures import Figure

Payload = Mapping[str, Any]

FILES = (
    FileNote("reports/agreement.json", "agreement, pairs with a missing judgment left out"),
    FileNote(
        "reports/agreement.missing-zero.json",
        "agreement, a missing judgment counted as grade 0",
    ),
    FileNote("reports/agreement.csv", "the numbers of `reports/agreement.json` by facet and query"),
    FileNote(
        "reports/evaluation.json",
        "the scores of systems: means by facet and split, 95 % intervals, the mean of each fold",
    ),
    FileNote("reports/pool_bias.json", "how far the pools can be trusted for new systems"),
    FileNote("reports/label_effects.json", "the ranking of systems under each annotator's labels"),
    FileNote("reports/cited_papers.json", "the grades of cited papers, and citations as labels"),
    FileNote("reports/figures/<name>.svg", "the figures of these reports"),
)


def write(folder: DraftFolder, content: Content) -> Files:
    """Citations as labels have no agreement."""
    if content.snapshot.of_citations:
        return {}
    reports = content.snapshot.reports.current
    files: Files = {
        "reports/agreement.json": formats.write_json(content.agreement[Missing.EXCLUDE]),
        "reports/agreement.missing-zero.json": formats.write_json(content.agreement[Missing.ZERO]),
        "reports/agreement.csv": as_csv(content.agreement[Missing.EXCLUDE]).encode(),
    }
    for key, report in reports.items():
        files[report_file(key)] = formats.write_json(report)
    for name, figure in _figures(content, reports):
        files[f"reports/figures/{name}.svg"] = svg_of(figure).encode()
    return files


def report_file(key: str) -> str:
    """The file of a stored report."""
    return f"reports/{key}.json"


def _figures(content: Content, reports: Payload) -> Iterator[tuple[str, Figure]]:
    """Each figure with its name: those of the pages with their first choices."""
    names = {facet.key: facet.name for facet in content.snapshot.collection.facets}
    for figure in _of_agreement(content, names):
        yield f"agreement-{figure.name}", figure
    if bias := reports.get("pool_bias"):
        for figure in pool_bias_figures(bias, bias["measures"][0]["name"], UNIQUE):
            yield f"pool_bias-{figure.name}", figure
    for number, effects in enumerate(reports.get("label_effects", ()), start=1):
        for figure in label_figures(effects):
            yield f"label_effects-{figure.name}-{number}", figure
    for cited in reports.get("cited_papers", ())[:1]:  # the figure is of no measure
        for figure in citation_figures(cited, names):
            yield f"cited_papers-{figure.name}", figure


def _of_agreement(content: Content, names: Mapping[str, str]) -> Sequence[Figure]:
    queries = QueryLines.of(content.agreement[Missing.EXCLUDE], coefficient_to_plot("", ""))
    return agreement_figures(queries, content.confusion, names)

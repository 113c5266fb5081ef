"""The figures of the reports of a release. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from agreement.coefficients import Missing
from agreement.figures import figures_of as agreement_figures
from agreement.tables import QueryLines, coefficient_to_plot
from bundle.content import Content
from evaluation.citations.figures import citation_figures
from evaluation.label_effects.figures import label_figures
from evaluation.pool_bias.computation.leave_out import UNIQUE
from evaluation.pool_bias.figures import figures_of as pool_bias_figures
from web.figure_files import svg_of
from web.figures import Figure


def report_figures(content: Content) -> Iterator[tuple[str, str]]:
    """The name and the SVG of each figure: those of the pages with their first choices."""
    return ((name, svg_of(figure)) for name, figure in _figures(content))


def _figures(content: Content) -> Iterator[tuple[str, Figure]]:
    reports = content.snapshot.reports.current
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

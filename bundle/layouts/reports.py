"""`reports/`: what was computed from the judgments, as numbers and as figures."""

from __future__ import annotations

from bundle.content import Content, FileNote, Files
from bundle.formats import records as formats
from bundle.zip.draft_files import DraftFolder

FOLDER, FIGURES = "reports/", "reports/figures/"
AGREEMENT, MISSING_ZERO = "reports/agreement.json", "reports/agreement.missing-zero.json"
AGREEMENT_TABLE = "reports/agreement.csv"


def report_file(key: str) -> str:
    """The file of a stored report."""
    return f"{FOLDER}{key}.json"


FILES = (
    FileNote(AGREEMENT, "agreement, pairs with a missing judgment left out"),
    FileNote(MISSING_ZERO, "agreement, a missing judgment counted as grade 0"),
    FileNote(AGREEMENT_TABLE, "the numbers of `reports/agreement.json` by facet and query"),
    FileNote(
        report_file("evaluation"),
        "the scores of systems: means by facet and split, 95 % intervals, the mean of each fold",
    ),
    FileNote(report_file("pool_bias"), "how far the pools can be trusted for new systems"),
    FileNote(report_file("label_effects"), "the ranking of systems under each annotator's labels"),
    FileNote(
        report_file("round_effects"),
        "the ranking of systems under the labels of the first pool rounds, and of all",
    ),
    FileNote(
        report_file("self_consistency"),
        "how far annotators gave the same grade to a pair that came a second time",
    ),
    FileNote(
        report_file("alignment"),
        "agreement in queries with and without grades that the marked steps suggest",
    ),
    FileNote(report_file("cited_papers"), "the grades of cited papers, and citations as labels"),
    FileNote(
        report_file("display_proof"),
        "how many judgments have the digest of what the stored texts show, by facet",
    ),
    FileNote(
        report_file("blindness"),
        "the number of pages and API answers that were searched for what judges must not know",
    ),
    FileNote(f"{FIGURES}<name>.svg", "the figures of these reports"),
)


def write(folder: DraftFolder, content: Content) -> Files:
    """Citations as labels have no agreement."""
    if content.snapshot.of_citations:
        return {}
    # These need Django.
    from agreement.coefficients import Missing
    from agreement.tables import as_csv
    from bundle.formats.report_figures import report_figures

    files: Files = {
        AGREEMENT: formats.write_json(content.agreement[Missing.EXCLUDE]),
        MISSING_ZERO: formats.write_json(content.agreement[Missing.ZERO]),
        AGREEMENT_TABLE: as_csv(content.agreement[Missing.EXCLUDE]).encode(),
    }
    for key, report in content.snapshot.reports.current.items():
        files[report_file(key)] = formats.write_json(report)
    for name, svg in report_figures(content):
        files[f"{FIGURES}{name}.svg"] = svg.encode()
    return files

"""`reports/`: what was computed from the judgments."""

from __future__ import annotations

from agreement.coefficients import Missing
from release import formats
from release.draft_files import DraftFolder
from release.layouts.content import Content, FileNote, Files

FILES = (
    FileNote("reports/agreement.json", "agreement, pairs with a missing judgment left out"),
    FileNote(
        "reports/agreement.missing-zero.json",
        "agreement, a missing judgment counted as grade 0",
    ),
)


def write(folder: DraftFolder, content: Content) -> Files:
    """Citations as labels have no agreement."""
    if content.snapshot.of_citations:
        return {}
    return {
        "reports/agreement.json": formats.write_json(content.agreement[Missing.EXCLUDE]),
        "reports/agreement.missing-zero.json": formats.write_json(content.agreement[Missing.ZERO]),
    }

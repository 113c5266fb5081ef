"""`datasheet.md`: what a reviewer asks, answered by the admin or from the data."""

from __future__ import annotations

from collections.abc import Iterator

from bundle.content import Content, FileNote, Files
from bundle.datasheet.facts import OF_SECTIONS
from bundle.datasheet.markdown import escaped, paragraphs
from bundle.datasheet.questions import SECTIONS, DatasheetSection, questions_of
from bundle.zip.draft_files import DraftFolder

NAME = "datasheet.md"
FILES = (FileNote(NAME, "why, how and by whom the collection was made, and what it is good for"),)
OPENING = (
    "The lists and tables are computed from the data. The paragraphs are answers by the "
    "publisher of this release. The questions follow Datasheets for Datasets (Gebru et al. "
    "2021) and Data Statements (Bender and Friedman 2018)."
)
NOTHING = "Nothing is recorded."


def write(folder: DraftFolder, content: Content) -> Files:
    name = escaped(content.snapshot.collection.name)
    lines = [f"# Datasheet of {name}, version {escaped(content.version)}", "", OPENING, ""]
    for section in SECTIONS:
        inside = [*_facts(section, content), *_answers(section, content)]
        lines += [f"## {section.title}", "", *(inside or [NOTHING, ""])]
    return {NAME: "\n".join(lines).encode()}


def _facts(section: DatasheetSection, content: Content) -> Iterator[str]:
    lines = list(OF_SECTIONS[section.key](content))
    yield from lines
    if lines and lines[-1]:
        yield ""


def _answers(section: DatasheetSection, content: Content) -> Iterator[str]:
    sheet, judged = content.snapshot.datasheet, not content.snapshot.of_citations
    for question in questions_of(section, dates_known=sheet.dates_known, judged=judged):
        text = sheet.answers.get(question.key, "")
        if not text and not question.required:
            continue
        yield f"### {question.label}"
        yield ""
        yield from paragraphs(text or "Not answered.")

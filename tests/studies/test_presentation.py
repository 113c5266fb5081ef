from dataclasses import replace

import pytest

from corpus.formats.full_texts import FullTextSection
from studies.presentation import FullTextPresentation, ShownFullText, shown_full_text

ABSTRACT = "We propose a parser for long sentences. It is faster than others by far."


def shown(*sections: FullTextSection) -> tuple[FullTextSection, ...]:
    return shown_full_text("Title", sections, "", ABSTRACT).sections


@pytest.mark.parametrize("heading", ["Abstract", "ABSTRACT.", "0 Abstract", "I. Abstract"])
def test_a_section_called_abstract_is_not_shown(heading):
    assert shown(
        FullTextSection(heading, ("Other words.",)), FullTextSection("2 Method", ("We do.",))
    ) == (FullTextSection("2 Method", ("We do.",)),)


def test_paragraphs_with_the_abstract_or_a_part_of_it_are_not_shown():
    front_matter = f"Abstract—{ABSTRACT.upper()} Keywords: parsing"
    part = "we propose a parser for long sentences; it is"

    assert shown(
        FullTextSection("", (front_matter, part, "We propose a parser.")),
    ) == (FullTextSection("", ("We propose a parser.",)),)


def test_a_text_with_nothing_but_the_abstract_is_empty():
    assert shown_full_text("T", [FullTextSection("", (ABSTRACT,))], "", ABSTRACT).is_empty


def test_the_digest_depends_on_everything_that_is_shown():
    text = ShownFullText("Title", (FullTextSection("1", ("Text.",)),), "")
    pair = FullTextPresentation("q_method", "method", text, "d1", text, 1)
    others = [
        replace(pair, query=replace(text, title="Other")),
        replace(pair, candidate=replace(text, sections=(FullTextSection("1", ("Text!",)),))),
        replace(pair, candidate=replace(text, pdf_url="https://a.org")),
        replace(pair, docno="d2"),
        replace(pair, query_name="q_result"),
        replace(pair, facet="result"),
        replace(pair, guideline_version=2),
    ]

    assert len({presentation.digest for presentation in [pair, *others]}) == 8
    assert [presentation.is_timed for presentation in (pair, others[2])] == [True, False]

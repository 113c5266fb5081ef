"""The questions of a datasheet, in our words, by section. Pure.

After Gebru et al. (Datasheets for Datasets, 2021) and Bender & Friedman (Data Statements, 2018).
Facts that the database has are not asked: see `facts`.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from enum import StrEnum
from typing import NamedTuple


class AnswerKind(StrEnum):
    """TEXT has paragraphs, LINE is one line. AUTHORS has an author on each line, DATE a day."""

    TEXT = "text"
    LINE = "line"
    DATE = "date"
    AUTHORS = "authors"


class Question(NamedTuple):
    """A question with what to write and an example. `label` names it on pages and in findings.

    A release whose labels are citations is not asked what is `about_judging`: no person judged.
    """

    key: str
    label: str
    hint: str
    example: str = ""
    required: bool = True
    kind: AnswerKind = AnswerKind.TEXT
    about_judging: bool = False


class DatasheetSection(NamedTuple):
    """`filled_in` names what a release adds to the answers by itself."""

    key: str
    title: str
    filled_in: str
    questions: tuple[Question, ...]


MOTIVATION = DatasheetSection(
    "motivation",
    "Motivation",
    "The description in the settings.",
    (
        Question(
            "purpose",
            "Why the collection was made",
            "Write the task, and the gap that existing collections leave.",
            "To compare systems that find papers with a similar method. Other collections judge "
            "whole papers.",
        ),
        Question(
            "funding",
            "Who paid for the work",
            "Name funders and grants. Write “No funding” if there was none.",
            "A university's own budget. No external grant.",
        ),
    ),
)
COMPOSITION = DatasheetSection(
    "composition",
    "Composition",
    "Numbers of queries, candidates, documents and labels by grade; years; splits.",
    (
        Question(
            "representation",
            "What the documents stand for",
            "Write what they are a sample of, and what is missing or too frequent.",
            "Abstracts of English papers in linguistics. Papers without an abstract are missing.",
            required=False,
        ),
        Question(
            "sensitive_content",
            "Personal or offensive content",
            "Write whether texts are about identifiable people, or may offend or harm readers.",
            "None is known. The authors of the papers are named, as they are in the papers.",
        ),
    ),
)
COLLECTION = DatasheetSection(
    "collection",
    "Collection process",
    "Strategies and sources of the pools, exclusions, days, hours and pace of judging, agreement.",
    (
        Question(
            "collection_dates",
            "When the judgments were made",
            "Write the first and the last month. Judgments were imported, so their days are not "
            "recorded here.",
            "March to May 2026.",
            kind=AnswerKind.LINE,
            about_judging=True,
        ),
        Question(
            "ethics_review",
            "Ethics review",
            "Write which board decided what, or why no review was needed.",
            "The university's board decided that no review was needed, because annotators only "
            "read published texts.",
        ),
        Question(
            "consent",
            "Consent of the annotators",
            "Write what annotators were told, and how they agreed to the publication.",
            "All annotators signed a form. It says that their grades are published under "
            "pseudonyms.",
            about_judging=True,
        ),
        Question(
            "recruitment",
            "How annotators were found and trained",
            "Write who could take part, the training, and how you knew that it was enough.",
            "Doctoral students who answered a call. Each judged two training queries, and we "
            "discussed every difference.",
            required=False,
            about_judging=True,
        ),
        Question(
            "pay",
            "Pay for each hour",
            "Write amount and currency. Write “Unpaid” and why, if no annotators were paid.",
            "15 EUR an hour.",
            kind=AnswerKind.LINE,
            about_judging=True,
        ),
    ),
)
PREPROCESSING = DatasheetSection(
    "preprocessing",
    "Preprocessing",
    "The imports of documents, and how many each filter left out.",
    (
        Question(
            "preprocessing",
            "Changes to the texts before the import",
            "Write how texts were cleaned, split or labelled, and where the raw data are.",
            "Abstracts were taken from the publisher's XML. Formulas were replaced by a "
            "placeholder.",
            required=False,
        ),
    ),
)
USES = DatasheetSection(
    "uses",
    "Uses",
    "What the report on pool bias supports, and accepted exceptions.",
    (
        Question(
            "recommended_uses",
            "Recommended uses",
            "Write what the collection is for.",
            "Comparing systems that rank papers for a paper.",
        ),
        Question(
            "discouraged_uses",
            "Discouraged uses",
            "Write what it must not be used for, and which conclusions it does not support.",
            "Judging the quality of papers or of their authors. Training of large models.",
        ),
        Question(
            "earlier_uses",
            "Earlier uses",
            "Write papers or systems that used it, with their addresses.",
            required=False,
        ),
    ),
)
DISTRIBUTION = DatasheetSection(
    "distribution",
    "Distribution",
    "Both licences, which are in the settings, and the version.",
    (
        Question(
            "rights",
            "Rights to texts and judgments",
            "Write who holds them, and why you may publish what is in the release.",
            "The publisher allows reuse of the abstracts under CC BY 4.0. The judgments are ours.",
        ),
        Question(
            "authors",
            "Authors of the collection",
            "One on each line: family name, comma, given names; affiliation; ORCID. They are "
            "published in the citation files. The last two may be left out.",
            "Carberry, Josiah; Brown University; 0000-0002-1825-0097",
            required=False,
            kind=AnswerKind.AUTHORS,
        ),
        Question(
            "address",
            "Address of the release",
            "A DOI or web address where readers find it, if it is known already.",
            "10.5281/zenodo.1234567",
            required=False,
            kind=AnswerKind.LINE,
        ),
        Question(
            "paper",
            "Paper about the collection",
            "A DOI or web address of a paper to cite.",
            "10.1145/1234567.1234568",
            required=False,
            kind=AnswerKind.LINE,
        ),
        Question(
            "keywords",
            "Keywords",
            "Separate them by commas.",
            "test collection, scientific papers",
            required=False,
            kind=AnswerKind.LINE,
        ),
        Question(
            "released_on",
            "Day of the release",
            "As year-month-day. Without it, the citation files have no date.",
            "2026-06-30",
            required=False,
            kind=AnswerKind.DATE,
        ),
    ),
)
MAINTENANCE = DatasheetSection(
    "maintenance",
    "Maintenance",
    "That a published version never changes.",
    (
        Question(
            "contact",
            "Contact",
            "An address that answers in some years, too. It is published.",
            "ir-data@example.org",
            kind=AnswerKind.LINE,
        ),
        Question(
            "maintainer",
            "Who maintains it",
            "Name the group or the institution, and for how long it does so.",
            "The library of the university, at least until 2031.",
        ),
        Question(
            "erratum_policy",
            "Errors",
            "Write how readers report an error, and how you correct it.",
            "Write to the contact. Corrections are in the next version and in its changelog.",
        ),
        Question(
            "updates",
            "New versions",
            "Write when new versions appear, and how long old ones stay available.",
            "No fixed dates. All versions stay at the address above.",
            required=False,
        ),
    ),
)
PEOPLE = DatasheetSection(
    "people",
    "Language and people",
    "What annotators say of themselves, in groups.",
    (
        Question(
            "language",
            "Language of the texts",
            "Name each language and variety, if you know it.",
            "English, mostly by writers with another first language.",
            kind=AnswerKind.LINE,
        ),
        Question(
            "text_authors",
            "Who wrote the texts",
            "Write what is known of the writers as a group, and for which readers they wrote.",
            "Researchers, for other researchers.",
            required=False,
        ),
        Question(
            "annotators",
            "Who judged",
            "Write what readers should know of the annotators as a group. Do not name them.",
            "Two doctoral students and two hired annotators with a degree in the field.",
            required=False,
            about_judging=True,
        ),
    ),
)

SECTIONS = (
    *(MOTIVATION, COMPOSITION, COLLECTION, PREPROCESSING),
    *(USES, DISTRIBUTION, MAINTENANCE, PEOPLE),
)
QUESTIONS = {question.key: question for section in SECTIONS for question in section.questions}
DATES = "collection_dates"  # not asked if the database knows the days


def questions_of(
    section: DatasheetSection, *, dates_known: bool, judged: bool = True
) -> tuple[Question, ...]:
    """The questions to ask. The labels are judgments, or citations if not `judged`."""
    return tuple(
        question
        for question in section.questions
        if (question.key != DATES or not dates_known) and (judged or not question.about_judging)
    )


def required_questions(*, dates_known: bool, judged: bool = True) -> tuple[Question, ...]:
    return tuple(
        question
        for section in SECTIONS
        for question in questions_of(section, dates_known=dates_known, judged=judged)
        if question.required
    )


def unanswered(
    answered: Collection[str] | Mapping[str, str], *, dates_known: bool, judged: bool = True
) -> list[str]:
    """The labels of the required questions whose keys are not among those answered."""
    return [
        question.label
        for question in required_questions(dates_known=dates_known, judged=judged)
        if question.key not in answered
    ]

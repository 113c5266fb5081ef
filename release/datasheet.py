"""The questions of the datasheet, after Gebru et al. (Datasheets for Datasets, 2021), in our own words.

What the database knows (sizes, sources, agreement, versions) is not asked: a release adds it by itself.
"""

from __future__ import annotations

from dataclasses import dataclass

from django.db import transaction

from accounts.models import Collection
from accounts.services import lock_collection
from release.models import Datasheet
from web.errors import BadInput

LONGEST_ANSWER = 5000  # characters


@dataclass(frozen=True)
class Question:
    key: str
    label: str
    help: str
    required: bool = True


SECTIONS: dict[str, list[Question]] = {
    "Motivation": [
        Question("purpose", "Why was it made?", "The task, and what existing collections lack."),
        Question("creators", "Who made it?", "People or groups, and for which institution."),
        Question("funding", "Who paid for it?", "Funders and grants, or “No funding”."),
    ],
    "Composition": [
        Question("documents", "What are the documents?", "What they are a sample of, and what is missing from it."),
        Question("language", "Which language are they in?", "Such as “English, mostly by second-language writers”."),
        Question("noise", "What is known to be wrong in it?", "Such as “Cut abstracts, wrong labels”.", required=False),
        Question("splits", "How are results to be reported?", "Splits, measures, significance tests.", required=False),
        Question("sensitive", "Is anything personal or offensive in them?", "Such as “None known; authors are named”."),
    ],
    "Collection": [
        Question("queries", "How were the queries chosen?", "By whom, from what, and by which criteria."),
        Question("annotators", "Who judged?", "As a group: training, subject, first languages. Name nobody."),
        Question("pay", "What were they paid?", "Such as “15 EUR an hour”, or “Unpaid, part of their studies”."),
        Question("consent", "What did they agree to?", "What they were told about publishing their judgments."),
        Question("dates", "When was it judged?", "Such as “March to May 2026”.", required=False),
        Question("ethics", "Was there an ethics review?", "Which board decided what, or why none was needed."),
    ],
    "Preprocessing": [
        Question("preprocessing", "What was done to the texts?", "Cleaning, splitting, labelling.", required=False),
    ],
    "Uses": [
        Question("uses", "What is it for?", "Such as “Comparing systems that find papers with a similar method”."),
        Question("misuses", "What should it not be used for?", "Conclusions that it does not support."),
        Question("earlier_uses", "Who has used it?", "Papers or systems, with their addresses.", required=False),
    ],
    "Distribution": [
        Question("rights", "Who holds the rights to the texts?", "And why you may publish what the release contains."),
        Question("citation", "How should it be cited?", "Authors, title, DOI or address.", required=False),
    ],
    "Maintenance": [
        Question("contact", "Who answers questions?", "An address that works in some years, too. It is published."),
        Question("errors", "What becomes of reported errors?", "How to report one, and when corrections appear."),
    ],
}
QUESTIONS = {question.key: question for questions in SECTIONS.values() for question in questions}


def answers_of(collection: Collection) -> dict[str, str]:
    """The answers that are not empty, by question."""
    sheet = Datasheet.objects.filter(collection=collection).first()
    answers = sheet.answers if sheet else {}
    return {key: answers[key] for key in QUESTIONS if answers.get(key)}


def unanswered(collection: Collection) -> list[str]:
    """The required questions without an answer."""
    answers = answers_of(collection)
    return [each.label for each in QUESTIONS.values() if each.required and each.key not in answers]


@transaction.atomic
def save_answers(*, collection: Collection, answers: dict[str, str]) -> Datasheet:
    """Keep these answers; questions that are not named keep theirs."""
    lock_collection(collection)
    if unknown := set(answers) - set(QUESTIONS):
        raise BadInput(f"The datasheet has no question {min(unknown)!r}.")
    for key, answer in answers.items():
        if len(answer) > LONGEST_ANSWER:
            raise BadInput(f"An answer has at most {LONGEST_ANSWER:,} characters, “{QUESTIONS[key].label}” has more.")
    sheet, _ = Datasheet.objects.get_or_create(collection=collection)
    sheet.answers |= {key: answer.strip() for key, answer in answers.items()}
    sheet.save()
    return sheet

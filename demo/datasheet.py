"""Datasheet answers for the demo and the sample data, which say that both are invented."""

from __future__ import annotations

from accounts.models import Collection
from release.datasheets.services import save_answers

ANSWERS = {
    "purpose": "To show how Qrelsmith works. It does not compare systems.",
    "funding": "No funding.",
    "sensitive_content": "None. The abstracts are invented and name no people.",
    "ethics_review": "None was needed, because no people take part and the texts are invented.",
    "consent": "The judgments that came with the demo were made by a rule, so no consent was "
    "needed. Judgments that were added since were made by people who tried the demo.",
    "pay": "Unpaid, because no annotators were hired.",
    "recommended_uses": "Trying out Qrelsmith, and testing programs that read its releases.",
    "discouraged_uses": "Every comparison of systems, and every statement about people or papers.",
    "rights": "The abstracts were invented for Qrelsmith and are in the public domain (CC0).",
    "contact": "The administrator of this server.",
    "maintainer": "The administrator of this server, for as long as the demo exists.",
    "erratum_policy": "Errors are not corrected, because the data are invented.",
    "language": "English.",
    "annotators": "A rule graded most pairs: the more sources found a candidate, the higher.",
}


def answer_datasheet(collection: Collection) -> None:
    save_answers(collection=collection, answers=ANSWERS, answered_by=None)

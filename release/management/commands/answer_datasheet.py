"""Answer questions of a collection's datasheet from a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from bundle.datasheet.questions import SECTIONS, questions_of
from release.datasheets.current import answers_of, dates_known, missing_answers
from release.datasheets.services import save_answers


class Command(ProjectCommand):
    help = (
        "Answer questions of a collection's datasheet. Without a file, print the answers of all "
        "questions as JSON, to be filled in."
    )
    stage = "Release"

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "file",
            nargs="?",
            type=Path,
            help="A JSON object with answers by question. An empty text removes an answer.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        if options["file"] is None:
            known, answers = dates_known(collection), answers_of(collection)
            questions = (
                question
                for section in SECTIONS
                for question in questions_of(section, dates_known=known)
            )
            template = {question.key: answers.get(question.key, "") for question in questions}
            self.stdout.write(json.dumps(template, indent=1, ensure_ascii=False))
            return
        answers = _read(options["file"])
        save_answers(collection=collection, answers=answers, answered_by=None)
        missing = missing_answers(collection)
        self.stdout.write(f"{len(answers)} answers read.")
        self.stdout.write(f"Not answered yet: {', '.join(missing) or 'no required question'}.")


def _read(path: Path) -> dict[str, str]:
    try:
        answers = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise CommandError(f"{path}: {error.strerror}.") from error
    except ValueError as error:
        raise CommandError(f"{path}: invalid JSON: {error}.") from error
    if not isinstance(answers, dict) or not all(isinstance(text, str) for text in answers.values()):
        raise CommandError(f"{path}: must be one JSON object whose values are texts.")
    return answers

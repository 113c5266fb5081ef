"""Train a labeller, and write it to a file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from curation.labelling.model import Header, SentenceLabeller
from curation.labels.training import train_and_score
from curation.management.commands.train_labeller import TrainingCommand, TrainingData
from jobs.context import DirectRun


class Command(TrainingCommand):
    help = "Train a labeller from labelled JSON Lines, and write it to a file."
    takes_collection = False
    plans = True
    files_required = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--output", type=Path, required=True, metavar="FILE.npz")
        parser.add_argument("--version-name", default="1", help="version in the file (default: 1)")
        parser.add_argument("--licence", default="", help="the data’s licence, kept in the file")

    def train(self, data: TrainingData, options: Mapping[str, Any]) -> SentenceLabeller:
        header = Header(
            options["name"],
            options["version_name"],
            (),
            options["seed"],
            data.trained_on,
            options["licence"],
            options["encoder"],
        )
        content, labeller = train_and_score(header, data.examples, data.dev, DirectRun())
        if not options["dry_run"]:
            options["output"].write_bytes(content)
        return labeller

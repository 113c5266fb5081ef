"""Train a labeller, and store it in a collection."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from django.core.management.base import CommandParser

from accounts.commands import ProjectCommand
from curation.labelling.examples import Example
from curation.labelling.model import SentenceLabeller
from curation.labels.labellers import labeller_named
from curation.labels.training import SEED, examples_in, train_labeller
from jobs.context import DirectRun
from web.words import count_noun


class TrainingData(NamedTuple):
    """Labelled abstracts to learn from and to score on, and what the former are called."""

    examples: list[Example]
    dev: list[Example]
    trained_on: str


class TrainingCommand(ProjectCommand):
    """A command that trains a labeller and prints its scores."""

    stage = "Corpus"
    files_required = False

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("name", help="the labeller's name, such as own")
        parser.add_argument(
            "--from",
            dest="files",
            nargs="+",
            type=Path,
            default=[],
            required=self.files_required,
            metavar="FILE",
            help="JSON Lines with sentences and labels, and confs if there are any",
        )
        parser.add_argument(
            "--dev",
            type=Path,
            metavar="FILE",
            help="JSON Lines for the score (default: one document in five is held out)",
        )
        parser.add_argument("--seed", default=SEED, help=f"default: {SEED}")
        parser.add_argument(
            "--encoder",
            default="",
            metavar="MODEL",
            help="use sentence embeddings of this model, too: a folder, or a name",
        )
        parser.add_argument("--trained-on", default="", help="the data’s name, kept with it")

    def handle(self, *args: Any, **options: Any) -> None:
        names = ", ".join(path.name for path in options["files"])
        data = TrainingData(
            examples=examples_in(options["files"]),
            dev=examples_in([options["dev"]]) if options["dev"] else [],
            trained_on=options["trained_on"] or names,
        )
        self._report(self.train(data, options))

    def train(self, data: TrainingData, options: Mapping[str, Any]) -> SentenceLabeller:
        raise NotImplementedError

    def _report(self, labeller: SentenceLabeller) -> None:
        training = labeller.header.training
        scores = training["scores"]
        self.stdout.write(
            f"{labeller.header.source}: trained on {count_noun(training['abstracts'], 'abstract')}"
            f", {count_noun(training['sentences'], 'sentence')}"
        )
        self.stdout.write(
            f"micro-F1 {scores['micro_f1']:.4f} on {count_noun(scores['sentences'], 'sentence')} "
            f"of {training['scored_on']}"
        )
        for label in scores["labels"]:
            f1 = "undefined" if label["f1"] is None else f"{label['f1']:.4f}"
            self.stdout.write(f"  {label['label']}: F1 {f1}, {label['sentences']} sentences")


class Command(TrainingCommand):
    help = (
        "Train a labeller and store it in a collection. It learns from labelled JSON Lines, or "
        "from the checked labels of the collection."
    )

    def train(self, data: TrainingData, options: Mapping[str, Any]) -> SentenceLabeller:
        train_labeller(
            collection=options["collection"],
            name=options["name"],
            work=DirectRun(),
            examples=data.examples,
            dev=data.dev,
            trained_on=data.trained_on,
            seed=options["seed"],
            encoder=options["encoder"],
        )
        return labeller_named(options["collection"], options["name"])

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.lookup import collection_named
from curation.labelling.model import Header, SentenceLabeller
from curation.labels.labellers import labeller_named
from curation.labels.training import SEED, examples_in, train_and_score, train_labeller
from jobs.context import DirectRun
from web.errors import UserFacingError
from web.words import count_noun


class Command(BaseCommand):
    help = (
        "Train a labeller from labelled JSON Lines, or from the checked labels of a collection. It "
        "is stored in the collection, or written to a file."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", help="the labeller's name, such as own")
        parser.add_argument(
            "--from",
            dest="files",
            nargs="+",
            type=Path,
            default=[],
            metavar="FILE",
            help="JSON Lines with sentences and labels, and confs if there are any; without it, "
            "the collection's checked labels",
        )
        parser.add_argument("--collection", help="the collection that gets the labeller")
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
        parser.add_argument("--output", type=Path, metavar="FILE.npz", help="write a file instead")
        parser.add_argument("--version-name", default="1", help="version in the file (default: 1)")
        parser.add_argument("--trained-on", default="", help="the data’s name, kept with it")
        parser.add_argument("--licence", default="", help="the data’s licence, kept in the file")

    def handle(self, *args: Any, **options: Any) -> None:
        if bool(options["output"]) == bool(options["collection"]):
            raise CommandError("Give either --collection or --output.")
        if options["output"] and not options["files"]:
            raise CommandError("--output needs labelled files. Name them with --from.")
        try:
            labeller = self._train(options)
        except UserFacingError as error:
            raise CommandError(str(error)) from error
        self._report(labeller)

    def _train(self, options: dict[str, Any]) -> SentenceLabeller:
        examples = examples_in(options["files"])
        dev = examples_in([options["dev"]]) if options["dev"] else []
        names = ", ".join(path.name for path in options["files"])
        trained_on = options["trained_on"] or names
        if options["collection"]:
            collection = collection_named(options["collection"])
            train_labeller(
                collection=collection,
                name=options["name"],
                work=DirectRun(),
                examples=examples,
                dev=dev,
                trained_on=trained_on,
                seed=options["seed"],
                encoder=options["encoder"],
            )
            return labeller_named(collection, options["name"])
        header = Header(
            options["name"],
            options["version_name"],
            (),
            options["seed"],
            trained_on,
            options["licence"],
            options["encoder"],
        )
        content, labeller = train_and_score(header, examples, dev, DirectRun())
        options["output"].write_bytes(content)
        return labeller

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

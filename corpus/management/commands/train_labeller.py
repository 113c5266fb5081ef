from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from corpus.labeller import SHIPPED, load, read_abstracts, train
from web.errors import BadInput


class Command(BaseCommand):
    help = "Train the labeller of sentences on CSAbstruct's train.jsonl and dev.jsonl, and score it on its test.jsonl."

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("folder", type=Path, help="CSAbstruct's files, as JSON Lines")
        parser.add_argument("--output", type=Path, default=SHIPPED, help="default: %(default)s")

    def handle(self, *, folder: Path, output: Path, **options: Any) -> None:
        from sklearn.metrics import classification_report, f1_score

        try:
            learned = [each for name in ("train", "dev") for each in read_abstracts(folder / f"{name}.jsonl")]
            test = list(read_abstracts(folder / "test.jsonl"))
        except (BadInput, OSError, UnicodeDecodeError) as error:
            raise CommandError(str(error)) from error
        train(learned).save(output)
        load.cache_clear()
        predicted = load(output).predict([each.sentences for each in test])
        gold = [label for each in test for label in each.labels]
        found = [label for labels, _ in predicted for label in labels]
        self.stdout.write(classification_report(gold, found, digits=3))
        self.stdout.write(f"Micro-F1 on {len(gold):,} sentences: {f1_score(gold, found, average='micro'):.4f}")
        self.stdout.write(f"Wrote {output} ({output.stat().st_size:,} bytes)")

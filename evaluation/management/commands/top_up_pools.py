"""Add a round to frozen pools, from runs and systems that came later."""

from __future__ import annotations

import argparse
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from evaluation.top_ups.decisive import MEASURE
from evaluation.top_ups.services import TopUp, preview_top_up, top_up_pools
from jobs.context import DirectRun
from pooling.models import RoundChoice
from pooling.rounds.plans import DEFAULT_DEPTH
from pooling.rounds.services import RoundPreview
from web.words import count_noun


def _name_and_value(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals:
        raise argparse.ArgumentTypeError(f"must be NAME=VALUE, got {text!r}")
    return name, value


class Command(ProjectCommand):
    help = (
        "Add a numbered round to the frozen pools: documents that runs or systems have and the "
        "pools lack. What was pooled before stays as it is."
    )
    stage = "Pools"
    plans = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("runs", nargs="+", metavar="RUN", help="A run or a system, by name.")
        parser.add_argument(
            "--reason", required=True, help="Why documents are added. The manifest publishes it."
        )
        parser.add_argument(
            "--choice",
            choices=RoundChoice.values,
            default=RoundChoice.ALL_UNJUDGED.value,
            help=f"Default: {RoundChoice.ALL_UNJUDGED.value}.",
        )
        parser.add_argument(
            "--depth",
            type=int,
            default=DEFAULT_DEPTH,
            help=f"The last rank that is read of each list (default: {DEFAULT_DEPTH}).",
        )
        parser.add_argument(
            "--set",
            action="append",
            default=[],
            type=_name_and_value,
            metavar="NAME=VALUE",
            help="Of a sample: --set bounds=5,20 --set rates=1,0.3",
        )
        parser.add_argument(
            "--measure",
            default="",
            help=f"Of decisive: the measure of the conclusions (default: {MEASURE}).",
        )
        parser.add_argument("--seed", default="", help="Of a sample. Default: the collection's.")

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        top_up = TopUp(
            runs=tuple(options["runs"]),
            reason=options["reason"],
            choice=options["choice"],
            depth=options["depth"],
            parameters=dict(options["set"]),
            seed=options["seed"],
            measure=options["measure"],
        )
        if options["dry_run"]:
            self._preview(preview_top_up(collection, top_up, DirectRun()))
            return
        pool_round = top_up_pools(collection=collection, top_up=top_up, work=DirectRun())
        pools = pool_round.manifest["pools"]
        size = sum(facts["size"] for facts in pools["query_papers"].values())
        self.stdout.write(
            f"Round {pool_round.number} adds {count_noun(size, 'document')} to the pools; "
            f"SHA-256 {pools['sha256']}"
        )

    def _preview(self, preview: RoundPreview) -> None:
        for paper, count in preview.documents.items():
            self.stdout.write(f"{paper}: {count_noun(count, 'document')}")
        self.stdout.write(
            f"Round {preview.number} would add {count_noun(preview.total, 'document')} to "
            f"{count_noun(len(preview.documents), 'pool')}: "
            f"{count_noun(preview.pairs, 'pair')} to judge."
        )
        if preview.without_text:
            self.stdout.write(f"Without text, so not judged: {preview.without_text}.")
        if preview.waiting:
            self.stdout.write(
                f"{count_noun(preview.waiting, 'pool')} not frozen: a round adds nothing to drafts."
            )

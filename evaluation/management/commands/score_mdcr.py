from __future__ import annotations

from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from evaluation.mdcr import read_scores, score_pools
from pooling.published import read_pools
from web.errors import AppError


class Command(BaseCommand):
    help = (
        "Score a model on MDCR's pools: MAP, nDCG and R@5 in percent by field, their mean over fields, and the same "
        "for what is cited among the candidates of one type. Labels are citations, not judgments."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("pools", type=Path, help="{field: {query: {type: [candidate, …]}}}, as mdcr_test.json")
        parser.add_argument("scores", type=Path, help='{"query_candidate": score}, the highest is the best')

    def handle(self, *, pools: Path, scores: Path, **options: Any) -> None:
        try:
            table = score_pools(read_pools(pools), read_scores(scores))
        except (AppError, OSError) as error:
            raise CommandError(str(error)) from error
        self.stdout.write("candidates\tfield\tMAP\tnDCG\tR@5")
        for kind, field, *figures in table.reset_index().itertuples(index=False):
            self.stdout.write("\t".join([kind, field, *(f"{value:.4f}" for value in figures)]))

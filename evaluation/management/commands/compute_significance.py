"""Compare the systems of a collection with a baseline, and with each other."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from evaluation.significance.answers import StoredComparison, compare_stored
from evaluation.significance.stored_values import ALL
from evaluation.significance.tables import (
    PAIRS,
    SYSTEMS,
    difference_sentence,
    p_text,
    page_rows,
    pair_lines,
    points,
)
from scoring.statistics.comparison import SEED, AllPairs
from web.program import command_text
from web.text_tables import aligned

HEAD = ("W/T/L", "t p", "Holm", "flips p", "Holm", "effect size")


class Command(ProjectCommand):
    help = (
        "Test the differences of systems to a baseline, by their stored scores: paired t test, "
        "sign-flip test, Holm's adjustment, effect size; and all pairs by Tukey's HSD. Score the "
        "systems first with score_systems."
    )
    stage = "Evaluation"
    writes = False
    formats = ("table", "json", "csv")

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("--baseline", required=True, help="A system, like bm25.")
        parser.add_argument("--measure", required=True, help="A measure, like nDCG@10.")
        parser.add_argument("--facet", default=ALL, help="A facet's key (default: all queries).")
        parser.add_argument(
            "--seed", default=SEED, help=f'Of the sign flips (default "{SEED}", as on the page).'
        )
        parser.add_argument("--all-pairs", action="store_true", help="Print all pairs, by Tukey.")

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        is_json = options["format"] == "json"
        compared = compare_stored(
            collection,
            measure=options["measure"],
            baseline=options["baseline"],
            facet=options["facet"],
            seed=options["seed"],
            all_pairs=is_json or options["all_pairs"],
        )
        if is_json:
            payload = {"collection": collection.slug, **compared.as_json()}
            self.stdout.write(json.dumps(payload, indent=2, ensure_ascii=False))
        elif options["format"] == "csv":
            self.stdout.write("".join(_csv(compared)), ending="")
        else:
            self.stdout.write("\n".join(_table(compared)))
            if compared.pairs is not None:
                self.stdout.write("\n".join(_pairs(compared.pairs)))
        if late := compared.out_of_date:
            self.stderr.write(
                f"The scores of {', '.join(late)} are out of date. "
                f"Score them again: {command_text(f'score_systems {collection.slug}')}"
            )


def _csv(compared: StoredComparison) -> Iterator[str]:
    if compared.pairs is not None:
        return PAIRS.whole.csv_lines(pair_lines(compared.pairs))
    return SYSTEMS.whole.csv_lines(compared.systems.rows)


def _table(compared: StoredComparison) -> Iterator[str]:
    comparison, measure, facet = compared.systems, compared.measure, compared.facet
    where = "all queries" if facet == ALL else facet
    yield f"{measure} (%) against {comparison.baseline}, {where}: {comparison.queries} queries"
    yield ""
    lines: list[tuple[str, ...]] = [("system", "mean", "difference", *HEAD, "at 5 %")]
    for row in page_rows(comparison):
        texts = [cell.text for cell in row.cells]
        shown = texts or ["baseline", *[""] * len(HEAD)]
        lines.append((row.system, row.mean.text, *shown, row.verdict))
    yield from aligned(lines, ["system"])
    yield ""
    if comparison.left_out:
        yield f"Queries left out, because not every system has a value: {comparison.left_out}"
    yield difference_sentence(comparison, measure)


def _pairs(pairs: AllPairs) -> Iterator[str]:
    yield ""
    if pairs.undefined:
        yield f"Tukey's test is undefined: {pairs.undefined}."
        return
    yield "All pairs, by Tukey's HSD"
    lines = [("first", "second", "difference", "p")]
    for line in pair_lines(pairs):
        lines.append((line.first, line.second, points(line.pair.difference), p_text(line.pair.p)))
    yield from aligned(lines, ["first"])

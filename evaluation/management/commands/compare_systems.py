"""Compare the systems of a collection with a baseline, and with each other."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError, CommandParser

from accounts.lookup import collection_named
from evaluation.significance.stored_values import (
    ALL,
    NoScores,
    ScoreState,
    UnknownChoice,
    checked_choices,
    measure_key,
    values_of,
)
from evaluation.significance.tables import (
    PAIR_FIELDS,
    PAIRS,
    SYSTEMS,
    difference_sentence,
    p_text,
    page_rows,
    pair_lines,
    points,
    system_fields,
)
from scoring.statistics.comparison import (
    SEED,
    AllPairs,
    SystemComparison,
    compare,
    compare_all_pairs,
)
from web.tables.columns import ShownColumns, csv_lines

HEAD = ("W/T/L", "t p", "Holm", "flips p", "Holm", "effect size")


class Command(BaseCommand):
    help = (
        "Compare the systems of a collection with a baseline, by their stored scores: paired t "
        "test, sign-flip test, Holm's adjustment, effect size; and all pairs by Tukey's HSD. "
        "Score the systems first with manage.py evaluate."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("collection", help="The collection's short name.")
        parser.add_argument("--baseline", required=True, help="A system, like bm25.")
        parser.add_argument("--measure", required=True, help="A measure, like nDCG@10.")
        parser.add_argument("--facet", default=ALL, help="A facet's key (default: all queries).")
        parser.add_argument(
            "--seed", default=SEED, help=f'Of the sign flips (default "{SEED}", as on the page).'
        )
        parser.add_argument("--all-pairs", action="store_true", help="Print all pairs, by Tukey.")
        parser.add_argument("--format", choices=["table", "json", "csv"], default="table")

    def handle(self, *args: Any, **options: Any) -> None:
        collection = collection_named(options["collection"])
        measure, facet = measure_key(collection, options["measure"]), options["facet"]
        try:
            checked_choices(collection, measure, facet)
            values = values_of(collection, measure, facet)
            if options["baseline"] not in values.columns:
                systems = list(map(str, values.columns))
                raise UnknownChoice("baseline", options["baseline"], systems)
        except (NoScores, UnknownChoice) as error:
            raise CommandError(str(error)) from error
        comparison = compare(values, options["baseline"], options["seed"])
        pairs = compare_all_pairs(values)
        if options["format"] == "json":
            payload = {"collection": collection.slug, "measure": measure, "facet": facet}
            payload |= _payload(comparison, pairs)
            self.stdout.write(json.dumps(payload, indent=2, ensure_ascii=False))
        elif options["format"] == "csv":
            self.stdout.write("".join(_csv(comparison, pairs, options["all_pairs"])), ending="")
        else:
            self.stdout.write("\n".join(_table(comparison, measure, facet)))
            if options["all_pairs"]:
                self.stdout.write("\n".join(_pairs(pairs)))
        if late := ScoreState.of(collection).out_of_date:
            self.stderr.write(
                f"The scores of {', '.join(late)} are out of date. "
                f"Score them again: manage.py evaluate {collection.slug}"
            )


def _payload(comparison: SystemComparison, pairs: AllPairs) -> dict[str, Any]:
    return {
        "baseline": comparison.baseline,
        "queries": comparison.queries,
        "left_out": comparison.left_out,
        "flips": comparison.flips,
        "seed": comparison.seed,
        "detectable_difference": comparison.detectable_median,
        "systems": [system_fields(row) for row in comparison.rows],
        "all_pairs": [
            {name: field(line) for name, field in PAIR_FIELDS.items()} for line in pair_lines(pairs)
        ],
        "all_pairs_undefined": pairs.undefined,
    }


def _csv(comparison: SystemComparison, pairs: AllPairs, all_pairs: bool) -> Iterator[str]:
    if all_pairs:
        return csv_lines(ShownColumns(PAIRS, PAIRS.columns), pair_lines(pairs))
    return csv_lines(ShownColumns(SYSTEMS, SYSTEMS.columns), comparison.rows)


def _table(comparison: SystemComparison, measure: str, facet: str) -> Iterator[str]:
    where = "all queries" if facet == ALL else facet
    yield f"{measure} (%) against {comparison.baseline}, {where}: {comparison.queries} queries"
    yield ""
    lines: list[tuple[str, ...]] = [("system", "mean", "difference", *HEAD, "at 5 %")]
    for row in page_rows(comparison):
        texts = [cell.text for cell in row.cells]
        shown = texts or ["baseline", *[""] * len(HEAD)]
        lines.append((row.system, row.mean.text, *shown, row.verdict))
    yield from _aligned(lines)
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
    yield from _aligned(lines)


def _aligned(lines: Iterable[tuple[str, ...]]) -> Iterator[str]:
    lines = list(lines)
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    for first, *others in lines:
        cells = (cell.rjust(width) for cell, width in zip(others, widths[1:], strict=True))
        yield "  ".join([first.ljust(widths[0]), *cells]).rstrip()

"""Draw judged queries again and again, and count the intervals that contain the truth."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from evaluation.label_effects.rankings import measure_named, usual_measure
from evaluation.prediction_powered.reading import (
    EstimateInput,
    estimate_input,
    labels_of_model,
    system_values,
)
from evaluation.prediction_powered.reference_models import REFERENCE_MODELS
from evaluation.prediction_powered.simulation import (
    DRAWS,
    SimulatedSize,
    simulate,
    simulated_sizes,
)
from evaluation.prediction_powered.tables import simulated_cells, simulated_row
from jobs.context import DirectRun
from scoring.measures.judged_ranks import Qrels
from web.text_tables import aligned

HEAD = (
    *("measure", "model", "judged", "coverage human", "coverage model", "lowest", "highest"),
    *("width", "saved", "offered"),
)
MOST_DRAWS = 10_000


class Draws(NamedTuple):
    """The numbers of judged queries, the number of draws of each, and the seed of all."""

    sizes: list[int]
    number: int
    seed: str


class Command(ProjectCommand):
    help = (
        "Test the intervals of estimated scores on a collection judged whole. Draws the queries "
        "that people judge again and again, and counts the intervals that contain the mean over "
        "all queries. Changes nothing."
    )
    stage = "Evaluation"
    writes = False
    formats = ("table", "json")

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--model",
            action="append",
            default=[],
            help=f"A shadow judge, or one of {', '.join(REFERENCE_MODELS)}. May be repeated "
            "(default: all of these).",
        )
        parser.add_argument(
            "--measure",
            action="append",
            default=[],
            help="Such as NDCG%%20, AP or nDCG@10. May be repeated (default: the leaderboard's "
            "first measure).",
        )
        parser.add_argument(
            "--queries",
            action="append",
            type=int,
            default=[],
            metavar="N",
            help="How many queries people judge. May be repeated (default: several numbers).",
        )
        parser.add_argument(
            "--draws", type=int, default=DRAWS, help=f"How many draws (default: {DRAWS:,})."
        )

        parser.add_argument(
            "--seed", default="", help="Of the draws and models (default: the collection's seed)."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        draws = options["draws"]
        if not 1 <= draws <= MOST_DRAWS:
            raise CommandError(f"--draws must be from 1 to {MOST_DRAWS:,}, got {draws:,}.")
        found = estimate_input(collection)
        queries = len(found.sample.order)
        if not found.sample.is_whole or not queries:
            raise CommandError(
                f"{collection.slug} has {queries - found.sample.judged:,} opened queries of "
                f"{queries:,} that people have not judged whole, so the truth is unknown. Use a "
                "collection that is judged whole."
            )
        sizes = options["queries"] or simulated_sizes(queries)
        if wrong := [size for size in sizes if not 3 <= size < queries]:
            raise CommandError(
                f"--queries must be from 3 to {queries - 1:,} in {collection.slug}, got {wrong[0]}."
            )
        seed = options["seed"] or collection.seed
        models = {
            name: labels_of_model(collection, name, found.final, seed)
            for name in options["model"] or REFERENCE_MODELS
        }
        measures = options["measure"] or [usual_measure(collection)]
        rows = [
            (measure, model, simulated)
            for measure in measures
            for model, labels in models.items()
            for simulated in _simulated(
                collection, found, labels, measure, Draws(sizes, draws, seed)
            )
        ]
        if not rows:
            raise CommandError(f"{collection.slug} has no system with a value. Add a run first.")
        if options["format"] == "json":
            content = [
                {"measure": measure, "model": model, **simulated_row(simulated)}
                for measure, model, simulated in rows
            ]
            self.stdout.write(json.dumps(content, indent=1, ensure_ascii=False))
            return
        for line in _lines(rows, queries, draws):
            self.stdout.write(line)


def _simulated(
    collection: Collection,
    found: EstimateInput,
    labels: Qrels,
    measure: str,
    draws: Draws,
) -> list[SimulatedSize]:
    named = measure_named(measure, collection.relevant_from)
    values = system_values(collection, found, labels, named, DirectRun())
    valued = [each for each in values if not np.isnan(each.human).all()]
    if not valued:
        return []
    human, model = (np.array([each[place] for each in valued]) for place in (1, 2))
    return simulate(
        human, model, draws.sizes, draws=draws.number, seed=draws.seed, measure=named.name
    )


def _lines(rows: list[tuple[str, str, SimulatedSize]], queries: int, draws: int) -> Iterator[str]:
    cells = [(measure, model, *simulated_cells(row)) for measure, model, row in rows]
    yield from aligned([HEAD, *cells], ("measure", "model", "offered"))
    yield ""
    yield (
        f"{draws:,} draws from {queries:,} queries. Coverage in percent, the mean over the "
        "systems; lowest and highest are of single systems. Width: that of the intervals with the "
        "model, as a share of those of human labels alone. Saved: queries, the median over draws "
        "and systems, and from the 5th to the 95th percentile."
    )

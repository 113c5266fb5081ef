import json
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from planning.model_choice import COUNT, DEPTH, ModelChoice, model_choice, models_of
from pooling.tables import MOST_POOLS


class Command(ProjectCommand):
    help = (
        "Choose the runs that overlap least, as MDCR did. Prints the overlap: the mean Jaccard of "
        "their best documents that the query paper does not cite. Changes nothing."
    )
    stage = "Pools"
    writes = False
    formats = ("table", "json")

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--count", type=int, default=COUNT, help=f"how many to choose (default: {COUNT})"
        )
        parser.add_argument(
            "--depth",
            type=int,
            default=DEPTH,
            help=f"how many uncited documents of every list to compare (default: {DEPTH})",
        )
        parser.add_argument(
            "--run",
            action="append",
            default=[],
            help="compare only these (default: all but judgments, graph, most_cited and random)",
        )
        parser.add_argument(
            "--query-papers",
            type=int,
            default=MOST_POOLS,
            metavar="N",
            help=f"read the lists of the first N query papers by docno (default: {MOST_POOLS})",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        for name in ("count", "depth", "query_papers"):
            if options[name] < 1:
                raise CommandError(
                    f"--{name.replace('_', '-')} must be at least 1, got {options[name]}."
                )
        collection: Collection = options["collection"]
        names, models = models_of(collection)
        if unknown := sorted(set(options["run"]) - set(names)):
            raise CommandError(f"No run {unknown[0]!r}. There are: {', '.join(names) or 'none'}.")
        runs = options["run"] or models
        if len(set(runs)) < 2:
            raise CommandError("There must be at least 2 runs to compare. Run retrievers first.")
        choice = model_choice(
            collection, runs, options["depth"], options["count"], options["query_papers"]
        )
        self.stdout.write(_json(choice) if options["format"] == "json" else _table(choice))


def _json(choice: ModelChoice) -> str:
    report = {
        "depth": choice.depth,
        "query_papers": {"read": choice.papers, "of": choice.of_papers},
        "chosen": choice.models,
        "runs": [
            {
                "name": row.name,
                "mean": row.mean,
                "overlap": dict(zip(choice.matrix.names, values, strict=True)),
            }
            for row, (_, values) in zip(choice.rows, choice.matrix.rows, strict=True)
        ],
    }
    return json.dumps(report, indent=1, ensure_ascii=False)


def _table(choice: ModelChoice) -> str:
    """A text table. Columns have the numbers of the rows, because names are too long."""
    width = max(len(row.name) for row in choice.rows)
    heads = "".join(f"{number:>7}" for number in range(1, len(choice.rows) + 1))
    lines = [f"{'':4}{'run':<{width}}{'mean':>11}{heads}"]
    for number, (row, (_, values)) in enumerate(
        zip(choice.rows, choice.matrix.rows, strict=True), start=1
    ):
        cells = "".join(f"{_three_decimals(value):>7}" for value in values)
        mark = "*" if row.is_chosen else " "
        mean = _three_decimals(row.mean) if row.mean is not None else "undefined"
        lines.append(f"{mark}{number:>2} {row.name:<{width}}{mean:>11}{cells}")
    lines.append(
        f"Jaccard of the best {choice.depth} uncited documents, averaged over {choice.papers} "
        f"of {choice.of_papers} query papers. Chosen (*): {', '.join(choice.models)}"
    )
    return "\n".join(lines)


def _three_decimals(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"

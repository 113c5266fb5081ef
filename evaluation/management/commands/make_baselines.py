"""Make baselines and print how they score."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.core.management.base import CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from evaluation.leaderboard.rows import leaderboard, systems_of, usual_place
from scoring.baselines.catalogue import BASELINES, Distance
from scoring.baselines.services import make_baselines
from scoring.measures.profiles import PROFILES, Profile, profile_of
from scoring.score_tables import ALL


class Command(ProjectCommand):
    help = (
        "Make baselines and score them. Each ranks the judged pool of every query again, by the "
        "baselines of CSFCube's paper or by variants. Stores each as a system and prints the "
        "leaderboard."
    )
    stage = "Evaluation"
    plans = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--baseline",
            action="append",
            default=[],
            metavar="NAME",
            help="make only this one, instead of all of the paper; may be repeated: "
            + ", ".join(BASELINES),
        )
        parser.add_argument(
            "--encoder",
            default="",
            metavar="MODEL",
            help="the folder or name of a model, such as /srv/models/specter?pooling=cls, for the "
            "baselines that need an encoder",
        )
        parser.add_argument(
            "--distance",
            choices=[str(distance) for distance in Distance],
            default="",
            help="how vectors are compared, instead of the distance of each baseline",
        )
        parser.add_argument("--profile", choices=list(PROFILES), default="csfcube")

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        result = make_baselines(
            collection=collection,
            names=options["baseline"],
            encoder=options["encoder"],
            distance=options["distance"],
            dry_run=options["dry_run"],
        )
        made = "Would make" if options["dry_run"] else "Made"
        for words, names in ((made, result["made"]), ("Up to date", result["unchanged"])):
            if names:
                self.stdout.write(f"{words}: {', '.join(names)}")
        if options["dry_run"]:
            return
        self.stdout.write(
            "\n".join(tables(collection, profile_of(options["profile"], collection.relevant_from)))
        )


def tables(collection: Collection, profile: Profile) -> Iterator[str]:
    """A table for each facet and one for all queries: means in percent, best system first."""
    places = {place for system in systems_of(collection, profile.name) for place in system.rows}
    facets = sorted({place.facet for place in places} - {ALL})
    for facet in [*facets, ALL] if places else []:
        lines = leaderboard(collection, profile, usual_place(profile, facet), profile.names[0])
        queries = lines[0].row.queries
        yield f"\n{facet}: means over {queries} queries, in percent ({profile.name})"
        yield _line("system", profile.names)
        for line in lines:
            yield _line(line.name, [_percent(line.row.measures[name]) for name in profile.names])


def _percent(value: float | None) -> str:
    return "undefined" if value is None else f"{100 * value:.2f}"


def _line(name: str, cells: Sequence[str]) -> str:
    return f"{name:<40}" + "".join(f"{cell:>11}" for cell in cells)

"""Score runs against the labels of a collection."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.locking import lock_collection
from accounts.models import Collection
from evaluation.leaderboard.report import (
    EvaluationReport,
    NamedLists,
    Options,
    as_csv,
    evaluation_report,
    latex_table,
    stored_lists,
    table_lines,
)
from jobs.context import DirectRun
from retrieval.run_names import name_from
from scoring.folds import Folds, read_splits
from scoring.labels import stored_sources
from scoring.measures.profiles import CSFCUBE, PROFILES
from scoring.measures.scopes import Scope
from scoring.models import System
from scoring.score_tables import ALL, TEST
from scoring.services import evaluate, out_of_date, unscored_runs
from scoring.systems.services import (
    RunPath,
    SystemFault,
    import_summary,
    import_system,
    read_system,
    sync_runs,
)


class Command(ProjectCommand):
    help = (
        "Score systems against the labels of a collection. A system is the name of a run or of an "
        "imported system, or a file: a TREC run or JSON. Without one, every system is scored, and "
        "the scores of the leaderboard are brought up to date."
    )
    stage = "Evaluation"
    plans = True
    formats = ("table", "json", "csv", "latex")

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "systems",
            nargs="*",
            metavar="RUN_OR_FILE",
            help="The name of a run or a system, or a file. FACET=FILE: its lists for query papers "
            "are for this facet.",
        )
        parser.add_argument(
            "--system", default="", help="Score all given files as one system of this name."
        )
        parser.add_argument(
            "--repetition-of",
            default="",
            metavar="NAME",
            help="With --save: the system is a repetition of NAME, such as another seed.",
        )
        parser.add_argument(
            "--save",
            action="store_true",
            help="Keep the files' lists as systems of the collection.",
        )
        parser.add_argument(
            "--profile", choices=list(PROFILES), default="trec", help="Default: trec."
        )
        parser.add_argument(
            "--measures",
            default="",
            help='Measures by their names in ir-measures, such as "nDCG@10 AP(rel=2)".',
        )
        parser.add_argument(
            "--qrels",
            default="final",
            help="final (default), slot1, slot2, minimum, maximum, citations, published or "
            "release:VERSION.",
        )
        parser.add_argument(
            "--splits", metavar="FILE", help="Folds for this evaluation: an evaluation_splits.json."
        )
        parser.add_argument(
            "--scope",
            choices=list(Scope),
            help="Restrict lists to the judged pool (closed), score them as they are (open), or "
            "take documents without a label out (condensed). Default: that of the profile.",
        )
        parser.add_argument(
            "--relevant-from",
            type=int,
            metavar="GRADE",
            help="The lowest relevant grade. Default: that of the labels.",
        )
        parser.add_argument(
            "--count-empty",
            action="store_true",
            help="Count queries without a relevant document as 0, as trec_eval does. Default: "
            "leave them out.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        source = options["qrels"]
        if not options["systems"] and options["dry_run"]:
            self._say_what_is_out_of_date(collection, source)
            return
        if not options["systems"]:
            self._bring_up_to_date(collection, source)
        report = evaluation_report(collection, self._systems(**options), _options(**options))
        self.stdout.write(_text(report, options["format"]), ending="")

    def _bring_up_to_date(self, collection: Collection, source: str) -> None:
        if source in stored_sources():
            progress = DirectRun(self.stderr)  # type: ignore[arg-type]
            evaluate(collection=collection, source=source, work=progress)
        else:
            with DirectRun().fenced():
                sync_runs(lock_collection(collection))

    def _say_what_is_out_of_date(self, collection: Collection, source: str) -> None:
        names = [system.name for system in out_of_date(collection, source)]
        names += unscored_runs(collection)
        self.stdout.write(f"Would be scored: {', '.join(names) or 'no system'}.")

    def _systems(
        self, collection: Collection, systems: list[str], system: str, **options: Any
    ) -> Iterator[NamedLists]:
        names, files = _names_and_files(collection, systems)
        if not systems:
            names = list(collection.systems.values_list("name", flat=True))
        if system and not files:
            raise CommandError("--system names a system of files. Give at least one file.")
        for name in names:
            yield _stored(collection, name)
        groups = [(system, files)] if system else []
        for name, paths in groups or [(name_from(file.filename), [file]) for file in files]:
            yield self._from_files(collection, name, paths, **options)

    def _from_files(
        self, collection: Collection, name: str, files: list[RunPath], **options: Any
    ) -> NamedLists:
        if options["save"] and not options["dry_run"]:
            system = import_system(
                collection=collection,
                name=name,
                files=files,
                repetition_of=options["repetition_of"],
            )
            self.stderr.write(f"{name}: {import_summary(system.report)}")
            return _stored(collection, name)
        lists, report = read_system(collection, files)
        self.stderr.write(f"{name}: {import_summary(report.__dict__)}")
        docnos = {query: ranking.docnos for query, ranking in lists.items()}
        return NamedLists(name, lambda: docnos, report.__dict__)


def _names_and_files(collection: Collection, given: list[str]) -> tuple[list[str], list[RunPath]]:
    """Split into names of runs or systems, and files. A name comes before a file."""
    known = set(collection.runs.values_list("name", flat=True))
    known |= set(collection.systems.values_list("name", flat=True))
    facets = set(collection.facets.values_list("key", flat=True))
    names, files = [], []
    for text in given:
        facet, _, rest = text.partition("=")
        if text in known:
            names.append(text)
        elif facet in facets and facet and rest:
            files.append(_file(rest, facet, known))
        else:
            files.append(_file(text, None, known))
    return names, files


def _file(text: str, facet: str | None, known: set[str]) -> RunPath:
    path = Path(text)
    if not path.is_file():
        names = ", ".join(sorted(known)) or "none yet"
        raise CommandError(f"{text}: no such file, run or system. Runs and systems: {names}.")
    return RunPath(path, path.name, facet)


def _stored(collection: Collection, name: str) -> NamedLists:
    system = collection.systems.filter(name=name).first()
    if system is None:  # a run that was not scored yet
        system = System(collection=collection, name=name, kind="run")
    return stored_lists(system)


def _options(
    *, qrels: str, splits: str | None, scope: str | None, systems: list[str], **options: Any
) -> Options:
    return Options(
        with_gaps=bool(systems),  # for all systems, the report on gaps is computed once
        source=qrels,
        folds=_folds(splits),
        scope=Scope(scope) if scope else None,
        **{name: options[name] for name in ("profile", "measures", "relevant_from", "count_empty")},
    )


def _folds(path: str | None) -> Folds | None:
    if path is None:
        return None
    try:
        return read_splits(Path(path).read_bytes(), name=Path(path).name)
    except OSError as error:
        raise SystemFault(f"{path} cannot be read: {error.strerror}.") from error


def _text(report: EvaluationReport, kind: str) -> str:
    if kind == "json":
        return json.dumps(report.as_json(), indent=2, ensure_ascii=False) + "\n"
    if kind == "csv":
        return as_csv(report)
    if kind == "latex":
        split = TEST if report.profile.name == CSFCUBE and report.folds.count else ALL
        return latex_table(report, facet=ALL, split=split)
    return "\n".join(table_lines(report)) + "\n"

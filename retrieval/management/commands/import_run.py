from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from corpus.documents.first_rows import as_text
from jobs.context import DirectRun
from retrieval.models import Run
from retrieval.run_names import name_from
from retrieval.services import RunFile, RunOptions, check_run, import_runs


class Command(ProjectCommand):
    help = "Import TREC run files (six columns, plain or gzip): each file is a run, or none is."
    stage = "Pools"
    plans = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument("files", type=Path, nargs="+", metavar="file")
        parser.add_argument(
            "--name", default="", help="name of the run in pools (default: the name of the file)"
        )
        parser.add_argument(
            "--qrels",
            action="store_true",
            help="the file has judgments: import them as known positives",
        )
        parser.add_argument("--prefix", default="", help="put before every docno of the file")
        parser.add_argument("--topic-prefix", default="", help="put before every topic")

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        files = _run_files(options["files"], options["name"])
        how = RunOptions(options["qrels"], options["prefix"], options["topic_prefix"])
        work = DirectRun()
        if options["dry_run"]:
            for file in files:
                rows, _ = check_run(collection=collection, file=file, options=how, work=work)
                self.stdout.write(f"{file.name}: {as_text(rows)}")
            return
        runs = import_runs(collection=collection, files=files, options=how, work=work)
        for run in runs:
            self._report(run)

    def _report(self, run: Run) -> None:
        report = run.report
        self.stdout.write(
            f"{run.name}: {report['lists']} lists, {report['documents']} documents; "
            f"left out {report['outside_corpus']} outside the corpus, "
            f"{report['query_papers_themselves']} query papers themselves, "
            f"{report['duplicates']} duplicates, {report['unknown_topics']} unknown topics"
        )
        for name, key in (("documents", "unknown_documents"), ("topics", "unknown_topic_examples")):
            if report[key]:
                self.stdout.write(f"the first unknown {name}: {', '.join(report[key])}")


def _run_files(paths: list[Path], name: str) -> list[RunFile]:
    if name and len(paths) > 1:
        raise CommandError("--name is for one file. Each of several is a run of its own name.")
    for path in paths:
        if not path.is_file():
            raise CommandError(f"{path} is not a file. Give the path of a run file.")
    return [RunFile(path, path.name, name or name_from(path.name)) for path in paths]

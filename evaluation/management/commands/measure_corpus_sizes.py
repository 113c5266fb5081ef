"""Print how well retrievers find what queries cite, in sub-corpora of growing size."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.core.management.base import CommandParser

from evaluation.corpus_sizes.report import (
    DRAWS,
    FIELD_SIZE,
    SIZES,
    CorpusSizesReport,
    read_to_measure,
)
from evaluation.corpus_sizes.tables import SizeLine, field_lines, size_lines
from jobs.context import DirectRun
from reports.commands import ReportCommand
from web.text_tables import aligned
from web.words import count_noun


class Command(ReportCommand):
    help = (
        "Measure retrievers over sub-corpora, with citations as labels. These are as in MDCR's "
        "tables: of each field, and of growing size. A stopped command continues where it was."
    )
    plans = True

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "--retriever",
            action="append",
            default=[],
            metavar="NAME",
            help="Measure it; may be repeated. Default: BM25 and TF-IDF of abstracts.",
        )
        parser.add_argument(
            "--field-size",
            type=int,
            default=FIELD_SIZE,
            metavar="N",
            help=f"Documents of each field; 0 leaves the fields out. Default: {FIELD_SIZE}.",
        )
        parser.add_argument(
            "--size",
            type=int,
            action="append",
            metavar="N",
            help="Documents of the whole corpus; may be repeated. Default: "
            f"{', '.join(map(str, SIZES))}.",
        )
        parser.add_argument(
            "--draws", type=int, default=DRAWS, help=f"Of each sample. Default: {DRAWS}."
        )

    def handle(self, *args: Any, **options: Any) -> None:
        if not options["dry_run"]:
            return super().handle(*args, **options)
        collection = options["collection"]
        with DirectRun() as work:
            rows, plan = read_to_measure(
                self.report(**options).checked(collection), collection, work
            )
        self.stdout.write(f"{count_noun(len(plan), 'sub-corpus', 'sub-corpora')} to measure")
        for sub_corpus in plan:
            if sub_corpus.draw == 1:
                population = rows.populations[sub_corpus.scope]
                self.stdout.write(
                    f"{sub_corpus.scope or 'all fields'}: "
                    f"{population.documents(sub_corpus.size):,} of {len(population):,} documents, "
                    f"{len(population.cited):,} of them cited by "
                    f"{count_noun(len(rows.queries_of(sub_corpus.scope)), 'query paper')}"
                )
        return None

    def report(self, **options: Any) -> CorpusSizesReport:
        sizes = list(SIZES) if options["size"] is None else options["size"]
        return CorpusSizesReport(
            options["retriever"], options["field_size"], sizes, options["draws"]
        )

    def lines(self, payload: Any) -> Iterator[str]:
        yield (
            f"{payload['collection']}: in percent, mean and standard deviation over "
            f"{count_noun(payload['draws'], 'draw')}"
        )
        names = [f"{name} {each}" for name in payload["retrievers"] for each in payload["measures"]]
        for head, lines in (("field", field_lines(payload)), ("all", size_lines(payload))):
            if lines:
                yield ""
                table = [(head, "documents", "queries", *names), *map(_row, lines)]
                yield from aligned(table, (head,))


def _row(line: SizeLine) -> Sequence[str]:
    means = (
        f"{100 * cell.mean:.2f}"
        + ("" if cell.deviation is None else f" ±{100 * cell.deviation:.2f}")
        for cell in line.flat_cells
    )
    documents = "" if line.documents is None else f"{line.documents:,}"
    name = "mean over fields" if line.documents is None else line.scope or "all fields"
    return (name, documents, f"{line.queries:,}", *means)

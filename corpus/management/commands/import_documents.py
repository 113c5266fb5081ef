"""Import documents from files, a folder, or a data set of ir_datasets."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError, CommandParser

from accounts.commands import ProjectCommand
from accounts.models import Collection
from corpus.documents.first_rows import as_text
from corpus.documents.import_options import MAX_SKIPPED, DocumentImportOptions
from corpus.documents.importing import DocumentImportReport, import_source, open_files
from corpus.formats.ir_datasets_source import PREFIX, open_dataset
from corpus.formats.sources import AUTO, FORMATS, SourceError
from corpus.selection.expansion import DIRECTIONS, OUT, Expansion
from corpus.selection.filters import FILTERS, Recipe
from corpus.selection.sub_corpus import DEFAULT_SEED, SubCorpus
from jobs.context import DirectRun
from web.words import count_noun


class Command(ProjectCommand):
    help = "Import documents into a collection: all of them, or none. See docs/formats.md."
    stage = "Corpus"
    plans = True
    input_formats = (AUTO, *(name for name in FORMATS if name != AUTO))

    def add_arguments(self, parser: CommandParser) -> None:
        super().add_arguments(parser)
        parser.add_argument(
            "paths",
            metavar="file_or_folder",
            type=Path,
            nargs="*",
            help="Files, plain or gzip, or folders or zips of such files.",
        )
        parser.add_argument(
            "--columns",
            default="",
            metavar="VALUE=COLUMN,…",
            help="The columns of a TSV or CSV file, by name or number: docno=id,title=name,text=3.",
        )
        parser.add_argument("--prefix", default="", help="Put before every docno, such as cran-.")
        parser.add_argument(
            "--from", dest="origin", metavar=f"{PREFIX}NAME", help="A data set instead of a file."
        )
        parser.add_argument(
            "--skip-bad",
            type=int,
            default=0,
            metavar="N",
            help=f"Skip and report up to N invalid lines (at most {MAX_SKIPPED:,}); one more stops "
            "the import, and nothing is imported. The default is 0.",
        )
        parser.add_argument(
            "--filter",
            choices=FILTERS,
            default="",
            help="Leave out documents that break a rule of this filter.",
        )
        self._add_recipe(parser)

    def _add_recipe(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--field",
            action="append",
            default=[],
            metavar="FIELD",
            help="Keep documents of this field of study. Repeat it for several fields.",
        )
        parser.add_argument("--years", default="", help="Keep these years: 1995-2019, or 1995-.")
        parser.add_argument(
            "--language",
            action="append",
            default=[],
            metavar="CODE",
            help="Keep documents in this language, such as en. Repeat it for several.",
        )
        for option, what in (
            ("--min-citations", "outgoing citations"),
            ("--min-characters", "characters of the abstract"),
            ("--min-sentences", "sentences of the abstract"),
        ):
            parser.add_argument(
                option, type=int, default=0, metavar="N", help=f"Keep documents with N {what}."
            )
        parser.add_argument(
            "--has-text", action="store_true", help="Keep documents with a title and an abstract."
        )
        parser.add_argument(
            "--has-full-text",
            action="store_true",
            help="Keep documents that have a full text, as the file says it.",
        )
        parser.add_argument(
            "--seeds",
            type=Path,
            metavar="FILE",
            help="Keep the documents of this file, a docno on each line, and those near them in "
            "the graph of citations.",
        )
        parser.add_argument(
            "--hops", type=int, default=1, metavar="N", help="How near: 1 citation by default."
        )
        parser.add_argument(
            "--direction",
            choices=DIRECTIONS,
            default=OUT,
            help="Follow citations from the seeds (out, the default), to them (in), or both.",
        )
        self._add_sub_corpus(parser)

    def _add_sub_corpus(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--sample-size",
            type=int,
            metavar="N",
            help="Keep query papers, what they cite, and a random sample of what papers of their "
            "fields cite: N documents in all.",
        )
        parser.add_argument(
            "--sample-seed", default=DEFAULT_SEED, metavar="SEED", help="The default is 1."
        )
        parser.add_argument(
            "--query-papers", type=Path, metavar="FILE", help="Their docnos, one on each line."
        )
        parser.add_argument(
            "--queries-per-field",
            type=int,
            default=0,
            metavar="N",
            help="Instead of a file: draw N query papers from each field.",
        )
        parser.add_argument(
            "--query-years", default="", metavar="YEARS", help="Draw them from 2019, or 2015-2019."
        )
        parser.add_argument(
            "--query-field",
            action="append",
            default=[],
            metavar="FIELD",
            help="Draw them from this field only. Repeat it for several fields.",
        )
        parser.add_argument(
            "--query-seed",
            default=DEFAULT_SEED,
            metavar="SEED",
            help="Of drawn query papers. The default is 1.",
        )

    def handle(self, *args: Any, **options: Any) -> None:
        collection: Collection = options["collection"]
        paths: list[Path] = options["paths"]
        origin: str | None = options["origin"]
        if bool(paths) == bool(origin):
            raise CommandError(f"Give files or folders, or --from {PREFIX}NAME.")
        if not 0 <= options["skip_bad"] <= MAX_SKIPPED:
            raise CommandError(
                f"--skip-bad must be from 0 to {MAX_SKIPPED:,}, got {options['skip_bad']}."
            )
        how = _import_options(options)
        source = _dataset(origin) if origin else open_files({str(p): p for p in paths}, how)
        with DirectRun() as work:
            report = import_source(collection=collection, source=source, options=how, work=work)
        for problem in report.problems:
            self.stderr.write(f"skipped {problem}")
        if report.check is not None:
            self.stdout.write(as_text(report.check))
            number = count_noun(report.check["documents_to_import"], "document")
            self.stdout.write(f"{collection.slug}: {number} to import, read as {report.read_as}.")
            return
        self.stdout.write(summary(collection.slug, report))


def summary(slug: str, report: DocumentImportReport) -> str:
    parts = [
        f"documents {report.created} created, {report.updated} updated, "
        f"{report.unchanged} unchanged"
    ]
    if report.repeated:
        parts.append(f"{report.repeated} repeated lines skipped")
    if report.without_text:
        parts.append(f"{report.without_text} without text")
    if report.references:
        parts.append(f"{report.unresolved_references} of {report.references} references unresolved")
    if report.far_from_seeds:
        parts.append(f"{report.far_from_seeds} too far from the seeds")
    if report.missing_seeds:
        parts.append(f"{count_noun(report.missing_seeds, 'seed')} not found")
    if report.sub_corpus:
        counts = ", ".join(
            f"{name.replace('_', ' ')} {count}" for name, count in report.sub_corpus.items()
        )
        parts.append(f"sampled sub-corpus ({counts}), {report.not_sampled} not in it")
    if report.filtered:
        rules = ", ".join(f"{count} with {rule}" for rule, count in report.rules.items())
        parts.append(f"{report.filtered} left out by the filter ({rules})")
    if report.bad_lines:
        parts.append(f"{count_noun(report.bad_lines, 'invalid line')} skipped")
    if report.section_labelled:
        parts.append(f"labels from section headings in {report.section_labelled}")
    if report.unknown_headings:
        headings = (f"{name} {count}" for name, count in report.unknown_headings.items())
        parts.append(f"headings without a label: {', '.join(headings)}")
    if report.unknown_keys:
        parts.append(f"keys ignored: {', '.join(report.unknown_keys)}")
    if report.read_as not in ("", "jsonl", "ir_datasets"):
        parts.append(f"read as {report.read_as}")
    return f"{slug}: {'; '.join(parts)}."


def _import_options(options: Mapping[str, Any]) -> DocumentImportOptions:
    return DocumentImportOptions(
        format_name=options["input_format"],
        columns=options["columns"],
        prefix=options["prefix"],
        recipe=Recipe.parsed(
            fields_of_study=options["field"],
            years=options["years"],
            languages=options["language"],
            has_text=options["has_text"],
            has_full_text=options["has_full_text"],
            min_citations=options["min_citations"],
            min_characters=options["min_characters"],
            min_sentences=options["min_sentences"],
            named=options["filter"],
        ),
        selection=_selection(options),
        skip_bad=options["skip_bad"],
        dry_run=options["dry_run"],
    )


def _selection(options: Mapping[str, Any]) -> Expansion | SubCorpus | None:
    seeds, size = options["seeds"], options["sample_size"]
    if seeds is not None and size is not None:
        raise CommandError("--seeds and --sample-size exclude each other. Leave one out.")
    if seeds is not None:
        return Expansion.parsed(_text(seeds), hops=options["hops"], direction=options["direction"])
    papers = options["query_papers"]
    if size is None:
        if papers or options["queries_per_field"]:
            raise CommandError("Query papers need --sample-size, the number of documents in all.")
        return None
    return SubCorpus.parsed(
        size,
        seed=options["sample_seed"],
        query_papers=_text(papers) if papers else "",
        per_field=options["queries_per_field"],
        years=options["query_years"],
        query_fields=options["query_field"],
        query_seed=options["query_seed"],
    )


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise CommandError(f"{path} cannot be read: {error}.") from error


def _dataset(origin: str) -> Any:
    if not origin.startswith(PREFIX):
        raise SourceError(f"Unknown origin {origin}. Use --from {PREFIX}NAME.")
    return open_dataset(origin.removeprefix(PREFIX))

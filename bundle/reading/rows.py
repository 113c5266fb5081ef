"""The files of a release as records again, one by one and checked. Pure.

The import and the verification read a release with this. Where it says so, records come in the
order of their file, which the release sorts.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from bundle.names import (
    ADJUDICATIONS,
    CORPUS,
    DOCUMENTS,
    FORMAT,
    FORMAT_VERSION,
    GUIDELINES,
    MANIFEST,
    POOLS,
    QRELS,
    QUERY_PAPERS,
    QUERY_TABLE,
    RATINGS,
    SETTINGS,
)
from bundle.options import LabelSource, ReleaseOptions, Texts
from bundle.reading.fields import LARGEST_NUMBER, Fields, each_line
from bundle.reading.opened import (
    BundleError,
    OpenedBundle,
    parsed_json,
    read_json,
    read_lines,
    whole_lines,
)
from bundle.records import (
    Adjudication,
    FoundBy,
    InterchangedFacet,
    InterchangedPaper,
    InterchangedQuery,
    InterchangedTopic,
    Label,
    PooledDocument,
    Rating,
    ReferredPair,
    ReleasedBuild,
    ReleasedCorpusImport,
    ReleasedGuideline,
    ReleasedImport,
    ReleasedRun,
    ReleasedStep,
)
from corpus.digests import json_digest
from retrieval.run_names import CITED
from scoring.folds import MOST as MOST_FOLDS
from web.tables.csv_cells import restored

LONGEST_ROW = 1024 * 1024  # characters of a row of a CSV file, which can have many lines
LONGEST_NAME = 240  # of a query
LONGEST_DOCNO = 200
LONGEST_SOURCE = 60
LONGEST_NUMBER = 20  # digits of a cell
HIGHEST_GRADE = 4
T = TypeVar("T")


class WrongFormat(BundleError):
    """The file is not a release, or has a format that this software does not read."""


@dataclass(frozen=True)
class Manifest:
    """The parts of the manifest that readers of a release need."""

    content: Mapping[str, Any]
    software: str
    version: str
    options: ReleaseOptions
    slug: str
    name: str
    description: str
    licence: str
    corpus_licence: str
    seed: str
    highest_grade: int
    builds: tuple[ReleasedBuild, ...]
    runs: tuple[ReleasedRun, ...]
    judgment_imports: tuple[ReleasedImport, ...]

    @property
    def counts(self) -> Mapping[str, Any]:
        counts = self.content.get("counts")
        return counts if isinstance(counts, dict) else {}

    @property
    def is_judged(self) -> bool:
        """True if the labels are people's. Otherwise they are citations."""
        return self.options.labels is LabelSource.JUDGED


def read_manifest(bundle: OpenedBundle) -> Manifest:
    """The manifest. Raises WrongFormat for another format, BundleError for invalid values."""
    if MANIFEST not in bundle.names:
        raise WrongFormat("", None, f"This is not a release: it has no {MANIFEST}.")
    content = read_json(bundle, MANIFEST)
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise WrongFormat(MANIFEST, None, "is not that of a release of Qrelsmith.")
    fields = Fields(content, MANIFEST)
    software = fields.fields("software").text("version")
    _check_format(content.get("format_version"), software)
    collection = fields.fields("collection")
    return Manifest(
        content=content,
        software=software,
        version=fields.text("version"),
        options=_options(fields.fields("options")),
        slug=collection.text("slug", longest=60),
        name=collection.text("name", longest=120),
        description=collection.text("description", default=""),
        licence=collection.text("licence", longest=120, default=""),
        corpus_licence=collection.text("corpus_licence", longest=120, default=""),
        seed=collection.text("seed", longest=64),
        highest_grade=collection.whole("highest_grade", least=1, most=HIGHEST_GRADE),
        builds=fields.each("pool_builds", _build),
        runs=fields.each("runs", _run),
        judgment_imports=fields.each("judgment_imports", _judgment_import),
    )


def _check_format(version: Any, software: str) -> None:
    if version == FORMAT_VERSION:
        return
    raise WrongFormat(
        MANIFEST,
        None,
        f"the release has format {version}, and this software reads format {FORMAT_VERSION}. "
        f"Use Qrelsmith {software} or a newer version.",
    )


def _options(fields: Fields) -> ReleaseOptions:
    texts, labels = fields.text("texts"), fields.text("labels")
    try:
        return ReleaseOptions(Texts(texts), LabelSource(labels))
    except ValueError as error:
        fields.fail(f"{error}.")


def _build(fields: Fields) -> ReleasedBuild:
    manifest = fields.mapping("manifest")
    fields.fields("manifest").texts("forced")
    return ReleasedBuild(manifest, fields.texts("query_papers"))


def _run(fields: Fields) -> ReleasedRun:
    return ReleasedRun(
        name=fields.text("name", longest=60),
        kind=fields.text("kind", longest=30),
        parameters=fields.mapping("parameters"),
        depth=fields.optional_whole("depth"),
        sha256=fields.text("sha256", longest=64),
        file=fields.text("file", default="") or None,
    )


def _judgment_import(fields: Fields) -> ReleasedImport:
    return ReleasedImport(
        fields.mapping("files"), fields.whole("judgments"), fields.whole("decisions")
    )


class FoldSettings(NamedTuple):
    """The origin of a collection's folds: a file of this name, or `made` folds from the seed."""

    imported_from: str
    made: int


class Settings(NamedTuple):
    """The scale is that of the collection. `retired_runs` are names and digests. `folds` are None
    if it was not decided how to get them.

    `answers` are those of the datasheet by question. The days are of the judgments, None if they
    are not known. `annotators` are groups of people, as JSON.
    """

    highest_grade: int
    relevant_from: int
    analysis: str
    seconds_per_judgment: float
    facets: tuple[InterchangedFacet, ...]
    retired_runs: frozenset[tuple[str, str]]
    folds: FoldSettings | None
    answers: Mapping[str, str]
    first_day: date | None
    last_day: date | None
    annotators: list[Any]


def read_settings(bundle: OpenedBundle) -> Settings:
    fields = Fields(read_json(bundle, SETTINGS), SETTINGS)
    highest = fields.whole("highest_grade", least=1, most=HIGHEST_GRADE)
    sheet = fields.fields("datasheet")
    answers = Fields(sheet.mapping("answers"), SETTINGS)
    return Settings(
        highest_grade=highest,
        relevant_from=fields.whole("relevant_from", least=1, most=highest),
        analysis=fields.text("analysis", longest=40, default=""),
        seconds_per_judgment=fields.number("seconds_per_judgment"),
        facets=fields.each(
            "facets",
            lambda facet: InterchangedFacet(
                facet.text("key", longest=30), facet.text("name", longest=60), facet.texts("labels")
            ),
        ),
        retired_runs=frozenset(
            fields.each("retired_runs", lambda run: (run.text("name"), run.text("sha256")))
        ),
        folds=_folds(fields.optional_fields("folds")),
        answers={key: answers.text(key) for key in sheet.mapping("answers")},
        first_day=_day(sheet, "first_day"),
        last_day=_day(sheet, "last_day"),
        annotators=list(sheet.each("annotators", _groups)),
    )


def _folds(fields: Fields | None) -> FoldSettings | None:
    if fields is None:
        return None
    name = fields.text("imported_from", longest=200, default="")
    made = fields.optional_whole("made", most=MOST_FOLDS)
    if bool(name) == (made is not None):
        fields.fail('must have "imported_from" or "made", and not both.')
    return FoldSettings(name, made or 0)


def _groups(fields: Fields) -> dict[str, Any]:
    groups = fields.each("groups", lambda group: (group.text("label"), group.whole("people")))
    return {
        "label": fields.text("label"),
        "groups": [{"label": label, "people": people} for label, people in groups],
    }


def _day(fields: Fields, name: str) -> date | None:
    text = fields.text(name)
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        fields.fail(f'"{name}" must be a day such as 2024-05-31, got {text[:60]!r}.')


def read_guidelines(bundle: OpenedBundle) -> tuple[ReleasedGuideline, ...]:
    return Fields({"guidelines": read_json(bundle, GUIDELINES)}, GUIDELINES).each(
        "guidelines",
        lambda row: ReleasedGuideline(
            facet=row.text("facet"),
            version=row.whole("version", least=1, most=32_767),
            instructions=row.text("instructions"),
            grades=_grades(row),
        ),
    )


def _grades(fields: Fields) -> tuple[Any, ...]:
    """The objects as they are, because a digest is made of them. Pages show these fields."""
    fields.each(
        "grades",
        lambda grade: (
            grade.whole("grade", most=HIGHEST_GRADE),
            grade.text("name"),
            *(grade.text(name, default="") for name in ("definition", "detail", "example")),
        ),
    )
    return tuple(fields.values("grades"))


def read_query_papers(bundle: OpenedBundle) -> Iterator[InterchangedPaper]:
    """By name."""
    for fields in each_line(bundle, QUERY_PAPERS):
        topic = fields.optional_fields("topic")
        yield InterchangedPaper(
            name=fields.text("name", longest=LONGEST_DOCNO),
            topic=None if topic is None else _topic(topic),
            metadata=fields.mapping("metadata"),
            queries=fields.each("queries", _query),
        )


def _topic(fields: Fields) -> InterchangedTopic:
    return InterchangedTopic(
        title=fields.text("title"),
        description=fields.text("description"),
        narrative=fields.text("narrative"),
        sentences=fields.texts("sentences"),
        narrative_is_shown=fields.truth("narrative_is_shown"),
    )


def _query(fields: Fields) -> InterchangedQuery:
    return InterchangedQuery(
        name=fields.text("name", longest=LONGEST_NAME),
        facet=fields.text("facet"),
        sentences=fields.wholes("sentences"),
        fold=fields.optional_whole("fold", least=0, most=MOST_FOLDS),
        guideline=fields.optional_whole("guideline", least=1),
        labels_unchecked=fields.optional_truth("labels_unchecked"),
        unjudged=fields.texts("unjudged"),
        referred=fields.each(
            "referred", lambda row: ReferredPair(row.text("docno"), row.text("reason"))
        ),
    )


def read_docnos(bundle: OpenedBundle) -> Iterator[str]:
    """The documents that the collection needs, by docno."""
    for fields in each_line(bundle, DOCUMENTS):
        yield fields.text("docno", longest=LONGEST_DOCNO)


def read_pools(bundle: OpenedBundle) -> Iterator[tuple[int, PooledDocument]]:
    """Line and candidate, by query paper, then position."""
    for number, line in read_lines(bundle, POOLS):
        value = parsed_json(line, POOLS, number)
        # An import reads the pools three times, and checking field by field takes twice as long. It
        # is only needed to say what is wrong, or to read escaped characters.
        plain = None if "\\u" in line else _plain_candidate(value)
        yield number, plain or _candidate(Fields(value, POOLS, number))


def pool_digest(pool: Sequence[PooledDocument], forced: Collection[str], *, is_judged: bool) -> str:
    """The digest of a pool as docs/manifest.md defines it; forced sources last, as when drawn.

    A release of citations adds the source `cited` where it was none.
    """
    content = [
        (pooled.docno, *source, position)
        for position, pooled in enumerate(pool, start=1)
        for source in sorted(pooled.sources, key=lambda one: (one.source in forced, one.source))
        if is_judged or source.drawn or source.source != CITED or CITED in forced
    ]
    return json_digest(content)


def _plain_candidate(value: Any) -> PooledDocument | None:
    """The candidate if it has all fields, each as a release writes it; None to have it checked."""
    try:
        sources = tuple(
            [
                FoundBy(source["source"], source["rank"], source["score"], source["drawn"])
                for source in value["sources"]
            ]
        )
        pooled = PooledDocument(
            value["query_paper"],
            value["docno"],
            value["position"],
            value["excluded"],
            sources,
            value["inclusion"],
        )
    except (KeyError, TypeError):
        return None
    texts = pooled.query_paper, pooled.docno, pooled.excluded
    is_plain = (
        all(type(text) is str for text in texts)
        and _is_count(pooled.position)
        and _is_plain_number(pooled.inclusion)
        and type(value["sources"]) is list
        and all(
            type(name) is str
            and len(name) <= LONGEST_SOURCE
            and (rank is None or _is_count(rank))
            and _is_plain_number(score)
            and type(drawn) is bool
            for name, rank, score, drawn in sources
        )
    )
    return pooled if is_plain else None


def _is_count(value: Any) -> bool:
    return type(value) is int and 1 <= value <= LARGEST_NUMBER


def _is_plain_number(value: Any) -> bool:
    return value is None or (type(value) is float and math.isfinite(value))


def _candidate(fields: Fields) -> PooledDocument:
    return PooledDocument(
        query_paper=fields.text("query_paper"),
        docno=fields.text("docno"),
        position=fields.whole("position", least=1),
        excluded=fields.text("excluded"),
        sources=fields.each("sources", _source),
        inclusion=fields.optional_number("inclusion"),
    )


def _source(fields: Fields) -> FoundBy:
    return FoundBy(
        source=fields.text("source", longest=LONGEST_SOURCE),
        rank=fields.optional_whole("rank", least=1),
        score=fields.optional_number("score"),
        drawn=fields.truth("drawn"),
    )


def read_corpus_imports(bundle: OpenedBundle) -> tuple[ReleasedCorpusImport, ...]:
    """In their order; none in a release without their file."""
    if CORPUS not in bundle.names:
        return ()
    return Fields(read_json(bundle, CORPUS), CORPUS).each("imports", _corpus_import)


def _corpus_import(fields: Fields) -> ReleasedCorpusImport:
    return ReleasedCorpusImport(
        source=fields.text("source"),
        format=fields.text("format", longest=200),
        recipe=fields.mapping("recipe"),
        created=fields.whole("created"),
        updated=fields.whole("updated"),
        unchanged=fields.whole("unchanged"),
        steps=fields.each(
            "steps",
            lambda step: ReleasedStep(
                step.text("name"), step.whole("removed"), step.whole("remaining")
            ),
        ),
    )


Cell = Callable[[str], Any]  # gives the value of a cell, or raises WrongCell
CELLS_KEPT = 1024


class WrongCell(ValueError):
    """A cell is not what it must be, such as `a number`."""


def _whole(most: int, *, least: int = 0) -> Cell:
    # The same few numbers stand in half a million rows.
    @lru_cache(CELLS_KEPT)
    def read(cell: str) -> int:
        is_whole = cell.isascii() and cell.isdigit() and len(cell) <= LONGEST_NUMBER
        if not (is_whole and least <= int(cell) <= most):
            raise WrongCell(f"a whole number from {least} to {most}")
        return int(cell)

    return read


def _grade(cell: str) -> int | None:
    return _number_of_grade(cell) if cell else None


_number_of_grade = _whole(HIGHEST_GRADE)


def _number(cell: str) -> float | None:
    if not cell:
        return None
    try:
        number = float(cell)
    except ValueError:
        raise WrongCell("a number") from None
    if not math.isfinite(number):
        raise WrongCell("a number")
    return number


def _truth(cell: str) -> bool:
    if cell not in ("true", "false"):
        raise WrongCell("true or false")
    return cell == "true"


RATING_CELLS: dict[str, Cell] = {
    "query": restored,
    "facet": restored,
    "docno": restored,
    "slot": _whole(2, least=1),
    "annotator": restored,
    "grade": _grade,
    "reason": restored,
    "sequence": _whole(32_767, least=1),
    "seconds": _number,
    "presentation_digest": restored,
}
ADJUDICATION_CELLS: dict[str, Cell] = {
    "query": restored,
    "facet": restored,
    "docno": restored,
    "adjudicator": restored,
    "grade": _grade,
    "reason": restored,
    "first": _grade,
    "second": _grade,
    "overruled": _truth,
}


def read_ratings(bundle: OpenedBundle) -> Iterator[tuple[int, Rating]]:
    """Line and judgment, by query, docno and slot; none in a release without their file."""
    for line, values in _rows(bundle, RATINGS, RATING_CELLS):
        yield line, Rating._make(values)


def read_adjudications(bundle: OpenedBundle) -> Iterator[tuple[int, Adjudication]]:
    """Line and decision, by query and docno; none in a release without their file."""
    for line, values in _rows(bundle, ADJUDICATIONS, ADJUDICATION_CELLS):
        yield line, Adjudication._make(values)


class _CsvLines:
    """The lines of a CSV file for the csv module.

    It reads a row, which can have any number of lines and cells, as a whole. So a row has a limit.
    """

    def __init__(self, bundle: OpenedBundle, name: str) -> None:
        self._lines, self._name = whole_lines(bundle, name), name
        self._length = 0

    def __iter__(self) -> Iterator[str]:
        for number, line in self._lines:
            self._length += len(line)
            if self._length > LONGEST_ROW:
                reason = f"the row has more than {LONGEST_ROW:,} characters."
                raise BundleError(self._name, number, reason)
            yield line

    def end_row(self) -> None:
        self._length = 0


def _rows(
    bundle: OpenedBundle, name: str, columns: Mapping[str, Cell]
) -> Iterator[tuple[int, list[Any]]]:
    """Line and values of the rows of a CSV file with these columns, in any order, and others."""
    if name not in bundle.names:
        return
    lines = _CsvLines(bundle, name)
    reader = csv.reader(lines, strict=True)
    try:
        header = next(reader, [])
        missing = [column for column in columns if column not in header]
        if missing:
            raise BundleError(name, 1, f"has no column {missing[0]}.")
        places = [(read, header.index(column)) for column, read in columns.items()]
        for cells in reader:
            lines.end_row()
            if len(cells) != len(header):
                raise BundleError(
                    name, reader.line_num, f"has {len(cells)} cells, not {len(header)}."
                )
            try:
                values = [read(cells[place]) for read, place in places]
            except WrongCell:
                _check_cells(name, reader.line_num, header, cells, columns)
                raise
            yield reader.line_num, values
    except csv.Error as error:
        raise BundleError(name, reader.line_num, f"is not valid CSV ({error}).") from error


def _check_cells(
    file: str, line: int, header: list[str], cells: list[str], columns: Mapping[str, Cell]
) -> None:
    """Raise BundleError for the first wrong cell."""
    for column, read in columns.items():
        cell = cells[header.index(column)]
        try:
            read(cell)
        except WrongCell as wanted:
            reason = f"{column} must be {wanted}, got {cell[:60]!r}."
            raise BundleError(file, line, reason) from None


class TableQuery(NamedTuple):
    """A query in the list of queries."""

    query: str
    paper: str
    facet: str


def read_query_table(bundle: OpenedBundle) -> Iterator[tuple[int, TableQuery]]:
    """Line and query of the list of queries."""
    lines = read_lines(bundle, QUERY_TABLE)
    next(lines, None)  # the header
    for number, line in lines:
        query, paper, facet, *_ = (*line.split("\t"), "", "")
        yield number, TableQuery(query, paper, facet)


def read_qrels(bundle: OpenedBundle, name: str = QRELS) -> Iterator[tuple[int, Label]]:
    """Line and label of a TREC qrels file, by query, then docno. Their facet is empty."""
    for number, line in read_lines(bundle, name):
        cells = line.split(" ")
        if len(cells) != 4 or not (cells[3].isascii() and cells[3].isdigit()):
            raise BundleError(
                name, number, f"must be <query id> 0 <docno> <grade>, got {line[:80]!r}."
            )
        yield number, Label(cells[0], "", cells[2], int(cells[3][:9]))

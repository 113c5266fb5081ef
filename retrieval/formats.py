"""Reads, sorts and writes TREC run files. Pure.

A line has six columns: topic, "Q0", docno, rank, score, run tag.
Readers use topic, docno and score.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, groupby, islice
from operator import attrgetter
from pathlib import Path
from typing import BinaryIO, NamedTuple, overload

from corpus.formats.decompression import Meter, UnreadableLine, numbered_lines
from corpus.formats.smart import is_judgment, plain_id

COLUMNS = 6
LONGEST_LINE = 65_536  # bytes; limits what is read of a binary file without line ends
UTF8_BOM = b"\xef\xbb\xbf"
SMART_LINES = 100  # which tell whether judgments are of a SMART collection


class RunLine(NamedTuple):
    """The used columns of a line of a run file."""

    topic: str
    docno: str
    score: float


class Scored(NamedTuple):
    """A document and its score; a ranked list is a list of these, best first."""

    docno: str
    score: float


@dataclass(frozen=True)
class RankedList(Sequence[Scored]):
    """A ranked list in columns, as it is stored: `docnos[i]` has rank i + 1 and `scores[i]`.

    Pairs are made on access. A run has millions of pairs, and most are never read. With all of
    them in memory, the garbage collector takes longer than everything else.
    """

    docnos: Sequence[str]
    scores: Sequence[float]

    @classmethod
    def of(cls, ranking: Iterable[Scored]) -> RankedList:
        """Build it from pairs; a score takes 8 bytes, and no pair is kept."""
        docnos, scores = [], array("d")
        for docno, score in ranking:
            docnos.append(docno)
            scores.append(score)
        return cls(docnos, scores)

    def __len__(self) -> int:
        return len(self.docnos)

    def __iter__(self) -> Iterator[Scored]:
        return map(Scored, self.docnos, self.scores)

    @overload
    def __getitem__(self, index: int) -> Scored: ...
    @overload
    def __getitem__(self, index: slice) -> RankedList: ...
    def __getitem__(self, index: int | slice) -> Scored | RankedList:
        if isinstance(index, slice):
            return RankedList(self.docnos[index], self.scores[index])
        return Scored(self.docnos[index], self.scores[index])


def docnos_of(ranking: Sequence[Scored]) -> Sequence[str]:
    """The documents of a ranked list, best first."""
    if isinstance(ranking, RankedList):
        return ranking.docnos
    return [scored.docno for scored in ranking]


@dataclass(frozen=True)
class Ranked:
    """The ranked lists of a run by topic, and the number of skipped duplicate lines."""

    lists: dict[str, RankedList]
    duplicates: int


class RunFormatError(ValueError):
    """A run file cannot be read. `line` counts from 1; it is None for the file as a whole."""

    def __init__(self, file: str, line: int | None, problem: str) -> None:
        self.file, self.line, self.problem = file, line, problem
        super().__init__(f"{file}: {problem}" if line is None else f"{file}:{line}: {problem}")


def float32(score: float) -> float:
    """The nearest 32-bit float, as trec_eval reads scores (±inf when out of range)."""
    return array("f", (score,))[0]


def trec_order(scored: Iterable[Scored]) -> list[Scored]:
    """Score descending compared as float32, then docno descending: the order of trec_eval 9.

    trec_eval compares docnos with strcmp; code points of Python strings sort like UTF-8 bytes.
    """
    documents = list(scored)
    scores = array("f", [document.score for document in documents])
    keys = [(score, document.docno) for score, document in zip(scores, documents, strict=True)]
    order = sorted(range(len(documents)), key=keys.__getitem__, reverse=True)
    return [documents[place] for place in order]


def read_run(
    source: str | Path | BinaryIO, *, name: str, meter: Meter | None = None
) -> Iterator[RunLine]:
    """Yield the lines of a run file; its first bytes tell whether it is gzip.

    `source` is a path or a seekable binary stream, which stays open. Errors use `name` for it.
    Blank lines are skipped. Raises RunFormatError for an invalid line, damaged gzip data, more
    bytes than the meter allows, and a file without lines.
    """
    empty = True
    for number, line in _numbered_lines(source, name, meter):
        if line.strip():
            empty = False
            yield _parse_line(line, name, number)
    if empty:
        raise RunFormatError(name, None, "no lines; write at least one line")


def read_qrels(
    source: str | Path | BinaryIO, *, name: str, min_grade: int = 1, meter: Meter | None = None
) -> Iterator[RunLine]:
    """Yield the judged documents with a grade of at least `min_grade`; the grade is the score.

    A qrels file has TREC's four columns (topic, iteration, docno, grade) or BEIR's three
    (query-id, corpus-id, score) below a header; plain or gzip. A topic without such a document
    has no line. The judgments of SMART collections have four columns too: topic, docno, 0, 0. They
    list relevant documents, which get the grade 1. Raises RunFormatError like `read_run`.
    """
    rows = ((number, line.split()) for number, line in _numbered_lines(source, name, meter))
    rows = (row for row in rows if row[1])
    first_rows = list(islice(rows, SMART_LINES))
    is_smart = is_smart_qrels([columns for _, columns in first_rows])
    empty = True
    for number, columns in chain(first_rows, rows):
        if empty and columns[0] == b"query-id":
            continue
        empty = False
        judgment = _parse_judgment(columns, name, number, is_smart=is_smart)
        if judgment.score >= min_grade:
            yield judgment
    if empty:
        raise RunFormatError(name, None, "no lines; write at least one line")


def first_line_of(source: Path, topic: str, *, name: str) -> int | None:
    """The number of the first line of a topic, for an error that names it."""
    start = [topic.encode()]
    lines = _numbered_lines(source, name, None)
    return next((number for number, line in lines if line.split()[:1] == start), None)


def is_smart_qrels(rows: Sequence[Sequence[bytes]]) -> bool:
    """Return whether lines are the judgments of a SMART collection: topic, docno, 0, 0.000000.

    TREC's judgments of the document "0" look the same, so one other docno must be there.
    """
    return bool(rows) and (
        all(map(is_judgment, rows)) and any(row[1] not in (b"0", b"Q0") for row in rows)
    )


def _parse_judgment(
    columns: list[bytes], name: str, number: int, *, is_smart: bool = False
) -> RunLine:
    if is_smart and len(columns) == 4:
        topic, docno = (plain_id(column.decode("utf-8", "replace")) for column in columns[:2])
        return RunLine(topic, docno, 1.0)
    if len(columns) not in (3, 4):
        problem = f"qrels must have 4 columns (topic 0 docno grade), got {len(columns)}"
        raise RunFormatError(name, number, problem)
    try:
        topic, *_, docno, grade = (column.decode() for column in columns)
    except UnicodeDecodeError as error:
        raise RunFormatError(
            name, number, f"not UTF-8 ({error.reason}); save it as UTF-8"
        ) from error
    if not re.fullmatch(r"[+-]?[0-9]{1,9}", grade):
        raise RunFormatError(name, number, f"the grade must be a whole number, got {grade!r}")
    return RunLine(topic, docno, float(grade))


def ranked(lines: Iterable[RunLine]) -> Ranked:
    """The lines as one list per topic, in `trec_order`; topics in order of appearance.

    Of lines with the same topic and docno, the one with the highest score is kept. A line takes 16
    bytes, and a docno is held once.
    """
    docnos: dict[str, str] = {}
    columns: dict[str, tuple[list[str], array[float]]] = {}
    for topic, rows in groupby(lines, key=attrgetter("topic")):
        of_topic, scores = columns.setdefault(topic, ([], array("d")))
        for _, docno, score in rows:
            of_topic.append(docnos.setdefault(docno, docno))
            scores.append(score)
    lists, duplicates = {}, 0
    for topic in list(columns):
        of_topic, scores = columns.pop(topic)
        pairs: Iterable[tuple[str, float]] = zip(of_topic, scores, strict=True)
        if len(set(of_topic)) < len(of_topic):
            best = _best_scores(pairs)
            duplicates += len(of_topic) - len(best)
            pairs = best.items()
        lists[topic] = RankedList.of(trec_order(map(Scored._make, pairs)))
    return Ranked(lists, duplicates)


def _best_scores(pairs: Iterable[tuple[str, float]]) -> dict[str, float]:
    best: dict[str, float] = {}
    for docno, score in pairs:
        if docno not in best or float32(score) > float32(best[docno]):
            best[docno] = score
    return best


def write_run(lists: Mapping[str, Iterable[Scored]], *, tag: str) -> Iterator[str]:
    r"""The lines of a run file, each ending in "\n": topics sorted, ranks from 1, `trec_order`.

    Scores have full precision, so reading the file gives the same lists. Raises ValueError for an
    id that is empty or has white space, and for a score that is not finite.
    """
    for topic in sorted(lists):
        start, end = f"{_column(topic)} Q0", _column(tag)
        for rank, (docno, score) in enumerate(trec_order(lists[topic]), start=1):
            if not math.isfinite(score):
                raise ValueError(f"the score of {docno} for {topic} must be finite, got {score}")
            yield f"{start} {_column(docno)} {rank} {score!r} {end}\n"


_ASCII_WHITE_SPACE = re.compile(r"[ \t\n\r\v\f]")


def _column(value: str) -> str:
    if not value or _ASCII_WHITE_SPACE.search(value):
        raise ValueError(
            f"a column of a run file must have no white space and not be empty, got {value!r}"
        )
    return value


def _numbered_lines(
    source: str | Path | BinaryIO, name: str, meter: Meter | None
) -> Iterator[tuple[int, bytes]]:
    try:
        yield from numbered_lines(source, meter, longest=LONGEST_LINE)
    except UnreadableLine as error:
        raise RunFormatError(name, error.number, error.reason) from error


def _parse_line(line: bytes, name: str, number: int) -> RunLine:
    if len(line) > LONGEST_LINE:
        raise RunFormatError(name, number, f"longer than {LONGEST_LINE} bytes; is this a run file?")
    # Bytes are split at ASCII white space only, so an id may have a no-break space.
    columns = line.split()
    try:
        texts = [column.decode() for column in columns]
    except UnicodeDecodeError as error:
        raise RunFormatError(
            name, number, f"not UTF-8 ({error.reason}); save it as UTF-8"
        ) from error
    if len(texts) != COLUMNS:
        problem = f"a run must have 6 columns (topic Q0 docno rank score tag), got {len(texts)}"
        raise RunFormatError(name, number, problem)
    return RunLine(texts[0], texts[2], _score(texts[4], name, number))


def _score(text: str, name: str, number: int) -> float:
    try:
        # float() also accepts "1_000" and non-ASCII digits; other tools do not.
        # -0.0 becomes 0.0, because PostgreSQL stores no minus zero and digests cover scores.
        score = float(text) + 0.0 if text.isascii() and "_" not in text else math.nan
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise RunFormatError(name, number, f"the score must be a finite number, got {text!r}")
    return score

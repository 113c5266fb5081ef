"""TREC run files: read, put in order, write. Pure.

A line has six columns: topic, "Q0", docno, rank, score, run tag. Only topic, docno and score count.
"""

from __future__ import annotations

import gzip
import math
import re
import zlib
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, NamedTuple, overload

from corpus.unpacking import Meter, TooLarge, unpacked

COLUMNS = 6
LONGEST_LINE = 65_536  # bytes; a binary file by mistake must not be read whole in search of a line
UTF8_BOM = b"\xef\xbb\xbf"


class RunLine(NamedTuple):
    """What counts of one line of a run file."""

    topic: str
    docno: str
    score: float


class Scored(NamedTuple):
    """A document and its score; a ranked list is a list of these, best first."""

    docno: str
    score: float


@dataclass(frozen=True)
class RankedList(Sequence[Scored]):
    """A ranked list by columns, as it is stored: `docnos[i]` has rank i + 1 and `scores[i]`.

    Pairs are made when they are asked for. There are millions of them, most are never looked at,
    and with many alive the garbage collector takes longer than all the rest.
    """

    docnos: Sequence[str]
    scores: Sequence[float]

    @classmethod
    def of(cls, ranking: Iterable[Scored]) -> RankedList:
        """At 8 bytes a score, and none for the pairs."""
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
    def __getitem__(self, place: int) -> Scored: ...
    @overload
    def __getitem__(self, place: slice) -> RankedList: ...
    def __getitem__(self, place: int | slice) -> Scored | RankedList:
        if isinstance(place, slice):
            return RankedList(self.docnos[place], self.scores[place])
        return Scored(self.docnos[place], self.scores[place])


def docnos_of(ranking: Sequence[Scored]) -> Sequence[str]:
    """The documents of a ranked list, best first."""
    if isinstance(ranking, RankedList):
        return ranking.docnos
    return [one.docno for one in ranking]


@dataclass(frozen=True)
class Ranked:
    """The ranked lists of a run by topic, and how many repeated lines were left out."""

    lists: dict[str, list[Scored]]
    duplicates: int


class RunFormatError(ValueError):
    """A run file cannot be read. `line` counts from 1; it is None for the file as a whole."""

    def __init__(self, file: str, line: int | None, problem: str) -> None:
        self.file, self.line, self.problem = file, line, problem
        super().__init__(f"{file}: {problem}" if line is None else f"{file}:{line}: {problem}")


def float32(score: float) -> float:
    """The nearest 32-bit float, which is all trec_eval sees of a score (±inf when out of range)."""
    return array("f", (score,))[0]


def trec_order(scored: Iterable[Scored]) -> list[Scored]:
    """Score descending compared as float32, then docno descending: the order of trec_eval 9.

    trec_eval compares docnos with strcmp; code points of Python strings sort like UTF-8 bytes.
    """
    return sorted(scored, key=lambda one: (float32(one.score), one.docno), reverse=True)


def read_run(
    source: str | Path | BinaryIO, *, name: str, meter: Meter | None = None
) -> Iterator[RunLine]:
    """The lines of a run file one by one, plain or gzip by its first bytes.

    `source` is a path or a seekable binary stream (left open); `name` is what errors call it.
    Blank lines are skipped. Raises RunFormatError at the first line that is wrong, where the gzip
    data break off, where the meter's limit is passed, and at the end of a file without lines.
    """
    empty = True
    for number, line in _numbered_lines(source, name, meter):
        if line.strip():
            empty = False
            yield _parsed(line, name, number)
    if empty:
        raise RunFormatError(name, None, "no lines")


def read_qrels(
    source: str | Path | BinaryIO, *, name: str, least: int = 1, meter: Meter | None = None
) -> Iterator[RunLine]:
    """The judged documents of a qrels file with a grade of at least `least`, the grade as score.

    TREC's four columns (topic, iteration, docno, grade) or BEIR's three (query-id, corpus-id,
    score, under a line that says so); plain or gzip. A topic without such a document has no line.
    Raises RunFormatError as `read_run` does.
    """
    empty = True
    for number, line in _numbered_lines(source, name, meter):
        columns = line.split()
        if not columns or (empty and columns[0] == b"query-id"):
            continue
        empty = False
        judged = _judged(columns, name, number)
        if judged.score >= least:
            yield judged
    if empty:
        raise RunFormatError(name, None, "no lines")


def _judged(columns: list[bytes], name: str, number: int) -> RunLine:
    if len(columns) not in (3, 4):
        problem = f"{len(columns)} columns where qrels have 4: topic 0 docno grade"
        raise RunFormatError(name, number, problem)
    try:
        topic, *_, docno, grade = (column.decode() for column in columns)
    except UnicodeDecodeError as error:
        raise RunFormatError(name, number, f"not UTF-8 ({error.reason})") from error
    if not re.fullmatch(r"[+-]?[0-9]{1,9}", grade):
        raise RunFormatError(name, number, f"the grade {grade!r} is not a whole number")
    return RunLine(topic, docno, float(grade))


def ranked(lines: Iterable[RunLine]) -> Ranked:
    """The lines as one list per topic, in `trec_order`; topics in order of appearance.

    Of lines with the same topic and docno the highest-scored counts, the first among equals.
    """
    best: dict[str, dict[str, float]] = {}
    duplicates = 0
    for topic, docno, score in lines:
        scores = best.setdefault(topic, {})
        duplicates += docno in scores
        if docno not in scores or float32(score) > float32(scores[docno]):
            scores[docno] = score
    lists = {
        topic: trec_order(Scored(*pair) for pair in scores.items())
        for topic, scores in best.items()
    }
    return Ranked(lists, duplicates)


def write_run(lists: Mapping[str, Iterable[Scored]], *, tag: str) -> Iterator[str]:
    r"""The lines of a run file, each ending in "\n": topics sorted, ranks from 1, `trec_order`.

    Scores are written in full, so that reading the file gives the same lists. Raises ValueError
    for an id that has white space or is empty, and for a score that is not a finite number.
    """
    for topic in sorted(lists):
        for rank, (docno, score) in enumerate(trec_order(lists[topic]), start=1):
            if not math.isfinite(score):
                raise ValueError(f"the score of {docno} for {topic} is {score}")
            columns = (_column(topic), "Q0", _column(docno), str(rank), repr(score), _column(tag))
            yield " ".join(columns) + "\n"


def _column(value: str) -> str:
    if value.encode().split() != [value.encode()]:
        raise ValueError(f"{value!r} cannot be a column of a run file: empty or has white space")
    return value


def _numbered_lines(
    source: str | Path | BinaryIO, name: str, meter: Meter | None
) -> Iterator[tuple[int, bytes]]:
    number = 0
    try:
        with unpacked(source, meter) as stream:
            while line := stream.readline(LONGEST_LINE + 1):
                number += 1
                yield number, line.removeprefix(UTF8_BOM) if number == 1 else line
    except TooLarge as error:
        raise RunFormatError(name, number + 1, str(error)) from error
    except (EOFError, gzip.BadGzipFile, zlib.error) as error:
        problem = f"the gzip data are damaged or cut short ({error})"
        raise RunFormatError(name, number + 1, problem) from error


def _parsed(line: bytes, name: str, number: int) -> RunLine:
    if len(line) > LONGEST_LINE:
        raise RunFormatError(name, number, f"longer than {LONGEST_LINE} bytes; is this a run file?")
    # Bytes split at ASCII white space only, so a no-break space inside an id stays where it is.
    columns = line.split()
    try:
        texts = [column.decode() for column in columns]
    except UnicodeDecodeError as error:
        raise RunFormatError(name, number, f"not UTF-8 ({error.reason})") from error
    if len(texts) != COLUMNS:
        problem = f"{len(texts)} columns where a run has {COLUMNS}: topic Q0 docno rank score tag"
        raise RunFormatError(name, number, problem)
    return RunLine(texts[0], texts[2], _score(texts[4], name, number))


def _score(text: str, name: str, number: int) -> float:
    try:
        # float() also reads "1_000" and non-ASCII digits, which no other tool would.
        # -0.0 becomes 0.0, because PostgreSQL stores no minus zero and digests cover scores.
        score = float(text) + 0.0 if text.isascii() and "_" not in text else math.nan
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise RunFormatError(name, number, f"the score {text!r} is not a finite number")
    return score

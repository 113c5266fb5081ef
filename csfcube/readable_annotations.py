"""The files of `readable_annotations/`, which have the texts of the release. Pure.

Lines of `=` divide blocks. The first block is the query paper, the others are its candidates. A
candidate has three more lines, of which only the first words are checked, because pools and
ratings come from the JSON files. The annotators' numbers on the `difference:` line are not those of
the JSON files.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from csfcube.records import CSFCubeError, Paper

_DIVIDER = re.compile(r"={5,}\s*")
_HEAD = re.compile(r"paper_id: (\S+); YEAR: (\d{1,4}|None)\s*")
_SENTENCE = re.compile(r"(\w+)_label: (.*\S.*)", re.DOTALL)
_OF_CANDIDATES = ("adju relevance: ", "difference: ", "sources: ")
_TITLE = "TITLE: "
_ABSTRACT = "ABSTRACT: "


class AnnotatedLine(NamedTuple):
    number: int
    text: str


def read_papers(text: str, file: str) -> Iterator[Paper]:
    """The papers of one file, the query paper first.

    Raises:
        CSFCubeError: a line is invalid; the error names it.
    """
    if not text.endswith("\n"):
        last = text.count("\n") + 1
        raise CSFCubeError(file, f"line {last}", "the file is cut off: its last line does not end")
    blocks = list(_blocks(text, file))
    for number, block in enumerate(blocks):
        yield _paper(block, file, is_candidate=number > 0)


def _blocks(text: str, file: str) -> Iterator[list[AnnotatedLine]]:
    """The lines of every block, its divider first and blank lines left out."""
    block: list[AnnotatedLine] = []
    # Not splitlines(), because it would break sentences at U+2028 and other separators.
    for number, line in enumerate(text.split("\n"), start=1):
        if _DIVIDER.fullmatch(line):
            if block:
                yield block
            block = [AnnotatedLine(number, line)]
        elif line.strip():
            if not block:
                raise CSFCubeError(file, f"line {number}", "text before the first line of =")
            block.append(AnnotatedLine(number, line))
    if not block:
        raise CSFCubeError(file, "", "contains no paper")
    yield block


def _paper(block: list[AnnotatedLine], file: str, *, is_candidate: bool) -> Paper:
    lines = _LineReader(block, file)
    head = lines.next_line("paper_id: ")
    match = _HEAD.fullmatch(head.text)
    if match is None:
        raise CSFCubeError(
            file, f"line {head.number}", f"expected `paper_id: …; YEAR: …`, got {head.text[:60]!r}"
        )
    for prefix in _OF_CANDIDATES if is_candidate else ():
        lines.next_line(prefix)
    title = lines.next_line(_TITLE).text.removeprefix(_TITLE)
    first = lines.next_line(_ABSTRACT)
    sentences, labels = [], []
    for line in (AnnotatedLine(first.number, first.text.removeprefix(_ABSTRACT)), *lines.rest()):
        sentence = _SENTENCE.fullmatch(line.text)
        if sentence is None:
            raise CSFCubeError(
                file,
                f"line {line.number}",
                f"expected `…_label: a sentence`, got {line.text[:60]!r}",
            )
        labels.append(sentence[1])
        sentences.append(sentence[2])
    year = None if match[2] == "None" else int(match[2])
    return Paper(match[1], title, year, tuple(sentences), tuple(labels))


class _LineReader:
    """Reads the lines of a block in order."""

    def __init__(self, block: list[AnnotatedLine], file: str) -> None:
        self._lines = iter(block)
        self._file = file
        self._last_line = next(self._lines)

    def next_line(self, prefix: str) -> AnnotatedLine:
        line = next(self._lines, None)
        if line is None:
            place = f"line {self._last_line.number}"
            raise CSFCubeError(self._file, place, f"the block ends without `{prefix.strip()}`")
        if not line.text.startswith(prefix):
            reason = f"expected `{prefix.strip()}`, got {line.text[:60]!r}"
            raise CSFCubeError(self._file, f"line {line.number}", reason)
        self._last_line = line
        return line

    def rest(self) -> Iterator[AnnotatedLine]:
        return self._lines

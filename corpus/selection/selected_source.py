"""A source of which only some documents are kept, chosen by its citations. Pure."""

from __future__ import annotations

import heapq
from array import array
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field, replace
from itertools import islice
from pathlib import Path
from typing import Any, ClassVar, Protocol

from corpus.formats.decompression import Meter
from corpus.formats.document_lines import BadLine, DocumentLine, Reading
from corpus.formats.sources import WrappedSource
from corpus.selection.filters import FilterRule, Recipe

BATCH = 2_000  # lines


class Choice(Protocol):
    """The facts about the lines of one source so far, and then the choice among them.

    `filtered` counts the documents that break a rule of the recipe, if the rules come before the
    choice. `counts` are those of the choice, by their names in reports.
    """

    filtered: Counter[str]
    counts: dict[str, int]

    def add(self, first: int, lines: Sequence[DocumentLine | BadLine]) -> None:
        """Add lines in their order. `first` is the position of the first one."""

    def choose(self) -> Iterator[int]:
        """Choose, complete the counts, and return the positions of the chosen lines, ascending."""

    def close(self) -> None:
        """Remove its files."""


class Selection(Protocol):
    """A rule that chooses documents by the citations of the whole source.

    `name` is its key in parameters and records. `rules_first`: the rules of the recipe come before
    the choice.
    """

    name: ClassVar[str]
    rules_first: ClassVar[bool]

    @property
    def reason(self) -> str:
        """The reason why a document was left out, in words."""

    @property
    def as_json(self) -> Mapping[str, object]:
        """Its values as JSON types, for the parameters of a job."""

    @property
    def summary(self) -> Mapping[str, object]:
        """Its values for the record of the import, with digests in place of long lists."""

    def characters_read(self, recipe: Recipe) -> int | None:
        """`characters` of Reading in the first pass."""

    def begin(self, rules: Sequence[FilterRule], folder: Path | None) -> Choice:
        """An empty choice, whose files are in the folder."""


@dataclass
class SelectedSource(WrappedSource):
    """The chosen documents of a source. It is read twice: for its citations, and again.

    In the second pass only the chosen lines and the invalid ones are parsed. `outside` counts the
    documents that the selection left out, `filtered` those that broke a rule of the recipe before.
    The counts are complete once all lines were read.
    """

    selection: Selection
    recipe: Recipe
    folder: Path | None = None
    outside: int = 0
    filtered: Counter[str] = field(default_factory=Counter)
    counts: Mapping[str, int] = field(default_factory=dict)

    @property
    def size(self) -> int | None:
        size = self.source.size
        return None if size is None else 2 * size

    def lines(
        self, meter: Meter | None = None, reading: Reading | None = None
    ) -> Iterator[DocumentLine | BadLine]:
        meter = meter or Meter()
        first_pass = replace(meter)  # so that each pass has the whole limit
        kept: dict[str, Any] = {}
        with ExitStack() as stack:
            stack.callback(lambda: [store.close() for store in kept.values()])
            choice = stack.enter_context(
                closing(self.selection.begin(self.recipe.rules, self.folder))
            )
            characters = self.selection.characters_read(self.recipe)
            lines = self.source.lines(first_pass, Reading(None, characters, kept))
            bad = array("q")
            position = 0
            while batch := list(islice(lines, BATCH)):
                choice.add(position, batch)
                bad.extend(n for n, line in enumerate(batch, position) if isinstance(line, BadLine))
                position += len(batch)
            wanted = heapq.merge(choice.choose(), bad)
            self.filtered, self.counts = choice.filtered, choice.counts
            done = first_pass.done
            second_pass = replace(meter, on_read=lambda read: meter.on_read(done + read))
            for line in self.source.lines(second_pass, Reading(wanted, kept=kept)):
                position -= 1
                yield line
            self.outside = position - self.filtered.total()

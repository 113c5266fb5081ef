"""Citation expansion: the part of a source near some seeds in the graph of citations. Pure."""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

from corpus.formats.document_lines import BadLine, DocumentLine
from corpus.selection.docno_lists import docnos_sha256, parse_docnos
from corpus.selection.filters import FilterRule, Recipe, RecipeError
from corpus.selection.selected_source import Choice
from corpus.temporary_database import TemporaryDatabase
from web.words import count_noun

OUT, IN, BOTH = "out", "in", "both"
DIRECTIONS = {
    OUT: "papers that they cite",
    IN: "papers that cite them",
    BOTH: "papers that they cite or that cite them",
}
MOST_HOPS = 5
MISSING_SEEDS = "missing_seeds"


@dataclass(frozen=True)
class Expansion:
    """The seeds by docno, as in the source, and how many citations away a document may be.

    `direction` says which citations are followed: from the citing paper (`out`), to it (`in`), or
    both.
    """

    name: ClassVar = "expansion"
    rules_first: ClassVar = False
    seeds: tuple[str, ...]
    hops: int = 1
    direction: str = OUT

    def __post_init__(self) -> None:
        if not self.seeds:
            raise RecipeError("There are no seeds. Write one docno on each line.", "seeds")
        if not 0 <= self.hops <= MOST_HOPS:
            raise RecipeError(f"The hops must be from 0 to {MOST_HOPS}, got {self.hops}.", "hops")
        if self.direction not in DIRECTIONS:
            raise RecipeError(
                f"Unknown direction {self.direction!r}. Use {', '.join(DIRECTIONS)}.", "direction"
            )

    @classmethod
    def parsed(cls, text: str, *, hops: int = 1, direction: str = OUT) -> Expansion:
        """From seeds on a line each; blank lines are skipped. Raises RecipeError."""
        return cls(parse_docnos(text, "seed", "seeds"), hops, direction)

    @property
    def as_json(self) -> Mapping[str, object]:
        return {"seeds": list(self.seeds), "hops": self.hops, "direction": self.direction}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Expansion:
        return cls(tuple(values["seeds"]), values["hops"], values["direction"])

    @property
    def summary(self) -> Mapping[str, object]:
        """For the record of the import. The seeds can be many, so a digest stands for them."""
        return {
            **self.as_json,
            "seeds": len(self.seeds),
            "seeds_sha256": docnos_sha256(self.seeds),
        }

    @property
    def reason(self) -> str:
        """The reason why a document was left out, in words."""
        seeds = count_noun(len(self.seeds), "seed")
        return f"more than {count_noun(self.hops, 'citation')} away from {seeds}"

    def characters_read(self, recipe: Recipe) -> int | None:
        return 0  # the rules apply to the second pass

    def begin(self, rules: Sequence[FilterRule], folder: Path | None) -> Choice:
        return _Graph(self)


class _Graph(TemporaryDatabase):
    """Citations on disk, and the documents that were reached.

    A docno is its digest of 63 bits. Among a hundred million docnos, two have the same digest in
    one of two thousand sources; then a document is kept that is not near a seed.
    """

    def __init__(self, expansion: Expansion) -> None:
        # Without indexes: each hop reads all citations once, which is faster than sorting them.
        super().__init__(
            "citation (citing INTEGER, cited INTEGER)",
            "document (position INTEGER PRIMARY KEY, id INTEGER)",
            "near (id INTEGER PRIMARY KEY, hop INTEGER)",
        )
        self._expansion = expansion
        self.filtered: Counter[str] = Counter()
        self.counts: dict[str, int] = {}

    def add(self, first: int, lines: Sequence[DocumentLine | BadLine]) -> None:
        documents = []
        citations = []
        for position, line in enumerate(lines, first):
            if isinstance(line, DocumentLine):
                number = _number(line.record.docno)
                documents.append((position, number))
                citations += [(number, _number(docno)) for docno in line.record.references]
        self.insert("INTO document VALUES (?, ?)", documents)
        self.insert("INTO citation VALUES (?, ?)", citations)

    def choose(self) -> Iterator[int]:
        execute = self._database.execute
        seeds = [(_number(seed),) for seed in self._expansion.seeds]
        self._database.executemany("INSERT OR IGNORE INTO near VALUES (?, 0)", seeds)
        (found,) = execute(
            "SELECT count(DISTINCT id) FROM document WHERE id IN (SELECT id FROM near)"
        ).fetchone()
        (wanted,) = execute("SELECT count(*) FROM near").fetchone()
        self.counts[MISSING_SEEDS] = wanted - found
        for hop in range(1, self._expansion.hops + 1):
            for direction, here, there in ((OUT, "citing", "cited"), (IN, "cited", "citing")):
                if self._expansion.direction in (direction, BOTH):
                    # A cross join is a join in this order: the citations are read in a row.
                    execute(
                        f"INSERT OR IGNORE INTO near SELECT {there}, ? FROM citation "
                        f"CROSS JOIN near ON near.id = {here} WHERE near.hop = ?",
                        (hop, hop - 1),
                    )
        rows = execute("SELECT position FROM document CROSS JOIN near USING (id) ORDER BY position")
        return (position for (position,) in rows)


def _number(docno: str) -> int:
    digest = hashlib.blake2b(docno.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1

"""Citation expansion: the part of a source near some seeds in the graph of citations. Pure."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import islice
from typing import Any

from corpus.formats.decompression import Meter
from corpus.formats.document_lines import BadLine, DocumentLine
from corpus.formats.sources import WrappedSource
from corpus.selection.filters import RecipeError
from corpus.temporary_database import TemporaryDatabase
from web.words import count_noun

OUT, IN, BOTH = "out", "in", "both"
DIRECTIONS = {
    OUT: "papers that they cite",
    IN: "papers that cite them",
    BOTH: "papers that they cite or that cite them",
}
MOST_HOPS = 5
BATCH = 2_000  # lines


@dataclass(frozen=True)
class Expansion:
    """The seeds by docno, as in the source, and how many citations away a document may be.

    `direction` says which citations are followed: from the citing paper (`out`), to it (`in`), or
    both.
    """

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
        seeds = tuple(dict.fromkeys(filter(None, map(str.strip, text.splitlines()))))
        wrong = next((seed for seed in seeds if len(seed.split()) > 1), None)
        if wrong is not None:
            raise RecipeError(
                f"The seed {wrong[:60]!r} has a space. Write one docno on each line.", "seeds"
            )
        return cls(seeds, hops, direction)

    @property
    def as_json(self) -> Mapping[str, object]:
        return {"seeds": list(self.seeds), "hops": self.hops, "direction": self.direction}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Expansion:
        return cls(tuple(values["seeds"]), values["hops"], values["direction"])

    @property
    def summary(self) -> Mapping[str, object]:
        """For the record of the import. The seeds can be many, so a digest stands for them."""
        digest = hashlib.sha256("\n".join(sorted(self.seeds)).encode()).hexdigest()
        return {**self.as_json, "seeds": len(self.seeds), "seeds_sha256": digest}

    @property
    def reason(self) -> str:
        """The reason why a document was left out, in words."""
        seeds = count_noun(len(self.seeds), "seed")
        return f"more than {count_noun(self.hops, 'citation')} away from {seeds}"


@dataclass
class ExpandedSource(WrappedSource):
    """The documents of a source near the seeds. It is read twice: for its citations, and again.

    `outside` counts the documents that were left out, and `missing_seeds` the seeds that the source
    does not have. Both are complete once all lines were read.
    """

    expansion: Expansion
    outside: int = 0
    missing_seeds: int = 0

    @property
    def size(self) -> int | None:
        size = self.source.size
        return None if size is None else 2 * size

    def lines(self, meter: Meter | None = None) -> Iterator[DocumentLine | BadLine]:
        meter = meter or Meter()
        first_pass = replace(meter)  # so that each pass has the whole limit
        with closing(_Graph()) as graph:
            lines = self.source.lines(first_pass)
            while batch := list(islice(lines, BATCH)):
                graph.add(line for line in batch if isinstance(line, DocumentLine))
            self.missing_seeds = graph.reach(self.expansion)
            done = first_pass.done
            second_pass = replace(meter, on_read=lambda read: meter.on_read(done + read))
            lines = self.source.lines(second_pass)
            while batch := list(islice(lines, BATCH)):
                near = graph.near(
                    [line.record.docno for line in batch if isinstance(line, DocumentLine)]
                )
                for line in batch:
                    if isinstance(line, BadLine) or line.record.docno in near:
                        yield line
                    else:
                        self.outside += 1


class _Graph(TemporaryDatabase):
    """Citations on disk, and the documents that were reached.

    A docno is its digest of 63 bits. Among a hundred million docnos, two have the same digest in
    one of two thousand sources; then a document is kept that is not near a seed.
    """

    def __init__(self) -> None:
        # Without indexes: each hop reads all citations once, which is faster than sorting them.
        super().__init__(
            "citation (citing INTEGER, cited INTEGER)",
            "document (id INTEGER)",
            "near (id INTEGER PRIMARY KEY, hop INTEGER)",
        )

    def add(self, lines: Iterable[DocumentLine]) -> None:
        documents = []
        citations = []
        for line in lines:
            number = _number(line.record.docno)
            documents.append((number,))
            citations += [(number, _number(docno)) for docno in line.record.references]
        self.insert("INTO document VALUES (?)", documents)
        self.insert("INTO citation VALUES (?, ?)", citations)

    def reach(self, expansion: Expansion) -> int:
        """Note the documents near the seeds. Returns the number of seeds that the source lacks."""
        execute = self._database.execute
        seeds = [(_number(seed),) for seed in expansion.seeds]
        self._database.executemany("INSERT OR IGNORE INTO near VALUES (?, 0)", seeds)
        (found,) = execute(
            "SELECT count(DISTINCT id) FROM document WHERE id IN (SELECT id FROM near)"
        ).fetchone()
        (wanted,) = execute("SELECT count(*) FROM near").fetchone()
        for hop in range(1, expansion.hops + 1):
            for direction, here, there in ((OUT, "citing", "cited"), (IN, "cited", "citing")):
                if expansion.direction in (direction, BOTH):
                    # A cross join is a join in this order: the citations are read in a row.
                    execute(
                        f"INSERT OR IGNORE INTO near SELECT {there}, ? FROM citation "
                        f"CROSS JOIN near ON near.id = {here} WHERE near.hop = ?",
                        (hop, hop - 1),
                    )
        return int(wanted - found)

    def near(self, docnos: Sequence[str]) -> set[str]:
        """Those of the docnos that were reached."""
        select = "SELECT 1 FROM near WHERE id = ?"
        return {
            docno
            for docno in docnos
            if self._database.execute(select, (_number(docno),)).fetchone()
        }


def _number(docno: str) -> int:
    digest = hashlib.blake2b(docno.encode(), digest_size=8).digest()
    return int.from_bytes(digest, "big") >> 1

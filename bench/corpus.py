"""A synthetic corpus of any size, written as a stream. The same seed gives the same papers.

The properties that speed and memory depend on are those of abstracts: about 170 words in 5–8
sentences; a few words make up most of a text, and new words keep coming; papers on a topic share
words, cite each other and cite what others cite. The words have no meaning. With the same seed, a
smaller corpus is the beginning of a larger one.

Words by rank: Zipf–Mandelbrot, p(r) ∝ 1/(r + 2.7) (Mandelbrot, 1953), up to rank 7,873, and from
there p(r) ∝ r^−1.77 (Gerlach & Altmann, 2013, eq. 4), under which n words contain on the order of
n^(1/1.77) different ones (Heaps' law). Citations: half go to a random earlier paper, mostly of the
same topic. Half go to the target of a random earlier reference, so in proportion to citations
(Price, 1976). Years: the number of papers doubles every three years.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from functools import cache
from itertools import islice
from pathlib import Path
from typing import IO, Any, NamedTuple, cast

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

BUFFER = 1 << 20  # bytes
SHARD = 100_000  # works in a file of a dump
CHUNK = 1_000  # papers made at a time; a reference is copied from papers of earlier chunks only

SHIFT, KNEE, TAIL = 2.7, 7_873, 1.77  # Mandelbrot's shift; where the tail begins, and its exponent
RAREST = 2**31 - 1
TOPICS = 100
SHARED_RANKS = 500  # more frequent words belong to no topic
TOPICAL = 0.5  # the share of rarer words that belong to the paper's topic
REPEATED = 0.15  # the share of words that repeat an earlier word of the abstract
# The 19 fields of Microsoft Academic Graph, as MDCR has them.
FIELDS = ("Art", "Biology", "Business", "Chemistry", "Computer science", "Economics", "Engineering",
          "Environmental science", "Geography", "Geology", "History", "Materials science",
          "Mathematics", "Medicine", "Philosophy", "Physics", "Political science", "Psychology",
          "Sociology")  # fmt: skip

SENTENCES = (5, 8)
SENTENCE_MEAN, SENTENCE_SPREAD, SENTENCE_SHORTEST, SENTENCE_LONGEST = 27, 9, 5, 70  # words
TITLE = (6, 14)  # words
LABELS = {
    5: ("background", "objective", "method", "result", "result"),
    6: ("background", "background", "objective", "method", "result", "result"),
    7: ("background", "background", "objective", "method", "method", "result", "result"),
    8: ("background", "background", "objective", "method", "method", "result", "result", "other"),
}

CITED_MEAN, CITED_SHAPE = 20, 3  # references: negative binomial, at most 150
CITED_MOST = 150
COPIED, ON_TOPIC = 0.5, 0.7
FIRST_YEAR, DOUBLING_YEARS, FIRST_PAPERS = 1985, 3, 500

# Joined syllables can be split in one way only, because n and r end syllables but begin none.
SYLLABLES = [first + rest for first in "bdfgklms" for rest in ("a", "e", "i", "on", "er")]
SPELLED = 1_000_000  # words with a stored spelling; rarer ones are spelled when needed

# Docnos are unordered numbers, as in real corpora. Multiplication modulo a prime repeats none.
PRIME, FACTOR = 2**31 - 1, 1_103_515_245

Numbers = NDArray[np.int64]


class Paper(NamedTuple):
    """One synthetic paper."""

    docno: str
    title: str
    sentences: list[str]
    labels: tuple[str, ...]
    year: int
    fields: list[str]
    references: list[str]


def papers(size: int, seed: int) -> Iterator[Paper]:
    """The first `size` papers of a seed, in constant memory except for 4 bytes a reference."""
    history: list[NDArray[np.int32]] = []
    for first in range(0, size, CHUNK):
        rng = np.random.default_rng([seed, first // CHUNK])
        numbers = np.arange(first, first + CHUNK)
        made = _chunk(rng, numbers, history)
        yield from (paper for _, paper in zip(range(size - first), made, strict=False))


def write_corpus(path: Path, size: int, seed: int) -> None:
    """Write papers as JSON Lines; gzip if the name says so. The same bytes for the same seed."""
    _write_lines(path, (paper._asdict() for paper in papers(size, seed)))


def write_dump(folder: Path, size: int, seed: int) -> None:
    """Write papers as works of OpenAlex, in gzip files in subfolders as those of its snapshot."""
    works = map(openalex_work, papers(size, seed))
    for shard in range(-(-size // SHARD)):
        path = folder / f"updated_date=shard-{shard:04d}" / "part_000.gz"
        path.parent.mkdir(parents=True)
        _write_lines(path, islice(works, SHARD))


def openalex_work(paper: Paper) -> dict[str, object]:
    """The keys of a work that an import reads."""
    index: dict[str, list[int]] = {}
    for place, word in enumerate(" ".join(paper.sentences).split()):
        index.setdefault(word, []).append(place)
    (field,) = paper.fields
    return {
        "id": f"https://openalex.org/W{paper.docno}",
        "title": paper.title,
        "publication_year": paper.year,
        "language": "en",
        "primary_topic": {"field": {"display_name": field}},
        "referenced_works": [f"https://openalex.org/W{other}" for other in paper.references],
        "abstract_inverted_index": index,
    }


def _write_lines(path: Path, rows: Iterable[object]) -> None:
    with ExitStack() as stack:
        stream: IO[bytes] = stack.enter_context(path.open("wb", buffering=BUFFER))
        if path.suffix == ".gz":
            packed = gzip.GzipFile("", "wb", compresslevel=1, fileobj=stream, mtime=0)
            stream = stack.enter_context(io.BufferedWriter(cast(Any, packed), BUFFER))
        for row in rows:
            stream.write(json.dumps(row, separators=(",", ":")).encode() + b"\n")


def docno(number: int) -> str:
    """The docno of the paper with that number, counted from 0."""
    return str((number + 1) * FACTOR % PRIME)


def years_of(numbers: Numbers) -> Numbers:
    """The years of the papers with these numbers."""
    years = FIRST_YEAR + DOUBLING_YEARS * np.log2(1 + numbers / FIRST_PAPERS)
    return years.astype(np.int64)


def word(rank: int) -> str:
    """The spelling of the word with that rank, counted from 0. Frequent words are shorter."""
    spelled = ""
    rank += 1
    while rank:
        rank, syllable = divmod(rank - 1, len(SYLLABLES))
        spelled = SYLLABLES[syllable] + spelled
    return spelled


def ranks(rng: Generator, count: int) -> Numbers:
    """(count,) ranks of words, from 0, each drawn from the distribution above."""
    head = np.log((KNEE + SHIFT) / (1 + SHIFT))
    tail = 1 / (TAIL - 1)
    uniform = rng.random(count) * (head + tail)
    drawn = (1 + SHIFT) * np.exp(np.minimum(uniform, head)) - SHIFT
    beyond = uniform > head
    left = 1 - (uniform[beyond] - head) / tail
    drawn[beyond] = KNEE * left ** (-1 / (TAIL - 1))
    numbers: Numbers = np.minimum(drawn, RAREST).astype(np.int64) - 1
    return numbers


def _chunk(rng: Generator, numbers: Numbers, history: list[NDArray[np.int32]]) -> Iterator[Paper]:
    references = _references(rng, numbers, history)
    titles = _texts(rng, rng.integers(TITLE[0], TITLE[1] + 1, len(numbers)), numbers % TOPICS)
    counts = rng.integers(SENTENCES[0], SENTENCES[1] + 1, len(numbers))
    sentences = iter(_abstracts(rng, counts, numbers % TOPICS))
    years = years_of(numbers).tolist()
    rows = zip(numbers.tolist(), titles, counts.tolist(), years, references, strict=True)
    for number, title, count, year, cited in rows:
        yield Paper(
            docno=docno(number),
            title=title.capitalize(),
            sentences=[f"{next(sentences).capitalize()}." for _ in range(count)],
            labels=LABELS[count],
            year=year,
            fields=[FIELDS[number % TOPICS % len(FIELDS)]],
            references=[docno(other) for other in dict.fromkeys(cited)],
        )


def _abstracts(rng: Generator, counts: Numbers, topics: Numbers) -> list[str]:
    """All sentences of the papers, in order. `counts` (papers,) is the number for each paper."""
    drawn = rng.normal(SENTENCE_MEAN, SENTENCE_SPREAD, int(counts.sum()))
    lengths: Numbers = drawn.clip(SENTENCE_SHORTEST, SENTENCE_LONGEST).astype(np.int64)
    ends = np.cumsum(counts)
    paper_of = np.repeat(np.arange(len(counts)), counts)
    per_paper = np.bincount(paper_of, lengths, minlength=len(ends)).astype(np.int64)
    words = _topical(rng, ranks(rng, int(lengths.sum())), np.repeat(topics, per_paper))
    return _joined(_repeating(rng, words, per_paper), lengths)


def _texts(rng: Generator, lengths: Numbers, topics: Numbers) -> list[str]:
    words = _topical(rng, ranks(rng, int(lengths.sum())), np.repeat(topics, lengths))
    return _joined(words, lengths)


def _topical(rng: Generator, words: Numbers, topics: Numbers) -> Numbers:
    """Replace half of the rarer words by a word of the topic with a similar rank.

    Every hundredth word belongs to the topic. All topics are equally frequent, so the distribution
    of ranks stays as drawn.
    """
    moved = (words >= SHARED_RANKS) & (rng.random(len(words)) < TOPICAL)
    return np.where(moved, words - words % TOPICS + topics, words)


def _repeating(rng: Generator, words: Numbers, lengths: Numbers) -> Numbers:
    starts = np.repeat(np.cumsum(lengths) - lengths, lengths)
    places = np.arange(len(words))
    earlier = starts + ((places - starts) * rng.random(len(words))).astype(np.int64)
    return np.where(rng.random(len(words)) < REPEATED, words[earlier], words)


def _joined(words: Numbers, lengths: Numbers) -> list[str]:
    spelled = _spelled(words)
    ends = np.cumsum(lengths)
    bounds = zip((ends - lengths).tolist(), ends.tolist(), strict=True)
    return [" ".join(spelled[start:end]) for start, end in bounds]


def _spelled(words: Numbers) -> list[str]:
    spelled = _vocabulary()[np.minimum(words, SPELLED - 1)]
    for place in np.flatnonzero(words >= SPELLED):
        spelled[place] = word(int(words[place]))
    return cast(list[str], spelled.tolist())


@cache
def _vocabulary() -> NDArray[np.object_]:
    return np.array([word(rank) for rank in range(SPELLED)], dtype=object)


def _references(
    rng: Generator, numbers: Numbers, history: list[NDArray[np.int32]]
) -> list[list[int]]:
    """The numbers of the papers that each paper cites. They are also appended to `history`."""
    chance = CITED_SHAPE / (CITED_SHAPE + CITED_MEAN)
    counts = np.minimum(rng.negative_binomial(CITED_SHAPE, chance, len(numbers)), CITED_MOST)
    # A paper cannot cite more papers than there are before it.
    counts = np.minimum(counts, numbers)
    targets = _earlier(rng, np.repeat(numbers, counts))
    copies = np.flatnonzero(rng.random(len(targets)) < COPIED)
    if history:
        targets[copies] = _copied(rng, history, len(copies))
    history.append(targets.astype(np.int32))
    return [part.tolist() for part in np.split(targets, np.cumsum(counts)[:-1])]


def _earlier(rng: Generator, citing: Numbers) -> Numbers:
    """An earlier paper for each citing paper, of the same topic or any."""
    uniform = rng.random(len(citing))
    anyone = (uniform * citing).astype(np.int64)
    peers = citing // TOPICS
    peer = citing - TOPICS * (1 + (uniform * peers).astype(np.int64))
    return np.where((rng.random(len(citing)) < ON_TOPIC) & (peers > 0), peer, anyone)


def _copied(rng: Generator, history: list[NDArray[np.int32]], count: int) -> Numbers:
    """The targets of `count` random references of the history."""
    ends = np.cumsum([len(part) for part in history])
    places = (rng.random(count) * ends[-1]).astype(np.int64)
    parts = np.searchsorted(ends, places, side="right")
    within = places - np.concatenate(([0], ends))[parts]
    pairs = zip(parts.tolist(), within.tolist(), strict=True)
    return np.array([history[part][place] for part, place in pairs], dtype=np.int64)


def main() -> None:
    """`python -m bench.corpus 100000 corpus.jsonl.gz`; with --dump, the path is a new folder."""
    parser = argparse.ArgumentParser(description=main.__doc__)
    parser.add_argument("size", type=int)
    parser.add_argument("path", type=Path)
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--dump", action="store_true", help="in the form of OpenAlex's snapshot")
    given = parser.parse_args()
    (write_dump if given.dump else write_corpus)(given.path, given.size, given.seed)


if __name__ == "__main__":
    main()

"""Made abstracts of any number: words drawn by a Zipf law, the same for a seed."""

from __future__ import annotations

import random
from collections.abc import Iterator

WORDS = 30_000
SENTENCES = ("background", "background", "method", "method", "method", "result", "result")  # their labels


def abstracts(number: int, seed: int = 1) -> Iterator[tuple[str, str, list[str]]]:
    """(docno, title, sentences), about 130 words each."""
    draw = random.Random(seed)
    vocabulary = [f"w{draw.getrandbits(40):x}" for _ in range(WORDS)]
    weights = [1 / (rank + 3) for rank in range(WORDS)]
    for row in range(number):
        words = draw.choices(vocabulary, weights, k=136)
        sentences = [" ".join(words[10 + 18 * n : 28 + 18 * n]) + "." for n in range(7)]
        yield f"d{row:06}", " ".join(words[:10]), sentences

"""Counts of words over the texts of a corpus: what BM25 and TF-IDF need. Pure."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass
class WordStatistics:
    """Of all texts that were added: how many, how many words, and the texts with each word."""

    texts: int = 0
    words: int = 0
    frequency: Counter[str] = field(default_factory=Counter)

    def add(self, words: Sequence[str]) -> None:
        """Count a text. A text without words counts too."""
        self.texts += 1
        self.words += len(words)
        self.frequency.update(set(words))

    @property
    def mean_length(self) -> float:
        """Words per text; 0 without texts."""
        return self.words / self.texts if self.texts else 0.0

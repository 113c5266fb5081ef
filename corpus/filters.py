"""Filters of an import: documents are left out by rules about their text. Pure.

`csfcube` is the corpus filter of CSFCube's datasheet (Mysore et al., 2021, "If the dataset is a
sample from a larger set"). It keeps abstracts of 3 to 20 sentences. Tokens are separated by white
space. Sentences are those of the file or of the rule in docs/formats.md. CSFCube split sentences
with NLTK, which gives other sentences in some cases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

FEWEST_SENTENCES = 3
MOST_SENTENCES = 20
MOST_TOKENS = 80
FEWEST_TOKENS = 4

Sentences = Sequence[str]


class Rule(NamedTuple):
    """A rule: the reason in words, and the test whether a document breaks it."""

    name: str
    is_broken: Callable[[Sentences], bool]


def _tokens(sentence: str) -> int:
    return len(sentence.split())


CSFCUBE = (
    Rule(
        f"fewer than {FEWEST_SENTENCES} sentences",
        lambda sentences: len(sentences) < FEWEST_SENTENCES,
    ),
    Rule(
        f"more than {MOST_SENTENCES} sentences",
        lambda sentences: len(sentences) > MOST_SENTENCES,
    ),
    Rule(
        f"a sentence of more than {MOST_TOKENS} tokens",
        lambda sentences: any(
            # n tokens with the spaces between them have at least 2n − 1 characters.
            len(sentence) > 2 * MOST_TOKENS and _tokens(sentence) > MOST_TOKENS
            for sentence in sentences
        ),
    ),
    Rule(
        f"no sentence of {FEWEST_TOKENS} tokens or more",
        lambda sentences: all(_tokens(sentence) < FEWEST_TOKENS for sentence in sentences),
    ),
)
FILTERS: dict[str, tuple[Rule, ...]] = {"csfcube": CSFCUBE}


def broken_rule(sentences: Sentences, rules: Sequence[Rule]) -> Rule | None:
    """The first rule that the document breaks, or None."""
    return next((rule for rule in rules if rule.is_broken(sentences)), None)

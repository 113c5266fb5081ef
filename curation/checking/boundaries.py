"""Sentence boundaries that a person moves. The words of the text stay as they are. Pure."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise


def lengths_of(sentences: Sequence[str]) -> list[int]:
    """The number of characters of each sentence, without white space."""
    return [len(_bare(sentence)) for sentence in sentences]


def cut(sentences: Sequence[str], lengths: Sequence[int]) -> list[str]:
    """The same text in sentences of these lengths, which `lengths_of` counts.

    A sentence whose boundaries did not move keeps its spaces.

    Raises:
        ValueError: a length is not positive, or they do not add up to the length of the text.
    """
    ends = list(accumulate(lengths))
    text = " ".join(sentences)
    places = [place for place, character in enumerate(text) if not character.isspace()]
    if min(lengths, default=1) < 1 or (ends[-1] if ends else 0) != len(places):
        raise ValueError("the lengths do not add up to the text")
    before = _spans(sentences)
    return [
        before.get((start, end)) or text[places[start] : places[end - 1] + 1]
        for start, end in pairwise([0, *ends])
    ]


def joined(lengths: Sequence[int], index: int) -> list[int]:
    """The lengths after the sentence is joined with the next. Raises IndexError at the last."""
    lengths[index + 1]
    return [*lengths[:index], lengths[index] + lengths[index + 1], *lengths[index + 2 :]]


def split(lengths: Sequence[int], index: int, at: int) -> list[int]:
    """The lengths after the sentence is split behind its first `at` characters.

    Raises:
        ValueError: a part would be empty.
    """
    if not 0 < at < lengths[index]:
        raise ValueError("a part of the sentence would be empty")
    return [*lengths[:index], at, lengths[index] - at, *lengths[index + 1 :]]


def places_to_split(sentence: str) -> list[tuple[int, str]]:
    """The places to split a sentence: the characters before the place, and the word behind it."""
    words = sentence.split()
    ends = accumulate(map(len, words[:-1]))
    return list(zip(ends, words[1:], strict=True))


def same_words(before: Sequence[str], after: Sequence[str]) -> bool:
    """Return whether two lists of sentences are one text but for white space; none may be empty."""
    return _bare(" ".join(before)) == _bare(" ".join(after)) and all(map(_bare, after))


def origins(before: Sequence[int], after: Sequence[int]) -> list[int]:
    """The sentence before in which each sentence after begins, by its number from 0.

    Both are lengths of sentences of the same text. What belongs to the sentence before, such as
    its label, belongs to the sentence after.
    """
    starts = [0, *accumulate(before)][:-1]
    return [bisect_right(starts, start) - 1 for start in [0, *accumulate(after)][:-1]]


def _bare(text: str) -> str:
    return "".join(text.split())


def _spans(sentences: Sequence[str]) -> dict[tuple[int, int], str]:
    """Each sentence by its first and last place in the text without white space."""
    ends = list(accumulate(lengths_of(sentences)))
    return dict(zip(zip([0, *ends], ends, strict=False), sentences, strict=True))

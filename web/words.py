"""Counts with their nouns, and lists of names. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


def count_noun(number: int, singular: str, plural: str = "") -> str:
    """A number and its noun: "1 query", "1,204 queries". The plural defaults to the noun + "s"."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


class Noun(NamedTuple):
    """A noun in both numbers: "topic" and "topics"."""

    one: str
    many: str

    def phrase(self, number: int) -> str:
        return count_noun(number, self.one, self.many)


def query_source(topics: int, papers: int, *, has_facets: bool = True) -> Noun:
    """The noun for the queries of a collection, from its numbers of topics and papers.

    Without facets, a collection need not be of papers, and most of its queries are topics.
    """
    topic = Noun("topic", "topics")
    paper = Noun("query paper", "query papers")
    if not has_facets:
        paper = Noun("query document", "query documents")
    if topics and papers:
        return Noun(f"{topic.one} or {paper.one}", f"{topic.many} and {paper.many}")
    return topic if topics or not (papers or has_facets) else paper


def listed(names: Sequence[str], most: int) -> str:
    """The first names, and how many more there are: "a, b, c and 4 more"."""
    more = len(names) - most
    return ", ".join(names[:most]) + (f" and {more:,} more" if more > 0 else "")


def listed_lines(lines: Sequence[object], most: int) -> str:
    """The first lines, and how many more there are."""
    more = len(lines) - most
    return "\n".join(map(str, lines[:most])) + (f"\n… and {more:,} more" if more > 0 else "")


def a_or_an(noun: str) -> str:
    """The noun with its article: "an admin"."""
    return f"{'an' if noun[0] in 'aeiou' else 'a'} {noun}"

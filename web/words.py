"""Counts with their nouns, and lists of names. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple


def _(text: str) -> str:
    """Mark a text for translation where it is shown. This module is pure, so it knows no "
    "language."""
    return text


def count_noun(number: int, singular: str, plural: str = "") -> str:
    """A number and its noun: "1 query", "1,204 queries". The plural defaults to the noun + "s"."""
    return f"{number:,} {singular if number == 1 else plural or singular + 's'}"


class Noun(NamedTuple):
    """A noun in both numbers: "topic" and "topics"."""

    one: str
    many: str

    def phrase(self, number: int) -> str:
        return count_noun(number, self.one, self.many)


TOPIC = Noun(_("topic"), _("topics"))
QUERY_PAPER = Noun(_("query paper"), _("query papers"))
QUERY_DOCUMENT = Noun(_("query document"), _("query documents"))
TOPIC_OR_PAPER = Noun(_("topic or query paper"), _("topics and query papers"))
TOPIC_OR_DOCUMENT = Noun(_("topic or query document"), _("topics and query documents"))


def query_source(topics: int, papers: int, *, has_facets: bool = True) -> Noun:
    """The noun for the queries of a collection, from its numbers of topics and papers.

    Without facets, a collection need not be of papers, and most of its queries are topics.
    """
    if topics and papers:
        return TOPIC_OR_PAPER if has_facets else TOPIC_OR_DOCUMENT
    if topics or not (papers or has_facets):
        return TOPIC
    return QUERY_PAPER if has_facets else QUERY_DOCUMENT


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

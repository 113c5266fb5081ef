"""The scopes of scoring: how a system's list meets the pool. Pure."""

from __future__ import annotations

from enum import StrEnum


class Scope(StrEnum):
    """The treatment of a list's documents that have no label.

    CLOSED: the list is a ranking of the judged pool, so all others are taken out, and the pooled
    documents that it lacks are counted. This is the evaluation of benchmarks that re-rank a pool,
    such as CSFCube and MDCR. OPEN: the list is scored as it is. CONDENSED: documents without a
    label are taken out (Sakai, SIGIR 2007), which corrects an open list for unjudged documents.

    A closed and a condensed list with the same documents have the same value. They differ in the
    list that they expect.
    """

    CLOSED = "closed"
    OPEN = "open"
    CONDENSED = "condensed"

    @property
    def description(self) -> str:
        return DESCRIPTIONS[self]


DESCRIPTIONS = {
    Scope.CLOSED: "lists are restricted to the judged pool before they are scored",
    Scope.OPEN: "lists are scored as they are, and unjudged documents count as not relevant",
    Scope.CONDENSED: "documents without a label are taken out before a list is scored",
}

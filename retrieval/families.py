"""The families of retrievers, which read the same evidence in similar ways. Pure.

The docs have this table: docs/retrievers.md.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

LEXICAL, DENSE, CITATION, OTHER = "lexical", "dense", "citation", "other"
# The marks in the kind of a run, or else in its name. In this order: "tfidf_cbow" are vectors whose
# words are weighted by TF-IDF.
MARKS = (
    (CITATION, ("cited", "graph", "citation", "coupling")),
    (
        DENSE,
        (
            *("cbow", "word2vec", "embedding", "encoder", "dense", "specter", "bert", "simcse"),
            *("scincl", "contriever", "dpr"),
        ),
    ),
    (LEXICAL, ("bm25", "tfidf", "tf-idf", "okapi", "lexical")),
)


def family_of(kind: str, name: str = "") -> str:
    """The family that the kind of the run tells, else the name; OTHER if neither tells one.

    A source of an imported pool has no run, and the kind of a run file says nothing.
    """
    return _marked(kind) or _marked(name) or OTHER


def _marked(text: str) -> str:
    lower = text.lower()
    found = (family for family, marks in MARKS if any(mark in lower for mark in marks))
    return next(found, "")


def names_by_family(names: Iterable[str], kinds: Mapping[str, str]) -> dict[str, tuple[str, ...]]:
    """The names of each family, both sorted. `kinds` are those of the runs, by name."""
    families: dict[str, list[str]] = {}
    for name in sorted(set(names)):
        families.setdefault(family_of(kinds.get(name, ""), name), []).append(name)
    return {family: tuple(members) for family, members in sorted(families.items())}

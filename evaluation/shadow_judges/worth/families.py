"""Families of sources by their names: lexical, dense and citation. Pure."""

from __future__ import annotations

from collections.abc import Iterable

LEXICAL, DENSE, CITATION = "lexical", "dense", "citation"
# In this order: TF-IDF weights of word vectors are in the name of a dense retriever.
MARKS = (
    (CITATION, ("cited", "graph", "citation", "coupling")),
    (
        DENSE,
        (
            *("cbow", "word2vec", "embedding", "encoder", "dense", "specter", "bert", "simcse"),
            *("scincl", "contriever", "dpr", "colbert"),
        ),
    ),
    (LEXICAL, ("bm25", "tfidf", "tf-idf", "okapi", "lexical")),
)


def family_of(source: str) -> str:
    """The family that the name of a source tells; "" if it tells none."""
    name = source.lower()
    found = (family for family, marks in MARKS if any(mark in name for mark in marks))
    return next(found, "")


def families_of(sources: Iterable[str]) -> dict[str, frozenset[str]]:
    """The sources of each family that has some, and then each source alone, by its name."""
    names = sorted(set(sources))
    families = {
        family: frozenset(name for name in names if family_of(name) == family)
        for family in (LEXICAL, DENSE, CITATION)
    }
    alone = {name: frozenset({name}) for name in names if name not in families}
    return {family: members for family, members in families.items() if members} | alone

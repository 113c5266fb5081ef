"""Families of sources, by the kinds of their runs and by their names. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

LEXICAL, DENSE, CITATION = "lexical", "dense", "citation"
# In this order: "tfidf_cbow" are vectors whose words are weighted by TF-IDF.
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


def family_of(source: str, kind: str = "") -> str:
    """The family that the kind of the run tells, else the name; "" if neither tells one.

    A source of an imported pool has no run, and the kind of a run file says nothing.
    """
    return _marked(kind) or _marked(source)


def _marked(text: str) -> str:
    lower = text.lower()
    found = (family for family, marks in MARKS if any(mark in lower for mark in marks))
    return next(found, "")


def families_of(sources: Iterable[str], kinds: Mapping[str, str]) -> dict[str, frozenset[str]]:
    """The sources of each family that has some, and then each source alone, by its name.

    `kinds` are those of the runs, by name.
    """
    names = sorted(set(sources))
    of_names = {name: family_of(name, kinds.get(name, "")) for name in names}
    families = {
        family: frozenset(name for name in names if of_names[name] == family)
        for family in (LEXICAL, DENSE, CITATION)
    }
    alone = {name: frozenset({name}) for name in names if name not in families}
    return {family: members for family, members in families.items() if members} | alone

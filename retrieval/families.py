"""The families of retrievers, which read the same evidence in similar ways. Pure."""

from __future__ import annotations

LEXICAL, DENSE, CITATION, OTHER = "lexical", "dense", "citation", "other"
# By the kind of a run. The docs have this table: docs/retrievers.md.
FAMILY_OF_KIND = {
    "bm25": LEXICAL,
    "tfidf": LEXICAL,
    "cbow": DENSE,
    "tfidf_cbow": DENSE,
    "encoder": DENSE,
    "embeddings": DENSE,
    "graph": CITATION,
    "most_cited": CITATION,
}


def family_of(kind: str) -> str:
    """OTHER for a run file, whose kind says nothing, and for papers in random order."""
    return FAMILY_OF_KIND.get(kind, OTHER)

"""Families of sources."""

from __future__ import annotations

import pytest

from retrieval.families import family_of, names_by_family
from retrieval.retrievers.registry import CATALOGUE, retriever

CITATIONS, WORDS = ("graph", "most_cited"), ("bm25", "tfidf")


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_retriever_has_the_family_of_what_it_reads(name):
    kind = retriever(name).kind
    if kind == "random":
        expected = "other"
    else:
        is_lexical = kind in WORDS
        expected = "lexical" if is_lexical else "citation" if kind in CITATIONS else "dense"
    assert family_of(kind, "run-7") == expected
    assert family_of("", name) == expected


def test_a_name_tells_the_family_of_a_source_without_a_telling_kind():
    assert family_of("", "abs_tfidfcbow200") == "dense"
    assert family_of("file", "my-SPECTER2") == "dense"
    assert family_of("embeddings", "bm25-tuned") == "dense"
    assert family_of("file", "run-7") == "other"


def test_names_are_grouped_by_family():
    names = ["tfidf_title", "bm25_text", "run-7", "dense"]
    assert names_by_family(names, {"run-7": "encoder"}) == {
        "dense": ("dense", "run-7"),
        "lexical": ("bm25_text", "tfidf_title"),
    }

"""Families of sources."""

from __future__ import annotations

import pytest

from evaluation.shadow_judges.worth.families import families_of, family_of
from retrieval.retrievers.registry import CATALOGUE, retriever

CITATIONS, WORDS = ("graph", "most_cited"), ("bm25", "tfidf")


@pytest.mark.parametrize("name", CATALOGUE)
def test_every_retriever_has_the_family_of_what_it_reads(name):
    kind = retriever(name).kind
    if kind == "random":
        expected = ""
    else:
        is_lexical = kind in WORDS
        expected = "lexical" if is_lexical else "citation" if kind in CITATIONS else "dense"
    assert family_of("run-7", kind) == expected
    assert family_of(name) == expected


def test_a_name_tells_the_family_of_a_source_without_a_telling_kind():
    assert family_of("abs_tfidfcbow200") == "dense"
    assert family_of("my-SPECTER2", "file") == "dense"
    assert family_of("bm25-tuned", "embeddings") == "dense"
    assert family_of("run-7", "file") == ""


def test_each_source_is_a_family_of_its_own_beside_those_of_several():
    sources = ["bm25_text", "tfidf_title", "run-7", "dense"]
    assert families_of(sources, {"run-7": "encoder"}) == {
        "lexical": frozenset({"bm25_text", "tfidf_title"}),
        "dense": frozenset({"run-7", "dense"}),
        "bm25_text": frozenset({"bm25_text"}),
        "run-7": frozenset({"run-7"}),
        "tfidf_title": frozenset({"tfidf_title"}),
    }
